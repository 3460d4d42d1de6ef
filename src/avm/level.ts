// The price level after a model was trained: how far recent sales lie above or below the model on a given day.

export type LevelOptions = {
  /** The weight of a residual falls by a factor of e for every this many days of age. */
  decayDays: number;
  /** With fewer recent sales than this, the level stays at the model's own, 0. */
  minSales: number;
  /** Largest slope believed, in log price per day. */
  maxSlope: number;
};

/** Residuals (log price − model) of sales, ordered by the day they became known. */
export type KnownResiduals = { knownDay: Int32Array; soldDay: Int32Array; residual: Float64Array };

/** A residual far from the rest is an unusual sale; beyond this distance it no longer pulls the slope. */
const CLIP = 0.25;

// Reused by every call: computing a large market's level on a thousand days leaves no garbage.
let weights = new Float64Array(0);
let clipped = new Float64Array(0);

/** Local-linear weighted median of the residuals known before `day`, carried forward to `day`. */
export function levelOn({ knownDay, soldDay, residual }: KnownResiduals, day: number, options: LevelOptions): number {
  const end = lowerBound(knownDay, day);
  const oldest = day - 14 - 6 * options.decayDays;
  const start = lowerBound(knownDay, oldest);
  const count = end - start;
  if (count < options.minSales) return 0;
  if (weights.length < count) [weights, clipped] = [new Float64Array(2 * count), new Float64Array(2 * count)];
  for (let k = 0; k < count; k++) {
    const isSameDay = k > 0 && knownDay[start + k] === knownDay[start + k - 1];
    weights[k] = isSameDay ? weights[k - 1] : Math.exp((knownDay[start + k] - day) / options.decayDays);
  }
  const values = residual.subarray(start, end);
  const middle = weightedMedian(values);
  let [sumW, sumX, sumY] = [0, 0, 0];
  for (let k = 0; k < count; k++) {
    clipped[k] = Math.max(middle - CLIP, Math.min(middle + CLIP, values[k]));
    sumW += weights[k];
    sumX += weights[k] * (soldDay[start + k] - day);
    sumY += weights[k] * clipped[k];
  }
  const meanX = sumX / sumW;
  const meanY = sumY / sumW;
  let [sumXX, sumXY] = [0, 0];
  for (let k = 0; k < count; k++) {
    const dx = soldDay[start + k] - day - meanX;
    sumXX += weights[k] * dx * dx;
    sumXY += weights[k] * dx * (clipped[k] - meanY);
  }
  const slope = Math.max(-options.maxSlope, Math.min(options.maxSlope, sumXY / (sumXX + 1e-9)));
  return middle - slope * meanX;
}

function lowerBound(sorted: Int32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const BIN = 0.0005;
const REACH = 1.5;
const bins = new Float64Array(Math.ceil((2 * REACH) / BIN) + 1);

/** Counts in narrow bins instead of sorting, so a level costs microseconds. Values beyond ±1.5 count at the ends. */
function weightedMedian(values: Float64Array): number {
  bins.fill(0);
  let total = 0;
  for (let k = 0; k < values.length; k++) {
    bins[Math.round((Math.max(-REACH, Math.min(REACH, values[k])) + REACH) / BIN)] += weights[k];
    total += weights[k];
  }
  let running = 0;
  for (let bin = 0; bin < bins.length; bin++) {
    running += bins[bin];
    if (running >= total / 2) return bin * BIN - REACH;
  }
  return 0;
}
