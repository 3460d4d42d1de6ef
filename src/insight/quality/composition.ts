// Measures error, bias and coverage of valuations by a demographic figure of the census tract, with bands and tests.
// Errors are correlated within a tract, so the bootstrap resamples whole tracts, not sales.
import { setImmediate } from 'node:timers/promises';
import { median, quantile } from '../../base/math/quantiles.ts';
import { seededRandom } from '../../base/math/random.ts';

/** Tested sales of a tract: sales ratio, and whether the price was inside the 80% interval. */
export interface Tract {
  figure: number;
  ratios: number[];
  covered: boolean[];
  /** Sales for which no value would have been served. */
  unvalued: number;
}

type Band = Record<'value' | 'low' | 'high', number>;

const OUTCOMES = ['error', 'ratio', 'coverage'] as const;
type Outcome = (typeof OUTCOMES)[number];
type Figures = Record<Outcome, number>;
type Bands = Record<Outcome, Band>;

interface Group extends Bands {
  name: 'lowest_third' | 'middle_third' | 'highest_third';
  from: number;
  to: number;
  tracts: number;
  sales: number;
  hitRate: number;
}

interface Trend extends Band {
  outcome: 'bias' | 'error' | 'coverage';
  pValue: number;
}

export interface Composition {
  tracts: number;
  sales: number;
  groups: Group[];
  /** Highest third minus lowest third. */
  difference: Bands;
  /** Change per unit of the figure. */
  trends: Trend[];
}

export const LEAST_TRACTS = 10;
export const LEAST_SALES = 100;
export const DRAWS = 400;
export const PERMUTATIONS = 999;
const BAND_LEVEL = 0.95;
const NAMES = ['lowest_third', 'middle_third', 'highest_third'] as const;
/** Log errors are clipped at this, so that sales of partial interests do not drive a slope. */
const MAX_LOG = 0.5;
const DRAWS_PER_TURN = 20;

/** Undefined with too few tracts or sales. `scale` converts a figure to the units of the trends. */
export async function measureComposition(
  all: Tract[],
  scale: (figure: number) => number,
): Promise<Composition | undefined> {
  const tracts = all.filter(({ ratios }) => ratios.length > 0).toSorted((a, b) => a.figure - b.figure);
  const sales = countSales(tracts);
  if (tracts.length < LEAST_TRACTS || sales < LEAST_SALES) return undefined;
  const random = seededRandom(1);
  const thirds = cutInThirds(tracts, sales);
  if (thirds.some((third) => third.length < 2)) return undefined;
  const draws: Figures[][] = thirds.map(() => []);
  for (let draw = 0; draw < DRAWS; draw++) {
    thirds.forEach((third, k) => draws[k].push(describe(third.map(() => pick(third, random)))));
    // Yields to requests.
    if (draw % DRAWS_PER_TURN === 0) await setImmediate();
  }
  const own = thirds.map(describe);
  const differences = draws[0].map((low, draw) => minus(draws[2][draw], low));
  return {
    tracts: tracts.length,
    sales,
    groups: thirds.map((third, k) => describeGroup(NAMES[k], third, bandsOf(own[k], draws[k]))),
    difference: bandsOf(minus(own[2], own[0]), differences),
    trends: measureTrends(tracts, scale, random),
  };
}

const countSales = (tracts: Tract[]): number => tracts.reduce((sum, { ratios }) => sum + ratios.length, 0);

/** Thirds of the sales, with whole tracts. */
function cutInThirds(tracts: Tract[], sales: number): Tract[][] {
  const thirds: Tract[][] = [[], [], []];
  let before = 0;
  for (const tract of tracts) {
    thirds[Math.min(2, Math.floor((3 * (before + tract.ratios.length / 2)) / sales))].push(tract);
    before += tract.ratios.length;
  }
  return thirds;
}

function describe(tracts: Tract[]): Figures {
  const ratios = tracts.flatMap((tract) => tract.ratios);
  const covered = tracts.reduce((sum, tract) => sum + tract.covered.filter(Boolean).length, 0);
  return {
    error: median(ratios.map((ratio) => Math.abs(ratio - 1))),
    ratio: median(ratios),
    coverage: covered / ratios.length,
  };
}

