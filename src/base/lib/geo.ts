// Points, boxes, circles and polygons on the map, and the two grids of cells used instead of a spatial index.

export interface Point {
  latitude: number;
  longitude: number;
}

export interface Box {
  minLongitude: number;
  minLatitude: number;
  maxLongitude: number;
  maxLatitude: number;
}

/** Areas that cross counties, such as ZIP codes, are stored under no county. */
export const NO_COUNTY = 0;

/** A ring is a closed list of [longitude, latitude]; a polygon is its outer ring followed by its holes. */
export type Ring = [number, number][];
export type Polygon = Ring[];
export type MultiPolygon = Polygon[];

export const EARTH_RADIUS_MILES = 3958.7613;
export const METERS_PER_MILE = 1609.344;
const RADIANS = Math.PI / 180;
/** Per degree of latitude; per degree of longitude, multiply by the cosine of the latitude. */
export const METERS_PER_DEGREE = EARTH_RADIUS_MILES * METERS_PER_MILE * RADIANS;

export function distanceMiles(a: Point, b: Point): number {
  const dLat = (b.latitude - a.latitude) * RADIANS;
  const dLon = (b.longitude - a.longitude) * RADIANS;
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(a.latitude * RADIANS) * Math.cos(b.latitude * RADIANS) * Math.sin(dLon / 2) ** 2;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** The smallest box that holds every point within `radiusMiles` of the center. */
export function boxAround(center: Point, radiusMiles: number): Box {
  const dLat = radiusMiles / EARTH_RADIUS_MILES / RADIANS;
  const dLon = dLat / Math.max(0.01, Math.cos(center.latitude * RADIANS));
  return {
    minLongitude: Math.max(-180, center.longitude - dLon),
    minLatitude: Math.max(-90, center.latitude - dLat),
    maxLongitude: Math.min(180, center.longitude + dLon),
    maxLatitude: Math.min(90, center.latitude + dLat),
  };
}

export function boxOfPolygon(polygons: MultiPolygon): Box {
  const box = { minLongitude: Infinity, minLatitude: Infinity, maxLongitude: -Infinity, maxLatitude: -Infinity };
  for (const [outer] of polygons) {
    for (const [longitude, latitude] of outer) {
      box.minLongitude = Math.min(box.minLongitude, longitude);
      box.maxLongitude = Math.max(box.maxLongitude, longitude);
      box.minLatitude = Math.min(box.minLatitude, latitude);
      box.maxLatitude = Math.max(box.maxLatitude, latitude);
    }
  }
  return box;
}

export const middleOf = (box: Box): Point => ({
  latitude: (box.minLatitude + box.maxLatitude) / 2,
  longitude: (box.minLongitude + box.maxLongitude) / 2,
});

export const boxHolds = (box: Box, point: Point): boolean =>
  point.longitude >= box.minLongitude &&
  point.longitude <= box.maxLongitude &&
  point.latitude >= box.minLatitude &&
  point.latitude <= box.maxLatitude;

export const boxesTouch = (a: Box, b: Box): boolean =>
  a.maxLongitude >= b.minLongitude &&
  a.minLongitude <= b.maxLongitude &&
  a.maxLatitude >= b.minLatitude &&
  a.minLatitude <= b.maxLatitude;

export const widenBox = (box: Box, degrees: number): Box => ({
  minLongitude: box.minLongitude - degrees,
  maxLongitude: box.maxLongitude + degrees,
  minLatitude: box.minLatitude - degrees,
  maxLatitude: box.maxLatitude + degrees,
});

/** The centroid of a closed ring and its area in square degrees; the first vertex if the area is zero. */
export function centroidOfRing(ring: Ring): Point & { area: number } {
  // Relative to the first vertex, because cross products of absolute degrees lose seven digits to cancellation.
  const [[x0, y0]] = ring;
  let [area, x, y] = [0, 0, 0];
  for (let i = 0; i < ring.length - 1; i++) {
    const [ax, ay] = [ring[i][0] - x0, ring[i][1] - y0];
    const [bx, by] = [ring[i + 1][0] - x0, ring[i + 1][1] - y0];
    const cross = ax * by - bx * ay;
    area += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
  }
  if (area === 0) return { area: 0, longitude: x0, latitude: y0 };
  return { area: Math.abs(area) / 2, longitude: x0 + x / (3 * area), latitude: y0 + y / (3 * area) };
}

export const polygonsHold = (polygons: MultiPolygon, point: Point): boolean =>
  polygons.some(([outer, ...holes]) => ringHolds(outer, point) && !holes.some((hole) => ringHolds(hole, point)));

/** Ray casting: counts the edges crossed by a ray going east. */
export function ringHolds(ring: Ring, point: Point): boolean {
  let inside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) if (crosses(ring[j], ring[i], point)) inside = !inside;
  return inside;
}

