// A market's sales as seen by one model: placed on the map, net of price growth, with their residuals.
import { setImmediate } from 'node:timers/promises';
import { countParts, writeParts, type GridModel } from './adjustments.ts';
import type { Evidence } from './comparable-features.ts';
import { categoryReaders, columnNames, positionOf, writeRow, type CategoryFeature } from './features.ts';
import { keepPlausible } from './fill.ts';
import { indexAt, levelOn, type KnownResiduals } from './price-growth.ts';
import { predictAllRows, type Model } from './model.ts';
import { buildGrid } from './neighbors.ts';
import { writeTraits, type PeerData } from './peers.ts';
import { findOddness, type OddSale } from './odd-sales.ts';
import { salesSince, type Sales } from './sales.ts';
import { similarityDimensions, writeSimilarity } from './similarity.ts';

export type Book = {
  sales: Sales;
  evidence: Evidence;
  /** Base rows, one after the other. */
  rows: Float32Array;
  columns: number;
  /** What the adjustment grid reads of each sale; only where grids are made all the time. */
  parts?: Float64Array;
  /** What the network of learned comparables reads of the sales, and the numbers of the places it knows. */
  peers?: PeerData & { placeNumbers: Map<string, number>[] };
  /** The property type of each sale, as a number. */
  type: Uint8Array;
  typeNumbers: Map<string | null, number>;
  propertyNumbers: Map<string, number>;
  residuals: KnownResiduals;
  /** Sales that are no evidence, with what makes them odd. */
  odd: Map<string, OddSale>;
  /** Price level above the model's index on a day, from what was known before that day. */
  level(day: number): number;
};

type ModelView = Pick<
  Model,
  | 'features'
  | 'encodings'
  | 'index'
  | 'level'
  | 'base'
  | 'lossShares'
  | 'unseen'
  | 'trainedOn'
  | 'odd'
  | 'oddLimits'
  | 'attention'
  | 'plausible'
>;

/** Sales handled per slice: a few milliseconds of work. */
const SLICE = 1_000;

