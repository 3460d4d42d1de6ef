// The queries behind the squares of the map: adding up a county's homes, and reading what was added up.
import { announceCatalog } from '../../base/db/catalog-news.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, listRows } from '../../base/db/statements.ts';
import { FIGURES, figureSql, type Figure } from './figures.ts';

/** A county's homes in one market. */
export interface Place {
  fips: number;
  market: string;
}

/** Squares of so many degrees, shown at a zoom. */
export interface Grid {
  zoom: number;
  degrees: number;
}

/** How many homes of a group an overlay of the map is about. */
export interface FlagCounts {
  permits: number;
  violations: number;
  liens: number;
}

export interface SquareRow extends FlagCounts {
  latitude: number;
  longitude: number;
  count: number;
  average_value: number | null;
  median: number | null;
}

const MEDIANS = FIGURES.map((figure) => `median_${figure}`);
const COLUMNS = `fips, market, zoom, y, x, homes, latitude, longitude, valued, average_value, ${MEDIANS.join(', ')},
  permits, violations, liens`;

export async function lockMarket(client: Client, market: string): Promise<void> {
  await client.query('set local statement_timeout = 0');
  await changeRows(client)`select pg_advisory_xact_lock(hashtext('platbook map squares'), hashtext(${market}))`;
}

export async function isSandbox(db: Queryable, market: string): Promise<boolean> {
  const row = await findRow<{ sandbox: boolean }>(db)`select sandbox from markets where id = ${market}`;
  return row?.sandbox === true;
}

export const deleteSquares = (client: Client, { fips, market }: Place) =>
  changeRows(client)`delete from map_squares where fips = ${fips} and market = ${market}`;

const HOMES = `from properties p
  where p.fips = $1 and p.market = $2 and p.status = 'active' and p.latitude is not null and p.longitude is not null`;
const squareOf = (degrees: number): string =>
  `floor(latitude / ${degrees}::float8)::int as y, floor(longitude / ${degrees}::float8)::int as x`;

export async function countSquares(
  client: Client,
  { fips, market }: Place,
  degrees: number,
): Promise<{ homes: number; squares: number }> {
  const { rows } = await client.query<{ homes: number; squares: number }>(
    `select coalesce(sum(homes), 0)::integer as homes, count(*)::integer as squares
     from (select ${squareOf(degrees)}, count(*) as homes ${HOMES} group by y, x) s`,
    [fips, market],
  );
  return rows[0];
}

/** Adds up the homes of one county, read once for all grids. */
export async function insertSquares(
  client: Client,
  { fips, market }: Place,
  { grids, isRough, permitsSince }: { grids: readonly Grid[]; isRough: boolean; permitsSince: string },
): Promise<void> {
  const addUp = ({ zoom, degrees }: Grid) => `
    select $1::int, $2, ${zoom}, ${squareOf(degrees)},
      count(*), avg(latitude), avg(longitude), count(amount), avg(amount)::float8,
      ${FIGURES.map((figure) => `percentile_cont(0.5) within group (order by ${figure})`).join(', ')},
      count(*) filter (where has_permit), count(*) filter (where has_violation), count(*) filter (where has_lien)
    from homes group by y, x`;
  await client.query(
    `with homes as materialized (
       select p.latitude, p.longitude, p.value as amount,
         ${FIGURES.map((figure) => `${figureSql(figure, isRough)} as ${figure}`).join(', ')},
         p.last_permit_date >= $3::date as has_permit, p.open_violations > 0 as has_violation, p.open_tax_liens > 0 as has_lien
       ${HOMES}
     )
     insert into map_squares (${COLUMNS})
     ${grids.map(addUp).join(' union all ')}`,
    [fips, market, permitsSince],
  );
}

/** Several squares as one: averages by the homes they are of, and for a median the mean of the medians by homes. */
const meanByHomes = (column: string): string =>
  `sum(${column} * homes) / nullif(sum(homes) filter (where ${column} is not null), 0)`;
