// Trains one model in stages: index, base trees, comparables, second trees, learned comparables, spread, and grid.
import type { Attributes, Sale } from '../avm/attributes.ts';
import { appraise, hasPrior, readHome, spreadRow, WINDOW_DAYS } from '../avm/appraise.ts';
import { comparableColumns, compareToNeighbors, NEIGHBORS } from '../avm/comparable-features.ts';
import { openBook, type Book } from '../avm/evidence.ts';
import { columnNames, writeRow, type Encoding, type FeatureSet } from '../avm/features.ts';
import { fillable, plausibleRanges, withPlausible } from '../avm/fill.ts';
import { indexAt } from '../avm/price-growth.ts';
import { openScores } from '../avm/interval.ts';
import { blend, type Model, type Scores } from '../avm/model.ts';
import { findNeighbors } from '../avm/neighbors.ts';
import { median, quantile } from '../../base/math/quantiles.ts';
import { fitOddLimits } from '../avm/odd-sales.ts';
import { listSales } from '../avm/sales.ts';
import { likenesses, similarityDimensions, writeSimilarity } from '../avm/similarity.ts';
import type { Trees } from '../avm/trees.ts';
import { beyondUsual, unusualFactor } from '../avm/unusual.ts';
import { fitAdjustments } from './fit/adjustments.ts';
import { chooseExpected } from './choose-features.ts';
import { crossFit, type Tools } from './cross-fit.ts';
import { fitFewSales } from './few-sales.ts';
import type { RunFits } from './fit/fits.ts';
import { fitLearnedComparables } from './learned-comparables.ts';
import { foldOf } from './fit/folds.ts';
import { findOddSales } from './odd-sales.ts';
import type { Parameters } from './parameters.ts';
import { denseSince } from './history.ts';
import { asPercent } from './metrics.ts';
import { prepare } from './prepare.ts';
import { driftOf } from './price-index.ts';
import { isAllHidden, makeMaskedCopies, type MaskedCopies } from './masked-copies.ts';

/** Candidate weights of the network against the second-stage trees, and of both against the similar neighbors. */
const NETWORK_SHARES = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
/** For the Gaussian process: out of fold 0.7 would be chosen, but out of time 0.5 is better (15.8 and 15.5%). */
const GAUSSIAN_SHARES = [0, 0.3, 0.5];
const SHARES = [0.5, 0.6, 0.7, 0.8, 0.9, 1];
/**
 * Out-of-fold errors are smaller than out-of-time errors: the price level of later days is only an estimate (off by
 * about 1%, which matters most where the model is certain). Out-of-time scores first correct and then replace the
 * out-of-fold ones as sales become known. Overfitting on few sales needs no correction: the second stage's errors come
 * from models of half the sales, whose errors are larger by as much.
 */
const LEVEL_ERROR = 0.01;

const outOfTime = (sigma: number): number => Math.sqrt(1 + (LEVEL_ERROR / sigma) ** 2);

export type Report = (stage: string) => void;

/** Shared by all models of one training run. */
export type TrainingContext = {
  market: string;
  parameters: Parameters;
  run: RunFits;
  report?: Report;
  /** A sample of the homes on record, sold or not. */
  homes?: Attributes[];
};

