// Queries of exports and their runs.
import type { Static } from 'typebox';
import { insertRow, updateRow } from '../../base/db/rows.ts';
import { pick } from '../../base/lib/pick.ts';
import { changeRow, changeRows, findRow, getValue, listRows, listValues, part, raw } from '../../base/db/statements.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { RetentionCutoffs } from '../../customers/accounts/plans.ts';
import type { Scope } from '../../customers/accounts/scopes.ts';
import { isPastRetention } from '../../customers/accounts/retention-sql.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import type { Destination } from './destinations.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { Export, ExportRun } from './schema.ts';
import { listNewest, type Owner } from '../../customers/accounts/own-sql.ts';

export type Schedule = Static<typeof Export>['schedule'];

export interface ExportDefinition extends Owner, Stored<typeof Export, 'destination'> {
  destination: Destination;
  credentials: Buffer | null;
  /** Whether its creator could read owners; a run checks whether they still can. */
  may_read_owners: boolean;
  /** The key or person that created it. */
  key_id: string;
}

export interface RunRow extends Owner, Stored<typeof ExportRun, 'status' | 'attempt_count' | 'manifest'> {
  state: Static<typeof ExportRun>['status'];
  attempts: number;
  manifest_key: string | null;
  from_xid: string | null;
  from_seq: number | null;
  to_epoch: string | null;
  to_xid: string | null;
  to_seq: number | null;
  /** When our copy of its files was deleted. */
  expired_at: Date | null;
}

export const insertExport = (client: Client, item: ExportDefinition) => insertRow(client, 'exports', item);

/** Whether the creator of an export (the key, its successor, or the person) currently has a scope. */
export const holdsScope = (
  db: Queryable,
  { account_id, key_id }: ExportDefinition,
  scope: Scope,
  { roles, now }: { roles: string[]; now: Date },
) =>
  getValue<boolean>(db)`
    select exists (
        select from api_keys k join api_keys maker on maker.id = ${key_id} and maker.first_id = k.first_id
        where k.account_id = ${account_id} and k.revoked_at is null and coalesce(k.expires_at > ${now}, true)
          and ${scope} = any (k.scopes))
      or exists (
        select from members where account_id = ${account_id} and user_id = ${key_id} and role = any (${roles}))`;

export const updateExport = (
  db: Queryable,
  item: Pick<ExportDefinition, 'id' | 'name' | 'schedule' | 'is_paused' | 'next_run_at' | 'updated_at'>,
) => updateRow(db, 'exports', 'id', pick(item, ['id', 'name', 'schedule', 'is_paused', 'next_run_at', 'updated_at']));

export const deleteExport = (db: Queryable, id: string) => changeRows(db)`delete from exports where id = ${id}`;

/** Adds a run unless one is already queued or running. */
export const insertRun = (
  db: Queryable,
  run: Pick<RunRow, 'id' | 'export_id' | 'account_id' | 'mode' | 'kind' | 'created_at'>,
) =>
  findRow<RunRow>(db)`insert into export_runs (id, export_id, account_id, mode, state, kind, created_at)
     select ${run.id}, ${run.export_id}, ${run.account_id}, ${run.mode}, 'queued', ${run.kind}, ${run.created_at}
     where not exists (select from export_runs where export_id = ${run.export_id} and state in ('queued', 'running'))
     returning *`;

export const findRun = (db: Queryable, exportId: string, id: string) =>
  findRow<RunRow>(db)`select * from export_runs where id = ${id} and export_id = ${exportId}`;

/** Newest first. */
export const listRuns = (db: Queryable, exportId: string, before: [string, string] | undefined, limit: number) =>
  listNewest<RunRow>(db, raw('* from export_runs'), part`export_id = ${exportId}`, { before, limit });

/** The last run that reached its destination, where a delta begins. */
export const findLastDelivered = (db: Queryable, exportId: string) =>
  findRow<RunRow>(db)`
     select * from export_runs where export_id = ${exportId} and state = 'delivered' order by created_at desc,
       id desc limit 1`;

/** Undefined if the run has ended, was deleted, or belongs to a later claim of its job. The number of the claim is the
    attempt number that customers see, and fences off workers that lost the job. */
export const startRun = (db: Queryable, job: { subject: string; fence: number }, now: Date) =>
  findRow<RunRow>(db)`
     update export_runs set state = 'running', attempts = ${job.fence}, started_at = coalesce(started_at, ${now})
     where id = ${job.subject} and state in ('queued', 'running') and attempts <= ${job.fence} returning *`;

