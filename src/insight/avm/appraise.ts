// Values one home as of a day from what was known before that day. Serving, bulk valuation and back-tests all use it.
import { reportOn } from './attention.ts';
import { assessedOn, type Assessed, type Attributes } from './attributes.ts';
import { comparableColumns, compareToNeighbors, NEIGHBORS, type Subject } from './comparable-features.ts';
import { deviationOver, growthBetween } from './price-growth.ts';
import type { Book } from './evidence.ts';
import { categoryReaders, positionOf, writeRow } from './features.ts';
import { fillMissing, findMissing, keepPlausible } from './fill.ts';
import { blend, logLevelOn, predictSecond, type MissingPattern, type Model } from './model.ts';
import { findNeighbors, type Neighbors, type Window } from './neighbors.ts';
import { findPeers, writeTraits } from './peers.ts';
import { likenesses, similarityDimensions, writeSimilarity } from './similarity.ts';
import { predictRows, predictTrees } from './trees.ts';
import { beyondUsual, unusualFactor } from './unusual.ts';

/** Sales older than this, about three years, are not used as comparables. */
export const WINDOW_DAYS = 1100;
/** With fewer sales than this nearby, no value is returned. */
export const LEAST_SALES = 3;

/** All model inputs of one home as of a day: enough to value it again without any sale. */
export type Reading = {
  attributes: Attributes;
  /** Expected attributes that are unknown; `attributes` has them filled in for the grid. */
  missing: string[];
  /** How far the most extreme attribute lies outside the market's usual range, in range widths; 0 if none does. */
  beyond: number;
  day: number;
  /** The day as of which the market is read: `day`, or an earlier one if the last known sale is long ago. */
  marketDay: number;
  /** The last day on which a sale became known. */
  lastKnown: number;
  /** The base row followed by the comparable features: the input of the second-stage trees. */
  row: Float32Array;
  /** The reports of the learned comparables, where the model has a network. */
  reports?: Float32Array;
  level: number;
  subject: Subject;
  neighbors: Neighbors;
};

export type Appraisal = {
  /** Log of the value on the day. */
  logValue: number;
  sigma: number;
  /** Whether a prior sale of the home is known. */
  isSold: boolean;
  /** Whether an attribute lies outside the market's usual range. */
  isUnusual: boolean;
  base: number;
  second: number;
};

/**
 * A market is read as of the valuation day until FRESH_DAYS pass without a newly known sale, which is longer than the
 * gap between two months of a source dated by month. After STALE_DAYS it is read as of the day after its last known
 * sale, and prices are carried forward from there. In between, the market day falls back two days per day, so that no
 * value jumps overnight.
 */
const FRESH_DAYS = 45;
const STALE_DAYS = 90;

/** The last day before `day` on which a sale became known; `day` itself where none is. */
function lastKnownBefore({ residuals: { knownDay } }: Book, day: number): number {
  let last = knownDay.length - 1;
  while (last >= 0 && knownDay[last] >= day) last--;
  return last >= 0 ? knownDay[last] : day;
}

function marketDayOf(lastKnown: number, day: number): number {
  const age = day - lastKnown;
  if (age <= FRESH_DAYS) return day;
  const lag = ((age - FRESH_DAYS) / (STALE_DAYS - FRESH_DAYS)) * (STALE_DAYS - 1);
  return Math.max(lastKnown + 1, day - Math.round(lag));
}

/** Days that a value as of this day is carried forward because no sale has become known since. */
export const daysCarried = (book: Book, day: number): number => day - marketDayOf(lastKnownBefore(book, day), day);

/** Vouched attributes are used even if implausible. A sale already has its assessment among its attributes. */
export type Home = {
  attributes: Attributes;
  propertyId: string | null;
  vouched?: ReadonlySet<string>;
  assessed?: Assessed;
};

export function readHome(model: Model, book: Book, home: Home, day: number): Reading {
  const property = home.propertyId === null ? -1 : (book.propertyNumbers.get(home.propertyId) ?? -1);
  const stated = home.assessed ? assessedOn(home.attributes, home.assessed, day) : home.attributes;
  const known = keepPlausible(stated, model.plausible, day, home.vouched).attributes;
  const { x, y } = positionOf(model.features, known);
  const lastKnown = lastKnownBefore(book, day);
  const marketDay = marketDayOf(lastKnown, day);
  const window: Window = { from: marketDay - WINDOW_DAYS, knownBefore: marketDay };
  const neighbors = findNeighbors(book.evidence, x, y, property, window, NEIGHBORS);
  const missing = findMissing(known, model.expected);
  const nearest = neighbors.sale.values().take(100);
  const near = nearest.map((i) => book.sales.at(i));
  const attributes = missing.length === 0 ? known : fillMissing(known, missing, near);
  const used = similarityDimensions(model.features);
  const similarity = new Float32Array(used.length);
  writeSimilarity(model.features, used, known, similarity, 0);
  const subject: Subject = { x, y, property, day: marketDay, similarity, logSqft: sizeOf(model, known) };
  const row = new Float32Array(book.columns + comparableColumns.length);
  writeRow(model.features, model.encodings, known, marketDay, row, 0);
  const likeness = likenesses(book.evidence, neighbors.sale, subject);
  compareToNeighbors(book.evidence, subject, neighbors, likeness, window, row, book.columns);
  const level = book.level(marketDay);
  const reports = reportOnHome(model, book, { attributes: known, row, subject, neighbors });
  const beyond = beyondUsual(model.ranges, known, day);
  const reading = { attributes, missing, beyond, day, marketDay, lastKnown, row, ...(reports && { reports }), level };
  return { ...reading, subject, neighbors };
}

