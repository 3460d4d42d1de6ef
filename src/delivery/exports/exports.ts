// Exports: defined once, run on demand or on a schedule.
import type { Static } from 'typebox';
import { submitJob } from '../../base/jobs/jobs.ts';
import { HOUR_MS } from '../../base/lib/clock.ts';
import { listAccounts, recordAct, type Actor, type Caller } from '../../customers/accounts/accounts.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { termsOf } from '../../customers/accounts/plans.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { findUrlProblem } from '../../base/lib/dial.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { pick } from '../../base/lib/pick.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { ownerOf } from '../../customers/accounts/own-sql.ts';
import { type AccountRow } from '../../customers/accounts/sql.ts';
import { filterOf } from '../../records/properties/request.ts';
import type { Dataset } from './columns.ts';
import type { Credentials, Destination } from './destinations.ts';
import { refuseTooManyExports, removeFiles, takeRun, takeRunOrFail } from './retention.ts';
import { Export, ExportRun, type NewExport } from './schema.ts';
import * as sql from './sql.ts';
import { entryOf, must } from '../../base/lib/must.ts';

const EVERY_MS: Record<Exclude<sql.Schedule, 'once'>, number> = {
  hourly: HOUR_MS,
  daily: 24 * HOUR_MS,
  weekly: 7 * 24 * HOUR_MS,
};

/** Exports are part of the enterprise plan; in the sandbox everyone may try them. */
export function refuseWithoutDelivery(account: AccountRow, mode: KeyMode): void {
  if (mode === 'live' && !termsOf(account).delivery)
    fail('plan_feature_unavailable', 'Exports are part of the enterprise plan.');
}

/** Datasets with names of owners, buyers and sellers. */
const NAMING: ReadonlySet<Dataset> = new Set(['properties', 'transactions', 'valuations']);

/** A caller with fewer scopes may not read files made for one with more. */
export function refuseNames(caller: Pick<Caller, 'key'>, item: sql.ExportDefinition): void {
  if (item.may_read_owners && !caller.key.scopes.includes('owners:read'))
    fail('insufficient_scope', 'The files of this export name people, which requires the scope `owners:read`.', {
      required_scope: 'owners:read',
    });
  if (item.filter) filterOf(caller, item.filter);
}

export async function createExport(
  deps: Deps,
  caller: Caller,
  options: Static<typeof NewExport>,
  by: Actor,
): Promise<{ item: sql.ExportDefinition; run: sql.RunRow }> {
  const { account, key } = caller;
  const { access_key_id, secret_access_key, session_token, ...destination } = options.destination as Destination &
    Partial<Credentials>;
  checkDestination(deps, destination, access_key_id !== undefined && secret_access_key !== undefined);
  if (options.filter) filterOf(caller, options.filter);
  const now = deps.clock();
  const schedule = options.schedule ?? 'once';
  const credentials = destination.type === 's3' ? { access_key_id, secret_access_key, session_token } : undefined;
  const item: sql.ExportDefinition = {
    id: randomId('exp'),
    ...ownerOf(caller),
    name: options.name ?? options.dataset,
    dataset: options.dataset,
    format: options.format ?? 'parquet',
    kind: options.kind ?? 'full',
    filter: options.filter ?? null,
    destination,
    credentials: credentials ? deps.secrets.encrypt('stored-secrets', JSON.stringify(credentials)) : null,
    schedule,
    is_paused: false,
    may_read_owners: NAMING.has(options.dataset) && key.scopes.includes('owners:read'),
    key_id: key.id,
    next_run_at: schedule === 'once' ? null : new Date(now.getTime() + EVERY_MS[schedule]),
    created_at: now,
    updated_at: now,
  };
  const run = await inTransaction(deps.control, async (client) => {
    await takeRunOrFail(client, account, key.mode, now);
    await refuseTooManyExports(client, account, key.mode);
    await sql.insertExport(client, item);
    const details = { mode: item.mode, dataset: item.dataset, destination: destination.type, schedule };
    await recordAct(deps, client, by, 'export.created', item, details);
    return queueRun(deps, client, item);
  });
  return { item, run: run! };
}

function checkDestination(deps: Deps, destination: Destination, hasKeys: boolean): void {
  if (destination.type === 'folder') return;
  if (!hasKeys) fail('invalid_request', '`destination` needs `access_key_id` and `secret_access_key`.');
  const { endpoint } = destination;
  const problem = endpoint === undefined ? undefined : findUrlProblem(endpoint, deps.config.webhookAllowPrivate);
  if (problem) fail('invalid_request', `destination.endpoint ${problem}.`);
}

async function queueRun(deps: Deps, client: Client, item: sql.ExportDefinition): Promise<sql.RunRow | undefined> {
  const run = await sql.insertRun(client, {
    ...pick(item, ['account_id', 'mode', 'kind']),
    id: randomId('run'),
    export_id: item.id,
    created_at: deps.clock(),
  });
  if (run) await submitJob(deps, client, { name: 'export', subject: run.id, payload: {} });
  return run;
}

export async function startRun(deps: Deps, account: AccountRow, item: sql.ExportDefinition, by: Actor) {
  const now = deps.clock();
  return inTransaction(deps.control, async (client) => {
    await takeRunOrFail(client, account, item.mode, now);
    const run = await queueRun(deps, client, item);
    if (!run) fail('invalid_state', 'A run of this export is still in progress.');
    await recordAct(deps, client, by, 'export.run_started', item, { run: run.id });
    return run;
  });
}

/** Also deletes the files stored on our side; files in a bucket stay. */
export async function deleteExport(deps: Deps, item: sql.ExportDefinition, by: Actor): Promise<void> {
  const runs = await sql.listRunsOfExport(deps.control, item.id);
  await inTransaction(deps.control, async (client) => {
    await sql.deleteExport(client, item.id);
    await recordAct(deps, client, by, 'export.deleted', item);
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
    await recordAct(deps, client, by, 'export.changed', item, { members: Object.keys(changes) });
  });
  return changed;
}

/** Queues runs that are due by their schedule; missed times are caught up by one run. */
export async function startScheduledRuns(deps: Deps): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const now = deps.clock();
    const due = await sql.takeDueExports(client, now);
    const accounts = new Map(
      (await listAccounts(client, [...new Set(due.map((item) => item.account_id))])).map((a) => [a.id, a]),
    );
    for (const item of due) {
      const account = entryOf(accounts, item.account_id);
      const everyMs = EVERY_MS[item.schedule as keyof typeof EVERY_MS];
      const missed = Math.floor((now.getTime() - must(item.next_run_at, 'next run').getTime()) / everyMs) + 1;
      if (mayRun(account, item.mode) && (await takeRun(client, account, item.mode, now)))
        await queueRun(deps, client, item);
      const next_run_at = new Date(must(item.next_run_at, 'next run').getTime() + missed * everyMs);
      await sql.updateExport(client, { ...item, next_run_at });
    }
  });
}

/** An account that is suspended, or whose plan no longer has exports, skips its runs. */
const mayRun = (account: AccountRow, mode: KeyMode): boolean =>
  account.status === 'active' && (mode === 'test' || termsOf(account).delivery);

export const presentExport = (item: sql.ExportDefinition) => ({
  object: 'export' as const,
  ...presentRow(Export, item),
});

export const presentRun = (run: sql.RunRow) => ({
  object: 'export_run' as const,
  ...presentRow(ExportRun, run),
  status: run.state,
  attempt_count: run.attempts,
  manifest: run.manifest_key,
});
