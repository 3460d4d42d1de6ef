// Medians and quantiles, plain and weighted.

/** Quantile of a sorted list, interpolated between adjacent values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return low + 1 < sorted.length ? sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]) : sorted[low];
}

export const median = (values: ArrayLike<number>): number => quantile(Float64Array.from(values).sort(), 0.5);

/** The length of the prefix of a sorted list that satisfies a predicate. */
export function countWhile(length: number, isBefore: (i: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The smallest value at which the cumulative weight reaches the share. */
export function weightedQuantile(values: ArrayLike<number>, weights: ArrayLike<number>, share: number): number {
  const order = Uint32Array.from({ length: values.length }, (_, i) => i).sort((a, b) => values[a] - values[b]);
  let total = 0;
  for (let i = 0; i < weights.length; i++) total += weights[i];
  let running = 0;
  for (const i of order) {
    running += weights[i];
    if (running >= total * share) return values[i];
  }
  return values.length > 0 ? values[order[order.length - 1]] : NaN;
}
