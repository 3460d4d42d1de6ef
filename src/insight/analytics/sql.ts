// Every query of the market analysis.
import { copyRows } from '../../base/db/copy.ts';
import { announceCatalog } from '../../base/db/catalog-news.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';
import type { Kind, Step } from './cells.ts';
import { FIGURES, NOW, type Column, type Figure, type RankRow } from './ranks.ts';
import type { KeptCell } from './revisions.ts';
import { RESIDENTIAL } from './segments.ts';
import type { Stock } from './stock.ts';

export interface SaleRow {
  fips: number;
  property_id: string;
  sale_date: string;
  date_precision: 'day' | 'month' | 'year';
  price: number;
  sqft: number | null;
  bedrooms: number | null;
  year_built: number | null;
  assessed: number | null;
  property_type: string;
  source_id: string;
  city: string | null;
  zip: string | null;
  census_tract: string | null;
  neighborhood: string | null;
}

export interface RollupRow {
  token: string;
  first_sale_on: string | null;
  last_sale_on: string | null;
  /** Whether every home is on record, or only those that sold. */
  is_roll: boolean;
  rolled_up_at: Date;
}

export interface SeriesKey {
  kind: Kind;
  area: string;
  property_type: string;
  step: Step;
}

export type SeriesRow = SeriesKey & { fips: number; n: number; homes: number | null; cells: KeptCell[] };

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
  const loads = await db.query<{ token: string }>(
    `select coalesce(max(id), 0) || ':' || count(*) as token from loads
     where (market = $1 or market is null) and state = 'completed'`,
    [market],
  );
  const verdicts = await db.query<{ token: string }>(
    `select count(*) || ':' || coalesce(extract(epoch from max(decided_at))::text, '') as token from sale_verdicts
     where fips = any ($2) and market = $1`,
    [market, await listCountiesOf(db, market)],
  );
  return `${loads.rows[0].token}:${verdicts.rows[0].token}`;
}

/** Changes whenever the homes of the market are valued: all of them are at once, so that the first thousand tell. */
export async function findValuedToken(db: Queryable, market: string, fips: number): Promise<string> {
  const { rows } = await db.query<{ token: string }>(
    `select coalesce(max(value_model) || ' ' || max(valued_on), '') as token from
       (select value_model, valued_on from properties where fips = $2 and market = $1 order by id limit 1000) p`,
    [market, fips],
  );
  return rows[0].token;
}

export async function findRollup(db: Queryable, market: string): Promise<RollupRow | undefined> {
  const { rows } = await db.query<RollupRow>(
    'select token, first_sale_on, last_sale_on, is_roll, rolled_up_at from sales_rollups where market = $1 order by rolled_up_at desc limit 1',
    [market],
  );
  return rows[0];
}

const ROWS_AT_A_TIME = 10_000;

/** What makes a sale count, and what is read of it; `t` is the deed, `p` the home. `$1` are the counties. */
const SALE_COLUMNS = `p.fips, t.property_id, t.sale_date, t.date_precision, t.price, p.property_type, t.source_id,
  coalesce(nullif((t.attributes->>'sqft')::double precision, 0), nullif(p.sqft, 0)) as sqft,
  coalesce((t.attributes->>'bedrooms')::double precision, p.bedrooms) as bedrooms,
  coalesce(nullif((t.attributes->>'year_built')::double precision, 0), nullif(p.year_built, 0)) as year_built,
  a.assessed, nullif(upper(trim(p.city)), '') as city, p.zip, p.census_tract,
  nullif(upper(trim(p.neighborhood)), '') as neighborhood`;
const SALE_TABLES = `transactions t
  join properties p on p.fips = t.fips and p.id = t.property_id and p.fips = any ($1)
  left join sale_verdicts v
    on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id and v.fips = any ($1)
  left join lateral (
    select coalesce(s.market_total, s.total) as assessed from assessments s
    where s.fips = t.fips and s.property_id = t.property_id and s.fips = any ($1)
      and s.year between extract(year from t.sale_date) - 2 and extract(year from t.sale_date)
    order by s.year desc limit 1
  ) a on true`;
