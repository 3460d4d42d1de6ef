// The adjustment grid: comparable sales adjusted to the subject step by step, in whole dollars that add up.
import { logLevelOf, WINDOW_DAYS, type Reading } from '../avm/appraise.ts';
import type { Attributes } from '../avm/attributes.ts';

import type { Book } from '../avm/evidence.ts';
import { additiveParts, logLevelOn, type Model } from '../avm/model.ts';
import { findNeighbors } from '../avm/neighbors.ts';
import { likenesses } from '../avm/similarity.ts';

type Adjustment = { feature: string; amount: number };

/** A chosen sale with everything its line of the grid is computed from; stored in the receipt. */
export type ChosenSale = {
  saleId: string;
  propertyId: string;
  priceUsd: number;
  soldDay: number;
  km: number;
  /** 0 … 1: 1 is a twin next door sold today. */
  similarity: number;
  weight: number;
  /** Log price level on the day of the sale. */
  time: number;
  /** The base row, as the additive model reads it. */
  row: Float32Array;
  /** What the additive model makes of it, if already computed; otherwise derived from the row. */
  parts?: Float64Array;
  attributes: Attributes;
  address: string | null;
};

export type GridLine = { adjustments: Adjustment[]; adjustedPrice: number; weight: number };

export type GridOptions = { count: number; maxKm: number; maxAgeDays: number; exclude: string[] };

/** Comparables are chosen from this many of the nearest sales; `readHome` finds them along with the neighbors. */
export const CANDIDATES = 300;
const WEIGHT_STEPS = 10_000;

/** The most similar usable sales; weights are multiples of 1/10,000 that sum to exactly 1. */
export function chooseComparables(model: Model, book: Book, reading: Reading, options: GridOptions): ChosenSale[] {
  const { marketDay, subject } = reading;
  const window = { from: marketDay - options.maxAgeDays, knownBefore: marketDay };
  const isWithin = options.maxAgeDays >= WINDOW_DAYS;
  const near = isWithin
    ? reading.around
    : findNeighbors(book.evidence, subject.x, subject.y, subject.property, window, CANDIDATES);
  const likeness = isWithin ? reading.likeness : likenesses(book.evidence, near.sale, subject);
  const excluded = new Set(options.exclude);
  const similarity = likeness.map((like, k) => {
    if (near.km[k] > options.maxKm) return -1;
    if (excluded.size > 0 && excluded.has(book.sales.at(near.sale[k]).propertyId)) return -1;
    return similarityOf(like, near.km[k], marketDay - book.evidence.soldDay[near.sale[k]]);
  });
  const property = near.sale.map((i) => book.evidence.property[i]);
  const chosen: { i: number; km: number; similarity: number }[] = [];
  while (chosen.length < options.count) {
    const best = findBest(similarity, near.sale);
    if (best < 0) break;
    const i = near.sale[best];
    chosen.push({ i, km: near.km[best], similarity: similarity[best] });
    // A home that sold twice is shown once, by its more similar sale.
    for (let k = 0; k < similarity.length; k++) if (property[k] === property[best]) similarity[k] = -1;
  }
  const weights = wholeWeights(chosen.map((each) => each.similarity + 1e-6));
  return chosen.map(({ i, km, similarity: like }, k) => {
    const { id: saleId, propertyId, priceUsd, soldDay, attributes, address } = book.sales.at(i);
    const time = logLevelOn(model, soldDay, soldDay > model.trainedOn ? book.level(soldDay) : 0);
    const row = book.rows.subarray(i * book.columns, (i + 1) * book.columns);
    const parts = book.parts?.subarray(i * model.additive.length, (i + 1) * model.additive.length);
    const weight = weights[k];
    const home = { saleId, propertyId, priceUsd, soldDay, attributes, address };
    return { ...home, km, similarity: like, weight, time, row, ...(parts && { parts }) };
  });
}

/** Position of the most similar sale, the oldest of equals; −1 if none is left. */
function findBest(similarity: Float64Array, sale: Int32Array): number {
  let best = -1;
  for (let k = 0; k < similarity.length; k++) {
    if (similarity[k] < 0) continue;
    const isBetter = best < 0 || similarity[k] > similarity[best];
    if (isBetter || (similarity[k] === similarity[best] && sale[k] < sale[best])) best = k;
  }
  return best;
}

/** `own` is what the additive model makes of the home itself. */
type Grid = { own: Float64Array; lines: GridLine[] };

/** One line per sale: the change in price level since the sale, then one step per group of attributes. */
export function buildAdjustments(
  model: Model,
  reading: Pick<Reading, 'row' | 'day' | 'marketDay' | 'level'>,
  sales: ChosenSale[],
): Grid {
  const own = additiveParts(model.additive, reading.row);
  const theirs = sales.map(({ row, parts }) => parts ?? additiveParts(model.additive, row));
  const time = logLevelOf(model, reading);
  const lines = sales.map((sale, k) => {
    const steps = model.additive.map((part, p): [string, number] => [part.name, own[p] - theirs[k][p]]);
    return { weight: sale.weight, ...adjust(sale.priceUsd, [['market_change', time - sale.time], ...steps]) };
  });
  return { own, lines };
}

/** Goes from price to adjusted price one log step at a time; each amount is a difference of two whole dollars. */
export function adjust(
  priceUsd: number,
  steps: Array<[string, number]>,
): { adjustments: Adjustment[]; adjustedPrice: number } {
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

/** Likeness of the attributes, halved by every 1.4 km and every 1.4 years. */
function similarityOf(likeness: number, km: number, days: number): number {
  return Math.sqrt(likeness) * Math.exp(-km / 2 - days / 730);
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
