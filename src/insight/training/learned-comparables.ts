// Fits the network of learned comparables, with out-of-fold predictions for the training sales.
import { WINDOW_DAYS } from '../avm/appraise.ts';
import type { Attention, AttentionShape } from '../avm/attention.ts';
import { comparableColumns } from '../avm/comparable-features.ts';
import { numberPlaces, type Book } from '../avm/evidence.ts';
import { columnNames, countNumbers, type CategoryFeature } from '../avm/features.ts';
import { findNeighbors } from '../avm/neighbors.ts';
import { findPeers, NEAR_PEERS, PEERS, writeTraits, type Trait } from '../avm/peers.ts';
import { listSales } from '../avm/sales.ts';
import { quantile } from '../../base/math/quantiles.ts';
import { buildRows, type Tools } from './cross-fit.ts';
import { ENCODING_FOLDS, encodingFoldOf } from './encodings.ts';
import type { AttentionData, AttentionOptions } from './fit/attention.ts';
import { foldOf } from './fit/folds.ts';
import type { MaskedCopies } from './masked-copies.ts';
import traits from './traits.json' with { type: 'json' };

/** Columns whose difference between two homes the network reads; those in logs are scaled by 0.4. */
const TRAITS: string[] = traits;
const IN_LOGS = ['sqft', 'lot_sqft'];
const LOG_SCALE = 0.4;
const SAME_PLACES: CategoryFeature[] = ['subdivision', 'neighborhood', 'zip'];
/** The other 13 comparable columns summarize the same sales more coarsely; adding them raises the error. */
const PRIOR_SALE = ['prior_price', 'prior_age', 'prior_residual'];
/** Share of values beyond the outer knots, at either end. */
const OUTLIERS = 0.002;
/** Two networks, each fitted on half of the homes, predict the other half: enough to choose a weight and fit the spread. */
const HALVES = 2;
const HALVES_SALT = 3;

type Input = {
  /** Sales and masked copies to fit on. */
  rows: number[];
  copies: MaskedCopies;
  book: Book;
  comparables: Float32Array;
  /** Out-of-fold predictions of the base trees. */
  base: Float64Array;
  isTwoSided: boolean;
  options: AttentionOptions;
};

export async function fitLearnedComparables(
  tools: Tools,
  input: Input,
): Promise<{ outOfFold: Float64Array; network: Attention }> {
  const { train, run } = tools;
  const { rows, options } = input;
  const encodings = tools.encode(Array.from(train.keys()));
  const data = describe(tools, input, encodings);
  const shape = shapeOf(tools, input, data);
  fillViews(tools, input, { data, shape, encodings });
  const half = train.map(({ propertyId }) => foldOf(propertyId, HALVES, HALVES_SALT));
  const without = (left: number): Int32Array => Int32Array.from(rows.filter((i) => half[i] !== left));
  const within = (left: number): Int32Array => Int32Array.from(rows.filter((i) => half[i] === left));
  // The fit on all sales takes as long as both halves, so two threads finish together.
  const [whole, ...halves] = await run(
    [-1, 0, 1].map((left) => () => ({
      attention: { data, shape, options },
      learned: without(left),
      predicted: within(left),
      isKept: left < 0,
    })),
  );
  const outOfFold = new Float64Array(train.length);
  halves.forEach(({ predictions }, left) => within(left).forEach((i, at) => (outOfFold[i] = predictions[at])));
  return { outOfFold, network: whole.fitted as Attention };
}

type Encodings = ReturnType<Tools['encode']>;

/** Everything but the views, which depend on the shape. */
function describe(
  tools: Tools,
  { copies, book, comparables, base, isTwoSided }: Input,
  encodings: Encodings,
): AttentionData {
  const { train, target } = tools;
  const { evidence } = book;
  const all = train.map((_, i) => i);
  const extra = { values: comparables, columns: comparableColumns.length };
  const rows = buildRows(tools, { rows: all, encodings, seen: true, extra });
  const peers = new Int32Array(train.length * PEERS);
  const km = new Float32Array(train.length * PEERS);
  evidence.soldDay.forEach((day, i) => {
    const window = { from: day - WINDOW_DAYS, knownBefore: isTwoSided ? Infinity : day };
    const near = findNeighbors(evidence, evidence.x[i], evidence.y[i], evidence.property[i], window, NEAR_PEERS);
    const own = findPeers(evidence, near, { lastOwn: evidence.saleBefore[i], day });
    peers.set(own.sale, i * PEERS);
    km.set(own.km, i * PEERS);
  });
  copies.of.forEach((i, k) => {
    const at = (evidence.soldDay.length + k) * PEERS;
    peers.copyWithin(at, i * PEERS, (i + 1) * PEERS);
    km.copyWithin(at, i * PEERS, (i + 1) * PEERS);
  });
  const fold = Uint8Array.from(train, encodingFoldOf);
  return { rows, columns: rows.length / train.length, base, target, peers, km, views: [], fold };
}

