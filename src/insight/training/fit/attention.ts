// Trains the network of learned comparables with AdamW: Huber loss, a learning rate that decays to 0, one seed.
import {
  CHUNK,
  HEADS,
  openBench,
  PAIR_UNITS,
  pairsOf,
  predictSlots,
  REPORTED,
  sizesOf,
  softmax,
  weighPeers,
  weightLengths,
  writeHome,
  type Attention,
  type AttentionShape,
  type AttentionWeights,
} from '../../avm/attention.ts';
import { pairInputs, PEERS, residualAt, writePairs, type PeerData } from '../../avm/peers.ts';
import { seededRandom } from '../../../base/math/random.ts';

export type AttentionOptions = {
  /** Knots per column, at equal numbers of rows. */
  knots: number;
  /** Units of the two hidden layers. */
  first: number;
  second: number;
  /** Residuals are clipped at ± this, in log price. */
  clip: number;
  passes: number;
  /** Least number of steps; a small market makes more passes. */
  minSteps: number;
  /** Sales per step; a multiple of the homes computed at a time. */
  batch: number;
  learningRate: number;
  /** Weight decay per step, as a share of the learning rate. */
  decay: number;
  huber: number;
  seed: number;
};

/** Training data of a market, one entry per sale or masked copy. */
export type AttentionData = {
  /** Rows that describe the home on the day it sold. */
  rows: Float32Array;
  columns: number;
  /** Out-of-fold base predictions and log prices, both net of price growth. */
  base: Float64Array;
  target: Float64Array;
  /** Sales that each is compared with, and their distances; −1 is none. */
  peers: Int32Array;
  km: Float32Array;
  /**
   * Peer inputs by fold: encodings of places are mean prices, and must not contain the price to be predicted.
   */
  views: PeerData[];
  fold: Uint8Array;
};

type Learned = keyof AttentionWeights;
const PAIR_WIDTH = 2 * PAIR_UNITS;
/** Warm-up steps of the learning rate: the first gradients come from a random network. */
const WARM_UP = 100;

export function fitAttention(
  data: AttentionData,
  shape: AttentionShape,
  learned: ArrayLike<number>,
  options: AttentionOptions,
): Attention {
  const random = seededRandom(options.seed);
  const bench = openTrainingBench(shape, options.batch);
  startAt(bench, random);
  const adam = openAdam(bench, options.decay);
  const order = Int32Array.from(learned);
  const perPass = Math.ceil(order.length / options.batch);
  const passes = Math.max(options.passes, Math.ceil(options.minSteps / perPass));
  const steps = passes * perPass;
  const run = { data, bench, clip: options.huber / shape.scale };
  for (let pass = 0, step = 0; pass < passes; pass++) {
    shuffle(order, random);
    for (let start = 0; start < order.length; start += options.batch, step++) {
      learnBatch(run, order.subarray(start, start + options.batch));
      adam(options.learningRate * Math.min(1, (step + 1) / WARM_UP) * (1 - step / steps));
    }
  }
  const weights = Object.fromEntries(names(shape).map((name) => [name, bench.arrays[name].slice()]));
  return { ...shape, weights: weights as AttentionWeights };
}

/** Log prices of rows of the same data, net of price growth. */
export function predictAttention(data: AttentionData, network: Attention, rows: ArrayLike<number>): Float64Array {
  const bench = openBench(network);
  for (const name of names(network)) bench.arrays[name].set(network.weights[name]);
  const out = new Float64Array(rows.length);
  for (let start = 0; start < rows.length; start += CHUNK) {
    const slots = Array.from({ length: Math.min(CHUNK, rows.length - start) }, (_, k) => rows[start + k]);
    predictChunk(data, bench, slots).forEach((scaled, k) => (out[start + k] = network.center + network.scale * scaled));
  }
  return out;
}

const names = (shape: AttentionShape): Learned[] => Object.keys(weightLengths(shape)) as Learned[];

type Bench = ReturnType<typeof openBench>;

function predictChunk(data: AttentionData, bench: Bench, rows: number[]): number[] {
  const { center, scale, traits, places } = bench.shape;
  const slots = rows.map((i) => ({
    sale: data.peers.subarray(i * PEERS, (i + 1) * PEERS),
    km: data.km.subarray(i * PEERS, (i + 1) * PEERS),
  }));
  rows.forEach((i, slot) => {
    const view = data.views[data.fold[i]];
    const subject = {
      east: view.east[i],
      north: view.north[i],
      day: view.soldDay[i],
      traits: view.traits.subarray(i * traits.length, (i + 1) * traits.length),
      places: view.places.subarray(i * places.length, (i + 1) * places.length),
    };
    writePairs(pairsOf(bench, slot), subject, view, slots[slot]);
    writeHome(bench, slot, data.rows, i * data.columns);
  });
  weighPeers(bench, data.views[0], slots);
  const base = rows.map((i) => (data.base[i] - center) / scale);
  return predictSlots(bench, base);
}

type Gradient = `d_${Learned}`;
type TrainingBench = ReturnType<typeof openTrainingBench>;

