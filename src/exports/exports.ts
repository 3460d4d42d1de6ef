// Exports: defined once, run on demand or on a schedule, written in parts and delivered with a final manifest.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getAccount, listAccounts, recordAct, type AccountRow, type Actor, type KeyRow } from '../accounts/accounts.ts';
import type { KeyMode } from '../accounts/key-format.ts';
import { keepingOf, termsOf } from '../accounts/plans.ts';
import { cursorOf } from '../changes/changes.ts';
import { findPosition, FIRST_EPOCH, readPresent, type Position } from '../changes/positions.ts';
import { inTransaction, type Client } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { announceWork, recordEvent } from '../events/events.ts';
import { findUrlProblem } from '../lib/dial.ts';
import { fail } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import type { FilterInput } from '../properties/filter.ts';
import { filterOf } from '../properties/request.ts';
import { COLUMNS, type Dataset } from './columns.ts';
import { openDestination, type Credentials, type Destination, type Target } from './destinations.ts';
import { folderOfRun, makeRoom, refuseTooManyExports, removeFiles, takeRun, takeRunOrFail } from './keeping.ts';
import { loadStatements } from './load-statements.ts';
import { writeParts, type FileFormat, type Part } from './parts.ts';
import { readRows } from './rows.ts';
import * as sql from './sql.ts';

export type { ExportDefinition, RunRow, Schedule } from './sql.ts';
export { findRun, listExports, listRuns } from './sql.ts';

const HOUR_MS = 3_600_000;
const EVERY_MS: Record<Exclude<sql.Schedule, 'once'>, number> = {
  hourly: HOUR_MS,
  daily: 24 * HOUR_MS,
  weekly: 7 * 24 * HOUR_MS,
};
const LEASE_MS = 30_000;
const MAX_ATTEMPTS = 3;
// A run whose worker dies each time may be the cause.
const MAX_CLAIMS = 10;
const RETRY_AFTER_MS = 60_000;

/** Trying again would end the same way. */
class FinalError extends Error {}

export interface ExportOptions {
  name?: string;
  dataset: Dataset;
  format?: FileFormat;
  kind?: 'full' | 'delta';
  filter?: Record<string, unknown>;
  destination: Destination & Partial<Credentials>;
  schedule?: sql.Schedule;
}

/** Part of the enterprise plan; in the sandbox everyone may try it. */
export function refuseWithoutDelivery(account: AccountRow, mode: KeyMode): void {
  if (mode === 'live' && !termsOf(account).delivery)
    fail('plan_feature_unavailable', 'Exports are part of the enterprise plan.');
}

export async function createExport(
  deps: Deps,
  caller: { account: AccountRow; key: KeyRow },
  options: ExportOptions,
  by: Actor,
): Promise<{ item: sql.ExportDefinition; run: sql.RunRow }> {
  const { account, key } = caller;
  const { access_key_id, secret_access_key, session_token, ...destination } = options.destination;
  checkDestination(deps, destination, access_key_id !== undefined && secret_access_key !== undefined);
  if (options.filter) filterOf(caller, options.filter as FilterInput);
  const now = deps.clock();
  const schedule = options.schedule ?? 'once';
  const credentials = destination.type === 's3' ? { access_key_id, secret_access_key, session_token } : undefined;
  const item: sql.ExportDefinition = {
    id: randomId('exp'),
    account_id: account.id,
    mode: key.mode,
    name: options.name ?? options.dataset,
    dataset: options.dataset,
    format: options.format ?? 'parquet',
    kind: options.kind ?? 'full',
    filter: options.filter ?? null,
    destination,
    credentials: credentials ? deps.secrets.encrypt('stored-secrets', JSON.stringify(credentials)) : null,
    schedule,
    is_paused: false,
    may_read_owners: key.scopes.includes('owners:read'),
    next_run_at: schedule === 'once' ? null : new Date(now.getTime() + EVERY_MS[schedule]),
    created_at: now,
    updated_at: now,
  };
  const run = await inTransaction(deps.control, async (client) => {
    await takeRunOrFail(client, account, key.mode, now);
    await refuseTooManyExports(client, account, key.mode);
    await sql.insertExport(client, item);
    const details = { mode: item.mode, dataset: item.dataset, destination: destination.type, schedule };
    await recordAct(deps, client, by, { accountId: account.id, action: 'export.created', target: item.id, details });
    return queueRun(client, item, now);
  });
  return { item, run: run! };
}

