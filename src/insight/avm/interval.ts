// Prediction intervals by conformal calibration: quantiles of past errors among valuations of similar sigma.
import type { Appraisal } from './appraise.ts';
import type { Sale } from './attributes.ts';
import type { Model, Scores } from './model.ts';
import { countWhile, quantile } from '../../base/math/quantiles.ts';

export type Calibration = {
  /** Sorted scores in windows around several sigmas, from the most to the least certain valuations. */
  knots: Array<{ logSigma: number; scores: Float64Array }>;
  /** Corrections to sigma by prior sale (0 or 1), unusual attributes (0 or 1), type, and fifth of the value. */
  sold: Sides[];
  unusual: Sides[];
  types: Record<string, Sides>;
  bandEnds: number[];
  bands: Sides[];
  /** Floor for sigma, taken from the most certain known sales. */
  minSigma: number;
};

/** Separate factors for prices below the value (low) and above it (high): errors of cheap homes are skewed upward. */
type Sides = { low: number; high: number };
const EVEN: Sides = { low: 1, high: 1 };
const UNGROUPED = { sold: [], unusual: [], types: {}, bandEnds: [], bands: [EVEN] };

export type Score = Pick<Appraisal, 'logValue' | 'sigma' | 'isSold' | 'isUnusual'>;

/** Input of an interval: the appraisal and the property type. */
export type Difficulty = Score & { type: string | null };

type Spread = {
  /** Log offsets of the interval's ends from the estimate. */
  low: number;
  high: number;
  /** Forecast standard deviation: half the central 68% range, as a share of the estimate. */
  fsd: number;
  /** Share of similar valuations within 10% of the price, and their median error. */
  within10: number;
  medianError: number;
};

const KNOTS = 24;
/** Rank of the known sale whose sigma is the floor: coverage below it cannot be tested. */
const MIN_SIGMA_RANK = 100;
/** With fewer scores, a normal distribution is assumed. */
const MIN_SCORES = 60;
/** The reported median error is an upper bound: of 200 sales, the true median is below it in 95% of cases. */
const SAFE_HALF = 0.56;
/** Multiplier of the nominal miss rate: calibration scores are a few weeks old, and newer errors are larger. */
const SAFE_MISSES = 0.975;
const NORMAL = Float64Array.from({ length: 199 }, (_, i) => normalQuantile((i + 1) / 200));

/** Intervals are recalibrated once a week. */
export const calibrationDay = (day: number): number => day - (day % 7);

/** Sorts the latest `sales` scores known before the day into windows of similar sigma. */
export function calibrate(scores: Scores, day: number, options: Model['calibration']): Calibration {
  const { knownDay, type, logValue, isSold, isUnusual } = scores;
  let end = knownDay.length;
  while (end > 0 && knownDay[end - 1] >= day) end--;
  const start = Math.max(0, end - options.sales);
  const count = end - start;
  if (count < MIN_SCORES) return { knots: [{ logSigma: 0, scores: NORMAL }], ...UNGROUPED, minSigma: 0 };

  const score = scores.score.slice(start, end);
  const sigma = scores.sigma.slice(start, end);
  matchOutOfTime(score, sigma, scores.isOutOfTime.subarray(start, end), options.levelError);
  const correct = (groupOf: (k: number) => string, damp = (factor: number) => factor): Record<string, Sides> => {
    const factors = groupFactors(score, scores.isOutOfTime.subarray(start, end), groupOf);
    for (const own of Object.values(factors)) [own.low, own.high] = [damp(own.low), damp(own.high)];
    for (let k = 0; k < count; k++) {
      const own = factors[groupOf(k)];
      score[k] /= score[k] < 0 ? own.low : own.high;
      sigma[k] *= middleOf(own);
    }
    return factors;
  };
  const bySold = correct((k) => String(isSold[start + k]), dampNarrowing);
  const byUnusual = correct((k) => String(isUnusual[start + k]), dampNarrowing);
  const types = correct((k) => type[start + k]);
  const sortedValues = logValue.slice(start, end).sort();
  const bandEnds = [0.2, 0.4, 0.6, 0.8].map((share) => quantile(sortedValues, share));
  const byBand = correct((k) => String(bandOf(bandEnds, logValue[start + k])));

  const order = Int32Array.from({ length: count }, (_, k) => k).sort((a, b) => sigma[a] - sigma[b] || a - b);
  const half = Math.floor(Math.min(options.window, count) / 2);
  const knots: Calibration['knots'] = [];
  for (let k = 0; k < KNOTS; k++) {
    const at = Math.round(((count - 1) * (k + 0.5)) / KNOTS);
    // The window shrinks toward either end, so that the most certain homes are not calibrated on average ones.
    const reach = Math.max(Math.min(half, at, count - 1 - at), Math.min(Math.floor(half / 3), count >> 1));
    const window = order.subarray(Math.max(0, at - reach), Math.min(count, at + reach + 1));
    knots.push({ logSigma: Math.log(sigma[order[at]]), scores: Float64Array.from(window, (i) => score[i]).sort() });
  }
  const minSigma = sigma[order[Math.min(MIN_SIGMA_RANK, count) - 1]];
  const sold = [bySold[0] ?? EVEN, bySold[1] ?? EVEN];
  const unusual = [byUnusual[0] ?? EVEN, byUnusual[1] ?? EVEN];
  const bands = Array.from({ length: 5 }, (_, band) => byBand[band] ?? EVEN);
  return { knots, sold, unusual, types, bandEnds, bands, minSigma };
}