export function openTrainingBench(shape: AttentionShape, batch: number) {
  const sizes = sizesOf(shape);
  const gradients = Object.fromEntries(
    Object.entries(weightLengths(shape)).map(([name, length]) => [`d_${name}`, length]),
  ) as Record<Gradient, number>;
  return openBench(shape, {
    ...gradients,
    secondSlopes: CHUNK * sizes.second,
    // Kept for the whole batch, so that their product costs less memory traffic.
    homes: batch * sizes.home,
    firstSlopes: batch * sizes.first,
  });
}

/** Writes the gradient of a batch's mean loss, in units of the clip. */
export function learnBatch(
  { data, bench, clip }: { data: AttentionData; bench: TrainingBench; clip: number },
  rows: Int32Array,
): void {
  const { arrays, shape, sizes, addProduct } = bench;
  const { center, scale } = shape;
  arrays.homes.fill(0);
  arrays.firstSlopes.fill(0);
  for (const name of names(shape)) arrays[`d_${name}`].fill(0);
  const mixed = softmax(arrays.mix);
  const mixSlopes = new Float64Array(2 * HEADS);
  for (let start = 0; start < rows.length; start += CHUNK) {
    const slots = Array.from(rows.subarray(start, start + CHUNK));
    const slopes = predictChunk(data, bench, slots).map((scaled, slot) => {
      const error = scaled - (data.target[slots[slot]] - center) / scale;
      return Math.max(-clip, Math.min(clip, error)) / (clip * rows.length);
    });
    arrays.homes.set(arrays.home.subarray(0, slots.length * sizes.home), start * sizes.home);
    const reports = returnToReports(bench, start, slopes, mixed, mixSlopes);
    slots.forEach((i, slot) => returnToPairs(bench, slot, reports[slot], data.peers.subarray(i * PEERS)));
    const { pairs, pairSums, d_pair: sum } = arrays;
    const k = slots.length * PEERS;
    addProduct({ a: pairs, b: pairSums, sum, m: sizes.pairs, k, n: PAIR_WIDTH, isTransposed: true });
  }
  const { homes, firstSlopes, d_first: sum } = arrays;
  const k = homes.length / sizes.home;
  addProduct({ a: homes, b: firstSlopes, sum, m: sizes.home, k, n: sizes.first, isTransposed: true });
  // The adjustment does not read residuals.
  for (let row = residualAt(shape); row < sizes.pairs; row++)
    arrays.d_pair.fill(0, row * PAIR_WIDTH + PAIR_UNITS, (row + 1) * PAIR_WIDTH);
  const mean = mixed.reduce((total, share, h) => total + share * mixSlopes[h], 0);
  mixed.forEach((share, h) => (arrays.d_mix[h] = share * (mixSlopes[h] - mean)));
}

/** Backpropagates from each slot's prediction through the layers that read the home, to its reports. */
function returnToReports(
  { arrays, shape, sizes, addProduct }: TrainingBench,
  start: number,
  slopes: number[],
  mixed: Float64Array,
  mixSlopes: Float64Array,
): Float64Array[] {
  const { home, first, firstOut, firstSlopes, second, secondOut, secondSlopes, out } = arrays;
  secondSlopes.fill(0);
  const reports = slopes.map((slope, slot) => {
    const at = slot * sizes.second;
    const to = (start + slot) * sizes.first;
    arrays.d_out[shape.second] += slope;
    for (let j = 0; j < shape.second; j++) {
      if (secondOut[at + j] === 0) continue;
      arrays.d_out[j] += slope * secondOut[at + j];
      secondSlopes[at + j] = slope * out[j];
      arrays.d_secondBias[j] += secondSlopes[at + j];
    }
    for (let j = 0; j < shape.first; j++) {
      if (firstOut[slot * sizes.first + j] === 0) continue;
      let sum = 0;
      for (let k = 0; k < shape.second; k++) sum += secondSlopes[at + k] * second[j * sizes.second + k];
      firstSlopes[to + j] = sum;
    }
    firstSlopes[to + shape.first] = slope;
    for (let j = 0; j <= shape.first; j++) arrays.d_firstBias[j] += firstSlopes[to + j];
    return Float64Array.from({ length: REPORTED }, (_, k) => {
      let sum = 0;
      const from = (sizes.spline + k) * sizes.first;
      for (let j = 0; j <= shape.first; j++) sum += firstSlopes[to + j] * first[from + j];
      if (k < 2 * HEADS) {
        sum += slope * mixed[k];
        mixSlopes[k] += slope * home[slot * sizes.home + sizes.spline + k];
      }
      return sum;
    });
  });
  addProduct({
    a: firstOut,
    b: secondSlopes,
    sum: arrays.d_second,
    m: sizes.first,
    k: slopes.length,
    n: sizes.second,
    isTransposed: true,
  });
  return reports;
}