function checkDestination(deps: Deps, destination: Destination, hasKeys: boolean): void {
  if (destination.type === 'folder') return;
  if (!hasKeys) fail('invalid_request', '`destination` needs `access_key_id` and `secret_access_key`.');
  const problem =
    destination.endpoint === undefined
      ? undefined
      : findUrlProblem(destination.endpoint, deps.config.webhookAllowPrivate);
  if (problem) fail('invalid_request', `destination.endpoint ${problem}.`);
}

async function queueRun(client: Client, item: sql.ExportDefinition, now: Date): Promise<sql.RunRow | undefined> {
  const run = await sql.insertRun(client, {
    id: randomId('run'),
    export_id: item.id,
    account_id: item.account_id,
    mode: item.mode,
    kind: item.kind,
    created_at: now,
  });
  await announceWork(client, 'exports');
  return run;
}

export async function getExport(
  deps: Pick<Deps, 'control'>,
  accountId: string,
  mode: KeyMode,
  id: string,
): Promise<sql.ExportDefinition> {
  return (
    (await sql.findExport(deps.control, accountId, mode, id)) ??
    fail('resource_not_found', `No export has the id ${id}.`)
  );
}

export async function startRun(
  deps: Deps,
  account: AccountRow,
  item: sql.ExportDefinition,
  by: Actor,
): Promise<sql.RunRow> {
  const now = deps.clock();
  return inTransaction(deps.control, async (client) => {
    await takeRunOrFail(client, account, item.mode, now);
    const run = await queueRun(client, item, now);
    if (!run) fail('invalid_state', 'A run of this export is still in progress.');
    const act = { accountId: account.id, action: 'export.run_started', target: item.id, details: { run: run.id } };
    await recordAct(deps, client, by, act);
    return run;
  });
}

/** With the files we keep of it; what went to a bucket stays there. */
export async function deleteExport(deps: Deps, item: sql.ExportDefinition, by: Actor): Promise<void> {
  const runs = await sql.listRunsOfExport(deps.control, item.id);
  await inTransaction(deps.control, async (client) => {
    await sql.deleteExport(client, item.id);
    await recordAct(deps, client, by, { accountId: item.account_id, action: 'export.deleted', target: item.id });
  });
  for (const run of runs) await removeFiles(deps, run);
}

export async function changeExport(
  deps: Deps,
  item: sql.ExportDefinition,
  changes: { name?: string; schedule?: sql.Schedule; is_paused?: boolean },
  by: Actor,
): Promise<sql.ExportDefinition> {
  const now = deps.clock();
  const changed = { ...item, ...changes, updated_at: now };
  if (changes.schedule)
    changed.next_run_at = changes.schedule === 'once' ? null : new Date(now.getTime() + EVERY_MS[changes.schedule]);
  await inTransaction(deps.control, async (client) => {
    await sql.updateExport(client, changed);
    const details = { members: Object.keys(changes) };
    await recordAct(deps, client, by, {
      accountId: item.account_id,
      action: 'export.changed',
      target: item.id,
      details,
    });
  });
  return changed;
}

/** Runs that are due by their schedule; missed ticks are made up for once. */
export async function startScheduledRuns(deps: Deps): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const now = deps.clock();
    const due = await sql.takeDueExports(client, now);
    const accounts = new Map(
      (await listAccounts(client, [...new Set(due.map((item) => item.account_id))])).map((a) => [a.id, a]),
    );
    for (const item of due) {
      const account = accounts.get(item.account_id)!;
      const everyMs = EVERY_MS[item.schedule as keyof typeof EVERY_MS];
      const missed = Math.floor((now.getTime() - item.next_run_at!.getTime()) / everyMs) + 1;
      if (mayRun(account, item.mode) && (await takeRun(client, account, item.mode, now)))
        await queueRun(client, item, now);
      const next_run_at = new Date(item.next_run_at!.getTime() + missed * everyMs);
      await sql.updateExport(client, { ...item, next_run_at });
    }
  });
}

