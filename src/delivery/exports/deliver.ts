// One run of an export: written in parts, with the manifest last.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAccount } from '../../customers/accounts/accounts.ts';
import { retentionOf } from '../../customers/accounts/plans.ts';
import { SCOPES_OF_ROLE } from '../../customers/people/team.ts';
import { cursorOf } from '../changes/changes.ts';
import { findPosition, readPresent, type Position } from '../changes/positions.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvent } from '../../base/events/events.ts';
import { FinalError, JobLost, type JobContext } from '../../base/jobs/jobs.ts';
import type { Job } from '../../base/jobs/sql.ts';
import { columnsOf, type Column } from './columns.ts';
import { openDestination, type Credentials, type Target } from './destinations.ts';
import { folderOfRun, makeRoom, removeFiles } from './retention.ts';
import { loadStatements } from './load-statements.ts';
import { writeParts, type Part } from './parts.ts';
import { readRows } from './rows.ts';
import * as sql from './sql.ts';

const OWNERS = 'owners:read';

/** Delivers the run that the job names. */
export async function runExport(deps: Deps, job: Job<'export'>, { signal }: JobContext): Promise<void> {
  const run = await sql.startRun(deps.control, job, deps.clock());
  const item = run && (await sql.findExportOfRun(deps.control, run));
  // Deleted in the meantime.
  if (!item) return;
  const facts = { 'platbook.dataset': item.dataset, 'platbook.attempt': run.attempts };
  try {
    await deps.telemetry.span('export run', { facts }, () => deliver(deps, { item, run, signal }));
  } catch (error) {
    await sql.requeueRun(deps.control, run, signal.aborted ? null : reasonOf(error as Error));
    throw error;
  }
}

const reasonOf = (error: Error): string => `${error.name}: ${error.message}`.slice(0, 500);

interface Attempt {
  item: sql.ExportDefinition;
  run: sql.RunRow;
  signal: AbortSignal;
}

async function deliver(deps: Deps, { item, run, signal }: Attempt): Promise<void> {
  // Taken before the first row is read, so a reader that continues from here misses nothing but may see duplicates.
  const to = await readPresent(deps.data);
  const from = item.kind === 'delta' ? await findStart(deps, item) : undefined;
  const credentials = item.credentials
    ? (JSON.parse(deps.secrets.decrypt('stored-secrets', item.credentials)) as Credentials)
    : undefined;
  const account = await getAccount(deps, item.account_id);
  const target = openDestination(deps, item.account_id, item.destination, credentials);
  const work = workFolder(deps, run, run.attempts);
  // Remove the files of attempts whose worker was killed.
  for (let attempt = 1; attempt <= run.attempts; attempt++)
    await rm(workFolder(deps, run, attempt), { recursive: true, force: true });
  await mkdir(work, { recursive: true, mode: 0o700 });
  try {
    const folder = folderOfRun({ ...run, dataset: item.dataset });
    const parts: Omit<Part, 'path'>[] = [];
    const most = item.destination.type === 'folder' ? retentionOf(account, item.mode).exportBytes : Infinity;
    let bytes = 0;
    const roles = Object.entries(SCOPES_OF_ROLE).flatMap(([role, scopes]) => (scopes.includes(OWNERS) ? [role] : []));
    const mayReadOwners =
      item.may_read_owners && (await sql.holdsScope(deps.control, item, OWNERS, { roles, now: deps.clock() }));
    const query = { ...item, mayReadOwners, from, to };
    const columns = columnsOf(item.dataset, (await deps.catalog.read()).layers);
    for await (const { path, ...part } of writeParts(readRows(deps, query), { ...item, columns, folder: work })) {
      bytes += part.bytes;
      if (bytes > most) throw new FinalError(`the files are larger than ${most} bytes; narrow the filter`);
      await target.put(`${folder}${part.name}`, path);
      await rm(path);
      parts.push(part);
      if (signal.aborted) throw new JobLost('The worker stopped.');
    }
    const row_count = parts.reduce((sum, part) => sum + part.rows, 0);
    const delivery: Delivery = {
      item,
      run,
      folder,
      parts,
      columns,
      counts: { row_count, byte_count: bytes },
      from,
      to,
    };
    await putDescriptions(deps, target, work, delivery);
    await finish(deps, delivery);
    if (item.destination.type === 'folder') await makeRoom(deps, account, item.mode);
  } finally {
    target.close();
    await rm(work, { recursive: true, force: true });
  }
}

