// Queries of what requests leave behind: the journals of the processes, and the request log they are booked into.
import type { RetentionCutoffs } from '../accounts/plans.ts';
import { isPastRetention } from '../accounts/retention-sql.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { insertRow } from '../../base/db/rows.ts';
import { changeRow, changeRows, findRow, listRows } from '../../base/db/statements.ts';
import type { Span } from '../../base/lib/pages.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { RequestEntry } from './schema.ts';

export const insertJournal = (db: Queryable, journal: Omit<JournalRow, 'booked_bytes'>) =>
  insertRow(db, 'usage_journals', journal);

/** Moves the offset forward; false if someone else has already booked those bytes. */
export const advanceJournal = (db: Queryable, id: string, { from, to, now }: { from: number; to: number; now: Date }) =>
  changeRow(db)`
    update usage_journals set booked_bytes = ${to}, heartbeat_at = ${now} where id = ${id} and booked_bytes = ${from}`;

export const touchJournal = (db: Queryable, id: string, now: Date) =>
  changeRows(db)`update usage_journals set heartbeat_at = ${now} where id = ${id}`;

/** False if it is closed already. */
export const closeJournal = (db: Queryable, id: string, now: Date) =>
  changeRow(db)`
    update usage_journals set closed_at = ${now} where id = ${id} and closed_at is null`;

export interface JournalRow {
  id: string;
  owner: string;
  host: string;
  pid: number;
  booked_bytes: number;
  heartbeat_at: Date;
}

export const findJournal = (db: Queryable, id: string) =>
  findRow<JournalRow>(db)`select id, owner, host, pid, booked_bytes, heartbeat_at from usage_journals where id = ${id}`;

export const listOpenJournals = (db: Queryable) =>
  listRows<JournalRow>(db)`
    select id, owner, host, pid, booked_bytes, heartbeat_at from usage_journals where closed_at is null order by id`;

export type RequestRow = Stored<typeof RequestEntry> & { account_id: string };

export const insertRequests = (db: Queryable, requests: RequestRow[]) =>
  changeRows(db)`
    insert into request_log (request_id, account_id, key_id, mode, at, method, route, status, duration_ms, meter, units, error_code)
    select * from unnest(${requests.map((request) => request.request_id)}::text[], ${requests.map((request) => request.account_id)}::text[], ${requests.map((request) => request.key_id)}::text[], ${requests.map((request) => request.mode)}::text[], ${requests.map((request) => request.at)}::timestamptz[], ${requests.map((request) => request.method)}::text[], ${requests.map((request) => request.route)}::text[], ${requests.map((request) => request.status)}::int[],
      ${requests.map((request) => request.duration_ms)}::real[], ${requests.map((request) => request.meter)}::text[], ${requests.map((request) => request.units)}::int[], ${requests.map((request) => request.error_code)}::text[])`;

export interface RequestFilter extends Span {
  requestId?: string;
  mode?: 'live' | 'test';
  status?: number;
  keyId?: string;
  /** The mode that the caller may see, if only one. */
  only?: 'test';
}

/** Newest first; `before` is the id of the last entry already listed. */
export const listRequests = (
  db: Queryable,
  accountId: string,
  filter: RequestFilter,
  { before, limit }: { before?: number; limit: number },
) =>
  listRows<RequestRow & { id: number }>(db)`
     select id, request_id, account_id, key_id, mode, at, method, route, status, duration_ms, meter, units, error_code
     from request_log
     where account_id = ${accountId} and (${before}::bigint is null or id < ${before})
       and (${filter.requestId}::text is null or request_id = ${filter.requestId})
       and (${filter.only}::text is null or mode = ${filter.only})
       and (${filter.mode}::text is null or mode = ${filter.mode}) and (${filter.status}::int is null
         or status = ${filter.status}) and (${filter.keyId}::text is null or key_id = ${filter.keyId})
       and at >= ${filter.since ?? '-infinity'} and at < ${filter.until ?? 'infinity'}
     order by id desc limit ${limit}`;

export const deleteOldRequests = (db: Queryable, cuts: RetentionCutoffs) =>
  changeRows(db)`
    delete from request_log r where ${isPastRetention(cuts, 'r', 'at')}`;
