// Every query on exports and their runs.
import { insertRow } from '../../base/db/rows.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { RetentionCutoffs } from '../../customers/accounts/plans.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import type { Dataset } from './columns.ts';
import type { Destination } from './destinations.ts';
import type { FileFormat } from './parts.ts';

export type Schedule = 'once' | 'hourly' | 'daily' | 'weekly';

export interface ExportDefinition {
  id: string;
  account_id: string;
  mode: KeyMode;
  name: string;
  dataset: Dataset;
  format: FileFormat;
  kind: 'full' | 'delta';
  filter: Record<string, unknown> | null;
  destination: Destination;
  credentials: Buffer | null;
  schedule: Schedule;
  is_paused: boolean;
  may_read_owners: boolean;
  next_run_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface RunRow {
  id: string;
  export_id: string;
  account_id: string;
  mode: KeyMode;
  state: 'queued' | 'running' | 'delivered' | 'failed';
  kind: 'full' | 'delta';
  attempts: number;
  row_count: number;
  byte_count: number;
  file_count: number;
  manifest_key: string | null;
  from_xid: string | null;
  from_seq: number | null;
  to_epoch: string | null;
  to_xid: string | null;
  to_seq: number | null;
  error: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  /** When our copy of its files was deleted. */
  expired_at: Date | null;
}

export async function insertExport(client: Client, item: ExportDefinition): Promise<void> {
  await insertRow(client, 'exports', item);
}

export async function findExport(
  db: Queryable,
  accountId: string,
  mode: KeyMode,
  id: string,
): Promise<ExportDefinition | undefined> {
  const { rows } = await db.query<ExportDefinition>(
    'select * from exports where id = $1 and account_id = $2 and mode = $3',
    [id, accountId, mode],
  );
  return rows[0];
}

interface ExportQuery {
  accountId: string;
  mode: KeyMode;
  /** Position of the last row already listed. */
  after?: [createdAt: string, id: string];
  limit: number;
}

/** Oldest first. */
export async function listExports(
  db: Queryable,
  { accountId, mode, after, limit }: ExportQuery,
): Promise<ExportDefinition[]> {
  const { rows } = await db.query<ExportDefinition>(
    `select * from exports
     where account_id = $1 and mode = $2 and ($3::timestamptz is null or (created_at, id) > ($3, $4))
     order by created_at, id limit $5`,
    [accountId, mode, after?.[0] ?? null, after?.[1] ?? '', limit],
  );
  return rows;
}

export async function updateExport(
  db: Queryable,
  item: Pick<ExportDefinition, 'id' | 'name' | 'schedule' | 'is_paused' | 'next_run_at' | 'updated_at'>,
): Promise<void> {
  await db.query(
    'update exports set name = $2, schedule = $3, is_paused = $4, next_run_at = $5, updated_at = $6 where id = $1',
    [item.id, item.name, item.schedule, item.is_paused, item.next_run_at, item.updated_at],
  );
}

export async function deleteExport(db: Queryable, id: string): Promise<void> {
  await db.query('delete from exports where id = $1', [id]);
}

/** Adds a run unless one is already queued or running. */
export async function insertRun(
  db: Queryable,
  run: Pick<RunRow, 'id' | 'export_id' | 'account_id' | 'mode' | 'kind' | 'created_at'>,
): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>(
    `insert into export_runs (id, export_id, account_id, mode, state, kind, created_at)
     select $1, $2, $3, $4, 'queued', $5, $6
     where not exists (select from export_runs where export_id = $2 and state in ('queued', 'running'))
     returning *`,
    [run.id, run.export_id, run.account_id, run.mode, run.kind, run.created_at],
  );
  return rows[0];
}

export async function findRun(db: Queryable, exportId: string, id: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>('select * from export_runs where id = $1 and export_id = $2', [id, exportId]);
  return rows[0];
}

/** Newest first. */
export async function listRuns(
  db: Queryable,
  exportId: string,
  before: [string, string] | undefined,
  limit: number,
): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow>(
    `select * from export_runs
     where export_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
     order by created_at desc, id desc limit $4`,
    [exportId, before?.[0] ?? null, before?.[1] ?? '', limit],
  );
  return rows;
}

/** The last run that reached its destination, where a delta begins. */
export async function findLastDelivered(db: Queryable, exportId: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>(
    `select * from export_runs where export_id = $1 and state = 'delivered' order by created_at desc, id desc limit 1`,
    [exportId],
  );
  return rows[0];
}

/** Undefined if the run has ended, was deleted, or belongs to a later claim of its job. The number of the claim is the
    number of the attempt that customers see, and fences off workers that lost the job. */
export async function startRun(
  db: Queryable,
  job: { subject: string; fence: number },
  now: Date,
): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>(
    `update export_runs set state = 'running', attempts = $2, started_at = coalesce(started_at, $3)
     where id = $1 and state in ('queued', 'running') and attempts <= $2 returning *`,
    [job.subject, job.fence, now],
  );
  return rows[0];
}

