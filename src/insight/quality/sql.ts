// Every query of the evidence of quality. Tested sales, the sample and tracts lie on the data plane; seals, anchors,
// receipts and reports on the control plane.
import type { Pool, Queryable } from '../../base/db/postgres.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';
import { FIGURES, type FigureName, type QualityReport } from './schema.ts';

export interface TestedRow {
  sold_on: string;
  price: number;
  value: number;
  is_covered: boolean;
  is_valued: boolean;
  census_tract: string | null;
}

export async function listTested(data: Queryable, market: string, model: string): Promise<TestedRow[]> {
  const { rows } = await data.query<TestedRow>(
    `select sold_on, price, value, is_covered, is_valued, census_tract from tested_sales
     where fips = any ($3) and market = $1 and model = $2 order by fips, property_id, sale_id`,
    [market, model, await listCountiesOf(data, market)],
  );
  return rows;
}

export type TractRow = Record<FigureName, number | null> & {
  geoid: string;
  /** The survey that each figure is from. */
  vintages: Record<FigureName, number | null>;
};

const columnOf = (figure: FigureName): string =>
  figure === 'income' ? 'coalesce(c.median_household_income, c.per_capita_income)' : `c.${figure}::float8`;

/** The newest figure of each kind for the tracts of a market's tested sales: surveys differ in what they ask. */
export async function listTracts(data: Queryable, market: string): Promise<TractRow[]> {
  const newest = (column: string) =>
    `(array_agg(${column} order by c.vintage desc) filter (where ${column} is not null))[1]`;
  const vintage = (column: string) => `max(c.vintage) filter (where ${column} is not null)`;
  const tracts = await data.query<{ tract: string }>(
    'select distinct census_tract as tract from tested_sales where fips = any ($2) and market = $1 and census_tract is not null',
    [market, await listCountiesOf(data, market)],
  );
  const { rows } = await data.query<TractRow>(
    `select c.geoid, ${FIGURES.map((name) => `${newest(columnOf(name))} as ${name}`).join(', ')},
       jsonb_build_object(${FIGURES.map((name) => `'${name}', ${vintage(columnOf(name))}`).join(', ')}) as vintages
     from census_tracts c
     where c.geoid = any ($1) group by c.geoid order by c.geoid`,
    [tracts.rows.map(({ tract }) => tract)],
  );
  return rows;
}

/** Changes with whatever a report on the data plane rests on. */
export async function findDataToken(data: Queryable, market: string): Promise<string> {
  const counties = await listCountiesOf(data, market);
  const ask = async (query: string) => (await data.query<{ token: string }>(query, [market, counties])).rows[0].token;
  const loads = await data.query<{ token: string }>(
    `select coalesce(max(id), 0) || ':' || count(*) as token from loads
     where (market = $1 or market is null) and state = 'completed'`,
    [market],
  );
  return [
    loads.rows[0].token,
    await ask(`select count(*) || ':' || coalesce(extract(epoch from max(decided_at))::text, '') as token
      from sale_verdicts where fips = any ($2) and market = $1 and decided_by = 'operator'`),
    await ask(`select coalesce(max(model), '') || ':' || count(*) as token from tested_sales
      where fips = any ($2) and market = $1`),
    await ask('select count(*) as token from sampled_values where fips = any ($2) and market = $1'),
  ].join(':');
}

export async function countOperatorVerdicts(data: Queryable, market: string): Promise<number> {
  const { rows } = await data.query<{ count: number }>(
    `select count(*)::int as count from sale_verdicts where fips = any ($2) and market = $1 and decided_by = 'operator'`,
    [market, await listCountiesOf(data, market)],
  );
  return rows[0].count;
}

export interface SampleKey {
  market: string;
  sampled_on: string;
  model: string;
}

export async function findLastSample(data: Queryable, market: string): Promise<SampleKey | undefined> {
  const { rows } = await data.query<SampleKey>(
    `select market, sampled_on, model from sampled_values where fips = any ($2) and market = $1
     order by sampled_on desc, sampled_at desc limit 1`,
    [market, await listCountiesOf(data, market)],
  );
  return rows[0];
}

/**
 * Copies what the record says of the homes whose hash is small enough. Nobody can choose them: an id is itself a hash of
 * the parcel number. The same homes are drawn every time, and more or fewer of them as the market grows.
 */
