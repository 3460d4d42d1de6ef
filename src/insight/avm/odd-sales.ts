// Sales that are not a market price of the home on record: so far from the model's expectation that more or less than
// the whole home must have been sold, nominal transfers, or lots on which the home was built later.
import type { Sale, Voucher } from './attributes.ts';
import { yearOf } from './fill.ts';
import { median, quantile } from '../../base/math/quantiles.ts';

const ODD_REASONS = ['far_below_value', 'far_above_value', 'flip', 'nominal', 'before_construction'] as const;
type OddReason = (typeof ODD_REASONS)[number];

export type OddSale = {
  id: string;
  reason: OddReason;
  /** Price ÷ the model's expectation. */
  ratio: number;
};

type Limits = [low: number, high: number];

/** The log errors beyond which a sale is odd, by property type and fifth of the expected value. */
export type OddLimits = { edges: number[]; byType: Record<string, Limits[]> };

/** Limits in robust standard deviations. Low prices have many causes that leave no trace in the record (part interests,
    family, estates); a high price is more often a home whose record understates it, so its limit is wider. */
const LOW_SPREADS = 4;
const HIGH_SPREADS = 5;
/** Minimum limits, however certain the model: a wreck sells for half, a palace for 2.5 times the expectation. */
const LEAST_LOW = Math.log(2);
const LEAST_HIGH = Math.log(2.5);
const FIFTHS = [0.2, 0.4, 0.6, 0.8];
/** With fewer sales of a type, or of a type and fifth, the wider group's limits apply. */
const MIN_TYPE = 300;
const MIN_FIFTH = 100;
/** Converts a median absolute deviation to a standard deviation. */
const NORMAL = 1.4826;

type Judged = { types: readonly string[]; expected: Float64Array; error: Float64Array };

/** `error` is log price minus the out-of-fold prediction. */
export function fitOddLimits({ types, expected, error }: Judged): OddLimits {
  const sorted = expected.slice().sort();
  const edges = FIFTHS.map((share) => quantile(sorted, share));
  const all = Array.from(error.keys());
  const limitsOfRows = (rows: number[], wider: Limits[]): Limits[] =>
    [0, 1, 2, 3, 4].map((fifth) => {
      const own = rows.filter((i) => fifthOf(edges, expected[i]) === fifth);
      return own.length < MIN_FIFTH ? wider[fifth] : limitsOf(own.map((i) => error[i]));
    });
  const byType: Record<string, Limits[]> = {
    '': limitsOfRows(all, Array<Limits>(5).fill(limitsOf(error))),
  };
  for (const [type, rows] of Map.groupBy(all, (i) => types[i])) {
    const own = rows.map((i) => error[i]);
    if (rows.length >= MIN_TYPE) byType[type] = limitsOfRows(rows, Array<Limits>(5).fill(limitsOf(own)));
  }
  return { edges, byType };
}

function limitsOf(errors: ArrayLike<number>): Limits {
  const center = median(errors);
  const spread = NORMAL * median(Float64Array.from(errors, (error) => Math.abs(error - center)));
  return [center - Math.max(LOW_SPREADS * spread, LEAST_LOW), center + Math.max(HIGH_SPREADS * spread, LEAST_HIGH)];
}

function fifthOf(edges: number[], expected: number): number {
  const found = edges.findIndex((edge) => expected < edge);
  return found < 0 ? edges.length : found;
}

type Candidate = { type: string; expected: number; error: number; isFlipped?: boolean; vouchedBy?: Voucher };

/** A publisher's review does not excuse a price under a fifth, or over five times, of what other sales predict. */
const MAX_VOUCHED_ERROR = Math.log(5);

export function findOddness(
  limits: OddLimits,
  { type, expected, error, isFlipped, vouchedBy }: Candidate,
): OddReason | undefined {
  if (vouchedBy === 'operator' || (vouchedBy === 'publisher' && Math.abs(error) < MAX_VOUCHED_ERROR)) return undefined;
  const [low, high] = (limits.byType[type] ?? limits.byType[''])[fifthOf(limits.edges, expected)];
  if (error < low) return isFlipped ? 'flip' : 'far_below_value';
  return error > high ? 'far_above_value' : undefined;
}

/** Assessors date a home by its completion or by the next roll, so the year after the sale is still allowed. */
export const isBeforeConstruction = ({ attributes: { yearBuilt }, soldDay, vouchedBy }: Sale): boolean =>
  vouchedBy === undefined && yearBuilt !== null && yearBuilt > yearOf(soldDay) + 1;
