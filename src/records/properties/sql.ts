// Every query on property records except the search query, which is built in search-sql.ts.
import { changeRows, findRow, hasRow, listRows, listValues, part, raw } from '../../base/db/statements.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { compactApn } from '../../base/lib/ids.ts';
import type { Verdict } from './market-price.ts';
import type { Assessment, Parcel, Property, Structure, Tax, TenureColumns, Transaction } from './schema.ts';
import type { LayerColumns } from '../../supply/layers/layers.ts';

type Same = 'latitude' | 'longitude' | 'geo_precision' | 'sqft' | 'bedrooms' | 'bathrooms' | 'status';
/** Members returned exactly as stored. */
type Stated = Required<Pick<Property, Same>> & Omit<Parcel, 'lot_acres'> & Structure;

export interface PropertyRow extends LayerColumns, TenureColumns, Stated {
  fips: number;
  id: string;
  market: string;
  state: string;
  apn: string;
  apn_normalized: string;
  unit_key: string;
  address_line1: string | null;
  address_unit: string | null;
  city: string | null;
  zip: string | null;
  zip4: string | null;
  property_type: string;
  census_tract_vintage: number | null;
  census_tract_2010: string | null;
  block_group: string | null;
  extras: Record<string, unknown>;
  owner_type: string | null;
  owner_occupied: boolean | null;
  assessed_value: number | null;
  assessed_year: number | null;
  last_sale_date: string | null;
  last_sale_price: number | null;
  last_sale_id: string | null;
  value: number | null;
  value_low: number | null;
  value_high: number | null;
  value_fsd: number | null;
  value_model: string | null;
  valued_on: string | null;
  provenance: StoredProvenance;
  load_id: number;
  updated_at: Date;
}

/** `default` is the source of every field not named; `others` are the values that were not chosen. */
export interface StoredProvenance {
  default?: string;
  fields?: Record<string, { source: string; known_on?: string | null; others?: { source: string; value: unknown }[] }>;
}

type Shown = Omit<
  Transaction,
  'object' | 'buyers' | 'sellers' | 'source' | 'market_price' | 'market_price_reason' | 'market_price_note'
>;
export interface TransactionRow extends Shown {
  /** How it was joined to the property, if it names no parcel. */
  joined_by: string | null;
  fips: number;
  buyers: string[];
  sellers: string[];
  known_on: string;
  source_id: string;
  /** Null if the load's own rules decide. */
  verdict: Verdict | null;
}

export interface OwnerRow {
  property_id: string;
  names: string[];
  type: string;
  owner_occupied: boolean | null;
  mailing_address: string | null;
  owned_since: string | null;
}

export interface AssessmentRow extends Omit<Assessment, 'source'> {
  property_id: string;
  source_id: string;
}

export interface TaxRow extends Omit<Tax, 'source' | 'amount' | 'rate'> {
  property_id: string;
  amount_cents: number | null;
  source_id: string;
}

export interface ChangeRow {
  fips: number;
  seq: number;
  property_id: string;
  kind: string;
  op: 'insert' | 'update' | 'retire';
  changed_fields: string[];
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  occurred_at: Date;
}

export const findProperty = (db: Queryable, fips: number, id: string) =>
  findRow<PropertyRow>(db, 'find_property')`select * from properties where fips = ${fips} and id = ${id}`;

export const listProperties = (db: Queryable, keys: PropertyKey[]) =>
  listRows<PropertyRow>(db, 'list_properties')`
    select p.* from properties p join ${keysOf(keys)} on p.fips = k.fips and p.id = k.id where p.fips = any(${countiesOf(keys)})`;

/** Parcel numbers as written that have one of these compact forms. */
export const listParcelNumbers = (db: Queryable, fips: number, compact: string[]) =>
  listValues<string>(db, 'list_parcel_numbers')`
    select distinct apn from properties where fips = ${fips} and apn_normalized = any(${compact}) order by apn limit 50`;

/** A few parcel numbers of a county, to see how it writes them. */
export const sampleParcelNumbers = (db: Queryable, fips: number) =>
  listValues<string>(db, 'sample_parcel_numbers')`
    select apn from properties where fips = ${fips} limit 200`;

/** The properties of these parcel numbers: the parcel itself before its units, retired ones only if there are no
    others. */
export async function listByApn(db: Queryable, fips: number, apns: string[]): Promise<PropertyRow[]> {
  const rows = await listRows<PropertyRow>(db, 'list_by_apn')`
    select * from properties
    where fips = ${fips} and apn = any(${apns}) and apn_normalized = any(${[...new Set(apns.map(compactApn))]})
    order by (status = 'active') desc, (unit_key = '') desc, apn, id limit 50`;
  const active = rows.filter((row) => row.status === 'active');
  return active.length > 0 ? active : rows;
}

