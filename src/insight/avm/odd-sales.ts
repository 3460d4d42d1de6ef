// Sales whose price is no market price: so far from the model's expectation that more or less than the whole home must
// have been sold.
import { median, quantile } from '../../base/math/quantiles.ts';

const ODD_REASONS = ['far_below_value', 'far_above_value', 'flip'] as const;
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
/** Least limits, however certain the model: a wreck sells for half, a palace for 2.5 times the expectation. */
const LEAST_LOW = Math.log(2);
const LEAST_HIGH = Math.log(2.5);
const FIFTHS = [0.2, 0.4, 0.6, 0.8];
/** With fewer sales of a type, or of a type and fifth, the wider group's limits apply. */
const MIN_TYPE = 300;
const MIN_FIFTH = 100;
/** From the median of absolute deviations to a standard deviation. */
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
  const whole = limitsOf(error);
  const byType: Record<string, Limits[]> = {
    '': limitsOfRows(
      all,
      Array.from({ length: 5 }, () => whole),
    ),
  };
  for (const [type, rows] of Map.groupBy(all, (i) => types[i])) {
    if (rows.length >= MIN_TYPE)
      byType[type] = limitsOfRows(
        rows,
        Array.from({ length: 5 }, () => limitsOf(rows.map((i) => error[i]))),
      );
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

type Asked = { type: string; expected: number; error: number; isFlipped?: boolean };

export function findOddness(limits: OddLimits, { type, expected, error, isFlipped }: Asked): OddReason | undefined {
  const [low, high] = (limits.byType[type] ?? limits.byType[''])[fifthOf(limits.edges, expected)];
  if (error < low) return isFlipped ? 'flip' : 'far_below_value';
  return error > high ? 'far_above_value' : undefined;
}
