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
export function writeInputs(
  traits: Trait[],
  row: ArrayLike<number>,
  from: number,
  out: Float32Array,
  at: number,
): void {
  writeTraits(traits, row, from, out, at);
  for (let k = at; k < at + traits.length; k++) if (out[k] !== out[k]) out[k] = 0;
}

type Inputs = { inputs: Float32Array; at: number };

/** How much the prices of two homes have in common. */
export function covariance(
  { traits, placesFrom, kernel }: Pick<Gaussian, 'traits' | 'placesFrom' | 'kernel'>,
  one: Inputs,
  other: Inputs,
): number {
  let [linear, apart, away] = [0, 0, 0];
  for (let k = 0; k < traits.length; k++) {
    const [a, b] = [one.inputs[one.at + k], other.inputs[other.at + k]];
    linear += a * b;
    if (k < placesFrom) apart += (a - b) ** 2;
    else away += (a - b) ** 2;
  }
  const near = Math.exp(-Math.sqrt(away) / kernel.placeReach);
  const alike = Math.exp(-Math.sqrt(apart) / kernel.reach);
  return kernel.linear * linear + kernel.place * near + kernel.alike * near * alike;
}

/** The expected log price, net of the index. */
export function predictGaussian(gaussian: Gaussian, row: ArrayLike<number>, from = 0): number {
  const width = gaussian.traits.length;
  const home = { inputs: new Float32Array(width), at: 0 };
  writeInputs(gaussian.traits, row, from, home.inputs, 0);
  let sum = gaussian.center;
  for (let i = 0; i < gaussian.weights.length; i++)
    sum += gaussian.weights[i] * covariance(gaussian, home, { inputs: gaussian.inputs, at: i * width });
  return sum;
}
