// Baselines for every model: median price per square foot by area, and a linear hedonic regression.
import { logLevelOn, type Model } from '../avm/model.ts';
import type { Attributes, Sale } from '../avm/attributes.ts';
import type { MadeBook } from '../avm/evidence.ts';
import { indexAt } from '../avm/price-growth.ts';
import { median } from '../../base/math/quantiles.ts';
import { toKilometers } from '../avm/features.ts';
import { factorize, solve } from './fit/gaussian.ts';

/** Median price per square foot of the area's training sales, times the living area. */
export function perSqftByArea(train: Sale[]): (sale: Sale) => number {
  const sized = train.filter(({ attributes }) => attributes.sqft !== null);
  const medianOf = (sales: Sale[]) => median(sales.map((sale) => sale.priceUsd / sale.attributes.sqft!));
  const byArea = Map.groupBy(sized, ({ attributes }) => areaOf(attributes));
  const medians = new Map([...byArea].map(([area, sales]) => [area, medianOf(sales)]));
  const overall = medianOf(sized);
  const typicalSqft = median(train.flatMap((sale) => (sale.attributes.sqft === null ? [] : [sale.attributes.sqft])));
  return (sale) => (medians.get(areaOf(sale.attributes)) ?? overall) * (sale.attributes.sqft ?? typicalSqft);
}

function areaOf(a: Attributes): string {
  const square = (): string => {
    const { x, y } = toKilometers({ latitude: 0, longitude: 0 }, a.latitude, a.longitude);
    return `${Math.floor(x / 2)},${Math.floor(y / 2)}`;
  };
  return a.zip ?? a.neighborhood ?? square();
}

/** Ridge regression of log price (net of index) on the base row, size and lot in logs, at the model's price level. */
export function linearHedonic(model: Model, book: MadeBook, trainIds: Set<string>): (sale: Sale, at: number) => number {
  const { columns, rows, sales } = book;
  const train = Array.from({ length: sales.length }, (_, i) => i).filter((i) => trainIds.has(sales.at(i).id));
  const means = new Float64Array(columns);
  const scales = new Float64Array(columns).fill(1);
  const read = (i: number, c: number): number => toLinear(model, c, rows[i * columns + c]);
  for (let c = 0; c < columns; c++) {
    const known = train.map((i) => read(i, c)).filter((value) => Number.isFinite(value));
    means[c] = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
    scales[c] =
      Math.sqrt(known.reduce((sum, value) => sum + (value - means[c]) ** 2, 0) / Math.max(1, known.length)) || 1;
  }
  const vector = (i: number): Float64Array => {
    const out = new Float64Array(columns + 1);
    out[0] = 1;
    for (let c = 0; c < columns; c++) {
      const value = (read(i, c) - means[c]) / scales[c];
      out[c + 1] = Number.isFinite(value) ? Math.max(-6, Math.min(6, value)) : 0;
    }
    return out;
  };
  const target = (i: number): number => Math.log(sales.at(i).priceUsd) - indexAt(model.index, sales.at(i).soldDay);
  const weights = solveRidge(train.map(vector), train.map(target), 1e-3 * train.length);
  return (sale, at) => {
    const x = vector(at);
    const log = x.reduce((sum, value, k) => sum + value * weights[k], 0);
    return Math.exp(log + logLevelOn(model, sale.soldDay, book.level(sale.soldDay)));
  };
}

const LOGGED = new Set(['sqft', 'lot_sqft', 'lot_per_sqft', 'sqft_per_unit', 'sqft_per_bedroom']);

const toLinear = (model: Model, column: number, value: number): number =>
  LOGGED.has(model.features.numbers[column]) ? Math.log(Math.max(1, value)) : value;

/** Normal equations with a ridge, solved by Cholesky decomposition. */
function solveRidge(x: Float64Array[], y: number[], ridge: number): Float64Array {
  const n = x[0].length;
  const a = new Float64Array(n * n);
  const b = new Float64Array(n);
  x.forEach((row, r) => {
    for (let i = 0; i < n; i++) {
      b[i] += row[i] * y[r];
      for (let j = 0; j <= i; j++) a[i * n + j] += row[i] * row[j];
    }
  });
  for (let i = 1; i < n; i++) a[i * n + i] += ridge;
  factorize(a, n);
  solve(a, b);
  return b;
}
