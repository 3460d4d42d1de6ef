// Learned comparables: a small attention network that weighs the sales near a home and adjusts for the differences.
// Training and serving share its forward pass, so they cannot differ.
import { openWorkbench, type Workbench } from '../../base/math/multiply.ts';
import {
  pairInputs,
  PEERS,
  residualAt,
  writePairs,
  type PairShape,
  type PairSubject,
  type PairTarget,
  type PeerData,
  type Peers,
} from './peers.ts';

/** Attention heads weigh the sales independently: one may prefer the most similar sales, another the latest. */
export const HEADS = 4;
/** Outputs of the heads: mean residual, mean adjusted price, and sum of squared weights (their concentration). */
export const REPORTED = 3 * HEADS;
/** Hidden units of the weights, and as many of the adjustment. */
export const PAIR_UNITS = 32;
const PAIR_WIDTH = 2 * PAIR_UNITS;
/** Homes computed at a time, so that their pairs fit into the processor's cache. */
export const CHUNK = 8;

export type AttentionShape = PairShape & {
  /** Input columns of a home's row, each a linear spline with its own knots. */
  columns: number[];
  knots: Float32Array[];
  /** Log prices are centered and scaled. */
  center: number;
  /** Units of the two hidden layers that read the home and the reports. */
  first: number;
  second: number;
};

/** One row of weights per input. */
export type AttentionWeights = {
  pair: Float32Array;
  pairBias: Float32Array;
  heads: Float32Array;
  adjustment: Float32Array;
  mix: Float32Array;
  first: Float32Array;
  firstBias: Float32Array;
  second: Float32Array;
  secondBias: Float32Array;
  out: Float32Array;
};

export type Attention = AttentionShape & { weights: AttentionWeights };

const roundUp = (value: number, to: number): number => to * Math.ceil(value / to);

/** Sizes of the layers, rounded up to what the product of matrices needs. */
export function sizesOf(shape: AttentionShape) {
  const spline = shape.knots.reduce((sum, { length }) => sum + Math.max(1, length - 1) + 1, 0);
  return {
    pairs: roundUp(pairInputs(shape), 4),
    home: roundUp(spline + REPORTED, 4),
    spline,
    // The extra unit skips the second layer and is added to the result.
    first: roundUp(shape.first + 1, 8),
    second: roundUp(shape.second, 8),
  };
}

/** Activations of one forward pass over a chunk of homes. */
type AttentionBench = Workbench<
  | keyof AttentionWeights
  | 'pairs'
  | 'pairSums'
  | 'pairOut'
  | 'shares'
  | 'adjusted'
  | 'reports'
  | 'home'
  | 'firstOut'
  | 'secondOut'
> & { shape: AttentionShape; sizes: ReturnType<typeof sizesOf> };

export function weightLengths(shape: AttentionShape): Record<keyof AttentionWeights, number> {
  const { pairs, home, first, second } = sizesOf(shape);
  return {
    pair: pairs * PAIR_WIDTH,
    // The adjustment has no bias: it is 0 where nothing differs.
    pairBias: PAIR_WIDTH,
    heads: PAIR_UNITS * HEADS,
    adjustment: PAIR_UNITS,
    mix: 2 * HEADS,
    first: home * first,
    firstBias: first,
    second: first * second,
    secondBias: second,
    out: second + 1,
  };
}

/** `more` has further arrays for training. */
export function openBench<More extends string = never>(shape: AttentionShape, more?: Record<More, number>) {
  const sizes = sizesOf(shape);
  const rows = CHUNK * PEERS;
  const bench = openWorkbench({
    ...weightLengths(shape),
    pairs: rows * sizes.pairs,
    pairSums: rows * PAIR_WIDTH,
    pairOut: rows * PAIR_WIDTH,
    shares: rows * HEADS,
    adjusted: rows,
    reports: CHUNK * REPORTED,
    home: CHUNK * sizes.home,
    firstOut: CHUNK * sizes.first,
    secondOut: CHUNK * sizes.second,
    ...more,
  } as Record<keyof AttentionBench['arrays'] | More, number>);
  return { ...bench, shape, sizes };
}

