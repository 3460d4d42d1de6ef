// The queries behind vector tiles.
import type { Queryable } from '../../base/db/postgres.ts';
import { findValue, getRow, listRows, part, raw } from '../../base/db/statements.ts';
import { NO_COUNTY, type Box, type MultiPolygon } from '../../base/lib/geo.ts';
import type { IdRange } from '../../base/lib/ids.ts';
import { countFlag, flagsSql, type FlagCounts, type SquareRow } from '../../supply/map-aggregates/sql.ts';
import type { MapCondition } from '../properties/search.ts';
import { POINT_ATTRIBUTES } from '../../supply/layers/layers.ts';

type Condition = Pick<MapCondition, 'where' | 'counties'>;

interface TileHomes {
  condition: Condition;
  /** SQL over `properties p`. */
  figure: string;
  box: Box;
}

export interface TileRow {
  id: string;
  latitude: number;
  longitude: number;
  property_type: string;
  value: number | null;
  figure: number | null;
  /** Year and month, such as 202408. */
  sold: number | null;
  address: string | null;
  bedrooms: number | null;
  bathrooms: number | null;
  sqft: number | null;
  /** The point attributes of the layers. */
  [attribute: string]: string | number | boolean | null;
}

const inBox = (box: Box) => part`latitude between ${box.minLatitude} and ${box.maxLatitude}
  and longitude between ${box.minLongitude} and ${box.maxLongitude}`;
const touchesBox = (box: Box) => part`max_latitude >= ${box.minLatitude} and min_latitude <= ${box.maxLatitude}
  and max_longitude >= ${box.minLongitude} and min_longitude <= ${box.maxLongitude}`;
const isAsWideAs = (degrees: number) =>
  part`greatest(max_latitude - min_latitude, max_longitude - min_longitude) >= ${degrees}`;

const monthOf = (column: string) => `(extract(year from ${column}) * 100 + extract(month from ${column}))::integer`;

/** Months first, next to the month of the last sale: the order of the columns is that of a tile's attributes. */
const LAYER_ATTRIBUTES = POINT_ATTRIBUTES.toSorted((a, b) => Number(b.as === 'month') - Number(a.as === 'month')).map(
  ({ name, column, as }) => {
    if (as === 'month') return `${monthOf(column)} as ${name}`;
    return as === 'any' ? `${column} > 0 as ${name}` : `${column} as ${name}`;
  },
);

/** PostgreSQL's geometric types treat less than a millionth as zero, which in degrees would be half a street wide. */
const STEPS_PER_DEGREE = 1_000_000;

/** Homes inside a ring, too. */
export function insideOf<Kind extends Condition>(ring: [number, number][], condition: Kind): Kind {
  const corners = ring.map((corner) => `(${corner.map((degrees) => degrees * STEPS_PER_DEGREE).join(',')})`);
  const home = raw(`point(p.longitude * ${STEPS_PER_DEGREE}, p.latitude * ${STEPS_PER_DEGREE})`);
  return { ...condition, where: part`${condition.where} and ${`(${corners.join(',')})`}::polygon @> ${home}` };
}

export const listTileProperties = (
  db: Queryable,
  { condition, figure, box, cells, limit }: TileHomes & { cells: number[]; limit: number },
) =>
  listRows<TileRow>(db)`
    select id, latitude, longitude, property_type, value, ${raw(figure)} as figure,
      ${raw(monthOf('last_sale_date'))} as sold, ${raw(LAYER_ATTRIBUTES.join(', '))}, address_line1 as address, bedrooms, bathrooms, sqft
    from properties p
    where ${condition.where} and cell_fine = any(${cells}::int[]) and ${inBox(box)}
    order by id limit ${limit}`;

export interface TileShapeRow extends Pick<TileRow, 'id' | 'property_type' | 'value' | 'figure'> {
  /** Properties on the lot: the units of a building share its shape. */
  count: number;
  shape: Buffer;
}

