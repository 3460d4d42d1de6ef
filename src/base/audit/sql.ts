// Every query of the audit log.
import { changeRows, findRow, getValue, listRows, listValues, raw } from '../db/statements.ts';
import type { Queryable } from '../db/postgres.ts';
import { insertRow, replaceRow } from '../db/rows.ts';

export interface AuditRow {
  account_id: string;
  sequence: number;
  at: Date;
  actor: string;
  action: string;
  target: string | null;
  details: Record<string, unknown>;
  ip: string | null;
  previous_hash: Buffer | null;
  hash: Buffer;
}

const COLUMNS = 'account_id, sequence, at, actor, action, target, details, ip, previous_hash, hash';

/** Serializes an account's entries; otherwise two could chain to the same predecessor. */
export const lockChain = (db: Queryable, accountId: string) =>
  changeRows(db)`
    select pg_advisory_xact_lock(hashtextextended('audit ' || ${accountId}, 0))`;

export const findLast = (db: Queryable, accountId: string) =>
  findRow<AuditRow>(db)`
    select ${raw(COLUMNS)} from audit_log where account_id = ${accountId} order by sequence desc limit 1`;

export const findEntry = (db: Queryable, accountId: string, sequence: number) =>
  findRow<AuditRow>(db)`
    select ${raw(COLUMNS)} from audit_log where account_id = ${accountId} and sequence = ${sequence}`;

export const insertEntry = (db: Queryable, row: AuditRow) => insertRow(db, 'audit_log', row);

/** Newest first. */
export const listEntries = (
  db: Queryable,
  accountId: string,
  { before, action, sequence }: { before?: number; action?: string; sequence?: number },
  limit: number,
) =>
  listRows<AuditRow>(db)`
    select ${raw(COLUMNS)} from audit_log where account_id = ${accountId} and sequence < ${before ?? Number.MAX_SAFE_INTEGER}
      and (${action}::text is null or action = ${action}) and (${sequence}::bigint is null or sequence = ${sequence})
    order by sequence desc limit ${limit}`;

/** Oldest first, after a sequence number. */
export const listEntriesAfter = (db: Queryable, accountId: string, after: number, limit: number) =>
  listRows<AuditRow>(db)`
    select ${raw(COLUMNS)} from audit_log where account_id = ${accountId} and sequence > ${after} order by sequence limit ${limit}`;

/** Every account that has a log, or had one when it was last checked. */
export const listLogs = (db: Queryable) =>
  listValues<string>(db)`
    select distinct account_id from (
      select account_id from audit_log union all select account_id from audit_checks
    ) logs order by account_id`;

export interface CheckRow {
  account_id: string;
  checked_at: Date;
  sequence: number;
  signature: Buffer;
  broken_sequence: number | null;
}

export const findCheck = (db: Queryable, accountId: string) =>
  findRow<CheckRow>(db)`
    select account_id, checked_at, sequence, signature, broken_sequence from audit_checks where account_id = ${accountId}`;

export const saveCheck = (db: Queryable, row: CheckRow) => replaceRow(db, 'audit_checks', 'account_id', row);

/** Keeps what the last good check saw: a broken log must not become the new truth. */
export const saveBreak = (db: Queryable, accountId: string, now: Date, sequence: number) =>
  changeRows(db)`
    insert into audit_checks (account_id, checked_at, sequence, signature, broken_sequence)
    values (${accountId}, ${now}, 0, '', ${sequence})
    on conflict (account_id) do update set checked_at = ${now}, broken_sequence = ${sequence}`;

export const countBroken = (db: Queryable) =>
  getValue<number>(db)`select count(*) from audit_checks where broken_sequence is not null`;