export const pairsOf = ({ arrays, shape, sizes }: AttentionBench, slot: number): PairTarget => ({
  pairs: arrays.pairs,
  width: sizes.pairs,
  first: slot * PEERS,
  shape,
});

/** Computes the attention weights of each slot's peers and fills `reports`. */
export function weighPeers(bench: AttentionBench, data: PeerData, slots: Peers[]): void {
  const { arrays, addProduct, writeSigmoids, shape, sizes } = bench;
  const { pairs, pairSums, pairOut, shares, adjusted, reports, pair, pairBias, heads, adjustment } = arrays;
  const rows = slots.length * PEERS;
  for (let row = 0; row < rows; row++) pairSums.set(pairBias, row * PAIR_WIDTH);
  addProduct({ a: pairs, b: pair, sum: pairSums, m: rows, k: sizes.pairs, n: PAIR_WIDTH });
  writeSigmoids(pairSums.subarray(0, rows * PAIR_WIDTH), pairOut);
  reports.fill(0);
  slots.forEach((peers, slot) => {
    const tops = [-Infinity, -Infinity, -Infinity, -Infinity];
    for (let p = 0; p < PEERS; p++) {
      const sale = peers.sale[p];
      const row = slot * PEERS + p;
      if (sale < 0) {
        shares.fill(0, row * HEADS, (row + 1) * HEADS);
        continue;
      }
      let [h0, h1, h2, h3, added] = [0, 0, 0, 0, 0];
      const at = row * PAIR_WIDTH;
      for (let j = 0; j < PAIR_UNITS; j++) {
        const value = pairSums[at + j] * pairOut[at + j];
        h0 += value * heads[j * HEADS];
        h1 += value * heads[j * HEADS + 1];
        h2 += value * heads[j * HEADS + 2];
        h3 += value * heads[j * HEADS + 3];
        added += (2 * pairOut[at + PAIR_UNITS + j] - 1) * adjustment[j];
      }
      const clipped = data.residual[sale] - Math.max(-shape.clip, Math.min(shape.clip, data.residual[sale]));
      adjusted[row] = (data.detrended[sale] - clipped - shape.center) / shape.scale + added;
      shares[row * HEADS] = h0;
      shares[row * HEADS + 1] = h1;
      shares[row * HEADS + 2] = h2;
      shares[row * HEADS + 3] = h3;
      if (h0 > tops[0]) tops[0] = h0;
      if (h1 > tops[1]) tops[1] = h1;
      if (h2 > tops[2]) tops[2] = h2;
      if (h3 > tops[3]) tops[3] = h3;
    }
    sumUp(bench, slot, peers, tops);
  });
}

/** Softmax of the slot's logits per head, and the weighted sums. */
function sumUp({ arrays, shape, sizes }: AttentionBench, slot: number, { sale }: Peers, tops: number[]): void {
  const { pairs, shares, adjusted, reports } = arrays;
  const residual = residualAt(shape);
  for (let h = 0; h < HEADS; h++) {
    let total = 0;
    for (let p = 0; p < PEERS; p++) {
      if (sale[p] < 0) continue;
      const at = (slot * PEERS + p) * HEADS + h;
      shares[at] = Math.exp(shares[at] - tops[h]);
      total += shares[at];
    }
    if (total === 0) continue;
    let [mean, price, squares] = [0, 0, 0];
    for (let p = 0; p < PEERS; p++) {
      if (sale[p] < 0) continue;
      const row = slot * PEERS + p;
      const share = (shares[row * HEADS + h] /= total);
      mean += share * pairs[row * sizes.pairs + residual];
      price += share * adjusted[row];
      squares += share * share;
    }
    reports[slot * REPORTED + h] = mean;
    reports[slot * REPORTED + HEADS + h] = price;
    reports[slot * REPORTED + 2 * HEADS + h] = squares;
  }
}

/** Encodes a home's row as linear splines: one number per interval between knots and an indicator for "unknown". */
export function writeHome({ arrays, shape, sizes }: AttentionBench, slot: number, row: ArrayLike<number>, from = 0) {
  const { home } = arrays;
  let at = slot * sizes.home;
  home.fill(0, at, at + sizes.home);
  shape.columns.forEach((column, c) => {
    const knots = shape.knots[c];
    const gaps = Math.max(1, knots.length - 1);
    const value = row[from + column];
    if (value !== value) home[at + gaps] = 1;
    else if (knots.length > 1)
      for (let k = 0; k < gaps && value > knots[k]; k++)
        home[at + k] = Math.min(1, (value - knots[k]) / (knots[k + 1] - knots[k]));
    at += gaps + 1;
  });
}

