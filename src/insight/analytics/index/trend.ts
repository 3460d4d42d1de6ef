// Local linear trend that reverts to the long-run growth: Kalman filter and forecast. Pure.
import type { Observations } from './state-space.ts';

/** Monthly parameters, in log price. */
export interface TrendModel {
  /** Long-run growth per month, and the share of a trend's deviation from it that remains after a month. */
  usual: number;
  memory: number;
  /** Innovation variances of the level and of the trend. */
  levelStep: number;
  trendStep: number;
  /** Prior variance of the first trend around the long-run growth. */
  firstTrend: number;
}

interface TrendState {
  level: number;
  trend: number;
  /** Variances of the two, and their covariance. */
  levelVariance: number;
  trendVariance: number;
  covariance: number;
  logLikelihood: number;
}

const UNKNOWN_LEVEL = 100;

/** Filtered level and trend after the last month. */
export function followTrend({ mean, variance }: Observations, model: TrendModel): TrendState {
  const { usual, firstTrend } = model;
  let state: TrendState = {
    level: mean[variance.findIndex((each) => each !== Infinity)] ?? 0,
    trend: usual,
    levelVariance: UNKNOWN_LEVEL,
    trendVariance: firstTrend,
    covariance: 0,
    logLikelihood: 0,
  };
  let seen = 0;
  for (let t = 0; t < mean.length; t++) {
    if (t > 0) state = step(state, model);
    if (variance[t] === Infinity) continue;
    const { level, trend, levelVariance, trendVariance, covariance, logLikelihood } = state;
    const total = levelVariance + variance[t];
    const surprise = mean[t] - level;
    state = {
      level: level + (levelVariance / total) * surprise,
      trend: trend + (covariance / total) * surprise,
      levelVariance: levelVariance * (variance[t] / total),
      trendVariance: trendVariance - covariance ** 2 / total,
      covariance: covariance * (variance[t] / total),
      // The first observation only locates the level.
      logLikelihood: logLikelihood - (seen++ === 0 ? 0 : 0.5 * (Math.log(2 * Math.PI * total) + surprise ** 2 / total)),
    };
  }
  return state;
}

function step(state: TrendState, { usual, memory, levelStep, trendStep }: TrendModel): TrendState {
  const { level, trend, levelVariance, trendVariance, covariance, logLikelihood } = state;
  return {
    level: level + trend,
    trend: usual + memory * (trend - usual),
    levelVariance: levelVariance + 2 * covariance + trendVariance + levelStep,
    trendVariance: memory ** 2 * trendVariance + trendStep,
    covariance: memory * (covariance + trendVariance),
    logLikelihood,
  };
}

interface Expected {
  growth: number;
  variance: number;
}

/** Forecast growth of the level by horizon in months, with its forecast variance. */
export function expectGrowth(last: TrendState, model: TrendModel, months: number): Expected[] {
  const expected: Expected[] = [];
  for (let state = last; expected.length < months;) {
    state = step(state, model);
    expected.push({ growth: state.level - last.level, variance: state.levelVariance });
  }
  return expected;
}
