// Medians and quantiles.

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