export function openBook(model: ModelView, all: Sales): Book {
  const steps = openInSteps(model, all);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in a process that serves requests meanwhile: half a million sales take many seconds. */
export async function openBookInSlices(model: ModelView & GridModel, all: Sales): Promise<Book> {
  const steps = openInSteps(model, all, model);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

/** Leaves out sales older than the model's training data, since its index does not reach back to them. */
function* openInSteps(model: ModelView, all: Sales, grid?: GridModel): Generator<undefined, Book> {
  const sales = salesSince(all, model.index.firstDay);
  const { rows, columns, logPrice, base, propertyNumbers, parts, type, typeNumbers, ...seen } = yield* readSales(
    model,
    sales,
    grid,
  );
  const others = Array.from(base.keys()).filter((i) => Number.isNaN(base[i]));
  yield* predictBase(model, rows, columns, others, base);

  const { soldDay, knownDay } = seen;
  const untrended = logPrice.map((log, i) => log - indexAt(model.index, soldDay[i]));
  const residuals = orderByKnown(soldDay, knownDay, (i) => untrended[i] - base[i]);
  const levels = new Map<number, number>();
  const level = (day: number): number => {
    let value = levels.get(day);
    if (value === undefined) levels.set(day, (value = levelOn(residuals, day, model.level)));
    return value;
  };
  const detrended = untrended.slice();
  for (const [k, i] of others.entries()) {
    detrended[i] -= level(soldDay[i]);
    if (k % SLICE === 0) yield;
  }
  const residual = detrended.map((value, i) => value - base[i]);
  const odd = findOdd(model, sales, others, { base, residual });
  const isOdd = (i: number): boolean => odd.size > 0 && odd.has(sales.at(i).id);
  const evidence: Evidence = {
    // Without a position, a sale is nobody's neighbor.
    ...buildGrid({ ...seen, x: odd.size === 0 ? seen.x : seen.x.map((x, i) => (isOdd(i) ? NaN : x)) }),
    ...linkSales(seen.property, propertyNumbers.size, isOdd),
    detrended,
    residual,
  };
  const peers = readPeers(model, sales, evidence, rows);
  const more = { ...(parts && { parts }), ...(peers && { peers }) };
  return { sales, evidence, rows, columns, ...more, type, typeNumbers, propertyNumbers, residuals, odd, level };
}

/** Those set aside in training, and of the sales since then those that its limits tell. */
function findOdd(
  { odd = [], oddLimits }: ModelView,
  sales: Sales,
  others: number[],
  { base, residual }: { base: Float64Array; residual: Float64Array },
): Map<string, OddSale> {
  const found = new Map(odd.map((sale) => [sale.id, sale]));
  if (!oddLimits) return found;
  for (const i of others) {
    const { id, attributes, isVouched } = sales.at(i);
    if (found.has(id) || isVouched) continue;
    const type = attributes.propertyType ?? '';
    const reason = findOddness(oddLimits, { type, expected: base[i], error: residual[i] });
    if (reason) found.set(id, { id, reason, ratio: Math.exp(residual[i]) });
  }
  return found;
}

/** What the model reads of each sale. `base` comes from trees that had not seen the sale; NaN where there is none. */
function* readSales({ features, encodings, unseen, plausible }: ModelView, sales: Sales, grid?: GridModel) {
  const { length } = sales;
  const columns = columnNames(features).length;
  const rows = new Float32Array(length * columns);
  const used = similarityDimensions(features);
  const similarity = new Float32Array(length * used.length);
  const hasSqft = features.numbers.includes('sqft');
  const [x, y, logSqft, logPrice, base] = [0, 0, 0, 0, 0].map(() => new Float64Array(length));
  const [soldDay, knownDay, property] = [0, 0, 0].map(() => new Int32Array(length));
  const unseenBase = new Map(unseen.saleIds.map((id, k) => [id, unseen.base[k]]));
  const propertyNumbers = new Map<string, number>();
  const width = grid ? countParts(grid) : 0;
  const parts = grid && new Float64Array(length * width);
  const type = new Uint8Array(length);
  const typeNumbers = new Map<string | null, number>();
  for (let i = 0; i < length; i++) {
    const sale = sales.at(i);
    const { attributes } = keepPlausible(sale.attributes, plausible);
    writeRow(features, encodings, attributes, sale.soldDay, rows, i * columns);
    writeSimilarity(features, used, attributes, similarity, i * used.length);
    ({ x: x[i], y: y[i] } = positionOf(features, attributes));
    logSqft[i] = hasSqft ? Math.log(attributes.sqft ?? NaN) : 0;
    logPrice[i] = Math.log(sale.priceUsd);
    base[i] = unseenBase.get(sale.id) ?? NaN;
    soldDay[i] = sale.soldDay;
    knownDay[i] = sale.knownDay;
    property[i] = propertyNumbers.get(sale.propertyId) ?? propertyNumbers.size;
    if (property[i] === propertyNumbers.size) propertyNumbers.set(sale.propertyId, property[i]);
    type[i] = typeNumbers.get(attributes.propertyType) ?? typeNumbers.size;
    if (type[i] === typeNumbers.size) typeNumbers.set(attributes.propertyType, type[i]);
    if (grid) writeParts(grid, { attributes, row: rows.subarray(i * columns, (i + 1) * columns) }, parts!, i * width);
    if (i % SLICE === 0) yield;
  }
  const looks = { rows, columns, similarity, dimensions: used.length, x, y, logSqft };
  return { ...looks, logPrice, base, soldDay, knownDay, property, propertyNumbers, parts, type, typeNumbers };
}

/** Base predictions for the sales that the trees did not learn from. */
function* predictBase(model: ModelView, rows: Float32Array, columns: number, others: number[], base: Float64Array) {
  for (let first = 0; first < others.length; first += SLICE) {
    const slice = others.slice(first, first + SLICE);
    const theirs = new Float32Array(slice.length * columns);
    slice.forEach((i, k) => theirs.set(rows.subarray(i * columns, (i + 1) * columns), k * columns));
    predictAllRows(model, model.base, theirs, columns).forEach((value, k) => (base[slice[k]] = value));
    yield;
  }
}

function orderByKnown(soldDay: Int32Array, knownDay: Int32Array, residualOf: (i: number) => number): KnownResiduals {
  // Day and number packed into one float: numbers sort ten times faster than pairs.
  const keys = Float64Array.from(knownDay, (day, i) => day * 2 ** 32 + i).sort();
  const order = keys.map((key) => key - 2 ** 32 * Math.floor(key / 2 ** 32));
  return {
    knownDay: Int32Array.from(order, (i) => knownDay[i]),
    soldDay: Int32Array.from(order, (i) => soldDay[i]),
    residual: Float64Array.from(order, residualOf),
  };
}

function readPeers({ attention }: ModelView, sales: Sales, evidence: Evidence, rows: Float32Array): Book['peers'] {
  if (!attention) return undefined;
  const { traits, places } = attention;
  const columns = rows.length / sales.length;
  const values = new Float32Array(sales.length * traits.length);
  for (let i = 0; i < sales.length; i++) writeTraits(traits, rows, i * columns, values, i * traits.length);
  const { numbers, of } = numberPlaces(places, sales);
  const { x: east, y: north, soldDay, residual, detrended } = evidence;
  return { east, north, soldDay, residual, detrended, traits: values, places: of, placeNumbers: numbers };
}

/** Numbers the places of each kind; −1 where a sale names none. */
export function numberPlaces(
  kinds: CategoryFeature[],
  sales: Sales,
): { numbers: Map<string, number>[]; of: Int32Array } {
  const numbers = kinds.map(() => new Map<string, number>());
  const of = new Int32Array(sales.length * kinds.length).fill(-1);
  for (let i = 0; i < sales.length; i++) {
    const { attributes } = sales.at(i);
    kinds.forEach((kind, k) => {
      const name = categoryReaders[kind](attributes);
      if (name === null) return;
      const number = numbers[k].get(name) ?? numbers[k].size;
      numbers[k].set(name, number);
      of[i * kinds.length + k] = number;
    });
  }
  return { numbers, of };
}

/** Links each property to its last sale, and each sale to the previous sale of the same property. */
function linkSales(
  property: Int32Array,
  properties: number,
  isOdd: (i: number) => boolean,
): Pick<Evidence, 'lastSale' | 'saleBefore'> {
  const lastSale = new Int32Array(properties).fill(-1);
  const saleBefore = property.map((number, i) => {
    const before = lastSale[number];
    if (!isOdd(i)) lastSale[number] = i;
    return before;
  });
  return { lastSale, saleBefore };
}
