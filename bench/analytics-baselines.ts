// Price indexes to compare with: medians, plain and weighted repeat sales, FHFA's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { monthOfDay } from '../src/insight/analytics/price-index.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import { median } from '../src/base/math/quantiles.ts';

export type Pair = readonly [first: Sale, second: Sale];
/** Log growth between the two sales of a home; undefined outside the index. */
export type Carry = (pair: Pair) => number | undefined;

/** Sales of a home closer to each other are turned over rather than sold again. */
const LEAST_DAYS = 180;
const LEAST_CELL_SALES = 5;

const quarterOf = ({ soldDay }: Sale): number => Math.floor(monthOfDay(soldDay) / 3);

export function listPairs(sales: readonly Sale[]): Pair[] {
  const homes = Map.groupBy(sales, ({ propertyId }) => propertyId).values();
  return [...homes]
    .flatMap((own) => {
      const ordered = own.toSorted((a, b) => a.soldDay - b.soldDay);
      return ordered.slice(1).map((sale, i): Pair => [ordered[i], sale]);
    })
    .filter(([first, second]) => second.soldDay - first.soldDay >= LEAST_DAYS);
}

/** Medians by quarter, the last one for whatever comes later; those of the market where an area has too few sales. */
export function medianPrices(known: Sale[], areaOf: (sale: Sale) => string): Carry {
  const logMedian = (sales: Sale[]) => Math.log(median(sales.map(({ priceUsd }) => priceUsd)));
  const byQuarter = (nameOf: (sale: Sale) => string) =>
    new Map(
      [...Map.groupBy(known, (sale) => `${nameOf(sale)} ${quarterOf(sale)}`)].flatMap(([key, sales]) =>
        sales.length < LEAST_CELL_SALES ? [] : [[key, logMedian(sales)]],
      ),
    );
  const [own, everywhere] = [byQuarter(areaOf), byQuarter(() => '')];
  const last = Math.max(...known.map(quarterOf));
  return ([first, second]) => {
    for (const [medians, name] of [
      [own, areaOf(first)],
      [everywhere, ''],
    ] as const) {
      const [from, to] = [first, second].map((sale) => medians.get(`${name} ${Math.min(last, quarterOf(sale))}`));
      if (from !== undefined && to !== undefined) return to - from;
    }
    return undefined;
  };
}

/**
 * Bailey, Muth and Nourse: least squares of log growth on the quarters of the two sales. Weighted as by Case and
 * Shiller, the variance of a pair grows with the time between its sales.
 */
export function repeatSales(known: Sale[], isWeighted: boolean): Carry {
  const pairs = listPairs(known);
  const quarters = pairs.flatMap((pair) => pair.map(quarterOf));
  const start = Math.min(...quarters);
  const size = Math.max(...quarters) - start + 1;
  const growthOf = ([first, second]: Pair) => Math.log(second.priceUsd / first.priceUsd);
  const at = (sale: Sale) => Math.min(quarterOf(sale) - start, size - 1);
  const carry = (index: Float64Array, [first, second]: Pair) => index[at(second)] - index[at(first)];
  const fit = (weightOf: (pair: Pair) => number): Float64Array => {
    const a = Array.from({ length: size }, (_, i) =>
      Float64Array.from({ length: size }, (_, j) => (i === j ? 1e-6 : 0)),
    );
    const b = new Float64Array(size);
    for (const pair of pairs) {
      const [i, j] = pair.map((sale) => quarterOf(sale) - start);
      const weight = weightOf(pair);
      a[i][i] += weight;
      a[j][j] += weight;
      a[i][j] -= weight;
      a[j][i] -= weight;
      b[i] -= weight * growthOf(pair);
      b[j] += weight * growthOf(pair);
    }
    return solve(a, b);
  };
  let index = fit(() => 1);
  if (isWeighted) {
    const gaps = pairs.map(([first, second]) => (second.soldDay - first.soldDay) / 365.25);
    const squares = pairs.map((pair) => (growthOf(pair) - carry(index, pair)) ** 2);
    const [constant, perYear] = fitLine(gaps, squares);
    const least = 0.1 * (squares.reduce((sum, square) => sum + square, 0) / squares.length);
    index = fit(
      ([first, second]) => 1 / Math.max(least, constant + (perYear * (second.soldDay - first.soldDay)) / 365.25),
    );
  }
  return (pair) => {
    return at(pair[0]) < 0 ? undefined : carry(index, pair);
  };
}

function fitLine(x: number[], y: number[]): [constant: number, slope: number] {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  const slope = mean(x.map((value, i) => (value - mx) * (y[i] - my))) / mean(x.map((value) => (value - mx) ** 2));
  return [my - slope * mx, slope];
}

/** Gauss with pivots; small systems only. */
function solve(a: Float64Array[], b: Float64Array): Float64Array {
  const n = b.length;
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r][c]) > Math.abs(a[pivot][c])) pivot = r;
    [a[c], a[pivot], b[c], b[pivot]] = [a[pivot], a[c], b[pivot], b[c]];
    for (let r = c + 1; r < n; r++) {
      const factor = a[r][c] / a[c][c];
      if (factor === 0) continue;
      for (let k = c; k < n; k++) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  const x = new Float64Array(n);
  for (let r = n - 1; r >= 0; r--) {
    let rest = b[r];
    for (let k = r + 1; k < n; k++) rest -= a[r][k] * x[k];
    x[r] = rest / a[r][r];
  }
  return x;
}

/** Log index by quarter since the year 0, by name of the metropolitan area. */
export function readMetros(folder: string): Map<string, Map<number, number>> {
  const metros = new Map<string, Map<number, number>>();
  const text = gunzipSync(readFileSync(join(folder, 'us/fhfa_hpi_metro.csv.gz'))).toString('latin1');
  for (const [, quoted, plain, year, quarter, value] of text.matchAll(
    /^(?:"([^"]*)"|([^,]*)),\d+,(\d{4}),([1-4]),([^,\r\n]*)/gm,
  )) {
    if (!(Number(value) > 0)) continue;
    const name = quoted ?? plain;
    if (!metros.has(name)) metros.set(name, new Map());
    metros.get(name)!.set(Number(year) * 4 + Number(quarter) - 1, Math.log(Number(value)));
  }
  return metros;
}

export function metroIndex(folder: string, name: RegExp): Carry {
  const [, index] = [...readMetros(folder)].find(([metro]) => name.test(metro))!;
  return (pair) => {
    const [from, to] = pair.map((sale) => index.get(quarterOf(sale)));
    return from === undefined || to === undefined ? undefined : to - from;
  };
}

/** Parts homes at random, the same way in every run. */
export function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619) >>> 0;
  return hash >>> 8;
}
