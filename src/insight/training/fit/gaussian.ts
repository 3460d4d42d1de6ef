// Fits a Gaussian process by solving for its weights at once, with the Cholesky factor of its covariances.
import { covariance, predictGaussian, writeInputs, type Gaussian, type Kernel } from '../../avm/gaussian.ts';
import type { Trait } from '../../avm/peers.ts';
import { median } from '../../../base/math/quantiles.ts';
import type { Matrix } from './bins.ts';

export type GaussianOptions = {
  traits: Trait[];
  placesFrom: number;
  kernel: Kernel;
  /** Prices farther than this from the median, in log, are pulled in to it. */
  clip: number;
};

export function fitGaussian(
  { rows, columns, values }: Matrix,
  target: Float64Array,
  options: GaussianOptions,
): Gaussian {
  const { traits, placesFrom, kernel, clip } = options;
  const inputs = new Float32Array(rows * traits.length);
  for (let i = 0; i < rows; i++) writeInputs(traits, values, i * columns, inputs, i * traits.length);
  const center = median(target);
  const weights = target.map((value) => Math.max(-clip, Math.min(clip, value - center)));
  const gaussian = { traits, placesFrom, kernel, center, inputs, weights };
  const factor = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j <= i; j++)
      factor[i * rows + j] =
        covariance(gaussian, { inputs, at: i * traits.length }, { inputs, at: j * traits.length }) +
        (i === j ? kernel.noise : 0);
  factorize(factor, rows);
  solve(factor, weights);
  return gaussian;
}

export const predictGaussianRows = (gaussian: Gaussian, rows: Float32Array, columns: number): Float64Array =>
  Float64Array.from({ length: rows.length / columns }, (_, i) => predictGaussian(gaussian, rows, i * columns));

/** Replaces the lower half of a symmetric matrix by its Cholesky factor. */
function factorize(a: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j];
      for (let k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i === j ? Math.sqrt(sum) : sum / a[j * n + j];
    }
  }
}

/** Replaces `b` by the solution of the factored system. */
function solve(factor: Float64Array, b: Float64Array): void {
  const n = b.length;
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) b[i] -= factor[i * n + k] * b[k];
    b[i] /= factor[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i] -= factor[k * n + i] * b[k];
    b[i] /= factor[i * n + i];
  }
}
