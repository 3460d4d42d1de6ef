// Pages of the audit log, for the dashboard and for keys that may read it.
import { listEntries } from '../../base/audit/sql.ts';
import type { Deps } from '../../base/deps.ts';
import { presentPage, readPage } from '../../base/lib/pages.ts';

/** Newest first. */
export async function readAuditPage(
  { control, secrets }: Deps,
  accountId: string,
  query: { action?: string; sequence?: number; limit?: number; cursor?: string },
) {
  const { action, sequence } = query;
  const list = (before: [number] | undefined, limit: number) =>
    listEntries(control, accountId, { before: before?.[0], action, sequence }, limit);
  const keyOf = (entry: { sequence: number }): [number] => [entry.sequence];
  const page = await readPage(secrets, ['audit', accountId, action ?? null, sequence ?? null], query, list, keyOf);
  return presentPage(page, ({ account_id: _account, previous_hash, at, hash, ...rest }) => ({
    object: 'audit_entry' as const,
    ...rest,
    at: at.toISOString(),
    previous_hash: previous_hash?.toString('hex') ?? null,
    hash: hash.toString('hex'),
  }));
}
