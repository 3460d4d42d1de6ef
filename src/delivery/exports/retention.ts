// Limits and retention of exports: their number, runs per day, bytes kept, and for how long.
import { countOwn } from '../../customers/accounts/own-sql.ts';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { retentionCutoffs, retentionOf, SANDBOX_EXPORT_BYTES_IN_ALL } from '../../customers/accounts/plans.ts';
import type { Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS, isoDate } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { type AccountRow } from '../../customers/accounts/sql.ts';
import { folderOf } from './destinations.ts';
import * as sql from './sql.ts';

const RUNS_LISTED_DAYS = 90;

type RetentionDeps = Pick<Deps, 'control' | 'clock' | 'config'>;

/** The same for every attempt of a run, so that a retry overwrites its own files. */
export const folderOfRun = (run: { id: string; dataset: string; created_at: Date }): string =>
  `dataset=${run.dataset}/version=1/date=${isoDate(run.created_at)}/run=${run.id}/`;

/** Counts a run of today; false at the daily limit. The count stays locked until the transaction ends. */
export async function takeRun(client: Client, account: AccountRow, mode: KeyMode, now: Date): Promise<boolean> {
  const { exportRunsPerDay } = retentionOf(account, mode);
  return sql.takeRunOfDay(client, { accountId: account.id, mode, day: isoDate(now), most: exportRunsPerDay });
}

export async function takeRunOrFail(client: Client, account: AccountRow, mode: KeyMode, now: Date): Promise<void> {
  if (await takeRun(client, account, mode, now)) return;
  const { exportRunsPerDay: limit } = retentionOf(account, mode);
  const retryAfterSeconds = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);
  const detail = `${allowerIn(mode)} allows ${limit} export runs a day (UTC).`;
  fail('rate_limited', detail, { limit, retryAfterSeconds });
}

const allowerIn = (mode: KeyMode) => (mode === 'test' ? 'The sandbox' : 'The plan');

/** Call after `takeRunOrFail`, whose lock serializes two requests. */
export async function refuseTooManyExports(client: Client, account: AccountRow, mode: KeyMode): Promise<void> {
  const { exports: limit } = retentionOf(account, mode);
  if ((await countOwn(client, 'exports', { account_id: account.id, mode })) < limit) return;
  fail('plan_feature_unavailable', `${allowerIn(mode)} allows ${limit} exports. Delete one.`, { limit });
}

/** Deletes the oldest files of an account until the rest fits its limit, and likewise for the whole sandbox. */
export async function makeRoom(deps: RetentionDeps, account: AccountRow, mode: KeyMode): Promise<void> {
  const { exportBytes } = retentionOf(account, mode);
  await expireRuns(deps, await sql.listRunsBeyond(deps.control, { accountId: account.id, mode, bytes: exportBytes }));
  if (mode !== 'test') return;
  const beyond = { accountId: null, mode, bytes: SANDBOX_EXPORT_BYTES_IN_ALL };
  await expireRuns(deps, await sql.listRunsBeyond(deps.control, beyond));
}

/** Files first: a crash in between leaves a run to expire again, not orphaned files. */
async function expireRuns(deps: RetentionDeps, runs: sql.KeptRun[]): Promise<void> {
  for (const run of runs) {
    await removeFiles(deps, run);
    await sql.markExpired(deps.control, run.id, deps.clock());
  }
}

/** Deletes the files on this server that may name someone who asked not to be shown. The next run omits the name. */
export async function takeBackNames(deps: RetentionDeps): Promise<number> {
  const runs = await sql.listRunsThatName(deps.control);
  await expireRuns(deps, runs);
  return runs.length;
}

export async function removeFiles(deps: RetentionDeps, run: Omit<sql.KeptRun, 'byte_count'>): Promise<void> {
  await rm(join(folderOf(deps, run.account_id), folderOfRun(run)), { recursive: true, force: true });
}

/** Deletes expired runs, and files without a run: of deleted exports, failed runs and killed workers. */
export async function tidyExports(deps: RetentionDeps): Promise<void> {
  const now = deps.clock();
  await expireRuns(deps, await sql.listRunsPast(deps.control, retentionCutoffs('exportDays', now)));
  await sql.deleteRunsBefore(deps.control, new Date(now.getTime() - RUNS_LISTED_DAYS * DAY_MS));
  await sql.deleteRunDaysBefore(deps.control, isoDate(new Date(now.getTime() - 2 * DAY_MS)));
  const found = await listRunFolders(deps.config.exportFolder);
  const known = new Set(await sql.listKnownRuns(deps.control, [...found.keys()]));
  for (const [id, folders] of found) {
    if (known.has(id)) continue;
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

/** Every folder below `root` with the files of a run, by the run's id. */
async function listRunFolders(root: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const add = (id: string, folder: string) => found.set(id, [...(found.get(id) ?? []), folder]);
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      const work = depth === 0 ? /^\.work-(run_\w+)-\d+$/.exec(entry.name) : null;
      const run = depth === 4 ? /^run=(run_\w+)$/.exec(entry.name) : null;
      if (work) add(work[1], path);
      else if (run) add(run[1], path);
      else if (depth < 4 && (depth === 0 ? /^acct_\w+$/ : /^(dataset|version|date)=/).test(entry.name))
        await walk(path, depth + 1);
    }
  };
  await walk(root, 0);
  return found;
}