/** With little evidence, apply half of any narrowing (in logs): too wide is safer than too narrow. */
export const dampNarrowing = (factor: number): number => (factor < 1 ? Math.sqrt(factor) : factor);

/** A growing list of scores; `all` returns them in the order in which their sales became known. */
export function openScores(first: Scores) {
  const entries = Array.from(first.knownDay, (known, k) => ({
    known,
    sigma: first.sigma[k],
    score: first.score[k],
    type: first.type[k],
    logValue: first.logValue[k],
    isSold: first.isSold[k],
    isUnusual: first.isUnusual[k],
    isOutOfTime: first.isOutOfTime[k],
  }));
  return {
    add: (
      sale: Pick<Sale, 'knownDay' | 'priceUsd' | 'attributes'>,
      { logValue, sigma, isSold, isUnusual }: Score,
      isOutOfTime = 1,
    ): void => {
      const score = (Math.log(sale.priceUsd) - logValue) / sigma;
      entries.push({
        known: sale.knownDay,
        sigma,
        score,
        type: sale.attributes.propertyType ?? '',
        logValue,
        isSold: isSold ? 1 : 0,
        isUnusual: isUnusual ? 1 : 0,
        isOutOfTime,
      });
    },
    all: (): Scores => {
      const sorted = entries.toSorted((a, b) => a.known - b.known);
      return {
        knownDay: Int32Array.from(sorted, (each) => each.known),
        sigma: Float64Array.from(sorted, (each) => each.sigma),
        score: Float64Array.from(sorted, (each) => each.score),
        type: sorted.map((each) => each.type),
        logValue: Float64Array.from(sorted, (each) => each.logValue),
        isSold: Uint8Array.from(sorted, (each) => each.isSold),
        isUnusual: Uint8Array.from(sorted, (each) => each.isUnusual),
        isOutOfTime: Uint8Array.from(sorted, (each) => each.isOutOfTime),
      };
    },
  };
}

const MAX_LEVEL_ERROR = 0.05;

/**
 * Scales out-of-fold scores to the size of the out-of-time ones. The two differ mostly by the error of the price level,
 * which matters most where the model is certain; one common factor covers the rest.
 */
