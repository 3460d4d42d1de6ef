// A Gaussian process over homes: what a market with too few sales for a network of learned comparables has in its place.
import { writeTraits, type Trait } from './peers.ts';

/** Weights of what two homes may share, and how far that reaches. */
export type Kernel = {
  /** Of the straight-line part: each scale of a trait moves the value by as much everywhere. */
  linear: number;
  /** Of homes that are alike and near each other, and of the place alone. */
  alike: number;
  place: number;
  /** Scales of traits, and of places, over which a home says less by a factor of e. */
  reach: number;
  placeReach: number;
  /** Variance of prices around the value. */
  noise: number;
};

export type Gaussian = {
  /** Attributes of the home, then what tells its place. */
  traits: Trait[];
  placesFrom: number;
  kernel: Kernel;
  /** Median log price net of the index. */
  center: number;
  /** `traits.length` numbers per sale. */
  inputs: Float32Array;
  weights: Float64Array;
};

/** The traits of the home in `row`; one that is unknown is taken to be usual. */
export function writeInputs(traits: Trait[], row: ArrayLike<number>, from: number, out: Float32Array, at: number) {
  writeTraits(traits, row, from, out, at);
  for (let k = at; k < at + traits.length; k++) if (out[k] !== out[k]) out[k] = 0;
}

type Inputs = { inputs: Float32Array; at: number };

/** How much the prices of two homes have in common. Written out in plain loops: a prediction asks it of every sale. */
export function covariance(
  { traits, placesFrom, kernel }: Pick<Gaussian, 'traits' | 'placesFrom' | 'kernel'>,
  one: Inputs,
  other: Inputs,
): number {
  const { inputs, at } = one;
  const { inputs: others, at: otherAt } = other;
  const width = traits.length;
  let linear = 0;
  let apart = 0;
  let away = 0;
  for (let k = 0; k < placesFrom; k++) {
    const a = inputs[at + k];
    const b = others[otherAt + k];
    linear += a * b;
    apart += (a - b) * (a - b);
  }
  for (let k = placesFrom; k < width; k++) {
    const a = inputs[at + k];
    const b = others[otherAt + k];
    linear += a * b;
    away += (a - b) * (a - b);
  }
  const distance = Math.sqrt(away) / kernel.placeReach;
  const near = kernel.place * Math.exp(-distance);
  const alike = kernel.alike * Math.exp(-distance - Math.sqrt(apart) / kernel.reach);
  return kernel.linear * linear + near + alike;
}

/** The expected log price, net of the index. */
export function predictGaussian(gaussian: Gaussian, row: ArrayLike<number>, from = 0): number {
  const { traits, inputs, weights } = gaussian;
  const home = { inputs: new Float32Array(traits.length), at: 0 };
  const sale = { inputs, at: 0 };
  writeInputs(traits, row, from, home.inputs, 0);
  let sum = gaussian.center;
  for (let i = 0; i < weights.length; i++) {
    sale.at = i * traits.length;
    sum += weights[i] * covariance(gaussian, home, sale);
  }
  return sum;
}
