// Every query of the market analysis.
import { copyRows } from '../db/copy.ts';
import type { Client, Queryable } from '../db/postgres.ts';
import type { Kind, Step } from './cells.ts';
import type { KeptCell } from './revisions.ts';

export interface SaleRow {
  fips: number;
  sale_date: string;
  date_precision: 'day' | 'month' | 'year';
  price: number;
  sqft: number | null;
  property_type: string;
  source_id: string;
  city: string | null;
  zip: string | null;
  census_tract: string | null;
  neighborhood: string | null;
}

export interface RollupRow {
  token: string;
  last_sale_on: string | null;
  rolled_up_at: Date;
}

export interface SeriesKey {
  kind: Kind;
  area: string;
  property_type: string;
  step: Step;
}

export type SeriesRow = SeriesKey & { fips: number; n: number; cells: KeptCell[] };

/** Held until the transaction ends: a load and the schedule may come to the same market at once. */
export async function lockMarket(client: Client, market: string): Promise<void> {
  await client.query('set local statement_timeout = 0');
  await client.query(`select pg_advisory_xact_lock(hashtext('platbook sales series'), hashtext($1))`, [market]);
}

/** The county that keeps a market's series; undefined for a market without properties. */
export async function findKeeper(db: Queryable, market: string): Promise<number | undefined> {
  const { rows } = await db.query<{ fips: number | null }>(
    'select min(fips) as fips from property_counts where market = $1',
    [market],
  );
  return rows[0].fips ?? undefined;
}

/** Changes whenever a load of the market finishes, or anyone judges its sales anew. */
export async function findToken(db: Queryable, market: string): Promise<string> {
  const { rows } = await db.query<{ token: string }>(
    `select l.token || ':' || v.token as token from
       (select coalesce(max(id), 0) || ':' || count(*) as token from loads
        where (market = $1 or market is null) and state = 'completed') l,
       (select count(*) || ':' || coalesce(extract(epoch from max(decided_at))::text, '') as token from sale_verdicts
        where market = $1) v`,
    [market],
  );
  return rows[0].token;
}

export async function findRollup(db: Queryable, market: string): Promise<RollupRow | undefined> {
  const { rows } = await db.query<RollupRow>(
    'select token, last_sale_on, rolled_up_at from sales_rollups where market = $1 order by rolled_up_at desc limit 1',
    [market],
  );
  return rows[0];
}

const SALES_AT_A_TIME = 10_000;

/** Passes the arm's-length sales of a market up to a day to `take`, some thousand at a time. */
export async function readSales(
  client: Client,
  market: string,
  upTo: string,
  take: (rows: SaleRow[]) => void,
): Promise<void> {
  await client.query(
    `declare sales_of_market no scroll cursor for
     select p.fips, t.sale_date, t.date_precision, t.price, p.property_type, t.source_id,
       coalesce(nullif((t.attributes->>'sqft')::double precision, 0), nullif(p.sqft, 0)) as sqft,
       nullif(upper(trim(p.city)), '') as city, p.zip, p.census_tract,
       nullif(upper(trim(p.neighborhood)), '') as neighborhood
     from transactions t
     join properties p on p.fips = t.fips and p.id = t.property_id
     left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
     where t.market = $1 and t.type = 'deed' and t.price > 0 and coalesce(v.market_price, t.arms_length) is not false
       and t.sale_date <= $2 and t.retired_at is null`,
    [market, upTo],
  );
  for (let isMore = true; isMore;) {
    const { rows } = await client.query<SaleRow>(`fetch ${SALES_AT_A_TIME} from sales_of_market`);
    take(rows);
    isMore = rows.length > 0;
  }
  await client.query('close sales_of_market');
}

/** The series of a market as they are kept now. */
export async function listSeriesOfMarket(db: Queryable, market: string): Promise<SeriesRow[]> {
  const { rows } = await db.query<SeriesRow>(
    'select fips, kind, area, property_type, step, n, cells from sales_series where market = $1',
    [market],
  );
  return rows;
}

export async function deleteSeries(client: Client, market: string, keys: SeriesKey[]): Promise<void> {
  await client.query(
    `delete from sales_series s using unnest($2::text[], $3::text[], $4::text[], $5::text[]) as k (kind, area, type, step)
     where s.market = $1 and s.kind = k.kind and s.area = k.area and s.property_type = k.type and s.step = k.step`,
    [
      market,
      keys.map((key) => key.kind),
      keys.map((key) => key.area),
      keys.map((key) => key.property_type),
      keys.map((key) => key.step),
    ],
  );
}

export async function insertSeries(client: Client, market: string, rows: SeriesRow[]): Promise<void> {
  await copyRows(
    client,
    'sales_series',
    ['fips', 'market', 'kind', 'area', 'property_type', 'step', 'n', 'cells'],
    rows.map((row) => [row.fips, market, row.kind, row.area, row.property_type, row.step, row.n, row.cells]),
  );
}

export async function upsertRollup(
  client: Client,
  market: string,
  { fips, token, last_sale_on, rolled_up_at }: RollupRow & { fips: number },
): Promise<void> {
  await client.query('delete from sales_rollups where market = $1 and fips <> $2', [market, fips]);
  await client.query(
    `insert into sales_rollups (fips, market, token, last_sale_on, rolled_up_at) values ($1, $2, $3, $4, $5)
     on conflict (fips, market) do update set token = excluded.token, last_sale_on = excluded.last_sale_on,
       rolled_up_at = excluded.rolled_up_at`,
    [fips, market, token, last_sale_on, rolled_up_at],
  );
}

export interface FoundSeries {
  market: string;
  property_type: string;
  /** Of the wanted type only. */
  cells: KeptCell[] | null;
  last_sale_on: string | null;
  rolled_up_at: Date;
}

/** Every type on record for an area, with the cells of one of them. */
export async function findSeries(
  db: Queryable,
  { kind, area, step, propertyType }: { kind: Kind; area: string; step: Step; propertyType: string },
  markets: string[],
): Promise<FoundSeries[]> {
  const { rows } = await db.query<FoundSeries>({
    name: 'find_sales_series',
    text: `select s.market, s.property_type, case when s.property_type = $5 then s.cells end as cells,
             r.last_sale_on, r.rolled_up_at
           from sales_series s join sales_rollups r on r.market = s.market and r.fips = s.fips
           where s.kind = $1 and s.area = $2 and s.step = $3 and s.market = any ($4)
           order by s.market`,
    values: [kind, area, step, markets, propertyType],
  });
  return rows;
}

/** The areas of a kind with the most sales of any one type. */
export async function listLargestAreas(
  db: Queryable,
  kind: Kind,
  markets: string[],
  limit: number,
): Promise<{ market: string; area: string }[]> {
  const { rows } = await db.query<{ market: string; area: string }>(
    `select market, area from sales_series
     where market = any ($1) and kind = $2 and step = 'year' and property_type = 'residential'
     order by n desc, area limit $3`,
    [markets, kind, limit],
  );
  return rows;
}
