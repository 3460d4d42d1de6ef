// The queries behind vector tiles.
import type { Queryable } from '../db/postgres.ts';
import type { Box, MultiPolygon, Polygon } from '../lib/geo.ts';

export interface TileRow {
  id: string;
  latitude: number;
  longitude: number;
  property_type: string;
  value: number | null;
  flood_sfha: boolean | null;
  opportunity_zone: boolean | null;
  has_open_lien: number | null;
  has_open_violation: number | null;
}

export interface TileCellRow {
  latitude: number;
  longitude: number;
  count: number;
  average_value: number | null;
}

const edges = (box: Box) => [box.minLatitude, box.maxLatitude, box.minLongitude, box.maxLongitude];

export async function listTileProperties(
  db: Queryable,
  { markets, cells, box, limit }: { markets: string[]; cells: number[]; box: Box; limit: number },
): Promise<TileRow[]> {
  const { rows } = await db.query<TileRow>(
    `select id, latitude, longitude, property_type, value, flood_sfha, opportunity_zone,
       open_tax_liens as has_open_lien, open_violations as has_open_violation
     from properties
     where cell_fine = any($1::int[]) and market = any($2::text[]) and status = 'active'
       and latitude between $3 and $4 and longitude between $5 and $6
     order by id limit $7`,
    [cells, markets, ...edges(box), limit],
  );
  return rows;
}

export interface TileShapeRow {
  id: string;
  property_type: string;
  value: number | null;
  /** Properties on the lot: the units of a building share its shape. */
  count: number;
  shape: Buffer;
}

/** Shapes that touch the box, each once; the largest first, so that a crowded tile loses the smallest. */
export async function listTileShapes(
  db: Queryable,
  { markets, cells, box, limit }: { markets: string[]; cells: number[]; box: Box; limit: number },
): Promise<TileShapeRow[]> {
  const { rows } = await db.query<TileShapeRow>(
    `select min(p.id) as id, min(p.property_type) as property_type,
       case when count(*) = 1 then min(p.value) end as value, count(*)::integer as count, s.shape
     from parcel_shapes s join properties p on p.fips = s.fips and p.id = s.property_id
     where s.cell = any($1::bigint[]) and p.market = any($2::text[]) and p.status = 'active'
       and s.max_latitude >= $3 and s.min_latitude <= $4 and s.max_longitude >= $5 and s.min_longitude <= $6
     group by s.shape order by max(s.area_sqft) desc, 1 limit $7`,
    [cells, markets, ...edges(box), limit],
  );
  return rows;
}

/** Active properties of a box with their street lines. */
export async function listHomesIn(
  db: Queryable,
  { markets, cells, box, limit }: { markets: string[]; cells: number[]; box: Box; limit: number },
): Promise<{ line1: string | null; latitude: number; longitude: number }[]> {
  const { rows } = await db.query(
    `select address_line1 as line1, latitude, longitude
     from properties
     where cell_fine = any($1::int[]) and market = any($2::text[]) and status = 'active'
       and latitude between $3 and $4 and longitude between $5 and $6
     order by id limit $7`,
    [cells, markets, ...edges(box), limit],
  );
  return rows;
}

interface TileCells {
  markets: string[];
  column: 'cell_fine' | 'cell_coarse';
  /** Undefined for every cell in the box. */
  cells: number[] | undefined;
  box: Box;
}

export async function listTileCells(db: Queryable, { markets, column, cells, box }: TileCells): Promise<TileCellRow[]> {
  const { rows } = await db.query<TileCellRow>(
    `select avg(latitude) as latitude, avg(longitude) as longitude, count(*) as count, avg(value)::float8 as average_value
     from properties
     where ($1::int[] is null or ${column} = any($1)) and market = any($2::text[]) and status = 'active'
       and latitude between $3 and $4 and longitude between $5 and $6
     group by ${column} order by ${column}`,
    [cells ?? null, markets, ...edges(box)],
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
  const { rows } = await db.query<Omit<AreaRow, 'polygons'> & { rings: Polygon | MultiPolygon }>(
    `select kind, id, name, attributes, rings
     from areas a
     where fips = any($1::int[]) and kind = any($2::text[])
       and max_latitude >= $3 and min_latitude <= $4 and max_longitude >= $5 and min_longitude <= $6
       and greatest(max_latitude - min_latitude, max_longitude - min_longitude) >= $7
       and vintage = (select max(vintage) from areas n where n.fips = a.fips and n.kind = a.kind)
     order by kind, id`,
    [counties, kinds, ...edges(box), minSpan],
  );
  return rows.map(({ rings, ...row }) => ({ ...row, polygons: isPolygon(rings) ? [rings] : rings }));
}

function isPolygon(rings: Polygon | MultiPolygon): rings is Polygon {
  return typeof rings[0]?.[0]?.[0] === 'number';
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
