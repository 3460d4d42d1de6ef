// Trains a small spline network with Adam: Huber loss, a learning rate that decays to 0, everything from one seed.
import { forward, newActivations, placeRow, type Activations, type Network, type Weights } from '../../avm/network.ts';
import type { Matrix } from './bins.ts';
import { seededRandom } from './random.ts';

export type NetworkOptions = {
  /** Knots per column, at equal numbers of rows. */
  knots: number;
  /** Units of the two hidden layers. */
  first: number;
  second: number;
  epochs: number;
  /** A small market repeats its sales until this many steps are made. */
  minSteps: number;
  batch: number;
  learningRate: number;
  /** Share of the learning rate by which weights are pulled toward 0 at each step. */
  decay: number;
  huber: number;
  seed: number;
};

export function fitNetwork(matrix: Matrix, target: Float64Array, options: NetworkOptions): Network {
  const { rows: n, columns, values } = matrix;
  const random = seededRandom(options.seed);
  const network = newNetwork(matrix, target, options, random);
  const wanted = target.map((value) => (value - network.center) / network.scale);
  const clip = options.huber / network.scale;
  const places = new Float64Array(n * columns);
  for (let row = 0; row < n; row++) placeRow(network, values, row * columns, places, row * columns);

  const activations = newActivations(network);
  const gradients = zerosLike(network.weights);
  const adam = openAdam(network.weights, gradients, options.decay);
  const order = Int32Array.from({ length: n }, (_, row) => row);
  const perEpoch = Math.ceil(n / options.batch);
  const epochs = Math.max(options.epochs, Math.ceil(options.minSteps / perEpoch));
  const steps = epochs * perEpoch;
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (let start = 0; start < n; start += options.batch, step++) {
      const batch = order.subarray(start, start + options.batch);
      for (const name of names) gradients[name].fill(0);
      for (const row of batch) {
        const error = forward(network, places, row * columns, activations) - wanted[row];
        const slope = Math.max(-clip, Math.min(clip, error)) / (clip * batch.length);
        backward(network, places, row * columns, activations, slope, gradients);
      }
      adam(options.learningRate * Math.min(1, (step + 1) / WARM_UP) * (1 - step / steps));
    }
  }
  return network;
}

/** Steps until the learning rate is at its full value: the first gradients come from a random network. */
const WARM_UP = 100;
const names = ['splines', 'firstBias', 'between', 'secondBias', 'out', 'outBias'] as const satisfies Array<
  keyof Weights
>;

/** Starts from random straight lines through each column's knots; bends are learned. */
function newNetwork(
  { rows: n, columns, values }: Matrix,
  target: Float64Array,
  options: NetworkOptions,
  random: () => number,
): Network {
  const knots = Array.from({ length: columns }, (_, c) =>
    chooseKnots(
      Float32Array.from({ length: n }, (_row, row) => values[row * columns + c]),
      options.knots,
    ),
  );
  const starts = new Int32Array(columns);
  for (let c = 1; c < columns; c++) starts[c] = starts[c - 1] + knots[c - 1].length + 1;
  const width = options.first + 1;
  const sets = starts[columns - 1] + knots[columns - 1].length + 1;
  /** Uniform with this standard deviation. */
  const draw = (deviation: number): number => (2 * random() - 1) * Math.sqrt(3) * deviation;
  const splines = new Float64Array(sets * width);
  for (let c = 0; c < columns; c++) {
    const last = Math.max(1, knots[c].length - 1);
    for (let j = 0; j < options.first; j++) {
      const steepness = draw(Math.sqrt(3 / columns));
      for (let k = 0; k < knots[c].length; k++) splines[(starts[c] + k) * width + j] = steepness * ((2 * k) / last - 1);
    }
  }
  const center = target.reduce((sum, value) => sum + value, 0) / n;
  const scale = Math.sqrt(target.reduce((sum, value) => sum + (value - center) ** 2, 0) / n) || 1;
  return {
    knots,
    starts,
    center,
    scale,
    weights: {
      splines,
      firstBias: new Float64Array(width),
      between: Float64Array.from({ length: options.first * options.second }, () => draw(Math.sqrt(2 / options.first))),
      secondBias: new Float64Array(options.second),
      out: Float64Array.from({ length: options.second }, () => draw(Math.sqrt(0.1 / options.second))),
      outBias: new Float64Array(1),
    },
  };
}

/** Distinct quantiles of the known values; the outermost leave out the few values beyond them. */
function chooseKnots(values: Float32Array, count: number): Float32Array {
  const known = values.filter((value) => value === value).sort();
  if (known.length === 0) return new Float32Array(1);
  const at = (k: number): number => Math.max(OUTLIERS, Math.min(1 - OUTLIERS, k / (count - 1))) * (known.length - 1);
  return Float32Array.from(new Set(Array.from({ length: count }, (_, k) => known[Math.round(at(k))])));
}

const OUTLIERS = 0.002;

/** Adds one row's share of the gradient; `slope` is the derivative of the loss with respect to the prediction. */
function backward(
  { starts, weights }: Network,
  places: Float64Array,
  at: number,
  { first, second }: Activations,
  slope: number,
  gradients: Weights,
): void {
  const { between, out } = weights;
  const width = first.length;
  const height = second.length;
  gradients.outBias[0] += slope;
  for (let k = 0; k < height; k++) {
    if (second[k] === 0) continue;
    gradients.out[k] += slope * second[k];
    gradients.secondBias[k] += slope * out[k];
  }
  // From here on the first layer's activations are overwritten by their slopes.
  for (let j = 0; j < width - 1; j++) {
    const active = first[j];
    if (active === 0) continue;
    let sum = 0;
    for (let k = 0; k < height; k++) {
      if (second[k] === 0) continue;
      const own = slope * out[k];
      sum += own * between[j * height + k];
      gradients.between[j * height + k] += own * active;
    }
    first[j] = sum;
  }
  first[width - 1] = slope;
  for (let j = 0; j < width; j++) gradients.firstBias[j] += first[j];
  for (let c = 0; c < starts.length; c++) {
    const place = places[at + c];
    const knot = Math.floor(place);
    const share = place - knot;
    const from = (starts[c] + knot) * width;
    for (let j = 0; j < width; j++) gradients.splines[from + j] += (1 - share) * first[j];
    if (share > 0) for (let j = 0; j < width; j++) gradients.splines[from + width + j] += share * first[j];
  }
}

function zerosLike(weights: Weights): Weights {
  return Object.fromEntries(names.map((name) => [name, new Float64Array(weights[name].length)])) as Weights;
}

/** Adam with the usual constants; decay acts on the weights directly, not through the gradients. */
function openAdam(weights: Weights, gradients: Weights, decay: number): (rate: number) => void {
  const means = zerosLike(weights);
  const squares = zerosLike(weights);
  let [fresh, freshSquares] = [1, 1];
  return (rate) => {
    fresh *= 0.9;
    freshSquares *= 0.999;
    for (const name of names) {
      const [weight, gradient, mean, square] = [weights[name], gradients[name], means[name], squares[name]];
      const kept = 1 - rate * decay;
      for (let k = 0; k < weight.length; k++) {
        mean[k] = 0.9 * mean[k] + 0.1 * gradient[k];
        square[k] = 0.999 * square[k] + 0.001 * gradient[k] * gradient[k];
        const step = mean[k] / (1 - fresh) / (Math.sqrt(square[k] / (1 - freshSquares)) + 1e-8);
        weight[k] = kept * weight[k] - rate * step;
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
