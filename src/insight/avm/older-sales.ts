// The last sale of each home from before a model's training sales, in prices of today: what a home once sold for tells
// something about it at any age.
import type { OlderSales } from './comparable-features.ts';
import { writeRow, columnNames } from './features.ts';
import { keepPlausible } from './fill.ts';
import type { Model } from './model.ts';
import { levelOn, orderByKnown } from './price-growth.ts';
import { salesBefore, type Sales } from './sales.ts';
import { predictRows } from './trees.ts';

/** Old sales are few, so their level forgets slowly. */
const LEVEL = { decayDays: 180, minSales: 30, maxSlope: 0.0008 };
/** A price this far from its home, in logs, was none of the home as it is. */
const MOST_RESIDUAL = 0.9;
const SLICE = 1_000;

type View = Pick<Model, 'features' | 'encodings' | 'index' | 'base' | 'plausible'>;

/** Base predictions of the later sales: out of fold where the trees have learned from them. */
type Later = { property: Int32Array; base: Float64Array };

/**
 * What the base trees make of each home, and how far prices of the day lay above or below that, lead from an old price to
 * one of today. A home that the trees have learned from is judged by those that have not.
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
    // Until enough sales tell it, the level is unknown.
    if (level === 0 || Math.abs(residual) > MOST_RESIDUAL) continue;
    older.soldDay[of[i]] = soldDay[i];
    older.knownDay[of[i]] = knownDay[i];
    older.detrended[of[i]] = base[i] + residual;
    older.residual[of[i]] = residual;
    if (i % SLICE === 0) yield;
  }
  return older;
}