/** Trains on the sales known by `cutDay`; `sales` must be ordered by day. The version is left empty. */
export async function trainModel(
  { market, parameters, run, report = () => {} }: TrainingContext,
  sales: Sale[],
  cutDay: number,
): Promise<Model> {
  const everKnown = sales.filter((sale) => sale.knownDay <= cutDay);
  const from = Math.max(denseSince(everKnown), cutDay - 365.25 * parameters.historyYears);
  const recorded = everKnown.filter(({ soldDay }) => soldDay > from).slice(-parameters.maxSales);
  const older = everKnown.filter(({ soldDay }) => soldDay < recorded[0].soldDay);
  const plausible = plausibleRanges(recorded);
  const known = recorded.map((sale) => withPlausible(sale, plausible));
  const odd = await findOddSales(recorded, parameters, run);
  const oddIds = new Set(odd.map(({ id }) => id));
  const train = known.filter(({ id }) => !oddIds.has(id));
  const copies = makeMaskedCopies(train);
  const { features, days, perDay, medianLogSqft, logSqft, index, target, encode, tools } = prepare(
    train,
    parameters,
    run,
    copies.sales,
  );
  report(`1 extract: ${train.length} sales, ${odd.length} set aside, ${columnNames(features).length} columns`);
  report(
    `2 index: ${(100 * (Math.exp(indexAt(index, cutDay)) - 1)).toFixed(1)}% over ${(days / 365.25).toFixed(1)} years`,
  );

  const isSale = (i: number): boolean => i < train.length;
  const isBare = (i: number): boolean => !isSale(i) && isAllHidden(tools.train[i].attributes);
  const all = tools.train.map((_, i) => i);
  const base = await crossFit(tools, { rows: all, options: parameters.base, folds: parameters.folds });
  report(
    `3 base trees: median error ${asPercent(medianErrorOf(base.outOfFold, target, all.filter(isSale)))} out of fold, ${asPercent(medianErrorOf(base.outOfFold, target, all.filter(isBare)))} with all attributes hidden`,
  );

  // With less than two years of sales, comparables come from before and after each sale.
  const isTwoSided = days < 730;
  const level = { decayDays: decayDaysOf(train, perDay), minSales: 30, maxSlope: 0.0008 };
  const outOfFold = { saleIds: train.map((sale) => sale.id), base: base.outOfFold.slice(0, train.length) };
  const oddLimits =
    parameters.screen === null
      ? null
      : fitOddLimits({
          types: train.map(({ attributes }) => attributes.propertyType ?? ''),
          expected: outOfFold.base,
          error: outOfFold.base.map((value, i) => target[i] - value),
        });
  const encodings: Encoding[] = encode(all).map(({ encoding }) => encoding);
  // Not trained yet, and not needed to compare training sales.
  const untrained = { odd: [], oddLimits: null, attention: null };
  const view = { features, encodings, index, level, base: base.fitted, outOfFold, plausible, ...untrained };
  const book = openBook(view, listSales([...older, ...train]));
  const isSized = (i: number): boolean => !features.numbers.includes('sqft') || tools.train[i].attributes.sqft !== null;
  const comparables = compareTraining(book, { copies, features, logSqft, isSized, isTwoSided });
  report(`4 comparables: ${train.length} sales compared with their neighbors`);

  // If comparables come only from the past, sales of the first months have too few to learn from.
  const learned = isTwoSided ? all : all.filter((i) => tools.train[i].soldDay > train[0].soldDay + 200);
  const learnedSales = learned.filter(isSale);
  const second = await crossFit(tools, {
    rows: learned,
    options: parameters.second,
    folds: parameters.secondFolds,
    extra: { values: comparables, columns: comparableColumns.length },
  });
  report(
    `5 second-stage trees: median error ${asPercent(medianErrorOf(second.outOfFold, target, learnedSales))} out of fold`,
  );

  const compared =
    parameters.attention !== null && learnedSales.length >= parameters.attentionSales
      ? await fitLearnedComparables(tools, {
          rows: learned,
          copies,
          book,
          comparables,
          base: base.outOfFold,
          isTwoSided,
          options: { ...parameters.attention, seed: parameters.seed },
        })
      : null;
  const hasFewSales = parameters.kernel !== null && learnedSales.length < parameters.attentionSales;
  const gaussian = hasFewSales ? await fitFewSales(tools, learned, isSale) : null;
  const other = (compared ?? gaussian)?.outOfFold;
  const mixWith = (share: number): Float64Array =>
    other ? second.outOfFold.map((value, i) => share * other[i] + (1 - share) * value) : second.outOfFold;
  const shares = compared ? NETWORK_SHARES : GAUSSIAN_SHARES;
  const networkShare = other ? fitShare(shares, learnedSales, target, mixWith) : 0;
  const mixed = mixWith(networkShare);
  const blendWith = (secondShare: number): Float64Array =>
    mixed.map((value, i) =>
      blend({ secondShare }, base.outOfFold[i], comparables[i * comparableColumns.length + 4], value),
    );
  const secondShare = fitShare(SHARES, learnedSales, target, blendWith);
  const estimate = blendWith(secondShare);
  report(
    `6 learned comparables: median error ${asPercent(medianErrorOf(estimate, target, learnedSales))} out of fold, ${asPercent(medianErrorOf(estimate, target, learned.filter(isBare)))} with all attributes hidden, shares ${networkShare} and ${secondShare}`,
  );

  const calibrated = Math.max(parameters.calibrationSales, Math.round(parameters.calibrationDays * perDay));
  const ranges = rangesOf(train);
  const spread = await fitSpread(tools, {
    calibrated,
    ranges,
    rows: learned,
    sales: train.length,
    encodings,
    comparables,
    base: base.outOfFold,
    second: mixed,
    estimate,
  });
  const { adjustments, center } = fitAdjustments(features, train, target.subarray(0, train.length));
  report('7 spread and adjustments');
  const model: Model = {
    market,
    version: '',
    trainedOn: cutDay,
    features,
    encodings,
    expected: chooseExpected(train, features),
    index,
    level,
    base: base.fitted,
    second: second.fitted,
    attention: compared && networkShare > 0 ? compared.network : null,
    gaussian: gaussian && networkShare > 0 ? gaussian.fitted : null,
    networkShare,
    spread: spread.trees,
    adjustments,
    center,
    secondShare,
    patterns: [],
    outOfFold,
    odd,
    oddLimits,
    drift: driftOf(index, cutDay),
    ranges,
    plausible,
    scores: spread.scores,
    calibration: { sales: calibrated, window: Math.round(calibrated / 3), levelError: LEVEL_ERROR },
    medianLogSqft,
  };
  return { ...model, scores: scoreExcluded(model, [...older, ...known]) };
}

