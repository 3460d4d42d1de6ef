// A trained model of one market and how it evaluates a row of features: pure, no I/O, about 0.2 ms.
// One room because training and serving share every feature: a value cannot be computed in two ways.
import type { Adjustments, TreePart } from './adjustments.ts';
import { predictLearned, type Attention } from './attention.ts';
import type { Encoding, FeatureSet } from './features.ts';
import { indexAt, type Drift, type IndexCurve, type LevelOptions } from './price-growth.ts';
import type { Ranges } from './fill.ts';
import { predictNetworks, type Network } from './earlier/network.ts';
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
  /** 1 where an earlier sale of the home was known; models made before there was such have none. */
  isSold?: Uint8Array;
  /** 1 for a sale valued as of its day by a model trained before it; 0 for a sale that was only unseen in training. */
  isLater: Uint8Array;
};

/**
 * Attributes that were hidden together from tested sales, the factor by which errors then exceed what their sigma
 * says, and the number of sales; separately for homes without (0) and with (1) an earlier sale on record, which says
 * much of what is unknown.
 */
export type MissingPattern = { names: string[]; factors: number[]; n: number[] };

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
  /**
   * Base trees that also learned from homes with attributes hidden, for homes with gaps; the others err less without
   * them. Models made before there were such have one set for all.
   */
  baseOfGaps?: Trees[];
  second: Trees[];
  /** Weight of each of the two sets. */
  lossShares: number[];
  /** The network of learned comparables, and its weight against the second trees; none where it did not help. */
  attention?: Attention;
  networkShare: number;
  /**
   * The weight for homes of which an attribute is unknown that nearly every sale has: the second trees have not learned
   * from such. Models without it use the same for all.
   */
  networkShareOfGaps?: number;
  /** Only in models made before there were learned comparables: networks on the second trees' columns. */
  networks?: Network[];
  spread: Trees;
  /** What the lines of the adjustment grid are worth. Models made before they were curves have `additive` instead. */
  adjustments?: Adjustments;
  additive?: TreePart[];
  /** Log value of the market's typical home, net of the index: the constant that the grid's lines add to. */
  center: number;
  secondShare: number;
  /** Only in models made before accuracy alone decided: log values are stretched about the center. */
  stretch?: { center: number; factor: number };
  /** The models learned from homes with gaps, too: what is unknown is left unknown, and only the grid fills it in. */
  readsGaps?: boolean;
  /** By attribute, the measured factor by which the error grows when it is unknown: of models without `patterns`. */
  missing: Record<string, number>;
  /** How errors grow by what is unknown together. */
  patterns?: MissingPattern[];
  /** The base model's prediction for each training sale, by trees that had not seen the property. */
  unseen: { saleIds: string[]; base: Float64Array };
  /** Sales set aside before training, and how later ones are told; models made before there were such have neither. */
  odd?: OddSale[];
  oddLimits?: OddLimits;
  /** For days long after the last sale. */
  drift: Drift;
  /** By attribute, the range that holds 99% of the training sales. */
  ranges: Record<string, [number, number]>;
  /** By attribute, what is taken for a fact in this market; models made before there were such have none. */
  plausible?: Ranges;
  scores: Scores;
  /** How many of the latest scores to use, how many of similar sigma, and the level error in the unseen ones. */
  calibration: { sales: number; window: number; levelError: number };
  /**
   * Whether training sales used comparables from both sides of their day (markets with less than two years of sales).
   */
  around: boolean;
  medianLogSqft: number;
};

/** The base trees that suit a home, by whether something is unknown that nearly every sale has. */
export const baseFor = ({ base, baseOfGaps = base }: Pick<Model, 'base' | 'baseOfGaps'>, hasGaps: boolean): Trees[] =>
  hasGaps ? baseOfGaps : base;

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

/** What the models read of a home and its surroundings: its row, and what the learned comparables report. */
type ModelInput = { row: Float32Array; reports?: Float32Array; missing: string[] };

/** Blends the second trees' prediction with the network's. */
export function predictSecond(
  model: Model,
  { row, reports, missing }: ModelInput,
  base: number,
  trees: number,
): number {
  const { attention, networks = [], networkShare, networkShareOfGaps = networkShare } = model;
  if (attention && reports) {
    const share = missing.length > 0 ? networkShareOfGaps : networkShare;
    return share * predictLearned(attention, row, reports, base) + (1 - share) * trees;
  }
  return networks.length === 0 ? trees : networkShare * predictNetworks(networks, row) + (1 - networkShare) * trees;
}

export function blend(model: Pick<Model, 'secondShare'>, base: number, alikeResidual: number, second: number): number {
  const near = base + (alikeResidual === alikeResidual ? alikeResidual : 0);
  return model.secondShare * second + (1 - model.secondShare) * near;
}

export function stretched({ stretch }: Pick<Model, 'stretch'>, value: number): number {
  if (!stretch) return value;
  const { center, factor } = stretch;
  return center + factor * (value - center);
}

export function logLevelOn(model: Pick<Model, 'index'>, day: number, level: number): number {
  return indexAt(model.index, day) + level;
}
