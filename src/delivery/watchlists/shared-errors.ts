// Estimates the correlated parts of a model's errors from past errors: the part shared by a market on the same day (its
// level), the part shared by a neighborhood, and the distribution of the residual. Pure.
import { median, quantile } from '../../base/math/quantiles.ts';

/** Half of an 80% interval, in standard deviations of a normal distribution. */
export const EIGHTY = 1.2815515655;

/** Log error of a valuation as of the day of a sale, by a model trained before it. */
export interface PastError {
  /** Homes valued within the same period share the level's error. */
  day: number;
  place: string | null;
  error: number;
  /** The error expected by the model, in any unit. */
  sigma: number;
}

export interface SharedErrors {
  /** Standard deviations of the log error that a whole market shares, and that a neighborhood adds. */
  market: number;
  neighborhood: number;
  /** Degrees of freedom of the market's share; fewer mean more uncertainty. */
  freedom: number;
  /** Quantiles, in equal steps, of the error that is each home's own. Scaled so that 0 is the median and the 80% range
      matches a normal distribution's. */
  own: Float64Array;
}

const STRETCH_DAYS = 30;
/** Prior weight, in months of data; the prior is the median market of docs/lab/portfolios.md. */
const USUAL_MARKET = 0.014;
const USUAL_MONTHS = 3;
/** Level errors of neighboring months are correlated by 0.3 (Seattle and Milwaukee; there also over two months), which
    reduces a month's information to 1 ÷ (1 + 2 × the sum of squared correlations). */
const NEWS_OF_MONTH = 0.7;
/** A floor, even after many accurate months. */
const LEAST_MARKET = 0.005;
const USUAL_NEIGHBORHOOD = 0.011;
const MOST = 0.15;
/** Errors are clipped at this many spreads, so one outlier does not look like a shared error. */
const CUT = 3;
const TAIL = 0.005;
const LEAST_GROUP = 2;
/** Minimum number of errors to estimate their distribution. */
const LEAST_ERRORS = 150;

/** Means of the 5% bins of the errors of Seattle and Milwaukee. */
const USUAL_OWN = Float64Array.from(
  '-2.49 -1.49 -1.13 -0.9 -0.71 -0.56 -0.42 -0.29 -0.17 -0.06 0.07 0.19 0.32 0.46 0.6 0.76 0.94 1.15 1.46 2.45'.split(
    ' ',
  ),
  Number,
);

/** For a market without history. */
export const USUAL: SharedErrors = {
  market: USUAL_MARKET,
  neighborhood: USUAL_NEIGHBORHOOD,
  freedom: USUAL_MONTHS,
  own: USUAL_OWN,
};

export function estimateSharedErrors(past: readonly PastError[]): SharedErrors {
  if (past.length < LEAST_ERRORS) return USUAL;
  const cut = cutErrors(past);
  const months = [...Map.groupBy(cut, ({ day }) => Math.floor(day / STRETCH_DAYS)).values()].filter(
    (group) => group.length >= LEAST_GROUP,
  );
  const { market, freedom } = estimateMarketError(months, mean(cut.map(({ error }) => error ** 2)));
  // A neighborhood's error outlasts a month, so the market's monthly error is subtracted first.
  const level = new Map(months.flatMap((group) => group.map((one) => [one, meanError(group)] as const)));
  const net = cut.map((one) => ({ ...one, error: one.error - (level.get(one) ?? 0) }));
  const places = [...Map.groupBy(net, ({ place }) => place)].filter(
    ([place, group]) => place !== null && group.length >= LEAST_GROUP,
  );
  // Places are weighted by their pairs of homes.
  const pairs = places.reduce((sum, [, group]) => sum + group.length - 1, 0);
  const products = places.reduce((sum, [, group]) => sum + (group.length - 1) * meanProduct(group), 0);
  return {
    market: Math.min(MOST, market),
    neighborhood: Math.min(MOST, Math.sqrt(Math.max(0, products) / Math.max(1, pairs))),
    freedom,
    own: shapeOf(past.map(({ error, sigma }, i) => (error - (level.get(cut[i]) ?? 0)) / sigma)),
  };
}

/**
 * The market-wide error of a month, shrunk toward the usual one with a prior weight in months, because a few months may
 * look accurate by chance. Months with few sales get less weight, and successive months are correlated.
 */
function estimateMarketError(months: PastError[][], variance: number): { market: number; freedom: number } {
  let [freedom, sum] = [USUAL_MONTHS, USUAL_MONTHS * USUAL_MARKET ** 2];
  for (const group of months) {
    const weight = NEWS_OF_MONTH * (USUAL_MARKET ** 2 / (USUAL_MARKET ** 2 + variance / group.length)) ** 2;
    freedom += weight;
    sum += weight * meanProduct(group);
  }
  return { market: Math.sqrt(Math.max(LEAST_MARKET ** 2, sum / freedom)), freedom: Math.round(freedom) };
}

/** The mean product of the errors of pairs of different homes in a group, which estimates their covariance. */
function meanProduct(group: PastError[]): number {
  const n = group.length;
  const total = group.reduce((all, { error }) => all + error, 0);
  const squares = group.reduce((all, { error }) => all + error * error, 0);
  return (total * total - squares) / (n * (n - 1));
}

/** Clipped, and shifted so that their mean equals their median: skewness is not a level error. */
function cutErrors(past: readonly PastError[]): PastError[] {
  // For a normal distribution, half of the errors lie within 0.6745 standard deviations.
  const limit = (CUT * median(past.map(({ error }) => Math.abs(error)))) / 0.6745;
  const cut = past.map((one) => ({ ...one, error: Math.max(-limit, Math.min(limit, one.error)) }));
  const lean = meanError(cut) - median(cut.map(({ error }) => error));
  return cut.map((one) => ({ ...one, error: one.error - lean }));
}

/** Each side is scaled by its own half-width: an interval has the width of each side but not the tail beyond. The
    extreme tail is truncated, because its multiples would be absurd for a home that is harder to value. */
function shapeOf(errors: number[]): Float64Array {
  const middle = median(errors);
  const sorted = Float64Array.from(errors, (error) => error - middle).sort();
  const [least, below, above, most] = [TAIL, 0.1, 0.9, 1 - TAIL].map((share) => quantile(sorted, share));
  return sorted.map((error) => {
    const kept = Math.max(least, Math.min(most, error));
    return (EIGHTY * kept) / Math.max(1e-9, kept < 0 ? -below : above);
  });
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const meanError = (group: PastError[]) => mean(group.map(({ error }) => error));

/** The area whose error a home shares: the publisher's neighborhood, or else the ZIP code. */
export const placeOf = ({ neighborhood, zip }: { neighborhood: string | null; zip: string | null }): string | null =>
  neighborhood ?? zip;
