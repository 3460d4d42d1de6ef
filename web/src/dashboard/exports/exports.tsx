// Exports: full datasets or changes, as downloads or delivered to a bucket.
import { useState } from 'react';
import { useCall } from '../../caller.tsx';
import { instant, UNKNOWN, words } from '../../format.ts';
import { Link, navigate } from '../../router.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Badge, Button, Card, Empty, Field, Notice, PageHead, ProblemNotice, Skeleton } from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useList } from '../../use-api.ts';
import { destinationOf, FORMATS, type Export } from './export.tsx';

const DATASETS = [
  'properties',
  'transactions',
  'valuations',
  'risk',
  'changes',
] as const satisfies readonly Export['dataset'][];

export function ExportsSection() {
  const list = useList<Export>('exports?limit=50');
  const [isCreating, setCreating] = useState(false);
  const isUnavailable = list.problem?.code === 'plan_feature_unavailable';
  return (
    <>
      <PageHead
        title="Exports"
        lead="Export a dataset as Parquet, NDJSON, or CSV, once or on a schedule. Download it here or deliver it to your bucket."
        actions={
          !isUnavailable && (
            <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
              New export
            </Button>
          )
        }
      />
      {isUnavailable ? (
        <Notice title="Available on the Enterprise plan">
          <p>Enterprise includes dataset exports and the change feed. Searches can be downloaded as CSV on any plan.</p>
          <Link className="button small" href="/pricing">
            Compare plans
          </Link>
        </Notice>
      ) : (
        <>
          <ProblemNotice problem={list.problem} onRetry={list.reload} />
          <Card flush>
            {!list.data && list.isLoading && <Skeleton />}
            {list.data?.length === 0 && (
              <Empty
                icon="export"
                title="No exports yet"
                action={
                  <Button icon="plus" onClick={() => setCreating(true)}>
                    New export
                  </Button>
                }
              >
                Choose a dataset and a destination. Each run includes a manifest with row counts and checksums.
              </Empty>
            )}
            {list.data && list.data.length > 0 && (
              <Table
                caption="Exports"
                rows={list.data}
                keyOf={({ id }) => id}
                more={list}
                columns={[
                  {
                    head: 'Name',
                    wide: true,
                    cell: (row) => (
                      <Link href={`/dashboard/exports/${row.id}`}>
                        <strong>{row.name}</strong>
                      </Link>
                    ),
                  },
                  {
                    head: 'Dataset',
                    cell: (row) => `${words(row.dataset)}${row.kind === 'delta' ? ' (changes)' : ''}`,
                  },
                  { head: 'Format', cell: (row) => FORMATS[row.format] },
                  { head: 'Destination', cell: destinationOf },
                  {
                    head: 'Schedule',
                    cell: (row) => (row.is_paused ? <Badge tone="warn">Paused</Badge> : words(row.schedule)),
                  },
                  { head: 'Next run', cell: (row) => (row.next_run_at ? instant(row.next_run_at) : UNKNOWN) },
                ]}
              />
            )}
          </Card>
        </>
      )}
      {isCreating && (
        <CreateDialog onClose={() => setCreating(false)} onDone={(id) => navigate(`/dashboard/exports/${id}`)} />
      )}
    </>
  );
}

function CreateDialog({ onDone, onClose }: { onDone: (id: string) => void; onClose: () => void }) {
  const call = useCall();
  const say = useToast();
  const [type, setType] = useState<'folder' | 's3'>('folder');
  const act = useAct(async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const bucket = ['bucket', 'prefix', 'region', 'endpoint', 'access_key_id', 'secret_access_key']
      .filter((name) => text(name) !== '')
      .map((name) => [name, text(name)]);
    const made = await call<{ id: string }>('exports', {
      body: {
        name: text('name'),
        dataset: text('dataset'),
        format: text('format'),
        kind: text('kind'),
        schedule: text('schedule'),
        destination: { type, ...(type === 's3' && Object.fromEntries(bucket)) },
      },
    });
    say('First run started');
    onDone(made.id);
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
      submit="Create export"
      isRunning={act.isRunning}
      problem={act.problem}
      onSubmit={(form) => void act.run(form)}
      onClose={onClose}
    >
      {line('Name', 'name', true)}
      <div className="pair">
        {choice('Dataset', 'dataset', DATASETS)}
        {choice('Format', 'format', ['parquet', 'ndjson', 'csv'])}
        {choice('Contents', 'kind', ['full', 'delta'])}
        {choice('Schedule', 'schedule', ['once', 'hourly', 'daily', 'weekly'])}
      </div>
      <fieldset>
        <legend>Destination</legend>
        <div className="row">
          {(['folder', 's3'] as const).map((value) => (
            <label key={value} className="check">
              <input type="radio" name="type" checked={type === value} onChange={() => setType(value)} />
              {value === 'folder' ? 'Download from Platbook' : 'S3 bucket'}
            </label>
          ))}
        </div>
      </fieldset>
      {type === 's3' && (
        <div className="pair">
          {line('Bucket', 'bucket', true)}
          {line('Prefix', 'prefix')}
          {line('Region', 'region')}
          {line('Endpoint (if not AWS)', 'endpoint')}
          {line('Access key ID', 'access_key_id', true)}
          {line('Secret access key', 'secret_access_key', true, 'password')}
        </div>
      )}
    </FormDialog>
  );
}
