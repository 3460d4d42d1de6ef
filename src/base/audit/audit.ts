// The audit log: who did what in an account. Append-only and hash-chained.
import { createHash } from 'node:crypto';
import type { Queryable } from '../db/postgres.ts';
import { canonicalJson } from '../math/hashes.ts';
import * as sql from './sql.ts';

/** The action that records the Merkle root over receipts. */
export const ANCHORED = 'receipts.anchored';

export interface AuditEntry {
  accountId: string;
  /** `usr_…`, `key_…`, `operator` or `system`. */
  actor: string;
  action: string;
  target?: string | null;
  details?: Record<string, unknown>;
  ip?: string | null;
  at: Date;
}

/** Call inside the transaction of the recorded action. */
export async function recordAudit(client: Queryable, entry: AuditEntry): Promise<sql.AuditRow> {
  await sql.lockChain(client, entry.accountId);
  const last = await sql.findLast(client, entry.accountId);
  const row = {
    account_id: entry.accountId,
    sequence: (last?.sequence ?? 0) + 1,
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    target: entry.target ?? null,
    details: entry.details ?? {},
    ip: entry.ip ?? null,
    previous_hash: last?.hash ?? null,
  };
  const written = { ...row, hash: hashOf(row) };
  await sql.insertEntry(client, written);
  return written;
}

export function hashOf(row: Omit<sql.AuditRow, 'hash'>): Buffer {
  const { previous_hash, at, ...rest } = row;
  return createHash('sha256')
    .update(previous_hash ?? '')
    .update(at.toISOString())
    .update(canonicalJson(rest))
    .digest();
}

/** The first entry whose hash does not match its predecessor; undefined if the chain is intact. */
export function findBreak(rows: sql.AuditRow[], before?: Link): sql.AuditRow | undefined {
  let last = before ?? { sequence: 0, hash: null };
  return rows.find(({ hash, ...row }) => {
    const isNext = row.sequence === last.sequence + 1;
    const follows = last.hash === null ? row.previous_hash === null : row.previous_hash?.equals(last.hash) === true;
    last = { sequence: row.sequence, hash };
    return !isNext || !follows || !hash.equals(hashOf(row));
  });
}

/** The last link of a chain. */
export interface Link {
  sequence: number;
  hash: Buffer | null;
}
