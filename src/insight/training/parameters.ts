// The tunable numbers of training, with the reason for each value.
import type { Kernel } from '../avm/gaussian.ts';
import type { AttentionOptions } from './fit/attention.ts';
import type { TreeOptions } from './fit/trees.ts';

export type Parameters = {
  seed: number;
  /** Years of sales to train on, and their maximum number, latest first. */
  historyYears: number;
  maxSales: number;
  /** Folds of the out-of-fold predictions; all sales of one property are in one fold. */
  folds: number;
  base: TreeOptions;
  /** Trees that screen out sales not at market price; null trains on every sale. */
  screen: TreeOptions | null;
  second: TreeOptions;
  /** The second stage's out-of-fold predictions only choose weights and fit the spread, so two folds are enough. */
  secondFolds: number;
  /** The network of learned comparables; null trains none. */
  attention: AttentionOptions | null;
  /** With fewer sales a network overfits, so a Gaussian process with this kernel replaces it; null fits none. */
  attentionSales: number;
  kernel: Kernel | null;
  spread: TreeOptions;
  /**
   * Minimum number of scores, and of days, that calibrate the intervals: the share of deeds not at market price varies
   * from month to month.
   */
  calibrationSales: number;
  calibrationDays: number;
  backtestMonths: number;
  /** Days between trainings in the back-test. */
  retrainDays: number;
  /** Maximum number of tested sales whose attributes are masked to measure how errors grow. */
  missingSample: number;
};

const trees: TreeOptions = {
  rounds: 450,
  learningRate: 0.07,
  leaves: 31,
  minLeafWeight: 10,
  lambda: 2,
  maxBins: 255,
  rowSample: 0.8,
  columnSample: 0.5,
  // Huber loss: residuals are clipped at ±0.1 in log price, so that unusual sales pull less than under squared loss.
  huber: 0.1,
  seed: 1,
};

export const standard: Parameters = {
  seed: 1,
  historyYears: 9,
  maxSales: 150_000,
  folds: 5,
  base: trees,
  screen: { ...trees, rounds: 120, learningRate: 0.12, maxBins: 127 },
  second: trees,
  secondFolds: 2,
  attention: {
    knots: 10,
    first: 96,
    second: 32,
    clip: 0.6,
    passes: 12,
    minSteps: 400,
    batch: 256,
    learningRate: 0.003,
    decay: 1,
    huber: 0.1,
    seed: 1,
  },
  attentionSales: 2000,
  // Tuned on 200 and 1,000 sales of King County; doubling noise or reach changes the error by less than 0.1 points.
  kernel: { linear: 0.05, alike: 0.3, place: 0.3, reach: 8, placeReach: 2, noise: 0.03 },
  spread: { ...trees, rounds: 250, leaves: 15, minLeafWeight: 60, huber: Infinity },
  calibrationSales: 3000,
  calibrationDays: 90,
  backtestMonths: 12,
  retrainDays: 182,
  missingSample: 800,
};

const fewTrees: TreeOptions = { ...trees, rounds: 90, learningRate: 0.15, maxBins: 127 };

/** For the sandbox and for trials: a model in seconds. */
export const quick: Parameters = {
  ...standard,
  retrainDays: Infinity,
  maxSales: 20_000,
  folds: 3,
  base: fewTrees,
  screen: { ...fewTrees, rounds: 60, learningRate: 0.2 },
  second: fewTrees,
  // 100 steps make the sandbox's error no lower (8.0 against 7.8%, three seeds) and take 54 instead of 38 s of CPU.
  attention: { ...standard.attention!, knots: 8, first: 32, second: 16, passes: 2, minSteps: 50 },
  spread: { ...standard.spread, rounds: 50, learningRate: 0.12, leaves: 8, maxBins: 63 },
  missingSample: 200,
};

const tinyTrees: TreeOptions = { ...fewTrees, rounds: 24, learningRate: 0.25, leaves: 12, maxBins: 63 };

/** For tests that need a model but not accurate values. */
export const tiny: Parameters = {
  ...quick,
  folds: 2,
  base: tinyTrees,
  screen: null,
  second: tinyTrees,
  attention: null,
  kernel: null,
  spread: { ...quick.spread, rounds: 10 },
  missingSample: 50,
};
