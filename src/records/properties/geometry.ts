// GeoJSON polygons from callers: at most 1,000 vertices, closed rings, no self-intersections, no antimeridian.
import Type, { type Static } from 'typebox';
import { fail } from '../../base/lib/errors.ts';
import type { MultiPolygon, Ring } from '../../base/lib/geo.ts';
import { findCrossing } from '../../base/lib/shapes.ts';
import { oneOf } from '../../base/lib/schema.ts';

const MAX_VERTICES = 1_000;

/** Loose on purpose: `readGeometry` explains what is wrong with a geometry better than a schema does. */
export const Geometry = Type.Object(
  {
    type: oneOf(['Polygon', 'MultiPolygon']),
    coordinates: Type.Array(Type.Unknown(), { maxItems: 10_000 }),
  },
  { title: 'Geometry', description: `A GeoJSON Polygon or MultiPolygon with at most ${MAX_VERTICES} vertices.` },
);

export function readGeometry(geometry: Static<typeof Geometry>): MultiPolygon {
  const polygons = (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates) as MultiPolygon;
  if (!Array.isArray(polygons) || polygons.length === 0) invalid('the geometry has no polygon');
  let vertices = 0;
  for (const polygon of polygons) {
    if (!Array.isArray(polygon) || polygon.length === 0) invalid('a polygon needs at least one ring');
    for (const ring of polygon) {
      if (!Array.isArray(ring)) invalid('a ring must be a list of [longitude, latitude] positions');
      vertices += ring.length;
      if (vertices > MAX_VERTICES) {
        fail('geometry_too_large', `The geometry has more than ${MAX_VERTICES} vertices; simplify it.`, {
          limit: MAX_VERTICES,
        });
      }
    }
  }
  return polygons.map((polygon) => polygon.map<Ring>(checkRing));
}

function checkRing(ring: Ring): Ring {
  for (const position of ring) {
    const [longitude, latitude] = Array.isArray(position) ? position : [];
    if (typeof longitude !== 'number' || typeof latitude !== 'number')
      invalid('a position must be [longitude, latitude] as numbers');
    if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90)
      invalid('a position is outside ±180 longitude or ±90 latitude');
  }
  if (ring.length < 4) invalid('a ring needs at least four positions');
  const [first, last] = [ring[0], ring[ring.length - 1]];
  if (first[0] !== last[0] || first[1] !== last[1]) invalid('a ring must end where it starts');
  for (let i = 1; i < ring.length; i++) {
    if (Math.abs(ring[i][0] - ring[i - 1][0]) > 180)
      invalid('the geometry crosses the antimeridian; split it there into a MultiPolygon');
  }
  if (findCrossing(ring.slice(0, -1))) invalid('a ring intersects itself');
  return ring;
}

function invalid(what: string): never {
  return fail('geometry_invalid', `Invalid geometry: ${what}.`);
}
