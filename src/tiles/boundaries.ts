// Vector tiles of boundaries, the base layer under the properties: tracts as land, neighborhoods, flood zones.
import type { Deps } from '../deps.ts';
import { boxOfPolygon, type MultiPolygon } from '../lib/geo.ts';
import { visibleCounts } from '../markets/catalog.ts';
import { boundsOfTile, encodeTile, type TilePolygons } from './mvt.ts';
import type { TileSpot } from './tile-cache.ts';
import * as sql from './sql.ts';

/** Flood zones are fine-grained: zoomed out they would be unreadable, and a county has thousands. */
const FLOOD_ZOOM = 10;
/** An area smaller than this share of a tile is a dot on the screen. */
const SMALLEST_SHARE = 1 / 128;
const WIDE_DEGREES = 0.06;
const KINDS: Record<string, string> = {
  tract: 'tracts',
  census_tract: 'tracts',
  neighborhood: 'neighborhoods',
  flood: 'flood',
};

type BoundaryDeps = Pick<Deps, 'dataReplica' | 'catalog' | 'tiles'>;

export function readBoundaryTile(deps: BoundaryDeps, spot: TileSpot): Promise<Buffer> {
  return deps.tiles.boundaries(spot, () => drawBoundaries(deps, spot));
}

async function drawBoundaries(deps: BoundaryDeps, spot: TileSpot): Promise<Buffer> {
  const { mode, z, x, y } = spot;
  const visible = visibleCounts(await deps.catalog.read(), mode);
  const counties = [...new Set(visible.map((row) => row.fips))];
  const kinds = Object.keys(KINDS).filter((kind) => kind !== 'flood' || z >= FLOOD_ZOOM);
  const minSpan = (360 / 2 ** z) * SMALLEST_SHARE;
  const rows = await sql.listTileAreas(deps.dataReplica, { counties, kinds, box: boundsOfTile(z, x, y), minSpan });
  const layers = Map.groupBy(rows, (row) => KINDS[row.kind]);
  const drawn = [...layers].map(([layer, areas]) => ({ name: layer, areas: areas.map(presentArea) }));
  return encodeTile(drawn, spot);
}

function presentArea({ kind, id, name, attributes, polygons }: sql.AreaRow): TilePolygons {
  const flood = kind === 'flood' && {
    zone: String(attributes.FLD_ZONE ?? attributes.zone ?? name ?? ''),
    sfha: attributes.SFHA_TF === 'T' || attributes.sfha === true,
    minimal: String(attributes.ZONE_SUBTY ?? attributes.zone_subtype ?? '').includes('MINIMAL'),
  };
  // Rural districts can be wider than a town; their outline says nothing on a map.
  const isWide = kind === 'neighborhood' && widthOf(polygons) > WIDE_DEGREES;
  return { polygons, properties: { id, name, ...flood, ...(isWide && { wide: true }) } };
}

function widthOf(polygons: MultiPolygon): number {
  const box = boxOfPolygon(polygons);
  return box.maxLongitude - box.minLongitude;
}