function describeGroup(name: Group['name'], tracts: Tract[], bands: Bands): Group {
  const sales = countSales(tracts);
  const unvalued = tracts.reduce((sum, tract) => sum + tract.unvalued, 0);
  return {
    name,
    from: tracts[0].figure,
    to: tracts[tracts.length - 1].figure,
    tracts: tracts.length,
    sales,
    hitRate: sales / (sales + unvalued),
    ...bands,
  };
}

const byOutcome = <Value>(read: (outcome: Outcome) => Value) =>
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, read(outcome)])) as Record<Outcome, Value>;

const minus = (a: Figures, b: Figures): Figures => byOutcome((outcome) => a[outcome] - b[outcome]);

const bandsOf = (own: Figures, draws: Figures[]): Bands =>
  byOutcome((outcome) =>
    bandOf(
      own[outcome],
      Float64Array.from(draws, (draw) => draw[outcome]),
    ),
  );

function bandOf(value: number, draws: Float64Array): Band {
  const sorted = draws.sort();
  return { value, low: quantile(sorted, (1 - BAND_LEVEL) / 2), high: quantile(sorted, (1 + BAND_LEVEL) / 2) };
}

const READERS: Record<Trend['outcome'], (ratio: number, isCovered: boolean) => number> = {
  bias: (ratio) => Math.max(-MAX_LOG, Math.min(MAX_LOG, Math.log(ratio))),
  error: (ratio) => Math.min(MAX_LOG, Math.abs(ratio - 1)),
  coverage: (_ratio, isCovered) => (isCovered ? 1 : 0),
};

interface Point {
  x: number;
  n: number;
  sum: number;
}

const measureTrends = (tracts: Tract[], scale: (figure: number) => number, random: () => number): Trend[] =>
  (Object.keys(READERS) as Trend['outcome'][]).map((outcome) => {
    const points = tracts.map(({ figure, ratios, covered }) => ({
      x: scale(figure),
      n: ratios.length,
      sum: ratios.reduce((sum, ratio, i) => sum + READERS[outcome](ratio, covered[i]), 0),
    }));
    const slope = slopeOf(points);
    const draws = Float64Array.from({ length: DRAWS }, () => slopeOf(points.map(() => pick(points, random))));
    return { outcome, ...bandOf(slope, draws), pValue: permute(points, slope, random) };
  });

/** Least squares over sales: tracts are weighted by their number of sales. */
function slopeOf(points: Point[]): number {
  let [n, x, y] = [0, 0, 0];
  for (const point of points) {
    n += point.n;
    x += point.n * point.x;
    y += point.sum;
  }
  const [meanX, meanY] = [x / n, y / n];
  let [xy, xx] = [0, 0];
  for (const point of points) {
    xy += (point.x - meanX) * (point.sum - point.n * meanY);
    xx += point.n * (point.x - meanX) ** 2;
  }
  return xx > 0 ? xy / xx : 0;
}

/** Permutation test: how often a slope as steep appears when the figures are shuffled among the tracts. */
function permute(points: Point[], slope: number, random: () => number): number {
  const dealt = points.map(({ x }) => x);
  let steeper = 0;
  for (let round = 0; round < PERMUTATIONS; round++) {
    for (let i = dealt.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [dealt[i], dealt[j]] = [dealt[j], dealt[i]];
    }
    if (Math.abs(slopeOf(points.map((point, i) => ({ ...point, x: dealt[i] })))) >= Math.abs(slope)) steeper++;
  }
  return (steeper + 1) / (PERMUTATIONS + 1);
}

const pick = <Item>(items: Item[], random: () => number): Item => items[Math.floor(random() * items.length)];

/** Holm's correction for multiple tests; the result is in the order of the input. */
export function adjustForMany(pValues: number[]): number[] {
  const order = pValues.map((_, i) => i).toSorted((a, b) => pValues[a] - pValues[b]);
  const adjusted = pValues.map(() => 1);
  let largest = 0;
  order.forEach((i, rank) => {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * pValues[i]));
    adjusted[i] = largest;
  });
  return adjusted;
}