/**
 * Adds scores of the excluded sales. Such prices will be recorded again, and an 80% interval must cover 80% of all
 * recorded prices.
 */
function scoreExcluded(model: Model, known: Sale[]): Scores {
  const excluded = new Set(model.odd.map(({ id }) => id));
  if (excluded.size === 0) return model.scores;
  const book = openBook(model, listSales(known));
  const scores = openScores(model.scores);
  const [from] = model.scores.knownDay;
  for (const sale of known) {
    if (!excluded.has(sale.id) || sale.knownDay < from) continue;
    scores.add(sale, appraise(model, readHome(model, book, sale, sale.soldDay)), 0);
  }
  return scores.all();
}

const MIN_DECAY_DAYS = 15;

/**
 * Decay of the market's level: faster with more sales, but no faster than the reporting lag, because the level is
 * extrapolated over the lag and a few days of sales are too noisy for that.
 */
function decayDaysOf(train: Sale[], perDay: number): number {
  const lag = median(train.map(({ soldDay, knownDay }) => knownDay - soldDay));
  return Math.max(MIN_DECAY_DAYS, lag, 130 / Math.sqrt(perDay));
}

const medianErrorOf = (predicted: Float64Array, target: Float64Array, rows: number[]): number =>
  median(rows.map((i) => Math.abs(Math.exp(predicted[i] - target[i]) - 1)));

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

type Compared = {
  copies: MaskedCopies;
  features: FeatureSet;
  logSqft: Float64Array;
  isSized: (at: number) => boolean;
  isTwoSided: boolean;
};

/** Comparable features of each sale and of its masked copies. */
function compareTraining(book: Book, { copies, features, logSqft, isSized, isTwoSided }: Compared): Float32Array {
  const { evidence } = book;
  const width = comparableColumns.length;
  const sales = evidence.soldDay.length;
  const out = new Float32Array((sales + copies.of.length) * width);
  const used = similarityDimensions(features);
  const compare = (at: number, i: number, similarity: Float32Array): void => {
    const [x, y, property, day] = [evidence.x[i], evidence.y[i], evidence.property[i], evidence.soldDay[i]];
    const subject = { x, y, property, day, similarity, logSqft: isSized(at) ? logSqft[at] : NaN };
    const window = { from: day - WINDOW_DAYS, knownBefore: isTwoSided ? Infinity : day };
    const neighbors = findNeighbors(evidence, x, y, property, window, NEIGHBORS);
    const likeness = likenesses(evidence, neighbors.sale, subject);
    compareToNeighbors(evidence, subject, neighbors, likeness, window, out, at * width);
  };
  for (let i = 0; i < sales; i++)
    compare(i, i, evidence.similarity.subarray(i * evidence.dimensions, (i + 1) * evidence.dimensions));
  copies.of.forEach((i, k) => {
    const similarity = new Float32Array(used.length);
    writeSimilarity(features, used, copies.sales[k].attributes, similarity, 0);
    compare(sales + k, i, similarity);
  });
  return out;
}

