// Hedonic regression of log prices on attributes and places over all sales of a market; returns the residuals. Pure.
import type { Sale } from '../../avm/attributes.ts';
import { numberOf } from '../../../base/math/numbering.ts';
import { median } from '../../../base/math/quantiles.ts';
import type { Steps } from '../../../base/lib/steps.ts';

/** Names are for tests and debugging. */
interface Column {
  name: string;
  read(sale: Sale): number;
}

const MAD_TO_DEVIATION = 1.4826;
/** Residuals are clipped at this many standard deviations. */
const CLIP = 2.5;
const PASSES = 3;
/** Alternating projections that remove place and quarter means. */
const ROUNDS = 4;
const RIDGE = 1e-3;
/** Values and attributes with fewer sales are ignored. */
const LEAST_SHARE = 0.01;
const LEAST_SALES = 30;
/** Shrinks a place's effect toward 0 with this many pseudo-observations. */
const PLACE_SHRINK = 3;
const AGES = [0, 5, 15, 30, 50, 80, 110];
const DAYS_PER_YEAR = 365.25;

const log = (value: number | null): number => (value !== null && value > 0 ? Math.log(value) : NaN);
const number = (value: number | null): number => value ?? NaN;

const NUMBERS: Record<string, (sale: Sale) => number> = {
  sqft: ({ attributes }) => log(attributes.sqft),
  lot: ({ attributes }) => log(attributes.lotSqft),
  bedrooms: ({ attributes }) => number(attributes.bedrooms),
  bathrooms: ({ attributes: { bathrooms, bathsFull, bathsHalf } }) =>
    bathrooms ?? (bathsFull === null ? NaN : bathsFull + 0.5 * (bathsHalf ?? 0)),
  stories: ({ attributes }) => number(attributes.stories),
  units: ({ attributes }) => log(attributes.units),
  rooms: ({ attributes }) => number(attributes.rooms),
  garage: ({ attributes }) => number(attributes.garageSpaces),
};

function ageOf({ attributes: { yearBuilt, effectiveYearBuilt }, soldDay }: Sale): number {
  const built = effectiveYearBuilt ?? yearBuilt;
  return built === null ? NaN : Math.max(0, 1970 + soldDay / DAYS_PER_YEAR - built);
}

/** Log price of each sale, net of attribute and place effects. */
export function* adjustPrices(sales: readonly Sale[], quarter: Int32Array): Steps<Float64Array> {
  const price = Float64Array.from(sales, ({ priceUsd }) => Math.log(priceUsd));
  const place = numberPlaces(sales);
  const columns: Float64Array[] = [];
  const within: Float64Array[] = [];
  for (const { read } of yield* chooseColumns(sales)) {
    const column = standardize(Float64Array.from(sales, read));
    columns.push(column);
    within.push(withinGroups(column, place, quarter));
    yield;
  }
  const free = withinGroups(price, place, quarter);
  const weights = new Float64Array(columns.length);
  const solve = yield* prepareLeastSquares(within);
  for (let pass = 0; pass < PASSES; pass++) {
    const errors = subtract(free, within, weights);
    const limit = pass === 0 ? Infinity : CLIP * MAD_TO_DEVIATION * median(errors.map(Math.abs));
    const target = errors.map((error) => Math.max(-limit, Math.min(limit, error)));
    solve(target).forEach((step, k) => (weights[k] += step));
    yield;
  }
  const rest = subtract(price, columns, weights);
  const worth = placeEffects(rest, place, quarter);
  return rest.map((value, i) => value - worth[i]);
}

