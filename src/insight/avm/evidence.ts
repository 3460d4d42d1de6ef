// A market's sales as seen by one model: placed on the map, net of price growth, with their residuals.
import { setImmediate } from 'node:timers/promises';
import { countParts, writeParts, type GridModel } from './adjustments.ts';
import type { Attributes } from './attributes.ts';
import type { NumberOf } from './columns/texts.ts';
import type { Evidence } from './comparable-features.ts';
import { categoryReaders, columnNames, positionOf, writeRow, type CategoryFeature } from './features.ts';
import { keepPlausible } from './fill.ts';
import { readOlderSales } from './older-sales.ts';
import { indexAt, levelOn, orderByKnown, type KnownResiduals } from './price-growth.ts';
import type { Model } from './model.ts';
import { buildGrid } from './neighbors.ts';
import { writeTraits, type PeerData } from './peers.ts';
import { findOddness, isBeforeConstruction, type OddSale } from './odd-sales.ts';
import { salesSince, type Sales } from './sales.ts';
import { similarityDimensions, writeSimilarity } from './similarity.ts';
import { predictRows } from './trees.ts';
import { complete, type Steps } from '../../base/lib/steps.ts';
import { numberOf } from '../../base/math/numbering.ts';

export type Book = {
  sales: Sales;
  evidence: Evidence;
  /** Number of columns of a base row. */
  columns: number;
  /** Writes the grid parts of a sale; absent in books built for training. */
  readParts?(i: number, out: Float64Array): void;
  /** Inputs of the learned comparables by sale, and the numbers of the places that the network knows. */
  peers?: PeerData & { placeNumbers: NumberOf[] };
  /** The property type of each sale, as a number. */
  type: Uint8Array;
  typeNumbers: Map<string | null, number>;
  propertyNumbers: NumberOf;
  residuals: KnownResiduals;
  /** Sales excluded as evidence, with the reason. */
  odd: Map<string, OddSale>;
  /** Price level above the model's index on a day, from what was known before that day. */
  level(day: number): number;
};

type ModelView = Pick<
  Model,
  'features' | 'encodings' | 'index' | 'level' | 'base' | 'outOfFold' | 'odd' | 'oddLimits' | 'attention' | 'plausible'
>;

/** A book just made from the sales. */
export type MadeBook = Book & {
  rows: Float32Array;
  /** The source of `readParts`: `width` numbers per sale. */
  parts?: { values: Float64Array; width: number };
  placeNames: string[][];
};

/** Sales handled per slice: a few milliseconds of work. */
const SLICE = 1_000;

export const openBook = (model: ModelView, all: Sales): MadeBook => complete(openInSteps(model, all));

/** Yields to the requests of a serving process: half a million sales take many seconds. */
export async function openBookInSlices(model: ModelView & GridModel, all: Sales): Promise<MadeBook> {
  const steps = openInSteps(model, all, model);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

/** Sales from before the model's index begins count only as prior sales of their own homes. */
function* openInSteps(model: ModelView, all: Sales, grid?: GridModel): Steps<MadeBook> {
  const sales = salesSince(all, model.index.firstDay);
  const { rows, columns, logPrice, base, parts, type, typeNumbers, traits, places, ...seen } = yield* readSales(
    model,
    sales,
    grid,
  );
  const others = numbersWhere(sales.length, (i) => Number.isNaN(base[i]));
  yield* predictBase(model, { rows, columns }, others, base);

  const { soldDay, knownDay } = seen;
  const untrended = logPrice.map((log, i) => log - indexAt(model.index, soldDay[i]));
  yield;
  const residuals = orderByKnown(soldDay, knownDay, (i) => untrended[i] - base[i]);
  yield;
  const level = levelReader(residuals, model.level);
  const detrended = untrended.slice();
  for (const [k, i] of others.entries()) {
    detrended[i] -= level(soldDay[i]);
    if (k % SLICE === 0) yield;
  }
  const residual = detrended.map((value, i) => value - base[i]);
  const odd = findOdd(model, sales, others, { base, residual });
  yield;
  const isOdd = new Uint8Array(sales.length);
  for (let i = 0; odd.size > 0 && i < sales.length; i++) {
    if (odd.has(sales.idAt(i))) isOdd[i] = 1;
    if (i % (10 * SLICE) === 0) yield;
  }
  const properties = sales.properties();
  const older = yield* readOlderSales(model, all, { property: properties.of, base });
  yield;
  const evidence: Evidence = {
    // Without a position, a sale is nobody's neighbor.
    ...buildGrid({
      ...seen,
      property: properties.of,
      x: odd.size === 0 ? seen.x : seen.x.map((x, i) => (isOdd[i] === 1 ? NaN : x)),
    }),
    ...linkSales(properties.of, properties.count, isOdd),
    older,
    detrended,
    residual,
  };
  yield;
  const { x: east, y: north } = evidence;
  return {
    sales,
    evidence,
    rows,
    columns,
    ...(parts && {
      parts,
      readParts: (i: number, out: Float64Array) =>
        out.set(parts.values.subarray(i * parts.width, (i + 1) * parts.width)),
    }),
    ...(model.attention && {
      peers: { east, north, soldDay, residual, detrended, traits, places: places.of, placeNumbers: places.numbers },
    }),
    placeNames: places.numbers.map((numbers) => [...numbers.keys()]),
    type,
    typeNumbers,
    propertyNumbers: properties.numbers,
    residuals,
    odd,
    level,
  };
}

export function levelReader(residuals: KnownResiduals, options: Model['level']): Book['level'] {
  const levels = new Map<number, number>();
  return (day) => {
    let value = levels.get(day);
    if (value === undefined) levels.set(day, (value = levelOn(residuals, day, options)));
    return value;
  };
}

function numbersWhere(length: number, isWanted: (i: number) => boolean): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < length; i++) if (isWanted(i)) numbers.push(i);
  return numbers;
}

