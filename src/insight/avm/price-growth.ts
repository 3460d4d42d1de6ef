// A market's prices over time: the stored index, the level above it after training, and the growth expected past the
// last known sales, which decays to the long-run rate with growing uncertainty.
import { countWhile } from '../../base/math/quantiles.ts';

/** Log price level relative to the first day, on a grid of days. */
export type IndexCurve = { firstDay: number; stepDays: number; values: Float64Array };

/** Log level on a day: linear between grid points, flat outside them. */
export function indexAt(curve: IndexCurve, day: number): number {
  const at = (day - curve.firstDay) / curve.stepDays;
  const last = curve.values.length - 1;
  if (at <= 0) return curve.values[0];
  if (at >= last) return curve.values[last];
  const low = Math.floor(at);
  return curve.values[low] + (at - low) * (curve.values[low + 1] - curve.values[low]);
}

export type LevelOptions = {
  /** Days in which the weight of a residual decays by a factor of e. */
  decayDays: number;
  /** With fewer recent sales, the level is 0. */
  minSales: number;
  /** Largest slope allowed, in log price per day. */
  maxSlope: number;
};

/** Residuals (log price − model) of sales, ordered by the day they became known. */
export type KnownResiduals = { knownDay: Int32Array; soldDay: Int32Array; residual: Float64Array };

export function orderByKnown(soldDay: Int32Array, knownDay: Int32Array, residualOf: (i: number) => number) {
  // Day and number packed into one float: numbers sort ten times faster than pairs.
  const keys = Float64Array.from(knownDay, (day, i) => day * 2 ** 32 + i).sort();
  const order = keys.map((key) => key - 2 ** 32 * Math.floor(key / 2 ** 32));
  return {
    knownDay: Int32Array.from(order, (i) => knownDay[i]),
    soldDay: Int32Array.from(order, (i) => soldDay[i]),
    residual: Float64Array.from(order, residualOf),
  };
}

/** Residuals are clipped at this distance from the median before the slope is fitted. */
const CLIP = 0.25;

// Reused by every call: computing a large market's level on a thousand days leaves no garbage.
let weights = new Float64Array(0);
let clipped = new Float64Array(0);

/** Local-linear weighted median of the residuals known before `day`, carried forward to `day`. */
export function levelOn({ knownDay, soldDay, residual }: KnownResiduals, day: number, options: LevelOptions): number {
  const end = lowerBound(knownDay, day);
  const oldest = day - 14 - 6 * options.decayDays;
  const start = lowerBound(knownDay, oldest);
  const count = end - start;
  if (count < options.minSales) return 0;
  if (weights.length < count) [weights, clipped] = [new Float64Array(2 * count), new Float64Array(2 * count)];
  for (let k = 0; k < count; k++) {
    const isSameDay = k > 0 && knownDay[start + k] === knownDay[start + k - 1];
    weights[k] = isSameDay ? weights[k - 1] : Math.exp((knownDay[start + k] - day) / options.decayDays);
  }
  const values = residual.subarray(start, end);
  const middle = weightedMedian(values);
  let [sumW, sumX, sumY] = [0, 0, 0];
  for (let k = 0; k < count; k++) {
    clipped[k] = Math.max(middle - CLIP, Math.min(middle + CLIP, values[k]));
    sumW += weights[k];
    sumX += weights[k] * (soldDay[start + k] - day);
    sumY += weights[k] * clipped[k];
  }
  const meanX = sumX / sumW;
  const meanY = sumY / sumW;
  let [sumXX, sumXY] = [0, 0];
  for (let k = 0; k < count; k++) {
    const dx = soldDay[start + k] - day - meanX;
    sumXX += weights[k] * dx * dx;
    sumXY += weights[k] * dx * (clipped[k] - meanY);
  }
  const slope = Math.max(-options.maxSlope, Math.min(options.maxSlope, sumXY / (sumXX + 1e-9)));
  return middle - slope * meanX;
}

const lowerBound = (sorted: Int32Array, value: number): number => countWhile(sorted.length, (i) => sorted[i] < value);

const BIN = 0.0005;
const REACH = 1.5;
const bins = new Float64Array(Math.ceil((2 * REACH) / BIN) + 1);

/** A histogram of narrow bins instead of sorting, so that a level costs microseconds. Values are clipped at ±1.5. */
function weightedMedian(values: Float64Array): number {
  bins.fill(0);
  let total = 0;
  for (let k = 0; k < values.length; k++) {
    bins[Math.round((Math.max(-REACH, Math.min(REACH, values[k])) + REACH) / BIN)] += weights[k];
    total += weights[k];
  }
  let running = 0;
  for (let bin = 0; bin < bins.length; bin++) {
    running += bins[bin];
    if (running >= total / 2) return bin * BIN - REACH;
  }
  return 0;
}

/** Growth of log price in the last known year, and the seasonal effect by month (empty if too few years are known). */
export type Drift = { lastYear: number; season: number[] };

/**
 * Fitted to FHFA's index of 404 metropolitan areas since 1985 (`npm run bench -- valuation drift`): last year's excess
 * growth decays by a factor of e in 1.2 years, and the 80% band of the level is ±1.28 × 3.7% a year.
 */
export const USUAL_GROWTH = 0.04;
const MEMORY_YEARS = 1.2;
const DEVIATION_PER_YEAR = 0.037;
/** Error of the level that the forecast starts from, phased in over two months. */
const LAST_LEVEL_DEVIATION = 0.02;
const LEVEL_DAYS = 60;
const DAYS_PER_YEAR = 365.25;

/** Expected growth of log price from the last day whose price level is known to a later day. */
export function growthBetween(drift: Drift, from: number, to: number): number {
  if (to === from) return 0;
  return trendOver(drift.lastYear, to - from) + seasonOn(drift.season, to) - seasonOn(drift.season, from);
}

export function trendOver(lastYear: number, days: number): number {
  const years = days / DAYS_PER_YEAR;
  const remembered = MEMORY_YEARS * (1 - Math.exp(-years / MEMORY_YEARS));
  return USUAL_GROWTH * years + (lastYear - USUAL_GROWTH) * remembered;
}

/** Linear between the middles of months. */
function seasonOn(season: number[], day: number): number {
  if (season.length === 0) return 0;
  const month = monthOf(day) - 0.5;
  const before = Math.floor(month);
  const share = month - before;
  return (1 - share) * season[(before + 12) % 12] + share * season[(before + 1) % 12];
}

/** 0 … 12, by the share of the year that has passed. */
export function monthOf(day: number): number {
  const years = day / DAYS_PER_YEAR;
  return 12 * (years - Math.floor(years));
}

/** Standard deviation of the expected growth. */
export function deviationOver(days: number): number {
  const years = days / DAYS_PER_YEAR;
  return Math.hypot(LAST_LEVEL_DEVIATION * Math.min(1, days / LEVEL_DAYS), DEVIATION_PER_YEAR * years);
}
