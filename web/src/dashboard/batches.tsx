// Batches: upload a list of addresses, follow its progress, download the results.
import { useEffect, useState } from 'react';
import type { Static } from 'typebox';
import type { BatchResult as BatchResultSchema } from '../../../src/delivery/batches/schema.ts';
import { send } from '../api.ts';
import { useCall, useCaller } from '../caller.tsx';
import { saveFile } from '../save-file.ts';
import { ago, money, plural, whole, words } from '../format.ts';
import { Link, navigate } from '../router.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import {
  Badge,
  Button,
  Card,
  Empty,
  Field,
  PageHead,
  ProblemNotice,
  Skeleton,
  Stat,
  SureButton,
  type Tone,
} from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useAct, useApi, useList } from '../use-api.ts';
import type { Property, Valuation } from '../types.ts';
import type { Batch } from './answers.ts';

type BatchResult = Static<typeof BatchResultSchema>;

const TONES: Record<Batch['status'], Tone> = {
  queued: 'neutral',
  running: 'info',
  completed: 'good',
  failed: 'bad',
  canceled: 'warn',
  expired: 'neutral',
};
const POLL_MS = 1_000;
const isOver = (batch: Batch | undefined) => batch !== undefined && !['queued', 'running'].includes(batch.status);

export function BatchesSection() {
  const list = useList<Batch>('batches?limit=50');
  const [isUploading, setUploading] = useState(false);
  return (
    <>
      <PageHead
        title="Batches"
        lead="Get records, risk, and values for many addresses at once. Unmatched addresses are free."
        actions={
          <Button look="primary" icon="plus" onClick={() => setUploading(true)}>
            New batch
          </Button>
        }
      />
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      <Card flush>
        {!list.data && list.isLoading && <Skeleton />}
        {list.data?.length === 0 && (
          <Empty icon="batch" title="No batches yet">
            Upload a CSV with an “address” column. Add a “custom_id” column to match results to your rows.
          </Empty>
        )}
        {list.data && list.data.length > 0 && (
          <Table
            caption="Batches"
            rows={list.data}
            keyOf={({ id }) => id}
            more={list}
            columns={[
              { head: 'Batch', cell: (row) => <Link href={`/dashboard/batches/${row.id}`}>{row.id}</Link> },
              { head: 'Status', cell: (row) => <Badge tone={TONES[row.status]}>{words(row.status)}</Badge> },
              { head: 'Progress', wide: true, cell: (row) => <Progress batch={row} /> },
              {
                head: 'Matched',
                align: 'right',
                cell: (row) => `${whole(row.counts.succeeded)} of ${whole(row.counts.total)}`,
              },
              { head: 'Included', cell: (row) => row.include.join(', ') },
              { head: 'Created', cell: (row) => ago(row.created_at) },
            ]}
          />
        )}
      </Card>
      {isUploading && <UploadDialog onClose={() => setUploading(false)} />}
    </>
  );
}

