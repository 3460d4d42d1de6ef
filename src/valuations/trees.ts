// Boosted regression trees as they are stored and evaluated: a few typed arrays and a walk from root to leaf.

export type Trees = {
  /** Prediction before any tree. */
  base: number;
  columns: number;
  /** Node number of each tree's root. */
  roots: Int32Array;
  /** Column a node asks about, −1 for a leaf. */
  column: Int16Array;
  /** Values up to and including the threshold go left. */
  threshold: Float32Array;
  left: Int32Array;
  right: Int32Array;
  /** 1 when a missing value (NaN) goes left. */
  missingLeft: Uint8Array;
  /** What a leaf adds to the prediction. */
  value: Float64Array;
  /** Drop in squared error that the node's split brought; 0 for a leaf. */
  gain: Float32Array;
};

/** The leaf (node number) that a row falls into in the tree with this root. */
export function findLeaf(trees: Trees, root: number, row: ArrayLike<number>, offset = 0): number {
  const { column, threshold, left, right, missingLeft } = trees;
  let node = root;
  let asked = column[node];
  while (asked >= 0) {
    const value = row[offset + asked];
    const goesLeft = value !== value ? missingLeft[node] === 1 : value <= threshold[node];
    node = goesLeft ? left[node] : right[node];
    asked = column[node];
  }
  return node;
}

export function predictTrees(trees: Trees, row: ArrayLike<number>, offset = 0): number {
  const { roots, value } = trees;
  let sum = trees.base;
  for (let tree = 0; tree < roots.length; tree++) sum += value[findLeaf(trees, roots[tree], row, offset)];
  return sum;
}

/** Predictions for every row of a row-major matrix. */
export function predictRows(trees: Trees, values: Float32Array): Float64Array {
  const rows = values.length / trees.columns;
  const out = new Float64Array(rows);
  for (let row = 0; row < rows; row++) out[row] = predictTrees(trees, values, row * trees.columns);
  return out;
}
