// Sorts the values of each column into at most 255 bins, so that splits are found by summing, not sorting.

/** Row-major table of numbers; NaN is a missing value. */
export type Matrix = { rows: number; columns: number; values: Float32Array };

export type BinnedColumn = {
  /** Bin of every row: 0 is missing, bin b holds edges[b − 2] < value ≤ edges[b − 1]. */
  bins: Uint8Array;
  /** Upper edge of each bin but the last, ascending. */
  edges: Float32Array;
  hasMissing: boolean;
};

export const binColumns = (matrix: Matrix, maxBins: number): BinnedColumn[] =>
  Array.from({ length: matrix.columns }, (_, column) => binColumn(matrix, column, maxBins));

function binColumn({ rows, columns, values }: Matrix, column: number, maxBins: number): BinnedColumn {
  const known = new Float32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const value = values[row * columns + column];
    if (value === value) known[count++] = value;
  }
  const edges = findEdges(known.subarray(0, count).sort(), maxBins);
  const bins = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) bins[row] = findBin(edges, values[row * columns + column]);
  return { bins, edges, hasMissing: count < rows };
}

/** One bin per distinct value if they are few; otherwise bins of equal numbers of rows. */
export function findEdges(sorted: Float32Array, maxBins: number): Float32Array {
  const edges: number[] = [];
  const addBetween = (low: number, high: number): void => {
    const middle = Math.fround((low + high) / 2);
    const edge = middle < high ? middle : low;
    if (edges.length === 0 || edge > edges[edges.length - 1]) edges.push(edge);
  };
  if (countDistinct(sorted) <= maxBins) {
    for (let i = 1; i < sorted.length; i++) if (sorted[i] !== sorted[i - 1]) addBetween(sorted[i - 1], sorted[i]);
  } else {
    for (let bin = 1; bin < maxBins; bin++) {
      let i = Math.floor((bin * sorted.length) / maxBins);
      while (i < sorted.length && sorted[i] === sorted[i - 1]) i++;
      if (i < sorted.length) addBetween(sorted[i - 1], sorted[i]);
    }
  }
  return Float32Array.from(edges);
}

function countDistinct(sorted: Float32Array): number {
  let distinct = sorted.length > 0 ? 1 : 0;
  for (let i = 1; i < sorted.length; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  return distinct;
}

export function findBin(edges: Float32Array, value: number): number {
  if (value !== value) return 0;
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= edges[middle]) high = middle;
    else low = middle + 1;
  }
  return low + 1;
}
