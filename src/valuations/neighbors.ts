// Finds the sales nearest to a point among those a valuation may use, through a grid of half-kilometre cells.

const CELL_KM = 0.5;
/** Beyond this a sale says nothing about a home. */
const MAX_KM = 15;

export type SaleGrid = {
  x: Float64Array;
  y: Float64Array;
  soldDay: Int32Array;
  knownDay: Int32Array;
  /** Number of the property sold: a home is never its own comparable. */
  property: Int32Array;
  cells: Cells;
};

/** Sales by cell, row by row of cells: those of cell c are sales[start[c] … start[c + 1]), oldest first. */
export type Cells = {
  left: number;
  bottom: number;
  width: number;
  height: number;
  start: Int32Array;
  sales: Int32Array;
};

export type Window = {
  /** Sold on or after. */
  from: number;
  /** Known before this day. */
  knownBefore: number;
};

export type Neighbors = { sale: Int32Array; km: Float64Array };

const cellOf = (km: number): number => Math.floor(km / CELL_KM);

/** Sales without a place on the map are left out; `soldDay` rises with the sale's number. */
export function buildGrid(sales: Omit<SaleGrid, 'cells'>): SaleGrid {
  const { x, y } = sales;
  const placed = Array.from(x.keys()).filter((i) => x[i] === x[i] && y[i] === y[i]);
  const edge = (values: Float64Array, pick: (a: number, b: number) => number): number =>
    placed.length === 0 ? 0 : cellOf(placed.reduce((best, i) => pick(best, values[i]), values[placed[0]]));
  const [left, bottom] = [edge(x, Math.min), edge(y, Math.min)];
  const width = edge(x, Math.max) - left + 1;
  const height = edge(y, Math.max) - bottom + 1;
  const cell = (i: number): number => (cellOf(y[i]) - bottom) * width + cellOf(x[i]) - left;
  const start = new Int32Array(width * height + 1);
  for (const i of placed) start[cell(i) + 1]++;
  for (let c = 0; c < width * height; c++) start[c + 1] += start[c];
  const next = start.slice();
  const ordered = new Int32Array(placed.length);
  for (const i of placed) ordered[next[cell(i)]++] = i;
  return { ...sales, cells: { left, bottom, width, height, start, sales: ordered } };
}

/** The `want` nearest usable sales, nearest first; ring after ring of cells until a ring cannot hold a nearer one. */
export function findNeighbors(
  grid: SaleGrid,
  x: number,
  y: number,
  property: number,
  window: Window,
  want: number,
): Neighbors {
  const { left, bottom, width, height } = grid.cells;
  const cx = cellOf(x) - left;
  const cy = cellOf(y) - bottom;
  const found: Found = { sale: [], squared: [] };
  let lastRing = Math.floor(MAX_KM / CELL_KM);
  for (let ring = 0; ring <= lastRing; ring++) {
    for (let row = Math.max(0, cy - ring); row <= Math.min(height - 1, cy + ring); row++) {
      const isEdge = row === cy - ring || row === cy + ring;
      const step = isEdge ? 1 : Math.max(1, 2 * ring);
      const first = isEdge ? Math.max(0, cx - ring) : cx - ring;
      const last = Math.min(width - 1, cx + ring);
      for (let column = first; column <= last; column += step) {
        if (column >= 0) collect(grid, row * width + column, x, y, property, window, found);
      }
    }
    // Once enough are found, as many rings again as the corner of the square is away (√2) make the nearest certain.
    if (found.sale.length >= want) lastRing = Math.min(lastRing, Math.ceil((ring + 1) * Math.SQRT2));
  }
  const { sale, squared } = found;
  const order = Uint32Array.from(sale.keys()).sort((a, b) => squared[a] - squared[b] || sale[a] - sale[b]);
  const nearest = order.subarray(0, want);
  return {
    sale: Int32Array.from(nearest, (k) => sale[k]),
    km: Float64Array.from(nearest, (k) => Math.sqrt(squared[k])),
  };
}

type Found = { sale: number[]; squared: number[] };

function collect(
  grid: SaleGrid,
  cell: number,
  x: number,
  y: number,
  property: number,
  window: Window,
  found: Found,
): void {
  const { start, sales } = grid.cells;
  // Newest first: the first sale before the window ends the search of the cell.
  for (let at = start[cell + 1] - 1; at >= start[cell]; at--) {
    const i = sales[at];
    if (grid.soldDay[i] < window.from) return;
    if (grid.knownDay[i] >= window.knownBefore || grid.property[i] === property) continue;
    found.sale.push(i);
    found.squared.push((grid.x[i] - x) ** 2 + (grid.y[i] - y) ** 2);
  }
}
