// Prepares sales for fitting: features, price index, and log prices net of it.
import { logSqftOf } from '../avm/appraise.ts';
import type { Sale } from '../avm/attributes.ts';
import { countNumbers, writeNumbers, type FeatureSet } from '../avm/features.ts';
import { indexAt, type IndexCurve } from '../avm/price-growth.ts';
import { median } from '../../base/math/quantiles.ts';
import { chooseFeatures } from './choose-features.ts';
import type { Tools } from './cross-fit.ts';
import { fitEncoding } from './encodings.ts';
import type { RunFits } from './fit/fits.ts';
import type { Parameters } from './parameters.ts';
import { fitIndex } from './price-index.ts';

/** `copies` are fitted on like the sales, but never serve as evidence for others. */
export function prepare(train: Sale[], parameters: Parameters, run: RunFits, copies: Sale[] = []) {
  const learned = [...train, ...copies];
  const features = chooseFeatures(train);
  const days = train[train.length - 1].soldDay - train[0].soldDay + 1;
  const perDay = train.length / days;
  const medianLogSqft = median(
    train.flatMap((sale) => (sale.attributes.sqft === null ? [] : [Math.log(sale.attributes.sqft)])),
  );
  const logSqft = Float64Array.from(learned, (sale) => logSqftOf({ features, medianLogSqft }, sale.attributes));
  const index = fitPriceIndex(train, features, logSqft.subarray(0, train.length), perDay);
  const target = Float64Array.from(learned, (sale) => Math.log(sale.priceUsd) - indexAt(index, sale.soldDay));
  const numbers = new Float32Array(learned.length * countNumbers(features));
  learned.forEach((sale, i) =>
    writeNumbers(features, sale.attributes, sale.soldDay, numbers, i * countNumbers(features)),
  );
  const encodeTarget = netOfSize(target.subarray(0, train.length), logSqft);
  const encode = (rows: number[]) => {
    const sales = rows.filter((i) => i < train.length);
    return features.categories.map((category) => fitEncoding(train, category, encodeTarget, sales));
  };
  const tools: Tools = { train: learned, features, numbers, target, encode, parameters, run };
  return { features, days, perDay, medianLogSqft, logSqft, index, target, encode, tools };
}

/** Groups for the index: the finest area that the market records (or 2 km squares), with condos separate. */
function fitPriceIndex(train: Sale[], features: FeatureSet, logSqft: Float64Array, perDay: number): IndexCurve {
  const place = (['neighborhood', 'zip', 'census_tract', 'city'] as const).find((name) =>
    features.categories.includes(name),
  );
  const keys = train.map(({ attributes: a }) => {
    const square = `${Math.round((a.latitude ?? 0) * 55)},${Math.round((a.longitude ?? 0) * 40)}`;
    const where = { neighborhood: a.neighborhood, zip: a.zip, census_tract: a.censusTract, city: a.city };
    return `${place === undefined ? square : where[place]} ${a.propertyType === 'condo'}`;
  });
  const numbers = new Map([...new Set(keys)].map((key, k) => [key, k]));
  return fitIndex(
    {
      day: Int32Array.from(train, (sale) => sale.soldDay),
      logPrice: Float64Array.from(train, (sale) => Math.log(sale.priceUsd)),
      logSqft,
      group: Int32Array.from(keys, (key) => numbers.get(key)!),
      groups: numbers.size,
    },
    Math.min(90, Math.max(15, 150 / Math.sqrt(perDay))),
  );
}

/** Centered log price net of the effect of size: the premium of a place or style. */
function netOfSize(target: Float64Array, logSqft: Float64Array): Float64Array {
  const n = target.length;
  const meanY = target.reduce((sum, value) => sum + value, 0) / n;
  const meanX = logSqft.reduce((sum, value) => sum + value, 0) / n;
  let [xy, xx] = [0, 1e-9];
  for (let i = 0; i < n; i++) {
    xy += (logSqft[i] - meanX) * (target[i] - meanY);
    xx += (logSqft[i] - meanX) ** 2;
  }
  return target.map((value, i) => value - meanY - (xy / xx) * (logSqft[i] - meanX));
}
