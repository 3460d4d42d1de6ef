// Sets aside the sales of a training period whose prices are no market prices, judged by the other sales alone.
import type { Sale } from '../avm/attributes.ts';
import { findOddness, fitOddLimits, type OddSale } from '../avm/odd-sales.ts';
import { predictUnseen } from './cross-fit.ts';
import type { RunFits } from './fit/fits.ts';
import type { Parameters } from './parameters.ts';
import { prepare } from './prepare.ts';

/** The second round judges all of them again by trees that did not learn from those the first round set aside. */
const ROUNDS = 2;
/** If fewer than this share are odd, they have not bent what the trees expect. */
const MANY = 0.001;

/** A resale this soon after, at this many times the price, says why a price was far too low. It does not tell on its own:
    most homes that are bought to be rebuilt are bought at a market price, and models need to learn from them. */
const FLIP_DAYS = 365;
const FLIP_RATIO = 1.6;

/** `sales` are those known by the day of the training, in order of their day; nothing later has a say. */
export async function findOddSales(sales: Sale[], parameters: Parameters, run: RunFits): Promise<OddSale[]> {
  const { screen } = parameters;
  if (screen === null || sales.every(({ isVouched }) => isVouched)) return [];
  const flipped = findFlipped(sales);
  const { tools, target } = prepare(sales, parameters, run);
  const types = sales.map(({ attributes }) => attributes.propertyType ?? '');
  let odd: OddSale[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const expected = await predictUnseen(tools, screen, new Set(odd.map(({ id }) => id)));
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
