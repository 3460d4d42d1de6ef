// The stages of training one model, in order: index, base trees, comparables, second trees, spread, adjustments.
import type { Attributes, Sale } from '../avm/attributes.ts';
import { spreadRow, WINDOW_DAYS } from '../avm/appraise.ts';
import { comparableColumns, compareToNeighbors, NEIGHBORS } from '../avm/comparable-features.ts';
import { openBook, type Book } from '../avm/evidence.ts';
import { columnNames, type Encoding } from '../avm/features.ts';
import { fillable } from '../avm/fill.ts';
import { indexAt, monthOf, USUAL_GROWTH, type IndexCurve } from '../avm/price-growth.ts';
import { blend, type Model, type Scores } from '../avm/model.ts';
import { findNeighbors } from '../avm/neighbors.ts';
import { median, quantile } from '../avm/quantiles.ts';
import { fitOddLimits } from '../avm/odd-sales.ts';
import { listSales } from '../avm/sales.ts';
import { likenesses } from '../avm/similarity.ts';
import type { Trees } from '../avm/trees.ts';
import { fitAdjustments } from './fit/adjustments.ts';
import { chooseExpected } from './choose-features.ts';
import { crossFit, LOSS_SHARES, type Tools } from './cross-fit.ts';
import type { RunFits } from './fit/fits.ts';
import { foldOf } from './folds.ts';
import { measureAccuracy } from './metrics.ts';
import { findOddSales } from './odd-sales.ts';
import type { Parameters } from './parameters.ts';
import { prepare } from './prepare.ts';

/** Candidate weights of the networks against the second trees: about as accurate, they err differently. */
const NETWORK_SHARES = [0, 0.2, 0.4];
const SHARES = [0.5, 0.6, 0.7, 0.8, 0.9];
const MIN_BIAS = -0.04;
/**
 * Errors on unseen sales of the training period are smaller than errors on later sales. For later sales the price
 * level is only an estimate (off by about 1%, which matters most where the model is certain), and a model trained on
 * few sales has seen too little (as if it had fitted 200 numbers). Scores of later sales correct, then replace these
 * as they become known.
 */
const LEVEL_ERROR = 0.01;
const FITTED_NUMBERS = 200;

function outOfTime(sigma: number, sales: number): number {
  return Math.sqrt(1 + (LEVEL_ERROR / sigma) ** 2 + FITTED_NUMBERS / sales);
}

export type Report = (stage: string) => void;

/** What every model of one training run shares. */
export type TrainingContext = { market: string; parameters: Parameters; run: RunFits; report?: Report };

