// Cross-fitting: fits a model so that every training sale has an out-of-fold prediction, with folds by property.
import type { Sale } from '../avm/attributes.ts';
import { countNumbers, type FeatureSet } from '../avm/features.ts';
import type { Trees } from '../avm/trees.ts';
import type { fitEncoding } from './encodings.ts';
import type { FitJob, FitResult, RunFits } from './fit/fits.ts';
import type { GaussianOptions } from './fit/gaussian.ts';
import { foldOf } from './fit/folds.ts';
import type { Parameters } from './parameters.ts';
import type { TreeOptions } from './fit/trees.ts';

/** Shared inputs of all fits of one model. */
export type Tools = {
  /** The sales, then their masked copies. */
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
  /** Rows to fit on and to predict. */
  rows: number[];
  /** Rows that are only predicted. */
  isLeftOut?: (row: number) => boolean;
  options: TreeOptions | GaussianOptions;
  folds: number;
  /** Columns that follow the base row. */
  extra?: ExtraColumns;
};

/** Predicts every row by a fit on the other folds, and fits on all rows. */
export async function crossFit<Fitted extends FitResult['fitted'] = Trees>(
  tools: Tools,
  fit: CrossFit,
): Promise<{ outOfFold: Float64Array; fitted: Fitted }> {
  const whole = fitOn(tools, fit, -1);
  const { outOfFold, others } = await predictFolds(tools, fit, [whole]);
  return { outOfFold, fitted: others[0].fitted as Fitted };
}

/** Only the out-of-fold predictions. */
export const predictOutOfFold = async (tools: Tools, fit: CrossFit): Promise<Float64Array> =>
  (await predictFolds(tools, fit, [])).outOfFold;

const isIn = ({ train }: Tools, { folds }: CrossFit, row: number, fold: number): boolean =>
  foldOf(train[row].propertyId, folds) === fold;

async function predictFolds(tools: Tools, fit: CrossFit, further: Array<() => FitJob>) {
  const folds = Array.from({ length: fit.folds }, (_, fold) => fold);
  const results = await tools.run([...folds.map((fold) => fitOn(tools, fit, fold)), ...further]);
  const outOfFold = new Float64Array(tools.train.length);
  for (const fold of folds)
    fit.rows
      .filter((i) => isIn(tools, fit, i, fold))
      .forEach((i, at) => (outOfFold[i] = results[fold].predictions[at]));
  return { outOfFold, others: results.slice(fit.folds) };
}

/** Fits on all rows except the fold's, which it predicts; -1 fits on all rows and keeps the fit. */
function fitOn(tools: Tools, fit: CrossFit, fold: number): () => FitJob {
  const { rows, isLeftOut = () => false, options, extra = { values: new Float32Array(0), columns: 0 } } = fit;
  const { parameters, target } = tools;
  const fitted = rows.filter((i) => !isIn(tools, fit, i, fold) && !isLeftOut(i));
  const predicted = rows.filter((i) => isIn(tools, fit, i, fold));
  return () => {
    const encodings = tools.encode(fitted);
    const values = buildRows(tools, { rows: fitted, encodings, seen: true, extra });
    return {
      matrix: { rows: fitted.length, columns: values.length / fitted.length, values },
      target: Float64Array.from(fitted, (i) => target[i]),
      options: { ...options, seed: parameters.seed + (fold < 0 ? 100 : 0) },
      predict: buildRows(tools, { rows: predicted, encodings, seen: false, extra }),
      isKept: fold < 0,
    };
  };
}

type Wanted = { rows: number[]; encodings: ReturnType<typeof fitEncoding>[]; seen: boolean; extra: ExtraColumns };

export function buildRows({ train, features, numbers }: Tools, { rows, encodings, seen, extra }: Wanted) {
  const own = countNumbers(features);
  const columns = own + encodings.length + extra.columns;
  const out = new Float32Array(rows.length * columns);
  rows.forEach((i, at) => {
    out.set(numbers.subarray(i * own, (i + 1) * own), at * columns);
    encodings.forEach((fitted, k) => {
      out[at * columns + own + k] = seen ? fitted.outOfFold(train[i]) : fitted.valueOf(train[i]);
    });
    out.set(extra.values.subarray(i * extra.columns, (i + 1) * extra.columns), at * columns + own + encodings.length);
  });
  return out;
}
