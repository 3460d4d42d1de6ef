// Finds the best split of a leaf from histograms of gradients: the pure arithmetic of one step of tree growing.
import type { BinnedColumn } from './bins.ts';

export const BINS = 256;

/** Sums per bin of the chosen columns: gradient at 2 × bin, weight at 2 × bin + 1; one block per column. */
export type Histogram = Float64Array;

/** Where each chosen column's block begins: a column with few distinct values has few bins to clear and search. */
type Layout = { binned: BinnedColumn[]; chosen: Int32Array; starts: Int32Array; size: number };

export function layOut(binned: BinnedColumn[], chosen: Int32Array): Layout {
  const starts = new Int32Array(chosen.length);
  let size = 0;
  for (let k = 0; k < chosen.length; k++) {
    starts[k] = size;
    // One bin for missing values, then one more than there are edges.
    size += 2 * (binned[chosen[k]].edges.length + 2);
  }
  return { binned, chosen, starts, size };
}

export type Split = { gain: number; column: number; bin: number; missingLeft: boolean };

export type SplitRules = { minLeafWeight: number; lambda: number; minGain: number };

/** Sums rows[start…end) into the histogram, two columns at a time because this loop takes most of the training time. */
export function fillHistogram(
  histogram: Histogram,
  { binned, chosen, starts, size }: Layout,
  rows: Int32Array,
  start: number,
  end: number,
  gradients: Float64Array,
  weights: Float64Array | null,
): void {
  histogram.fill(0, 0, size);
  const count = end - start;
  const own = rows.subarray(start, end);
  const gradient = new Float64Array(count);
  const weight = new Float64Array(weights === null ? 0 : count);
  for (let at = 0; at < count; at++) gradient[at] = gradients[own[at]];
  if (weights !== null) for (let at = 0; at < count; at++) weight[at] = weights[own[at]];
  for (let k = 0; k < chosen.length; k += 2) {
    const first = histogram.subarray(starts[k]);
    const firstBins = binned[chosen[k]].bins;
    // An odd last column is paired with a scratch histogram.
    const hasSecond = k + 1 < chosen.length;
    const second = hasSecond ? histogram.subarray(starts[k + 1]) : scratch;
    const secondBins = hasSecond ? binned[chosen[k + 1]].bins : firstBins;
    if (weights === null) addCounted(first, second, firstBins, secondBins, own, gradient);
    else addWeighted(first, second, firstBins, secondBins, own, gradient, weight);
  }
}

const scratch = new Float64Array(BINS * 2);

function addCounted(
  first: Float64Array,
  second: Float64Array,
  firstBins: Uint8Array,
  secondBins: Uint8Array,
  rows: Int32Array,
  gradient: Float64Array,
): void {
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    const g = gradient[at];
    const a = firstBins[row] << 1;
    const b = secondBins[row] << 1;
    first[a] += g;
    first[a + 1] += 1;
    second[b] += g;
    second[b + 1] += 1;
  }
}

function addWeighted(
  first: Float64Array,
  second: Float64Array,
  firstBins: Uint8Array,
  secondBins: Uint8Array,
  rows: Int32Array,
  gradient: Float64Array,
  weight: Float64Array,
): void {
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    const a = firstBins[row] << 1;
    const b = secondBins[row] << 1;
    first[a] += gradient[at];
    first[a + 1] += weight[at];
    second[b] += gradient[at];
    second[b + 1] += weight[at];
  }
}

/** Subtracts `child` from `parent` in place: half of all histograms then need no pass over the rows. */
export function subtractHistogram(parent: Histogram, child: Histogram, { size }: Layout): void {
  for (let slot = 0; slot < size; slot++) parent[slot] -= child[slot];
}

/** A leaf too small to split needs neither a histogram nor a search. */
export const isTooSmall = (weightSum: number, { minLeafWeight }: SplitRules): boolean =>
  weightSum < 2 * minLeafWeight * (1 - 1e-9);

/**
 * The split with the largest drop in squared error; undefined if none is allowed. Tries missing values on both sides.
 */
export function findSplit(
  histogram: Histogram,
  { binned, chosen, starts }: Layout,
  gradientSum: number,
  weightSum: number,
  rules: SplitRules,
): Split | undefined {
  const { lambda, minLeafWeight } = rules;
  const before = (gradientSum * gradientSum) / (weightSum + lambda);
  let best = rules.minGain;
  let found: Split | undefined;
  for (let k = 0; k < chosen.length; k++) {
    const offset = starts[k];
    const { edges, hasMissing } = binned[chosen[k]];
    const missingGradient = histogram[offset];
    const missingWeight = histogram[offset + 1];
    const sides = hasMissing && missingWeight > 0 ? 2 : 1;
    for (let side = 0; side < sides; side++) {
      let gradientLeft = side === 0 ? missingGradient : 0;
      let weightLeft = side === 0 ? missingWeight : 0;
      // With missing values on the right, one more cut separates all known values from them.
      for (let bin = 1; bin <= edges.length + side; bin++) {
        const gradient = histogram[offset + 2 * bin];
        const weight = histogram[offset + 2 * bin + 1];
        // A cut after an empty bin separates the same rows as the one before it.
        if (weight === 0 && gradient === 0 && bin > 1) continue;
        gradientLeft += gradient;
        weightLeft += weight;
        if (weightLeft < minLeafWeight) continue;
        const weightRight = weightSum - weightLeft;
        if (weightRight < minLeafWeight) break;
        const gradientRight = gradientSum - gradientLeft;
        const gain =
          (gradientLeft * gradientLeft) / (weightLeft + lambda) +
          (gradientRight * gradientRight) / (weightRight + lambda) -
          before;
        if (gain > best) {
          best = gain;
          found = { gain, column: chosen[k], bin, missingLeft: side === 0 };
        }
      }
    }
  }
  return found;
}
