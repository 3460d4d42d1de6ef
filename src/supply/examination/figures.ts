// Figures behind the checks: usual ranges of fields, and whether two columns have to do with each other.
import type { Found } from './check.ts';
import type { FieldProfile } from './sample.ts';

/** Of the median: what is usual, and what is possible for any place in the country. */
const RANGES: Record<string, Record<'usual' | 'possible', [low: number, high: number]>> = {
  'properties.sqft': { usual: [450, 8000], possible: [250, 60_000] },
  'properties.lot_sqft': { usual: [600, 1_000_000], possible: [150, 50_000_000] },
  'properties.year_built': { usual: [1860, 2030], possible: [1750, 2040] },
  'properties.bedrooms': { usual: [1, 6], possible: [0, 20] },
  'properties.bathrooms': { usual: [0.5, 5], possible: [0.5, 15] },
  'properties.stories': { usual: [1, 6], possible: [0.5, 80] },
  'properties.garage_spaces': { usual: [0, 5], possible: [0, 20] },
  'transactions.price': { usual: [15_000, 4_000_000], possible: [3000, 60_000_000] },
  'assessments.total': { usual: [3000, 8_000_000], possible: [300, 300_000_000] },
};
const FEW = 30;

/** Half of the values lie on the wrong side of the range; amounts of nothing are left out. */
export function usual(path: string, profile: FieldProfile): Found[] {
  const range = RANGES[path];
  const numbers = profile.numbers.filter((value) => value > 0 || path === 'properties.bedrooms');
  if (!range || numbers.length < FEW) return [];
  const middle = numbers[Math.floor(numbers.length / 2)];
  const isOutside = ([low, high]: [number, number]) => middle < low || middle > high;
  if (!isOutside(range.usual)) return [];
  const [low, high] = range.usual;
  const outside = numbers.filter((value) => value < low || value > high).length;
  const total = Math.max(profile.filled, 1);
  return [
    {
      about: path.split('.')[1],
      count: Math.round((outside / numbers.length) * total),
      total,
      examples: [
        `median ${middle.toLocaleString('en')}; usual is ${low.toLocaleString('en')} to ${high.toLocaleString('en')}`,
      ],
      limits: { warn: 0, ...(isOutside(range.possible) && { stop: 0 }) },
    },
  ];
}

/** Of the logarithms, because prices and areas are spread that way. */
export function correlation(pairs: (readonly [number, number])[]): { r: number; hasSpread: boolean } {
  const [xs, ys] = [pairs.map(([x]) => Math.log(x)), pairs.map(([, y]) => Math.log(y))];
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(xs), mean(ys)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < xs.length; i++) {
    xy += (xs[i] - mx) * (ys[i] - my);
    xx += (xs[i] - mx) ** 2;
    yy += (ys[i] - my) ** 2;
  }
  const deviation = (sum: number) => Math.sqrt(sum / Math.max(1, xs.length));
  return {
    r: xx === 0 || yy === 0 ? 0 : xy / Math.sqrt(xx * yy),
    hasSpread: deviation(xx) > 0.15 && deviation(yy) > 0.15,
  };
}
