// Queries of the evidence of quality. Tested sales, the sample and tracts are on the data plane; seals, anchors,
// receipts and reports are on the control plane.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { insertRow, replaceRow } from '../../base/db/rows.ts';
import { changeRows, findRow, getRow, getValue, listRows, listValues, raw } from '../../base/db/statements.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';
import { HOME_TYPES } from '../analytics/segments.ts';
import { FIGURES, type FigureName, type QualityReport } from './schema.ts';
import type { TestedRow as TestedSale } from '../training/sql.ts';
import { findDataToken as findSalesToken } from '../valuations/sql.ts';

export type TestedRow = Pick<TestedSale, 'sold_on' | 'price' | 'value' | 'is_covered' | 'is_valued' | 'census_tract'>;

export const listTested = async (data: Queryable, market: string, model: string) =>
  listRows<TestedRow>(data)`select sold_on, price, value, is_covered, is_valued, census_tract from tested_sales
    where fips = any (${await listCountiesOf(data, market)}) and market = ${market} and model = ${model}
    order by fips, property_id, sale_id`;

type TractRow = Record<FigureName, number | null> & {
  geoid: string;
  /** The survey that each figure is from. */
  vintages: Record<FigureName, number | null>;
};

const columnOf = (figure: FigureName): string =>
  figure === 'income' ? 'coalesce(c.median_household_income, c.per_capita_income)' : `c.${figure}::float8`;

/** The newest figure of each kind for the tracts of a market's tested sales: surveys ask different questions. */
export async function listTracts(data: Queryable, market: string): Promise<TractRow[]> {
  const newest = (column: string) =>
    `(array_agg(${column} order by c.vintage desc) filter (where ${column} is not null))[1]`;
  const vintage = (column: string) => `max(c.vintage) filter (where ${column} is not null)`;
  const tracts = await listValues<string>(data)`select distinct census_tract as tract from tested_sales
    where fips = any (${await listCountiesOf(data, market)}) and market = ${market} and census_tract is not null`;
  return listRows<TractRow>(data)`select c.geoid,
      ${raw(FIGURES.map((name) => `${newest(columnOf(name))} as ${name}`).join(', '))},
      jsonb_build_object(${raw(FIGURES.map((name) => `'${name}', ${vintage(columnOf(name))}`).join(', '))}) as vintages
    from census_tracts c
    where c.geoid = any (${tracts}) group by c.geoid order by c.geoid`;
}

const LEAST_IN_TRACT = 10;

/** Our median value of a tract's homes divided by that of its mortgaged homes. */
export const listLending = async (data: Queryable, market: string) =>
  listRows<{ loans: number; ratio: number }>(data)`
    with own as materialized (
      select fips, census_tract, percentile_cont(0.5) within group (order by value) as value from properties
      where fips = any (${await listCountiesOf(data, market)}) and market = ${market} and status = 'active'
        and property_type = any (${HOME_TYPES}) group by 1, 2 having count(value) >= ${LEAST_IN_TRACT})
    select (v.vals->'loans')::int as loans, own.value / (v.vals->'median_value')::float8 as ratio
    from own join layer_values v on v.layer = 'lending' and v.kind = 'tract' and v.fips = own.fips
      and v.key = own.census_tract
    where (v.vals->'loans')::int >= ${LEAST_IN_TRACT} and (v.vals->'median_value')::float8 > 0`;

/** Changes whenever a report's data-plane inputs change. */
export async function findDataToken(data: Queryable, market: string): Promise<string> {
  const counties = await listCountiesOf(data, market);
  const token = getValue<string>(data);
  return [
    await findSalesToken(data, market),
    await token`select coalesce(max(model), '') || ':' || count(*) as token from tested_sales
      where fips = any (${counties}) and market = ${market}`,
    await token`select count(*) as token from sampled_values where fips = any (${counties}) and market = ${market}`,
  ].join(':');
}

export const countOperatorVerdicts = async (data: Queryable, market: string) =>
  getValue<number>(data)`select count(*)::int as count from sale_verdicts
    where fips = any (${await listCountiesOf(data, market)}) and market = ${market} and decided_by = 'operator'`;

export interface SampleKey {
  market: string;
  sampled_on: string;
  model: string;
}

