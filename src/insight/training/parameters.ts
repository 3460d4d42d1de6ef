// Every tunable number of the training, with the reason for its value.
import type { AttentionOptions } from './fit/attention.ts';
import type { TreeOptions } from './fit/trees.ts';

export type Parameters = {
  seed: number;
  /** Years of sales that a model learns from, and at most how many of the latest. */
  historyYears: number;
  maxSales: number;
  /** Folds of the out-of-fold predictions; all sales of one property are in one fold. */
  folds: number;
  base: TreeOptions;
  /**
   * Residuals are clipped at ± this in the second set of trees of each stage, so that unusual sales pull less.
   * Squared loss alone has larger errors; clipping alone values expensive homes too low. A mix of both beats either.
   */
  huber: number;
  /** Trees that only have to tell which prices are out of the question; null trains on every sale. */
  screen: TreeOptions | null;
  second: TreeOptions;
  /** What the second trees make of unseen homes only chooses shares and fits the spread; two folds are enough for that. */
  secondFolds: number;
  /** The network of learned comparables; null trains none. */
  attention: AttentionOptions | null;
  /** With fewer sales, a network overfits. */
  attentionSales: number;
  spread: TreeOptions;
  /**
   * At least how many of the latest scores calibrate the intervals, and for how many days: from month to month, more or
   * fewer deeds are on record that are no market prices.
   */
  calibrationSales: number;
  calibrationDays: number;
  backtestMonths: number;
  /** The back-test retrains every this many days, as an operator would. */
  retrainDays: number;
  /** Number of tested sales from which attributes are hidden to measure what knowing them is worth. */
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
  huber: Infinity,
  seed: 1,
};

export const standard: Parameters = {
  seed: 1,
  historyYears: 9,
  maxSales: 150_000,
  folds: 5,
  base: trees,
  huber: 0.1,
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
  spread: { ...trees, rounds: 250, leaves: 15, minLeafWeight: 60 },
  calibrationSales: 3000,
  calibrationDays: 90,
  backtestMonths: 12,
  retrainDays: 182,
  missingSample: 800,
};

const fewTrees: TreeOptions = { ...trees, rounds: 90, learningRate: 0.15, maxBins: 127 };

/** For the sandbox and for first looks: a model in seconds. */
export const quick: Parameters = {
  ...standard,
  retrainDays: Infinity,
  maxSales: 20_000,
  folds: 3,
  base: fewTrees,
  screen: { ...fewTrees, rounds: 60, learningRate: 0.2 },
  second: fewTrees,
  attention: { ...standard.attention!, knots: 8, first: 32, second: 16, passes: 3, minSteps: 200 },
  spread: { ...trees, rounds: 50, learningRate: 0.12, leaves: 8, minLeafWeight: 60, maxBins: 63 },
  missingSample: 400,
};