/** Backpropagates from a slot's reports to its pairs' hidden units, left in `pairSums`. */
function returnToPairs({ arrays, shape, sizes }: TrainingBench, slot: number, report: Float64Array, peers: Int32Array) {
  const { pairs, pairSums, pairOut, shares, adjusted, heads, adjustment, d_heads: toHeads } = arrays;
  const residual = residualAt(shape);
  const first = slot * PEERS;
  const slopes = new Float64Array(PEERS * HEADS);
  for (let h = 0; h < HEADS; h++) {
    let mean = 0;
    for (let p = 0; p < PEERS; p++) {
      const share = shares[(first + p) * HEADS + h];
      const slope =
        report[h] * pairs[(first + p) * sizes.pairs + residual] +
        report[HEADS + h] * adjusted[first + p] +
        report[2 * HEADS + h] * 2 * share;
      slopes[p * HEADS + h] = slope;
      mean += share * slope;
    }
    for (let p = 0; p < PEERS; p++)
      slopes[p * HEADS + h] = shares[(first + p) * HEADS + h] * (slopes[p * HEADS + h] - mean);
  }
  for (let p = 0; p < PEERS; p++) {
    const at = (first + p) * PAIR_WIDTH;
    if (peers[p] < 0) {
      pairSums.fill(0, at, at + PAIR_WIDTH);
      continue;
    }
    let added = 0;
    for (let h = 0; h < HEADS; h++) added += report[HEADS + h] * shares[(first + p) * HEADS + h];
    const [l0, l1, l2, l3] = slopes.subarray(p * HEADS, (p + 1) * HEADS);
    for (let j = 0; j < PAIR_UNITS; j++) {
      const sigmoid = pairOut[at + j];
      const value = pairSums[at + j] * sigmoid;
      const own = j * HEADS;
      toHeads[own] += value * l0;
      toHeads[own + 1] += value * l1;
      toHeads[own + 2] += value * l2;
      toHeads[own + 3] += value * l3;
      const slope = l0 * heads[own] + l1 * heads[own + 1] + l2 * heads[own + 2] + l3 * heads[own + 3];
      pairSums[at + j] = slope * (sigmoid + value * (1 - sigmoid));
      arrays.d_pairBias[j] += pairSums[at + j];
      const level = 2 * pairOut[at + PAIR_UNITS + j] - 1;
      arrays.d_adjustment[j] += added * level;
      pairSums[at + PAIR_UNITS + j] = (added * adjustment[j] * (1 - level * level)) / 2;
    }
  }
}

/** Random weights scaled by the number of inputs; weights added directly to the result start at 0. */
export function startAt({ arrays, shape, sizes }: TrainingBench, random: () => number): void {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const inputs = pairInputs(shape);
  for (let row = 0; row < inputs; row++)
    for (let j = 0; j < PAIR_WIDTH; j++) {
      const gain = j < PAIR_UNITS ? 1.4 : row < residualAt(shape) ? 2.8 : 0;
      arrays.pair[row * PAIR_WIDTH + j] = (gain * normal()) / Math.sqrt(inputs);
    }
  for (let k = 0; k < arrays.heads.length; k++) arrays.heads[k] = (0.5 * normal()) / Math.sqrt(PAIR_UNITS);
  for (let k = 0; k < PAIR_UNITS; k++) arrays.adjustment[k] = (0.1 * normal()) / Math.sqrt(PAIR_UNITS);
  for (let row = 0; row < sizes.spline + REPORTED; row++) {
    const deviation = row < sizes.spline ? 1.4 / Math.sqrt(sizes.spline) : 0.5 / Math.sqrt(REPORTED);
    for (let j = 0; j < shape.first; j++) arrays.first[row * sizes.first + j] = deviation * normal();
  }
  for (let row = 0; row < shape.first; row++)
    for (let j = 0; j < shape.second; j++)
      arrays.second[row * sizes.second + j] = (1.4 * normal()) / Math.sqrt(shape.first);
  for (let j = 0; j < shape.second; j++) arrays.out[j] = (0.3 * normal()) / Math.sqrt(shape.second);
}

/** One AdamW step. */
function openAdam({ arrays, shape }: TrainingBench, decay: number): (rate: number) => void {
  const [FIRST, SECOND] = [0.9, 0.999];
  const moments = names(shape).map((name) => ({
    weights: arrays[name],
    gradient: arrays[`d_${name}`],
    mean: new Float64Array(arrays[name].length),
    square: new Float64Array(arrays[name].length),
  }));
  let [firstPower, secondPower] = [1, 1];
  return (rate) => {
    firstPower *= FIRST;
    secondPower *= SECOND;
    for (const { weights, gradient, mean, square } of moments) {
      for (let k = 0; k < weights.length; k++) {
        const slope = gradient[k];
        mean[k] = FIRST * mean[k] + (1 - FIRST) * slope;
        square[k] = SECOND * square[k] + (1 - SECOND) * slope * slope;
        const step = mean[k] / (1 - firstPower) / (Math.sqrt(square[k] / (1 - secondPower)) + 1e-8);
        weights[k] -= rate * (step + decay * weights[k]);
      }
    }
  };
}

function shuffle(order: Int32Array, random: () => number): void {
  for (let k = order.length - 1; k > 0; k--) {
    const other = Math.floor(random() * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
}
