// The queries behind the map squares: aggregating a county's homes, and reading the aggregates.
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

/** How many homes of a group have a flag of a map overlay; null if unknown for all of them. */
export interface FlagCounts {
  permits: number | null;
  violations: number | null;
  liens: number | null;
}

/** Whether a home `p` has each overlay's flag: null if it is not covered or no record has a status. */
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

/** Merges squares: averages weighted by homes, and for a median the home-weighted mean of the medians. */
const meanByHomes = (column: string): string =>
  `sum(${column} * homes) / nullif(sum(homes) filter (where ${column} is not null), 0)`;
const MERGED_VALUE = 'sum(average_value * valued) / nullif(sum(valued), 0)';

/** Derives a grid 2^`steps` times as wide from a finer one. */
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

/** For a change small enough to wait for the next hour, and before one in several transactions. */
export const markDue = (db: Queryable, market: string, counties: number[]) =>
  changeRows(db)`
    update map_rollups set is_due = true where fips = any(${counties}) and market = ${market} and not is_due`;

/** Counties of a market that have homes, or had some at the last roll-up. */
export const listCountiesOf = (db: Queryable, market: string) =>
  listValues<number>(db)`
    select fips from property_counts where market = ${market} union select fips from map_rollups where market = ${market} order by fips`;

/** One index finds the few that are due, another the old ones; a load rolls up its own counties. */
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

/** Each square once, even if shared by counties or markets. */
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