/** Shapes that touch the box, each once; the largest first, so that a crowded tile loses the smallest. */
export const listTileShapes = (
  db: Queryable,
  { condition, figure, box, cells, limit }: TileHomes & { cells: number[]; limit: number },
) =>
  listRows<TileShapeRow>(db)`
    select min(p.id) as id, min(p.property_type) as property_type, count(*)::integer as count, s.shape,
      case when count(*) = 1 then min(p.value) end as value,
      case when count(*) = 1 then min(${raw(figure)}) end as figure
    from parcel_shapes s join properties p on p.fips = s.fips and p.id = s.property_id
    where ${condition.where} and s.fips = any(${condition.counties}::int[]) and s.cell = any(${cells}::bigint[]) and ${touchesBox(box)}
    group by s.shape order by max(s.area_sqft) desc, 1 limit ${limit}`;

/** Its squares are about a mile wide, so that a county has some hundreds of them. */
const MILE_ZOOM = 11;

interface Whereabouts {
  markets: string[];
  counties: number[];
}

/** Every active property of these places. */
export const activeIn = ({ markets, counties }: Whereabouts): Condition => ({
  where: part`p.status = 'active' and p.market = any(${markets}::text[]) and p.fips = any(${counties}::int[])`,
  counties,
});

/** Active properties of a box with their street lines. */
export const listHomesIn = (
  db: Queryable,
  { markets, counties, cells, box, limit }: Whereabouts & { cells: number[]; box: Box; limit: number },
) =>
  listRows<{ line1: string | null; latitude: number; longitude: number }>(db)`
    select address_line1 as line1, latitude, longitude
    from properties
    where cell_fine = any(${cells}::int[]) and market = any(${markets}::text[]) and status = 'active'
      and fips = any(${counties}::int[]) and ${inBox(box)}
    order by id limit ${limit}`;

interface TileCells extends TileHomes {
  column: 'cell_fine' | 'cell_coarse';
  /** The width of a group: that of a cell, or less. */
  squareDegrees: number;
  /** Undefined for every cell in the box. */
  cells: number[] | undefined;
  permitsSince: string;
  /** Only homes with these ids. */
  sample?: IdRange[];
}

function flagCounts(since: string) {
  const { permits, violations, liens } = flagsSql(since);
  return part`${countFlag(permits)} as permits, ${countFlag(violations)} as violations, ${countFlag(liens)} as liens`;
}
/** Literal text rather than a parameter: a grouping expression must be identical everywhere. */
const squares = (degrees: number) => raw(`floor(latitude / ${degrees}::float8), floor(longitude / ${degrees}::float8)`);

interface TileFlags extends Omit<TileHomes, 'figure'> {
  cells: number[];
  squareDegrees: number;
  permitsSince: string;
}

/** Counts of flagged homes in squares of a few blocks. */
export const listTileFlags = (db: Queryable, { condition, box, cells, squareDegrees, permitsSince }: TileFlags) =>
  listRows<FlagCounts & { latitude: number; longitude: number }>(db)`
    select avg(latitude) as latitude, avg(longitude) as longitude, ${flagCounts(permitsSince)}
    from properties p
    where ${condition.where} and cell_fine = any(${cells}::int[]) and ${inBox(box)}
    group by ${squares(squareDegrees)}`;

export function listTileCells(
  db: Queryable,
  { condition, figure, box, column, squareDegrees, cells, permitsSince, sample }: TileCells,
): Promise<SquareRow[]> {
  // A range of the primary key in each county.
  const among =
    sample &&
    part`join unnest(${sample.map(({ fips }) => fips)}::int[], ${sample.map(({ from }) => from)}::text[], ${sample.map(({ to }) => to)}::text[])
      as s (county, first, until) on p.fips = s.county and p.id >= s.first and p.id < s.until`;
  return listRows<SquareRow>(db)`
    select avg(latitude) as latitude, avg(longitude) as longitude, count(*) as count, avg(value)::float8 as average_value,
      percentile_cont(0.5) within group (order by ${raw(figure)}) as median, ${flagCounts(permitsSince)}
    from properties p ${among ?? raw('')}
    where ${condition.where} and ${cells ? part`${raw(column)} = any(${cells}::int[])` : raw('true')} and ${inBox(box)}
    group by ${squares(squareDegrees)}
    order by count(*) desc, 1, 2`;
}

