// Fits the adjustment grid by backfitting: monotone curves, category effects and a smooth map, summed to log prices.
import {
  heightAt,
  namedReaders,
  placeReaders,
  risingReaders,
  type Adjustments,
  type Curve,
  type Names,
  type Surface,
} from '../../avm/adjustments.ts';
import type { Attributes, Sale } from '../../avm/attributes.ts';
import { positionOf, type FeatureSet } from '../../avm/features.ts';
import { median, quantile } from '../../../base/math/quantiles.ts';

const CYCLES = 12;
/** A share of 1 makes the indicated value no more accurate, and adjustments a third larger. */
const SHARE = 0.75;
const MOST_BY_LOCATION = 0.2;
/** Prior weight that shrinks an effect toward 0. */
const NAME_PRIOR = 20;
const PLACE_PRIOR = 8;
/** Rarer values have no knot of their own. */
const MIN_AT_KNOT = 25;
const KNOTS = 10;
/** Share of the sales in each tail, where a curve is constant. */
const TAIL = 0.005;
/** An attribute known for a smaller share of the sales has no line. */
const MIN_KNOWN = 0.05;

export function fitAdjustments(
  set: FeatureSet,
  train: Sale[],
  target: Float64Array,
): { adjustments: Adjustments; center: number } {
  const homes = train.map(({ attributes }) => attributes);
  const curves = fitCurves(homes);
  const names = openNames(namedReaders, homes, NAME_PRIOR);
  const places = openNames(placeReaders, homes, PLACE_PRIOR);
  const surface = set.places === null ? openSurface(homes.map((a) => positionOf(set, a))) : null;
  const center = target.reduce((sum, value) => sum + value, 0) / target.length;
  const parts = [curves, ...names, ...places, ...(surface ? [surface] : [])];
  const fitted = new Float64Array(target.length).fill(center);
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    for (const part of parts) {
      const limit = 4 * median(target.map((value, i) => Math.abs(value - fitted[i])));
      // Residuals are clipped, so that outliers pull no more than a price at the limit.
      const rest = target.map((value, i) => Math.max(-limit, Math.min(limit, value - fitted[i])) + part.values[i]);
      for (let i = 0; i < fitted.length; i++) fitted[i] -= part.values[i];
      part.fit(rest);
      for (let i = 0; i < fitted.length; i++) fitted[i] += part.values[i];
    }
  }
  return {
    adjustments: {
      places: places.map((each) => each.done()),
      surface: surface?.done() ?? null,
      curves: curves.done(),
      names: names.map((each) => each.done()),
      share: SHARE,
      mostByLocation: MOST_BY_LOCATION,
    },
    center,
  };
}

/** Refits one part, one value per sale, to the residual of the others. */
type Part<Fitted> = { values: Float64Array; fit(rest: Float64Array): void; done(): Fitted };

