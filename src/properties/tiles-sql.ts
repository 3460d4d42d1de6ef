// The two queries behind vector tiles.
import type { Queryable } from '../db/postgres.ts';
import type { Box } from '../lib/geo.ts';

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
  markets: string[],
  cells: number[],
  box: Box,
  limit: number,
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

export async function listTileCells(
  db: Queryable,
  markets: string[],
  column: 'cell_fine' | 'cell_coarse',
  cells: number[] | undefined,
  box: Box,
): Promise<TileCellRow[]> {
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
