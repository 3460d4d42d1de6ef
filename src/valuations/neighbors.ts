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
  cells: Map<number, Int32Array>;
};

export type Window = {
  /** Sold on or after. */
  from: number;
  /** Sold before (unbounded in most uses). */
  to: number;
  /** Known before this day. */
  knownBefore: number;
};

export type Neighbors = { sale: Int32Array; km: Float64Array };

const cellKey = (cx: number, cy: number): number => (cy + 32768) * 65536 + (cx + 32768);

export function buildGrid(sales: Omit<SaleGrid, 'cells'>): SaleGrid {
  const lists = new Map<number, number[]>();
  for (let i = 0; i < sales.x.length; i++) {
    if (sales.x[i] !== sales.x[i]) continue;
    const key = cellKey(Math.floor(sales.x[i] / CELL_KM), Math.floor(sales.y[i] / CELL_KM));
    const list = lists.get(key);
    if (list) list.push(i);
    else lists.set(key, [i]);
  }
  return { ...sales, cells: new Map([...lists].map(([key, list]) => [key, Int32Array.from(list)])) };
}

/** The `want` nearest usable sales, nearest first; ring after ring of cells until a ring cannot hold a nearer one. */
export function findNeighbors(grid: SaleGrid, x: number, y: number, property: number, window: Window, want: number): Neighbors {
  const cx = Math.floor(x / CELL_KM);
  const cy = Math.floor(y / CELL_KM);
  const found: number[] = [];
  const squared: number[] = [];
  let enoughAt = Infinity;
  for (let ring = 0; ring * CELL_KM <= MAX_KM && ring <= enoughAt; ring++) {
    for (let dy = -ring; dy <= ring; dy++) {
      const step = Math.abs(dy) === ring ? 1 : Math.max(1, 2 * ring);
      for (let dx = -ring; dx <= ring; dx += step) collect(grid, cellKey(cx + dx, cy + dy), x, y, property, window, found, squared);
    }
    // Once enough are found, as many rings again as the corner of the square is away (√2) make the nearest certain.
    if (enoughAt === Infinity && found.length >= want) enoughAt = Math.ceil((ring + 1) * Math.SQRT2);
  }
  const order = Uint32Array.from({ length: found.length }, (_, k) => k).sort((a, b) => squared[a] - squared[b] || found[a] - found[b]);
  const nearest = order.subarray(0, want);
  return { sale: Int32Array.from(nearest, (k) => found[k]), km: Float64Array.from(nearest, (k) => Math.sqrt(squared[k])) };
}

function collect(
  grid: SaleGrid,
  key: number,
  x: number,
  y: number,
  property: number,
  window: Window,
  found: number[],
  squared: number[],
): void {
  const cell = grid.cells.get(key);
  if (cell === undefined) return;
  for (let k = 0; k < cell.length; k++) {
    const i = cell[k];
    if (grid.soldDay[i] < window.from || grid.soldDay[i] >= window.to || grid.knownDay[i] >= window.knownBefore) continue;
    if (grid.property[i] === property) continue;
    found.push(i);
    squared.push((grid.x[i] - x) ** 2 + (grid.y[i] - y) ** 2);
  }
}
