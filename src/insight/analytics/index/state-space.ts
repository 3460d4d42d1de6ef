// Kalman filter and smoother of a random walk observed through noisy monthly means. Pure.

/** Observations by month: a mean and its variance, which is infinite without sales. */
export interface Observations {
  mean: Float64Array;
  variance: Float64Array;
}

export interface Path {
  level: Float64Array;
  variance: Float64Array;
  /** Smoother gains, which determine the covariances between months. */
  gain: Float64Array;
}

/** Log likelihood of the observations, for choosing `walk` and `prior`. */
export function logLikelihood({ mean, variance }: Observations, walk: number, prior: number): number {
  let [at, uncertainty, sum] = [0, prior, 0];
  for (let t = 0; t < mean.length; t++) {
    if (t > 0) uncertainty += walk;
    if (variance[t] === Infinity) continue;
    const total = uncertainty + variance[t];
    const surprise = mean[t] - at;
    sum -= 0.5 * (Math.log(2 * Math.PI * total) + surprise ** 2 / total);
    at += (uncertainty / total) * surprise;
    uncertainty *= variance[t] / total;
  }
  return sum;
}

/** `walk` is the variance of a monthly step, `prior` that of the first level around 0. */
export function smooth({ mean, variance }: Observations, walk: number, prior: number): Path {
  const months = mean.length;
  const level = new Float64Array(months);
  const spread = new Float64Array(months);
  let [at, uncertainty] = [0, prior];
  for (let t = 0; t < months; t++) {
    if (t > 0) uncertainty += walk;
    if (variance[t] !== Infinity) {
      const total = uncertainty + variance[t];
      at += (uncertainty / total) * (mean[t] - at);
      uncertainty *= variance[t] / total;
    }
    [level[t], spread[t]] = [at, uncertainty];
  }
  const gain = new Float64Array(months).fill(1);
  for (let t = months - 2; t >= 0; t--) {
    const ahead = spread[t] + walk;
    gain[t] = ahead > 0 ? spread[t] / ahead : 1;
    const later = level[t + 1] - level[t];
    level[t] += gain[t] * later;
    spread[t] += gain[t] ** 2 * (spread[t + 1] - ahead);
  }
  return { level, variance: spread, gain };
}

/** Variance of the difference between the levels of two months. */
export function varianceBetween({ variance, gain }: Path, a: number, b: number): number {
  const [from, to] = a < b ? [a, b] : [b, a];
  let share = 1;
  for (let t = from; t < to; t++) share *= gain[t];
  return Math.max(0, variance[from] + variance[to] - 2 * share * variance[to]);
}
