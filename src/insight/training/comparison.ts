// Compares a new model with the serving one: both value the same out-of-time sales, as of the days they sold.
import type { Sale } from '../avm/attributes.ts';
import type { Model } from '../avm/model.ts';
import { DAY_MS, isoDate } from '../../base/lib/clock.ts';
import { median } from '../../base/math/quantiles.ts';
import { backTest, type TestedSale } from './back-test.ts';
import { isValued } from './generations.ts';

/** Fewer sales since the serving model's training cannot distinguish two models. */
const MIN_COMPARED = 100;
/** Cap on log errors: a deed at a tenth of the value is no evidence about either model. */
const MAX_ERROR = 0.5;

/** `tested` has the new model's results, which are compared on the sales since the serving model's training. */
export function compareWithServing(serving: Model, sales: Sale[], tested: TestedSale[], lastDay: number) {
  const own = tested.filter((each) => isValued(each) && each.sale.soldDay > serving.trainedOn);
  if (own.length < MIN_COMPARED) return undefined;
  const theirs = new Map(
    backTest(serving, sales, serving.trainedOn, lastDay).tested.map((each) => [each.sale.id, each]),
  );
  const pairs = own.flatMap((each) => {
    const other = theirs.get(each.sale.id);
    return other && isValued(other) ? [[each, other] as const] : [];
  });
  const sizeOf = ({ value, sale }: TestedSale): number =>
    Math.min(MAX_ERROR, Math.abs(Math.log(value / sale.priceUsd)));
  const differences = pairs.map(([mine, other]) => sizeOf(mine) - sizeOf(other));
  const n = differences.length;
  const mean = differences.reduce((sum, each) => sum + each, 0) / n;
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (n - 1);
  const medianOf = (which: 0 | 1): number =>
    median(pairs.map((pair) => Math.abs(pair[which].value / pair[which].sale.priceUsd - 1)));
  return {
    since: isoDate(new Date((serving.trainedOn + 1) * DAY_MS)),
    n,
    own: medianOf(0),
    serving: medianOf(1),
    isWorse: mean > Math.sqrt(variance / n),
  };
}
