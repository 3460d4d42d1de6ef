// Finds the nearest usable sales on a grid of half-kilometer cells.

const CELL_KM = 0.5;
/** Farther sales are not used. */
export const MAX_KM = 15;

/** The fields a search reads. */
type Placed = {
  x: Float64Array;
  y: Float64Array;
  soldDay: Int32Array;
  knownDay: Int32Array;
  /** Number of the property sold: a home is never its own comparable. */
  property: Int32Array;
};

export type SaleGrid = Placed & { cells: Cells };

/**
 * Sales by cell: those of cell c are sales[start[c] … start[c + 1]), oldest first. Cells come in blocks of 16 × 16, row
 * by row. Blocks without sales are not stored, because most of a wide market is rural.
 */
type Cells = Placed & {
  left: number;
  bottom: number;
  width: number;
  height: number;
  /** The number of each block, row by row; −1 without sales. */
  blocks: Int32Array;
  start: Int32Array;
  /** The fields are in the same order, so that neighbors on the map are neighbors in memory. */
  sales: Int32Array;
};

export type Window = {
  /** Sold on or after this day. */
  from: number;
  /** Known before this day. */
  knownBefore: number;
  /** The caller needs no sales beyond this distance; some may be missing. */
  withinKm?: number;
};

export type Neighbors = { sale: Int32Array; km: Float64Array };

const cellOf = (km: number): number => Math.floor(km / CELL_KM);
const BLOCK_BITS = 4;
const BLOCK_CELLS = 1 << (2 * BLOCK_BITS);
const INSIDE = (1 << BLOCK_BITS) - 1;
const blocksAcross = (width: number): number => (width >> BLOCK_BITS) + 1;

/** The cell's number; negative where its block has no sales. */
function cellAt({ blocks, width }: Pick<Cells, 'blocks' | 'width'>, row: number, column: number): number {
  const block = blocks[(row >> BLOCK_BITS) * blocksAcross(width) + (column >> BLOCK_BITS)];
  return block * BLOCK_CELLS + ((row & INSIDE) << BLOCK_BITS) + (column & INSIDE);
}

/** Leaves out sales without a position. `soldDay` must rise with the sale's number. */
export function buildGrid<Sales extends Placed>(sales: Sales): Sales & SaleGrid {
  const { x, y } = sales;
  const placed = Int32Array.from(x.keys()).filter((i) => x[i] === x[i] && y[i] === y[i]);
  const edge = (values: Float64Array, pick: (a: number, b: number) => number): number =>
    placed.length === 0 ? 0 : cellOf(placed.reduce((best, i) => pick(best, values[i]), values[placed[0]]));
  const [left, bottom] = [edge(x, Math.min), edge(y, Math.min)];
  const width = edge(x, Math.max) - left + 1;
  const height = edge(y, Math.max) - bottom + 1;
  const [rowOf, columnOf] = [(i: number) => cellOf(y[i]) - bottom, (i: number) => cellOf(x[i]) - left];
  const blocks = new Int32Array(blocksAcross(width) * blocksAcross(height)).fill(-1);
  for (const i of placed) blocks[(rowOf(i) >> BLOCK_BITS) * blocksAcross(width) + (columnOf(i) >> BLOCK_BITS)] = 0;
  let used = 0;
  for (let block = 0; block < blocks.length; block++) if (blocks[block] === 0) blocks[block] = used++;
  const cell = (i: number): number => cellAt({ blocks, width }, rowOf(i), columnOf(i));
  const start = new Int32Array(used * BLOCK_CELLS + 1);
  for (const i of placed) start[cell(i) + 1]++;
  for (let c = 0; c + 1 < start.length; c++) start[c + 1] += start[c];
  const next = start.slice();
  const ordered = new Int32Array(placed.length);
  for (const i of placed) ordered[next[cell(i)]++] = i;
  const cells: Cells = {
    left,
    bottom,
    width,
    height,
    blocks,
    start,
    sales: ordered,
    x: Float64Array.from(ordered, (i) => x[i]),
    y: Float64Array.from(ordered, (i) => y[i]),
    soldDay: ordered.map((i) => sales.soldDay[i]),
    knownDay: ordered.map((i) => sales.knownDay[i]),
    property: ordered.map((i) => sales.property[i]),
  };
  return { ...sales, cells };
}

