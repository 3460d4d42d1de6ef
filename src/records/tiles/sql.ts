// The queries behind vector tiles.
import type { Queryable } from '../../base/db/postgres.ts';
import { listRows, raw } from '../../base/db/statements.ts';
import { NO_COUNTY, type Box, type MultiPolygon } from '../../base/lib/geo.ts';
import type { IdRange } from '../../base/lib/ids.ts';
import { type FlagCounts, type SquareRow } from '../../supply/map-aggregates/sql.ts';
import type { Condition } from '../properties/search.ts';
import { POINT_ATTRIBUTES } from '../../supply/layers/layers.ts';
import { figureSql, type Figure } from '../../supply/map-aggregates/figures.ts';

interface TileHomes {
  condition: Condition;
  figure: Figure;
  /** In live mode. */
  isRough: boolean;
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

const edges = (box: Box) => [box.minLatitude, box.maxLatitude, box.minLongitude, box.maxLongitude];

const monthOf = (column: string) => `(extract(year from ${column}) * 100 + extract(month from ${column}))::integer`;

/** Months first, next to the month of the last sale: the order of the columns is that of a tile's attributes. */
const LAYER_ATTRIBUTES = POINT_ATTRIBUTES.toSorted((a, b) => Number(b.as === 'month') - Number(a.as === 'month')).map(
  ({ name, column, as }) => {
    if (as === 'month') return `${monthOf(column)} as ${name}`;
    return as === 'any' ? `coalesce(${column}, 0) > 0 as ${name}` : `${column} as ${name}`;
  },
);

/** PostgreSQL takes less than a millionth for nothing, which in degrees would be half a street. */
const STEPS_PER_DEGREE = 1_000_000;

/** Homes inside a ring, too. */
export function insideOf<Kind extends Condition>(ring: [number, number][], condition: Kind): Kind {
  const { where, values } = condition;
  const corners = ring.map((corner) => `(${corner.map((degrees) => degrees * STEPS_PER_DEGREE).join(',')})`);
  const home = `point(p.longitude * ${STEPS_PER_DEGREE}, p.latitude * ${STEPS_PER_DEGREE})`;
  return {
    ...condition,
    where: `${where} and $${values.length + 1}::polygon @> ${home}`,
    values: [...values, `(${corners.join(',')})`],
  };
}

/** Parameters after those of the condition. */
function after({ values }: Condition, more: unknown[]): { at: (index: number) => string; values: unknown[] } {
  return { at: (index) => `$${values.length + index}`, values: [...values, ...more] };
}

export async function listTileProperties(
  db: Queryable,
  { condition, figure, isRough, box, cells, limit }: TileHomes & { cells: number[]; limit: number },
): Promise<TileRow[]> {
  const { at, values } = after(condition, [cells, ...edges(box), limit]);
  const { rows } = await db.query<TileRow>(
    `select id, latitude, longitude, property_type, value, ${figureSql(figure, isRough)} as figure,
       ${monthOf('last_sale_date')} as sold, ${LAYER_ATTRIBUTES.join(', ')}, address_line1 as address, bedrooms, bathrooms, sqft
     from properties p
     where ${condition.where} and cell_fine = any(${at(1)}::int[])
       and latitude between ${at(2)} and ${at(3)} and longitude between ${at(4)} and ${at(5)}
     order by id limit ${at(6)}`,
    values,
  );
  return rows;
}

export interface TileShapeRow {
  id: string;
  property_type: string;
  value: number | null;
  figure: number | null;
  /** Properties on the lot: the units of a building share its shape. */
  count: number;
  shape: Buffer;
}

/** Shapes that touch the box, each once; the largest first, so that a crowded tile loses the smallest. */
export async function listTileShapes(
  db: Queryable,
  { condition, figure, isRough, box, cells, limit }: TileHomes & { cells: number[]; limit: number },
): Promise<TileShapeRow[]> {
  const { at, values } = after(condition, [cells, ...edges(box), limit, condition.counties]);
  const { rows } = await db.query<TileShapeRow>(
    `select min(p.id) as id, min(p.property_type) as property_type, count(*)::integer as count, s.shape,
       case when count(*) = 1 then min(p.value) end as value,
       case when count(*) = 1 then min(${figureSql(figure, isRough)}) end as figure
     from parcel_shapes s join properties p on p.fips = s.fips and p.id = s.property_id
     where ${condition.where} and s.fips = any(${at(7)}::int[]) and s.cell = any(${at(1)}::bigint[])
       and s.max_latitude >= ${at(2)} and s.min_latitude <= ${at(3)}
       and s.max_longitude >= ${at(4)} and s.min_longitude <= ${at(5)}
     group by s.shape order by max(s.area_sqft) desc, 1 limit ${at(6)}`,
    values,
  );
  return rows;
}

interface Whereabouts {
  markets: string[];
  counties: number[];
}

/** Active properties of a box with their street lines. */
export async function listHomesIn(
  db: Queryable,
  { markets, counties, cells, box, limit }: Whereabouts & { cells: number[]; box: Box; limit: number },
): Promise<{ line1: string | null; latitude: number; longitude: number }[]> {
  const { rows } = await db.query(
    `select address_line1 as line1, latitude, longitude
     from properties
     where cell_fine = any($1::int[]) and market = any($2::text[]) and status = 'active'
       and latitude between $3 and $4 and longitude between $5 and $6 and fips = any($8::int[])
     order by id limit $7`,
    [cells, markets, ...edges(box), limit, counties],
  );
  return rows;
}

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

const flagCounts = (since: string) => `count(*) filter (where p.last_permit_date >= ${since}::date) as permits,
  count(*) filter (where p.open_violations > 0) as violations, count(*) filter (where p.open_tax_liens > 0) as liens`;

interface TileFlags extends Omit<TileHomes, 'figure' | 'isRough'> {
  cells: number[];
  squareDegrees: number;
  permitsSince: string;
}

/** Counts of flagged homes in squares of a few blocks. */
export async function listTileFlags(
  db: Queryable,
  { condition, box, cells, squareDegrees, permitsSince }: TileFlags,
): Promise<(FlagCounts & { latitude: number; longitude: number })[]> {
  const { at, values } = after(condition, [cells, ...edges(box), squareDegrees, permitsSince]);
  const { rows } = await db.query(
    `select avg(latitude) as latitude, avg(longitude) as longitude, ${flagCounts(at(7))}
     from properties p
     where ${condition.where} and cell_fine = any(${at(1)}::int[])
       and latitude between ${at(2)} and ${at(3)} and longitude between ${at(4)} and ${at(5)}
     group by floor(latitude / ${at(6)}::float8), floor(longitude / ${at(6)}::float8)`,
    values,
  );
  return rows;
}

export async function listTileCells(
  db: Queryable,
  { condition, figure, isRough, box, column, squareDegrees, cells, permitsSince, sample }: TileCells,
): Promise<SquareRow[]> {
  const sampled = sample && [
    sample.map((each) => each.fips),
    sample.map((each) => each.from),
    sample.map((each) => each.to),
  ];
  const { at, values } = after(condition, [
    cells ?? null,
    ...edges(box),
    permitsSince,
    squareDegrees,
    ...(sampled ?? []),
  ]);
  // A range of the primary key in each county.
  const among = sampled
    ? `join unnest(${at(8)}::int[], ${at(9)}::text[], ${at(10)}::text[]) as s (county, first, until)
         on p.fips = s.county and p.id >= s.first and p.id < s.until`
    : '';
  const { rows } = await db.query<SquareRow>(
    `select avg(latitude) as latitude, avg(longitude) as longitude, count(*) as count, avg(value)::float8 as average_value,
       percentile_cont(0.5) within group (order by ${figureSql(figure, isRough)}) as median, ${flagCounts(at(6))}
     from properties p ${among}
     where ${condition.where} and (${at(1)}::int[] is null or ${column} = any(${at(1)}))
       and latitude between ${at(2)} and ${at(3)} and longitude between ${at(4)} and ${at(5)}
     group by floor(latitude / ${at(7)}::float8), floor(longitude / ${at(7)}::float8)
     order by count(*) desc, 1, 2`,
    values,
  );
  return rows;
}

export interface AreaRow {
  kind: string;
  id: string;
  name: string | null;
  attributes: Record<string, unknown>;
  polygons: MultiPolygon;
}

/** Areas that touch the box, from the newest vintage of their kind and county. Box columns are read before the
    rings. */
export async function listTileAreas(
  db: Queryable,
  { counties, kinds, box, minSpan }: { counties: number[]; kinds: string[]; box: Box; minSpan: number },
): Promise<AreaRow[]> {
  const { rows } = await db.query<Omit<AreaRow, 'polygons'> & { rings: MultiPolygon }>(
    `select kind, id, name, attributes, rings
     from areas a
     where fips = any($1::int[]) and kind = any($2::text[])
       and max_latitude >= $3 and min_latitude <= $4 and max_longitude >= $5 and min_longitude <= $6
       and greatest(max_latitude - min_latitude, max_longitude - min_longitude) >= $7
       and vintage = (select max(vintage) from areas n where n.fips = a.fips and n.kind = a.kind and n.fips = any($1::int[]))
     order by kind, id`,
    [counties, kinds, ...edges(box), minSpan],
  );
  return rows.map(({ rings, ...row }) => ({ ...row, polygons: rings }));
}

/** Boundaries of ZIP codes that touch the box. */
export async function listTileZips(
  db: Queryable,
  { zips, box, minSpan }: { zips: string[]; box: Box; minSpan: number },
): Promise<{ id: string; polygons: MultiPolygon }[]> {
  const { rows } = await db.query<{ id: string; rings: MultiPolygon }>(
    `select distinct on (id) id, rings
     from areas
     where fips = $7 and kind = 'zip' and id = any($1::text[])
       and max_latitude >= $2 and min_latitude <= $3 and max_longitude >= $4 and min_longitude <= $5
       and greatest(max_latitude - min_latitude, max_longitude - min_longitude) >= $6
     order by id, vintage desc`,
    [zips, ...edges(box), minSpan, NO_COUNTY],
  );
  return rows.map(({ id, rings }) => ({ id, polygons: rings }));
}

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

export async function listTractFigures(
  db: Queryable,
  counties: number[],
  tracts: string[],
): Promise<Map<string, TractFigures>> {
  if (tracts.length === 0) return new Map();
  const rows = await listRows<TractFigures & { geoid: string }>(db)`
    select distinct on (geoid) geoid, ${raw(FIGURES.join(', '))} from census_tracts
    where fips = any(${counties}::int[]) and geoid = any(${tracts}::text[]) order by geoid, vintage desc`;
  return new Map(rows.map(({ geoid, ...figures }) => [geoid, figures]));
}

export async function listTileZones(
  db: Queryable,
  { counties, kinds, box }: { counties: number[]; kinds: string[]; box: Box },
): Promise<{ id: string; polygons: MultiPolygon }[]> {
  const zones = await db.query<{ id: string; vintage: number }>(
    'select tract_geoid as id, tract_vintage as vintage from opportunity_zones where fips = any($1::int[])',
    [counties],
  );
  if (zones.rows.length === 0) return [];
  const { rows } = await db.query<{ id: string; rings: MultiPolygon }>(
    `select distinct on (a.id) a.id, a.rings
     from areas a join unnest($7::text[], $8::smallint[]) as z (id, vintage) on z.id = a.id
     where a.fips = any($1::int[]) and a.kind = any($2::text[]) and a.vintage >= z.vintage
       and max_latitude >= $3 and min_latitude <= $4 and max_longitude >= $5 and min_longitude <= $6
     order by a.id, a.vintage`,
    [counties, kinds, ...edges(box), zones.rows.map(({ id }) => id), zones.rows.map(({ vintage }) => vintage)],
  );
  return rows.map(({ id, rings }) => ({ id, polygons: rings }));
}

export interface LineRow {
  kind: string;
  name: string | null;
  rank: number;
  path: [number, number][][];
}

/** With `cells`, found by their squares; without, by county, which is few rows for the ranks drawn from afar. */
export async function listTileLines(
  db: Queryable,
  { counties, box, maxRank, cells }: { counties: number[]; box: Box; maxRank: number; cells: number[] | undefined },
): Promise<LineRow[]> {
  const { rows } = await db.query<LineRow>(
    `select kind, name, importance as rank, path from map_lines
     where fips = any($1::int[]) and importance <= $2 and ($7::bigint[] is null or cell = any($7))
       and max_latitude >= $3 and min_latitude <= $4 and max_longitude >= $5 and min_longitude <= $6
     order by importance, id`,
    [counties, maxRank, ...edges(box), cells ?? null],
  );
  return rows;
}

/** One statement for each county: it stops at the first area. */
export async function listCountiesWith(db: Queryable, counties: number[], kinds: string[]): Promise<number[]> {
  const found = await Promise.all(
    counties.map((fips) =>
      db.query<{ fips: number }>({
        name: 'has_areas',
        text: 'select fips from areas where fips = $1 and kind = any($2::text[]) limit 1',
        values: [fips, kinds],
      }),
    ),
  );
  return found.flatMap(({ rows }) => rows.map(({ fips }) => fips));
}

export async function listCountiesWithRoads(db: Queryable, counties: number[]): Promise<number[]> {
  const found = await Promise.all(
    counties.map((fips) =>
      db.query<{ fips: number }>({
        name: 'has_roads',
        text: `select fips from map_lines where fips = $1 and kind = 'road' limit 1`,
        values: [fips],
      }),
    ),
  );
  return found.flatMap(({ rows }) => rows.map(({ fips }) => fips));
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
export async function listTowns(
  db: Queryable,
  { markets, counties }: Whereabouts,
  percent: number,
): Promise<TownRow[]> {
  const { rows } = await db.query<TownRow>(
    `select kind, name, count(*)::integer as homes,
       percentile_cont(0.5) within group (order by latitude) as latitude,
       percentile_cont(0.5) within group (order by longitude) as longitude
     from (
       select city, zip, latitude, longitude from properties tablesample system (${Math.max(0.01, percent)}) repeatable (1)
       where fips = any($2::int[]) and market = any($1::text[]) and status = 'active' and latitude is not null
     ) p
     cross join lateral (values ('city', city), ('zip', zip)) as town (kind, name)
     where name is not null group by kind, name having count(*) >= 5`,
    [markets, counties],
  );
  return rows;
}

/** Where nearly all homes of some markets are: a few strays would zoom out to the state. */
export async function findHomeBox(
  db: Queryable,
  { markets, counties }: Whereabouts,
  percent: number,
): Promise<Box | undefined> {
  const { rows } = await db.query<{ longitudes: number[] | null; latitudes: number[] }>(
    `select percentile_cont(array[0.01, 0.99]) within group (order by longitude) as longitudes,
       percentile_cont(array[0.01, 0.99]) within group (order by latitude) as latitudes
     from properties tablesample system (${Math.max(0.01, percent)}) repeatable (1)
     where fips = any($2::int[]) and market = any($1::text[]) and status = 'active' and latitude is not null`,
    [markets, counties],
  );
  const [{ longitudes, latitudes }] = rows;
  if (longitudes === null) return undefined;
  const [minLongitude, maxLongitude] = longitudes;
  const [minLatitude, maxLatitude] = latitudes;
  return { minLongitude, maxLongitude, minLatitude, maxLatitude };
}

/** The bounding box of all areas in the counties; undefined if none are loaded. */
export async function findAreaBox(db: Queryable, counties: number[]): Promise<Box | undefined> {
  const { rows } = await db.query(
    `select min(min_longitude) as "minLongitude", min(min_latitude) as "minLatitude",
       max(max_longitude) as "maxLongitude", max(max_latitude) as "maxLatitude"
     from areas where fips = any($1::int[])`,
    [counties],
  );
  return rows[0].minLongitude === null ? undefined : rows[0];
}