/** The feed position where the last run ended. Undefined if the data has since been restored to an earlier time, so
    that everything is exported again. */
async function findStart(deps: Deps, item: sql.ExportDefinition): Promise<Position | undefined> {
  const last = await sql.findLastDelivered(deps.control, item.id);
  if (!last?.to_epoch || !last.to_xid) return undefined;
  const { to_epoch, to_xid, to_seq } = last;
  const found = await findPosition(deps.data, { epoch: to_epoch, xid: to_xid, seq: Number(to_seq) });
  return 'lost' in found ? undefined : found.position;
}

const workFolder = (deps: Deps, run: sql.RunRow, attempt: number): string =>
  join(deps.config.exportFolder, `.work-${run.id}-${attempt}`);

/** The files of a run, and the part of the change feed that they cover. */
interface Delivery extends Omit<Attempt, 'signal'> {
  folder: string;
  counts: Pick<sql.RunRow, 'row_count' | 'byte_count'>;
  parts: Omit<Part, 'path'>[];
  columns: readonly Column[];
  from: Position | undefined;
  to: Position;
}

/** Load statements, then the manifest, then the marker: once the manifest is visible, all its files can be read. */
async function putDescriptions(
  deps: Deps,
  target: Target,
  work: string,
  { item, run, folder, parts, columns, counts, from, to }: Delivery,
): Promise<void> {
  const kind = from ? ('delta' as const) : ('full' as const);
  const put = async (name: string, text: string) => {
    const path = join(work, 'text');
    await writeFile(path, text);
    await target.put(folder + name, path);
  };
  const location = target.locate(folder);
  const statements = loadStatements({ dataset: item.dataset, columns, format: item.format, kind, location });
  for (const [name, text] of Object.entries(statements)) await put(name, text);
  const manifest = {
    object: 'export_manifest',
    version: 1,
    export_id: item.id,
    run_id: run.id,
    dataset: item.dataset,
    kind,
    format: item.format,
    filter: item.filter,
    created_at: run.created_at.toISOString(),
    ...counts,
    schema: columns.map(([name, type]) => ({ name, type })),
    files: parts,
    cursor: { from: from ? cursorOf(deps, item.mode, from) : null, to: cursorOf(deps, item.mode, to) },
  };
  await put('_manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
  await put('_SUCCESS', '');
}

async function finish(deps: Deps, { item, run, folder, parts, counts, from, to }: Delivery): Promise<void> {
  const now = deps.clock();
  const finished: sql.RunRow = {
    ...run,
    state: 'delivered',
    kind: from ? 'delta' : 'full',
    ...counts,
    file_count: parts.length,
    manifest_key: `${folder}_manifest.json`,
    from_xid: from?.xid ?? null,
    from_seq: from?.seq ?? null,
    to_epoch: to.epoch,
    to_xid: to.xid,
    to_seq: to.seq,
    error: null,
    finished_at: now,
  };
  await inTransaction(deps.control, async (client) => {
    if (!(await sql.finishRun(client, finished))) return;
    const { row_count, manifest_key: manifest } = finished;
    const data = { export_id: item.id, run_id: run.id, dataset: item.dataset, row_count, manifest };
    await recordEvent(client, { ...endOf(run, now), type: 'export.delivered', data });
  });
}

const endOf = ({ id, account_id: accountId, mode }: sql.RunRow, occurredAt: Date) => ({
  accountId,
  mode,
  sourceKey: `run:${id}`,
  occurredAt,
});

/** Ends a run whose job has failed for good. */
export async function failRun(deps: Deps, job: Job<'export'>, error: Error): Promise<void> {
  const run = await sql.startRun(deps.control, job, deps.clock());
  const item = run && (await sql.findExportOfRun(deps.control, run));
  if (!item) return;
  const reason = reasonOf(error);
  if (item.destination.type === 'folder') await removeFiles(deps, { ...run, dataset: item.dataset });
  await inTransaction(deps.control, async (client) => {
    const now = deps.clock();
    if (!(await sql.finishRun(client, { ...run, state: 'failed', error: reason, finished_at: now }))) return;
    const data = { export_id: run.export_id, run_id: run.id, reason };
    await recordEvent(client, { ...endOf(run, now), type: 'export.failed', data });
  });
}
