// Excludes training sales whose prices are no market prices, judged by out-of-fold predictions.
import type { Sale } from '../avm/attributes.ts';
import { findOddness, fitOddLimits, type OddSale } from '../avm/odd-sales.ts';
import { predictOutOfFold } from './cross-fit.ts';
import type { RunFits } from './fit/fits.ts';
import type { Parameters } from './parameters.ts';
import { prepare } from './prepare.ts';

/** The second round judges all sales again by trees that were not fitted on those that the first round excluded. */
const ROUNDS = 2;
/** A smaller share of odd sales has not biased the predictions. */
const MANY = 0.001;

/** A resale within this time at this multiple of the price explains a price that is far too low. It is no reason on its
    own: most homes that are bought to be rebuilt sell at a market price, and models must learn from them. */
const FLIP_DAYS = 365;
const FLIP_RATIO = 1.6;

/** `sales` are those known by the day of the training, ordered by day. */
export async function findOddSales(sales: Sale[], parameters: Parameters, run: RunFits): Promise<OddSale[]> {
  const { screen } = parameters;
  if (screen === null || sales.every(({ isVouched }) => isVouched)) return [];
  const flipped = findFlipped(sales);
  const { tools, target } = prepare(sales, parameters, run);
  const types = sales.map(({ attributes }) => attributes.propertyType ?? '');
  let odd: OddSale[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const leftOut = new Set(odd.map(({ id }) => id));
    const expected = await predictOutOfFold(tools, {
      rows: Array.from(sales.keys()),
      isLeftOut: (i) => leftOut.has(sales[i].id),
      options: screen,
      folds: parameters.folds,
    });
    const error = target.map((value, i) => value - expected[i]);
    const limits = fitOddLimits({ types, expected, error });
    odd = sales.flatMap(({ id, isVouched }, i): OddSale[] => {
      const asked = { type: types[i], expected: expected[i], error: error[i], isFlipped: flipped.has(id) };
      const reason = isVouched ? undefined : findOddness(limits, asked);
      return reason ? [{ id, reason, ratio: Math.exp(error[i]) }] : [];
    });
    if (odd.length < MANY * sales.length) break;
  }
  return odd;
}

/** Sales of homes that were sold again soon after for much more. */
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
