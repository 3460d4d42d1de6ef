// How dissimilar two homes are: each attribute divided by the difference that matters to a buyer.
import { numberReaders, type FeatureSet } from './features.ts';
import type { Attributes } from './attributes.ts';
import type { Evidence, Subject } from './comparable-features.ts';
import scales from './dimensions.json' with { type: 'json' };

type Dimension = { name: string; scale: number; log?: boolean };

/** A difference of one scale roughly halves the likeness: a quarter in size, a doubling of the lot, 25 years … */
const dimensions: Dimension[] = scales;

/** Only attributes that the market records. */
export const similarityDimensions = (set: FeatureSet): Dimension[] =>
  dimensions.filter(({ name }) => (set.numbers as string[]).includes(name) || set.extras.includes(name));

export function writeSimilarity(set: FeatureSet, used: Dimension[], a: Attributes, out: Float32Array, offset: number) {
  used.forEach(({ name, scale, log }, k) => {
    const value =
      name in numberReaders
        ? numberReaders[name as keyof typeof numberReaders](a, set.origin)
        : (a.extras[name] ?? NaN);
    out[offset + k] = (log ? Math.log(Math.max(1, value)) : value) / scale;
  });
}

/** Gaussian in the scaled differences; 1 for an identical home. A missing value on either side counts as 1. */
export function likenessOf({ dimensions, similarity }: Evidence, sale: number, subject: Subject): number {
  let sum = 0;
  for (let d = 0; d < dimensions; d++) {
    const difference = similarity[sale * dimensions + d] - subject.similarity[d];
    sum += difference === difference ? difference * difference : 1;
  }
  return Math.exp(-0.5 * sum);
}

export function likenesses(evidence: Evidence, sale: Int32Array, subject: Subject): Float64Array {
  const likeness = new Float64Array(sale.length);
  for (let k = 0; k < sale.length; k++) likeness[k] = likenessOf(evidence, sale[k], subject);
  return likeness;
}
