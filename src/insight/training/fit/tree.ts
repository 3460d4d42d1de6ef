// Grows one regression tree leaf by leaf, always splitting the leaf whose split lowers the squared error most.
import type { BinnedColumn } from './bins.ts';
import {
  BINS,
  fillHistogram,
  findSplit,
  isTooSmall,
  layOut,
  subtractHistogram,
  type Histogram,
  type Split,
  type SplitRules,
} from './splits.ts';

type TreeNode = {
  /** The split, or undefined for a leaf. */
  split?: Split & { left: number; right: number };
  /** Leaf value before the learning rate: gradient sum ÷ (weight sum + lambda). */
  value: number;
};

/** A grown tree: nodes with the root first, and each leaf's range of the reordered `rows`. */
export type GrownTree = { nodes: TreeNode[]; leaves: Array<{ node: number; start: number; end: number }> };

type Leaf = {
  node: number;
  start: number;
  end: number;
  gradientSum: number;
  weightSum: number;
  /** Undefined if the leaf is too small to split. */
  histogram: Histogram | undefined;
  split: Split | undefined;
};

type GrowInput = {
  binned: BinnedColumn[];
  /** Columns this tree may use. */
  chosen: Int32Array;
  /** Rows this tree sees; reordered in place so that each leaf is a contiguous range. */
  rows: Int32Array;
  count: number;
  gradients: Float64Array;
  weights: Float64Array | null;
};

export class HistogramPool {
  readonly #free: Histogram[] = [];
  readonly #size: number;
  constructor(columns: number) {
    this.#size = columns * BINS * 2;
  }
  take(): Histogram {
    return this.#free.pop() ?? new Float64Array(this.#size);
  }
  give(histogram: Histogram): void {
    this.#free.push(histogram);
  }
}

export function growTree(input: GrowInput, maxLeaves: number, rules: SplitRules, pool: HistogramPool): GrownTree {
  const { binned, chosen, rows, gradients, weights } = input;
  const layout = layOut(binned, chosen);
  const nodes: TreeNode[] = [];
  const scratch = new Int32Array(input.count);
  const addLeaf = (start: number, end: number, sums: Sums, histogram: Histogram | undefined): Leaf => {
    nodes.push({ value: sums.gradient / (sums.weight + rules.lambda) });
    const split =
      histogram && !isTooSmall(sums.weight, rules)
        ? findSplit(histogram, layout, sums.gradient, sums.weight, rules)
        : undefined;
    return { node: nodes.length - 1, start, end, gradientSum: sums.gradient, weightSum: sums.weight, histogram, split };
  };

  const rootHistogram = pool.take();
  fillHistogram(rootHistogram, layout, rows, 0, input.count, gradients, weights);
  const leaves = [addLeaf(0, input.count, sumRows(rows, 0, input.count, gradients, weights), rootHistogram)];
  while (leaves.length < maxLeaves) {
    const at = findBestLeaf(leaves);
    if (at < 0) break;
    const leaf = leaves[at];
    const split = leaf.split!;
    const middle = partition(rows, leaf.start, leaf.end, binned[split.column].bins, split, scratch);
    const left = sumRows(rows, leaf.start, middle, gradients, weights);
    const right = { gradient: leaf.gradientSum - left.gradient, weight: leaf.weightSum - left.weight };
    const histograms: { left?: Histogram; right?: Histogram } = {};
    const isLast = leaves.length === maxLeaves - 1;
    if (isLast || (isTooSmall(left.weight, rules) && isTooSmall(right.weight, rules))) {
      pool.give(leaf.histogram!);
    } else {
      const leftIsSmall = middle - leaf.start < leaf.end - middle;
      const small = pool.take();
      const [from, to] = leftIsSmall ? [leaf.start, middle] : [middle, leaf.end];
      fillHistogram(small, layout, rows, from, to, gradients, weights);
      subtractHistogram(leaf.histogram!, small, layout);
      [histograms.left, histograms.right] = leftIsSmall ? [small, leaf.histogram] : [leaf.histogram, small];
    }
    const leftLeaf = addLeaf(leaf.start, middle, left, histograms.left);
    const rightLeaf = addLeaf(middle, leaf.end, right, histograms.right);
    nodes[leaf.node].split = { ...split, left: leftLeaf.node, right: rightLeaf.node };
    leaves[at] = leftLeaf;
    leaves.push(rightLeaf);
  }
  for (const { histogram } of leaves) if (histogram) pool.give(histogram);
  return { nodes, leaves: leaves.map(({ node, start, end }) => ({ node, start, end })) };
}

type Sums = { gradient: number; weight: number };

function findBestLeaf(leaves: Leaf[]): number {
  let best = -1;
  for (let i = 0; i < leaves.length; i++) {
    const split = leaves[i].split;
    if (split && (best < 0 || split.gain > leaves[best].split!.gain)) best = i;
  }
  return best;
}

function sumRows(rows: Int32Array, start: number, end: number, gradients: Float64Array, weights: Float64Array | null) {
  let gradient = 0;
  let weight = weights === null ? end - start : 0;
  for (let at = start; at < end; at++) {
    gradient += gradients[rows[at]];
    if (weights !== null) weight += weights[rows[at]];
  }
  return { gradient, weight };
}

/** Moves the rows that go left to the front of the range, keeping their order; returns where the right side begins. */
function partition(rows: Int32Array, start: number, end: number, bins: Uint8Array, split: Split, scratch: Int32Array) {
  let left = start;
  let right = 0;
  const limit = split.bin;
  // Missing rows (bin 0) pass the test `bin <= limit`; they go right only if the split says so.
  const lowest = split.missingLeft ? 0 : 1;
  for (let at = start; at < end; at++) {
    const row = rows[at];
    const bin = bins[row];
    if (bin <= limit && bin >= lowest) rows[left++] = row;
    else scratch[right++] = row;
  }
  rows.set(scratch.subarray(0, right), left);
  return left;
}