export const findLastSample = async (data: Queryable, market: string) =>
  findRow<SampleKey>(data)`select market, sampled_on, model from sampled_values
    where fips = any (${await listCountiesOf(data, market)}) and market = ${market}
    order by sampled_on desc, sampled_at desc limit 1`;

/**
 * Copies the stored values of homes with a small enough hash. Nobody can choose them, because an id is itself a hash of
 * the parcel number. The same homes are drawn every time, with more or fewer of them as the market grows.
 */
export async function insertSample(
  data: Queryable,
  { market, sampled_on, model }: SampleKey,
  { at, salt, most }: { at: Date; salt: string; most: number },
): Promise<number> {
  const counties = await listCountiesOf(data, market);
  const { homes } = await getRow<{ homes: number }>(data)`select greatest(count(*), 1) as homes from properties
    where fips = any (${counties}) and market = ${market} and status = 'active' and value is not null
      and value_model = ${model}`;
  return changeRows(data)`insert into sampled_values
      (fips, property_id, market, sampled_on, sampled_at, model, valued_on, value, value_low, value_high, fsd)
    select p.fips, p.id, p.market, ${sampled_on}::date, ${at}::timestamptz, ${model}::text, p.valued_on, p.value, p.value_low,
      p.value_high, p.value_fsd
    from properties p
    where p.fips = any (${counties}) and p.market = ${market} and p.status = 'active' and p.value is not null
      and p.value_model = ${model}
      and ('x' || encode(substring(sha256(convert_to(${salt} || p.id, 'UTF8')) for 4), 'hex'))::bit(32)::bigint
        < 4294967296.0 * ${most / homes}::float8
    on conflict do nothing`;
}

export const listSamples = (data: Queryable, market?: string) =>
  listRows<SampleKey & { homes: number }>(data)`select market, sampled_on, model, count(*)::int as homes
    from sampled_values where ${market ?? null}::text is null or market = ${market ?? null}
    group by market, sampled_on, model order by sampled_on, market, model`;

export const listSampled = async (data: Queryable, { market, sampled_on, model }: SampleKey) =>
  listRows<Pick<SoldRow, 'property_id' | 'value' | 'value_low' | 'value_high'> & { valued_on: string }>(
    data,
  )`select property_id, valued_on, value, value_low, value_high from sampled_values
    where fips = any (${await listCountiesOf(data, market)}) and market = ${market} and sampled_on = ${sampled_on}
      and model = ${model} order by fips, property_id`;

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

/** Sales of sampled homes, each with the last value stored before the day of the sale and before we loaded it. */
export async function listSold(data: Queryable, market: string): Promise<SoldRow[]> {
  const counties = await listCountiesOf(data, market);
  const { day } = await getRow<{ day: string | null }>(data)`select min(sampled_on) as day from sampled_values
    where fips = any (${counties}) and market = ${market}`;
  if (day === null) return [];
  return listRows<SoldRow>(data)`
    select t.property_id, s.sampled_on, t.sale_date, t.price, s.value, s.value_low, s.value_high, s.fsd
    from transactions t
    join lateral (
      select * from sampled_values s
      where s.fips = t.fips and s.fips = any (${counties}) and s.property_id = t.property_id
        and s.sampled_on < t.sale_date and s.sampled_at < t.loaded_at
      order by s.sampled_on desc, s.sampled_at desc limit 1
    ) s on true
    left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
      and v.decided_by = 'operator' and v.fips = any (${counties})
    where t.fips = any (${counties}) and t.market = ${market} and t.type = 'deed' and t.price >= 5000
      and coalesce(v.market_price, t.arms_length) is not false and t.sale_date > ${day}
      and t.date_precision <> 'year' and t.retired_at is null
    order by t.sale_date, t.property_id, t.id`;
}

export interface SealRow extends SampleKey {
  homes: number;
  root: Buffer;
  sealed_at: Date;
  signature: Buffer;
}

const SEAL = raw('market, sampled_on, model, homes, root, sealed_at, signature');

export const listSeals = (control: Queryable, market: string | null) =>
  listRows<SealRow>(control)`select ${SEAL} from sample_seals
    where ${market}::text is null or market = ${market} order by sealed_at, market, sampled_on`;

