// Queries of the market analysis.
import { copyObjects, copyRows } from '../../base/db/copy.ts';
import { announceCatalog } from '../../base/db/catalog-news.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { insertRow } from '../../base/db/rows.ts';
import { changeRows, findRow, getValue, listRows, part, raw } from '../../base/db/statements.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';
import type { Filter } from '../../records/properties/filter.ts';
import type { Scope } from '../../records/properties/search-sql.ts';
import type { Kind, SaleFact, Step } from './cells.ts';
import { FIGURES, NOW, type Column, type Figure, type RankRow } from './ranks.ts';
import type { KeptCell } from './revisions.ts';
import { RESIDENTIAL } from './segments.ts';
import type { Square } from './squares.ts';
import type { HomeFact, Stock } from './stock.ts';

/** The named areas of a home, and its county. */
export type AreaNames = Record<Exclude<Kind, 'market' | 'county'>, string | null> & { fips: number };
export type SaleRow = Omit<SaleFact, 'areas'> & AreaNames;
export type HomeRow = Omit<HomeFact, 'areas'> & AreaNames & { id: string };

export interface RollupRow {
  fips: number;
  market: string;
  token: string;
  first_sale_on: string | null;
  last_sale_on: string | null;
  /** Whether every home is on record, not only those that sold. */
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

/** Held until the transaction ends: a load and the schedule may update the same market concurrently. */
export async function lockMarket(client: Client, market: string): Promise<void> {
  await changeRows(client)`set local statement_timeout = 0`;
  await changeRows(client)`select pg_advisory_xact_lock(hashtext('platbook sales series'), hashtext(${market}))`;
}

export interface Keeper {
  /** The county that keeps the market's series. */
  fips: number;
  /** Changes whenever a load of the market finishes, or verdicts on its sales change. */
  token: string;
  /** How often the market's homes were valued. */
  valued: number;
}

/** Undefined for a market without properties. */
export const findKeeper = (db: Queryable, market: string) =>
  findRow<Keeper>(db)`
    with done as (select market, max(id) || ':' || count(*) as token from loads
      where state = 'completed' and (market = ${market} or market is null) group by 1)
    select c.fips, coalesce(n.valued, 0) as valued, concat((select token from done where market is not null), ' ',
      (select token from done where market is null), ' ', coalesce(n.judged, 0)) as token
    from (select min(fips) as fips from property_counts where market = ${market}) c
    left join market_changes n on n.market = ${market} where c.fips is not null`;

const ROLLUP = raw('fips, market, token, first_sale_on, last_sale_on, is_roll, rolled_up_at');

export const findRollup = (db: Queryable, market: string) =>
  findRow<RollupRow>(db)`select ${ROLLUP} from sales_rollups where market = ${market}
    order by rolled_up_at desc limit 1`;

const ROWS_AT_A_TIME = 10_000;

/** Conditions for sales, and their columns; `t` is the deed, `p` the home. */
const AREAS = `nullif(upper(trim(p.city)), '') as city, p.zip, p.census_tract as tract,
  nullif(upper(trim(p.neighborhood)), '') as neighborhood`;
const SALE_COLUMNS = `p.fips, p.latitude, p.longitude, t.property_id as home, t.sale_date as "soldOn", t.date_precision = 'year' as "isYearOnly",
  t.price, p.property_type as "propertyType", t.source_id as source,
  coalesce(nullif((t.attributes->>'sqft')::double precision, 0), nullif(p.sqft, 0)) as sqft,
  coalesce((t.attributes->>'bedrooms')::double precision, p.bedrooms) as bedrooms,
  coalesce(nullif((t.attributes->>'year_built')::double precision, 0), nullif(p.year_built, 0)) as "yearBuilt",
  a.assessed, ${AREAS}`;
const saleTables = (counties: number[], on = '') => part`transactions t ${raw(on)}
  join properties p on p.fips = t.fips and p.id = t.property_id and p.fips = any (${counties})
  left join sale_verdicts v
    on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id and v.fips = any (${counties})
  left join lateral (
    select coalesce(s.market_total, s.total) as assessed from assessments s
    where s.fips = t.fips and s.property_id = t.property_id and s.fips = any (${counties})
      and s.year between extract(year from t.sale_date) - 2 and extract(year from t.sale_date)
    order by s.year desc limit 1
  ) a on true`;
const isSale = (
  counties: number[],
) => part`t.type = 'deed' and t.price > 0 and coalesce(v.market_price, t.arms_length) is not false
  and t.retired_at is null and t.fips = any (${counties})`;

/** Passes the arm's-length sales of a market up to a day to `take`, in batches of some thousand. */
export async function readSales(client: Client, market: string, upTo: string, take: (rows: SaleRow[]) => void) {
  const counties = await listCountiesOf(client, market);
  await changeRows(client)`declare sales_of_market no scroll cursor for
     select ${raw(SALE_COLUMNS)} from ${saleTables(counties)} where t.market = ${market} and ${isSale(counties)}
       and t.sale_date <= ${upTo}`;
  await fetchAll(client, 'sales_of_market', take);
}

async function fetchAll<Row extends object>(client: Client, cursor: string, take: (rows: Row[]) => void) {
  for (let isMore = true; isMore;) {
    const rows = await listRows<Row>(client)`fetch ${raw(ROWS_AT_A_TIME)} from ${raw(cursor)}`;
    take(rows);
    isMore = rows.length > 0;
  }
  await changeRows(client)`close ${raw(cursor)}`;
}

/** Passes the homes of a market to `take`, in batches of some thousand. */
export async function readHomes(client: Client, market: string, take: (rows: HomeRow[]) => void): Promise<void> {
  const counties = await listCountiesOf(client, market);
  const byYear = (table: string, day: string, isUnknown: string) =>
    part`(select fips, property_id, jsonb_object_agg(year, n) filter (where year is not null) as years, sum(unknown) as unknown
      from (
        select fips, property_id, extract(year from ${raw(day)})::int as year, count(*) as n,
          count(*) filter (where ${raw(isUnknown)}) as unknown
        from ${raw(table)} where fips = any (${counties}) group by 1, 2, 3
      ) y group by 1, 2)`;
  const counted = (count: string, layer: string) =>
    raw(`case when p.${count} is not null or ${layer}.unknown > 0 then jsonb_build_object('n', p.${count},
      'unknown', coalesce(${layer}.unknown, 0), 'byYear', ${layer}.years) end as ${layer}`);
  await changeRows(client)`declare homes_of_market no scroll cursor for
     select p.fips, p.id, p.property_type as "propertyType", nullif(p.sqft, 0) as sqft, p.bedrooms,
       nullif(p.year_built, 0) as "yearBuilt", p.owner_occupied as "isOwnerOccupied", p.value, p.valued_on as "valuedOn",
       p.value_model as model, bill.amount_cents / (100.0::float8 * nullif(p.value, 0)) as "taxRate", p.latitude, p.longitude, ${raw(AREAS)},
       ${counted('permit_count', 'permits')}, ${counted('open_violations', 'violations')},
       ${counted('open_tax_liens', 'liens')}
     from properties p
     left join ${byYear('permits', 'issue_date', 'false')} permits on permits.fips = p.fips and permits.property_id = p.id
     left join ${byYear('code_violations', 'opened_date', `status = 'unknown'`)} violations
       on violations.fips = p.fips and violations.property_id = p.id
     left join ${byYear('tax_liens', 'filing_date', `status = 'unknown'`)} liens on liens.fips = p.fips and liens.property_id = p.id
     left join (select distinct on (fips, property_id) fips, property_id, amount_cents from taxes
       where fips = any (${counties}) and amount_cents is not null order by fips, property_id, year desc) bill
       on bill.fips = p.fips and bill.property_id = p.id
     where p.fips = any (${counties}) and p.market = ${market} and p.status = 'active'`;
  await fetchAll(client, 'homes_of_market', take);
}

/** The sales of some homes, oldest first. */
export function listSalesOfHomes(db: Queryable, homes: { fips: number; id: string }[], upTo: string) {
  const fips = homes.map((home) => home.fips);
  // Deduplicated: every row is compared with all of them, and 6,426 copies of one county took 0.8 of 1.1 seconds.
  const counties = [...new Set(fips)];
  return listRows<SaleRow>(db)`select ${raw(SALE_COLUMNS)}
     from unnest(${fips}::int[], ${homes.map(({ id }) => id)}::text[]) as wanted (fips, id)
     join ${saleTables(counties, 'on t.fips = wanted.fips and t.property_id = wanted.id')}
     where ${isSale(counties)} and t.sale_date <= ${upTo}`;
}

/** The stored series of a market. */
export const listSeriesOfMarket = (db: Queryable, market: string) =>
  listRows<SeriesRow>(db)`select fips, kind, area, property_type, step, n, homes, cells from sales_series
    where market = ${market}`;

export function deleteSeries(client: Client, market: string, keys: SeriesKey[]): Promise<number> {
  const all = (name: keyof SeriesKey) => keys.map((key) => key[name]);
  return changeRows(client)`delete from sales_series s
    using unnest(${all('kind')}::text[], ${all('area')}::text[], ${all('property_type')}::text[], ${all('step')}::text[])
      as k (kind, area, type, step)
    where s.market = ${market} and s.kind = k.kind and s.area = k.area and s.property_type = k.type and s.step = k.step`;
}

export async function insertSeries(client: Client, market: string, rows: SeriesRow[]): Promise<void> {
  const whole = rows.map((row) => ({ market, ...row }));
  await copyObjects(client, 'sales_series', whole);
}

export async function replaceSummaries(client: Client, market: string, fips: number, stock: Stock[]): Promise<void> {
  await changeRows(client)`delete from area_summaries where market = ${market}`;
  const rows = stock.map((summary) => {
    const { kind, area, homes } = summary;
    return { fips, market, kind, area, homes: homes[RESIDENTIAL] ?? 0, summary };
  });
  await copyObjects(client, 'area_summaries', rows);
}

export async function replaceSquares(client: Client, market: string, squares: Square[]): Promise<void> {
  await changeRows(client)`delete from sales_squares where market = ${market}`;
  const rows = squares.map(({ sold, unsold, unsold_count, ...key }) => ({
    ...key,
    sold: JSON.stringify(sold),
    unsold_count,
    unsold: JSON.stringify(unsold),
  }));
  await copyObjects(client, 'sales_squares', rows);
}

/** The number of homes in the squares of a place. */
export const countInSquares = (db: Queryable, { markets, counties }: Scope, cells: number[]) =>
  getValue<number>(db)`select coalesce(sum(n), 0)::int from sales_squares
    where cell = any (${cells}::int[]) and market = any (${markets}) and fips = any (${counties}::int[])`;

export const listSquares = (
  db: Queryable,
  { markets, counties }: Scope,
  { cells, edge }: { cells: number[]; edge: ReadonlySet<number> },
) =>
  listRows<Square>(db)`select fips, market, cell, n, sold, unsold_count,
      case when cell = any (${[...edge]}::int[]) then unsold end as unsold
    from sales_squares
    where cell = any (${cells}::int[]) and market = any (${markets}) and fips = any (${counties}::int[])
    order by fips, market, cell`;

export async function listRankRows(db: Queryable, market: string): Promise<RankRow[]> {
  const rows = await listRows<Omit<RankRow, 'figures'> & RankRow['figures']>(db)`
    select kind, property_type, step, starts, names as areas, places, ${raw(FIGURES.join(', '))}
    from area_rankings where market = ${market}`;
  return rows.map(({ kind, property_type, step, starts, areas, places, ...columns }) => {
    const known = Object.entries(columns).filter(([, column]) => column !== null);
    return { kind, property_type, step, starts, areas, places, figures: Object.fromEntries(known) };
  });
}

export function deleteRankRows(client: Client, market: string, keys: RankRow[]): Promise<number> {
  const all = (name: keyof RankRow) => keys.map((key) => key[name]);
  return changeRows(client)`delete from area_rankings r
    using unnest(${all('kind')}::text[], ${all('property_type')}::text[], ${all('step')}::text[], ${all('starts')}::date[])
      as k (kind, type, step, starts)
    where r.market = ${market} and r.kind = k.kind and r.property_type = k.type and r.step = k.step
      and r.starts = k.starts`;
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

export async function upsertRollup(client: Client, row: RollupRow): Promise<void> {
  await changeRows(client)`delete from sales_rollups where market = ${row.market}`;
  await insertRow(client, 'sales_rollups', row);
  await announceCatalog(client);
}

interface AreaKey {
  kind: Kind;
  area: string;
}

export interface FoundSeries {
  market: string;
  cells: KeptCell[];
  homes: number | null;
  last_sale_on: string | null;
  rolled_up_at: Date;
}

/** Few markets have an area with a given name: a query that lists thousands of markets takes twice as long as one
    without the list, filtered by `among`. */
export const inMarkets = (markets: string[]) => {
  const only = markets.length === 1 ? markets[0] : null;
  return part`(${only}::text is null or s.market = ${only})`;
};
export const among =
  (markets: string[]) =>
  <Row extends { market: string }>(rows: Row[]): Row[] =>
    rows.filter(({ market }) => markets.includes(market));

/** One series of an area; one per market if several markets have the area. */
export const findSeries = (
  db: Queryable,
  { kind, area, step, propertyType }: AreaKey & { step: Step; propertyType: string },
  markets: string[],
) =>
  listRows<FoundSeries>(db, 'find_sales_series')`select s.market, s.cells, s.homes, r.last_sale_on, r.rolled_up_at
    from sales_series s join sales_rollups r on r.market = s.market and r.fips = s.fips
    where s.kind = ${kind} and s.area = ${area} and s.property_type = ${propertyType} and s.step = ${step}
      and ${inMarkets(markets)}
    order by s.market`.then(among(markets));

/** The periods in which too many sales near some ZIP codes or tracts are unplaced. */
export const listUnplaced = (
  db: Queryable,
  { zips, tracts }: Pick<Filter, 'zips' | 'tracts'>,
  { step, property_type, markets }: Pick<SeriesKey, 'step' | 'property_type'> & { markets: string[] },
) =>
  listRows<Pick<KeptCell, 'starts' | 'unplaced'>>(db)`
    select cell->>'starts' as starts, max((cell->'unplaced')::float8) as unplaced
    from sales_series s, jsonb_array_elements(s.cells) as cell
    where s.market = any (${markets}) and s.step = ${step} and s.property_type = ${property_type}
      and s.kind in ('zip', 'tract') and s.area = any (${[...zips, ...tracts]}) and cell ? 'unplaced' group by 1`;

/** The markets with sales of any type in an area. */
export const listHolders = (db: Queryable, { kind, area }: AreaKey, markets: string[]) =>
  listRows<Omit<FoundSeries, 'cells' | 'homes'>>(db)`select distinct s.market, r.last_sale_on, r.rolled_up_at
    from sales_series s join sales_rollups r on r.market = s.market and r.fips = s.fips
    where s.kind = ${kind} and s.area = ${area} and ${inMarkets(markets)} order by s.market`.then(among(markets));

/** The areas of a kind with the most sales of any one type. */
export const listLargestAreas = (db: Queryable, kind: Kind, markets: string[], limit: number) =>
  listRows<{ market: string; area: string }>(db)`select market, area from sales_series
    where market = any (${markets}) and kind = ${kind} and step = 'year' and property_type = 'residential'
    order by n desc, area limit ${limit}`;

export const findSummaries = (db: Queryable, { kind, area }: AreaKey, markets: string[]) =>
  listRows<{ market: string; summary: Stock; is_roll: boolean; rolled_up_at: Date }>(
    db,
    'find_area_summaries',
  )`select s.market, s.summary, r.is_roll, r.rolled_up_at
    from area_summaries s join sales_rollups r on r.market = s.market and r.fips = s.fips
    where s.kind = ${kind} and s.area = ${area} and ${inMarkets(markets)} order by s.market`.then(among(markets));

export const listRollups = (db: Queryable, markets: string[]) =>
  listRows<RollupRow>(db, 'list_sales_rollups')`select distinct on (market) ${ROLLUP} from sales_rollups
    where market = any (${markets}) order by market, rolled_up_at desc`;

/** One figure of a market's areas. */
export interface FigureRow {
  market: string;
  areas: string[];
  column: Column;
}

export const listFigures = (
  db: Queryable,
  markets: string[],
  { kind, propertyType, step, starts }: { kind: Kind; propertyType: string; step: RankRow['step']; starts: string },
  figure: Figure,
) =>
  listRows<FigureRow>(db, `list_area_figures_${figure}`)`
    select market, names as areas, ${raw(figure)} as column from area_rankings
    where market = any (${markets}) and kind = ${kind} and property_type = ${propertyType} and step = ${step}
      and starts = ${starts} and ${raw(figure)} is not null`;

export interface PlacesRow {
  market: string;
  areas: string[];
  homes: Column;
  places: NonNullable<RankRow['places']>;
}

/** Where the areas of a kind are, and how many homes they have. */
export const listPlaces = (db: Queryable, markets: string[], kind: Kind) =>
  listRows<PlacesRow>(db, 'list_area_places')`select market, names as areas, homes, places from area_rankings
    where market = any (${markets}) and kind = ${kind} and property_type = ${RESIDENTIAL} and step = 'stock'
      and starts = ${NOW} and places is not null`;