function matchOutOfTime(score: Float64Array, sigma: Float64Array, isOutOfTime: Uint8Array, levelError: number): void {
  const later = score.filter((_, k) => isOutOfTime[k] === 1).map(Math.abs);
  const outOfFold = Array.from(score.keys()).filter((k) => isOutOfTime[k] === 0);
  if (outOfFold.length === 0 || later.length === 0) return;
  const scoreWith = (level: number, k: number): number =>
    score[k] * Math.sqrt((1 + (level / sigma[k]) ** 2) / (1 + (levelError / sigma[k]) ** 2));
  const sizeWith = (level: number): number =>
    quantile(Float64Array.from(outOfFold, (k) => Math.abs(scoreWith(level, k))).sort(), 0.8);
  const size = sizeWith(levelError);
  const wanted = size * shrink(quantile(later.sort(), 0.8) / size, later.length);
  const level = bisect((guess) => sizeWith(guess) < wanted, 0, MAX_LEVEL_ERROR);
  const rest = wanted / sizeWith(level);
  for (const k of outOfFold) score[k] = rest * scoreWith(level, k);
}

/** Finds the number at which a condition that holds for smaller ones stops holding. */
export function bisect(isBelow: (guess: number) => boolean, low: number, high: number): number {
  for (let step = 0; step < 14; step++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Prior weight: factors are shrunk toward 1, or toward a better prior, with this many pseudo-observations. */
const PRIOR_SCORES = 100;
/** Minimum width of either side, for groups with nearly all prices on the other side. */
const MIN_END = 0.1;
const shrink = (ratio: number, scores: number, prior = 1): number =>
  (scores * ratio + PRIOR_SCORES * prior) / (scores + PRIOR_SCORES);

/**
 * The 10th and 90th percentiles of the group's scores ÷ those of all scores. Factors from out-of-time scores override
 * those from out-of-fold scores, which serve as their prior.
 */
function groupFactors(score: Float64Array, isOutOfTime: Uint8Array, groupOf: (k: number) => string) {
  const members = Array.from(score.keys());
  const factorsOf = (known: number[], prior: Record<string, Sides>): Record<string, Sides> => {
    const overall = endsOf(score, known);
    return Object.fromEntries(
      [...Map.groupBy(known, groupOf)].map(([name, own]) => {
        const { low, high } = endsOf(score, own);
        const expected = prior[name] ?? EVEN;
        const shrunk = (side: keyof Sides, end: number) => shrink(end / overall[side], own.length, expected[side]);
        return [name, { low: shrunk('low', low), high: shrunk('high', high) }];
      }),
    );
  };
  const byAll = factorsOf(members, {});
  const later = members.filter((k) => isOutOfTime[k] === 1);
  return { ...byAll, ...factorsOf(later, byAll) };
}

function endsOf(score: Float64Array, members: number[]): Sides {
  const sorted = Float64Array.from(members, (k) => score[k]).sort();
  return { low: Math.min(-MIN_END, quantile(sorted, 0.1)), high: Math.max(MIN_END, quantile(sorted, 0.9)) };
}

const middleOf = ({ low, high }: Sides): number => Math.sqrt(low * high);
const times = (a: Sides, b: Sides): Sides => ({ low: a.low * b.low, high: a.high * b.high });

function bandOf(ends: number[], logValue: number): number {
  const band = ends.findIndex((end) => logValue <= end);
  return band < 0 ? ends.length : band;
}

/**
 * Score quantiles in units of sigma; `within10` is the share of similar valuations within 10% of the price, and
 * `medianError` their median error as a share of the price.
 */
export type Quantiles = {
  low: number;
  high: number;
  p16: number;
  p84: number;
  within10: number;
  medianError: number;
};

export function quantilesOf(calibration: Calibration, home: Difficulty, level: number): Quantiles {
  const { sigma } = home;
  const kind = kindFactor(calibration, home);
  const scale = Math.max(1, calibration.minSigma / (sigma * middleOf(kind)));
  const factor: Sides = { low: scale * kind.low, high: scale * kind.high };
  const [a, b, share] = bracket(calibration, Math.log(sigma * middleOf(factor)));
  const mix = (of: (scores: Float64Array) => number): number => (1 - share) * of(a) + share * of(b);
  const at = (probability: number): number => {
    const score = mix((scores) => conformalQuantile(scores, probability));
    return score * (score < 0 ? factor.low : factor.high);
  };
  const shareWithin = (error: number): number =>
    mix((scores) => shareOfScores(scores, { low: sigma * factor.low, high: sigma * factor.high }, error));
  const misses = SAFE_MISSES * (1 - level);
  return {
    low: at(misses / 2),
    high: at(1 - misses / 2),
    p16: at(0.16),
    p84: at(0.84),
    within10: shareWithin(0.1),
    medianError: bisect((error) => shareWithin(error) < SAFE_HALF, 0, 1),
  };
}

function kindFactor(
  { sold, unusual, types, bandEnds, bands }: Calibration,
  { type, logValue, isSold, isUnusual }: Difficulty,
): Sides {
  const own = [sold[isSold ? 1 : 0], unusual[isUnusual ? 1 : 0]];
  const factors = [...own, types[type ?? ''], bands[bandOf(bandEnds, logValue)]];
  return factors.reduce((product: Sides, factor = EVEN) => times(product, factor), EVEN);
}

export const spreadOf = (calibration: Calibration, difficulty: Difficulty, level: number): Spread =>
  spreadAt(difficulty.sigma, quantilesOf(calibration, difficulty, level));

export const spreadAt = (sigma: number, { low, high, p16, p84, within10, medianError }: Quantiles): Spread => ({
  low: Math.min(0, sigma * low),
  high: Math.max(0, sigma * high),
  fsd: (Math.exp(sigma * p84) - Math.exp(sigma * p16)) / 2,
  within10,
  medianError,
});

function bracket({ knots }: Calibration, logSigma: number): [Float64Array, Float64Array, number] {
  let k = 0;
  while (k < knots.length && knots[k].logSigma < logSigma) k++;
  if (k === 0) return [knots[0].scores, knots[0].scores, 0];
  if (k === knots.length) return [knots[k - 1].scores, knots[k - 1].scores, 0];
  const width = knots[k].logSigma - knots[k - 1].logSigma;
  return [knots[k - 1].scores, knots[k].scores, width > 0 ? (logSigma - knots[k - 1].logSigma) / width : 0];
}

/** Given n scores, the next one lies below the k-th smallest with probability k ÷ (n + 1). */
function conformalQuantile(sorted: Float64Array, probability: number): number {
  const n = sorted.length;
  return quantile(sorted, Math.max(0, Math.min(1, (probability * (n + 1) - 1) / (n - 1))));
}

/** score = (log price − log estimate) ÷ sigma, so estimate ÷ price = exp(−score × sigma). */
function shareOfScores(sorted: Float64Array, sigma: Sides, error: number): number {
  const low = -Math.log(1 + error) / sigma.low;
  const high = -Math.log(1 - error) / sigma.high;
  return (countUpTo(sorted, high) - countUpTo(sorted, low)) / sorted.length;
}

const countUpTo = (sorted: Float64Array, value: number): number => countWhile(sorted.length, (i) => sorted[i] <= value);

/** Hastings' rational approximation (Abramowitz and Stegun 26.2.23): off by less than 1e-3, which is enough here. */
export function normalQuantile(p: number): number {
  const t = Math.sqrt(-2 * Math.log(Math.min(p, 1 - p)));
  const z =
    t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  return p < 0.5 ? -z : z;
}

export type Confidence = 'high' | 'medium' | 'low';

/** Confidence labels by forecast standard deviation, the same in every market. */
export const HIGH_FSD = 0.075;
export const MEDIUM_FSD = 0.16;

export const labelOf = (fsd: number): Confidence => (fsd <= HIGH_FSD ? 'high' : fsd <= MEDIUM_FSD ? 'medium' : 'low');

const MIN_NEARBY = 5;

/** Confidence is low with few sales nearby, or with an attribute farther out than any that was measured. */
export const confidenceOf = (fsd: number, { nearby, beyond }: { nearby: number; beyond: number }): Confidence =>
  nearby < MIN_NEARBY || beyond >= 1 ? 'low' : labelOf(fsd);
