// Outlines and places around a home, for maps that are drawn on paper.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { cellsOfBox, FINE_DEGREES, type Box, type MultiPolygon } from '../../base/lib/geo.ts';
import { decodeShape, shapeCellsAround } from '../../base/lib/shapes.ts';
import { placesIn } from '../markets/catalog.ts';
import { POLYGON_LAYERS } from '../../supply/layers/layers.ts';
import { SHAPE_MARGIN } from '../properties/shapes.ts';
import * as sql from './sql.ts';

const MAX_SHAPES = 6_000;
const MAX_HOMES = 6_000;
const HAZARDS = new Map(POLYGON_LAYERS.map(({ name, polygons }) => [name as string, polygons.map.isHazard]));
const KINDS = ['tract', 'neighborhood', ...HAZARDS.keys()];
/** An area smaller than this share of the map is a dot on it. */
const SMALLEST_SHARE = 1 / 100;

export interface Surroundings {
  parcels: MultiPolygon[];
  homes: { line1: string | null; latitude: number; longitude: number }[];
  areas: { kind: 'tract' | 'neighborhood' | 'hazard'; name: string | null; polygons: MultiPolygon }[];
}

/** `withParcels` is for maps of a few blocks: further out, outlines are too small to see. */
export async function readSurroundings(
  deps: Pick<Deps, 'dataReplica' | 'catalog'>,
  mode: KeyMode,
  { box, withParcels }: { box: Box; withParcels: boolean },
): Promise<Surroundings> {
  const catalog = await deps.catalog.read();
  const { markets, counties } = placesIn(catalog, mode, box, SHAPE_MARGIN);
  const minSpan = (box.maxLatitude - box.minLatitude) * SMALLEST_SHARE;
  const [shapes, homes, areas] = await Promise.all([
    withParcels
      ? sql.listTileShapes(deps.dataReplica, {
          condition: sql.activeIn({ markets, counties }),
          figure: 'p.value',
          cells: shapeCellsAround(box),
          box,
          limit: MAX_SHAPES,
        })
      : [],
    sql.listHomesIn(deps.dataReplica, {
      markets,
      counties,
      cells: cellsOfBox(box, FINE_DEGREES),
      box,
      limit: MAX_HOMES,
    }),
    sql.listTileAreas(deps.dataReplica, { counties, kinds: KINDS, box, minSpan }),
  ]);
  return {
    parcels: shapes.map(({ shape }) => decodeShape(shape)),
    homes,
    areas: areas.flatMap(({ kind, name, attributes, polygons }): Surroundings['areas'] => {
      const isHazard = HAZARDS.get(kind);
      if (isHazard) return isHazard(attributes) ? [{ kind: 'hazard', name, polygons }] : [];
      return [{ kind: kind === 'neighborhood' ? kind : 'tract', name, polygons }];
    }),
  };
}
