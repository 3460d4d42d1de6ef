// Vector tiles: single properties and their outlines when zoomed in, counts and average values per grid cell when zoomed out.
import type { Static } from 'typebox';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { BASEMAP_PATH } from '../../base/http/basemap.ts';
import { isoDate } from '../../base/lib/clock.ts';
import { boxesTouch, cellsOfBox, FINE_DEGREES, widenBox } from '../../base/lib/geo.ts';
import { decodeShape, shapeCellsAround } from '../../base/lib/shapes.ts';
import { fail } from '../../base/lib/errors.ts';
import type { Filter } from '../properties/filter.ts';
import { conditionOf } from '../properties/search.ts';
import { SHAPE_MARGIN } from '../properties/shapes.ts';
import { POINT_ATTRIBUTES } from '../../supply/layers/layers.ts';
import { figureSql, type Figure } from '../../supply/map-aggregates/figures.ts';
import { permitsSince, PROPERTY_ZOOM } from '../../supply/map-aggregates/squares.ts';
import { coarseCell, coarseFlags, coarsePoint, coarseShape, LIVE_FIELDS } from './coarse.ts';
import { groupMargin, readGroups, type TileGroup } from './groups.ts';
import { boundsOfTile, encodeTile, type Layer, type TilePoint, type TilePolygons } from './mvt.ts';
import type { TileSpot } from './tile-cache.ts';
import { MAX_ZOOM, type TileJson } from './schema.ts';
import * as sql from './sql.ts';

/** From this zoom on, a lot is wider than a few pixels and a tile has some hundreds of them. */
const SHAPE_ZOOM = 15;
const MAX_SHAPES = 5_000;
const MAX_POINTS = 20_000;
/** A map window of about 900 pixels is 2^0.7 tiles of 512 pixels wide. */
const SCREEN_ZOOMS = 0.7;

/** In live mode the flags of homes are counted in squares of about five blocks. */
const FLAG_SQUARE_DEGREES = 0.005;

type TileDeps = Pick<Deps, 'dataReplica' | 'catalog' | 'tiles' | 'clock'>;

/** The homes to draw in a tile, and the figure to color them by. */
interface TileView {
  filter: Filter;
  figure: Figure;
}

/** Facts that live maps hide must not be revealed by filtering for them. */
const NOT_IN_LIVE_TILES = [
  ['ownerOccupied', 'owner_occupied'],
  ['ownerType', 'owner_type'],
  ['updatedSince', 'updated_since'],
] as const;

export function readTile(deps: TileDeps, spot: TileSpot, view: TileView): Promise<Buffer> {
  if (spot.mode === 'live') refuseHiddenFacts(view.filter);
  const name = JSON.stringify([view.figure, view.filter]);
  return deps.tiles.properties({ ...spot, view: name }, async () =>
    encodeTile(await readLayers(deps, spot, view), spot),
  );
}

function refuseHiddenFacts(filter: Filter): void {
  const hidden =
    filter.layers[0]?.name ??
    (filter.conditions.length > 0 ? 'layer' : undefined) ??
    NOT_IN_LIVE_TILES.find(([name]) => filter[name] !== undefined)?.[1];
  if (!hidden) return;
  fail('invalid_request', `Live tiles cannot be filtered by \`${hidden}\`. A search returns those properties.`, {
    errors: [{ pointer: `/${hidden}`, code: 'invalid', detail: 'not for live tiles' }],
  });
}

async function readLayers(deps: TileDeps, { mode, z, x, y }: TileSpot, { filter, figure }: TileView): Promise<Layer[]> {
  const box = boundsOfTile(z, x, y);
  const { place } = filter;
  const margin = z < PROPERTY_ZOOM ? groupMargin(z, filter) : z >= SHAPE_ZOOM ? SHAPE_MARGIN : 0;
  const where = { filter, box, margin };
  const matching = place && !boxesTouch(place.box, box) ? undefined : await conditionOf(deps, mode, where);
  if (!matching) return [];
  const condition = place?.kind === 'polygon' ? sql.insideOf(place.polygons[0][0], matching) : matching;
  const isLive = mode === 'live';
  if (z >= PROPERTY_ZOOM) {
    const cells = cellsOfBox(box, FINE_DEGREES);
    const homes = { condition, figure: figureSql(figure, isLive), box };
    const rows = await sql.listTileProperties(deps.dataReplica, { ...homes, cells, limit: MAX_POINTS });
    const points = { name: 'properties', points: rows.map(isLive ? coarsePoint(figure) : pointOf(z)) };
    const since = permitsSince(isoDate(deps.clock()));
    const squares = { condition, box, cells, squareDegrees: FLAG_SQUARE_DEGREES, permitsSince: since };
    const flags = isLive ? (await sql.listTileFlags(deps.dataReplica, squares)).flatMap(coarseFlags) : [];
    const layers = [points, { name: 'flags', points: flags }];
    if (z < SHAPE_ZOOM) return layers;
    const near = { ...homes, cells: shapeCellsAround(box), limit: MAX_SHAPES };
    const shapes = await sql.listTileShapes(deps.dataReplica, near);
    return [{ name: 'parcels', areas: shapes.map(isLive ? coarseShape(figure) : shapeOf) }, ...layers];
  }
  const groups = await readGroups(deps, { z, box, filter, condition, figure, isRough: isLive });
  return [{ name: 'cells', points: groups.map(isLive ? coarseCell(figure) : cellPointOf) }];
}

