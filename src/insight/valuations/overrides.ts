// Merges the caller's attributes over the record's, and flags values that no home in the market has.
import { isoDate } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { noAttributes, STATED, type Attributes, type Stated } from '../avm/attributes.ts';
import type { FeatureSet } from '../avm/features.ts';
import { isCrowded, keepPlausible } from '../avm/fill.ts';
import type { Model } from '../avm/model.ts';
import { listUnusual } from '../avm/unusual.ts';
import type { EstimateRequest, Warning } from './schema.ts';

type Wanted = EstimateRequest['property'];

/** A location is handled as a whole, below. */
const NAME_PAIRS = STATED.filter(([name]) => !['latitude', 'longitude', 'subdivision'].includes(name)) as [
  Exclude<keyof Stated, 'latitude' | 'longitude' | 'subdivision'>,
  keyof Attributes,
][];

export type Merged = {
  attributes: Attributes;
  fromRequest: string[];
  fromDatabase: string[];
  /** The model's names of the attributes given by the caller. */
  given: ReadonlySet<string>;
};

export function mergeAttributes(record: Attributes | null, wanted: Wanted): Merged {
  const attributes: Attributes = { ...noAttributes, ...record, extras: { ...record?.extras, ...wanted.extras } };
  const fromRequest: string[] = [];
  const fromDatabase: string[] = [];
  const given = new Set<string>();
  for (const [outer, inner] of NAME_PAIRS) {
    if (wanted[outer] !== undefined) {
      (attributes as Record<string, unknown>)[inner] = wanted[outer];
      fromRequest.push(outer);
      given.add(inner);
    } else if (record !== null && record[inner] !== null) fromDatabase.push(outer);
  }
  if (wanted.year_built !== undefined && wanted.effective_year_built === undefined)
    attributes.effectiveYearBuilt = wanted.year_built;
  if (wanted.bathrooms !== undefined && wanted.baths_full === undefined) {
    attributes.bathsFull = Math.floor(wanted.bathrooms);
    attributes.bathsHalf = wanted.bathrooms % 1 > 0 ? 1 : 0;
  }
  for (const name of Object.keys(wanted.extras ?? {})) fromRequest.push(`extras.${name}`);
  const hasPlace = record !== null && record.latitude !== null;
  if (!hasPlace && wanted.latitude !== undefined) {
    attributes.latitude = wanted.latitude;
    attributes.longitude = wanted.longitude!;
    fromRequest.push('latitude', 'longitude');
  } else if (hasPlace) fromDatabase.push('latitude', 'longitude');
  return { attributes, fromRequest, fromDatabase, given };
}

/** Rejects impossible combinations as caller errors. */
export function checkGiven({ attributes: a, given }: Merged, now: Date): void {
  const refuse = (pointer: string, detail: string): never =>
    fail('invalid_request', detail, { errors: [{ pointer: `/property/${pointer}`, code: 'implausible', detail }] });
  if (given.has('yearBuilt') && a.yearBuilt! > yearAfter(now))
    refuse('year_built', `A home built in ${a.yearBuilt} cannot be valued.`);
  if ((given.has('sqft') || given.has('bedrooms')) && isCrowded(a))
    refuse('bedrooms', `${a.bedrooms} bedrooms do not fit in ${a.sqft} square feet.`);
}

const yearAfter = (now: Date): number => Number(isoDate(now).slice(0, 4)) + 1;

/** A warning for each recorded value treated as unknown, and for each that at most 1% of sales have. */
export function warnOfValues(
  { plausible, ranges }: Pick<Model, 'plausible' | 'ranges'>,
  { attributes, given }: Merged,
  day: number,
): Warning[] {
  const kept = keepPlausible(attributes, plausible, day, given);
  return [
    ...kept.implausible.map(({ name, value }) => ({
      code: 'implausible_value',
      field: outerName(name),
      detail: `${outerName(name)} is ${value} on record, which is not plausible for a home here on that day, so it counts as unknown.`,
    })),
    ...listUnusual(ranges, kept.attributes, day).map(({ name, value, range: [low, high] }) => {
      const isWhole = WHOLE.has(name);
      const usual = isWhole ? [Math.ceil(low), Math.floor(high)] : [low, high];
      const shown = [value, ...usual].map((figure) => asFigure(name, figure));
      return {
        code: 'unusual_value',
        field: outerName(name),
        detail: `${capitalized(wordsFor(name))} ${shown[0]} is outside this market's usual range (${shown[1]} to ${shown[2]}). The interval and the error rate are those of such homes.`,
      };
    }),
  ];
}

/** Range ends are quantiles; an integer is compared with the next integer outward. */
const WHOLE = new Set(['sqft', 'lotSqft', 'yearBuilt', 'effectiveYearBuilt']);

// Created once: creating a formatter takes longer than valuing a home with a set of trees.
const [amounts, years] = [true, false].map(
  (useGrouping) => new Intl.NumberFormat('en-US', { maximumFractionDigits: 2, useGrouping }),
);

function asFigure(inner: string, figure: number): string {
  return (inner === 'yearBuilt' || inner === 'effectiveYearBuilt' ? years : amounts).format(figure);
}

/** A warning for each caller-stated attribute that the market's model does not use. */
export function findUnread(
  { features }: { features: Pick<FeatureSet, 'numbers' | 'categories'> },
  { given }: Merged,
): Warning[] {
  const read = new Set<string>([...features.numbers, ...features.categories]);
  return NAME_PAIRS.filter(([outer, inner]) => given.has(inner) && OF_THE_HOME.has(outer) && !read.has(outer)).map(
    ([outer, inner]) => ({
      code: 'attribute_not_used',
      field: outer,
      detail: `${capitalized(wordsFor(inner))} was stated, but the records of this market do not have it, so it does not change the value.`,
    }),
  );
}

const OF_THE_HOME = new Set(
  'sqft lot_sqft bedrooms bathrooms year_built stories units rooms garage_spaces condition quality style exterior'.split(
    ' ',
  ),
);

/** Everyday names of attributes; full and half baths share the name of bathrooms. */
const WORDS: Record<string, string> = {
  sqft: 'living area',
  lotSqft: 'lot size',
  bathsFull: 'bathrooms',
  bathsHalf: 'bathrooms',
  effectiveYearBuilt: 'year built',
};

export function wordsFor(inner: string): string {
  return (
    WORDS[inner] ??
    outerName(inner)
      .replace(/^extras\./, '')
      .replaceAll('_', ' ')
  );
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

export const outerName = (inner: string): string => NAME_PAIRS.find(([, name]) => name === inner)?.[0] ?? inner;