/** A sample's first seal is final. */
export const insertSeal = (control: Queryable, row: SealRow) =>
  insertRow(control, 'sample_seals', row, 'on conflict do nothing');

export interface ReportRow {
  market: string;
  model_version: string;
  token: string;
  report: QualityReport;
  measured_at: Date;
}

const REPORT = raw('market, model_version, token, report, measured_at');

export const findReport = (control: Queryable, market: string) =>
  findRow<ReportRow>(control)`select ${REPORT} from quality_reports where market = ${market}`;

export const saveReport = (control: Queryable, row: ReportRow) => replaceRow(control, 'quality_reports', 'market', row);

/** Counts the release decisions of a market. */
export const countModels = (control: Queryable, market: string) =>
  getRow<Record<'published' | 'refused' | 'forced', number>>(
    control,
  )`select count(*) filter (where state <> 'refused')::int as published,
      count(*) filter (where state = 'refused')::int as refused,
      count(*) filter (where state <> 'refused' and card->>'decision' like 'force%')::int as forced
    from models where market = ${market}`;

/** Accounts with unanchored receipts. */
export const listUnanchoredAccounts = (control: Queryable) =>
  listValues<string>(control)`with recursive waiting as (
      (select account_id from valuations where anchor_id is null order by account_id limit 1)
      union all
      select (select v.account_id from valuations v where v.anchor_id is null and v.account_id > w.account_id
              order by v.account_id limit 1)
      from waiting w where w.account_id is not null)
    select account_id from waiting where account_id is not null`;

export const listUnanchored = (control: Queryable, accountId: string, limit: number) =>
  listRows<{ id: string; mode: KeyMode }>(control)`select id, mode from valuations
    where anchor_id is null and account_id = ${accountId} order by created_at, id limit ${limit}
    for update skip locked`;

export interface AnchorRow {
  id: number;
  account_id: string;
  root: Buffer;
  receipts: number;
  hashes: Buffer;
  audit_sequence: number;
  anchored_at: Date;
}

export const insertAnchor = (control: Queryable, anchor: Omit<AnchorRow, 'id'>, receiptIds: string[]) =>
  changeRows(control)`with anchor as (
      insert into receipt_anchors (account_id, root, receipts, hashes, audit_sequence, anchored_at)
      values (${anchor.account_id}, ${anchor.root}, ${anchor.receipts}, ${anchor.hashes}, ${anchor.audit_sequence},
        ${anchor.anchored_at}) returning id)
    update valuations set anchor_id = anchor.id from anchor where valuations.id = any (${receiptIds})`;

export const findAnchorOf = (control: Queryable, receiptId: string) =>
  findRow<AnchorRow>(control)`
    select a.id, a.account_id, a.root, a.receipts, a.hashes, a.audit_sequence, a.anchored_at
    from valuations v join receipt_anchors a on a.id = v.anchor_id where v.id = ${receiptId}`;

/** Oldest first, without their hashes. */
export const listAnchors = (control: Queryable, accountId: string, since: Date, after: number, limit: number) =>
  listRows<Omit<AnchorRow, 'hashes'>>(control)`
    select id, account_id, root, receipts, audit_sequence, anchored_at from receipt_anchors
    where account_id = ${accountId} and id > ${after} and anchored_at >= ${since} order by id limit ${limit}`;

export const countAnchored = (control: Queryable, accountId: string) =>
  getRow<{ receipts: number; anchors: number; last_anchored_at: Date | null }>(
    control,
  )`select coalesce(sum(receipts), 0)::int as receipts, count(*)::int as anchors,
      max(anchored_at) as last_anchored_at
    from receipt_anchors where account_id = ${accountId}`;

/** A page of anchored receipts, in the order of their ids. */
export const listAnchoredIds = (control: Queryable, after: string, limit: number) =>
  listValues<string>(control)`select id from valuations
    where anchor_id is not null and id > ${after} order by id limit ${limit}`;

/** The result of the last check of an account's audit log. */
export const findAuditCheck = (control: Queryable, accountId: string) =>
  findRow<{ checked_at: Date; broken_sequence: number | null }>(control)`select checked_at, broken_sequence
    from audit_checks where account_id = ${accountId}`;
