// Every query of reports and of the rules they are checked against.
import { insertRow } from '../../base/db/rows.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { RetentionCutoffs } from '../../customers/accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import type { Span } from '../../base/lib/pages.ts';
import type { Report, Rule } from './schema.ts';

export interface ReportSummaryRow {
  id: string;
  account_id: string;
  mode: KeyMode;
  property_id: string;
  valuation_id: string;
  reference: string | null;
  address: string | null;
  outcome: Report['decision']['outcome'];
  estimated_value: number;
  created_at: Date;
}

export interface ReportRow extends ReportSummaryRow {
  sha256: Buffer;
  document: Buffer;
  map: Buffer;
}

const SUMMARY =
  'id, account_id, mode, property_id, valuation_id, reference, address, outcome, estimated_value, created_at';

/** False if a report of this id was stored before. */
export async function insertReport(db: Queryable, row: ReportRow): Promise<boolean> {
  return insertRow(db, 'reports', row, 'on conflict (id) do nothing');
}

interface Holder {
  accountId: string;
  mode: KeyMode;
}

export async function findReport(
  db: Queryable,
  { accountId, mode }: Holder,
  id: string,
): Promise<ReportRow | undefined> {
  const { rows } = await db.query<ReportRow>('select * from reports where id = $1 and account_id = $2 and mode = $3', [
    id,
    accountId,
    mode,
  ]);
  return rows[0];
}

interface ReportQuery extends Span {
  propertyId?: string;
  /** Position of the last row already listed. */
  before?: [createdAt: string, id: string];
  limit: number;
}

/** Newest first. */
export async function listReports(
  db: Queryable,
  { accountId, mode }: Holder,
  { propertyId, since, until, before, limit }: ReportQuery,
): Promise<ReportSummaryRow[]> {
  const { rows } = await db.query<ReportSummaryRow>(
    `select ${SUMMARY} from reports
     where account_id = $1 and mode = $2 and ($3::text is null or property_id = $3)
       and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
       and ($6::timestamptz is null or (created_at, id) < ($6, $7))
     order by created_at desc, id desc limit $8`,
    [accountId, mode, propertyId ?? null, since ?? null, until ?? null, before?.[0] ?? null, before?.[1] ?? '', limit],
  );
  return rows;
}

export async function deleteReport(db: Queryable, { accountId, mode }: Holder, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from reports where id = $1 and account_id = $2 and mode = $3', [
    id,
    accountId,
    mode,
  ]);
  return rowCount === 1;
}

/** Some of the reports past their time, or beyond what the sandbox keeps for an account; the rest when called again. */
export async function deleteOldReports(
  control: Queryable,
  cuts: RetentionCutoffs,
  sandboxMost: number,
): Promise<number> {
  const { rowCount: old } = await control.query(
    `delete from reports where id in (
       select r.id from reports r join accounts a on a.id = r.account_id
       join unnest($1::text[], $2::text[], $3::timestamptz[]) as k (plan, mode, before)
         on k.plan = a.plan and k.mode = r.mode and r.created_at < k.before
       where r.created_at < $4 limit 1000)`,
    [cuts.plans, cuts.modes, cuts.befores, cuts.latest],
  );
  const { rowCount: beyond } = await control.query(
    `delete from reports where id in (
       select n.id from (
         select id, row_number() over (partition by account_id order by created_at desc, id desc) as place
         from reports where mode = 'test') n
       where n.place > $1 limit 1000)`,
    [sandboxMost],
  );
  return (old ?? 0) + (beyond ?? 0);
}

export async function findRules(
  db: Queryable,
  { accountId, mode }: Holder,
): Promise<{ rules: Rule[]; updated_at: Date } | undefined> {
  const { rows } = await db.query('select rules, updated_at from report_rules where account_id = $1 and mode = $2', [
    accountId,
    mode,
  ]);
  return rows[0];
}

export async function upsertRules(
  db: Queryable,
  { accountId, mode }: Holder,
  { rules, at }: { rules: Rule[]; at: Date },
): Promise<void> {
  await db.query(
    `insert into report_rules (account_id, mode, rules, updated_at) values ($1, $2, $3, $4)
     on conflict (account_id, mode) do update set rules = excluded.rules, updated_at = excluded.updated_at`,
    [accountId, mode, JSON.stringify(rules), at],
  );
}