// Scratch arrays shared by all searches, so that none allocates. Assumes little-endian memory: word 2k is
// the low half of keys[k]. Its last twenty bits are overwritten with k, so that a moved key still identifies its sale.
let found = new Int32Array(4096);
let keys = new Float64Array(4096);
let words = new Uint32Array(keys.buffer);
const NUMBER_BITS = 0xfffff;

/** The `want` nearest usable sales, nearest first. Searches rings of cells until none can hold a nearer one. */
export function findNeighbors(grid: SaleGrid, x: number, y: number, property: number, window: Window, want: number) {
  const { cells } = grid;
  const { left, bottom, width, height } = cells;
  const cx = cellOf(x) - left;
  const cy = cellOf(y) - bottom;
  let count = 0;
  let lastRing = x === x ? Math.floor(MAX_KM / CELL_KM) : -1;
  if (window.withinKm !== undefined) lastRing = Math.min(lastRing, Math.floor(window.withinKm / CELL_KM) + 1);
  let isEnough = false;
  for (let ring = 0; ring <= lastRing; ring++) {
    for (let row = Math.max(0, cy - ring); row <= Math.min(height - 1, cy + ring); row++) {
      const isEdge = row === cy - ring || row === cy + ring;
      const step = isEdge ? 1 : Math.max(1, 2 * ring);
      const first = isEdge ? Math.max(0, cx - ring) : cx - ring;
      const last = Math.min(width - 1, cx + ring);
      for (let column = first; column <= last; column += step) {
        if (column < 0) continue;
        const cell = cellAt(cells, row, column);
        if (cell >= 0) count = collect(cells, cell, x, y, property, window, count);
        // Skip the rest of an empty block: outside of town most of a ring is empty.
        else if (isEdge) column |= INSIDE;
      }
    }
    if (isEnough || count < want) continue;
    // Cells of ring r are at least r − 1 cells away, so rings beyond the farthest wanted sale do not matter.
    isEnough = true;
    selectSmallest(want, count);
    lastRing = Math.min(lastRing, Math.floor(Math.sqrt(keys[want - 1]) / CELL_KM) + 1);
  }
  const size = Math.min(count, want);
  selectSmallest(size, count);
  keys.subarray(0, size).sort();
  const sale = new Int32Array(size);
  const km = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    const at = found[words[2 * k] & NUMBER_BITS];
    sale[k] = cells.sales[at];
    km[k] = Math.sqrt((cells.x[at] - x) ** 2 + (cells.y[at] - y) ** 2);
  }
  return { sale, km };
}

/** Appends the usable sales of a cell to the `count` found so far. */
function collect(cells: Cells, cell: number, x: number, y: number, property: number, window: Window, count: number) {
  const first = cells.start[cell];
  const end = cells.start[cell + 1];
  if (count + end - first > found.length) growScratch(count + end - first);
  // Newest first: the first sale older than the window ends the search of the cell.
  for (let at = end - 1; at >= first; at--) {
    if (cells.soldDay[at] < window.from) break;
    if (cells.knownDay[at] >= window.knownBefore || cells.property[at] === property) continue;
    found[count] = at;
    keys[count] = (cells.x[at] - x) ** 2 + (cells.y[at] - y) ** 2;
    words[2 * count] = (words[2 * count] & ~NUMBER_BITS) | count;
    count++;
  }
  return count;
}

/** Moves the `want` smallest of the first `count` keys to the front, the largest of them last (quickselect). */
function selectSmallest(want: number, count: number): void {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const pivot = keys[(low + high) >> 1];
    let [i, j] = [low, high];
    while (i <= j) {
      while (keys[i] < pivot) i++;
      while (keys[j] > pivot) j--;
      if (i > j) break;
      const key = keys[i];
      keys[i++] = keys[j];
      keys[j--] = key;
    }
    if (want - 1 <= j) high = j;
    else if (want - 1 >= i) low = i;
    else return;
  }
}

function growScratch(size: number): void {
  const [oldFound, oldKeys] = [found, keys];
  found = new Int32Array(2 * size);
  found.set(oldFound);
  keys = new Float64Array(2 * size);
  keys.set(oldKeys);
  words = new Uint32Array(keys.buffer);
}
