// Fits trees so that every training sale has a prediction from models that have not seen its property.
import type { Sale } from '../avm/attributes.ts';
import { countNumbers, type FeatureSet } from '../avm/features.ts';
import type { Trees } from '../avm/trees.ts';
import type { fitEncoding } from './encodings.ts';
import type { FitJob, RunFits } from './fit/fits.ts';
import { foldOf } from './fit/folds.ts';
import type { Parameters } from './parameters.ts';
import type { TreeOptions } from './fit/trees.ts';

/** Squared loss and Huber loss: a third and two thirds had the lowest error on years before the tested ones. */
export const LOSS_SHARES = [1 / 3, 2 / 3];

/** What all fits of one model share. */
export type Tools = {
  /** The sales, then their twins with attributes hidden. */
  train: Sale[];
  features: FeatureSet;
  numbers: Float32Array;
  target: Float64Array;
  encode(rows: number[]): ReturnType<typeof fitEncoding>[];
  parameters: Parameters;
  run: RunFits;
};

type ExtraColumns = { values: Float32Array; columns: number };

type CrossFit = {
  /** Training sales to predict, and to learn from. */
  rows: number[];
  /** Those of them that are only predicted. */
  isLeftOut?: (row: number) => boolean;
  options: TreeOptions;
  /** Each fold's homes are predicted by trees fitted on the others. */
  folds: number;
  /** Columns that follow the base row. */
  extra?: ExtraColumns;
};

/** Fits trees of each loss on every fold's complement (for unseen predictions) and on all rows. */
export async function crossFit(
  tools: Tools,
  {
    rows,
    isLeftOut = () => false,
    options,
    folds: count,
    extra = { values: new Float32Array(0), columns: 0 },
  }: CrossFit,
) {
  const { train, parameters, target } = tools;
  const losses = [Infinity, parameters.huber];
  const learnersOf = (fold: number): TreeOptions[] =>
    losses.map((huber) => ({ ...options, huber, seed: parameters.seed + (fold < 0 ? 100 : 0) }));
  const folds = Array.from({ length: count }, (_, fold) => fold);
  const isIn = (i: number, fold: number): boolean => foldOf(train[i].propertyId, count) === fold;
  const jobs: Array<() => FitJob> = [];
  for (const fold of [...folds, -1]) {
    const fit = rows.filter((i) => !isIn(i, fold) && !isLeftOut(i));
    const predict = rows.filter((i) => isIn(i, fold));
    const encodings = tools.encode(fit);
    const matrixOf = (of: number[], seen: boolean) => buildRows(tools, { rows: of, encodings, seen, extra });
    for (const learner of learnersOf(fold)) {
      jobs.push(() => {
        const values = matrixOf(fit, true);
        return {
          matrix: { rows: fit.length, columns: values.length / fit.length, values },
          target: Float64Array.from(fit, (i) => target[i]),
          options: learner,
          predict: matrixOf(predict, false),
          isKept: fold < 0,
        };
      });
    }
  }
  const results = await tools.run(jobs);
  const unseen = new Float64Array(train.length);
  const perFold = losses.length;
  folds.forEach((fold) => {
    const predicted = rows.filter((i) => isIn(i, fold));
    results.slice(fold * perFold, (fold + 1) * perFold).forEach(({ predictions }, k) => {
      predicted.forEach((i, at) => (unseen[i] += LOSS_SHARES[k] * predictions[at]));
    });
  });
  const kept = results.slice(folds.length * perFold).map(({ fitted }) => fitted);
  return { unseen, trees: kept as Trees[] };
}

/** One prediction per training sale by trees of the Huber loss that had not seen its property, nor what is left out. */
export async function predictUnseen(tools: Tools, options: TreeOptions, leftOut: Set<string>): Promise<Float64Array> {
  const { train, target, parameters } = tools;
  const folds = Array.from({ length: parameters.folds }, (_, fold) => fold);
  const extra = { values: new Float32Array(0), columns: 0 };
  const foldOfRow = train.map(({ propertyId }) => foldOf(propertyId, parameters.folds));
  const rowsOf = (isIn: (i: number) => boolean) => Array.from(train.keys()).filter(isIn);
  const results = await tools.run(
    folds.map((fold) => () => {
      const fit = rowsOf((i) => foldOfRow[i] !== fold && !leftOut.has(train[i].id));
      const encodings = tools.encode(fit);
      const values = buildRows(tools, { rows: fit, encodings, seen: true, extra });
      const predict = rowsOf((i) => foldOfRow[i] === fold);
      return {
        matrix: { rows: fit.length, columns: values.length / fit.length, values },
        target: Float64Array.from(fit, (i) => target[i]),
        options: { ...options, huber: parameters.huber, seed: parameters.seed },
        predict: buildRows(tools, { rows: predict, encodings, seen: false, extra }),
        isKept: false,
      };
    }),
  );
  const unseen = new Float64Array(train.length);
  folds.forEach((fold) =>
    rowsOf((i) => foldOfRow[i] === fold).forEach((i, at) => (unseen[i] = results[fold].predictions[at])),
  );
  return unseen;
}

export function buildRows(
  { train, features, numbers }: Tools,
  {
    rows,
    encodings,
    seen,
    extra,
  }: { rows: number[]; encodings: ReturnType<typeof fitEncoding>[]; seen: boolean; extra: ExtraColumns },
) {
  const own = countNumbers(features);
  const columns = own + encodings.length + extra.columns;
  const out = new Float32Array(rows.length * columns);
  rows.forEach((i, at) => {
    out.set(numbers.subarray(i * own, (i + 1) * own), at * columns);
    encodings.forEach((fitted, k) => {
      out[at * columns + own + k] = seen ? fitted.unseen(train[i]) : fitted.valueOf(train[i]);
    });
    out.set(extra.values.subarray(i * extra.columns, (i + 1) * extra.columns), at * columns + own + encodings.length);
  });
  return out;
}