export const listSuccessors = (db: Queryable, fips: number, id: string) =>
  listRows<{ successor_id: string; kind: string }>(db)`
    select successor_id, kind from lineage where fips = ${fips} and property_id = ${id} order by successor_id`;

export interface PropertyKey {
  fips: number;
  id: string;
}

const countiesOf = (properties: readonly PropertyKey[]) => properties.map(({ fips }) => fips);
const keysOf = (properties: readonly PropertyKey[]) =>
  part`unnest(${countiesOf(properties)}::int[], ${properties.map(({ id }) => id)}::text[]) as k (fips, id)`;

/** A table's rows `t` for several properties at once: one round trip for a whole page. The list of counties limits it
    to their shards. */
const ofProperties = (table: string, properties: readonly PropertyKey[]) =>
  part`${raw(table)} t join ${keysOf(properties)}
    on t.fips = k.fips and t.property_id = k.id and t.fips = any(${countiesOf(properties)})`;

export const listOwners = (db: Queryable, properties: PropertyKey[]) =>
  listRows<OwnerRow>(db)`
    select t.property_id, t.names, t.type, t.owner_occupied, t.mailing_address, t.owned_since
    from ${ofProperties('owners', properties)} where t.ended_on is null order by t.property_id, t.known_on desc`;

export const listSuppressed = (db: Queryable, properties: PropertyKey[]) =>
  listValues<string>(db)`
    select t.property_id from ${ofProperties('owner_suppressions', properties)}`;

export async function suppressOwner(client: Client, { fips, id }: PropertyKey, reason: string, now: Date) {
  await changeRows(client)`
    insert into owner_suppressions (fips, property_id, reason, suppressed_at) values (${fips}, ${id}, ${reason}, ${now})
    on conflict (fips, property_id) do update set reason = excluded.reason`;
  // The row stays, so that the record can say that its owner asked not to be shown.
  await changeRows(client)`
    update owners set names = '{}', mailing_address = null where fips = ${fips} and property_id = ${id}`;
  await changeRows(client)`
    update transactions set buyers = '{}', sellers = '{}' where fips = ${fips} and property_id = ${id}`;
  await deleteParties(client, fips, [id]);
}

/** Removes properties from the name index, and words that no other name uses from the word list. */
export async function deleteParties(client: Client, fips: number, properties: readonly string[]): Promise<void> {
  const keys = await listRows<{ key: string }>(client)`
    with gone as (
      delete from parties where fips = ${fips} and property_id = any(${properties})
      returning fips, property_id, ordinal, keys
    )
    delete from party_keys k using (select fips, property_id, ordinal, unnest(keys) as key from gone) g
    where k.key = g.key and k.fips = g.fips and k.property_id = g.property_id and k.ordinal = g.ordinal and k.fips = ${fips}
    returning k.key`;
  const gone: string[] = [];
  // One by one, because a list of words on the coordinator of a cluster cannot be compared with keys on its workers.
  for (const word of new Set(keys.map(({ key }) => key.split(' ')[0])))
    if (!(await hasRow(client)`select 1 from party_keys where key >= ${`${word} `} and key < ${`${word}!`} limit 1`))
      gone.push(word);
  await changeRows(client)`delete from name_spellings where word = any(${gone})`;
}

export const endSuppression = (db: Queryable, { fips, id }: PropertyKey) =>
  changeRows(db)`
    delete from owner_suppressions where fips = ${fips} and property_id = ${id}`;

export const listAssessments = (db: Queryable, properties: PropertyKey[]) =>
  listRows<AssessmentRow>(db)`
    select t.property_id, t.year, t.land, t.improvements, t.total, t.market_total, t.source_id
    from ${ofProperties('assessments', properties)} order by t.year desc`;

export const listTaxes = (db: Queryable, properties: PropertyKey[]) =>
  listRows<TaxRow>(db)`
    select t.property_id, t.year, t.amount_cents, t.exemptions, t.status, t.source_id
    from ${ofProperties('taxes', properties)} order by t.year desc`;

const TRANSACTION_COLUMNS = `t.fips, t.property_id, t.id, t.type, t.document_type, t.document_number, t.book, t.page, t.recording_date,
  t.sale_date, t.date_precision, t.price, t.arms_length, t.arms_length_reason, t.buyers, t.sellers, t.lender, t.loan_amount,
  t.refers_to, t.joined_by, t.known_on, t.source_id,
  case when v.fips is not null then
    jsonb_build_object('market_price', v.market_price, 'reason', v.reason, 'note', v.note, 'decided_by', v.decided_by) end as verdict`;
