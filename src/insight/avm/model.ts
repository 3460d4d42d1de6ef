// A trained model of one market: the type, and how its stages combine. Pure, no I/O, about 0.2 ms a home.
// One room because training and serving share every feature: a value cannot be computed in two ways.
import type { Adjustments } from './adjustments.ts';
import { predictLearned, type Attention } from './attention.ts';
import type { Encoding, FeatureSet } from './features.ts';
import { predictGaussian, type Gaussian } from './gaussian.ts';
import { indexAt, type Drift, type IndexCurve, type LevelOptions } from './price-growth.ts';
import type { Ranges } from './fill.ts';
import type { OddLimits, OddSale } from './odd-sales.ts';
import type { Trees } from './trees.ts';

/** Errors of past valuations in units of the expected sigma. Intervals are calibrated on these. */
export type Scores = {
  knownDay: Int32Array;
  sigma: Float64Array;
  score: Float64Array;
  /** Property type and log value of the home, to correct for groups with larger errors than sigma predicts. */
  type: string[];
  logValue: Float64Array;
  /** 1 where a prior sale of the home was known. */
  isSold: Uint8Array;
  /** 1 where an attribute of the home lies outside the market's usual range. */
  isUnusual: Uint8Array;
  /** 1 for an out-of-time score (model trained before the sale); 0 for an out-of-fold score from training. */
  isOutOfTime: Uint8Array;
};

/**
 * Attributes masked together in tested sales, the factor by which errors then exceed sigma, and the number of sales.
 * Indexed by whether a prior sale is known (0 or 1), because a prior sale reveals most of what is missing.
 */
export type MissingPattern = { names: string[]; factors: number[]; n: number[] };

export type Model = {
  market: string;
  version: string;
  /** Last day of the training sales. */
  trainedOn: number;
  features: FeatureSet;
  encodings: Encoding[];
  /** By property type, the attributes that nearly every sale has. */
  expected: Record<string, string[]>;
  index: IndexCurve;
  level: LevelOptions;
  /** Trees on attributes and location. */
  base: Trees;
  /** Trees that also read the comparable features. */
  second: Trees;
  /** The network of learned comparables; null where sales are too few or it did not help. */
  attention: Attention | null;
  /** The Gaussian process, where sales are too few for a network; null where it did not help either. */
  gaussian: Gaussian | null;
  /** Weight of the network, or of the Gaussian process, against the second-stage trees. */
  networkShare: number;
  /** Trees on the log of the absolute error. */
  spread: Trees;
  /** Worth of the lines of the adjustment grid. */
  adjustments: Adjustments;
  /** Log value of the market's typical home, net of the index: the constant that the grid's lines add to. */
  center: number;
  /** Weight of the second stage against the base trees plus the similar neighbors' residual. */
  secondShare: number;
  /** How errors grow with attributes that are missing together; empty until the back-test has measured it. */
  patterns: MissingPattern[];
  /** The out-of-fold base prediction of each training sale. */
  outOfFold: { saleIds: string[]; base: Float64Array };
  /** Sales excluded from training because they are not at market price, and the limits that exclude later ones. */
  odd: OddSale[];
  oddLimits: OddLimits | null;
  /** Expected growth, for days long after the last sale. */
  drift: Drift;
  /** By attribute, the range that holds 99% of the training sales. */
  ranges: Record<string, [number, number]>;
  /** By attribute, the range outside of which a value counts as unknown. */
  plausible: Ranges;
  scores: Scores;
  /** How many of the latest scores to use, how many of similar sigma, and the level error in the out-of-fold ones. */
  calibration: { sales: number; window: number; levelError: number };
  medianLogSqft: number;
};

/** Model inputs of one home: its row, and the reports of the learned comparables where the model has a network. */
type ModelInput = { row: Float32Array; reports?: Float32Array };

/** Blends the prediction of the second-stage trees with that of the network or the Gaussian process. */
export function predictSecond(
  { attention, gaussian, networkShare }: Pick<Model, 'attention' | 'gaussian' | 'networkShare'>,
  { row, reports }: ModelInput,
  base: number,
  trees: number,
): number {
  if (gaussian) return networkShare * predictGaussian(gaussian, row) + (1 - networkShare) * trees;
  if (!attention || !reports) return trees;
  return networkShare * predictLearned(attention, row, reports, base) + (1 - networkShare) * trees;
}

export function blend(model: Pick<Model, 'secondShare'>, base: number, alikeResidual: number, second: number): number {
  const near = base + (alikeResidual === alikeResidual ? alikeResidual : 0);
  return model.secondShare * second + (1 - model.secondShare) * near;
}

export const logLevelOn = (model: Pick<Model, 'index'>, day: number, level: number): number =>
  indexAt(model.index, day) + level;
