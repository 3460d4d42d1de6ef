// Excludes training sales that are not at market price, judged by out-of-fold predictions.
import type { Sale } from '../avm/attributes.ts';
import { plausibleRanges, withPlausible } from '../avm/fill.ts';
import { findOddness, fitOddLimits, isBeforeConstruction, type OddSale } from '../avm/odd-sales.ts';
import { median } from '../../base/math/quantiles.ts';
import { predictOutOfFold } from './cross-fit.ts';
import type { RunFits } from './fit/fits.ts';
import type { TreeOptions } from './fit/trees.ts';
import type { Parameters } from './parameters.ts';
import { prepare } from './prepare.ts';

/** The second round judges all sales again, with trees fitted without those that the first round excluded. */
const ROUNDS = 2;
/** A smaller share of odd sales does not bias the predictions, so no further round is needed. */
const MANY = 0.001;

/** A resale within this time at this multiple of the price explains a price that is far too low. It does not exclude a
    sale on its own: most homes bought for rebuilding sell at a market price, and models must learn from them. */
const FLIP_DAYS = 365;
const FLIP_RATIO = 1.6;

/** A publisher's reviewed sales are excluded only beyond a factor of five, for which few trees on two folds suffice. */
const lightly = (screen: TreeOptions): TreeOptions => ({ ...screen, rounds: Math.ceil(screen.rounds / 2) });

/** `sales` are those known by the day of the training, ordered by day. */
export async function findOddSales(sales: Sale[], parameters: Parameters, run: RunFits): Promise<OddSale[]> {
  const { screen } = parameters;
  if (screen === null || sales.every(({ vouchedBy }) => vouchedBy === 'operator')) return [];
  const isReviewed = sales.every(({ vouchedBy }) => vouchedBy !== undefined);
  const byRule = findByRule(sales);
  const flipped = findFlipped(sales);
  const plausible = plausibleRanges(sales);
  const judged = sales.map((sale) => withPlausible(sale, plausible));
  const { tools, target } = prepare(judged, parameters, run);
  const types = sales.map(({ attributes }) => attributes.propertyType ?? '');
  let odd: OddSale[] = [...byRule.values()];
  for (let round = 1; round <= ROUNDS; round++) {
    const leftOut = new Set(odd.map(({ id }) => id));
    const expected = await predictOutOfFold(tools, {
      rows: Array.from(sales.keys()),
      isLeftOut: (i) => leftOut.has(sales[i].id),
      options: isReviewed ? lightly(screen) : screen,
      folds: isReviewed ? 2 : parameters.folds,
    });
    const error = target.map((value, i) => value - expected[i]);
    const limits = fitOddLimits({ types, expected, error });
    odd = sales.flatMap(({ id, vouchedBy }, i): OddSale[] => {
      const facts = { type: types[i], expected: expected[i], error: error[i], isFlipped: flipped.has(id), vouchedBy };
      const reason = byRule.get(id)?.reason ?? findOddness(limits, facts);
      return reason ? [{ id, reason, ratio: Math.exp(error[i]) }] : [];
    });
    if (odd.length < MANY * sales.length) break;
  }
  return odd;
}

/** A price below this share of the median of its type and city is nominal, whatever the home. */
const NOMINAL_SHARE = 0.1;
/** With fewer sales of a type in a city, the median of the type in the whole market applies. */
const MIN_NOMINAL = 100;

/** Sales excluded by rule, without a prediction. The trees that judge the others are not fitted on them. */
function findByRule(sales: Sale[]): Map<string, OddSale> {
  const medianBy = (keyOf: (sale: Sale) => string): Map<string, number> => {
    const groups = [...Map.groupBy(sales, keyOf)].filter(([, own]) => own.length >= MIN_NOMINAL);
    return new Map(groups.map(([key, own]) => [key, median(own.map(({ priceUsd }) => priceUsd))]));
  };
  const typeOf = ({ attributes }: Sale): string => attributes.propertyType ?? '';
  const placeOf = (sale: Sale): string => `${typeOf(sale)}|${sale.attributes.city ?? ''}`;
  const [byPlace, byType] = [medianBy(placeOf), medianBy(typeOf)];
  const found = new Map<string, OddSale>();
  for (const sale of sales) {
    const usual = byPlace.get(placeOf(sale)) ?? byType.get(typeOf(sale)) ?? 0;
    const isNominal = sale.vouchedBy === undefined && sale.priceUsd < NOMINAL_SHARE * usual;
    const reason = isNominal ? 'nominal' : isBeforeConstruction(sale) ? 'before_construction' : undefined;
    if (reason) found.set(sale.id, { id: sale.id, reason, ratio: sale.priceUsd / usual });
  }
  return found;
}

/** Sales of homes that resold soon after for much more. */
export function findFlipped(sales: Sale[]): Set<string> {
  const last = new Map<string, Sale>();
  const flipped = new Set<string>();
  for (const sale of sales) {
    const before = last.get(sale.propertyId);
    last.set(sale.propertyId, sale);
    if (!before || sale.soldDay - before.soldDay > FLIP_DAYS) continue;
    if (before.priceUsd * FLIP_RATIO <= sale.priceUsd) flipped.add(before.id);
  }
  return flipped;
}
