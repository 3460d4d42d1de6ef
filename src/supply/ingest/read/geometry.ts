// Geometries returned by readers: a point, lines or polygons in degrees, with the derived values that a parcel needs.
import type { Project } from '../../../base/lib/projection.ts';
import { centroidOfRing, type MultiPolygon, type Point, type Ring } from '../../../base/lib/geo.ts';

type Line = [longitude: number, latitude: number][];
export type Geometry =
  | { type: 'point'; point: Point }
  | { type: 'lines'; lines: Line[] }
  | { type: 'polygons'; polygons: MultiPolygon };

/** Converts GeoJSON. Rings of fewer than four points and other geometry types are dropped. */
export function readGeoJsonGeometry(
  geometry: { type: string; coordinates: unknown } | null,
  project?: Project,
): Geometry | undefined {
  if (!geometry) return undefined;
  const place = (ring: [number, number][]): Ring => ring.map(([x, y]) => (project ? project(x, y) : [x, y]));
  const polygon = (rings: [number, number][][]) => rings.filter((ring) => ring.length >= 4).map(place);
  if (geometry.type === 'Point') {
    const [x, y] = geometry.coordinates as [number, number];
    const [longitude, latitude] = project ? project(x, y) : [x, y];
    return { type: 'point', point: { latitude, longitude } };
  }
  if (geometry.type === 'LineString') return linesOf([place(geometry.coordinates as [number, number][])]);
  if (geometry.type === 'MultiLineString') {
    return linesOf((geometry.coordinates as [number, number][][]).map(place));
  }
  if (geometry.type === 'Polygon') {
    const rings = polygon(geometry.coordinates as [number, number][][]);
    return rings.length > 0 ? { type: 'polygons', polygons: [rings] } : undefined;
  }
  if (geometry.type === 'MultiPolygon') {
    const polygons = (geometry.coordinates as [number, number][][][]).map(polygon).filter((rings) => rings.length > 0);
    return polygons.length > 0 ? { type: 'polygons', polygons } : undefined;
  }
  return undefined;
}

/** Lines of fewer than two points are dropped. */
export function linesOf(lines: Line[]): Geometry | undefined {
  const drawn = lines.filter((line) => line.length >= 2);
  return drawn.length > 0 ? { type: 'lines', lines: drawn } : undefined;
}

/** The centroid of the largest polygon, or of its vertices if it has no area. */
export function centroidOf(geometry: Geometry): Point {
  if (geometry.type === 'point') return geometry.point;
  if (geometry.type === 'lines') {
    const [longitude, latitude] = geometry.lines[0][Math.floor(geometry.lines[0].length / 2)];
    return { latitude, longitude };
  }
  let best = { area: -1, latitude: 0, longitude: 0 };
  for (const [outer] of geometry.polygons) {
    const found = centroidOfRing(outer);
    if (found.area > best.area) best = found;
  }
  return { latitude: best.latitude, longitude: best.longitude };
}

const FEET_PER_DEGREE = 364_567;

/** Ground area of small polygons such as buildings, on a flat earth; holes are excluded. */
export function areaSqftOf(geometry: Geometry): number {
  if (geometry.type !== 'polygons') return 0;
  return geometry.polygons.reduce((sum, [outer, ...holes]) => {
    return sum + ringSqft(outer) - holes.reduce((inner, hole) => inner + ringSqft(hole), 0);
  }, 0);
}

function ringSqft(ring: Ring): number {
  const [originX, originY] = ring[0];
  const squeeze = Math.cos((originY * Math.PI) / 180);
  let doubled = 0;
  for (let i = 0; i < ring.length; i++) {
    const [[x1, y1], [x2, y2]] = [ring[i], ring[(i + 1) % ring.length]];
    doubled += (x1 - originX) * (y2 - originY) - (x2 - originX) * (y1 - originY);
  }
  return (Math.abs(doubled) / 2) * squeeze * FEET_PER_DEGREE ** 2;
}