function Progress({ batch }: { batch: Batch }) {
  return (
    <div
      className="meter-track"
      role="progressbar"
      aria-label={`Progress of ${batch.id}`}
      aria-valuenow={batch.progress.percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div className="meter-fill" style={{ width: `${batch.progress.percent}%` }} />
    </div>
  );
}

function UploadDialog({ onClose }: { onClose: () => void }) {
  const call = useCall();
  const act = useAct(async (form: FormData) => {
    const file = form.get('file') as File;
    const pasted = String(form.get('pasted')).trim();
    const sheet =
      file.size > 0
        ? file
        : `address\n${pasted
            .split('\n')
            .map((line) => `"${line.trim().replaceAll('"', '""')}"`)
            .join('\n')}`;
    const include = form.getAll('include').join(',') || 'property';
    const batch = await call<Batch>(`batches?include=${include}`, {
      body: sheet,
      headers: { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() },
    });
    navigate(`/dashboard/batches/${batch.id}`);
  });
  return (
    <FormDialog
      title="New batch"
      submit="Start batch"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      <Field
        label="Spreadsheet"
        hint="CSV or XLSX with addresses, property IDs, parcel numbers or coordinates. Other columns come back with the results."
      >
        {(id, described) => (
          <input id={id} name="file" type="file" accept=".csv,.tsv,.xlsx,text/csv" aria-describedby={described} />
        )}
      </Field>
      <Field label="Or paste addresses, one per line">
        {(id) => <textarea id={id} name="pasted" placeholder="1208 Lantern Hill Dr, Port Ellowby, ZZ 00103" />}
      </Field>
      <fieldset>
        <legend>Include</legend>
        <div className="row">
          {(['property', 'risk', 'valuation'] as const).map((part) => (
            <label key={part} className="check">
              <input type="checkbox" name="include" value={part} defaultChecked />
              {words(part)}
            </label>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  );
}

export function BatchSection({ id }: { id: string }) {
  const call = useCall();
  const { credential } = useCaller();
  const { data: batch, problem, reload } = useApi<Batch>(`batches/${id}`);
  const results = useList<BatchResult>(isOver(batch) ? `batches/${id}/results?limit=50` : null);
  useEffect(() => {
    if (!batch || isOver(batch)) return undefined;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [batch, reload]);
  const act = useAct(async (what: 'cancel' | 'delete' | 'csv' | 'ndjson') => {
    if (what === 'cancel') {
      await call(`batches/${id}/cancel`, { method: 'POST' });
      reload();
    } else if (what === 'delete') {
      await call(`batches/${id}`, { method: 'DELETE' });
      navigate('/dashboard/batches');
    } else {
      const response = await send(credential, `batches/${id}/results?format=${what}`);
      saveFile(await response.blob(), `${id}.${what}`);
    }
  });
  if (problem) return <ProblemNotice problem={problem} onRetry={reload} />;
  if (!batch) return <Skeleton lines={6} />;
  return (
    <>
      <PageHead
        title="Batch"
        lead={<code>{batch.id}</code>}
        actions={
          isOver(batch) ? (
            <>
              <Button look="primary" icon="export" isRunning={act.isRunning} onClick={() => void act.run('csv')}>
                Download CSV
              </Button>
              <Button onClick={() => void act.run('ndjson')}>Download NDJSON</Button>
              <SureButton sure="Confirm delete" onSure={() => void act.run('delete')}>
                Delete
              </SureButton>
            </>
          ) : (
            <Button onClick={() => void act.run('cancel')}>Cancel batch</Button>
          )
        }
      />
      <div className="sections">
        <ProblemNotice problem={act.problem} />
        <Card>
          <div className="stack">
            <div className="row spread">
              <Badge tone={TONES[batch.status]}>{words(batch.status)}</Badge>
              <span className="fine">
                {batch.progress.percent}%
                {batch.progress.eta_seconds ? `, about ${plural(batch.progress.eta_seconds, 'second')} left` : ''}
              </span>
            </div>
            <Progress batch={batch} />
            <dl className="stats">
              <Stat label="Addresses" value={whole(batch.counts.total)} />
              <Stat label="Matched" value={whole(batch.counts.succeeded)} />
              <Stat label="Unmatched" value={whole(batch.counts.failed)} note="Free" />
              <Stat
                label="Usage"
                value={`${whole(batch.usage.standard)} + ${whole(batch.usage.avm)}`}
                note="Calls + valuations"
              />
            </dl>
          </div>
        </Card>
        {results.data && (
          <Card flush title="Results">
            <Table
              caption="Results"
              rows={results.data}
              keyOf={({ index }) => String(index)}
              more={results}
              columns={[
                { head: 'Row', cell: (row) => row.custom_id },
                {
                  head: 'Status',
                  cell: (row) => <Badge tone={row.status === 'succeeded' ? 'good' : 'warn'}>{words(row.status)}</Badge>,
                },
                {
                  head: 'Property',
                  wide: true,
                  cell: (row) =>
                    row.property_id ? (
                      <Link href={`/p/${row.property_id}`}>{nameOf(row)}</Link>
                    ) : (
                      (row.error?.detail ?? '')
                    ),
                },
                {
                  head: 'Value',
                  align: 'right',
                  cell: (row) => money((row.valuation as Valuation | null | undefined)?.estimated_value),
                },
                { head: 'Match', cell: (row) => words(row.match?.match_quality ?? row.error?.code) },
              ]}
            />
          </Card>
        )}
      </div>
    </>
  );
}

function nameOf({ match, property, property_id: id }: BatchResult): string | null {
  return match?.address ?? (property as Property | undefined)?.address?.formatted ?? id;
}