export async function findExportOfRun(db: Queryable, run: RunRow): Promise<ExportDefinition | undefined> {
  const { rows } = await db.query<ExportDefinition>('select * from exports where id = $1', [run.export_id]);
  return rows[0];
}

export async function finishRun(db: Queryable, run: RunRow): Promise<boolean> {
  const { rowCount } = await db.query(
    `update export_runs set state = $3, row_count = $4, byte_count = $5, file_count = $6, manifest_key = $7, from_xid = $8,
       from_seq = $9, to_xid = $10, to_seq = $11, error = $12, finished_at = $13, kind = $14,
       to_epoch = $15
     where id = $1 and attempts = $2 and state = 'running'`,
    [
      run.id,
      run.attempts,
      run.state,
      run.row_count,
      run.byte_count,
      run.file_count,
      run.manifest_key,
      run.from_xid,
      run.from_seq,
      run.to_xid,
      run.to_seq,
      run.error,
      run.finished_at,
      run.kind,
      run.to_epoch,
    ],
  );
  return rowCount === 1;
}

export async function requeueRun(db: Queryable, run: RunRow, error: string | null): Promise<void> {
  await db.query(
    `update export_runs set state = 'queued', error = $3 where id = $1 and attempts = $2 and state = 'running'`,
    [run.id, run.attempts, error],
  );
}

export async function takeDueExports(client: Client, now: Date): Promise<ExportDefinition[]> {
  const { rows } = await client.query<ExportDefinition>(
    `select * from exports where not is_paused and next_run_at <= $1 order by next_run_at limit 100 for update skip locked`,
    [now],
  );
  return rows;
}

/** Counts one more run of a day up to `most`; the row stays locked until the transaction ends. */
export async function takeRunOfDay(
  client: Client,
  day: { accountId: string; mode: KeyMode; day: string; most: number },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into export_days as d (account_id, mode, day, runs) values ($1, $2, $3, 1)
     on conflict (account_id, mode, day) do update set runs = d.runs + 1 where d.runs < $4`,
    [day.accountId, day.mode, day.day, day.most],
  );
  return rowCount === 1;
}

export async function deleteRunDaysBefore(db: Queryable, day: string): Promise<void> {
  await db.query('delete from export_days where day < $1', [day]);
}

export async function countExports(db: Queryable, accountId: string, mode: KeyMode): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from exports where account_id = $1 and mode = $2',
    [accountId, mode],
  );
  return rows[0].count;
}

/** A run whose files we keep. */
export interface KeptRun {
  id: string;
  account_id: string;
  dataset: string;
  created_at: Date;
  byte_count: number;
}

const KEPT_RUNS = `select r.id, r.account_id, e.dataset, r.created_at, r.byte_count
  from export_runs r join exports e on e.id = r.export_id
  where e.destination ->> 'type' = 'folder'`;

/** Delivered runs that, counted from the newest, exceed a number of bytes; across all accounts if none is named. */
export async function listRunsBeyond(
  db: Queryable,
  { accountId, mode, bytes }: { accountId: string | null; mode: KeyMode; bytes: number },
): Promise<KeptRun[]> {
  const { rows } = await db.query<KeptRun>(
    `select * from (
       select k.*, sum(k.byte_count) over (order by k.created_at desc, k.id desc) as total
       from (${KEPT_RUNS} and r.state = 'delivered' and r.expired_at is null and r.mode = $2
             and ($1::text is null or r.account_id = $1)) k) k
     where k.total > $3 order by k.created_at, k.id`,
    [accountId, mode, bytes],
  );
  return rows;
}

export async function listRunsPast(db: Queryable, cuts: RetentionCutoffs): Promise<KeptRun[]> {
  const { rows } = await db.query<KeptRun>(
    `${KEPT_RUNS} and r.state in ('delivered', 'failed') and r.expired_at is null and exists (
       select from accounts a join unnest($1::text[], $2::text[], $3::timestamptz[]) as k (plan, mode, before)
         on k.plan = a.plan and k.mode = r.mode
       where a.id = r.account_id and r.created_at < k.before)`,
    [cuts.plans, cuts.modes, cuts.befores],
  );
  return rows;
}

export async function listRunsOfExport(db: Queryable, exportId: string): Promise<KeptRun[]> {
  const { rows } = await db.query<KeptRun>(`${KEPT_RUNS} and r.export_id = $1 and r.expired_at is null`, [exportId]);
  return rows;
}

export async function markExpired(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query('update export_runs set expired_at = $2 where id = $1', [id, now]);
}

/** Those of these runs that exist and may have files. */
export async function listKnownRuns(db: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from export_runs where id = any ($1) and expired_at is null and state <> 'failed'`,
    [ids],
  );
  return rows.map((row) => row.id);
}

/** The last delivered run of an export stays: a delta begins where it ended. */
export async function deleteRunsBefore(db: Queryable, before: Date): Promise<void> {
  await db.query(
    `delete from export_runs r where r.created_at < $1 and r.state in ('delivered', 'failed')
       and (r.state = 'failed' or exists (
         select from export_runs later where later.export_id = r.export_id and later.state = 'delivered'
           and (later.created_at, later.id) > (r.created_at, r.id)))`,
    [before],
  );
}