const IS_SALE = `t.type = 'deed' and t.price > 0 and coalesce(v.market_price, t.arms_length) is not false
  and t.retired_at is null and t.fips = any ($1)`;

/** Passes the arm's-length sales of a market up to a day to `take`, some thousand at a time. */
export async function readSales(
  client: Client,
  market: string,
  upTo: string,
  take: (rows: SaleRow[]) => void,
): Promise<void> {
  await client.query(
    `declare sales_of_market no scroll cursor for
     select ${SALE_COLUMNS} from ${SALE_TABLES} where t.market = $2 and ${IS_SALE} and t.sale_date <= $3`,
    [await listCountiesOf(client, market), market, upTo],
  );
  await fetchAll(client, 'sales_of_market', take);
}

async function fetchAll<Row extends object>(client: Client, cursor: string, take: (rows: Row[]) => void) {
  for (let isMore = true; isMore;) {
    const { rows } = await client.query<Row>(`fetch ${ROWS_AT_A_TIME} from ${cursor}`);
    take(rows);
    isMore = rows.length > 0;
  }
  await client.query(`close ${cursor}`);
}

export interface HomeRow {
  fips: number;
  property_type: string;
  sqft: number | null;
  bedrooms: number | null;
  year_built: number | null;
  owner_occupied: boolean | null;
  value: number | null;
  valued_on: string | null;
  value_model: string | null;
  latitude: number | null;
  longitude: number | null;
  city: string | null;
  zip: string | null;
  census_tract: string | null;
  neighborhood: string | null;
  /** Null where the layer does not cover the home. */
  permit_count: number | null;
  open_violations: number | null;
  open_tax_liens: number | null;
  permits_by_year: Record<string, number> | null;
  violations_by_year: Record<string, number> | null;
  liens_by_year: Record<string, number> | null;
}

/** Passes the homes of a market to `take`, some thousand at a time. */
export async function readHomes(client: Client, market: string, take: (rows: HomeRow[]) => void): Promise<void> {
  const byYear = (table: string, day: string) =>
    `(select fips, property_id, jsonb_object_agg(year, n) as years from (
        select fips, property_id, extract(year from ${day})::int as year, count(*) as n from ${table}
        where fips = any ($2) and ${day} is not null group by 1, 2, 3
      ) y group by 1, 2)`;
  await client.query(
    `declare homes_of_market no scroll cursor for
     select p.fips, p.property_type, nullif(p.sqft, 0) as sqft, p.bedrooms, nullif(p.year_built, 0) as year_built,
       p.owner_occupied, p.value, p.valued_on, p.value_model, p.latitude, p.longitude, nullif(upper(trim(p.city)), '') as city, p.zip, p.census_tract,
       nullif(upper(trim(p.neighborhood)), '') as neighborhood, p.permit_count, p.open_violations, p.open_tax_liens,
       permits.years as permits_by_year, violations.years as violations_by_year, liens.years as liens_by_year
     from properties p
     left join ${byYear('permits', 'issue_date')} permits on permits.fips = p.fips and permits.property_id = p.id
     left join ${byYear('code_violations', 'opened_date')} violations
       on violations.fips = p.fips and violations.property_id = p.id
     left join ${byYear('tax_liens', 'filing_date')} liens on liens.fips = p.fips and liens.property_id = p.id
     where p.fips = any ($2) and p.market = $1 and p.status = 'active'`,
    [market, await listCountiesOf(client, market)],
  );
  await fetchAll(client, 'homes_of_market', take);
}

/** The sales of some homes, oldest first. */
export async function listSalesOfHomes(
  db: Queryable,
  homes: { fips: number; id: string }[],
  upTo: string,
): Promise<SaleRow[]> {
  const { rows } = await db.query<SaleRow>(
    `select ${SALE_COLUMNS}
     from unnest($1::int[], $2::text[]) as wanted (fips, id)
     join ${SALE_TABLES.replace('transactions t', 'transactions t on t.fips = wanted.fips and t.property_id = wanted.id')}
     where ${IS_SALE} and t.sale_date <= $3`,
    [homes.map(({ fips }) => fips), homes.map(({ id }) => id), upTo],
  );
  return rows;
}

