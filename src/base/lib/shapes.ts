// Parcel shapes: delta-coded bytes for storage, GeoJSON for callers, and the grid squares that find them. Pure.
import { cellOf, cellsOfBox, middleOf, type Box, type MultiPolygon, type Polygon, type Ring } from './geo.ts';

/** Vertices have a resolution of 1e-7 degrees, about a centimeter: a side of 90 m still fits in two bytes. */
const STEPS_PER_DEGREE = 1e7;
const FORMAT = 1;

/** Counts and deltas between vertices as variable-length integers; rings are stored unclosed. */
export function encodeShape(polygons: MultiPolygon): Buffer {
  const bytes: number[] = [FORMAT];
  let [x, y] = [0, 0];
  writeCount(bytes, polygons.length);
  for (const polygon of polygons) {
    writeCount(bytes, polygon.length);
    for (const ring of polygon) {
      writeCount(bytes, ring.length - 1);
      for (let i = 0; i < ring.length - 1; i++) {
        const [column, row] = [stepOf(ring[i][0]), stepOf(ring[i][1])];
        writeStep(bytes, column - x);
        writeStep(bytes, row - y);
        [x, y] = [column, row];
      }
    }
  }
  return Buffer.from(bytes);
}

export function decodeShape(bytes: Buffer): MultiPolygon {
  if (bytes[0] !== FORMAT) throw new Error(`Unknown format ${bytes[0]} of a parcel shape.`);
  let at = 1;
  let [x, y] = [0, 0];
  const readCount = (): number => {
    let [value, unit] = [0, 1];
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  };
  const readStep = (): number => {
    const value = readCount();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const readRing = (): Ring => {
    const ring: Ring = Array.from({ length: readCount() }, () => {
      x += readStep();
      y += readStep();
      return [x / STEPS_PER_DEGREE, y / STEPS_PER_DEGREE];
    });
    ring.push([...ring[0]]);
    return ring;
  };
  return Array.from({ length: readCount() }, () => Array.from({ length: readCount() }, readRing));
}

export const stepOf = (degrees: number): number => Math.round(degrees * STEPS_PER_DEGREE);

function writeCount(bytes: number[], value: number): void {
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

function writeStep(bytes: number[], step: number): void {
  writeCount(bytes, step >= 0 ? step * 2 : -step * 2 - 1);
}

export type ParcelGeometry =
  | { type: 'Polygon'; coordinates: Polygon }
  | { type: 'MultiPolygon'; coordinates: MultiPolygon };

export const geometryOf = (polygons: MultiPolygon): ParcelGeometry =>
  polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };

const FEET_PER_DEGREE = 364_813;

/** Square feet on a local tangent plane: within 0.1% at parcel size. */
export function areaSqftOf(polygons: MultiPolygon): number {
  let area = 0;
  for (const polygon of polygons) {
    for (const [i, ring] of polygon.entries()) area += (i === 0 ? 1 : -1) * Math.abs(signedSqftOf(ring));
  }
  return area;
}

/** Positive for a ring that runs counterclockwise. */
export function signedSqftOf(ring: Ring): number {
  const [[x0, y0]] = ring;
  let double = 0;
  for (let i = 0; i < ring.length - 1; i++) {
    double += (ring[i][0] - x0) * (ring[i + 1][1] - y0) - (ring[i + 1][0] - x0) * (ring[i][1] - y0);
  }
  return (double / 2) * FEET_PER_DEGREE ** 2 * Math.cos((y0 * Math.PI) / 180);
}

/** Sides of the index squares, in degrees; a shape uses the smallest that is no smaller than itself. Each divides 360. */
const SQUARES = [0.001, 0.004, 0.016, 0.08, 0.4, 2];
const LARGEST_SHAPE_DEGREES = SQUARES[SQUARES.length - 1];
/** Room for every cell of one level. */
const LEVEL = 1e12;

/** Whether a square is large enough for the box. */
export function isFiled(box: Box): boolean {
  const span = Math.max(box.maxLongitude - box.minLongitude, box.maxLatitude - box.minLatitude);
  return span <= LARGEST_SHAPE_DEGREES;
}

export function shapeCellOf(box: Box): number {
  const span = Math.max(box.maxLongitude - box.minLongitude, box.maxLatitude - box.minLatitude);
  const level = SQUARES.findIndex((degrees) => span <= degrees);
  return level * LEVEL + cellOf(middleOf(box), SQUARES[level]);
}

/** Every cell that may index a shape touching the box: the shape's center is at most half a square away. */
export const shapeCellsAround = (box: Box): number[] =>
  SQUARES.flatMap((degrees, level) => {
    const reach = degrees / 2;
    const wide: Box = {
      minLongitude: Math.max(-180, box.minLongitude - reach),
      minLatitude: Math.max(-90, box.minLatitude - reach),
      maxLongitude: Math.min(180, box.maxLongitude + reach),
      maxLatitude: Math.min(90, box.maxLatitude + reach),
    };
    return cellsOfBox(wide, degrees).map((cell) => level * LEVEL + cell);
  });

/** Finds two crossing edges, by the indexes of their first vertices, and the crossing point. A west-to-east sweep
    compares only overlapping edges, so a shoreline of thousands of vertices takes milliseconds. */
export function findCrossing(loop: Ring): [first: number, second: number, at: Corner] | undefined {
  const { length } = loop;
  const edges = loop.map((a, i) => {
    const b = loop[(i + 1) % length];
    return { i, a, b, west: Math.min(a[0], b[0]), east: Math.max(a[0], b[0]) };
  });
  edges.sort((one, other) => one.west - other.west);
  for (const [k, one] of edges.entries()) {
    for (let next = k + 1; next < length && edges[next].west <= one.east; next++) {
      const other = edges[next];
      const at = crossingOf(one.a, one.b, other.a, other.b);
      if (at) return one.i < other.i ? [one.i, other.i, at] : [other.i, one.i, at];
    }
  }
  return undefined;
}

type Corner = Ring[number];

/** The interior crossing point of two edges; edges that only touch do not cross. */
function crossingOf(a: Corner, b: Corner, c: Corner, d: Corner): Corner | undefined {
  const side = (p: Corner, q: Corner, r: Corner) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  const [s1, s2, s3, s4] = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
  if (s1 * s2 >= 0 || s3 * s4 >= 0) return undefined;
  const share = s3 / (s3 - s4);
  return [stepOf(a[0] + share * (b[0] - a[0])) / 1e7, stepOf(a[1] + share * (b[1] - a[1])) / 1e7];
}