/** From this zoom on, points carry the address and size that the map's hover card shows. */
const CARD_ZOOM = 15;

const pointOf =
  (z: number) =>
  ({ latitude, longitude, address, bedrooms, bathrooms, sqft, ...properties }: sql.TileRow): TilePoint => ({
    latitude,
    longitude,
    properties: {
      ...properties,
      figure: roundFigure(properties.figure),
      ...(z >= CARD_ZOOM && { address, bedrooms, bathrooms, sqft }),
    },
  });

/** Four digits are more than a color can show, and equal values are stored once in a tile. */
const roundFigure = (amount: number | null): number | null => (amount === null ? null : Number(amount.toPrecision(4)));

const shapeOf = ({ shape, ...properties }: sql.TileShapeRow): TilePolygons => ({
  polygons: decodeShape(shape),
  properties: { ...properties, figure: roundFigure(properties.figure) },
});

function cellPointOf({ latitude, longitude, average_value, median, read: _read, ...counts }: TileGroup): TilePoint {
  const average = average_value === null ? null : Math.round(average_value);
  return { latitude, longitude, properties: { ...counts, average_value: average, median: roundFigure(median) } };
}

const FLAG_FIELDS = { permits: 'Number', violations: 'Number', liens: 'Number' };

export async function describeTiles(
  deps: TileDeps & Pick<Deps, 'config'>,
  mode: KeyMode,
): Promise<Static<typeof TileJson>> {
  const { baseUrl, basemap } = deps.config;
  const center = await findCenter(deps, mode);
  return {
    tilejson: '3.0.0',
    name: 'Platbook properties',
    tiles: [`${baseUrl}/api/v1/tiles/{z}/{x}/{y}.mvt`],
    minzoom: 0,
    maxzoom: MAX_ZOOM,
    ...(center && { center }),
    ...(basemap && { basemap: `${baseUrl}${BASEMAP_PATH}` }),
    vector_layers: [
      {
        id: 'properties',
        minzoom: PROPERTY_ZOOM,
        maxzoom: MAX_ZOOM,
        fields: {
          ...LIVE_FIELDS,
          ...(mode === 'test' && {
            ...Object.fromEntries(POINT_ATTRIBUTES.map(({ name, as }) => [name, ATTRIBUTE_TYPES[as]])),
            address: 'String',
            bedrooms: 'Number',
            bathrooms: 'Number',
            sqft: 'Number',
          }),
          sold: 'Number',
        },
      },
      {
        id: 'parcels',
        minzoom: SHAPE_ZOOM,
        maxzoom: MAX_ZOOM,
        fields: { ...LIVE_FIELDS, count: 'Number' },
      },
      {
        id: 'cells',
        minzoom: 0,
        maxzoom: PROPERTY_ZOOM - 1,
        fields: { count: 'Number', average_value: 'Number', median: 'Number', ...FLAG_FIELDS },
      },
      ...(mode === 'live' ? [{ id: 'flags', minzoom: PROPERTY_ZOOM, maxzoom: MAX_ZOOM, fields: FLAG_FIELDS }] : []),
    ],
  };
}

const ATTRIBUTE_TYPES = { flag: 'Boolean', any: 'Boolean', month: 'Number', word: 'String' };

/** Where a map should open: on the market with the most properties, zoomed out to show nearly all of them. */
async function findCenter(deps: TileDeps, mode: KeyMode): Promise<number[] | undefined> {
  const counts = (await deps.catalog.read()).visible[mode];
  const sizes = [...Map.groupBy(counts, (row) => row.market)].map(([market, rows]) => ({
    market,
    counties: [...new Set(rows.map((row) => row.fips))],
    size: rows.reduce((sum, row) => sum + row.property_count, 0),
  }));
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  const homes = largest && (await sql.findHomeBox(deps.dataReplica, largest));
  if (!homes) return undefined;
  const box = widenBox(homes, FINE_DEGREES / 2);
  const spanDegrees = Math.max(box.maxLongitude - box.minLongitude, (box.maxLatitude - box.minLatitude) * 1.5);
  const zoom = Math.log2(360 / spanDegrees) + SCREEN_ZOOMS;
  const middle = [(box.minLongitude + box.maxLongitude) / 2, (box.minLatitude + box.maxLatitude) / 2];
  return [...middle, zoom].map((part) => Math.round(part * 1e4) / 1e4);
}
