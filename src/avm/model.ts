// A trained model of one market and how it evaluates a row of features: pure, no I/O, about 0.2 ms.
import type { Adjustments, TreePart } from './adjustments.ts';
import type { Encoding, FeatureSet } from './features.ts';
import { indexAt, type Drift, type IndexCurve } from './price-growth.ts';
import type { LevelOptions } from './level.ts';
import { predictNetworks, type Network } from './network.ts';
import type { OddLimits, OddSale } from './odd-sales.ts';
import { predictRows, predictTrees, type Trees } from './trees.ts';

/** How far off past valuations were, in units of the expected sigma. Intervals are calibrated on these. */
export type Scores = {
  knownDay: Int32Array;
  sigma: Float64Array;
  score: Float64Array;
  /** Property type and log value of the home, to correct for kinds of homes that err more than sigma expects. */
  type: string[];
  logValue: Float64Array;
  /** 1 for a sale valued as of its day by a model trained before it; 0 for a sale that was only unseen in training. */
  isLater: Uint8Array;
};

export type Model = {
  market: string;
  version: string;
  /** Last day of the sales the trees learned from. */
  trainedOn: number;
  features: FeatureSet;
  encodings: Encoding[];
  /** By property type, the attributes that nearly every sale has; a missing one is filled in from the neighbors. */
  expected: Record<string, string[]>;
  index: IndexCurve;
  level: LevelOptions;
  /** Two sets of trees per stage, fitted to squared loss and to Huber loss. */
  base: Trees[];
  second: Trees[];
  /** Weight of each of the two sets. */
  lossShares: number[];
  /** Networks on the second trees' columns, and their weight against those trees; empty where they did not help. */
  networks: Network[];
  networkShare: number;
  spread: Trees;
  /** What the lines of the adjustment grid are worth. Models made before they were curves have `additive` instead. */
  adjustments?: Adjustments;
  additive?: TreePart[];
  /** Log value of the market's typical home, net of the index: the constant that the grid's lines add to. */
  center: number;
  secondShare: number;
  /** Log values are stretched about the center by this factor, because trees pull toward the middle. */
  stretch: { center: number; factor: number };
  /** Measured factor by which the error grows when an attribute is unknown. */
  missing: Record<string, number>;
  /** The base model's prediction for each training sale, by trees that had not seen the property. */
  unseen: { saleIds: string[]; base: Float64Array };
  /** Sales set aside before training, and how later ones are told; models made before there were such have neither. */
  odd?: OddSale[];
  oddLimits?: OddLimits;
  /** For days long after the last sale. */
  drift: Drift;
  /** By attribute, the range that holds 99% of the training sales. */
  ranges: Record<string, [number, number]>;
  scores: Scores;
  /** How many of the latest scores to use, how many of similar sigma, and the level error in the unseen ones. */
  calibration: { sales: number; window: number; levelError: number };
  /**
   * Whether training sales used comparables from both sides of their day (markets with less than two years of sales).
   */
  around: boolean;
  medianLogSqft: number;
};

/** Weighted sum over the sets of trees of one stage (squared loss, Huber loss). */
export function predictAll(
  { lossShares }: Pick<Model, 'lossShares'>,
  trees: Trees[],
  row: ArrayLike<number>,
  offset = 0,
): number {
  let sum = 0;
  for (let k = 0; k < trees.length; k++) sum += lossShares[k] * predictTrees(trees[k], row, offset);
  return sum;
}

/** The same for every row of a row-major matrix. */
export function predictAllRows(
  { lossShares }: Pick<Model, 'lossShares'>,
  trees: Trees[],
  rows: Float32Array,
  width: number,
): Float64Array {
  const sums = new Float64Array(rows.length / width);
  trees.forEach((each, k) => predictRows(each, rows, width).forEach((value, i) => (sums[i] += lossShares[k] * value)));
  return sums;
}

/** Blends the second trees and the networks for one row. */
export function predictSecond(
  model: Model,
  row: ArrayLike<number>,
  trees = predictAll(model, model.second, row),
): number {
  const { networks, networkShare } = model;
  return networks.length === 0 ? trees : networkShare * predictNetworks(networks, row) + (1 - networkShare) * trees;
}

export function blend(model: Pick<Model, 'secondShare'>, base: number, alikeResidual: number, second: number): number {
  const near = base + (alikeResidual === alikeResidual ? alikeResidual : 0);
  return model.secondShare * second + (1 - model.secondShare) * near;
}

export function stretched(model: Pick<Model, 'stretch'>, value: number): number {
  const { center, factor } = model.stretch;
  return center + factor * (value - center);
}

export function logLevelOn(model: Pick<Model, 'index'>, day: number, level: number): number {
  return indexAt(model.index, day) + level;
}
