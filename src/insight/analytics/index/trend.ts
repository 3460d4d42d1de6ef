// A level with a trend that fades to the usual growth: Kalman filter and what it expects of the months to come. Pure.
import type { Observations } from './state-space.ts';

/** By month, as variances of log price except where said. */
export interface TrendModel {
  /** Growth that trends fade to, and the share of a trend's deviation from it that is left after a month. */
  usual: number;
  memory: number;
  /** Steps of the level beside the trend, and of the trend. */
  levelStep: number;
  trendStep: number;
  /** Of the first trend around the usual growth. */
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

/** Where the level and its trend stand after the last month. */
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
      // The first only tells where the level is.
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

/** Growth of the level over the next months, one after the other, and its variance around what will be. */
export function expectGrowth(last: TrendState, model: TrendModel, months: number): Expected[] {
  const expected: Expected[] = [];
  for (let state = last; expected.length < months;) {
    state = step(state, model);
    expected.push({ growth: state.level - last.level, variance: state.levelVariance });
  }
  return expected;
}
