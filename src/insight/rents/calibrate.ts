// Fits area rents to leases, and tests the fit out of time, on later leases. Pure.
import { rounded } from '../../base/lib/figures.ts';
import { isoDate, DAY_MS } from '../../base/lib/clock.ts';
import { median, quantile } from '../../base/math/quantiles.ts';
import { ASSUMED, predict, type Calibration, type Fit } from './area-rent.ts';

export interface FittedLease {
  day: number;
  rent: number;
  /** Log rent of its areas. */
  logArea: number;
  relative: number | null;
}

/** Fewer are not enough to calibrate an interval. */
export const LEAST_LEASES = 40;
/** Splits by date: fit, interval calibration, test. */
const [FITTED, SHOWN] = [0.6, 0.8];
/** Standard deviations of one log rent, and of the priors of the slopes. */
const [NOISE, OF_ELASTICITY, OF_TREND] = [0.2, 0.25, 0.03];

/** Undefined if there are too few leases, or all are from one time. */
export function calibrate(leases: readonly FittedLease[]): Calibration | undefined {
  if (leases.length < LEAST_LEASES) return undefined;
  const sorted = leases.toSorted((a, b) => a.day - b.day);
  const [first, second] = [FITTED, SHOWN].map((share) => sorted[Math.floor(share * sorted.length)].day);
  const [before, between, last] = [
    sorted.filter(({ day }) => day < first),
    sorted.filter(({ day }) => day >= first && day < second),
    sorted.filter(({ day }) => day >= second),
  ];
  if ([before, between, last].some(({ length }) => length < LEAST_LEASES / 10)) return undefined;
  const tested = fit(before);
  const errorsOf = (part: readonly FittedLease[]) => Float64Array.from(part, (lease) => errorOf(tested, lease)).sort();
  const shown = errorsOf(between);
  const [low, high] = [0.1, 0.9].map((share) => quantile(shown, share));
  const ratios = last.map((lease) => Math.exp(-errorOf(tested, lease)));
  const rates = ratios.map((ratio) => Math.abs(ratio - 1));
  const within = (limit: number) => rounded(rates.filter((rate) => rate <= limit).length / rates.length);
  const unseen = errorsOf([...between, ...last]);
  return {
    fit: fit(sorted),
    low: quantile(unseen, 0.1),
    high: quantile(unseen, 0.9),
    accuracy: {
      leases: sorted.length,
      from: dayOf(sorted[0].day),
      to: dayOf(sorted[sorted.length - 1].day),
      tested_from: dayOf(second),
      tested: last.length,
      median_error_rate: rounded(median(rates)),
      within_10_percent: within(0.1),
      within_20_percent: within(0.2),
      median_ratio: rounded(median(ratios)),
      interval_coverage: rounded(
        last.filter((lease) => isWithin(errorOf(tested, lease), low, high)).length / last.length,
      ),
      areas_alone_error_rate: rounded(median(last.map((lease) => Math.abs(Math.expm1(-errorOf(ASSUMED, lease)))))),
    },
  };
}

const dayOf = (day: number): string => isoDate(new Date(day * DAY_MS));
const isWithin = (value: number, low: number, high: number) => value >= low && value <= high;
const errorOf = (of: Fit, { rent, logArea, relative, day }: FittedLease): number =>
  Math.log(rent) - predict(of, logArea, relative, day);

/** Ridge regression for level, elasticity and trend with priors on the slopes: few leases move the level immediately
    but the slopes little. */
function fit(leases: readonly FittedLease[]): Fit {
  const from = leases[leases.length - 1].day;
  const rows = leases.map((lease) => ({
    x: [1, Math.log(lease.relative ?? 1), (lease.day - from) / 365.25],
    y: errorOf({ ...ASSUMED, elasticity: 0 }, lease),
  }));
  rows.push({ x: [0, NOISE / OF_ELASTICITY, 0], y: (ASSUMED.elasticity * NOISE) / OF_ELASTICITY });
  rows.push({ x: [0, 0, NOISE / OF_TREND], y: 0 });
  const [level, elasticity, trend] = solve(
    [0, 1, 2].map((i) => [0, 1, 2].map((j) => rows.reduce((sum, { x }) => sum + x[i] * x[j], 0))),
    [0, 1, 2].map((i) => rows.reduce((sum, { x, y }) => sum + x[i] * y, 0)),
  );
  return { level, elasticity, trend, from };
}

/** Cramer's rule, for three unknowns. */
function solve(matrix: number[][], right: number[]): number[] {
  const determinant = ([a, b, c]: number[][]) =>
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  const whole = determinant(matrix);
  return right.map((_, k) => determinant(matrix.map((row, i) => row.with(k, right[i]))) / whole);
}