export interface AreaRow {
  kind: string;
  id: string;
  name: string | null;
  attributes: Record<string, unknown>;
  polygons: MultiPolygon;
}

/** Areas that touch the box, from the newest vintage of their kind and county. Box columns come before the rings. */
export const listTileAreas = (
  db: Queryable,
  { counties, kinds, box, minSpan }: { counties: number[]; kinds: string[]; box: Box; minSpan: number },
) =>
  listRows<AreaRow>(db)`
    select kind, id, name, attributes, rings as polygons
    from areas a
    where fips = any(${counties}::int[]) and kind = any(${kinds}::text[]) and ${touchesBox(box)} and ${isAsWideAs(minSpan)}
      and vintage = (
        select max(vintage) from areas n where n.fips = a.fips and n.kind = a.kind and n.fips = any(${counties}::int[])
      )
    order by kind, id`;

/** Boundaries of ZIP codes that touch the box. */
export const listTileZips = (db: Queryable, { zips, box, minSpan }: { zips: string[]; box: Box; minSpan: number }) =>
  listRows<Pick<AreaRow, 'id' | 'polygons'>>(db)`
    select distinct on (id) id, rings as polygons
    from areas
    where fips = ${NO_COUNTY} and kind = 'zip' and id = any(${zips}::text[]) and ${touchesBox(box)} and ${isAsWideAs(minSpan)}
    order by id, vintage desc`;

/** Areas of loaded layers; those without a single county are stored under none. */
export const listLoadedAreas = (
  db: Queryable,
  { kinds, counties, box, minSpan }: { kinds: string[]; counties: number[]; box: Box; minSpan: number },
) =>
  listRows<AreaRow>(db)`
    select kind, id, name, attributes, rings as polygons from areas
    where fips = any(${[...counties, NO_COUNTY]}::int[]) and kind = any(${kinds}::text[]) and ${touchesBox(box)}
      and ${isAsWideAs(minSpan)} order by kind, id`;

/** Sites of layers by recipe. */
export const listTileSites = (db: Queryable, { layers, box, limit }: { layers: string[]; box: Box; limit: number }) =>
  listRows<{ layer: string; latitude: number; longitude: number; vals: Record<string, string | number | null> }>(db)`
    select layer, latitude, longitude, vals from layer_values
    where fips = ${NO_COUNTY} and kind = 'site' and layer = any(${layers}::text[]) and ${inBox(box)} order by layer, key limit ${limit}`;

/** Figures of the newest survey by tract. */
export type TractFigures = Record<(typeof FIGURES)[number], number | null>;

const FIGURES = [
  'population',
  'median_household_income',
  'per_capita_income',
  'median_home_value',
  'owner_occupied_rate',
  'vacancy_rate',
  'poverty_rate',
  'unemployment_rate',
  'internet_rate',
] as const;

export async function listTractFigures(db: Queryable, counties: number[], tracts: string[]) {
  if (tracts.length === 0) return new Map();
  const rows = await listRows<TractFigures & { geoid: string }>(db)`
    select distinct on (geoid) geoid, ${raw(FIGURES.join(', '))} from census_tracts
    where fips = any(${counties}::int[]) and geoid = any(${tracts}::text[]) order by geoid, vintage desc`;
  return new Map(rows.map(({ geoid, ...figures }) => [geoid, figures]));
}

export async function listTileZones(
  db: Queryable,
  { counties, kinds, box }: { counties: number[]; kinds: string[]; box: Box },
): Promise<Pick<AreaRow, 'id' | 'polygons'>[]> {
  const zones = await listRows<{ id: string; vintage: number }>(db)`
    select tract_geoid as id, tract_vintage as vintage from opportunity_zones where fips = any(${counties}::int[])`;
  if (zones.length === 0) return [];
  return listRows<Pick<AreaRow, 'id' | 'polygons'>>(db)`
    select distinct on (a.id) a.id, a.rings as polygons
    from areas a join unnest(${zones.map(({ id }) => id)}::text[], ${zones.map(({ vintage }) => vintage)}::smallint[]) as z (id, vintage)
      on z.id = a.id
    where a.fips = any(${counties}::int[]) and a.kind = any(${kinds}::text[]) and a.vintage >= z.vintage and ${touchesBox(box)}
    order by a.id, a.vintage`;
}

