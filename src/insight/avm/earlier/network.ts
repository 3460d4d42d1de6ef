// A small neural network on splines, evaluated only: models made before there were learned comparables have some.

export type Network = {
  /** By column, the values at which its splines bend, in ascending order. */
  knots: Float32Array[];
  /** Where each column's weights begin: one set per knot, and one for "unknown". */
  starts: Int32Array;
  /** The output is multiplied by `scale` and added to `center`. */
  scale: number;
  center: number;
  weights: Weights;
};

/** The first layer has one unit more than the second reads: the last unit is added straight to the result. */
type Weights = {
  splines: Float64Array;
  firstBias: Float64Array;
  between: Float64Array;
  secondBias: Float64Array;
  out: Float64Array;
  outBias: Float64Array;
};

type Activations = { first: Float64Array; second: Float64Array };

function newActivations({ weights }: Network): Activations {
  return {
    first: new Float64Array(weights.firstBias.length),
    second: new Float64Array(weights.secondBias.length),
  };
}

/** Position between knots: 2.25 is a quarter of the way from the third to the fourth; past the last is "unknown". */
function placeOnKnots(knots: Float32Array, value: number): number {
  if (value !== value) return knots.length;
  let low = 0;
  let high = knots.length - 1;
  if (value <= knots[low]) return low;
  if (value >= knots[high]) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (knots[middle] <= value) low = middle;
    else high = middle;
  }
  return low + (value - knots[low]) / (knots[high] - knots[low]);
}

function placeRow({ knots }: Network, row: ArrayLike<number>, offset: number, places: Float64Array, at: number) {
  for (let c = 0; c < knots.length; c++) places[at + c] = placeOnKnots(knots[c], row[offset + c]);
}

/** The scaled prediction for one row of positions; leaves the layers' outputs in `activations`. */
function forward(
  { starts, weights }: Network,
  places: Float64Array,
  at: number,
  { first, second }: Activations,
): number {
  const { splines, firstBias, between, secondBias, out, outBias } = weights;
  const width = first.length;
  first.set(firstBias);
  for (let c = 0; c < starts.length; c++) {
    const place = places[at + c];
    const knot = Math.floor(place);
    const share = place - knot;
    const from = (starts[c] + knot) * width;
    if (share === 0) addTo(first, splines, from);
    else addBetween(first, splines, from, from + width, share);
  }
  second.set(secondBias);
  for (let j = 0; j < width - 1; j++) {
    if (first[j] <= 0) first[j] = 0;
    else addTimes(second, between, j * second.length, first[j]);
  }
  let sum = outBias[0] + first[width - 1];
  for (let k = 0; k < second.length; k++) {
    if (second[k] <= 0) second[k] = 0;
    else sum += second[k] * out[k];
  }
  return sum;
}

// Unrolled by four: these three functions take nearly all of a network's time, and unrolling halves it.

function addTo(sums: Float64Array, weights: Float64Array, from: number): void {
  for (let j = 0; j < sums.length; j++) sums[j] += weights[from + j];
}

/** Adds the weights at `share` of the way from one row of weights to another. */
function addBetween(sums: Float64Array, weights: Float64Array, a: number, b: number, share: number): void {
  const fours = sums.length & ~3;
  for (let j = 0; j < fours; j += 4) {
    sums[j] += weights[a + j] + share * (weights[b + j] - weights[a + j]);
    sums[j + 1] += weights[a + j + 1] + share * (weights[b + j + 1] - weights[a + j + 1]);
    sums[j + 2] += weights[a + j + 2] + share * (weights[b + j + 2] - weights[a + j + 2]);
    sums[j + 3] += weights[a + j + 3] + share * (weights[b + j + 3] - weights[a + j + 3]);
  }
  for (let j = fours; j < sums.length; j++) sums[j] += weights[a + j] + share * (weights[b + j] - weights[a + j]);
}

function addTimes(sums: Float64Array, weights: Float64Array, from: number, factor: number): void {
  const fours = sums.length & ~3;
  for (let k = 0; k < fours; k += 4) {
    sums[k] += factor * weights[from + k];
    sums[k + 1] += factor * weights[from + k + 1];
    sums[k + 2] += factor * weights[from + k + 2];
    sums[k + 3] += factor * weights[from + k + 3];
  }
  for (let k = fours; k < sums.length; k++) sums[k] += factor * weights[from + k];
}

// Scratch space per network: allocating it on every call takes half as long again.
const benches = new WeakMap<Network, { places: Float64Array; activations: Activations }>();

export function predictNetwork(network: Network, row: ArrayLike<number>, offset = 0): number {
  let bench = benches.get(network);
  if (!bench) {
    bench = { places: new Float64Array(network.knots.length), activations: newActivations(network) };
    benches.set(network, bench);
  }
  placeRow(network, row, offset, bench.places, 0);
  return network.center + network.scale * forward(network, bench.places, 0, bench.activations);
}

/** The mean of several networks trained with different seeds, each of which errs a little differently. */
export function predictNetworks(networks: Network[], row: ArrayLike<number>): number {
  let sum = 0;
  for (const network of networks) sum += predictNetwork(network, row);
  return sum / networks.length;
}
