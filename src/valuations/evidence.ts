// The sales of a market seen through one model: placed on the map, net of the market's movement, with their residuals.
import type { Sale } from './attributes.ts';
import type { Evidence } from './comparable-features.ts';
import { columnNames, positionOf, writeRow } from './features.ts';
import { indexAt } from './index-curve.ts';
import { levelOn, type KnownResiduals } from './level.ts';
import { predictAll, type Model } from './model.ts';
import { buildGrid } from './neighbors.ts';
import { similarityDimensions, writeSimilarity } from './similarity.ts';

export type Book = {
  sales: Sale[];
  evidence: Evidence;
  /** Base rows, one after the other. */
  rows: Float32Array;
  columns: number;
  propertyNumbers: Map<string, number>;
  residuals: KnownResiduals;
  /** The market's level above the model's index on a day, from what was known before that day. */
  level(day: number): number;
  /** Last day on which a sale became known. */
  lastKnownDay: number;
};

type Eyes = Pick<Model, 'features' | 'encodings' | 'index' | 'level' | 'base' | 'lossShares' | 'unseen' | 'trainedOn'>;

/** Sales older than what the model learned from are left out: they are net of no index. */
export function openBook(model: Eyes, all: Sale[]): Book {
  const sales = all.filter((sale) => sale.soldDay >= model.index.firstDay);
  const columns = columnNames(model.features).length;
  const rows = new Float32Array(sales.length * columns);
  sales.forEach((sale, i) =>
    writeRow(model.features, model.encodings, sale.attributes, sale.soldDay, rows, i * columns),
  );
  const unseen = new Map(model.unseen.saleIds.map((id, k) => [id, model.unseen.base[k]]));
  const isTrained = (i: number): boolean => unseen.has(sales[i].id);
  const base = Float64Array.from(
    sales,
    (sale, i) => unseen.get(sale.id) ?? predictAll(model, model.base, rows, i * columns),
  );
  const untrended = Float64Array.from(sales, (sale) => Math.log(sale.priceUsd) - indexAt(model.index, sale.soldDay));

  const residuals = orderByKnown(sales, (i) => untrended[i] - base[i]);
  const levels = new Map<number, number>();
  const level = (day: number): number => {
    let value = levels.get(day);
    if (value === undefined) levels.set(day, (value = levelOn(residuals, day, model.level)));
    return value;
  };
  const detrended = untrended.map((value, i) => value - (isTrained(i) ? 0 : level(sales[i].soldDay)));
  const { propertyNumbers, property, salesOf } = numberProperties(sales);
  const points = sales.map((sale) => positionOf(model.features, sale.attributes));
  const hasSqft = model.features.numbers.includes('sqft');
  const used = similarityDimensions(model.features);
  const similarity = new Float32Array(sales.length * used.length);
  sales.forEach((sale, i) => writeSimilarity(model.features, used, sale.attributes, similarity, i * used.length));
  const evidence: Evidence = {
    ...buildGrid({
      x: Float64Array.from(points, (point) => point.x),
      y: Float64Array.from(points, (point) => point.y),
      soldDay: Int32Array.from(sales, (sale) => sale.soldDay),
      knownDay: Int32Array.from(sales, (sale) => sale.knownDay),
      property,
    }),
    logSqft: Float64Array.from(sales, (sale) => (hasSqft ? Math.log(sale.attributes.sqft ?? NaN) : 0)),
    detrended,
    residual: detrended.map((value, i) => value - base[i]),
    similarity,
    dimensions: used.length,
    salesOf,
  };
  const lastKnownDay =
    residuals.knownDay.length > 0 ? residuals.knownDay[residuals.knownDay.length - 1] : model.trainedOn;
  return { sales, evidence, rows, columns, propertyNumbers, residuals, level, lastKnownDay };
}

function orderByKnown(sales: Sale[], residualOf: (i: number) => number): KnownResiduals {
  const order = Int32Array.from({ length: sales.length }, (_, i) => i).sort(
    (a, b) => sales[a].knownDay - sales[b].knownDay || a - b,
  );
  return {
    knownDay: Int32Array.from(order, (i) => sales[i].knownDay),
    soldDay: Int32Array.from(order, (i) => sales[i].soldDay),
    residual: Float64Array.from(order, residualOf),
  };
}

export function numberProperties(sales: Sale[]) {
  const propertyNumbers = new Map<string, number>();
  const salesOf = new Map<number, number[]>();
  const property = Int32Array.from(sales, (sale, i) => {
    let number = propertyNumbers.get(sale.propertyId);
    if (number === undefined) propertyNumbers.set(sale.propertyId, (number = propertyNumbers.size));
    const list = salesOf.get(number);
    if (list) list.push(i);
    else salesOf.set(number, [i]);
    return number;
  });
  return { propertyNumbers, property, salesOf };
}