/** With `cells`, found by their squares; without, by county, which is few rows for the ranks drawn from afar. */
export const listTileLines = (
  db: Queryable,
  { counties, box, maxRank, cells }: { counties: number[]; box: Box; maxRank: number; cells: number[] | undefined },
) =>
  listRows<{ kind: string; name: string | null; rank: number; path: [number, number][][] }>(db)`
    select kind, name, importance as rank, path from map_lines
    where fips = any(${counties}::int[]) and importance <= ${maxRank}
      and ${cells ? part`cell = any(${cells}::bigint[])` : raw('true')} and ${touchesBox(box)}
    order by importance, id`;

/** One statement for each county: it stops at the first row. */
export async function listCountiesWith(
  db: Queryable,
  table: 'areas' | 'map_lines',
  counties: number[],
  kinds: string[],
): Promise<number[]> {
  const find = findValue<number>(db, `has_${table}`);
  const found = await Promise.all(
    counties.map(
      (fips) => find`select fips from ${raw(table)} where fips = ${fips} and kind = any(${kinds}::text[]) limit 1`,
    ),
  );
  return found.flatMap((fips) => fips ?? []);
}

export const listDoorsteps = (
  db: Queryable,
  { markets, counties, cells }: { markets: string[]; counties: number[]; cells: number[] },
) =>
  listRows<{ line: string; latitude: number; longitude: number; cell: number }>(db)`
    select address_line1 as line, latitude, longitude, cell_fine as cell from properties
    where cell_fine = any(${cells}::int[]) and market = any(${markets}::text[]) and fips = any(${counties}::int[]) and status = 'active'
      and address_line1 is not null
    order by id`;

export interface TownRow {
  kind: 'city' | 'zip';
  name: string;
  latitude: number;
  longitude: number;
  homes: number;
}

/** Cities and ZIP codes at the median of their homes, from a percentage of all of them. */
export const listTowns = (db: Queryable, { markets, counties }: Whereabouts, percent: number) =>
  listRows<TownRow>(db)`
    select kind, name, count(*)::integer as homes,
      percentile_cont(0.5) within group (order by latitude) as latitude,
      percentile_cont(0.5) within group (order by longitude) as longitude
    from (
      select city, zip, latitude, longitude from properties tablesample system (${raw(Math.max(0.01, percent))}) repeatable (1)
      where fips = any(${counties}::int[]) and market = any(${markets}::text[]) and status = 'active' and latitude is not null
    ) p
    cross join lateral (values ('city', city), ('zip', zip)) as town (kind, name)
    where name is not null group by kind, name having count(*) >= 5`;

/** Where 98% of a market's homes are, to about a mile: outliers would zoom out to the state. Undefined if none has a place. */
export async function findHomeBox(db: Queryable, { market, counties }: { market: string; counties: number[] }) {
  const box = await getRow<{ [Edge in keyof Box]: Box[Edge] | null }>(db)`
    with squares as (
      select longitude, latitude, sum(homes) over () as homes, sum(homes) over (order by longitude) as up_to_longitude,
        sum(homes) over (order by latitude) as up_to_latitude
      from map_squares join map_rollups using (fips, market)
      where fips = any(${counties}::int[]) and market = ${market} and zoom = least(finest_zoom, ${MILE_ZOOM})
    )
    select min(longitude) filter (where up_to_longitude >= 0.01 * homes) as "minLongitude",
      min(longitude) filter (where up_to_longitude >= 0.99 * homes) as "maxLongitude",
      min(latitude) filter (where up_to_latitude >= 0.01 * homes) as "minLatitude",
      min(latitude) filter (where up_to_latitude >= 0.99 * homes) as "maxLatitude"
    from squares`;
  return box.minLongitude === null ? undefined : (box as Box);
}
