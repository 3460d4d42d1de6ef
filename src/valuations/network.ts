// A small neural network on splines as it is stored and evaluated: smooth where trees have steps, so that the two err differently.

export type Network = {
  /** By column, the values at which its splines bend, rising. */
  knots: Float32Array[];
  /** Where each column's weights begin: one set for each knot, and one for "not known". */
  starts: Int32Array;
  /** What comes out is multiplied by this and added to the centre. */
  scale: number;
  center: number;
  weights: Weights;
};

/** The first layer has one unit more than the second reads: the last is added to the result as it is. */
export type Weights = {
  splines: Float64Array;
  firstBias: Float64Array;
  between: Float64Array;
  secondBias: Float64Array;
  out: Float64Array;
  outBias: Float64Array;
};

export type Activations = { first: Float64Array; second: Float64Array };

export function newActivations({ weights }: Network): Activations {
  return {
    first: new Float64Array(weights.firstBias.length),
    second: new Float64Array(weights.secondBias.length),
  };
}

/** Between which knots a value lies: 2.25 is a quarter of the way from the third to the fourth; behind the last is "not known". */
export function placeOnKnots(knots: Float32Array, value: number): number {
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

export function placeRow({ knots }: Network, row: ArrayLike<number>, offset: number, places: Float64Array, at: number) {
  for (let c = 0; c < knots.length; c++) places[at + c] = placeOnKnots(knots[c], row[offset + c]);
}

/** The scaled prediction for one row of places; what the layers did stays in `activations`. */
export function forward(
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
    if (share === 0) for (let j = 0; j < width; j++) first[j] += splines[from + j];
    else
      for (let j = 0; j < width; j++)
        first[j] += splines[from + j] + share * (splines[from + width + j] - splines[from + j]);
  }
  second.set(secondBias);
  for (let j = 0; j < width - 1; j++) {
    if (first[j] <= 0) {
      first[j] = 0;
      continue;
    }
    for (let k = 0; k < second.length; k++) second[k] += first[j] * between[j * second.length + k];
  }
  let sum = outBias[0] + first[width - 1];
  for (let k = 0; k < second.length; k++) {
    if (second[k] <= 0) second[k] = 0;
    else sum += second[k] * out[k];
  }
  return sum;
}

export function predictNetwork(network: Network, row: ArrayLike<number>, offset = 0): number {
  const places = new Float64Array(network.knots.length);
  placeRow(network, row, offset, places, 0);
  return network.center + network.scale * forward(network, places, 0, newActivations(network));
}

/** The mean of several networks of different seeds: each errs a little in its own way. */
export function predictNetworks(networks: Network[], row: ArrayLike<number>): number {
  let sum = 0;
  for (const network of networks) sum += predictNetwork(network, row);
  return sum / networks.length;
}
