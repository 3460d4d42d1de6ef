// A trained model of one market, and what it makes of a row of features: pure, no I/O, some 0.2 ms.
import type { Drift } from './drift.ts';
import type { Encoding, FeatureSet } from './features.ts';
import { indexAt, type IndexCurve } from './index-curve.ts';
import type { LevelOptions } from './level.ts';
import { predictNetworks, type Network } from './network.ts';
import { predictRows, predictTrees, type Trees } from './trees.ts';

/** One part of the additive model: trees that look at one group of columns only, so that parts add up to the whole. */
export type AdditivePart = { name: string; columns: number[]; trees: Trees[] };

/** How far past valuations were off, in units of the sigma expected: what intervals are calibrated on. */
export type Scores = {
  knownDay: Int32Array;
  sigma: Float64Array;
  score: Float64Array;
  /** Property type and log value of the home: kinds of homes that err more than sigma expects are told apart. */
  type: string[];
  logValue: Float64Array;
  /** 1 for a sale valued as of its day by a model trained before; the others were only unseen in training. */
  isLater?: Uint8Array;
};

export type Model = {
  market: string;
  version: string;
  /** Last day of the sales the trees learned from. */
  trainedOn: number;
  features: FeatureSet;
  encodings: Encoding[];
  /** By property type, the attributes that nearly every sale has; where one is missing it is filled in from the neighbours. */
  expected: Record<string, string[]>;
  index: IndexCurve;
  level: LevelOptions;
  /** Two sets of trees a stage, of least squares and of Huber's loss. */
  base: Trees[];
  second: Trees[];
  lossShares?: number[];
  /** Networks that read what the second trees read, and their say beside them; models of before have none. */
  networks?: Network[];
  networkShare?: number;
  spread: Trees;
  additive: AdditivePart[];
  /** Log value of the market's typical home, net of the index: what the additive parts add to. */
  center: number;
  secondShare: number;
  /** Log values are stretched about the centre by this factor: trees pull towards the middle. */
  stretch: { center: number; factor: number };
  /** By which factor the error grows when an attribute is unknown, as measured. */
  missing: Record<string, number>;
  /** What the base model made of each sale it was trained on, by trees that had not seen the property. */
  unseen: { saleIds: string[]; base: Float64Array };
  /** For days long after the last sale. */
  drift: Drift;
  /** By attribute, the range that 99 % of the training sales lie in. */
  ranges: Record<string, [number, number]>;
  scores: Scores;
  /** How many of the latest scores, how many of like sigma, and what those unseen in training allow for the market's level. */
  calibration: { sales: number; window: number; levelError?: number };
  /** Training sales used comparables from both sides of their day (markets with less than two years of sales). */
  around: boolean;
  medianLogSqft: number;
};

/** Models of before the shares were kept: both sets alike. */
const ALIKE = [0.5, 0.5];

/** The sets of trees of one stage (least squares, Huber), each with its share. */
export function predictAll(
  { lossShares = ALIKE }: Pick<Model, 'lossShares'>,
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
  { lossShares = ALIKE }: Pick<Model, 'lossShares'>,
  trees: Trees[],
  rows: Float32Array,
  width: number,
): Float64Array {
  const sums = new Float64Array(rows.length / width);
  trees.forEach((each, k) => predictRows(each, rows, width).forEach((value, i) => (sums[i] += lossShares[k] * value)));
  return sums;
}

/** What second trees and networks make of a row together. */
export function predictSecond(
  model: Model,
  row: ArrayLike<number>,
  trees = predictAll(model, model.second, row),
): number {
  const { networks = [], networkShare = 0 } = model;
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

export function marketTime(model: Pick<Model, 'index'>, day: number, level: number): number {
  return indexAt(model.index, day) + level;
}

/** What each part of the additive model adds for a base row, in log price. */
export function additiveParts(parts: AdditivePart[], row: Float32Array): Float64Array {
  return Float64Array.from(parts, ({ columns, trees }) => {
    const own = Float32Array.from(columns, (column) => row[column]);
    let sum = 0;
    for (const each of trees) sum += predictTrees(each, own);
    return sum;
  });
}

/** The same for every row of a row-major matrix, one after the other. */
export function additivePartsOfRows(parts: AdditivePart[], rows: Float32Array, width: number): Float64Array {
  const count = rows.length / width;
  const sums = new Float64Array(count * parts.length);
  parts.forEach(({ columns, trees }, p) => {
    const own = new Float32Array(count * columns.length);
    let at = 0;
    for (let i = 0; i < count; i++) for (const column of columns) own[at++] = rows[i * width + column];
    for (const each of trees) {
      const values = predictRows(each, own);
      for (let i = 0; i < count; i++) sums[i * parts.length + p] += values[i];
    }
  });
  return sums;
}
