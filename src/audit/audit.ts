// The audit log: who did what in an account, append-only, each entry chained to the one before by its hash.
import { createHash } from 'node:crypto';
import type { Queryable } from '../db/postgres.ts';
import * as sql from './sql.ts';

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

/** Call inside the transaction that does what is written down. */
export async function recordAudit(client: Queryable, entry: AuditEntry): Promise<void> {
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
  await sql.insertEntry(client, { ...row, hash: hashOf(row) });
}

export function hashOf(row: Omit<sql.AuditRow, 'hash'>): Buffer {
  const { previous_hash, at, ...rest } = row;
  return createHash('sha256')
    .update(previous_hash ?? '')
    .update(at.toISOString())
    .update(canonicalJson(rest))
    .digest();
}

/** The database keeps members of `details` in an order of its own. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** The first entry whose hash does not follow from what it says; undefined when the chain is whole. */
export function findBreak(rows: sql.AuditRow[]): sql.AuditRow | undefined {
  return rows.find(({ hash, ...row }, n) => {
    const expected = n === 0 ? row.previous_hash : rows[n - 1].hash;
    const follows = expected === null ? row.previous_hash === null : row.previous_hash?.equals(expected);
    return !follows || !hash.equals(hashOf(row));
  });
}

export type { AuditRow } from './sql.ts';
export { listEntries } from './sql.ts';
