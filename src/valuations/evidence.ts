// The sales of a market seen through one model: placed on the map, net of the market's movement, with their residuals.
import { setImmediate } from 'node:timers/promises';
import type { Sale } from './attributes.ts';
import type { Evidence } from './comparable-features.ts';
import { columnNames, positionOf, writeRow } from './features.ts';
import { indexAt } from './index-curve.ts';
import { levelOn, type KnownResiduals } from './level.ts';
import { predictAllRows, type Model } from './model.ts';
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
};

type Eyes = Pick<Model, 'features' | 'encodings' | 'index' | 'level' | 'base' | 'lossShares' | 'unseen' | 'trainedOn'>;

/** So many sales are read at a time, some milliseconds of work. */
const SLICE = 1_000;

export function openBook(model: Eyes, all: Sale[]): Book {
  const steps = openInSteps(model, all);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in a process that answers requests meanwhile: half a million sales take many seconds. */
export async function openBookAside(model: Eyes, all: Sale[]): Promise<Book> {
  const steps = openInSteps(model, all);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

/** Sales older than what the model learned from are left out: they are net of no index. */
function* openInSteps(model: Eyes, all: Sale[]): Generator<undefined, Book> {
  const sales = all.filter((sale) => sale.soldDay >= model.index.firstDay);
  const { rows, columns, ...seen } = yield* readSales(model, sales);
  const unseen = new Map(model.unseen.saleIds.map((id, k) => [id, model.unseen.base[k]]));
  const base = Float64Array.from(sales, (sale) => unseen.get(sale.id) ?? NaN);
  const others = Array.from(sales.keys()).filter((i) => !unseen.has(sales[i].id));
  yield* predictBase(model, rows, columns, others, base);

  const untrended = Float64Array.from(sales, (sale) => Math.log(sale.priceUsd) - indexAt(model.index, sale.soldDay));
  const residuals = orderByKnown(sales, (i) => untrended[i] - base[i]);
  const levels = new Map<number, number>();
  const level = (day: number): number => {
    let value = levels.get(day);
    if (value === undefined) levels.set(day, (value = levelOn(residuals, day, model.level)));
    return value;
  };
  const detrended = untrended.slice();
  for (const [k, i] of others.entries()) {
    detrended[i] -= level(sales[i].soldDay);
    if (k % SLICE === 0) yield;
  }
  const { propertyNumbers, property, salesOf } = numberProperties(sales);
  const residual = detrended.map((value, i) => value - base[i]);
  const evidence: Evidence = { ...buildGrid({ ...seen, property }), detrended, residual, salesOf };
  return { sales, evidence, rows, columns, propertyNumbers, residuals, level };
}

/** What a sale looks like to the model, whatever its price. */
function* readSales({ features, encodings }: Eyes, sales: Sale[]) {
  const columns = columnNames(features).length;
  const rows = new Float32Array(sales.length * columns);
  const used = similarityDimensions(features);
  const similarity = new Float32Array(sales.length * used.length);
  const hasSqft = features.numbers.includes('sqft');
  const [x, y, logSqft] = [0, 0, 0].map(() => new Float64Array(sales.length));
  for (const [i, { attributes, soldDay }] of sales.entries()) {
    writeRow(features, encodings, attributes, soldDay, rows, i * columns);
    writeSimilarity(features, used, attributes, similarity, i * used.length);
    ({ x: x[i], y: y[i] } = positionOf(features, attributes));
    logSqft[i] = hasSqft ? Math.log(attributes.sqft ?? NaN) : 0;
    if (i % SLICE === 0) yield;
  }
  const soldDay = Int32Array.from(sales, (sale) => sale.soldDay);
  const knownDay = Int32Array.from(sales, (sale) => sale.knownDay);
  return { rows, columns, similarity, dimensions: used.length, x, y, logSqft, soldDay, knownDay };
}

/** What the base trees make of the sales that they did not learn from. */
function* predictBase(model: Eyes, rows: Float32Array, columns: number, others: number[], base: Float64Array) {
  for (let first = 0; first < others.length; first += SLICE) {
    const slice = others.slice(first, first + SLICE);
    const theirs = new Float32Array(slice.length * columns);
    slice.forEach((i, k) => theirs.set(rows.subarray(i * columns, (i + 1) * columns), k * columns));
    predictAllRows(model, model.base, theirs, columns).forEach((value, k) => (base[slice[k]] = value));
    yield;
  }
}

function orderByKnown(sales: Sale[], residualOf: (i: number) => number): KnownResiduals {
  // Day and number in one figure: numbers sort ten times faster than pairs.
  const keys = Float64Array.from(sales, ({ knownDay }, i) => knownDay * 2 ** 32 + i).sort();
  const order = keys.map((key) => key - 2 ** 32 * Math.floor(key / 2 ** 32));
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