/** A tick of an account that is suspended, or no longer has the plan for it, passes. */
function mayRun(account: AccountRow, mode: KeyMode): boolean {
  return account.status === 'active' && (mode === 'test' || termsOf(account).delivery);
}

/** One run from claim to delivery; false when there is none to do. */
export async function workOnExports(deps: Deps): Promise<boolean> {
  const now = deps.clock();
  const run = await sql.claimRun(deps.control, now, leaseFrom(now));
  if (!run) return false;
  const item = await sql.findExportOfRun(deps.control, run);
  if (!item) return true;
  const heartbeat = setInterval(() => {
    void sql.renewLease(deps.control, run, leaseFrom(deps.clock())).catch(() => {});
  }, LEASE_MS / 3);
  try {
    if (run.attempts > MAX_CLAIMS) throw new Error(`the worker died ${MAX_CLAIMS} times`);
    const facts = { 'platbook.dataset': item.dataset, 'platbook.attempt': run.attempts };
    await deps.telemetry.span('export run', { facts }, () => deliver(deps, item, run));
  } catch (error) {
    await failRun(deps, item, run, error as Error);
  } finally {
    clearInterval(heartbeat);
  }
  return true;
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

async function deliver(deps: Deps, item: sql.ExportDefinition, run: sql.RunRow): Promise<void> {
  // Taken before the first row is read: a reader that continues from here misses nothing, and may see a change twice.
  const to = await readPresent(deps.data);
  const from = item.kind === 'delta' ? await findStart(deps, item) : undefined;
  const credentials = item.credentials
    ? (JSON.parse(deps.secrets.decrypt('stored-secrets', item.credentials)) as Credentials)
    : undefined;
  const account = await getAccount(deps, item.account_id);
  const target = openDestination(deps, item.account_id, item.destination, credentials);
  const work = workFolder(deps, run, run.attempts);
  // Left behind by attempts whose worker was killed.
  for (let attempt = 1; attempt <= run.attempts; attempt++)
    await rm(workFolder(deps, run, attempt), { recursive: true, force: true });
  await mkdir(work, { recursive: true, mode: 0o700 });
  try {
    const folder = folderOfRun({ ...run, dataset: item.dataset });
    const parts: Omit<Part, 'path'>[] = [];
    const most = item.destination.type === 'folder' ? keepingOf(account, item.mode).exportBytes : Infinity;
    let bytes = 0;
    const query = { ...item, mayReadOwners: item.may_read_owners, from, to };
    for await (const { path, ...part } of writeParts(readRows(deps, query), { ...item, folder: work })) {
      bytes += part.bytes;
      if (bytes > most) throw new FinalError(`the files are larger than ${most} bytes; narrow the filter`);
      await target.put(`${folder}${part.name}`, path);
      await rm(path);
      parts.push(part);
      if (!(await sql.renewLease(deps.control, run, leaseFrom(deps.clock())))) return;
    }
    const delivery: Delivery = { item, run, parts, from, to };
    await putDescriptions(deps, target, work, delivery);
    await finish(deps, delivery);
    if (item.destination.type === 'folder') await makeRoom(deps, account, item.mode);
  } finally {
    target.close();
    await rm(work, { recursive: true, force: true });
  }
}

/** Where the last run ended; undefined if the data was since restored to a moment before it, so that all of it goes out again. */
async function findStart(deps: Deps, item: sql.ExportDefinition): Promise<Position | undefined> {
  const last = await sql.findLastDelivered(deps.control, item.id);
  if (!last?.to_xid) return undefined;
  const { to_epoch, to_xid, to_seq } = last;
  const found = await findPosition(deps.data, { epoch: to_epoch ?? FIRST_EPOCH, xid: to_xid, seq: Number(to_seq) });
  return 'lost' in found ? undefined : found.position;
}

function workFolder(deps: Deps, run: sql.RunRow, attempt: number): string {
  return join(deps.config.exportFolder, `.work-${run.id}-${attempt}`);
}

/** What a run delivered, and which stretch of the change feed it covers. */
interface Delivery {
  item: sql.ExportDefinition;
  run: sql.RunRow;
  parts: Omit<Part, 'path'>[];
  from: Position | undefined;
  to: Position;
}

/** Load statements, then the manifest, then the marker: whoever sees the manifest can read everything it names. */
async function putDescriptions(
  deps: Deps,
  target: Target,
  work: string,
  { item, run, parts, from, to }: Delivery,
): Promise<void> {
  const folder = folderOfRun({ ...run, dataset: item.dataset });
  const kind = from ? ('delta' as const) : ('full' as const);
  const put = async (name: string, text: string) => {
    const path = join(work, 'text');
    await writeFile(path, text);
    await target.put(folder + name, path);
  };
  const location = target.locate(folder);
  const statements = loadStatements({ dataset: item.dataset, format: item.format, kind, location });
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
    row_count: parts.reduce((sum, part) => sum + part.rows, 0),
    byte_count: parts.reduce((sum, part) => sum + part.bytes, 0),
    schema: COLUMNS[item.dataset].map(([name, type]) => ({ name, type })),
    files: parts.map(({ name, rows, bytes, sha256 }) => ({ name, rows, bytes, sha256 })),
    cursor: {
      from: from ? cursorOf(deps, item.mode, from) : null,
      to: cursorOf(deps, item.mode, to),
    },
  };
  await put('_manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
  await put('_SUCCESS', '');
}

async function finish(deps: Deps, { item, run, parts, from, to }: Delivery): Promise<void> {
  const now = deps.clock();
  const finished: sql.RunRow = {
    ...run,
    state: 'delivered',
    kind: from ? 'delta' : 'full',
    row_count: parts.reduce((sum, part) => sum + part.rows, 0),
    byte_count: parts.reduce((sum, part) => sum + part.bytes, 0),
    file_count: parts.length,
    manifest_key: `${folderOfRun({ ...run, dataset: item.dataset })}_manifest.json`,
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
    await recordEvent(client, {
      accountId: item.account_id,
      mode: item.mode,
      type: 'export.delivered',
      data: {
        export_id: item.id,
        run_id: run.id,
        dataset: item.dataset,
        row_count: finished.row_count,
        manifest: finished.manifest_key,
      },
      sourceKey: `run:${run.id}`,
      occurredAt: now,
    });
  });
}