function* chooseColumns(sales: readonly Sale[]): Steps<Column[]> {
  const least = Math.max(LEAST_SALES, LEAST_SHARE * sales.length);
  const columns: Column[] = [];
  const extras = new Set(sales.flatMap(({ attributes }) => Object.keys(attributes.extras)));
  const numbers = {
    ...NUMBERS,
    ...Object.fromEntries(
      [...extras].map((name) => [`extras.${name}`, ({ attributes }: Sale) => attributes.extras[name] ?? NaN]),
    ),
  };
  for (const [name, read] of Object.entries(numbers)) {
    const known = Float64Array.from(sales, read)
      .filter((value) => !Number.isNaN(value))
      .sort();
    yield;
    if (known.length < least || known[0] === known[known.length - 1]) continue;
    const [low, middle, high] = [0.005, 0.5, 0.995].map((share) => known[Math.floor(share * (known.length - 1))]);
    const near = (sale: Sale) => Math.max(low, Math.min(high, orElse(read(sale), middle))) - middle;
    columns.push({ name, read: near }, { name: `${name} squared`, read: (sale) => near(sale) ** 2 });
    if (sales.length - known.length >= least) {
      columns.push({ name: `${name} unknown`, read: (sale) => Number(Number.isNaN(read(sale))) });
    }
  }
  for (const age of AGES) {
    columns.push({
      name: `older than ${age}`,
      read: (sale) => Math.max(0, Math.min(150, orElse(ageOf(sale), 50)) - age),
    });
  }
  columns.push({ name: 'age unknown', read: (sale) => Number(Number.isNaN(ageOf(sale))) });
  const kinds: [string, (sale: Sale) => string | null][] = [
    ['type', ({ attributes }) => attributes.propertyType],
    ['condition', ({ attributes }) => attributes.condition],
    ['quality', ({ attributes }) => attributes.quality],
    ['style', ({ attributes }) => attributes.style],
    ['exterior', ({ attributes }) => attributes.exterior],
  ];
  for (const [name, read] of kinds) {
    for (const [value, own] of Map.groupBy(sales, read)) {
      if (own.length < least || own.length === sales.length) continue;
      columns.push({ name: `${name} ${value}`, read: (sale) => Number(read(sale) === value) });
      if (name !== 'type') continue;
      columns.push({
        name: `sqft of ${value}`,
        read: (sale) => (read(sale) === value ? orElse(log(sale.attributes.sqft), 7.2) - 7.2 : 0),
      });
    }
  }
  return columns;
}

const orElse = (value: number, other: number): number => (Number.isNaN(value) ? other : value);

/** The smallest area on record for the home. */
function numberPlaces(sales: readonly Sale[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(sales, ({ attributes: a }) =>
    numberOf(numbers, a.censusTract ?? a.neighborhood ?? a.zip ?? a.city ?? ''),
  );
}

function standardize(column: Float64Array): Float64Array {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  const spread = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length) || 1;
  return column.map((value) => (value - mean) / spread);
}

/** Residual of a column after place and quarter means. */
function withinGroups(column: Float64Array, place: Int32Array, quarter: Int32Array): Float64Array {
  const rest = column.slice();
  for (let round = 0; round < ROUNDS; round++) {
    for (const group of [place, quarter]) {
      const means = meansOf(rest, group, 0);
      for (let i = 0; i < rest.length; i++) rest[i] -= means[group[i]];
    }
  }
  return rest;
}

/** Place effect of each sale, separated from quarter effects. */
function placeEffects(values: Float64Array, place: Int32Array, quarter: Int32Array): Float64Array {
  let worth: Float64Array = new Float64Array(values.length);
  for (let round = 0; round < ROUNDS; round++) {
    const placeless = values.map((value, i) => value - worth[i]);
    const times = meansOf(placeless, quarter, 0);
    const timeless = values.map((value, i) => value - times[quarter[i]]);
    const places = meansOf(timeless, place, PLACE_SHRINK);
    worth = Float64Array.from(place, (number) => places[number]);
  }
  return worth;
}

function meansOf(values: Float64Array, group: Int32Array, shrink: number): Float64Array {
  const size = group.reduce((most, each) => Math.max(most, each), -1) + 1;
  const [sums, counts] = [new Float64Array(size), new Float64Array(size).fill(shrink)];
  for (let i = 0; i < values.length; i++) {
    sums[group[i]] += values[i];
    counts[group[i]]++;
  }
  return sums.map((sum, k) => sum / (counts[k] || 1));
}

/** Ridge regression through the normal equations, by Cholesky decomposition. */
function* prepareLeastSquares(columns: Float64Array[]): Steps<(target: Float64Array) => Float64Array> {
  const size = columns.length;
  const a: Float64Array[] = [];
  for (const [j, x] of columns.entries()) {
    a.push(Float64Array.from(columns.slice(0, j + 1), (y) => dot(x, y)));
    yield;
  }
  for (let j = 0; j < size; j++) {
    a[j][j] += RIDGE * columns[j].length;
    for (let k = 0; k <= j; k++) {
      let sum = a[j][k];
      for (let m = 0; m < k; m++) sum -= a[j][m] * a[k][m];
      a[j][k] = j === k ? Math.sqrt(sum) : sum / a[k][k];
    }
  }
  return (target) => {
    const b = Float64Array.from(columns, (x) => dot(x, target));
    for (let j = 0; j < size; j++) {
      for (let k = 0; k < j; k++) b[j] -= a[j][k] * b[k];
      b[j] /= a[j][j];
    }
    for (let j = size - 1; j >= 0; j--) {
      for (let k = j + 1; k < size; k++) b[j] -= a[k][j] * b[k];
      b[j] /= a[j][j];
    }
    return b;
  };
}

function subtract(values: Float64Array, columns: Float64Array[], weights: Float64Array): Float64Array {
  const rest = values.slice();
  for (const [k, column] of columns.entries()) for (let i = 0; i < rest.length; i++) rest[i] -= weights[k] * column[i];
  return rest;
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