/** Fits all curves at once: nonnegative least squares over the rises between knots. */
function fitCurves(homes: Attributes[]): Part<Curve[]> {
  const n = homes.length;
  const curves = (Object.keys(risingReaders) as Curve['name'][]).flatMap((name) => {
    const values = Float64Array.from(homes, risingReaders[name]);
    const at = chooseKnots(values);
    return at.length > 1 ? [{ name, values, at }] : [];
  });
  const columns: Float32Array[] = [];
  const means: number[] = [];
  for (const { values, at } of curves) {
    const known = values.filter((value) => value === value).length;
    for (let k = 1; k < at.length; k++) {
      const column = new Float32Array(n);
      let sum = 0;
      for (let i = 0; i < n; i++) {
        column[i] = Math.max(0, Math.min(1, (values[i] - at[k - 1]) / (at[k] - at[k - 1])));
        if (values[i] === values[i]) sum += column[i];
      }
      // Centered, so that an unknown attribute counts as an average one.
      means.push(sum / known);
      for (let i = 0; i < n; i++) column[i] = values[i] === values[i] ? column[i] - sum / known : 0;
      columns.push(column);
    }
  }
  const products = columns.map((one) => Float64Array.from(columns, (other) => dot(one, other)));
  const rises = new Float64Array(columns.length);
  const part: Part<Curve[]> = {
    values: new Float64Array(n),
    fit(rest) {
      const sums = columns.map((column) => dot(column, rest));
      for (let round = 0; round < 200; round++) {
        for (let k = 0; k < rises.length; k++) {
          const slope = sums[k] - dot(products[k], rises);
          rises[k] = Math.max(0, rises[k] + (slope - rises[k]) / (products[k][k] + 1));
        }
      }
      part.values.fill(0);
      columns.forEach((column, k) => {
        if (rises[k] > 0) for (let i = 0; i < n; i++) part.values[i] += rises[k] * column[i];
      });
    },
    done() {
      let first = 0;
      return curves.flatMap(({ name, at }) => {
        const own = rises.subarray(first, first + at.length - 1);
        let worth = -own.reduce((sum, rise, k) => sum + rise * means[first + k], 0);
        first += at.length - 1;
        const curve = { name, at, worth: Float64Array.from(at, (_, k) => (worth += k === 0 ? 0 : own[k - 1])) };
        return own.some((rise) => rise > 0) ? [curve] : [];
      });
    },
  };
  return part;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The values themselves if few are distinct; otherwise quantiles, so that each segment rests on many sales. */
function chooseKnots(values: Float64Array): Float64Array {
  const known = values.filter((value) => value === value).sort();
  if (known.length < MIN_KNOWN * values.length) return new Float64Array(0);
  const counts = new Map<number, number>();
  for (const value of known) counts.set(value, (counts.get(value) ?? 0) + 1);
  const common = [...counts].filter(([, count]) => count >= MIN_AT_KNOT).map(([value]) => value);
  if (counts.size <= 40) return Float64Array.from(common);
  const shares = Array.from({ length: KNOTS }, (_, k) => TAIL + ((1 - 2 * TAIL) * k) / (KNOTS - 1));
  return Float64Array.from(new Set(shares.map((share) => quantile(known, share))));
}

const openNames = <Reader extends string>(
  readers: Record<Reader, (a: Attributes) => string | null>,
  homes: Attributes[],
  prior: number,
): Part<Names<Reader>>[] =>
  (Object.keys(readers) as Reader[]).flatMap((name) => {
    const read = homes.map((a) => readers[name](a) ?? '');
    const known = read.filter((each) => each !== '');
    const keys = [...new Set(known)].toSorted();
    if (known.length < MIN_KNOWN * homes.length || keys.length < 2) return [];
    const numbers = new Map(keys.map((key, k) => [key, k]));
    const number = Int32Array.from(read, (key) => numbers.get(key) ?? -1);
    const worth = new Float64Array(keys.length);
    const part: Part<Names<Reader>> = {
      values: new Float64Array(homes.length),
      fit(rest) {
        const [sum, count] = [new Float64Array(keys.length), new Float64Array(keys.length).fill(prior)];
        number.forEach((k, i) => {
          if (k < 0) return;
          sum[k] += rest[i];
          count[k]++;
        });
        const mean = sum.reduce((total, each) => total + each, 0) / known.length;
        worth.forEach((_, k) => (worth[k] = (sum[k] - (count[k] - prior) * mean) / count[k]));
        number.forEach((k, i) => (part.values[i] = k < 0 ? 0 : worth[k]));
      },
      done: () => ({ name, worth: Object.fromEntries(keys.map((key, k) => [key, worth[k]])) }),
    };
    return [part];
  });

/** Bandwidths, wide to narrow, and the prior weight of each in sales. */
const SCALES = [
  { km: 3, prior: 10 },
  { km: 1, prior: 10 },
  { km: 0.4, prior: 10 },
];
const CELL_KM = 0.25;
const MAX_CELLS = 400_000;

function openSurface(positions: { x: number; y: number }[]): Part<Surface> {
  const placed = positions.filter(({ x, y }) => x === x && y === y);
  const edges = (of: 'x' | 'y') => {
    const sorted = Float64Array.from(placed, (at) => at[of]).sort();
    // Quantiles, so that a few mistaken coordinates do not stretch the map.
    return [quantile(sorted, 0.001) - 1, quantile(sorted, 0.999) + 1];
  };
  const [[left, right], [bottom, top]] = [edges('x'), edges('y')];
  const cellKm = Math.max(CELL_KM, Math.sqrt(((right - left) * (top - bottom)) / MAX_CELLS));
  const [width, height] = [Math.ceil((right - left) / cellKm) + 2, Math.ceil((top - bottom) / cellKm) + 2];
  const surface: Surface = { left, bottom, width, height, cellKm, worth: new Float32Array(width * height) };
  const cell = Int32Array.from(positions, ({ x, y }) => {
    if (x !== x || y !== y) return -1;
    const column = Math.max(0, Math.min(width - 1, Math.round((x - left) / cellKm)));
    return Math.max(0, Math.min(height - 1, Math.round((y - bottom) / cellKm))) * width + column;
  });
  const count = new Float32Array(width * height);
  for (const c of cell) if (c >= 0) count[c]++;
  const counts = SCALES.map(({ km }) => blur(count, width, height, km / cellKm));
  const part: Part<Surface> = {
    values: new Float64Array(positions.length),
    fit(rest) {
      surface.worth.fill(0);
      const left = rest.slice();
      SCALES.forEach(({ km, prior }, s) => {
        const sum = new Float32Array(width * height);
        cell.forEach((c, i) => {
          if (c >= 0) sum[c] += left[i];
        });
        const level = blur(sum, width, height, km / cellKm).map((value, c) => value / (counts[s][c] + prior));
        level.forEach((value, c) => (surface.worth[c] += value));
        const layer = { ...surface, worth: level };
        positions.forEach((at, i) => {
          const value = heightAt(layer, at);
          if (value === value) left[i] -= value;
        });
      });
      positions.forEach((at, i) => (part.values[i] = heightAt(surface, at) || 0));
    },
    done: () => surface,
  };
  return part;
}

/** Gaussian-weighted sum of the surrounding cells, with weight 1 at the center. */
function blur(values: Float32Array, width: number, height: number, deviation: number): Float32Array {
  const reach = Math.ceil(2.5 * deviation);
  const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, k) =>
    Math.exp(-0.5 * ((k - reach) / deviation) ** 2),
  );
  const across = new Float32Array(values.length);
  const both = new Float32Array(values.length);
  for (let c = 0; c < values.length; c++) {
    if (values[c] === 0) continue;
    const column = c % width;
    for (let k = Math.max(-reach, -column); k <= Math.min(reach, width - 1 - column); k++)
      across[c + k] += values[c] * kernel[k + reach];
  }
  for (let c = 0; c < values.length; c++) {
    if (across[c] === 0) continue;
    const row = Math.floor(c / width);
    for (let k = Math.max(-reach, -row); k <= Math.min(reach, height - 1 - row); k++)
      both[c + k * width] += across[c] * kernel[k + reach];
  }
  return both;
}
