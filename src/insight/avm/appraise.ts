// Values one home on one day from what was known before that day. Serving, bulk valuation and back-tests all call it.
import { reportOn } from './attention.ts';
import type { Attributes } from './attributes.ts';
import { comparableColumns, compareToNeighbors, NEIGHBORS, type Subject } from './comparable-features.ts';
import { deviationOver, growthBetween } from './price-growth.ts';
import type { Book } from './evidence.ts';
import { categoryReaders, positionOf, writeRow } from './features.ts';
import { fillMissing, findMissing, keepPlausible } from './fill.ts';
import {
  baseFor,
  blend,
  logLevelOn,
  predictAll,
  predictAllRows,
  predictSecond,
  stretched,
  type MissingPattern,
  type Model,
} from './model.ts';
import { findNeighbors, type Neighbors, type Window } from './neighbors.ts';
import { findPeers, writeTraits } from './peers.ts';
import { likenesses, similarityDimensions, writeSimilarity } from './similarity.ts';
import { predictRows, predictTrees } from './trees.ts';

/** Sales older than this, about three years, are not used as comparables. */
export const WINDOW_DAYS = 1100;
/** With fewer sales than this in reach, no value is given. */
export const LEAST_SALES = 3;

/** Everything the models read about one home on one day: enough to value it again without looking at any sale. */
export type Reading = {
  attributes: Attributes;
  /** Expected attributes that were unknown and have been filled in. */
  missing: string[];
  day: number;
  /** The day as of which the market is read: `day` itself, or an earlier one if the last known sale is long ago. */
  marketDay: number;
  /** The last day on which a sale became known. */
  lastKnown: number;
  /** The base row followed by the comparable features: the input of the second model. */
  row: Float32Array;
  /** What the learned comparables report, where the model has such. */
  reports?: Float32Array;
  level: number;
  subject: Subject;
  neighbors: Neighbors;
};

export type Appraisal = {
  /** Log of the value on the day. */
  logValue: number;
  sigma: number;
  /** Whether an earlier sale of the home is known. */
  isSold: boolean;
  base: number;
  second: number;
};

/**
 * A market is read as of the day itself until this many days have passed without a newly known sale, longer than the
 * pause between two months of a source dated by month. From the later number on it is read as of the day after its
 * last known sale, and prices are carried forward from there. In between the market day falls back by two days a day,
 * so that no value jumps overnight.
 */
const FRESH_DAYS = 45;
const STALE_DAYS = 90;

/** The last day before `day` on which a sale became known; `day` itself where none is. */
function lastKnownBefore({ residuals: { knownDay } }: Book, day: number): number {
  let last = knownDay.length - 1;
  while (last >= 0 && knownDay[last] >= day) last--;
  return last >= 0 ? knownDay[last] : day;
}

/** Later sales play no part. */
function marketDayOf(lastKnown: number, day: number): number {
  const age = day - lastKnown;
  if (age <= FRESH_DAYS) return day;
  const lag = ((age - FRESH_DAYS) / (STALE_DAYS - FRESH_DAYS)) * (STALE_DAYS - 1);
  return Math.max(lastKnown + 1, day - Math.round(lag));
}

/** How many days a value of this day is carried forward, because no sale has become known since. */
export const daysCarried = (book: Book, day: number): number => day - marketDayOf(lastKnownBefore(book, day), day);

/** Attributes that are vouched for are used however implausible they are. */
export type Home = { attributes: Attributes; propertyId: string | null; vouched?: ReadonlySet<string> };

