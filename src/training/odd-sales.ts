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

/** A resale this soon after, at this many times the price: between the two the home was rebuilt, or the first price was
    not the market's. */
const FLIP_DAYS = 365;
const FLIP_RATIO = 1.6;

/** `sales` are those known by the day of the training, in order of their day; nothing later has a say. */
export async function findOddSales(sales: Sale[], parameters: Parameters, run: RunFits): Promise<OddSale[]> {
  const { screen } = parameters;
  if (screen === null || sales.every(({ isVouched }) => isVouched)) return [];
  const flips = findFlips(sales);
  const { tools, target } = prepare(sales, parameters, run);
  let odd = flips;
  for (let round = 1; round <= ROUNDS; round++) {
    const expected = await predictUnseen(tools, screen, new Set(odd.map(({ id }) => id)));
    const error = target.map((value, i) => value - expected[i]);
    const types = sales.map(({ attributes }) => attributes.propertyType ?? '');
    const limits = fitOddLimits({ types, expected, error });
    const far = sales.flatMap(({ id, isVouched }, i): OddSale[] => {
      const reason = isVouched ? undefined : findOddness(limits, types[i], expected[i], error[i]);
      return reason ? [{ id, reason, ratio: Math.exp(error[i]) }] : [];
    });
    const ids = new Set(far.map(({ id }) => id));
    odd = [...far, ...flips.filter(({ id }) => !ids.has(id))];
    if (far.length < MANY * sales.length) break;
  }
  return odd;
}

export function findFlips(sales: Sale[]): OddSale[] {
  const last = new Map<string, Sale>();
  return sales.flatMap((sale): OddSale[] => {
    const before = last.get(sale.propertyId);
    last.set(sale.propertyId, sale);
    if (!before || before.isVouched || sale.soldDay - before.soldDay > FLIP_DAYS) return [];
    const ratio = before.priceUsd / sale.priceUsd;
    return ratio * FLIP_RATIO <= 1 ? [{ id: before.id, reason: 'flip', ratio }] : [];
  });
}