/**
 * The scaled prediction of each slot, from its home, its reports and the base trees' scaled prediction. The report on
 * adjusted prices is read as the distance from that prediction.
 */
export function predictSlots(bench: AttentionBench, base: number[]): number[] {
  const { arrays, addProduct, shape, sizes } = bench;
  const { home, reports, first, firstBias, firstOut, second, secondBias, secondOut, out: last, mix } = arrays;
  const m = roundUp(base.length, 4);
  base.forEach((own, slot) => {
    for (let k = 0; k < REPORTED; k++) home[slot * sizes.home + sizes.spline + k] = readReport(reports, slot, k, own);
    firstOut.set(firstBias, slot * sizes.first);
    secondOut.set(secondBias, slot * sizes.second);
  });
  addProduct({ a: home, b: first, sum: firstOut, m, k: sizes.home, n: sizes.first });
  const straight = base.map((_, slot) => firstOut[slot * sizes.first + shape.first]);
  for (let slot = 0; slot < base.length; slot++) {
    for (let j = 0; j < sizes.first; j++) {
      const at = slot * sizes.first + j;
      if (firstOut[at] < 0 || j >= shape.first) firstOut[at] = 0;
    }
  }
  addProduct({ a: firstOut, b: second, sum: secondOut, m, k: sizes.first, n: sizes.second });
  const mixed = softmax(mix);
  return base.map((own, slot) => {
    let sum = own + straight[slot] + last[shape.second];
    for (let k = 0; k < 2 * HEADS; k++) sum += mixed[k] * home[slot * sizes.home + sizes.spline + k];
    for (let j = 0; j < shape.second; j++) {
      const at = slot * sizes.second + j;
      if (secondOut[at] < 0) secondOut[at] = 0;
      sum += secondOut[at] * last[j];
    }
    return sum;
  });
}

/** Without peers the price report is 0; the sum of squared weights is 0 only then. */
function readReport(reports: Float32Array, slot: number, k: number, base: number): number {
  const at = slot * REPORTED;
  const isPrice = k >= HEADS && k < 2 * HEADS;
  if (!isPrice) return reports[at + k];
  return reports[at + k + HEADS] > 0 ? reports[at + k] - base : 0;
}

export function softmax(values: ArrayLike<number>): Float64Array {
  const shares = new Float64Array(values.length);
  let [top, total] = [-Infinity, 0];
  for (let k = 0; k < values.length; k++) top = Math.max(top, values[k]);
  for (let k = 0; k < values.length; k++) total += shares[k] = Math.exp(values[k] - top);
  for (let k = 0; k < values.length; k++) shares[k] /= total;
  return shares;
}

// Made once per network: laying it out takes longer than a prediction.
const benches = new WeakMap<Attention, AttentionBench>();

function benchOf(network: Attention): AttentionBench {
  let bench = benches.get(network);
  if (!bench) {
    bench = openBench(network);
    for (const [name, values] of Object.entries(network.weights))
      bench.arrays[name as keyof AttentionWeights].set(values);
    benches.set(network, bench);
  }
  return bench;
}

/** The heads' reports on one home's peers: all that a prediction needs of them. */
export function reportOn(network: Attention, data: PeerData, subject: PairSubject, peers: Peers): Float32Array {
  const bench = benchOf(network);
  writePairs(pairsOf(bench, 0), subject, data, peers);
  weighPeers(bench, data, [peers]);
  return bench.arrays.reports.slice(0, REPORTED);
}

/** Log price of one home, net of price growth. */
export function predictLearned(network: Attention, row: ArrayLike<number>, reports: ArrayLike<number>, base: number) {
  const bench = benchOf(network);
  bench.arrays.reports.set(reports);
  writeHome(bench, 0, row);
  const [scaled] = predictSlots(bench, [(base - network.center) / network.scale]);
  return network.center + network.scale * scaled;
}
