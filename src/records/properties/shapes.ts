// Parcels by shape: point lookup, and the outline and lineage that a record can include.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { distanceMiles, METERS_PER_MILE, polygonsHold, type Point } from '../../base/lib/geo.ts';
import { decodeShape, geometryOf, shapeCellsAround, type ParcelGeometry } from '../../base/lib/shapes.ts';
import { placesIn } from '../markets/catalog.ts';
import type { Property } from './schema.ts';
import * as sql from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

/** Degrees that a parcel may extend beyond its county's homes: wider than any parcel. */
export const SHAPE_MARGIN = 0.5;

/** Active parcels whose shape contains the point, nearest own point first. Units share a lot. */
export async function listParcelsAt(deps: { data: Queryable } & Pick<Deps, 'catalog'>, mode: KeyMode, point: Point) {
  const catalog = await deps.catalog.read();
  const { latitude, longitude } = point;
  const box = { minLongitude: longitude, minLatitude: latitude, maxLongitude: longitude, maxLatitude: latitude };
  const places = placesIn(catalog, mode, box, SHAPE_MARGIN);
  const rows = await sql.listShapesAt(deps.data, shapeCellsAround(box), point, places);
  return rows
    .filter(({ shape }) => polygonsHold(decodeShape(shape), point))
    .map(({ shape: _shape, latitude: north, longitude: east, ...parcel }) => ({
      ...parcel,
      /** From the parcel's own point, which decides between shapes that overlap. */
      meters:
        north === null || east === null
          ? Infinity
          : distanceMiles(point, { latitude: north, longitude: east }) * METERS_PER_MILE,
    }))
    .sort((a, b) => a.meters - b.meters || (a.id < b.id ? -1 : 1));
}

export async function readGeometries(
  deps: Pick<Deps, 'data'>,
  rows: readonly sql.PropertyRow[],
): Promise<Map<string, ParcelGeometry>> {
  const shapes = await sql.listShapes(deps.data, rows);
  return new Map(shapes.map(({ property_id, shape }) => [property_id, geometryOf(decodeShape(shape))]));
}

type Lineage = NonNullable<Property['lineage']>;

/** Each parcel's predecessors and successors, with the last known shape of retired ones. */
export async function readLineages(
  deps: Pick<Deps, 'data'>,
  rows: readonly sql.PropertyRow[],
  withShapes: boolean,
): Promise<Map<string, Lineage>> {
  const links = await sql.listLineage(deps.data, rows);
  const others = links.map(({ fips, other_id }) => ({ fips, id: other_id }));
  const shapes = withShapes && others.length > 0 ? await sql.listShapes(deps.data, others) : [];
  const shapeOf = new Map(shapes.map(({ property_id, shape }) => [property_id, geometryOf(decodeShape(shape))]));
  const lineages = new Map(rows.map(({ id }): [string, Lineage] => [id, { predecessors: [], successors: [] }]));
  for (const { property_id, side, other_id, apn, kind, happened_on } of links) {
    const relative = { id: other_id, apn, kind, happened_on };
    entryOf(lineages, property_id)[side].push({
      ...relative,
      ...(withShapes && { geometry: shapeOf.get(other_id) ?? null }),
    });
  }
  return lineages;
}