export function readHome(model: Model, book: Book, home: Home, day: number): Reading {
  const property = home.propertyId === null ? -1 : (book.propertyNumbers.get(home.propertyId) ?? -1);
  const known = keepPlausible(home.attributes, model.plausible, home.vouched).attributes;
  const { x, y } = positionOf(model.features, known);
  const lastKnown = lastKnownBefore(book, day);
  const marketDay = marketDayOf(lastKnown, day);
  const window: Window = { from: marketDay - WINDOW_DAYS, knownBefore: marketDay };
  const neighbors = findNeighbors(book.evidence, x, y, property, window, NEIGHBORS);
  const missing = findMissing(known, model.expected);
  const attributes =
    missing.length === 0
      ? known
      : fillMissing(
          known,
          missing,
          neighbors.sale
            .values()
            .take(100)
            .map((i) => book.sales.at(i)),
        );
  // What a model of gaps reads is what is known; the grid compares with what was filled in.
  const read = model.readsGaps ? known : attributes;
  const used = similarityDimensions(model.features);
  const similarity = new Float32Array(used.length);
  writeSimilarity(model.features, used, read, similarity, 0);
  const subject: Subject = { x, y, property, day: marketDay, similarity, logSqft: sizeOf(model, read) };
  const row = new Float32Array(book.columns + comparableColumns.length);
  writeRow(model.features, model.encodings, read, marketDay, row, 0);
  const likeness = likenesses(book.evidence, neighbors.sale, subject);
  compareToNeighbors(book.evidence, subject, neighbors, likeness, window, row, book.columns);
  const level = book.level(marketDay);
  const reports = reportOnHome(model, book, { attributes: read, row, subject, neighbors });
  const reading = { attributes, missing, day, marketDay, lastKnown, row, ...(reports && { reports }), level };
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

/** A model of gaps knows what an unknown size means; earlier ones took the market's median for it. */
function sizeOf(model: Model, a: Attributes): number {
  return model.readsGaps && a.sqft === null && model.features.numbers.includes('sqft') ? NaN : logSqftOf(model, a);
}

export function logSqftOf(model: Pick<Model, 'features' | 'medianLogSqft'>, a: Attributes): number {
  if (!model.features.numbers.includes('sqft')) return 0;
  return a.sqft === null ? model.medianLogSqft : Math.log(a.sqft);
}

/** What the models read of a home, and when. */
type Read = Pick<Reading, 'row' | 'reports' | 'day' | 'marketDay' | 'level' | 'missing'>;

export function appraise(model: Model, reading: Read): Appraisal {
  const { row } = reading;
  const base = predictAll(model, baseFor(model, hasGaps(reading)), row);
  const second = predictSecond(model, reading, base, predictAll(model, model.second, row));
  return conclude(model, reading, base, second, predictTrees(model.spread, spreadRow(row, base, second)));
}

/** Same result for many homes, bit for bit, in less time: each tree is read once for all of them. */
export function appraiseAll(model: Model, readings: Read[]): Appraisal[] {
  if (readings.length === 0) return [];
  const width = readings[0].row.length;
  const rows = joinRows(
    readings.map(({ row }) => row),
    width,
  );
  const base = predictBases(model, readings, width);
  const second = predictAllRows(model, model.second, rows, width).map((value, i) =>
    predictSecond(model, readings[i], base[i], value),
  );
  const spread = predictRows(
    model.spread,
    joinRows(
      readings.map(({ row }, i) => spreadRow(row, base[i], second[i])),
      width + 2,
    ),
    width + 2,
  );
  return readings.map((reading, i) => conclude(model, reading, base[i], second[i], spread[i]));
}

const hasGaps = ({ missing }: Read): boolean => missing.length > 0;

function predictBases(model: Model, readings: Read[], width: number): Float64Array {
  const base = new Float64Array(readings.length);
  for (const isOfGaps of [false, true]) {
    const own = Array.from(readings.keys()).filter((i) => hasGaps(readings[i]) === isOfGaps);
    const rows = joinRows(
      own.map((i) => readings[i].row),
      width,
    );
    predictAllRows(model, baseFor(model, isOfGaps), rows, width).forEach((value, k) => (base[own[k]] = value));
  }
  return base;
}

function conclude(model: Model, reading: Read, base: number, second: number, logSigma: number): Appraisal {
  const { row } = reading;
  const columns = row.length - comparableColumns.length;
  const blended = blend(model, base, row[columns + 4], second);
  const isSold = hasPrior(row);
  const sigma = Math.exp(logSigma) * missingFactor(model, reading.missing, isSold);
  const staleDays = reading.day - reading.marketDay;
  return {
    logValue: stretched(model, blended) + logLevelOf(model, reading),
    sigma: Math.sqrt(sigma ** 2 + deviationOver(staleDays) ** 2),
    isSold,
    base,
    second,
  };
}

function joinRows(rows: Float32Array[], width: number): Float32Array {
  const joined = new Float32Array(rows.length * width);
  rows.forEach((row, i) => joined.set(row, i * width));
  return joined;
}

/** Log price level on the day: the index, the level, and past the end of the data the expected growth. */
export function logLevelOf(
  model: Model,
  { day, marketDay, level }: Pick<Reading, 'day' | 'marketDay' | 'level'>,
): number {
  return logLevelOn(model, marketDay, level) + growthBetween(model.drift, marketDay, day);
}

/** Input of the spread model: the second model's row, the value, and how far the two models disagree. */
export function spreadRow(row: Float32Array, base: number, second: number): Float32Array {
  const out = new Float32Array(row.length + 2);
  out.set(row);
  out[row.length] = (base + second) / 2;
  out[row.length + 1] = Math.abs(second - base);
  return out;
}

/** Whether an earlier sale of the home is known. */
export function hasPrior(row: Float32Array): boolean {
  const price = row[row.length - comparableColumns.length + comparableColumns.indexOf('prior_price')];
  return price === price;
}

function missingFactor(model: Pick<Model, 'missing' | 'patterns'>, missing: string[], isSold: boolean): number {
  if (missing.length === 0) return 1;
  if (!model.patterns) return factorOfEach(model, missing);
  const measured = findPattern(model.patterns, missing);
  if (measured === undefined) return 1;
  // What was not measured itself is rather taken to be too hard than too easy: no easier than any part of it.
  const shared = missing.filter((name) => measured.names.includes(name));
  const isExact = shared.length === missing.length && shared.length === measured.names.length;
  const parts = isExact ? [] : model.patterns.filter(({ names }) => names.every((name) => shared.includes(name)));
  return Math.max(...[measured, ...parts].map(({ factors }) => factors[isSold ? 1 : 0]));
}

/** What was measured for these attributes, or for the fewest that include them. */
export function findPattern(patterns: MissingPattern[], missing: string[]): MissingPattern | undefined {
  let found: MissingPattern | undefined;
  for (const pattern of patterns) {
    const isNearer = found === undefined || pattern.names.length < found.names.length;
    if (isNearer && missing.every((name) => pattern.names.includes(name))) found = pattern;
  }
  return found ?? patterns.reduce((a, b) => (b.names.length > a.names.length ? b : a), patterns[0]);
}

/** Key of the factor measured with every expected attribute unknown. */
const ALL_MISSING = '*';

/** As models before there were patterns have it: errors of single attributes add up by their squares. */
function factorOfEach(model: Pick<Model, 'missing'>, missing: string[]): number {
  const excess = (name: string): number => Math.max(0, (model.missing[name] ?? 1) ** 2 - 1);
  const sum = (names: string[]): number => names.reduce((total, name) => total + excess(name), 0);
  const all = Object.keys(model.missing).filter((name) => name !== ALL_MISSING);
  const together = Math.max(1, excess(ALL_MISSING) / (sum(all) + 1e-9));
  const shareMissing = all.length > 1 ? Math.min(1, (missing.length - 1) / (all.length - 1)) : 0;
  return Math.sqrt(1 + sum(missing) * (1 + (together - 1) * Math.sqrt(shareMissing)));
}
