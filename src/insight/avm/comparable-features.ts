// Features of the second-stage trees from the sales near a home: price levels, residuals, density, prior sale.
import type { Neighbors, SaleGrid, Window } from './neighbors.ts';

/** Everything known about a market's sales, one entry per sale, as seen by one model. */
export type Evidence = SaleGrid & {
  logSqft: Float64Array;
  /** Log price net of the index and of the level on the day of the sale. */
  detrended: Float64Array;
  /** Detrended log price minus the out-of-fold base prediction. */
  residual: Float64Array;
  /** Attributes divided by the difference that makes two homes dissimilar, `dimensions` numbers per sale. */
  similarity: Float32Array;
  dimensions: number;
  /** By property, its last sale; by sale, the previous sale of the same property; −1 if none. */
  lastSale: Int32Array;
  saleBefore: Int32Array;
  older: OlderSales;
};

/** Each property's last sale before the training data: too old to be evidence, but still the home's own price. */
export type OlderSales = {
  /** −1 where there is none. */
  soldDay: Int32Array;
  knownDay: Int32Array;
  detrended: Float64Array;
  residual: Float64Array;
};

export type Subject = {
  x: number;
  y: number;
  property: number;
  day: number;
  similarity: ArrayLike<number>;
  /** NaN if the size is unknown. */
  logSqft: number;
};

export const comparableColumns = [
  'near5',
  'near15',
  'near50',
  'alike',
  'alike_residual_400m',
  'alike_residual_1500m',
  'residual15',
  'residual60',
  'residual_spread',
  'price_spread',
  'tenth_km',
  'alike_weight',
  'within_1km',
  'prior_price',
  'prior_age',
  'prior_residual',
] as const;

export const NEIGHBORS = 150;
const MIN_NEIGHBORS = 5;
const RECENCY_DAYS = 500;
/** Prior weight that shrinks a mean of residuals toward 0. */
const RESIDUAL_PRIOR = 10;
const ALIKE_PRIOR = 0.4;

export function compareToNeighbors(
  evidence: Evidence,
  subject: Subject,
  neighbors: Neighbors,
  likeness: Float64Array,
  window: Window,
  out: Float32Array,
  offset: number,
): void {
  out.fill(NaN, offset, offset + comparableColumns.length);
  writePriorSale(evidence, subject, window, out, offset + 13);
  const { sale, km } = neighbors;
  const m = sale.length;
  if (m < MIN_NEIGHBORS) return;
  // Without the home's size, neighbors' prices are used as they are, not per square foot.
  const isSized = subject.logSqft === subject.logSqft;
  const size = isSized ? subject.logSqft : 0;
  // Gather everything first, in loops that do nothing else, so that memory reads overlap.
  const perSqft = new Float64Array(m);
  const residual = new Float64Array(m);
  const recent = new Float64Array(m);
  for (let k = 0; k < m; k++) {
    const i = sale[k];
    perSqft[k] = evidence.detrended[i] - (isSized ? evidence.logSqft[i] : 0);
    residual[k] = evidence.residual[i];
    recent[k] = Math.abs(subject.day - evidence.soldDay[i]);
  }
  // Parts of a market drift apart over the years, so older sales get less weight even net of the index.
  for (let k = 0; k < m; k++) recent[k] = Math.exp(-recent[k] / RECENCY_DAYS);

  const meanOf = (count: number, values: Float64Array, prior: number): number => {
    let [sum, weight] = [0, prior];
    for (let k = 0; k < Math.min(count, m); k++) {
      const w = recent[k] / (km[k] + 0.1);
      if (values[k] !== values[k]) continue;
      sum += w * values[k];
      weight += w;
    }
    return sum / weight;
  };
  const spreadOf = (count: number, values: Float64Array): number => {
    let [sum, squares, seen] = [0, 0, 0];
    for (let k = 0; k < Math.min(count, m); k++) {
      if (values[k] !== values[k]) continue;
      sum += values[k];
      squares += values[k] * values[k];
      seen++;
    }
    return Math.sqrt(Math.max(0, squares / seen - (sum / seen) ** 2));
  };

  let [alike, alikeWeight, near, nearWeight, far, farWeight] = [0, 1e-9, 0, ALIKE_PRIOR, 0, ALIKE_PRIOR];
  let within = 0;
  for (let k = 0; k < m; k++) {
    const like = likeness[k] * recent[k];
    const [w, nearW, farW] = [Math.exp(-km[k]), Math.exp(-km[k] / 0.4), Math.exp(-km[k] / 1.5)];
    if (perSqft[k] === perSqft[k]) {
      alike += like * w * perSqft[k];
      alikeWeight += like * w;
    }
    near += like * nearW * residual[k];
    nearWeight += like * nearW;
    far += like * farW * residual[k];
    farWeight += like * farW;
    if (km[k] < 1) within++;
  }
  // Price levels are converted to the home's own size, so that the trees read a log value, not a price per sqft.
  out[offset] = meanOf(5, perSqft, 0) + size;
  out[offset + 1] = meanOf(15, perSqft, 0) + size;
  out[offset + 2] = meanOf(50, perSqft, 0) + size;
  out[offset + 3] = alikeWeight > 1e-8 ? alike / alikeWeight + size : NaN;
  out[offset + 4] = near / nearWeight;
  out[offset + 5] = far / farWeight;
  out[offset + 6] = meanOf(15, residual, RESIDUAL_PRIOR);
  out[offset + 7] = meanOf(60, residual, RESIDUAL_PRIOR);
  out[offset + 8] = spreadOf(20, residual);
  out[offset + 9] = spreadOf(20, perSqft);
  out[offset + 10] = km[Math.min(9, m - 1)];
  out[offset + 11] = Math.log(alikeWeight);
  out[offset + 12] = within;
}

/** The home's own last sale before the day: detrended price and residual, and how long ago. */
function writePriorSale(evidence: Evidence, subject: Subject, window: Window, out: Float32Array, at: number): void {
  const isKnown = (i: number): boolean =>
    evidence.knownDay[i] < Math.min(window.knownBefore, subject.day) && evidence.soldDay[i] < subject.day;
  let last = subject.property < 0 ? -1 : evidence.lastSale[subject.property];
  while (last >= 0 && !isKnown(last)) last = evidence.saleBefore[last];
  if (last < 0) return writeOlderSale(evidence.older, subject, out, at);
  out[at] = evidence.detrended[last];
  out[at + 1] = subject.day - evidence.soldDay[last];
  out[at + 2] = evidence.residual[last];
}

function writeOlderSale(older: OlderSales, { property, day }: Subject, out: Float32Array, at: number): void {
  if (property < 0 || older.soldDay[property] < 0 || older.knownDay[property] >= day) return;
  out[at] = older.detrended[property];
  out[at + 1] = day - older.soldDay[property];
  out[at + 2] = older.residual[property];
}