function shapeOf({ features, target }: Tools, { rows, options }: Input, data: AttentionData): AttentionShape {
  const names = columnNames(features);
  const valuesOf = (column: number): Float32Array =>
    Float32Array.from(rows, (i) => data.rows[i * data.columns + column])
      .filter((value) => value === value)
      .sort();
  const prior = PRIOR_SALE.map((name) => names.length + comparableColumns.indexOf(name as 'prior_price'));
  const columns = [...names.keys(), ...prior];
  const mean = rows.reduce((sum, i) => sum + target[i], 0) / rows.length;
  const variance = rows.reduce((sum, i) => sum + (target[i] - mean) ** 2, 0) / rows.length;
  return {
    columns,
    knots: columns.map((column) => chooseKnots(valuesOf(column), options.knots)),
    traits: TRAITS.filter((name) => names.includes(name)).map((name) =>
      traitOf(name, names.indexOf(name), valuesOf(names.indexOf(name))),
    ),
    places: SAME_PLACES.filter((name) => features.categories.includes(name)),
    center: mean,
    scale: Math.sqrt(variance) || 1,
    clip: options.clip,
    first: options.first,
    second: options.second,
  };
}

/** Distinct quantiles of the sorted values. */
function chooseKnots(known: Float32Array, count: number): Float32Array {
  if (known.length === 0) return new Float32Array(1);
  const at = (k: number): number => Math.max(OUTLIERS, Math.min(1 - OUTLIERS, k / (count - 1))) * (known.length - 1);
  return Float32Array.from(new Set(Array.from({ length: count }, (_, k) => known[Math.round(at(k))])));
}

/** Scaled by the interquartile range, or by half the range where most homes have the same value. */
export function traitOf(name: string, column: number, known: Float32Array): Trait {
  const isLog = IN_LOGS.includes(name);
  if (isLog) return { column, isLog, median: Math.log(Math.max(1, quantile(known, 0.5))), scale: LOG_SCALE };
  const middle = quantile(known, 0.75) - quantile(known, 0.25);
  const range = known.length === 0 ? 0 : known[known.length - 1] - known[0];
  return { column, isLog, median: quantile(known, 0.5), scale: middle || range / 2 || 1 };
}

function fillViews(
  tools: Tools,
  { copies, book }: Input,
  { data, shape, encodings }: { data: AttentionData; shape: AttentionShape; encodings: Encodings },
): void {
  const { traits, places } = shape;
  const { train, features, numbers } = tools;
  const { evidence } = book;
  const own = countNumbers(features);
  // Copies follow the sales. They have no residuals, because no home is compared with them.
  const withCopies = (values: Float64Array | Int32Array): Float64Array =>
    Float64Array.from([...values, ...copies.of.map((i) => values[i])]);
  const sales = {
    east: withCopies(evidence.x),
    north: withCopies(evidence.y),
    soldDay: withCopies(evidence.soldDay),
    residual: evidence.residual,
    detrended: evidence.detrended,
    places: numberPlaces(places, listSales(train)),
  };
  const row = new Float32Array(own + encodings.length);
  for (let fold = 0; fold < ENCODING_FOLDS; fold++) {
    const values = new Float32Array(train.length * traits.length);
    train.forEach((sale, i) => {
      row.set(numbers.subarray(i * own, (i + 1) * own));
      encodings.forEach((each, k) => (row[own + k] = each.without(sale, fold)));
      writeTraits(traits, row, 0, values, i * traits.length);
    });
    data.views.push({ ...sales, traits: values });
  }
}
