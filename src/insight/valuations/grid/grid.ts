// The adjustment grid: comparable sales adjusted to the subject step by step, in whole dollars that add up.
import { lineNames, partsOf, stepsBetween } from '../../avm/adjustments.ts';
import { logLevelOf, type Reading } from '../../avm/appraise.ts';
import type { Attributes } from '../../avm/attributes.ts';
import type { Model } from '../../avm/model.ts';
import type { Comparable } from './schema.ts';

type Adjustment = { feature: string; amount: number };

/** A chosen sale with all inputs of its grid line; stored in the receipt. */
export type ChosenSale = {
  saleId: string;
  propertyId: string;
  priceUsd: number;
  soldDay: number;
  km: number;
  /** 0 … 1; 1 is an identical home next door sold today. */
  similarity: number;
  weight: number;
  /** Rules that the sale does not meet. */
  exceeds: Comparable['exceeds'];
  /** Log price level on the day of the sale. */
  time: number;
  /** The parts of the home that the grid adjusts for, if already computed. */
  parts?: Float64Array;
  attributes: Attributes;
  address: string | null;
};

export type GridLine = { adjustments: Adjustment[]; adjustedPrice: number; weight: number };

export const KM_PER_MILE = 1.609344;
const WEIGHT_STEPS = 10_000;

/** `own` has the grid parts of the subject. */
type Grid = { own: Float64Array; lines: GridLine[] };

/** One line per sale: the change in price level since the sale, then one step per attribute that differs. */
export function buildAdjustments(
  model: Model,
  reading: Pick<Reading, 'attributes' | 'day' | 'marketDay' | 'level'>,
  sales: ChosenSale[],
): Grid {
  const names = lineNames(model);
  const own = partsOf(model, reading.attributes);
  const time = logLevelOf(model, reading);
  const lines = sales.map((sale) => {
    const steps = stepsBetween(model, { from: sale.parts ?? partsOf(model, sale.attributes), to: own, km: sale.km });
    const named = names.map((name, k): [string, number] => [name, steps[k]]);
    return { weight: sale.weight, ...adjust(sale.priceUsd, [['market_change', time - sale.time], ...named]) };
  });
  return { own, lines };
}

/** Goes from price to adjusted price one log step at a time; each amount is a difference of two whole dollars. */
export function adjust(priceUsd: number, steps: Array<[string, number]>) {
  let log = Math.log(priceUsd);
  let before = priceUsd;
  const adjustments = steps.map(([feature, step]) => {
    log += step;
    const after = Math.round(Math.exp(log));
    const amount = after - before;
    before = after;
    return { feature, amount };
  });
  return { adjustments: adjustments.filter(({ amount }) => amount !== 0), adjustedPrice: before };
}

/** Shares of the total in ten-thousandths; the rounding remainder goes to the largest. */
export function wholeWeights(raw: number[]): number[] {
  const total = raw.reduce((sum, value) => sum + value, 0);
  if (raw.length === 0) return [];
  const steps = raw.map((value) => Math.floor((value / total) * WEIGHT_STEPS));
  const left = WEIGHT_STEPS - steps.reduce((sum, value) => sum + value, 0);
  steps[raw.indexOf(Math.max(...raw))] += left;
  return steps.map((value) => value / WEIGHT_STEPS);
}

/**
 * Σ weight × adjusted price, in whole dollars. Weights are ten-thousandths, so the sum is exact before it is rounded.
 */
export function indicatedValue(lines: Pick<GridLine, 'weight' | 'adjustedPrice'>[]): number {
  const sum = lines.reduce((total, line) => total + Math.round(line.weight * WEIGHT_STEPS) * line.adjustedPrice, 0);
  return Math.round(sum / WEIGHT_STEPS);
}