/** The series of a market as they are kept now. */
export async function listSeriesOfMarket(db: Queryable, market: string): Promise<SeriesRow[]> {
  const { rows } = await db.query<SeriesRow>(
    'select fips, kind, area, property_type, step, n, homes, cells from sales_series where market = $1',
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
    ['fips', 'market', 'kind', 'area', 'property_type', 'step', 'n', 'homes', 'cells'],
    rows.map((row) => [row.fips, market, row.kind, row.area, row.property_type, row.step, row.n, row.homes, row.cells]),
  );
}

export async function replaceSummaries(client: Client, market: string, fips: number, stock: Stock[]): Promise<void> {
  await client.query('delete from area_summaries where market = $1', [market]);
  await copyRows(
    client,
    'area_summaries',
    ['fips', 'market', 'kind', 'area', 'homes', 'summary'],
    stock.map((each) => [fips, market, each.kind, each.area, each.homes[RESIDENTIAL] ?? 0, each]),
  );
}

export async function listRankRows(db: Queryable, market: string): Promise<RankRow[]> {
  const { rows } = await db.query<Omit<RankRow, 'figures'> & RankRow['figures']>(
    `select kind, property_type, step, starts, names as areas, places, ${FIGURES.join(', ')}
     from area_rankings where market = $1`,
    [market],
  );
  return rows.map(({ kind, property_type, step, starts, areas, places, ...columns }) => {
    const known = Object.entries(columns).filter(([, column]) => column !== null);
    return { kind, property_type, step, starts, areas, places, figures: Object.fromEntries(known) };
  });
}

export async function deleteRankRows(client: Client, market: string, keys: RankRow[]): Promise<void> {
  await client.query(
    `delete from area_rankings r using unnest($2::text[], $3::text[], $4::text[], $5::date[]) as k (kind, type, step, starts)
     where r.market = $1 and r.kind = k.kind and r.property_type = k.type and r.step = k.step and r.starts = k.starts`,
    [
      market,
      keys.map((key) => key.kind),
      keys.map((key) => key.property_type),
      keys.map((key) => key.step),
      keys.map((key) => key.starts),
    ],
  );
}

export async function insertRankRows(client: Client, market: string, fips: number, rows: RankRow[]): Promise<void> {
  await copyRows(
    client,
    'area_rankings',
    ['fips', 'market', 'kind', 'property_type', 'step', 'starts', 'names', 'places', ...FIGURES],
    rows.map(({ kind, property_type, step, starts, areas, places, figures }) => {
      const key = [fips, market, kind, property_type, step, starts];
      return [...key, JSON.stringify(areas), places, ...FIGURES.map((figure) => figures[figure])];
    }),
  );
}

export async function upsertRollup(
  client: Client,
  market: string,
  { fips, token, first_sale_on, last_sale_on, is_roll, rolled_up_at }: RollupRow & { fips: number },
): Promise<void> {
  await client.query('delete from sales_rollups where market = $1 and fips <> $2', [market, fips]);
  await client.query(
    `insert into sales_rollups (fips, market, token, first_sale_on, last_sale_on, is_roll, rolled_up_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (fips, market) do update set token = excluded.token, first_sale_on = excluded.first_sale_on,
       last_sale_on = excluded.last_sale_on, is_roll = excluded.is_roll, rolled_up_at = excluded.rolled_up_at`,
    [fips, market, token, first_sale_on, last_sale_on, is_roll, rolled_up_at],
  );
  await announceCatalog(client);
}

export interface FoundSeries {
  market: string;
  cells: KeptCell[];
  homes: number | null;
  last_sale_on: string | null;
  rolled_up_at: Date;
}

