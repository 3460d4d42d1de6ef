// Finds the best split of a leaf from histograms of gradients: the pure arithmetic of one step of tree growing.
import type { BinnedColumn } from './bins.ts';

export const BINS = 256;

/** Sums per bin of the chosen columns: gradient at 2 × bin, weight at 2 × bin + 1; one block of 2 × BINS per column. */
export type Histogram = Float64Array;

export type Split = { gain: number; column: number; bin: number; missingLeft: boolean };

export type SplitRules = { minLeafWeight: number; lambda: number; minGain: number };

/** Adds rows[start…end) into the histogram; gradients and weights lie in the order of `rows`. */
export function fillHistogram(
  histogram: Histogram,
  binned: BinnedColumn[],
  chosen: Int32Array,
  rows: Int32Array,
  start: number,
  end: number,
  gradients: Float64Array,
  weights: Float64Array | null,
): void {
  const ordered = new Float64Array(end - start);
  for (let at = start; at < end; at++) ordered[at - start] = gradients[rows[at]];
  for (let k = 0; k < chosen.length; k++) {
    const offset = k * BINS * 2;
    histogram.fill(0, offset, offset + BINS * 2);
    const { bins } = binned[chosen[k]];
    if (weights === null) {
      for (let at = start; at < end; at++) {
        const slot = offset + (bins[rows[at]] << 1);
        histogram[slot] += ordered[at - start];
        histogram[slot + 1] += 1;
      }
    } else {
      for (let at = start; at < end; at++) {
        const row = rows[at];
        const slot = offset + (bins[row] << 1);
        histogram[slot] += ordered[at - start];
        histogram[slot + 1] += weights[row];
      }
    }
  }
}

/** What remains of `parent` without `child`, left in `parent`: half of all histograms cost a subtraction instead of a pass over rows. */
export function subtractHistogram(parent: Histogram, child: Histogram): void {
  for (let slot = 0; slot < parent.length; slot++) parent[slot] -= child[slot];
}

/** The split with the largest drop in squared error, or undefined when none is allowed. Missing values try both sides. */
export function findSplit(
  histogram: Histogram,
  binned: BinnedColumn[],
  chosen: Int32Array,
  gradientSum: number,
  weightSum: number,
  rules: SplitRules,
): Split | undefined {
  const { lambda, minLeafWeight } = rules;
  const before = (gradientSum * gradientSum) / (weightSum + lambda);
  let best = rules.minGain;
  let found: Split | undefined;
  for (let k = 0; k < chosen.length; k++) {
    const offset = k * BINS * 2;
    const { edges, hasMissing } = binned[chosen[k]];
    const missingGradient = histogram[offset];
    const missingWeight = histogram[offset + 1];
    const sides = hasMissing && missingWeight > 0 ? 2 : 1;
    for (let side = 0; side < sides; side++) {
      let gradientLeft = side === 0 ? missingGradient : 0;
      let weightLeft = side === 0 ? missingWeight : 0;
      for (let bin = 1; bin <= edges.length; bin++) {
        gradientLeft += histogram[offset + 2 * bin];
        weightLeft += histogram[offset + 2 * bin + 1];
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
