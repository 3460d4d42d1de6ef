// Clips rings and lines to a tile and thins them to its grid: detail outside it or between two grid points is invisible. Pure.

export type GridRing = [column: number, row: number][];

/** Sutherland–Hodgman against a square that extends `margin` beyond the tile on every side. */
export function clipRing(ring: GridRing, extent: number, margin: number): GridRing {
  const [low, high] = [-margin, extent + margin];
  let points = ring;
  for (const [axis, edge, keepsAbove] of [
    [0, low, true],
    [0, high, false],
    [1, low, true],
    [1, high, false],
  ] as const) {
    points = clipAtEdge(points, axis, edge, keepsAbove);
    if (points.length === 0) return [];
  }
  return points;
}

function clipAtEdge(points: GridRing, axis: 0 | 1, edge: number, keepsAbove: boolean): GridRing {
  const isInside = (point: [number, number]) => (keepsAbove ? point[axis] >= edge : point[axis] <= edge);
  const kept: GridRing = [];
  for (const [index, point] of points.entries()) {
    const previous = points[(index + points.length - 1) % points.length];
    if (isInside(point) !== isInside(previous)) kept.push(crossing(previous, point, axis, edge));
    if (isInside(point)) kept.push(point);
  }
  return kept;
}

function crossing(from: [number, number], to: [number, number], axis: 0 | 1, edge: number): [number, number] {
  const share = (edge - from[axis]) / (to[axis] - from[axis]);
  const other = axis === 0 ? 1 : 0;
  const at = from[other] + share * (to[other] - from[other]);
  return axis === 0 ? [edge, at] : [at, edge];
}

const isSame = (a: GridRing[number], b: GridRing[number]): boolean => a[0] === b[0] && a[1] === b[1];

/** Snaps to grid points, none twice in a row; a ring with fewer than three has no area left. */
export function thinRing(ring: GridRing, step: number): GridRing {
  const thinned = snap(ring, step);
  if (thinned.length > 1 && isSame(thinned[0], thinned[thinned.length - 1])) thinned.pop();
  return thinned.length < 3 ? [] : thinned;
}

function snap(points: GridRing, step: number): GridRing {
  const snapped: GridRing = [];
  for (const [column, row] of points) {
    const point: [number, number] = [Math.round(column / step) * step, Math.round(row / step) * step];
    const last = snapped.at(-1);
    if (!last || last[0] !== point[0] || last[1] !== point[1]) snapped.push(point);
  }
  return snapped;
}

/** Twice the signed area in a grid whose rows run down: positive for the rings that vector tiles call outer. */
export function areaOf(ring: GridRing): number {
  let area = 0;
  for (const [index, [column, row]] of ring.entries()) {
    const [nextColumn, nextRow] = ring[(index + 1) % ring.length];
    area += column * nextRow - nextColumn * row;
  }
  return area;
}

/** The parts of a line inside a square that extends `margin` beyond the tile on every side. */
export function clipLine(line: GridRing, extent: number, margin: number): GridRing[] {
  const [low, high] = [-margin, extent + margin];
  const parts: GridRing[] = [];
  let open: GridRing | undefined;
  for (let index = 1; index < line.length; index++) {
    const inside = clipSegment(line[index - 1], line[index], low, high);
    if (!inside) {
      open = undefined;
      continue;
    }
    const [from, to] = inside;
    if (!open || !isSame(open[open.length - 1], from)) parts.push((open = [from]));
    open.push(to);
  }
  return parts;
}

/** Liang–Barsky: the stretch of a segment between two bounds on both axes. */
function clipSegment(
  from: [number, number],
  to: [number, number],
  low: number,
  high: number,
): [[number, number], [number, number]] | undefined {
  let [start, end] = [0, 1];
  for (const axis of [0, 1] as const) {
    const step = to[axis] - from[axis];
    if (step === 0) {
      if (from[axis] < low || from[axis] > high) return undefined;
      continue;
    }
    const [a, b] = [(low - from[axis]) / step, (high - from[axis]) / step];
    start = Math.max(start, Math.min(a, b));
    end = Math.min(end, Math.max(a, b));
    if (start > end) return undefined;
  }
  const at = (share: number): [number, number] =>
    share === 0 ? from : share === 1 ? to : [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
  return [at(start), at(end)];
}

/** Snaps to grid points, none twice in a row; a line of one point has no length left. */
export function thinLine(line: GridRing, step: number): GridRing {
  const thinned = snap(line, step);
  return thinned.length < 2 ? [] : thinned;
}
