// The last sale of each home from before a model's training sales, in today's prices: a home's own past price is
// informative at any age.
import type { OlderSales } from './comparable-features.ts';
import { writeRow, columnNames } from './features.ts';
import { keepPlausible } from './fill.ts';
import type { Model } from './model.ts';
import { levelOn, orderByKnown } from './price-growth.ts';
import { salesBefore, type Sales } from './sales.ts';
import { predictRows } from './trees.ts';

/** Old sales are sparse, so their price level decays slowly. */
const LEVEL = { decayDays: 180, minSales: 30, maxSlope: 0.0008 };
/** A larger residual, in logs, is not a price of the home as it is today. */
const MOST_RESIDUAL = 0.9;
const SLICE = 1_000;

type View = Pick<Model, 'features' | 'encodings' | 'index' | 'base' | 'plausible'>;

/** Base predictions of the later sales: out-of-fold for training sales. */
type Later = { property: Int32Array; base: Float64Array };

/**
 * Converts an old price to today's level from the base prediction of the home and the median residual of sales at that
 * time. A home among the training sales uses its out-of-fold prediction.
 */
export function* readOlderSales(model: View, all: Sales, later: Later): Generator<undefined, OlderSales> {
  const { features, encodings, index, plausible } = model;
  const { of, count } = all.properties();
  const own = new Float64Array(count).fill(NaN);
  for (let i = later.base.length - 1; i >= 0; i--) own[later.property[i]] = later.base[i];
  const older: OlderSales = {
    soldDay: new Int32Array(count).fill(-1),
    knownDay: new Int32Array(count),
    detrended: new Float64Array(count),
    residual: new Float64Array(count),
  };
  const length = salesBefore(all, index.firstDay);
  const columns = columnNames(features).length;
  const [soldDay, knownDay] = [new Int32Array(length), new Int32Array(length)];
  const [base, logPrice] = [new Float64Array(length), new Float64Array(length)];
  for (let first = 0; first < length; first += SLICE) {
    const rows = new Float32Array(Math.min(SLICE, length - first) * columns);
    for (let i = first; i < Math.min(length, first + SLICE); i++) {
      const sale = all.at(i);
      const { attributes } = keepPlausible(sale.attributes, plausible, sale.soldDay);
      writeRow(features, encodings, attributes, index.firstDay, rows, (i - first) * columns);
      [soldDay[i], knownDay[i], logPrice[i]] = [sale.soldDay, sale.knownDay, Math.log(sale.priceUsd)];
    }
    predictRows(model.base, rows, columns).forEach((predicted, k) => {
      const learned = own[of[first + k]];
      base[first + k] = learned === learned ? learned : predicted;
    });
    yield;
  }
  const residuals = orderByKnown(soldDay, knownDay, (i) => logPrice[i] - base[i]);
  const levels = new Map<number, number>();
  for (let i = 0; i < length; i++) {
    const level = levels.get(soldDay[i]) ?? levelOn(residuals, soldDay[i], LEVEL);
    levels.set(soldDay[i], level);
    const residual = logPrice[i] - base[i] - level;
    // A level of 0 means too few sales to estimate it.
    if (level === 0 || Math.abs(residual) > MOST_RESIDUAL) continue;
    older.soldDay[of[i]] = soldDay[i];
    older.knownDay[of[i]] = knownDay[i];
    older.detrended[of[i]] = base[i] + residual;
    older.residual[of[i]] = residual;
    if (i % SLICE === 0) yield;
  }
  return older;
}