const withVerdict = (counties: number[]) =>
  part`left join sale_verdicts v
    on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id and v.fips = any(${counties})`;
const DATED_ON = 'coalesce(t.sale_date, t.recording_date, t.known_on)';

export const listTransactions = (db: Queryable, properties: PropertyKey[]) =>
  listRows<TransactionRow>(db)`
    select ${raw(TRANSACTION_COLUMNS)} from ${ofProperties('transactions', properties)} ${withVerdict(countiesOf(properties))}
    where t.retired_at is null order by ${raw(DATED_ON)} desc, t.id desc`;

/** Newest first; `after` is the (date, id) of the last row seen. */
export const listTransactionPage = (
  db: Queryable,
  { fips, id }: PropertyKey,
  { type, after, limit }: { type?: string; after?: [string, string]; limit: number },
) =>
  listRows<TransactionRow>(db)`
    select ${raw(TRANSACTION_COLUMNS)} from transactions t ${withVerdict([fips])}
    where t.fips = ${fips} and t.property_id = ${id} and t.retired_at is null
      ${type === undefined ? raw('') : part`and t.type = ${type}`}
      ${after ? part`and (${raw(DATED_ON)}, t.id) < (${after[0]}::date, ${after[1]})` : raw('')}
    order by ${raw(DATED_ON)} desc, t.id desc limit ${limit}`;

export const listShapes = (db: Queryable, properties: readonly PropertyKey[]) =>
  listRows<{ property_id: string; shape: Buffer }>(db)`
    select t.property_id, t.shape from ${ofProperties('parcel_shapes', properties)}`;

const ADDRESS_COLUMNS =
  'p.id, p.market, p.latitude, p.longitude, p.address_line1, p.address_unit, p.city, p.state, p.zip';
type ShapeAt = Pick<
  PropertyRow,
  'id' | 'market' | 'latitude' | 'longitude' | 'address_line1' | 'address_unit' | 'city' | 'state' | 'zip'
> & { cell_fine: number | null; shape: Buffer };

/** Active parcels in the cells whose box contains the point; the caller tests the shapes themselves. */
export const listShapesAt = (
  db: Queryable,
  cells: number[],
  { latitude, longitude }: { latitude: number; longitude: number },
  { markets, counties }: { markets: string[]; counties: number[] },
) =>
  listRows<ShapeAt>(db, 'list_shapes_at')`
    select ${raw(ADDRESS_COLUMNS)}, p.cell_fine, s.shape
    from parcel_shapes s join properties p on p.fips = s.fips and p.id = s.property_id
    where s.cell = any(${cells}::bigint[]) and s.min_latitude <= ${latitude} and s.max_latitude >= ${latitude}
      and s.min_longitude <= ${longitude} and s.max_longitude >= ${longitude} and p.status = 'active' and p.market = any(${markets})
      and s.fips = any(${counties}::int[]) and p.fips = any(${counties}::int[])`;

interface LineageRow {
  fips: number;
  property_id: string;
  side: 'predecessors' | 'successors';
  other_id: string;
  apn: string;
  kind: 'merged' | 'split' | 'renumbered';
  happened_on: string;
}

export const listLineage = (db: Queryable, properties: readonly PropertyKey[]) =>
  listRows<LineageRow>(db)`
    select l.fips, l.property_id, l.side, l.other_id, p.apn, l.kind, l.happened_on
    from (
      select t.fips, t.property_id, 'successors' as side, t.successor_id as other_id, t.kind, t.happened_on
      from ${ofProperties('lineage', properties)}
      union all
      select t.fips, t.successor_id, 'predecessors', t.property_id, t.kind, t.happened_on
      from lineage t
      where t.fips = any(${countiesOf(properties)}) and t.successor_id = any(${properties.map(({ id }) => id)})
    ) l
    join properties p on p.fips = l.fips and p.id = l.other_id and p.fips = any(${countiesOf(properties)})
    order by l.property_id, l.happened_on desc, l.other_id`;

export const listChanges = (db: Queryable, property: PropertyKey, before: number | undefined, limit: number) =>
  listRows<ChangeRow>(db)`
    select fips, seq, property_id, kind, op, changed_fields, before, after, occurred_at from changes
    where fips = ${property.fips} and property_id = ${property.id} and seq < ${before ?? Number.MAX_SAFE_INTEGER}
    order by seq desc limit ${limit}`;
