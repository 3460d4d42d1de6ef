// Gradient boosting: grows trees one after the other, each on the residuals of the previous ones.
import type { Trees } from '../../avm/trees.ts';
import { binColumns, type BinnedColumn, type Matrix } from './bins.ts';
import { seededRandom } from '../../../base/math/random.ts';
import { growTree, HistogramPool, type GrownTree } from './tree.ts';

export type TreeOptions = {
  rounds: number;
  learningRate: number;
  leaves: number;
  /** Smallest sum of weights in a leaf (a count if rows are unweighted). */
  minLeafWeight: number;
  /** L2 regularization: shrinks leaf values toward 0. */
  lambda: number;
  maxBins: number;
  /** Share of rows and of columns that each tree sees. */
  rowSample: number;
  columnSample: number;
  /** Residuals are clipped to ± this (Huber); Infinity is least squares. */
  huber: number;
  seed: number;
};

export function growTrees(
  matrix: Matrix,
  target: Float64Array,
  options: TreeOptions,
  weights: Float64Array | null = null,
): Trees {
  const { rows: n, columns } = matrix;
  const random = seededRandom(options.seed);
  const binned = binColumns(matrix, Math.min(options.maxBins, 255));
  const perTree = Math.max(1, Math.round(columns * options.columnSample));
  const pool = new HistogramPool(perTree);
  const base = options.huber === Infinity ? weightedMean(target, weights) : median(target);
  const prediction = new Float64Array(n).fill(base);
  const gradients = new Float64Array(n);
  const order = Int32Array.from({ length: columns }, (_, column) => column);
  const rules = { minLeafWeight: options.minLeafWeight, lambda: options.lambda, minGain: 1e-12 };
  const grown: GrownTree[] = [];
  for (let round = 0; round < options.rounds; round++) {
    for (let row = 0; row < n; row++) {
      const residual = Math.max(-options.huber, Math.min(options.huber, target[row] - prediction[row]));
      gradients[row] = weights === null ? residual : residual * weights[row];
    }
    const { rows, count } = sampleRows(n, options.rowSample, random);
    const chosen = sampleColumns(order, perTree, random);
    const tree = growTree({ binned, chosen, rows, count, gradients, weights }, options.leaves, rules, pool);
    for (const node of tree.nodes) node.value *= options.learningRate;
    addTree(tree, binned, rows, count, prediction);
    grown.push(tree);
  }
  return packTrees(base, columns, grown, binned);
}

/** The sampled rows first, then the others. */
function sampleRows(n: number, share: number, random: () => number): { rows: Int32Array; count: number } {
  const rows = new Int32Array(n);
  if (share >= 1) {
    for (let row = 0; row < n; row++) rows[row] = row;
    return { rows, count: n };
  }
  let count = 0;
  let last = n;
  for (let row = 0; row < n; row++) {
    if (random() < share) rows[count++] = row;
    else rows[--last] = row;
  }
  return { rows, count };
}

/** The first `count` of a shuffled order, sorted, so that a tie between columns always resolves the same way. */
function sampleColumns(order: Int32Array, count: number, random: () => number): Int32Array {
  for (let k = 0; k < count; k++) {
    const other = k + Math.floor(random() * (order.length - k));
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order.slice(0, count).sort();
}

/** Adds the tree to the prediction of every row: sampled rows lie in their leaf's range, the others walk down. */
function addTree(tree: GrownTree, binned: BinnedColumn[], rows: Int32Array, count: number, prediction: Float64Array) {
  for (const { node, start, end } of tree.leaves) {
    const { value } = tree.nodes[node];
    for (let at = start; at < end; at++) prediction[rows[at]] += value;
  }
  for (let at = count; at < rows.length; at++) {
    const row = rows[at];
    let node = tree.nodes[0];
    while (node.split !== undefined) {
      const bin = binned[node.split.column].bins[row];
      const goesLeft = bin === 0 ? node.split.missingLeft : bin <= node.split.bin;
      node = tree.nodes[goesLeft ? node.split.left : node.split.right];
    }
    prediction[row] += node.value;
  }
}

function packTrees(base: number, columns: number, grown: GrownTree[], binned: BinnedColumn[]): Trees {
  const nodes = grown.reduce((sum, tree) => sum + tree.nodes.length, 0);
  const trees: Trees = {
    base,
    columns,
    roots: new Int32Array(grown.length),
    column: new Int16Array(nodes).fill(-1),
    threshold: new Float32Array(nodes),
    left: new Int32Array(nodes),
    right: new Int32Array(nodes),
    missingLeft: new Uint8Array(nodes),
    value: new Float64Array(nodes),
    gain: new Float32Array(nodes),
  };
  let first = 0;
  grown.forEach((tree, t) => {
    trees.roots[t] = first;
    tree.nodes.forEach(({ split, value }, k) => {
      const node = first + k;
      if (split === undefined) {
        trees.value[node] = value;
        return;
      }
      trees.column[node] = split.column;
      trees.threshold[node] = binned[split.column].edges[split.bin - 1] ?? Infinity;
      trees.left[node] = first + split.left;
      trees.right[node] = first + split.right;
      trees.missingLeft[node] = split.missingLeft ? 1 : 0;
      trees.gain[node] = split.gain;
    });
    first += tree.nodes.length;
  });
  return trees;
}

function weightedMean(values: Float64Array, weights: Float64Array | null): number {
  let sum = 0;
  let weight = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i] * (weights?.[i] ?? 1);
    weight += weights?.[i] ?? 1;
  }
  return weight > 0 ? sum / weight : 0;
}

function median(values: Float64Array): number {
  const sorted = values.slice().sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
