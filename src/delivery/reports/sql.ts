// Every query of reports and of the rules they are checked against.
import { insertRow, replaceRow } from '../../base/db/rows.ts';
import { findRow, listRows, raw } from '../../base/db/statements.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import type { Span } from '../../base/lib/pages.ts';
import type { ReportSummary, Rule } from './schema.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { Owner } from '../../customers/accounts/own-sql.ts';

export type ReportSummaryRow = Owner & Stored<typeof ReportSummary>;

export interface ReportRow extends ReportSummaryRow {
  sha256: Buffer;
  document: Buffer;
  map: Buffer;
}

const SUMMARY =
  'id, account_id, mode, property_id, valuation_id, reference, address, outcome, estimated_value, created_at';

/** False if a report of this id was stored before. */
export const insertReport = async (db: Queryable, row: ReportRow): Promise<boolean> =>
  insertRow(db, 'reports', row, 'on conflict (id) do nothing');

interface Holder {
  accountId: string;
  mode: KeyMode;
}

export const findReport = (db: Queryable, { accountId, mode }: Holder, id: string) =>
  findRow<ReportRow>(db)`
     select * from reports where id = ${id} and account_id = ${accountId} and mode = ${mode}`;

interface ReportQuery extends Span {
  propertyId?: string;
  /** Position of the last row already listed. */
  before?: [createdAt: string, id: string];
  limit: number;
}

/** Newest first. */
export const listReports = (
  db: Queryable,
  { accountId, mode }: Holder,
  { propertyId, since, until, before, limit }: ReportQuery,
) =>
  listRows<ReportSummaryRow>(db)`select ${raw(SUMMARY)} from reports
     where account_id = ${accountId} and mode = ${mode} and (${propertyId}::text is null
       or property_id = ${propertyId})
       and created_at >= ${since ?? '-infinity'} and created_at < ${until ?? 'infinity'}
       and (created_at, id) < (${before?.[0] ?? 'infinity'}, ${before?.[1] ?? ''})
     order by created_at desc, id desc limit ${limit}`;

export const findRules = (db: Queryable, { accountId, mode }: Holder) =>
  findRow<{ rules: Rule[]; updated_at: Date }>(db)`
     select rules, updated_at from report_rules where account_id = ${accountId} and mode = ${mode}`;

export const upsertRules = (db: Queryable, { accountId, mode }: Holder, { rules, at }: { rules: Rule[]; at: Date }) =>
  replaceRow(db, 'report_rules', 'account_id, mode', {
    account_id: accountId,
    mode,
    rules: JSON.stringify(rules),
    updated_at: at,
  });
