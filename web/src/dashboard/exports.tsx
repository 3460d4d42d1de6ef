// Exports: whole datasets, full or as changes, to files or to a bucket of yours.
import { useState } from 'react';
import type { Static } from 'typebox';
import type { Export as ExportSchema, ExportRun as ExportRunSchema } from '../../../src/exports/schema.ts';
import { useCall } from '../caller.tsx';
import { ago, compact, instant, whole, words } from '../format.ts';
import { Link } from '../router.tsx';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import {
  Badge,
  Button,
  Card,
  Empty,
  Field,
  Notice,
  PageHead,
  ProblemNotice,
  Skeleton,
  type Tone,
} from '../ui/parts.tsx';
import { Table } from '../ui/table.tsx';
import { useToast } from '../ui/toast.tsx';
import { useAct, useList } from '../use-api.ts';

type Export = Static<typeof ExportSchema>;
type Run = Static<typeof ExportRunSchema>;

const DATASETS = [
  'properties',
  'transactions',
  'valuations',
  'risk',
  'changes',
] as const satisfies readonly Export['dataset'][];
const TONES: Record<Run['state'], Tone> = { queued: 'neutral', running: 'info', delivered: 'good', failed: 'bad' };

export function ExportsSection() {
  const list = useList<Export>('exports?limit=50');
  const [isCreating, setCreating] = useState(false);
  const [shown, setShown] = useState<Export>();
  const isUnavailable = list.problem?.code === 'plan_feature_unavailable';
  return (
    <>
      <PageHead
        title="Exports"
        lead="A dataset as Parquet, NDJSON or CSV: to a bucket of yours or to fetch here, once or on a schedule."
        actions={
          !isUnavailable && (
            <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
              New export
            </Button>
          )
        }
      />
      {isUnavailable ? (
        <Notice title="Part of the Enterprise plan">
          <p>
            Delivery of whole datasets and the change feed come with Enterprise. Searches can be saved as CSV on any
            plan.
          </p>
          <Link className="button small" href="/pricing">
            Compare the plans
          </Link>
        </Notice>
      ) : (
        <>
          <ProblemNotice problem={list.problem} onRetry={list.reload} />
          <Card flush>
            {!list.data && list.isLoading && <Skeleton />}
            {list.data?.length === 0 && (
              <Empty icon="export" title="No exports yet">
                Choose a dataset and where it should go. The manifest with counts and checksums is written last.
              </Empty>
            )}
            {list.data && list.data.length > 0 && (
              <Table
                caption="Exports"
                rows={list.data}
                keyOf={({ id }) => id}
                more={list}
                columns={[
                  { head: 'Name', wide: true, cell: (row) => <strong>{row.name}</strong> },
                  { head: 'Dataset', cell: (row) => `${words(row.dataset)}, ${row.kind}` },
                  { head: 'Format', cell: (row) => row.format },
                  {
                    head: 'To',
                    cell: (row) => (row.destination.type === 's3' ? `s3://${row.destination.bucket}` : 'files here'),
                  },
                  { head: 'Runs', cell: (row) => (row.is_paused ? 'paused' : row.schedule) },
                  { head: 'Next', cell: (row) => (row.next_run_at ? instant(row.next_run_at) : '') },
                  {
                    head: <span className="unseen">Actions</span>,
                    align: 'right',
                    cell: (row) => (
                      <Button small onClick={() => setShown(row)} aria-label={`Runs of ${row.name}`}>
                        Runs
                      </Button>
                    ),
                  },
                ]}
              />
            )}
          </Card>
        </>
      )}
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onDone={() => {
            setCreating(false);
            list.reload();
          }}
        />
      )}
      {shown && <RunsDialog item={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function CreateDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const call = useCall();
  const say = useToast();
  const [type, setType] = useState<'folder' | 's3'>('folder');
  const act = useAct(async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const bucket = ['bucket', 'prefix', 'region', 'endpoint', 'access_key_id', 'secret_access_key']
      .filter((name) => text(name) !== '')
      .map((name) => [name, text(name)]);
    await call('exports', {
      body: {
        name: text('name'),
        dataset: text('dataset'),
        format: text('format'),
        kind: text('kind'),
        schedule: text('schedule'),
        destination: { type, ...(type === 's3' && Object.fromEntries(bucket)) },
      },
    });
    say('The first run has begun');
    onDone();
  });
  const choice = (label: string, name: string, options: readonly string[]) => (
    <Field label={label}>
      {(id) => (
        <select id={id} name={name}>
          {options.map((option) => (
            <option key={option} value={option}>
              {words(option)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  const line = (label: string, name: string, isRequired = false, kind = 'text') => (
    <Field label={label}>
      {(id) => <input id={id} name={name} type={kind} required={isRequired} autoComplete="off" />}
    </Field>
  );
  return (
    <FormDialog
      title="New export"
      submit="Start"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      {line('Name', 'name', true)}
      <div className="pair">
        {choice('Dataset', 'dataset', DATASETS)}
        {choice('Format', 'format', ['parquet', 'ndjson', 'csv'])}
        {choice('What', 'kind', ['full', 'delta'])}
        {choice('When', 'schedule', ['once', 'hourly', 'daily', 'weekly'])}
      </div>
      <fieldset>
        <legend>Where to</legend>
        <div className="row">
          {(['folder', 's3'] as const).map((value) => (
            <label key={value} className="check">
              <input type="radio" name="type" checked={type === value} onChange={() => setType(value)} />
              {value === 'folder' ? 'Files to fetch here' : 'A bucket (S3)'}
            </label>
          ))}
        </div>
      </fieldset>
      {type === 's3' && (
        <div className="pair">
          {line('Bucket', 'bucket', true)}
          {line('Prefix', 'prefix')}
          {line('Region', 'region')}
          {line('Endpoint (not AWS)', 'endpoint')}
          {line('Access key id', 'access_key_id', true)}
          {line('Secret access key', 'secret_access_key', true, 'password')}
        </div>
      )}
    </FormDialog>
  );
}

function RunsDialog({ item, onClose }: { item: Export; onClose: () => void }) {
  const call = useCall();
  const list = useList<Run>(`exports/${item.id}/runs?limit=20`);
  const act = useAct(async () => {
    await call(`exports/${item.id}/runs`, { method: 'POST' });
    list.reload();
  });
  return (
    <Dialog title={item.name} onClose={onClose} wide>
      <div className="stack">
        <div className="row">
          <Button small look="primary" isRunning={act.isRunning} onClick={() => void act.run()}>
            Run now
          </Button>
          <Button small icon="refresh" onClick={list.reload}>
            Refresh
          </Button>
        </div>
        <ProblemNotice problem={list.problem ?? act.problem} />
        {list.data && (
          <Table
            caption="Runs"
            rows={list.data}
            keyOf={({ id }) => id}
            more={list}
            columns={[
              { head: 'State', cell: (row) => <Badge tone={TONES[row.state]}>{words(row.state)}</Badge> },
              { head: 'Rows', align: 'right', cell: (row) => whole(row.row_count) },
              { head: 'Files', align: 'right', cell: (row) => `${row.file_count}, ${compact(row.byte_count)}B` },
              { head: 'Begun', cell: (row) => ago(row.created_at) },
              { head: 'Manifest', wide: true, cell: (row) => row.error ?? row.manifest ?? '' },
            ]}
          />
        )}
      </div>
    </Dialog>
  );
}
