// Every query of the audit log.
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

/** Entries of one account are written one at a time, or two would follow the same one. */
export async function lockChain(db: Queryable, accountId: string): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))`, [accountId]);
}

export async function findLast(db: Queryable, accountId: string): Promise<AuditRow | undefined> {
  const { rows } = await db.query<AuditRow>(
    `select ${COLUMNS} from audit_log where account_id = $1 order by sequence desc limit 1`,
    [accountId],
  );
  return rows[0];
}

export async function findEntry(db: Queryable, accountId: string, sequence: number): Promise<AuditRow | undefined> {
  const { rows } = await db.query<AuditRow>(
    `select ${COLUMNS} from audit_log where account_id = $1 and sequence = $2`,
    [accountId, sequence],
  );
  return rows[0];
}

export async function insertEntry(db: Queryable, row: AuditRow): Promise<void> {
  await insertRow(db, 'audit_log', row);
}

/** Newest first. */
export async function listEntries(
  db: Queryable,
  accountId: string,
  before: number | undefined,
  limit: number,
): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>(
    `select ${COLUMNS} from audit_log where account_id = $1 and ($2::bigint is null or sequence < $2)
     order by sequence desc limit $3`,
    [accountId, before ?? null, limit],
  );
  return rows;
}

/** Oldest first, after a sequence number. */
export async function listEntriesAfter(
  db: Queryable,
  accountId: string,
  after: number,
  limit: number,
): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>(
    `select ${COLUMNS} from audit_log where account_id = $1 and sequence > $2 order by sequence limit $3`,
    [accountId, after, limit],
  );
  return rows;
}

/** Every account that has a log, or had one when it was last checked. */
export async function listLogs(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>(
    `select distinct account_id from (
       select account_id from audit_log union all select account_id from audit_checks
     ) logs order by account_id`,
  );
  return rows.map((row) => row.account_id);
}

export interface CheckRow {
  account_id: string;
  checked_at: Date;
  sequence: number;
  signature: Buffer;
  broken_sequence: number | null;
}

export async function findCheck(db: Queryable, accountId: string): Promise<CheckRow | undefined> {
  const { rows } = await db.query<CheckRow>(
    `select account_id, checked_at, sequence, signature, broken_sequence from audit_checks where account_id = $1`,
    [accountId],
  );
  return rows[0];
}

export async function saveCheck(db: Queryable, row: CheckRow): Promise<void> {
  await replaceRow(db, 'audit_checks', 'account_id', row);
}

/** Keeps what the last good check saw: a broken log must not become the new truth. */
export async function saveBreak(db: Queryable, accountId: string, now: Date, sequence: number): Promise<void> {
  await db.query(
    `insert into audit_checks (account_id, checked_at, sequence, signature, broken_sequence)
     values ($1, $2, 0, '', $3)
     on conflict (account_id) do update set checked_at = $2, broken_sequence = $3`,
    [accountId, now, sequence],
  );
}

export async function countBroken(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) from audit_checks where broken_sequence is not null',
  );
  return rows[0].count;
}
