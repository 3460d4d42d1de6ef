// Every query of the audit log.
import type { Queryable } from '../db/postgres.ts';

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

/** Entries of one account are written one after the other, or two would follow the same one. */
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

export async function insertEntry(db: Queryable, row: AuditRow): Promise<void> {
  await db.query(`insert into audit_log (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, [
    row.account_id,
    row.sequence,
    row.at,
    row.actor,
    row.action,
    row.target,
    row.details,
    row.ip,
    row.previous_hash,
    row.hash,
  ]);
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