/** Smaller rings are tested edge by edge as quickly. */
const BANDED_CORNERS = 64;
const CORNERS_PER_BAND = 8;

/** `polygonsHold` for a shape that many points are tested against. */
export function makeShapeTest(polygons: MultiPolygon): (point: Point) => boolean {
  const parts = polygons.map(([outer, ...holes]) => ({ holds: makeRingTest(outer), holes: holes.map(makeRingTest) }));
  return (point) => parts.some(({ holds, holes }) => holds(point) && !holes.some((hole) => hole(point)));
}

/** Sorts the edges of a large ring into bands of latitude, because a ray going east crosses only those of its own band. */
function makeRingTest(ring: Ring): (point: Point) => boolean {
  const { minLatitude: south, maxLatitude: north } = boxOfPolygon([[ring]]);
  if (ring.length < BANDED_CORNERS || south === north) return (point) => ringHolds(ring, point);
  const count = Math.ceil(ring.length / CORNERS_PER_BAND);
  const bandOf = (latitude: number) => Math.min(count - 1, Math.floor(((latitude - south) / (north - south)) * count));
  const bands = Array.from({ length: count }, (): Ring => []);
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [a, b] = [bandOf(ring[j][1]), bandOf(ring[i][1])];
    for (let band = Math.min(a, b); band <= Math.max(a, b); band++) bands[band].push(ring[j], ring[i]);
  }
  return (point) => {
    if (!(point.latitude >= south && point.latitude <= north)) return false;
    const corners = bands[bandOf(point.latitude)];
    let inside = false;
    for (let i = 0; i < corners.length; i += 2) if (crosses(corners[i], corners[i + 1], point)) inside = !inside;
    return inside;
  };
}

/** Whether a ray going east from the point crosses the edge. */
const crosses = (from: Ring[number], to: Ring[number], { longitude: x, latitude: y }: Point): boolean =>
  to[1] > y !== from[1] > y && x < ((from[0] - to[0]) * (y - to[1])) / (from[1] - to[1]) + to[0];

/** Grid levels by cell size in degrees: about 2 km and 17 km from north to south. */
export const FINE_DEGREES = 0.02;
export const COARSE_DEGREES = 0.16;

export function cellOf(point: Point, degrees: number): number {
  const columns = Math.round(360 / degrees);
  return Math.floor((point.latitude + 90) / degrees) * columns + columnOf(point.longitude, degrees);
}

export function boxOfCell(cell: number, degrees: number): Box {
  const columns = Math.round(360 / degrees);
  const minLatitude = Math.floor(cell / columns) * degrees - 90;
  const minLongitude = (cell % columns) * degrees - 180;
  return { minLatitude, minLongitude, maxLatitude: minLatitude + degrees, maxLongitude: minLongitude + degrees };
}

/** The share of a box inside another. */
export function shareInside(box: Box, other: Box): number {
  const overlap = (minA: number, maxA: number, minB: number, maxB: number) =>
    Math.max(0, Math.min(maxA, maxB) - Math.max(minA, minB)) / (maxA - minA);
  return (
    overlap(box.minLatitude, box.maxLatitude, other.minLatitude, other.maxLatitude) *
    overlap(box.minLongitude, box.maxLongitude, other.minLongitude, other.maxLongitude)
  );
}

/** The coarse cell that contains a fine one: edges coincide because the widths differ by a power of two. */
export function coarseCellOf(fineCell: number): number {
  const [fineColumns, coarseColumns] = [FINE_DEGREES, COARSE_DEGREES].map((degrees) => Math.round(360 / degrees));
  const [row, column] = [Math.floor(fineCell / fineColumns), fineCell % fineColumns];
  const ratio = fineColumns / coarseColumns;
  return Math.floor(row / ratio) * coarseColumns + Math.floor(column / ratio);
}

/** Every cell that a box touches, row by row. Callers choose the level so that the list stays short. */
export const cellsOfBox = (box: Box, degrees: number): number[] => listCells(cellRangesOfBox(box, degrees));

