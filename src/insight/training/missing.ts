// Measures how much errors grow when attributes are missing, by masking them in tested sales.
import type { Attributes } from '../avm/attributes.ts';
import type { Book } from '../avm/evidence.ts';
import { appraise, readHome } from '../avm/appraise.ts';
import { findMissing, keepPlausible } from '../avm/fill.ts';
import { bisect, dampNarrowing, spreadOf, type Calibration, type Difficulty } from '../avm/interval.ts';
import type { MissingPattern, Model } from '../avm/model.ts';
import { median } from '../../base/math/quantiles.ts';
import type { TestedSale } from './back-test.ts';

export function hide(a: Attributes, names: string[]): Attributes {
  const hidden: Attributes = { ...a, extras: { ...a.extras } };
  for (const name of names) {
    if (name.startsWith('extras.')) delete hidden.extras[name.slice(7)];
    else (hidden as Record<string, unknown>)[name] = null;
    // Without the year the effective year is unknown too; without the bath count, so are full and half baths.
    if (name === 'yearBuilt') hidden.effectiveYearBuilt = null;
    if (name === 'bathrooms') [hidden.bathsFull, hidden.bathsHalf] = [null, null];
  }
  return hidden;
}

/** A tested sale valued with some attributes masked: sigma before any factor, and the log error. */
type Hidden = Difficulty & { missing: string[]; error: number };

type Measured = {
  calibration: Calibration;
  /** Maximum number of tested sales to use. */
  sample: number;
  /** A sample of homes on record, sold or not, whose missing patterns are measured too. */
  homes?: Attributes[];
};

const MIN_TESTED = 40;
/** Measures only the most frequent patterns, down to this share of the homes. */
const MIN_SHARE = 0.002;
const MAX_PATTERNS = 16;

/**
 * Masks each expected attribute, growing sets of them, and the sets that homes on record most often lack, and fits the
 * factor on sigma that restores coverage and the reported error.
 */
export function measureMissing(
  model: Model,
  book: Book,
  tested: TestedSale[],
  { calibration, sample, homes = [] }: Measured,
): MissingPattern[] {
  const complete = tested.filter(({ missing }) => missing.length === 0);
  const step = Math.max(1, Math.floor(complete.length / sample));
  const chosen = complete.filter((_, i) => i % step === 0);
  const plain = { ...model, patterns: [] };
  const hideFromAll = (names: string[]): Hidden[] =>
    chosen.flatMap(({ sale }) => {
      const home = { attributes: hide(sale.attributes, names), propertyId: sale.propertyId };
      const reading = readHome(plain, book, home, sale.soldDay);
      if (reading.missing.length === 0) return [];
      const appraisal = appraise(plain, reading);
      const error = Math.log(sale.priceUsd) - appraisal.logValue;
      return [{ ...appraisal, missing: reading.missing, error, type: sale.attributes.propertyType }];
    });
  const singles = [...new Set(Object.values(model.expected).flat())].map((name) => ({
    name,
    hidden: hideFromAll([name]),
  }));
  const leastFirst = singles.toSorted((a, b) => medianSize(a.hidden) - medianSize(b.hidden)).map(({ name }) => name);
  const combined = [...nestedPatterns(leastFirst), ...commonPatterns(model, homes)];
  const hidden = [...singles.flatMap((each) => each.hidden), ...combined.flatMap(hideFromAll)];
  return [...Map.groupBy(hidden, ({ missing }) => missing.join()).values()]
    .filter(({ length }) => length >= MIN_TESTED)
    .map((members): MissingPattern => {
      const classes = [false, true].map((isSold) => members.filter((each) => each.isSold === isSold));
      return {
        names: members[0].missing,
        n: classes.map(({ length }) => length),
        // With too few sales of one class, both are measured combined.
        factors: classes.map((own) => {
          const factor = findFactor(calibration, own.length >= MIN_TESTED ? own : members);
          return Math.ceil(100 * factor) / 100;
        }),
      };
    });
}

const medianSize = (hidden: Hidden[]): number =>
  hidden.length === 0 ? 0 : median(hidden.map(({ error }) => Math.abs(error)));

const [LEAST_FACTOR, MOST_FACTOR] = [0.5, 20];
/** Upper 98% confidence bound of the true median error ÷ the median error of a sample of this size. */
const safetyOf = (sales: number): number => 1 + 2.5 / Math.sqrt(sales);

/**
 * The smallest factor with which 80% of the prices are inside their interval and the reported error is large enough. It
 * may be below 1: sigma is fitted on sales with many masked attributes, and only one may be missing here.
 */
function findFactor(calibration: Calibration, hidden: Hidden[]): number {
  const trueError = safetyOf(hidden.length) * median(hidden.map(({ error }) => Math.abs(Math.expm1(-error))));
  const isTooSmall = (factor: number): boolean => {
    const spreads = hidden.map((each) => spreadOf(calibration, { ...each, sigma: factor * each.sigma }, 0.8));
    const inside = hidden.filter(({ error }, i) => error >= spreads[i].low && error <= spreads[i].high).length;
    return inside < 0.8 * hidden.length || median(spreads.map(({ medianError }) => medianError)) < trueError;
  };
  return dampNarrowing(bisect(isTooSmall, LEAST_FACTOR, MOST_FACTOR));
}

/**
 * The 2, 3 … least important attributes, without and with the most important one, so that every pattern has a measured
 * superset that is not much larger.
 */
function nestedPatterns(leastFirst: string[]): string[][] {
  const firsts = leastFirst.slice(1).map((_, k) => leastFirst.slice(0, k + 2));
  return [...firsts, ...firsts.slice(0, -2).map((names) => [...names, leastFirst[leastFirst.length - 1]])];
}

/** Sets of attributes that homes on record lack, most frequent first. */
function commonPatterns(model: Model, homes: Attributes[]): string[][] {
  const missing = homes.map((home) => {
    const { attributes } = keepPlausible(home, model.plausible, model.trainedOn);
    return findMissing(attributes, model.expected);
  });
  return [...Map.groupBy(missing, (names) => names.join()).values()]
    .filter((same) => same[0].length > 1 && same.length >= MIN_SHARE * homes.length)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_PATTERNS)
    .map(([names]) => names);
}
