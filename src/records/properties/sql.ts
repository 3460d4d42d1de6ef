// Every query on property records except the search query, which is built in search-sql.ts.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { compactApn } from '../../base/lib/ids.ts';
import type { LayerColumns } from '../../supply/layers/layers.ts';

export interface PropertyRow extends LayerColumns {
  fips: number;
  id: string;
  market: string;
  state: string;
  status: 'active' | 'retired';
  apn: string;
  apn_normalized: string;
  unit_key: string;
  address_line1: string | null;
  address_unit: string | null;
  city: string | null;
  zip: string | null;
  zip4: string | null;
  latitude: number | null;
  longitude: number | null;
  geo_precision: string | null;
  property_type: string;
  sqft: number | null;
  bedrooms: number | null;
  bathrooms: number | null;
  lot_sqft: number | null;
  zoning: string | null;
  land_use_code: string | null;
  land_use: string | null;
  legal_description: string | null;
  subdivision: string | null;
  neighborhood: string | null;
  census_tract: string | null;
  census_tract_vintage: number | null;
  census_tract_2010: string | null;
  block_group: string | null;
  year_built: number | null;
  effective_year_built: number | null;
  stories: number | null;
  units: number | null;
  rooms: number | null;
  baths_full: number | null;
  baths_half: number | null;
  garage_spaces: number | null;
  pool: boolean | null;
  heating: string | null;
  cooling: string | null;
  exterior: string | null;
  foundation: string | null;
  condition: string | null;
  quality: string | null;
  style: string | null;
  footprint_sqft: number | null;
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

export interface TransactionRow {
  fips: number;
  property_id: string;
  id: string;
  type: 'deed' | 'mortgage' | 'release' | 'foreclosure' | 'other';
  document_type: string | null;
  document_number: string | null;
  book: string | null;
  page: string | null;
  recording_date: string | null;
  sale_date: string | null;
  date_precision: 'day' | 'month' | 'year';
  price: number | null;
  arms_length: boolean | null;
  arms_length_reason: string | null;
  buyers: string[];
  sellers: string[];
  lender: string | null;
  loan_amount: number | null;
  refers_to: string[];
  known_on: string;
  source_id: string;
  /** Of an operator or of the market's model; null where the load's own rules decide. */
  verdict: {
    market_price: boolean;
    reason: string | null;
    note: string | null;
    decided_by: 'operator' | 'model';
  } | null;
}

export interface OwnerRow {
  property_id: string;
  names: string[];
  type: string;
  owner_occupied: boolean | null;
  mailing_address: string | null;
  owned_since: string | null;
}

export interface AssessmentRow {
  property_id: string;
  year: number;
  land: number | null;
  improvements: number | null;
  total: number | null;
  market_total: number | null;
  source_id: string;
}

export interface TaxRow {
  property_id: string;
  year: number;
  amount_cents: number | null;
  exemptions: string[];
  status: string | null;
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

export async function findProperty(db: Queryable, fips: number, id: string): Promise<PropertyRow | undefined> {
  const { rows } = await db.query<PropertyRow>({
    name: 'find_property',
    text: 'select * from properties where fips = $1 and id = $2',
    values: [fips, id],
  });
  return rows[0];
}

export async function listRows(db: Queryable, keys: PropertyKey[]): Promise<PropertyRow[]> {
  const { rows } = await db.query<PropertyRow>({
    name: 'list_rows',
    text: `select p.* from properties p join unnest($1::int[], $2::text[]) as k (fips, id) on p.fips = k.fips and p.id = k.id
           where p.fips = any($1)`,
    values: keysOf(keys),
  });
  return rows;
}

/** Parcel numbers as written that have one of these compact forms. */
export async function listParcelNumbers(db: Queryable, fips: number, compact: string[]): Promise<string[]> {
  const { rows } = await db.query<{ apn: string }>({
    name: 'list_parcel_numbers',
    text: 'select distinct apn from properties where fips = $1 and apn_normalized = any($2) order by apn limit 50',
    values: [fips, compact],
  });
  return rows.map((row) => row.apn);
}

/** A few parcel numbers of a county, to see how it writes them. */
export async function sampleParcelNumbers(db: Queryable, fips: number): Promise<string[]> {
  const { rows } = await db.query<{ apn: string }>({
    name: 'sample_parcel_numbers',
    text: 'select apn from properties where fips = $1 limit 200',
    values: [fips],
  });
  return rows.map((row) => row.apn);
}

/** The properties of these parcel numbers: the parcel itself before its units, and retired ones only if there are no
    others. */
export async function listByApn(db: Queryable, fips: number, apns: string[]): Promise<PropertyRow[]> {
  const { rows } = await db.query<PropertyRow>({
    name: 'list_by_apn',
    text: `select * from properties
      where fips = $1 and apn = any($2) and apn_normalized = any($3)
      order by (status = 'active') desc, (unit_key = '') desc, apn, id limit 50`,
    values: [fips, apns, [...new Set(apns.map(compactApn))]],
  });
  const active = rows.filter((row) => row.status === 'active');
  return active.length > 0 ? active : rows;
}

export async function listSuccessors(
  db: Queryable,
  fips: number,
  id: string,
): Promise<{ successor_id: string; kind: string }[]> {
  return (
    await db.query(
      'select successor_id, kind from lineage where fips = $1 and property_id = $2 order by successor_id',
      [fips, id],
    )
  ).rows;
}

/** A table's rows for several properties at once: one round trip for a whole page. The list of counties is what keeps it
    from asking the shards of others. */
const ofProperties = (columns: string, table: string, rest: string) =>
  `select ${columns} from ${table} t join unnest($1::int[], $2::text[]) as p (fips, id) on t.fips = p.fips and t.property_id = p.id and t.fips = any($1) ${rest}`;

interface PropertyKey {
  fips: number;
  id: string;
}

const keysOf = (properties: readonly PropertyKey[]) => [properties.map((p) => p.fips), properties.map((p) => p.id)];

export async function listOwners(db: Queryable, properties: PropertyKey[]): Promise<OwnerRow[]> {
  return (
    await db.query<OwnerRow>(
      ofProperties(
        't.property_id, t.names, t.type, t.owner_occupied, t.mailing_address, t.owned_since',
        'owners',
        'where t.ended_on is null order by t.property_id, t.known_on desc',
      ),
      keysOf(properties),
    )
  ).rows;
}

export async function listSuppressed(db: Queryable, properties: PropertyKey[]): Promise<string[]> {
  const { rows } = await db.query<{ property_id: string }>(
    ofProperties('t.property_id', 'owner_suppressions', ''),
    keysOf(properties),
  );
  return rows.map((row) => row.property_id);
}

export async function suppressOwner(
  client: Client,
  { fips, id }: PropertyKey,
  reason: string,
  now: Date,
): Promise<void> {
  await client.query(
    `insert into owner_suppressions (fips, property_id, reason, suppressed_at) values ($1, $2, $3, $4)
     on conflict (fips, property_id) do update set reason = excluded.reason`,
    [fips, id, reason, now],
  );
  // The row stays, so that the record can say that its owner asked not to be shown.
  await client.query(`update owners set names = '{}', mailing_address = null where fips = $1 and property_id = $2`, [
    fips,
    id,
  ]);
  await client.query(`update transactions set buyers = '{}', sellers = '{}' where fips = $1 and property_id = $2`, [
    fips,
    id,
  ]);
}

export async function endSuppression(db: Queryable, { fips, id }: PropertyKey): Promise<void> {
  await db.query('delete from owner_suppressions where fips = $1 and property_id = $2', [fips, id]);
}

export async function listAssessments(db: Queryable, properties: PropertyKey[]): Promise<AssessmentRow[]> {
  return (
    await db.query<AssessmentRow>(
      ofProperties(
        't.property_id, t.year, t.land, t.improvements, t.total, t.market_total, t.source_id',
        'assessments',
        'order by t.year desc',
      ),
      keysOf(properties),
    )
  ).rows;
}

export async function listTaxes(db: Queryable, properties: PropertyKey[]): Promise<TaxRow[]> {
  return (
    await db.query<TaxRow>(
      ofProperties(
        't.property_id, t.year, t.amount_cents, t.exemptions, t.status, t.source_id',
        'taxes',
        'order by t.year desc',
      ),
      keysOf(properties),
    )
  ).rows;
}

const TRANSACTION_COLUMNS = `t.fips, t.property_id, t.id, t.type, t.document_type, t.document_number, t.book, t.page, t.recording_date,
  t.sale_date, t.date_precision, t.price, t.arms_length, t.arms_length_reason, t.buyers, t.sellers, t.lender, t.loan_amount,
  t.refers_to, t.known_on, t.source_id,
  case when v.fips is not null then
    jsonb_build_object('market_price', v.market_price, 'reason', v.reason, 'note', v.note, 'decided_by', v.decided_by) end as verdict`;
const WITH_VERDICT = `left join sale_verdicts v
  on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id and v.fips = any($1)`;

export async function listTransactions(db: Queryable, properties: PropertyKey[]): Promise<TransactionRow[]> {
  return (
    await db.query<TransactionRow>(
      ofProperties(
        TRANSACTION_COLUMNS,
        'transactions',
        `${WITH_VERDICT} where t.retired_at is null
         order by coalesce(t.sale_date, t.recording_date, t.known_on) desc, t.id desc`,
      ),
      keysOf(properties),
    )
  ).rows;
}

/** Newest first; `after` is the (date, id) of the last row seen. */
export async function listTransactionPage(
  db: Queryable,
  property: PropertyKey,
  { type, after, limit }: { type?: string; after?: [string, string]; limit: number },
): Promise<TransactionRow[]> {
  return (
    await db.query<TransactionRow>(
      `select ${TRANSACTION_COLUMNS} from transactions t ${WITH_VERDICT}
     where t.fips = any($1) and t.property_id = $2 and t.retired_at is null and ($3::text is null or t.type = $3)
       and ($4::date is null or (coalesce(t.sale_date, t.recording_date, t.known_on), t.id) < ($4, $5))
     order by coalesce(t.sale_date, t.recording_date, t.known_on) desc, t.id desc limit $6`,
      [[property.fips], property.id, type ?? null, after?.[0] ?? null, after?.[1] ?? '', limit],
    )
  ).rows;
}

export async function listShapes(
  db: Queryable,
  properties: readonly PropertyKey[],
): Promise<{ property_id: string; shape: Buffer }[]> {
  return (await db.query(ofProperties('t.property_id, t.shape', 'parcel_shapes', ''), keysOf(properties))).rows;
}

interface ShapeAt {
  id: string;
  market: string;
  latitude: number | null;
  longitude: number | null;
  address_line1: string | null;
  address_unit: string | null;
  city: string | null;
  state: string;
  zip: string | null;
  cell_fine: number | null;
  shape: Buffer;
}

/** Active parcels filed under the cells whose box holds the point; the caller tests the shapes themselves. */
export async function listShapesAt(
  db: Queryable,
  cells: number[],
  { latitude, longitude }: { latitude: number; longitude: number },
  { markets, counties }: { markets: string[]; counties: number[] },
): Promise<ShapeAt[]> {
  const { rows } = await db.query<ShapeAt>({
    name: 'list_shapes_at',
    text: `select p.id, p.market, p.latitude, p.longitude, p.address_line1, p.address_unit, p.city, p.state, p.zip, p.cell_fine, s.shape
      from parcel_shapes s join properties p on p.fips = s.fips and p.id = s.property_id
      where s.cell = any($1::bigint[]) and s.min_latitude <= $2 and s.max_latitude >= $2
        and s.min_longitude <= $3 and s.max_longitude >= $3 and p.status = 'active' and p.market = any($4)
        and s.fips = any($5::int[]) and p.fips = any($5::int[])`,
    values: [cells, latitude, longitude, markets, counties],
  });
  return rows;
}

interface LineageRow {
  fips: number;
  property_id: string;
  side: 'predecessors' | 'successors';
  other_id: string;
  apn: string;
  kind: 'merged' | 'split' | 'renumbered';
  happened_on: string;
}

export async function listLineage(db: Queryable, properties: readonly PropertyKey[]): Promise<LineageRow[]> {
  const { rows } = await db.query<LineageRow>(
    `select l.fips, l.property_id, l.side, l.other_id, p.apn, l.kind, l.happened_on
     from (
       select t.fips, t.property_id, 'successors' as side, t.successor_id as other_id, t.kind, t.happened_on
       from lineage t join unnest($1::int[], $2::text[]) as k (fips, id) on t.fips = k.fips and t.property_id = k.id
       where t.fips = any($1)
       union all
       select t.fips, t.successor_id, 'predecessors', t.property_id, t.kind, t.happened_on
       from lineage t where t.fips = any($1) and t.successor_id = any($2)
     ) l
     join properties p on p.fips = l.fips and p.id = l.other_id and p.fips = any($1)
     order by l.property_id, l.happened_on desc, l.other_id`,
    keysOf(properties),
  );
  return rows;
}

export async function listChanges(
  db: Queryable,
  property: PropertyKey,
  before: number | undefined,
  limit: number,
): Promise<ChangeRow[]> {
  return (
    await db.query<ChangeRow>(
      `select fips, seq, property_id, kind, op, changed_fields, before, after, occurred_at from changes
     where fips = $1 and property_id = $2 and ($3::bigint is null or seq < $3)
     order by seq desc limit $4`,
      [property.fips, property.id, before ?? null, limit],
    )
  ).rows;
}