export function listCells(ranges: [first: number, last: number][]): number[] {
  return ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

/** The same cells as contiguous ranges of numbers, one per grid row, south to north. */
export function cellRangesOfBox(box: Box, degrees: number): [first: number, last: number][] {
  const columns = Math.round(360 / degrees);
  const firstRow = Math.floor((box.minLatitude + 90) / degrees);
  const lastRow = Math.floor((box.maxLatitude + 90) / degrees);
  const west = columnOf(box.minLongitude, degrees);
  const east = columnOf(box.maxLongitude, degrees);
  return Array.from({ length: lastRow - firstRow + 1 }, (_, i) => {
    const start = (firstRow + i) * columns;
    return [start + west, start + east];
  });
}

/** A ten-thousandth of a meter: wider than the rounding errors where an edge meets a cell, narrower than anything mapped. */
const EDGE_MARGIN = 1e-9;

/** The cells that polygons touch, as ranges of numbers: row by row from the south, each from west to east. */
export function cellRangesOfPolygons(polygons: MultiPolygon, degrees: number): [first: number, last: number][] {
  const columns = Math.round(360 / degrees);
  const box = boxOfPolygon(polygons);
  const firstRow = Math.floor((box.minLatitude + 90) / degrees);
  const lastRow = Math.floor((box.maxLatitude + 90) / degrees);
  const edges = edgesOf(polygons);
  const ranges: [number, number][] = [];
  for (let row = firstRow; row <= lastRow; row++) {
    const south = row * degrees - 90;
    const crossed = edges
      .flatMap((edge) => columnsCrossed(edge, south, degrees))
      .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
    const runs: [number, number][] = [];
    for (const [first, last] of crossed) {
      const run = runs.at(-1);
      // No edge passes between two runs, so one point decides whether everything between them is inside.
      const between = { longitude: (first - 0.5) * degrees - 180, latitude: south + degrees / 2 };
      if (run && (first <= run[1] + 1 || polygonsHold(polygons, between))) run[1] = Math.max(run[1], last);
      else runs.push([first, last]);
    }
    for (const [first, last] of runs) ranges.push([row * columns + first, row * columns + last]);
  }
  return ranges;
}

/** The cells crossed by an edge of the polygons: any other is entirely inside or entirely outside. */
export function edgeCellsOf(polygons: MultiPolygon, degrees: number): Set<number> {
  const columns = Math.round(360 / degrees);
  const rowOf = (latitude: number) => Math.floor((latitude + 90) / degrees);
  const cells = new Set<number>();
  for (const edge of edgesOf(polygons)) {
    const [[, from], [, to]] = edge;
    const lastRow = rowOf(Math.max(from, to) + EDGE_MARGIN);
    for (let row = rowOf(Math.min(from, to) - EDGE_MARGIN); row <= lastRow; row++)
      for (const [first, last] of columnsCrossed(edge, row * degrees - 90, degrees))
        for (let column = first; column <= last; column++) cells.add(row * columns + column);
  }
  return cells;
}

type Edge = [from: [number, number], to: [number, number]];

const edgesOf = (polygons: MultiPolygon): Edge[] =>
  polygons.flat().flatMap((ring) => ring.slice(1).map((to, i): Edge => [ring[i], to]));

/** The first and the last column in which an edge passes through a row of cells. */
function columnsCrossed([[x1, y1], [x2, y2]]: Edge, south: number, degrees: number): [first: number, last: number][] {
  const [low, high] = [south - EDGE_MARGIN, south + degrees + EDGE_MARGIN];
  if (Math.max(y1, y2) < low || Math.min(y1, y2) > high) return [];
  const within = (y: number): number => Math.max(low, Math.min(high, y));
  const at = (y: number): number => x1 + ((within(y) - y1) / (y2 - y1)) * (x2 - x1);
  const [a, b] = y1 === y2 ? [x1, x2] : [at(y1), at(y2)];
  const [west, east] = [Math.min(a, b) - EDGE_MARGIN, Math.max(a, b) + EDGE_MARGIN];
  return [[columnOf(Math.max(-180, west), degrees), columnOf(east, degrees)]];
}

export function cellCountOfBox(box: Box, degrees: number): number {
  const rows = Math.floor((box.maxLatitude + 90) / degrees) - Math.floor((box.minLatitude + 90) / degrees) + 1;
  return rows * (columnOf(box.maxLongitude, degrees) - columnOf(box.minLongitude, degrees) + 1);
}

function columnOf(longitude: number, degrees: number): number {
  return Math.min(Math.round(360 / degrees) - 1, Math.floor((longitude + 180) / degrees));
}
