// Correlation of two columns.
const product = (xs: number[], ys: number[]) => xs.reduce((sum, x, i) => sum + x * ys[i], 0);

/** Correlation of logarithms, because prices and areas are log-normal. `missOf` is the residual of the first value
    given the second. */
export function correlation(pairs: (readonly [number, number])[]) {
  const means = [0, 1].map((at) => pairs.reduce((sum, pair) => sum + Math.log(pair[at]), 0) / pairs.length);
  const [xs, ys] = means.map((mean, at) => pairs.map((pair) => Math.log(pair[at]) - mean));
  const [xx, yy, xy] = [product(xs, xs), product(ys, ys), product(xs, ys)];
  return {
    r: xx * yy === 0 ? 0 : xy / Math.sqrt(xx * yy),
    hasSpread: Math.min(xx, yy) > 0.15 ** 2 * pairs.length,
    missOf: (x: number, y: number) => Math.log(x) - means[0] - (xy / yy) * (Math.log(y) - means[1]),
  };
}
