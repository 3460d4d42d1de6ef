// Fits a price index: two-way fixed effects of place and time on log price per square foot, smoothed and extrapolated.
import { indexAt, monthOf, USUAL_GROWTH, type Drift, type IndexCurve } from '../avm/price-growth.ts';
import { mean } from './metrics.ts';

type IndexInput = {
  day: ArrayLike<number>;
  logPrice: ArrayLike<number>;
  logSqft: ArrayLike<number>;
  /** Location and type group of each sale. */
  group: ArrayLike<number>;
  groups: number;
};

const ROUNDS = 6;
/** Prior weight that shrinks a group's mean toward the overall mean. */
const GROUP_PRIOR = 3;

/**
 * Alternates between group means, the elasticity of size and the time curve until they agree; six rounds are enough.
 */
export function fitIndex(input: IndexInput, bandwidthDays: number): IndexCurve {
  const n = input.day.length;
  const meanSize = mean(input.logSqft);
  const size = Float64Array.from({ length: n }, (_, i) => input.logSqft[i] - meanSize);
  const perSqft = Float64Array.from({ length: n }, (_, i) => input.logPrice[i] - input.logSqft[i]);
  const days = Int32Array.from(input.day);
  let curve = flatCurve(days);
  let elasticity = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const time = Float64Array.from(days, (day) => indexAt(curve, day));
    const effects = groupMeans(input.group, input.groups, (i) => perSqft[i] - elasticity * size[i] - time[i], n);
    const rest = Float64Array.from({ length: n }, (_, i) => perSqft[i] - effects[input.group[i]]);
    elasticity = slope(size, rest, time);
    for (let i = 0; i < n; i++) rest[i] -= elasticity * size[i];
    curve = smoothMedians(days, rest, bandwidthDays);
  }
  return curve;
}

function flatCurve(days: Int32Array): IndexCurve {
  return { firstDay: days.reduce((a, b) => Math.min(a, b)), stepDays: 1, values: new Float64Array(1) };
}

function groupMeans(group: ArrayLike<number>, groups: number, valueOf: (i: number) => number, n: number): Float64Array {
  const sums = new Float64Array(groups);
  const counts = new Float64Array(groups);
  let total = 0;
  for (let i = 0; i < n; i++) {
    const value = valueOf(i);
    sums[group[i]] += value;
    counts[group[i]]++;
    total += value;
  }
  return sums.map((sum, g) => (sum + GROUP_PRIOR * (total / n)) / (counts[g] + GROUP_PRIOR));
}

function slope(x: Float64Array, y: Float64Array, offset: Float64Array): number {
  let xy = 0;
  let xx = 0;
  for (let i = 0; i < x.length; i++) {
    xy += x[i] * (y[i] - offset[i]);
    xx += x[i] * x[i];
  }
  return xy / (xx + 1e-9);
}

/**
 * Kernel-weighted median of the values around each grid day, relative to the first. All values are sorted once and each
 * day walks up to its median, which takes a seventh of the time of sorting the window of each day.
 */
function smoothMedians(days: Int32Array, values: Float64Array, bandwidthDays: number): IndexCurve {
  const firstDay = days.reduce((a, b) => Math.min(a, b));
  const lastDay = days.reduce((a, b) => Math.max(a, b));
  const stepDays = stepOf(bandwidthDays);
  const points = Math.floor((lastDay - firstDay) / stepDays) + 1;
  const ascending = Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const bucketOf = Uint32Array.from(ascending, (i) => Math.floor((days[i] - firstDay) / stepDays));
  const counts = new Uint32Array(points);
  for (const bucket of bucketOf) counts[bucket]++;
  const span = Math.ceil((3 * bandwidthDays) / stepDays);
  // A bucket's sales lie half a step after its start, on average.
  const kernel = (steps: number): number => Math.exp(-0.5 * (((steps + 0.5) * stepDays) / bandwidthDays) ** 2);
  /** By the distance of a bucket from the grid day, plus `points`. */
  const weights = Float64Array.from({ length: 2 * points }, (_, at) =>
    Math.abs(at - points) > span ? 0 : kernel(at - points),
  );
  const out = new Float64Array(points);
  for (let point = 0; point < points; point++) {
    const toWeight = points - point;
    let total = 0;
    for (let bucket = 0; bucket < points; bucket++) total += counts[bucket] * weights[bucket + toWeight];
    let i = -1;
    let running = 0;
    while (running < 0.5 * total) running += weights[bucketOf[++i] + toWeight];
    out[point] = total > 0 ? values[ascending[i]] : point > 0 ? out[point - 1] : 0;
  }
  return { firstDay, stepDays, values: out.map((value) => value - out[0]) };
}

/** A sixth of the bandwidth resolves the curve; finer steps only cost time. */
const stepOf = (bandwidthDays: number): number => Math.max(3, Math.round(bandwidthDays / 6));

/** A year-over-year difference cancels seasonality; a market with less than a year of sales gets the usual growth. */
export function driftOf(index: IndexCurve, cutDay: number): Drift {
  const isKnown = cutDay - index.firstDay >= 365;
  const lastYear = isKnown ? indexAt(index, cutDay) - indexAt(index, cutDay - 365) : USUAL_GROWTH;
  return { lastYear, season: fitSeason(index, cutDay) };
}

/** Mean deviation of each month from the mean of the surrounding year; empty with fewer than three years. */
function fitSeason(index: IndexCurve, cutDay: number): number[] {
  const levels = Array.from({ length: cutDay - index.firstDay + 1 }, (_, k) => indexAt(index, index.firstDay + k));
  if (levels.length < (3 + 1) * 365) return [];
  const months = Array.from({ length: 12 }, () => ({ sum: 0, days: 0 }));
  let year = levels.slice(0, 365).reduce((sum, level) => sum + level, 0);
  for (let middle = 182; middle + 183 < levels.length; middle++) {
    const month = months[Math.floor(monthOf(index.firstDay + middle))];
    month.sum += levels[middle] - year / 365;
    month.days++;
    year += levels[middle + 183] - levels[middle - 182];
  }
  return months.map(({ sum, days }) => sum / days);
}