export const findExportOfRun = (db: Queryable, run: RunRow) =>
  findRow<ExportDefinition>(db)`select * from exports where id = ${run.export_id}`;

export const finishRun = (db: Queryable, run: RunRow) =>
  changeRow(db)`
     update export_runs set state = ${run.state}, row_count = ${run.row_count}, byte_count = ${run.byte_count},
       file_count = ${run.file_count}, manifest_key = ${run.manifest_key}, from_xid = ${run.from_xid},
       from_seq = ${run.from_seq}, to_xid = ${run.to_xid}, to_seq = ${run.to_seq}, error = ${run.error},
         finished_at = ${run.finished_at}, kind = ${run.kind},
       to_epoch = ${run.to_epoch}
     where id = ${run.id} and attempts = ${run.attempts} and state = 'running'`;

export const requeueRun = (db: Queryable, run: RunRow, error: string | null) =>
  changeRows(db)`
     update export_runs set state = 'queued', error = ${error} where id = ${run.id} and attempts = ${run.attempts}
       and state = 'running'`;

export const takeDueExports = (client: Client, now: Date) =>
  listRows<ExportDefinition>(client)`select * from exports where not is_paused and next_run_at <= ${now}
       order by next_run_at limit 100 for update skip locked`;

/** Counts one more run of a day up to `most`; the row stays locked until the transaction ends. */
export const takeRunOfDay = (client: Client, day: { accountId: string; mode: KeyMode; day: string; most: number }) =>
  changeRow(client)`
     insert into export_days as d (account_id, mode, day, runs) values (${day.accountId}, ${day.mode}, ${day.day}, 1)
     on conflict (account_id, mode, day) do update set runs = d.runs + 1 where d.runs < ${day.most}`;

export const deleteRunDaysBefore = (db: Queryable, day: string) =>
  changeRows(db)`delete from export_days where day < ${day}`;

/** A run whose files we keep. */
export interface KeptRun extends Pick<RunRow, 'id' | 'account_id' | 'created_at' | 'byte_count'> {
  dataset: string;
}

const KEPT_RUNS = `select r.id, r.account_id, e.dataset, r.created_at, r.byte_count
  from export_runs r join exports e on e.id = r.export_id
  where e.destination ->> 'type' = 'folder'`;

/** Delivered runs that, counted from the newest, exceed a number of bytes; across all accounts if none is named. */
export const listRunsBeyond = (
  db: Queryable,
  { accountId, mode, bytes }: { accountId: string | null; mode: KeyMode; bytes: number },
) =>
  listRows<KeptRun>(db)`select * from (
       select k.*, sum(k.byte_count) over (order by k.created_at desc, k.id desc) as total
       from (${raw(KEPT_RUNS)} and r.state = 'delivered' and r.expired_at is null and r.mode = ${mode}
             and (${accountId}::text is null or r.account_id = ${accountId})) k) k
     where k.total > ${bytes} order by k.created_at, k.id`;

export const listRunsPast = (db: Queryable, cuts: RetentionCutoffs) =>
  listRows<KeptRun>(db)`
     ${raw(KEPT_RUNS)} and r.state in ('delivered', 'failed') and r.expired_at is null
       and ${isPastRetention(cuts, 'r')}`;

export const listRunsOfExport = (db: Queryable, exportId: string) =>
  listRows<KeptRun>(db)`${raw(KEPT_RUNS)} and r.export_id = ${exportId} and r.expired_at is null`;

export const listRunsThatName = (db: Queryable) =>
  listRows<KeptRun>(db)`${raw(KEPT_RUNS)} and r.state = 'delivered' and r.expired_at is null and e.may_read_owners`;

export const markExpired = (db: Queryable, id: string, now: Date) =>
  changeRows(db)`update export_runs set expired_at = ${now} where id = ${id}`;

/** The subset of these runs that exist and may have files. */
export const listKnownRuns = (db: Queryable, ids: string[]) =>
  listValues<string>(db)`
     select id from export_runs where id = any (${ids}) and expired_at is null and state <> 'failed'`;

/** Keeps the last delivered run of an export: a delta begins where it ended. */
export const deleteRunsBefore = (db: Queryable, before: Date) =>
  changeRows(db)`
     delete from export_runs r where r.created_at < ${before} and r.state in ('delivered', 'failed')
       and (r.state = 'failed' or exists (
         select from export_runs later where later.export_id = r.export_id and later.state = 'delivered'
           and (later.created_at, later.id) > (r.created_at, r.id)))`;