function reportOnHome(
  { attention }: Model,
  { evidence, peers }: Book,
  { attributes, row, subject, neighbors }: Pick<Reading, 'attributes' | 'row' | 'subject' | 'neighbors'>,
): Float32Array | undefined {
  if (!attention || !peers) return undefined;
  const { x: east, y: north, day, property } = subject;
  const traits = new Float32Array(attention.traits.length);
  writeTraits(attention.traits, row, 0, traits, 0);
  const places = attention.places.map((kind, k) => {
    const name = categoryReaders[kind](attributes);
    return name === null ? -1 : (peers.placeNumbers[k].get(name) ?? -1);
  });
  const lastOwn = property < 0 ? -1 : evidence.lastSale[property];
  const chosen = findPeers(evidence, neighbors, { lastOwn, day });
  return reportOn(attention, peers, { east, north, day, traits, places }, chosen);
}

const sizeOf = (model: Model, a: Attributes): number =>
  a.sqft === null && model.features.numbers.includes('sqft') ? NaN : logSqftOf(model, a);

export function logSqftOf(model: Pick<Model, 'features' | 'medianLogSqft'>, a: Attributes): number {
  if (!model.features.numbers.includes('sqft')) return 0;
  return a.sqft === null ? model.medianLogSqft : Math.log(a.sqft);
}

type Read = Pick<Reading, 'row' | 'reports' | 'day' | 'marketDay' | 'level' | 'missing' | 'beyond'>;

export function appraise(model: Model, reading: Read): Appraisal {
  const { row } = reading;
  const base = predictTrees(model.base, row);
  const second = predictSecond(model, reading, base, predictTrees(model.second, row));
  return conclude(model, reading, base, second, predictTrees(model.spread, spreadRow(row, base, second)));
}

/** Appraises many homes faster, with bit-identical results: each tree is read once for all of them. */
export function appraiseAll(model: Model, readings: Read[]): Appraisal[] {
  if (readings.length === 0) return [];
  const width = readings[0].row.length;
  const rows = joinRows(readings.map(({ row }) => row));
  const base = predictRows(model.base, rows, width);
  const second = predictRows(model.second, rows, width).map((value, i) =>
    predictSecond(model, readings[i], base[i], value),
  );
  const spreadRows = joinRows(readings.map(({ row }, i) => spreadRow(row, base[i], second[i])));
  const spread = predictRows(model.spread, spreadRows, width + 2);
  return readings.map((reading, i) => conclude(model, reading, base[i], second[i], spread[i]));
}

function conclude(model: Model, reading: Read, base: number, second: number, logSigma: number): Appraisal {
  const { row } = reading;
  const columns = row.length - comparableColumns.length;
  const blended = blend(model, base, row[columns + 4], second);
  const isSold = hasPrior(row);
  const { missing, beyond } = reading;
  const sigma = Math.exp(logSigma) * missingFactor(model, missing, isSold) * unusualFactor(beyond);
  const staleDays = reading.day - reading.marketDay;
  return {
    logValue: blended + logLevelOf(model, reading),
    sigma: Math.sqrt(sigma ** 2 + deviationOver(staleDays) ** 2),
    isSold,
    isUnusual: beyond > 0,
    base,
    second,
  };
}

function joinRows(rows: Float32Array[]): Float32Array {
  const width = rows[0].length;
  const joined = new Float32Array(rows.length * width);
  rows.forEach((row, i) => joined.set(row, i * width));
  return joined;
}

/** Log price level on the day: index plus level, plus the expected growth past the end of the data. */
export const logLevelOf = (
  model: Model,
  { day, marketDay, level }: Pick<Reading, 'day' | 'marketDay' | 'level'>,
): number => logLevelOn(model, marketDay, level) + growthBetween(model.drift, marketDay, day);

/** Input of the spread trees: the second stage's row, the value, and how far the two stages disagree. */
export function spreadRow(row: Float32Array, base: number, second: number): Float32Array {
  const out = new Float32Array(row.length + 2);
  out.set(row);
  out[row.length] = (base + second) / 2;
  out[row.length + 1] = Math.abs(second - base);
  return out;
}

/** Whether a prior sale of the home is known. */
export function hasPrior(row: Float32Array): boolean {
  const price = row[row.length - comparableColumns.length + comparableColumns.indexOf('prior_price')];
  return price === price;
}

/** For an unmeasured pattern, use the largest factor of any measured subset. */
function missingFactor({ patterns }: Pick<Model, 'patterns'>, missing: string[], isSold: boolean): number {
  const measured = missing.length === 0 ? undefined : findPattern(patterns, missing);
  if (measured === undefined) return 1;
  const shared = missing.filter((name) => measured.names.includes(name));
  const isExact = shared.length === missing.length && shared.length === measured.names.length;
  const subsets = isExact ? [] : patterns.filter(({ names }) => names.every((name) => shared.includes(name)));
  return Math.max(...[measured, ...subsets].map(({ factors }) => factors[isSold ? 1 : 0]));
}

/** The smallest measured pattern that includes all of these attributes, or else the largest of all. */
export function findPattern(patterns: MissingPattern[], missing: string[]): MissingPattern | undefined {
  let found: MissingPattern | undefined;
  for (const pattern of patterns) {
    const isSmaller = found === undefined || pattern.names.length < found.names.length;
    if (isSmaller && missing.every((name) => pattern.names.includes(name))) found = pattern;
  }
  return found ?? patterns.reduce((a, b) => (b.names.length > a.names.length ? b : a), patterns[0]);
}