/** The weight with the smallest mean error on the latest out-of-fold estimates. */
function fitShare(shares: number[], rows: number[], target: Float64Array, blendWith: (share: number) => Float64Array) {
  const recent = rows.slice(-Math.min(rows.length, 8000));
  const errorAt = (share: number): number => {
    const blended = blendWith(share);
    return recent.reduce((sum, i) => sum + Math.abs(blended[i] - target[i]), 0);
  };
  return shares.reduce((best, share) => (errorAt(share) < errorAt(best) ? share : best));
}

type SpreadInput = {
  /** Number of latest scores to keep. */
  calibrated: number;
  ranges: Model['ranges'];
  rows: number[];
  encodings: Encoding[];
  comparables: Float32Array;
  /** Number of sales; their masked copies follow. */
  sales: number;
  /** Out-of-fold predictions of each stage and of the blend. */
  base: Float64Array;
  second: Float64Array;
  estimate: Float64Array;
};

/** Trees on the log of the absolute out-of-fold error; adding 1% keeps near-zero errors from dominating. */
async function fitSpread(
  tools: Tools,
  { calibrated, ranges, rows, sales, encodings, comparables, base, second, estimate }: SpreadInput,
): Promise<{ trees: Trees; scores: Scores }> {
  const { train, features, target, parameters } = tools;
  const width = comparableColumns.length;
  const columns = columnNames(features).length;
  const rowOf = (i: number): Float32Array => {
    const row = new Float32Array(columns + width);
    writeRow(features, encodings, train[i].attributes, train[i].soldDay, row, 0);
    row.set(comparables.subarray(i * width, (i + 1) * width), columns);
    return spreadRow(row, base[i], second[i]);
  };
  const build = (of: number[]): Float32Array => {
    const values = new Float32Array(of.length * (columns + width + 2));
    of.forEach((i, at) => values.set(rowOf(i), at * (columns + width + 2)));
    return values;
  };
  const errors = Float64Array.from(train, (_, i) => target[i] - estimate[i]);
  const isIn = (i: number, fold: number): boolean => foldOf(train[i].propertyId, parameters.folds) === fold;
  const folds = Array.from({ length: parameters.folds }, (_, fold) => fold);
  const results = await tools.run(
    [...folds, -1].map((fold) => () => {
      const fit = rows.filter((i) => !isIn(i, fold));
      return {
        matrix: { rows: fit.length, columns: columns + width + 2, values: build(fit) },
        target: Float64Array.from(fit, (i) => Math.log(Math.abs(errors[i]) + 0.01)),
        options: { ...parameters.spread, seed: parameters.seed },
        predict: build(rows.filter((i) => isIn(i, fold))),
        isKept: fold < 0,
      };
    }),
  );
  const beyond = train.map(({ attributes, soldDay }) => beyondUsual(ranges, attributes, soldDay));
  const sigma = new Float64Array(train.length);
  for (const fold of folds)
    rows
      .filter((i) => isIn(i, fold))
      .forEach((i, at) => (sigma[i] = Math.exp(results[fold].predictions[at]) * unusualFactor(beyond[i])));
  const latest = rows
    .filter((i) => i < sales)
    .toSorted((a, b) => train[a].knownDay - train[b].knownDay || a - b)
    .slice(-calibrated);
  return {
    trees: results[results.length - 1].fitted as Trees,
    scores: {
      knownDay: Int32Array.from(latest, (i) => train[i].knownDay),
      sigma: Float64Array.from(latest, (i) => sigma[i]),
      score: Float64Array.from(latest, (i) => (outOfTime(sigma[i]) * errors[i]) / sigma[i]),
      type: latest.map((i) => train[i].attributes.propertyType ?? ''),
      // The estimate in dollars of its day; the target is net of the index.
      logValue: Float64Array.from(latest, (i) => Math.log(train[i].priceUsd) - errors[i]),
      isSold: Uint8Array.from(latest, (i) => Number(hasPrior(comparables.subarray(i * width, (i + 1) * width)))),
      isUnusual: Uint8Array.from(latest, (i) => Number(beyond[i] > 0)),
      isOutOfTime: new Uint8Array(latest.length),
    },
  };
}