/** Trains on the sales known by `cutDay`; `sales` must be in order of their day. The version is left empty. */
export async function trainModel(
  { market, parameters, run, report = () => {} }: TrainingContext,
  sales: Sale[],
  cutDay: number,
): Promise<Model> {
  const known = sales
    .filter((sale) => sale.knownDay <= cutDay && sale.soldDay > cutDay - 365.25 * parameters.historyYears)
    .slice(-parameters.maxSales);
  const odd = await findOddSales(known, parameters, run);
  const oddIds = new Set(odd.map(({ id }) => id));
  const train = known.filter(({ id }) => !oddIds.has(id));
  const { features, days, perDay, medianLogSqft, logSqft, index, target, encode, tools } = prepare(
    train,
    parameters,
    run,
  );
  report(`1 extract: ${train.length} sales, ${odd.length} set aside, ${columnNames(features).length} columns`);
  report(
    `2 index: ${(100 * (Math.exp(indexAt(index, cutDay)) - 1)).toFixed(1)}% over ${(days / 365.25).toFixed(1)} years`,
  );

  const all = train.map((_, i) => i);
  const base = await crossFit(tools, { rows: all, options: parameters.base });
  report(`3 base trees: median error ${percent(medianErrorOf(base.unseen, target, all))} unseen`);

  const around = days < 730;
  const level = { decayDays: Math.max(15, 130 / Math.sqrt(perDay)), minSales: 30, maxSlope: 0.0008 };
  const unseen = { saleIds: train.map((sale) => sale.id), base: base.unseen };
  const oddLimits =
    parameters.screen === null
      ? undefined
      : fitOddLimits({
          types: train.map(({ attributes }) => attributes.propertyType ?? ''),
          expected: base.unseen,
          error: target.map((value, i) => value - base.unseen[i]),
        });
  const encodings: Encoding[] = encode(all).map(({ encoding }) => encoding);
  const book = openBook(
    { features, encodings, index, level, base: base.trees, lossShares: LOSS_SHARES, unseen, trainedOn: cutDay },
    listSales(train),
  );
  const comparables = compareTraining(book, logSqft, around);
  report(`4 comparables: ${train.length} sales compared with their neighbors`);

  // With neighbors from one side only, the first months have too few of them to learn from.
  const learned = around ? all : all.filter((i) => train[i].soldDay > train[0].soldDay + 200);
  const second = await crossFit(tools, {
    rows: learned,
    options: parameters.second,
    extra: { values: comparables, columns: comparableColumns.length },
    networks: learned.length < parameters.networkSales ? 0 : parameters.networks,
  });
  const mixWith = (share: number): Float64Array =>
    second.unseen.map((value, i) => share * second.unseenByNetwork[i] + (1 - share) * value);
  const networkShare = fitShare(NETWORK_SHARES, learned, target, mixWith);
  const mixed = mixWith(networkShare);
  const blendWith = (secondShare: number): Float64Array =>
    base.unseen.map((value, i) =>
      blend({ secondShare }, value, comparables[i * comparableColumns.length + 4], mixed[i]),
    );
  const secondShare = fitShare(SHARES, learned, target, blendWith);
  const blended = blendWith(secondShare);
  const stretch = fitStretch(learned, target, blended);
  const estimate = blended.map((value) => stretch.center + stretch.factor * (value - stretch.center));
  report(
    `5 second trees and networks: median error ${percent(medianErrorOf(estimate, target, learned))} unseen, shares ${secondShare} and ${networkShare}, stretch ${stretch.factor}`,
  );

  const spread = await fitSpread(tools, {
    rows: learned,
    book,
    comparables,
    base: base.unseen,
    second: mixed,
    estimate,
  });
  const { adjustments, center } = fitAdjustments(features, train, target);
  report('6 spread and adjustments');
  return {
    market,
    version: '',
    trainedOn: cutDay,
    features,
    encodings,
    expected: chooseExpected(train, features),
    index,
    level,
    base: base.trees,
    second: second.trees,
    lossShares: LOSS_SHARES,
    networks: networkShare === 0 ? [] : second.networks,
    networkShare,
    spread: spread.trees,
    adjustments,
    center,
    secondShare,
    stretch,
    missing: {},
    unseen,
    odd,
    ...(oddLimits && { oddLimits }),
    drift: driftOf(index, cutDay),
    ranges: rangesOf(train),
    scores: spread.scores,
    calibration: {
      sales: parameters.calibrationSales,
      window: parameters.calibrationWindow,
      levelError: LEVEL_ERROR,
    },
    around,
    medianLogSqft,
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

function medianErrorOf(predicted: Float64Array, target: Float64Array, rows: number[]): number {
  return median(rows.map((i) => Math.abs(Math.exp(predicted[i] - target[i]) - 1)));
}

/** A year-over-year difference cancels seasonality; a market known for less than a year is assumed to grow as usual. */
function driftOf(index: IndexCurve, cutDay: number): Model['drift'] {
  const isKnown = cutDay - index.firstDay >= 365;
  const lastYear = isKnown ? indexAt(index, cutDay) - indexAt(index, cutDay - 365) : USUAL_GROWTH;
  return { lastYear, season: fitSeason(index, cutDay) };
}

/** Mean distance of each month from the mean of the year around it; with fewer than three years, no season. */
function fitSeason(index: IndexCurve, cutDay: number): number[] {
  const levels = Array.from({ length: cutDay - index.firstDay + 1 }, (_, k) => indexAt(index, index.firstDay + k));
  if (levels.length < (3 + 1) * 365) return [];
  const months = Array.from({ length: 12 }, () => ({ sum: 0, days: 0 }));
  let year = levels.slice(0, 365).reduce((sum, level) => sum + level, 0);
  for (let middle = 182; middle + 183 < levels.length; middle++) {
    const month = months[Math.floor(monthOf(index.firstDay + middle))];
    month.sum += levels[middle] - year / 365;
    month.days++;
    year += levels[middle + 183] - levels[middle - 182];
  }
  return months.map(({ sum, days }) => sum / days);
}

function rangesOf(train: Sale[]): Record<string, [number, number]> {
  const ranges: Record<string, [number, number]> = {};
  for (const name of fillable) {
    const values = train
      .map((sale) => sale.attributes[name as keyof Attributes])
      .filter((value) => typeof value === 'number');
    const sorted = Float64Array.from(values).sort();
    if (sorted.length > 0) ranges[name] = [quantile(sorted, 0.005), quantile(sorted, 0.995)];
  }
  return ranges;
}

function compareTraining(book: Book, logSqft: Float64Array, around: boolean): Float32Array {
  const { evidence } = book;
  const width = comparableColumns.length;
  const out = new Float32Array(evidence.soldDay.length * width);
  evidence.soldDay.forEach((day, i) => {
    const subject = {
      x: evidence.x[i],
      y: evidence.y[i],
      property: evidence.property[i],
      day,
      similarity: evidence.similarity.subarray(i * evidence.dimensions, (i + 1) * evidence.dimensions),
      logSqft: logSqft[i],
    };
    const window = { from: day - WINDOW_DAYS, knownBefore: around ? Infinity : day };
    const neighbors = findNeighbors(evidence, subject.x, subject.y, subject.property, window, NEIGHBORS);
    const likeness = likenesses(evidence, neighbors.sale, subject);
    compareToNeighbors(evidence, subject, neighbors, likeness, window, out, i * width);
  });
  return out;
}

/** The share with the smallest error on recent unseen estimates. */
function fitShare(
  shares: number[],
  rows: number[],
  target: Float64Array,
  blendWith: (share: number) => Float64Array,
): number {
  const recent = rows.slice(-Math.min(rows.length, 8000));
  const errorAt = (share: number): number => {
    const blended = blendWith(share);
    return recent.reduce((sum, i) => sum + Math.abs(blended[i] - target[i]), 0);
  };
  return shares.reduce((best, share) => (errorAt(share) < errorAt(best) ? share : best));
}

/**
 * The smallest stretch that keeps the price-related bias of the unseen estimates above −0.04 (the IAAO standard's
 * limit is −0.05). Stretching until the bias is 0 costs 0.2 points of median error, because values regress to the
 * mean for a reason.
 */
function fitStretch(rows: number[], target: Float64Array, blended: Float64Array): { center: number; factor: number } {
  const recent = rows.slice(-Math.min(rows.length, 8000));
  const center = median(recent.map((i) => blended[i]));
  const prices = recent.map((i) => Math.exp(target[i]));
  const biasAt = (factor: number): number =>
    measureAccuracy(
      recent.map((i) => Math.exp(center + factor * (blended[i] - center))),
      prices,
    ).prb;
  let steps = 0;
  while (steps < 10 && biasAt(1 + steps * 0.005) < MIN_BIAS) steps++;
  return { center, factor: 1 + steps * 0.005 };
}

type SpreadInput = {
  rows: number[];
  book: Book;
  comparables: Float32Array;
  /** Unseen predictions of each stage and of the whole, by training sale. */
  base: Float64Array;
  second: Float64Array;
  estimate: Float64Array;
};

/** Trees on the log of the absolute unseen error; a floor of 1% keeps lucky hits from dominating. */
async function fitSpread(
  tools: Tools,
  { rows, book, comparables, base, second, estimate }: SpreadInput,
): Promise<{ trees: Trees; scores: Scores }> {
  const { train, target, parameters } = tools;
  const width = comparableColumns.length;
  const rowOf = (i: number): Float32Array => {
    const row = new Float32Array(book.columns + width);
    row.set(book.rows.subarray(i * book.columns, (i + 1) * book.columns));
    row.set(comparables.subarray(i * width, (i + 1) * width), book.columns);
    return spreadRow(row, base[i], second[i]);
  };
  const build = (of: number[]): Float32Array => {
    const values = new Float32Array(of.length * (book.columns + width + 2));
    of.forEach((i, at) => values.set(rowOf(i), at * (book.columns + width + 2)));
    return values;
  };
  const errors = Float64Array.from(train, (_, i) => target[i] - estimate[i]);
  const isIn = (i: number, fold: number): boolean => foldOf(train[i].propertyId, parameters.folds) === fold;
  const folds = Array.from({ length: parameters.folds }, (_, fold) => fold);
  const results = await tools.run(
    [...folds, -1].map((fold) => () => {
      const fit = rows.filter((i) => !isIn(i, fold));
      return {
        matrix: { rows: fit.length, columns: book.columns + width + 2, values: build(fit) },
        target: Float64Array.from(fit, (i) => Math.log(Math.abs(errors[i]) + 0.01)),
        options: { ...parameters.spread, seed: parameters.seed },
        predict: build(rows.filter((i) => isIn(i, fold))),
        isKept: fold < 0,
      };
    }),
  );
  const sigma = new Float64Array(train.length);
  for (const fold of folds)
    rows.filter((i) => isIn(i, fold)).forEach((i, at) => (sigma[i] = Math.exp(results[fold].predictions[at])));
  const latest = rows
    .toSorted((a, b) => train[a].knownDay - train[b].knownDay || a - b)
    .slice(-parameters.calibrationSales);
  return {
    trees: results[results.length - 1].fitted as Trees,
    scores: {
      knownDay: Int32Array.from(latest, (i) => train[i].knownDay),
      sigma: Float64Array.from(latest, (i) => sigma[i]),
      score: Float64Array.from(latest, (i) => (outOfTime(sigma[i], rows.length) * errors[i]) / sigma[i]),
      type: latest.map((i) => train[i].attributes.propertyType ?? ''),
      // The estimate in dollars of its day; the target is net of the index.
      logValue: Float64Array.from(latest, (i) => Math.log(train[i].priceUsd) - errors[i]),
      isLater: new Uint8Array(latest.length),
    },
  };
}