const MERGED_VALUE = 'sum(average_value * valued) / nullif(sum(valued), 0)';

/** A wider grid from a finer one, so many times as wide as two to the power of `steps`. */
export async function insertWiderSquares(
  client: Client,
  { fips, market }: Place,
  { from, zoom, steps }: { from: number; zoom: number; steps: number },
): Promise<void> {
  await client.query(
    `insert into map_squares (${COLUMNS})
     select fips, market, $4::int, y >> $5::int, x >> $5::int, sum(homes), ${meanByHomes('latitude')}, ${meanByHomes('longitude')},
       sum(valued), ${MERGED_VALUE}, ${MEDIANS.map(meanByHomes).join(', ')}, sum(permits), sum(violations), sum(liens)
     from map_squares where fips = $1 and market = $2 and zoom = $3
     group by fips, market, y >> $5::int, x >> $5::int`,
    [fips, market, from, zoom, steps],
  );
}

export async function upsertRollup(
  client: Client,
  { fips, market }: Place,
  { finestZoom, on }: { finestZoom: number; on: string },
): Promise<void> {
  await changeRows(client)`
    insert into map_rollups (fips, market, finest_zoom, rolled_up_on) values (${fips}, ${market}, ${finestZoom}, ${on})
    on conflict (fips, market) do update set finest_zoom = excluded.finest_zoom, rolled_up_on = excluded.rolled_up_on,
      is_due = false`;
  await announceCatalog(client);
}

export const markDue = (db: Queryable, market: string, counties: number[]) =>
  changeRows(db)`
    update map_rollups set is_due = true where fips = any(${counties}) and market = ${market} and not is_due`;

/** Counties of a market that have homes, or had some when they were last added up. */
export async function listCountiesOf(db: Queryable, market: string): Promise<number[]> {
  const { rows } = await db.query<{ fips: number }>(
    'select fips from property_counts where market = $1 union select fips from map_rollups where market = $1 order by fips',
    [market],
  );
  return rows.map(({ fips }) => fips);
}

export const listDue = (db: Queryable, before: string) =>
  listRows<Place>(db)`select distinct c.fips, c.market from property_counts c
    left join map_rollups r on r.fips = c.fips and r.market = c.market
    where r.fips is null or r.is_due or r.rolled_up_on < ${before} order by c.market, c.fips`;

/** Squares by their numbers, edges included. */
export interface Window {
  counties: number[];
  markets: string[];
  zoom: number;
  minY: number;
  maxY: number;
  minX: number;
  maxX: number;
}

const IN_WINDOW = `fips = any($1::int[]) and market = any($2::text[]) and zoom = $3
  and y between $4 and $5 and x between $6 and $7`;
const windowOf = ({ counties, markets, zoom, minY, maxY, minX, maxX }: Window) => [
  counties,
  markets,
  zoom,
  minY,
  maxY,
  minX,
  maxX,
];

/** Each square once, also where counties or markets share it. */
export async function listSquares(db: Queryable, window: Window, figure: Figure): Promise<SquareRow[]> {
  const { rows } = await db.query<SquareRow>(
    `select ${meanByHomes('latitude')} as latitude, ${meanByHomes('longitude')} as longitude, sum(homes)::integer as count,
       ${MERGED_VALUE} as average_value, ${meanByHomes(`median_${figure}`)} as median,
       sum(permits)::integer as permits, sum(violations)::integer as violations, sum(liens)::integer as liens
     from map_squares where ${IN_WINDOW}
     group by y, x order by 3 desc, 1, 2`,
    windowOf(window),
  );
  return rows;
}

export async function countHomes(db: Queryable, window: Window): Promise<number> {
  const { rows } = await db.query<{ homes: number }>(
    `select coalesce(sum(homes), 0)::integer as homes from map_squares where ${IN_WINDOW}`,
    windowOf(window),
  );
  return rows[0].homes;
}
