// Queries of reports and their rules.
import { insertRow, replaceRow } from '../../base/db/rows.ts';
import { findRow, part, raw } from '../../base/db/statements.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import type { ReportSummary, Rule } from './schema.ts';
import type { Stored } from '../../base/lib/schema.ts';
import { listNewest, type NewestQuery, type Owner } from '../../customers/accounts/own-sql.ts';

export type ReportSummaryRow = Owner & Stored<typeof ReportSummary>;

export interface ReportRow extends ReportSummaryRow {
  sha256: Buffer;
  document: Buffer;
  map: Buffer;
}

const SUMMARY =
  'id, account_id, mode, property_id, valuation_id, reference, address, outcome, estimated_value, created_at';

/** False if a report with this id was stored before. */
export const insertReport = (db: Queryable, row: ReportRow) =>
  insertRow(db, 'reports', row, 'on conflict (id) do nothing');

interface Holder {
  accountId: string;
  mode: KeyMode;
}

export const findReport = (db: Queryable, { accountId, mode }: Holder, id: string) =>
  findRow<ReportRow>(db)`
     select * from reports where id = ${id} and account_id = ${accountId} and mode = ${mode}`;

export function listReports(
  db: Queryable,
  { accountId, mode }: Holder,
  propertyId: string | undefined,
  page: NewestQuery,
) {
  const own = part`account_id = ${accountId} and mode = ${mode}
    and (${propertyId}::text is null or property_id = ${propertyId})`;
  return listNewest<ReportSummaryRow>(db, raw(`${SUMMARY} from reports`), own, page);
}

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
