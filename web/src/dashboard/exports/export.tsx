// One export: its settings, its runs, and the files available for download.
import { useEffect, useState } from 'react';
import type { Static } from 'typebox';
import type { Export as ExportSchema, ExportRun as ExportRunSchema } from '../../../../src/delivery/exports/schema.ts';
import { send } from '../../api.ts';
import { useCall, useCaller } from '../../caller.tsx';
import { saveFile } from '../../save-file.ts';
import { ago, bytes, instant, whole, words } from '../../format.ts';
import { navigate } from '../../router.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import {
  Badge,
  Button,
  Card,
  Empty,
  PageHead,
  ProblemNotice,
  Skeleton,
  Stat,
  SureButton,
  type Tone,
} from '../../ui/parts.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useAct, useApi, useList } from '../../use-api.ts';

export type Export = Static<typeof ExportSchema>;
type Run = Static<typeof ExportRunSchema>;

interface Manifest {
  files: { name: string; rows: number; bytes: number; sha256: string }[];
}

const TONES: Record<Run['status'], Tone> = { queued: 'neutral', running: 'info', delivered: 'good', failed: 'bad' };
const POLL_MS = 1_500;

export function destinationOf({ destination }: Export): string {
  return destination.type === 's3' ? `s3://${destination.bucket}` : 'Download';
}

export function ExportSection({ id }: { id: string }) {
  const call = useCall();
  const say = useToast();
  const item = useApi<Export>(`exports/${id}`);
  const runs = useList<Run>(`exports/${id}/runs?limit=20`);
  const [shown, setShown] = useState<Run>();
  const isGoing = runs.data?.some(({ status }) => status === 'queued' || status === 'running');
  const { reload } = runs;
  useEffect(() => {
    if (!isGoing || runs.isLoading) return undefined;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isGoing, runs.isLoading, reload]);
  const act = useAct(async (what: 'run' | 'pause' | 'delete') => {
    if (what === 'delete') {
      await call(`exports/${id}`, { method: 'DELETE' });
      say('Export deleted. Delivered files are kept.');
      navigate('/dashboard/exports');
      return;
    }
    if (what === 'run') await call(`exports/${id}/runs`, { method: 'POST' });
    else await call(`exports/${id}`, { method: 'PATCH', body: { is_paused: !item.data?.is_paused } });
    item.reload();
    reload();
  });
  if (item.problem) return <ProblemNotice problem={item.problem} onRetry={item.reload} />;
  if (!item.data) return <Skeleton lines={6} />;
  const { data } = item;
  return (
    <>
      <PageHead
        title={data.name === data.dataset ? `${words(data.dataset)} export` : data.name}
        lead={<code>{data.id}</code>}
        actions={
          <>
            <Button look="primary" isRunning={act.isRunning} onClick={() => void act.run('run')}>
              Run now
            </Button>
            {data.schedule !== 'once' && (
              <Button onClick={() => void act.run('pause')}>{data.is_paused ? 'Resume' : 'Pause'}</Button>
            )}
            <SureButton sure="Confirm delete" onSure={() => void act.run('delete')}>
              Delete
            </SureButton>
          </>
        }
      />
      <div className="sections">
        <ProblemNotice problem={act.problem} />
        <Card>
          <dl className="stats">
            <Stat label="Dataset" value={words(data.dataset)} note={data.kind === 'delta' ? 'Changes only' : 'Full'} />
            <Stat label="Format" value={FORMATS[data.format]} />
            <Stat label="Destination" value={destinationOf(data)} />
            <Stat
              label="Schedule"
              value={data.is_paused ? 'Paused' : words(data.schedule)}
              note={data.next_run_at && !data.is_paused ? `Next run ${instant(data.next_run_at)}` : undefined}
            />
          </dl>
        </Card>
        <Card flush title="Runs" lead="The manifest is written last, so once it appears, every file it lists is ready.">
          <ProblemNotice problem={runs.problem} onRetry={reload} />
          {runs.data?.length === 0 && (
            <Empty icon="export" title="No runs yet">
              Run it now, or wait for the next scheduled run.
            </Empty>
          )}
          {runs.data && runs.data.length > 0 && (
            <Table
              caption="Runs"
              rows={runs.data}
              keyOf={({ id: key }) => key}
              more={runs}
              columns={[
                { head: 'Status', cell: (row) => <Badge tone={TONES[row.status]}>{words(row.status)}</Badge> },
                { head: 'Rows', align: 'right', cell: (row) => whole(row.row_count) },
                { head: 'Size', align: 'right', cell: (row) => bytes(row.byte_count) },
                { head: 'Files', align: 'right', cell: (row) => whole(row.file_count) },
                { head: 'Started', cell: (row) => ago(row.created_at) },
                {
                  head: 'Manifest',
                  wide: true,
                  cell: (row) => row.error ?? (row.manifest && <code className="break">{row.manifest}</code>),
                },
                {
                  head: <span className="unseen">Actions</span>,
                  align: 'right',
                  cell: (row) =>
                    row.status === 'delivered' &&
                    data.destination.type === 'folder' && (
                      <Button small icon="export" onClick={() => setShown(row)}>
                        Files
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Card>
      </div>
      {shown && <FilesDialog run={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

export const FORMATS: Record<Export['format'], string> = { parquet: 'Parquet', ndjson: 'NDJSON', csv: 'CSV' };

function FilesDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const { credential } = useCaller();
  const folder = `exports/${run.export_id}/runs/${run.id}/files`;
  const manifest = useApi<Manifest>(`${folder}/_manifest.json`);
  const act = useAct(async (name: string) => {
    const response = await send(credential, `${folder}/${name}`);
    saveFile(await response.blob(), name);
  });
  return (
    <Dialog title="Run files" onClose={onClose} wide>
      <ProblemNotice problem={manifest.problem ?? act.problem} onRetry={manifest.reload} />
      {!manifest.data && manifest.isLoading && <Skeleton />}
      {manifest.data && (
        <Table
          caption="Files"
          rows={[...manifest.data.files, { name: '_manifest.json', rows: null, bytes: null, sha256: null }]}
          keyOf={({ name }) => name}
          columns={[
            { head: 'File', cell: ({ name }) => <code>{name}</code> },
            { head: 'Rows', align: 'right', cell: ({ rows }) => rows !== null && whole(rows) },
            { head: 'Size', align: 'right', cell: ({ bytes: size }) => size !== null && bytes(size) },
            { head: 'SHA-256', cell: ({ sha256 }) => sha256 && <code title={sha256}>{sha256.slice(0, 12)}…</code> },
            {
              head: <span className="unseen">Actions</span>,
              align: 'right',
              cell: ({ name }) => (
                <Button
                  small
                  isRunning={act.isRunning}
                  onClick={() => void act.run(name)}
                  aria-label={`Download ${name}`}
                >
                  Download
                </Button>
              ),
            },
          ]}
        />
      )}
    </Dialog>
  );
}