/** One series of an area; one per market where several have the area. */
export async function findSeries(
  db: Queryable,
  { kind, area, step, propertyType }: { kind: Kind; area: string; step: Step; propertyType: string },
  markets: string[],
): Promise<FoundSeries[]> {
  const { rows } = await db.query<FoundSeries>({
    name: 'find_sales_series',
    text: `select s.market, s.cells, s.homes, r.last_sale_on, r.rolled_up_at
           from sales_series s join sales_rollups r on r.market = s.market and r.fips = s.fips
           where s.kind = $1 and s.area = $2 and s.property_type = $3 and s.step = $4 and s.market = any ($5)
           order by s.market`,
    values: [kind, area, propertyType, step, markets],
  });
  return rows;
}

/** The markets with sales of any type in an area. */
export async function listHolders(
  db: Queryable,
  { kind, area }: { kind: Kind; area: string },
  markets: string[],
): Promise<Omit<FoundSeries, 'cells' | 'homes'>[]> {
  const { rows } = await db.query<Omit<FoundSeries, 'cells' | 'homes'>>(
    `select distinct s.market, r.last_sale_on, r.rolled_up_at
     from sales_series s join sales_rollups r on r.market = s.market and r.fips = s.fips
     where s.kind = $1 and s.area = $2 and s.market = any ($3) order by s.market`,
    [kind, area, markets],
  );
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

export interface SummaryRow {
  market: string;
  summary: Stock;
  is_roll: boolean;
  rolled_up_at: Date;
}

export async function findSummaries(
  db: Queryable,
  { kind, area }: { kind: Kind; area: string },
  markets: string[],
): Promise<SummaryRow[]> {
  const { rows } = await db.query<SummaryRow>({
    name: 'find_area_summaries',
    text: `select s.market, s.summary, r.is_roll, r.rolled_up_at
           from area_summaries s join sales_rollups r on r.market = s.market and r.fips = s.fips
           where s.kind = $1 and s.area = $2 and s.market = any ($3) order by s.market`,
    values: [kind, area, markets],
  });
  return rows;
}

export async function listRollups(db: Queryable, markets: string[]): Promise<(RollupRow & { market: string })[]> {
  const { rows } = await db.query<RollupRow & { market: string }>({
    name: 'list_sales_rollups',
    text: `select distinct on (market) market, token, first_sale_on, last_sale_on, is_roll, rolled_up_at from sales_rollups
           where market = any ($1) order by market, rolled_up_at desc`,
    values: [markets],
  });
  return rows;
}

export interface RankKey {
  kind: Kind;
  propertyType: string;
  step: RankRow['step'];
  starts: string;
}

/** A figure of a market's areas. */
export interface FigureRow {
  market: string;
  areas: string[];
  column: Column;
}

export async function listFigures(
  db: Queryable,
  markets: string[],
  { kind, propertyType, step, starts }: RankKey,
  figure: Figure,
): Promise<FigureRow[]> {
  const { rows } = await db.query<FigureRow>({
    name: `list_area_figures_${figure}`,
    text: `select market, names as areas, ${figure} as column from area_rankings
           where market = any ($1) and kind = $2 and property_type = $3 and step = $4 and starts = $5
             and ${figure} is not null`,
    values: [markets, kind, propertyType, step, starts],
  });
  return rows;
}

export interface PlacesRow {
  market: string;
  areas: string[];
  homes: Column;
  places: NonNullable<RankRow['places']>;
}

/** Where the areas of a kind are, and how many homes they have. */
export async function listPlaces(db: Queryable, markets: string[], kind: Kind): Promise<PlacesRow[]> {
  const { rows } = await db.query<PlacesRow>({
    name: 'list_area_places',
    text: `select market, names as areas, homes, places from area_rankings
           where market = any ($1) and kind = $2 and property_type = '${RESIDENTIAL}' and step = 'stock'
             and starts = '${NOW}' and places is not null`,
    values: [markets, kind],
  });
  return rows;
}