export async function insertSample(
  data: Queryable,
  { market, sampled_on, model }: SampleKey,
  { at, salt, most }: { at: Date; salt: string; most: number },
): Promise<number> {
  const counties = await listCountiesOf(data, market);
  const valued = await data.query<{ homes: number }>(
    `select greatest(count(*), 1) as homes from properties
     where fips = any ($3) and market = $1 and status = 'active' and value is not null and value_model = $2`,
    [market, model, counties],
  );
  const { rowCount } = await data.query(
    `insert into sampled_values (fips, property_id, market, sampled_on, sampled_at, model, valued_on, value, value_low, value_high, fsd)
     select p.fips, p.id, p.market, $2, $4, $3, p.valued_on, p.value, p.value_low, p.value_high, p.value_fsd
     from properties p
     where p.fips = any ($7) and p.market = $1 and p.status = 'active' and p.value is not null and p.value_model = $3
       and ('x' || encode(substring(sha256(convert_to($5 || p.id, 'UTF8')) for 4), 'hex'))::bit(32)::bigint
         < 4294967296.0 * $6::float8
     on conflict do nothing`,
    [market, sampled_on, model, at, salt, most / valued.rows[0].homes, counties],
  );
  return rowCount ?? 0;
}

export async function listSamples(data: Queryable, market?: string): Promise<(SampleKey & { homes: number })[]> {
  const { rows } = await data.query<SampleKey & { homes: number }>(
    `select market, sampled_on, model, count(*)::int as homes from sampled_values
     where $1::text is null or market = $1 group by market, sampled_on, model order by sampled_on, market, model`,
    [market ?? null],
  );
  return rows;
}

export interface SampledRow {
  property_id: string;
  valued_on: string;
  value: number;
  value_low: number;
  value_high: number;
}

export async function listSampled(data: Queryable, { market, sampled_on, model }: SampleKey): Promise<SampledRow[]> {
  const { rows } = await data.query<SampledRow>(
    `select property_id, valued_on, value, value_low, value_high from sampled_values
     where fips = any ($4) and market = $1 and sampled_on = $2 and model = $3 order by fips, property_id`,
    [market, sampled_on, model, await listCountiesOf(data, market)],
  );
  return rows;
}

export interface SoldRow {
  property_id: string;
  sampled_on: string;
  sale_date: string;
  price: number;
  value: number;
  value_low: number;
  value_high: number;
  fsd: number;
}

/** Sales of sampled homes, each with the last value that was stored before the day of the sale and before we knew of it. */
export async function listSold(data: Queryable, market: string): Promise<SoldRow[]> {
  const counties = await listCountiesOf(data, market);
  const first = await data.query<{ day: string | null }>(
    'select min(sampled_on) as day from sampled_values where fips = any ($2) and market = $1',
    [market, counties],
  );
  if (first.rows[0].day === null) return [];
  const { rows } = await data.query<SoldRow>(
    `select t.property_id, s.sampled_on, t.sale_date, t.price, s.value, s.value_low, s.value_high, s.fsd
     from transactions t
     join lateral (
       select * from sampled_values s
       where s.fips = t.fips and s.fips = any ($3) and s.property_id = t.property_id and s.sampled_on < t.sale_date and s.sampled_at < t.loaded_at
       order by s.sampled_on desc, s.sampled_at desc limit 1
     ) s on true
     left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
       and v.decided_by = 'operator' and v.fips = any ($3)
     where t.fips = any ($3) and t.market = $1 and t.type = 'deed' and t.price >= 5000 and coalesce(v.market_price, t.arms_length) is not false
       and t.sale_date > $2
       and t.date_precision <> 'year' and t.retired_at is null
     order by t.sale_date, t.property_id, t.id`,
    [market, first.rows[0].day, counties],
  );
  return rows;
}

export interface SealRow extends SampleKey {
  sequence: number;
  homes: number;
  root: Buffer;
  previous_hash: Buffer | null;
  hash: Buffer;
  sealed_at: Date;
}

const SEAL = 'sequence, market, sampled_on, model, homes, root, previous_hash, hash, sealed_at';

export async function listSeals(control: Queryable): Promise<SealRow[]> {
  return (await control.query<SealRow>(`select ${SEAL} from sample_seals order by sequence`)).rows;
}

/** Seals are written one at a time, or two would follow the same one. */
export async function lockSeals(control: Queryable): Promise<void> {
  await control.query(`select pg_advisory_xact_lock(hashtext('platbook sample seals'))`);
}

export async function findLastSeal(control: Queryable): Promise<SealRow | undefined> {
  return (await control.query<SealRow>(`select ${SEAL} from sample_seals order by sequence desc limit 1`)).rows[0];
}

