// The queries behind the squares of the map: adding up a county's homes, and reading what was added up.
import { announceCatalog } from '../../base/db/catalog-news.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { replaceRow } from '../../base/db/rows.ts';
import {
  changeRows,
  getRow,
  hasRow,
  joined,
  listRows,
  listValues,
  part,
  raw,
  type Part,
} from '../../base/db/statements.ts';
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

/** How many homes of a group an overlay of the map is about; null where it is not known of any of them. */
export interface FlagCounts {
  permits: number | null;
  violations: number | null;
  liens: number | null;
}

/** Whether each overlay is about a home `p`: null where no record covers it or none says what is open. */
export const flagsSql = (permitsSince: string) => ({
  permits: part`case when p.permit_count is not null then coalesce(p.last_permit_date >= ${permitsSince}::date, false) end`,
  violations: part`(p.open_violations > 0)`,
  liens: part`(p.open_tax_liens > 0)`,
});
export const countFlag = (flag: Part) => part`case when count(${flag}) > 0 then count(*) filter (where ${flag}) end`;

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

export const isSandbox = (db: Queryable, market: string) =>
  hasRow(db)`select from markets where id = ${market} and sandbox`;

export const deleteSquares = (client: Client, { fips, market }: Place) =>
  changeRows(client)`delete from map_squares where fips = ${fips} and market = ${market}`;

const homesOf = ({ fips, market }: Place) => part`from properties p
  where p.fips = ${fips} and p.market = ${market} and p.status = 'active' and p.latitude is not null and p.longitude is not null`;
const squareOf = (degrees: number): string =>
  `floor(latitude / ${degrees}::float8)::int as y, floor(longitude / ${degrees}::float8)::int as x`;

export const countSquares = (client: Client, place: Place, degrees: number) =>
  getRow<{ homes: number; squares: number }>(client)`
    select coalesce(sum(homes), 0)::integer as homes, count(*)::integer as squares
    from (select ${raw(squareOf(degrees))}, count(*) as homes ${homesOf(place)} group by y, x) s`;

/** Adds up the homes of one county, read once for all grids. */
export async function insertSquares(
  client: Client,
  place: Place,
  { grids, isRough, permitsSince }: { grids: readonly Grid[]; isRough: boolean; permitsSince: string },
): Promise<void> {
  const flags = flagsSql(permitsSince);
  const addUp = ({ zoom, degrees }: Grid) => part`
    select ${place.fips}::int, ${place.market}, ${raw(zoom)}, ${raw(squareOf(degrees))},
      count(*), avg(latitude), avg(longitude), count(amount), avg(amount)::float8,
      ${raw(FIGURES.map((figure) => `percentile_cont(0.5) within group (order by ${figure})`).join(', '))},
      ${joined(
        ['has_permit', 'has_violation', 'has_lien'].map((flag) => countFlag(part`${raw(flag)}`)),
        ', ',
      )}
    from homes group by y, x`;
  await changeRows(client)`
    with homes as materialized (
      select p.latitude, p.longitude, p.value as amount,
        ${raw(FIGURES.map((figure) => `${figureSql(figure, isRough)} as ${figure}`).join(', '))},
        ${flags.permits} as has_permit, ${flags.violations} as has_violation, ${flags.liens} as has_lien
      ${homesOf(place)}
    )
    insert into map_squares (${raw(COLUMNS)})
    ${joined(grids.map(addUp), ' union all ')}`;
}

/** Several squares as one: averages by the homes they are of, and for a median the mean of the medians by homes. */
const meanByHomes = (column: string): string =>
  `sum(${column} * homes) / nullif(sum(homes) filter (where ${column} is not null), 0)`;
const MERGED_VALUE = 'sum(average_value * valued) / nullif(sum(valued), 0)';

/** A wider grid from a finer one, so many times as wide as two to the power of `steps`. */
export const insertWiderSquares = (
  client: Client,
  { fips, market }: Place,
  { from, zoom, steps }: { from: number; zoom: number; steps: number },
) =>
  changeRows(client)`
    insert into map_squares (${raw(COLUMNS)})
    select fips, market, ${zoom}::int, y >> ${raw(steps)}, x >> ${raw(steps)}, sum(homes), ${raw(meanByHomes('latitude'))}, ${raw(meanByHomes('longitude'))},
      sum(valued), ${raw(MERGED_VALUE)}, ${raw(MEDIANS.map(meanByHomes).join(', '))}, sum(permits), sum(violations), sum(liens)
    from map_squares where fips = ${fips} and market = ${market} and zoom = ${from}
    group by fips, market, y >> ${raw(steps)}, x >> ${raw(steps)}`;

export async function upsertRollup(
  client: Client,
  { fips, market }: Place,
  { finestZoom, on }: { finestZoom: number; on: string },
): Promise<void> {
  const row = { fips, market, finest_zoom: finestZoom, rolled_up_on: on, is_due: false };
  await replaceRow(client, 'map_rollups', 'fips, market', row);
  await announceCatalog(client);
}

/** For a change so small that the next hour is soon enough, and before one in several transactions. */
export const markDue = (db: Queryable, market: string, counties: number[]) =>
  changeRows(db)`
    update map_rollups set is_due = true where fips = any(${counties}) and market = ${market} and not is_due`;

/** Counties of a market that have homes, or had some when they were last added up. */
export const listCountiesOf = (db: Queryable, market: string) =>
  listValues<number>(db)`
    select fips from property_counts where market = ${market} union select fips from map_rollups where market = ${market} order by fips`;

/** One index has the few that are due, another those that are old; a load adds up the homes that it counts itself. */
export const listDue = (db: Queryable, before: string) =>
  listRows<Place>(db)`
    select fips, market from map_rollups where is_due
    union select fips, market from map_rollups where rolled_up_on < ${before} order by market, fips`;

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

const inWindow = (
  window: Window,
) => part`fips = any(${window.counties}::int[]) and market = any(${window.markets}::text[])
  and zoom = ${window.zoom} and y between ${window.minY} and ${window.maxY} and x between ${window.minX} and ${window.maxX}`;

/** Each square once, also where counties or markets share it. */
export const listSquares = (db: Queryable, window: Window, figure: Figure) =>
  listRows<SquareRow>(db)`
    select ${raw(meanByHomes('latitude'))} as latitude, ${raw(meanByHomes('longitude'))} as longitude, sum(homes)::integer as count,
      ${raw(MERGED_VALUE)} as average_value, ${raw(meanByHomes(`median_${figure}`))} as median,
      sum(permits)::integer as permits, sum(violations)::integer as violations, sum(liens)::integer as liens
    from map_squares where ${inWindow(window)}
    group by y, x order by 3 desc, 1, 2`;

export async function countHomes(db: Queryable, window: Window): Promise<number> {
  const { homes } = await getRow<{ homes: number }>(db)`
    select coalesce(sum(homes), 0)::integer as homes from map_squares where ${inWindow(window)}`;
  return homes;
}
