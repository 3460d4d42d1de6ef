// Measures valuations against the prices paid: the industry's error shares and the assessors' (IAAO) ratios.
import type { Accuracy } from '../avm/card.ts';
import { median } from '../math/quantiles.ts';

export function measureAccuracy(values: ArrayLike<number>, prices: ArrayLike<number>): Accuracy {
  const n = values.length;
  const ratios = Float64Array.from({ length: n }, (_, i) => values[i] / prices[i]);
  const errors = ratios.map((ratio) => Math.abs(ratio - 1));
  const middle = median(ratios);
  const within = (share: number): number => errors.reduce((count, error) => count + (error <= share ? 1 : 0), 0) / n;
  return {
    n,
    medianError: median(errors),
    within5: within(0.05),
    within10: within(0.1),
    within20: within(0.2),
    medianRatio: middle,
    cod: (100 * mean(ratios.map((ratio) => Math.abs(ratio - middle)))) / middle,
    prd: mean(ratios) / (sum(values) / sum(prices)),
    prb: priceRelatedBias(values, prices, ratios, middle),
  };
}

/** Slope of (ratio − median) ÷ median on the log₂ of a value proxy that is half price and half value. */
function priceRelatedBias(
  values: ArrayLike<number>,
  prices: ArrayLike<number>,
  ratios: Float64Array,
  middle: number,
): number {
  const x = ratios.map((_, i) => Math.log2(0.5 * prices[i] + (0.5 * values[i]) / middle));
  const y = ratios.map((ratio) => (ratio - middle) / middle);
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xy, xx] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - meanX) * (y[i] - meanY);
    xx += (x[i] - meanX) ** 2;
  }
  return xx > 0 ? xy / xx : 0;
}

function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}