export async function insertSeal(control: Queryable, row: SealRow): Promise<void> {
  await control.query(`insert into sample_seals (${SEAL}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, [
    row.sequence,
    row.market,
    row.sampled_on,
    row.model,
    row.homes,
    row.root,
    row.previous_hash,
    row.hash,
    row.sealed_at,
  ]);
}

export interface ReportRow {
  market: string;
  model_version: string;
  token: string;
  report: QualityReport;
  measured_at: Date;
}

export async function findReport(control: Queryable, market: string): Promise<ReportRow | undefined> {
  const { rows } = await control.query<ReportRow>(
    'select market, model_version, token, report, measured_at from quality_reports where market = $1',
    [market],
  );
  return rows[0];
}

export async function saveReport(control: Queryable, row: ReportRow): Promise<void> {
  await control.query(
    `insert into quality_reports (market, model_version, token, report, measured_at) values ($1, $2, $3, $4, $5)
     on conflict (market) do update set model_version = excluded.model_version, token = excluded.token,
       report = excluded.report, measured_at = excluded.measured_at`,
    [row.market, row.model_version, row.token, JSON.stringify(row.report), row.measured_at],
  );
}

export interface ModelCounts {
  published: number;
  refused: number;
  forced: number;
}

/** How releases of a market were decided. */
export async function countModels(control: Queryable, market: string): Promise<ModelCounts> {
  const { rows } = await control.query<ModelCounts>(
    `select count(*) filter (where state <> 'refused')::int as published,
       count(*) filter (where state = 'refused')::int as refused,
       count(*) filter (where state <> 'refused' and card->>'decision' like 'force%')::int as forced
     from models where market = $1`,
    [market],
  );
  return rows[0];
}

/** Accounts with receipts that wait for their anchor. */
export async function listUnanchoredAccounts(control: Queryable): Promise<string[]> {
  const { rows } = await control.query<{ account_id: string }>(
    `with recursive waiting as (
       (select account_id from valuations where anchor_id is null order by account_id limit 1)
       union all
       select (select v.account_id from valuations v where v.anchor_id is null and v.account_id > w.account_id
               order by v.account_id limit 1)
       from waiting w where w.account_id is not null)
     select account_id from waiting where account_id is not null`,
  );
  return rows.map((row) => row.account_id);
}

export async function listUnanchored(control: Queryable, accountId: string, limit: number): Promise<string[]> {
  const { rows } = await control.query<{ id: string }>(
    `select id from valuations where anchor_id is null and account_id = $1 order by created_at, id limit $2
     for update skip locked`,
    [accountId, limit],
  );
  return rows.map((row) => row.id);
}

export interface AnchorRow {
  id: number;
  account_id: string;
  root: Buffer;
  receipts: number;
  hashes: Buffer;
  audit_sequence: number;
  anchored_at: Date;
}

export async function insertAnchor(
  control: Queryable,
  anchor: Omit<AnchorRow, 'id'>,
  receiptIds: string[],
): Promise<void> {
  await control.query(
    `with anchor as (
       insert into receipt_anchors (account_id, root, receipts, hashes, audit_sequence, anchored_at)
       values ($1, $2, $3, $4, $5, $6) returning id)
     update valuations set anchor_id = anchor.id from anchor where valuations.id = any ($7)`,
    [
      anchor.account_id,
      anchor.root,
      anchor.receipts,
      anchor.hashes,
      anchor.audit_sequence,
      anchor.anchored_at,
      receiptIds,
    ],
  );
}

export async function findAnchorOf(control: Queryable, receiptId: string): Promise<AnchorRow | undefined> {
  const { rows } = await control.query<AnchorRow>(
    `select a.id, a.account_id, a.root, a.receipts, a.hashes, a.audit_sequence, a.anchored_at
     from valuations v join receipt_anchors a on a.id = v.anchor_id where v.id = $1`,
    [receiptId],
  );
  return rows[0];
}

export interface AnchoredCounts {
  receipts: number;
  anchors: number;
  last_anchored_at: Date | null;
}

export async function countAnchored(control: Queryable, accountId: string): Promise<AnchoredCounts> {
  const { rows } = await control.query<AnchoredCounts>(
    `select coalesce(sum(receipts), 0)::int as receipts, count(*)::int as anchors, max(anchored_at) as last_anchored_at
     from receipt_anchors where account_id = $1`,
    [accountId],
  );
  return rows[0];
}

/** Anchored receipts in the order of their ids, some at a time. */
export async function listAnchoredIds(control: Pool, after: string, limit: number): Promise<string[]> {
  const { rows } = await control.query<{ id: string }>(
    'select id from valuations where anchor_id is not null and id > $1 order by id limit $2',
    [after, limit],
  );
  return rows.map((row) => row.id);
}

/** What the last check of an account's audit log found. */
export async function findAuditCheck(
  control: Queryable,
  accountId: string,
): Promise<{ checked_at: Date; broken_sequence: number | null } | undefined> {
  const { rows } = await control.query<{ checked_at: Date; broken_sequence: number | null }>(
    'select checked_at, broken_sequence from audit_checks where account_id = $1',
    [accountId],
  );
  return rows[0];
}
