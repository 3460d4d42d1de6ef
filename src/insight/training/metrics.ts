// Measures valuations against the prices paid: the industry's error shares and the assessors' (IAAO) ratios.
import type { Accuracy, ValueGroup, VerticalEquity } from '../avm/card.ts';
import { median } from '../../base/math/quantiles.ts';

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

/** Undefined with fewer sales than two groups need. */
export function measureEquity(values: ArrayLike<number>, prices: ArrayLike<number>): VerticalEquity | undefined {
  const n = values.length;
  const count = n > 500 ? 10 : n > 50 ? 4 : 2;
  if (n < 20) return undefined;
  const ratios = Float64Array.from({ length: n }, (_, i) => values[i] / prices[i]);
  const middle = median(ratios);
  const proxy = valueProxy(values, prices, middle);
  const order = Array.from(ratios.keys()).toSorted((a, b) => proxy[a] - proxy[b] || a - b);
  const groups = Array.from({ length: count }, (_, g): ValueGroup => {
    const members = order.slice(Math.round((g * n) / count), Math.round(((g + 1) * n) / count));
    const sorted = Float64Array.from(members, (i) => ratios[i]).sort();
    return {
      n: members.length,
      from: proxy[members[0]],
      to: proxy[members[members.length - 1]],
      medianRatio: median(sorted),
      ...medianInterval(sorted),
    };
  });
  const [cheap, expensive] = [groups[0], groups[count - 1]];
  return {
    vei: (100 * (expensive.medianRatio - cheap.medianRatio)) / middle,
    low: (100 * (expensive.low - cheap.high)) / middle,
    high: (100 * (expensive.high - cheap.low)) / middle,
    groups,
  };
}

/** Five percent of a normal distribution lie above this. */
const Z = 1.645;

/** The distribution-free 90% confidence interval of a median, by rank. */
function medianInterval(sorted: Float64Array): { low: number; high: number } {
  const n = sorted.length;
  const reach = (Z * Math.sqrt(n)) / 2;
  return {
    low: sorted[Math.max(1, Math.ceil(n / 2 - reach)) - 1],
    high: sorted[Math.min(n, Math.floor(1 + n / 2 + reach)) - 1],
  };
}

/** Half price and half value, so that errors in neither determine which homes count as expensive. */
const valueProxy = (values: ArrayLike<number>, prices: ArrayLike<number>, middle: number): Float64Array =>
  Float64Array.from({ length: values.length }, (_, i) => 0.5 * prices[i] + (0.5 * values[i]) / middle);

/** Slope of (ratio − median) ÷ median on the log₂ of the value proxy. */
function priceRelatedBias(values: ArrayLike<number>, prices: ArrayLike<number>, ratios: Float64Array, middle: number) {
  const x = valueProxy(values, prices, middle).map(Math.log2);
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

export const mean = (values: ArrayLike<number>): number => sum(values) / values.length;

/** With two digits: models differ in the second. */
export const asPercent = (share: number): string => `${(100 * share).toFixed(2)}%`;
