// Vector tiles: single properties and their outlines when zoomed in, counts and average values per grid cell when zoomed out.
import type { Static } from 'typebox';
import type { KeyMode } from '../accounts/key-format.ts';
import type { Deps } from '../deps.ts';
import { COARSE_DEGREES, cellCountOfBox, cellsOfBox, FINE_DEGREES } from '../lib/geo.ts';
import { decodeShape, shapeCellsAround } from '../lib/shapes.ts';
import { visibleCounts } from '../markets/catalog.ts';
import { coarsePoint, coarseCell, coarseShape, LIVE_FIELDS } from './coarse.ts';
import { boundsOfTile, encodeTile, type TilePoint, type TilePolygons } from './mvt.ts';
import type { TileSpot } from './tile-cache.ts';
import { MAX_ZOOM, type TileJson } from './schema.ts';
import * as sql from './sql.ts';

/** From this zoom on, a tile is about a mile wide and shows single properties. */
const PROPERTY_ZOOM = 14;
const FINE_ZOOM = 10;
/** From this zoom on, a lot is wider than a few pixels and a tile has some hundreds of them. */
const SHAPE_ZOOM = 15;
const MAX_SHAPES = 5_000;
const MAX_POINTS = 20_000;
const MAX_CELLS = 100_000;
/** A map window of about 900 pixels is 2^0.7 tiles of 512 pixels wide. */
const SCREEN_ZOOMS = 0.7;

type TileDeps = Pick<Deps, 'dataReplica' | 'catalog' | 'tiles'>;

export function readTile(deps: TileDeps, spot: TileSpot): Promise<Buffer> {
  return deps.tiles.properties(spot, async () => encodeTile(await readLayers(deps, spot), spot));
}

async function readLayers(deps: TileDeps, { mode, z, x, y }: TileSpot) {
  const box = boundsOfTile(z, x, y);
  const visible = visibleCounts(await deps.catalog.read(), mode);
  const markets = [...new Set(visible.map((row) => row.market))];
  if (z >= PROPERTY_ZOOM) {
    const cells = cellsOfBox(box, FINE_DEGREES);
    const rows = await sql.listTileProperties(deps.dataReplica, { markets, cells, box, limit: MAX_POINTS });
    const points = { name: 'properties', points: rows.map(mode === 'live' ? coarsePoint : pointOf) };
    if (z < SHAPE_ZOOM) return [points];
    const near = { markets, cells: shapeCellsAround(box), box, limit: MAX_SHAPES };
    const shapes = await sql.listTileShapes(deps.dataReplica, near);
    return [{ name: 'parcels', areas: shapes.map(mode === 'live' ? coarseShape : shapeOf) }, points];
  }
  const [column, degrees] =
    z >= FINE_ZOOM ? (['cell_fine', FINE_DEGREES] as const) : (['cell_coarse', COARSE_DEGREES] as const);
  // A tile wider than a continent has more cells than are worth listing; every market then fits in one scan.
  const cells = cellCountOfBox(box, degrees) > MAX_CELLS ? undefined : cellsOfBox(box, degrees);
  const rows = await sql.listTileCells(deps.dataReplica, { markets, column, cells, box });
  return [{ name: 'cells', points: rows.map(mode === 'live' ? coarseCell : cellPointOf) }];
}

function pointOf({ latitude, longitude, ...properties }: sql.TileRow): TilePoint {
  return {
    latitude,
    longitude,
    properties: {
      ...properties,
      has_open_lien: (properties.has_open_lien ?? 0) > 0,
      has_open_violation: (properties.has_open_violation ?? 0) > 0,
    },
  };
}

function shapeOf({ shape, ...properties }: sql.TileShapeRow): TilePolygons {
  return { polygons: decodeShape(shape), properties };
}

function cellPointOf({ latitude, longitude, count, average_value }: sql.TileCellRow): TilePoint {
  return {
    latitude,
    longitude,
    properties: { count, average_value: average_value === null ? null : Math.round(average_value) },
  };
}

export async function describeTiles(
  deps: TileDeps & Pick<Deps, 'config'>,
  mode: KeyMode,
): Promise<Static<typeof TileJson>> {
  const { baseUrl } = deps.config;
  const center = await findCenter(deps, mode);
  return {
    tilejson: '3.0.0',
    name: 'Platbook properties',
    tiles: [`${baseUrl}/api/v1/tiles/{z}/{x}/{y}.mvt`],
    minzoom: 0,
    maxzoom: MAX_ZOOM,
    ...(center && { center }),
    vector_layers: [
      {
        id: 'properties',
        minzoom: PROPERTY_ZOOM,
        maxzoom: MAX_ZOOM,
        fields: {
          ...LIVE_FIELDS,
          ...(mode === 'test' && {
            flood_sfha: 'Boolean',
            opportunity_zone: 'Boolean',
            has_open_lien: 'Boolean',
            has_open_violation: 'Boolean',
          }),
        },
      },
      {
        id: 'parcels',
        minzoom: SHAPE_ZOOM,
        maxzoom: MAX_ZOOM,
        fields: { ...LIVE_FIELDS, count: 'Number' },
      },
      { id: 'cells', minzoom: 0, maxzoom: PROPERTY_ZOOM - 1, fields: { count: 'Number', average_value: 'Number' } },
    ],
  };
}

/** Where a map should open: on the market with the most properties, zoomed out to show all of it. */
async function findCenter(deps: TileDeps, mode: KeyMode): Promise<number[] | undefined> {
  const counts = visibleCounts(await deps.catalog.read(), mode);
  const sizes = [...Map.groupBy(counts, (row) => row.market)].map(([, rows]) => ({
    counties: [...new Set(rows.map((row) => row.fips))],
    size: rows.reduce((sum, row) => sum + row.property_count, 0),
  }));
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  const box = largest && (await sql.findAreaBox(deps.dataReplica, largest.counties));
  if (!box) return undefined;
  const spanDegrees = Math.max(box.maxLongitude - box.minLongitude, (box.maxLatitude - box.minLatitude) * 1.5, 0.01);
  const zoom = Math.log2(360 / spanDegrees) + SCREEN_ZOOMS;
  const middle = [(box.minLongitude + box.maxLongitude) / 2, (box.minLatitude + box.maxLatitude) / 2];
  return [...middle, zoom].map((part) => Math.round(part * 1e4) / 1e4);
}
