// Whether two columns have to do with each other.
const product = (xs: number[], ys: number[]) => xs.reduce((sum, x, i) => sum + x * ys[i], 0);

/** Of the logarithms, because prices and areas are spread that way. */
export function correlation(pairs: (readonly [number, number])[]): { r: number; hasSpread: boolean } {
  const [xs, ys] = [0, 1].map((at) => {
    const logs = pairs.map((pair) => Math.log(pair[at]));
    const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
    return logs.map((value) => value - mean);
  });
  const [xx, yy] = [product(xs, xs), product(ys, ys)];
  return {
    r: xx * yy === 0 ? 0 : product(xs, ys) / Math.sqrt(xx * yy),
    hasSpread: Math.min(xx, yy) > 0.15 ** 2 * pairs.length,
  };
}
