// Target encoding: a category (a neighborhood, a style) as its mean target, excluding a training sale's own fold.
import type { Sale } from '../avm/attributes.ts';
import { categoryReaders, type CategoryFeature, type Encoding } from '../avm/features.ts';
import { foldOf } from './fit/folds.ts';

/** Prior weight that shrinks a category's mean toward 0. */
const PRIOR = 15;
export const ENCODING_FOLDS = 5;
const SALT = 7;

export const encodingFoldOf = (sale: Sale): number => foldOf(sale.propertyId, ENCODING_FOLDS, SALT);

type Sums = Map<string, { sum: Float64Array; count: Float64Array }>;

type FittedEncoding = {
  /** For homes outside the training data. */
  encoding: Encoding;
  /** For a sale it was fitted on: the mean over the other folds. */
  outOfFold(sale: Sale): number;
  /** For comparing with a sale of the given fold, whose prices must not leak. */
  without(sale: Sale, fold: number): number;
  /** For any other sale. */
  valueOf(sale: Sale): number;
};

/** `target` must be centered on 0; only the listed rows are used. */
export function fitEncoding(
  sales: Sale[],
  category: CategoryFeature,
  target: ArrayLike<number>,
  rows: number[],
): FittedEncoding {
  const read = (sale: Sale): string => categoryReaders[category](sale.attributes) ?? '';
  const sums: Sums = new Map();
  for (const i of rows) {
    const name = read(sales[i]);
    let entry = sums.get(name);
    if (entry === undefined)
      sums.set(name, (entry = { sum: new Float64Array(ENCODING_FOLDS), count: new Float64Array(ENCODING_FOLDS) }));
    const fold = encodingFoldOf(sales[i]);
    entry.sum[fold] += target[i];
    entry.count[fold]++;
  }
  const meanWithout = (name: string, without: number): number => {
    const entry = sums.get(name);
    if (entry === undefined) return 0;
    let [sum, count] = [0, PRIOR];
    for (let fold = 0; fold < ENCODING_FOLDS; fold++) {
      if (fold === without) continue;
      sum += entry.sum[fold];
      count += entry.count[fold];
    }
    return sum / count;
  };
  return {
    encoding: Object.fromEntries([...sums.keys()].toSorted().map((name) => [name, meanWithout(name, -1)])),
    outOfFold: (sale) => meanWithout(read(sale), encodingFoldOf(sale)),
    without: (sale, fold) => meanWithout(read(sale), fold),
    valueOf: (sale) => meanWithout(read(sale), -1),
  };
}
