// Fits a Gaussian process by solving for its weights with the Cholesky factor of its covariance matrix.
import { covariance, predictGaussian, writeInputs, type Gaussian, type Kernel } from '../../avm/gaussian.ts';
import type { Trait } from '../../avm/peers.ts';
import { median } from '../../../base/math/quantiles.ts';
import type { Matrix } from './bins.ts';

export type GaussianOptions = {
  traits: Trait[];
  placesFrom: number;
  kernel: Kernel;
  /** Log prices are clipped at ± this from the median. */
  clip: number;
};

export function fitGaussian({ rows, columns, values }: Matrix, target: Float64Array, options: GaussianOptions) {
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

const ABREAST = 4;

/**
 * Replaces the lower half of a symmetric matrix by its Cholesky factor. Each row is multiplied by four of the rows
 * above at once: multiplying by one at a time takes 2.8 instead of 1.5 s with 1,900 sales.
 */
export function factorize(a: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j += ABREAST) {
      const isWhole = j + ABREAST <= i;
      if (isWhole) subtractProducts(a, n, i, j);
      for (let column = j; column < Math.min(j + ABREAST, i + 1); column++) {
        let left = a[i * n + column];
        for (let k = isWhole ? j : 0; k < column; k++) left -= a[i * n + k] * a[column * n + k];
        a[i * n + column] = i === column ? Math.sqrt(left) : left / a[column * n + column];
      }
    }
  }
}

/** Subtracts from row `i`, columns `j` to `j` + 3, its dot products with those rows over the columns before `j`. */
function subtractProducts(a: Float64Array, n: number, i: number, j: number): void {
  const row = i * n;
  const above = j * n;
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let k = 0; k < j; k++) {
    const element = a[row + k];
    first += element * a[above + k];
    second += element * a[above + n + k];
    third += element * a[above + 2 * n + k];
    fourth += element * a[above + 3 * n + k];
  }
  a[row + j] -= first;
  a[row + j + 1] -= second;
  a[row + j + 2] -= third;
  a[row + j + 3] -= fourth;
}

/** Replaces `b` by the solution of the factored system. */
export function solve(factor: Float64Array, b: Float64Array): void {
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