async function failRun(deps: Deps, item: sql.ExportDefinition, run: sql.RunRow, error: Error): Promise<void> {
  const reason = `${error.name}: ${error.message}`.slice(0, 500);
  deps.log.warn({ err: error, run: run.id, attempt: run.attempts }, 'export run failed');
  const now = deps.clock();
  if (run.attempts < MAX_ATTEMPTS && !(error instanceof FinalError)) {
    await sql.retryRun(deps.control, run, reason, new Date(now.getTime() + RETRY_AFTER_MS * run.attempts));
    return;
  }
  if (item.destination.type === 'folder') await removeFiles(deps, { ...run, dataset: item.dataset });
  await inTransaction(deps.control, async (client) => {
    if (!(await sql.finishRun(client, { ...run, state: 'failed', error: reason, finished_at: now }))) return;
    await recordEvent(client, {
      accountId: run.account_id,
      mode: run.mode,
      type: 'export.failed',
      data: { export_id: run.export_id, run_id: run.id, reason },
      sourceKey: `run:${run.id}`,
      occurredAt: now,
    });
  });
}

export function presentExport({ destination, ...item }: sql.ExportDefinition) {
  return {
    object: 'export' as const,
    id: item.id,
    mode: item.mode,
    name: item.name,
    dataset: item.dataset,
    format: item.format,
    kind: item.kind,
    filter: item.filter,
    destination,
    schedule: item.schedule,
    is_paused: item.is_paused,
    next_run_at: item.next_run_at?.toISOString() ?? null,
    created_at: item.created_at.toISOString(),
    updated_at: item.updated_at.toISOString(),
  };
}

export function presentRun(run: sql.RunRow) {
  return {
    object: 'export_run' as const,
    id: run.id,
    export_id: run.export_id,
    status: run.state,
    state: run.state,
    kind: run.kind,
    attempt_count: run.attempts,
    row_count: run.row_count,
    byte_count: run.byte_count,
    file_count: run.file_count,
    manifest: run.manifest_key,
    error: run.error,
    created_at: run.created_at.toISOString(),
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
  };
}
