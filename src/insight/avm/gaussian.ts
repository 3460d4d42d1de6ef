// A Gaussian process over homes, for markets with too few sales to train a network of learned comparables.
import { writeTraits, type Trait } from './peers.ts';

/** Weights and length scales of the covariance between two homes. */
export type Kernel = {
  /** Weight of the linear term: one scale of a trait moves the value by the same amount everywhere. */
  linear: number;
  /** Weights of the term for similar homes near each other, and of the term for location alone. */
  alike: number;
  place: number;
  /** Scales of home traits, and of location traits, over which the covariance decays by a factor of e. */
  reach: number;
  placeReach: number;
  /** Variance of prices around the value. */
  noise: number;
};

export type Gaussian = {
  /** Traits of the home, then those of its location. */
  traits: Trait[];
  placesFrom: number;
  kernel: Kernel;
  /** Median log price net of the index. */
  center: number;
  /** `traits.length` numbers per sale. */
  inputs: Float32Array;
  weights: Float64Array;
};

/** Writes the traits of the home in `row`; an unknown trait is imputed as typical (0). */
export function writeInputs(traits: Trait[], row: ArrayLike<number>, from: number, out: Float32Array, at: number) {
  writeTraits(traits, row, from, out, at);
  for (let k = at; k < at + traits.length; k++) if (out[k] !== out[k]) out[k] = 0;
}

type Inputs = { inputs: Float32Array; at: number };

/** Covariance of two homes' log prices. Plain loops, because a prediction computes it for every sale. */
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