/** The sales excluded in training, and later sales beyond its limits. */
function findOdd(
  { odd, oddLimits }: ModelView,
  sales: Sales,
  others: number[],
  { base, residual }: { base: Float64Array; residual: Float64Array },
): Map<string, OddSale> {
  const found = new Map(odd.map((sale) => [sale.id, sale]));
  if (!oddLimits) return found;
  for (const i of others) {
    const sale = sales.at(i);
    const { id, attributes, vouchedBy } = sale;
    if (found.has(id)) continue;
    const candidate = { type: attributes.propertyType ?? '', expected: base[i], error: residual[i], vouchedBy };
    const reason = isBeforeConstruction(sale) ? 'before_construction' : findOddness(oddLimits, candidate);
    if (reason) found.set(id, { id, reason, ratio: Math.exp(residual[i]) });
  }
  return found;
}

/** Model inputs of each sale. `base` is its out-of-fold prediction from training; NaN for later sales. */
function* readSales(model: ModelView, sales: Sales, grid?: GridModel) {
  const { features, encodings, outOfFold, plausible, attention } = model;
  const { length } = sales;
  const columns = columnNames(features).length;
  const rows = new Float32Array(length * columns);
  const used = similarityDimensions(features);
  const similarity = new Float32Array(length * used.length);
  const hasSqft = features.numbers.includes('sqft');
  const [x, y, logSqft, logPrice, base] = [0, 0, 0, 0, 0].map(() => new Float64Array(length));
  const [soldDay, knownDay] = [0, 0].map(() => new Int32Array(length));
  const outOfFoldBase = new Map(outOfFold.saleIds.map((id, k) => [id, outOfFold.base[k]]));
  const width = grid ? countParts(grid) : 0;
  const parts = grid && { values: new Float64Array(length * width), width };
  const type = new Uint8Array(length);
  const typeNumbers = new Map<string | null, number>();
  const { traits: read, places: kinds } = attention ?? { traits: [], places: [] };
  const traits = new Float32Array(length * read.length);
  const places = openPlaceNumbers(kinds, length);
  for (let i = 0; i < length; i++) {
    const sale = sales.at(i);
    const { attributes } = keepPlausible(sale.attributes, plausible, sale.soldDay);
    writeRow(features, encodings, attributes, sale.soldDay, rows, i * columns);
    writeSimilarity(features, used, attributes, similarity, i * used.length);
    ({ x: x[i], y: y[i] } = positionOf(features, attributes));
    logSqft[i] = hasSqft ? Math.log(attributes.sqft ?? NaN) : 0;
    logPrice[i] = Math.log(sale.priceUsd);
    base[i] = outOfFoldBase.get(sale.id) ?? NaN;
    soldDay[i] = sale.soldDay;
    knownDay[i] = sale.knownDay;
    type[i] = numberOf(typeNumbers, attributes.propertyType);
    if (grid) writeParts(grid, attributes, parts!.values, i * width);
    writeTraits(read, rows, i * columns, traits, i * read.length);
    places.put(i, sale.attributes);
    if (i % SLICE === 0) yield;
  }
  const inputs = { rows, columns, similarity, dimensions: used.length, x, y, logSqft };
  return { ...inputs, logPrice, base, soldDay, knownDay, parts, type, typeNumbers, traits, places };
}

/** Base predictions for the sales after training. */
function* predictBase(
  { base: trees }: ModelView,
  { rows, columns }: { rows: Float32Array; columns: number },
  others: number[],
  base: Float64Array,
) {
  for (let first = 0; first < others.length; first += SLICE) {
    const slice = others.slice(first, first + SLICE);
    const theirs = new Float32Array(slice.length * columns);
    slice.forEach((i, k) => theirs.set(rows.subarray(i * columns, (i + 1) * columns), k * columns));
    predictRows(trees, theirs, columns).forEach((value, k) => (base[slice[k]] = value));
    yield;
  }
}

/** Numbers the places of each kind; −1 where a sale names none. */
function openPlaceNumbers(kinds: CategoryFeature[], length: number) {
  const numbers = kinds.map(() => new Map<string, number>());
  const of = new Int32Array(length * kinds.length).fill(-1);
  return {
    numbers,
    of,
    put(i: number, attributes: Attributes): void {
      kinds.forEach((kind, k) => {
        const name = categoryReaders[kind](attributes);
        if (name !== null) of[i * kinds.length + k] = numberOf(numbers[k], name);
      });
    },
  };
}

export function numberPlaces(kinds: CategoryFeature[], sales: Sales): Int32Array {
  const places = openPlaceNumbers(kinds, sales.length);
  for (let i = 0; i < sales.length; i++) places.put(i, sales.at(i).attributes);
  return places.of;
}

/** Links each property to its last sale, and each sale to the previous sale of the same property. */
function linkSales(property: Int32Array, properties: number, isOdd: Uint8Array) {
  const lastSale = new Int32Array(properties).fill(-1);
  const saleBefore = property.map((number, i) => {
    const before = lastSale[number];
    if (isOdd[i] === 0) lastSale[number] = i;
    return before;
  });
  return { lastSale, saleBefore };
}
