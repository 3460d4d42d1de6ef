// Compares one reading with one record: the doubts that remain, or a conflict that rules the record out.
import type { AddressRecord } from '../parse/canonical.ts';
import { isSameHighway } from '../parse/names.ts';
import { compareNumbers } from '../parse/numbers.ts';
import type { Reading } from '../parse/read.ts';
import { editDistance, tolerance } from '../../../base/lib/spelling.ts';
import { hasDigit } from '../parse/text.ts';
import doubts from './doubts.json' with { type: 'json' };

/** Differences that may still mean the same house, with their weights; the record with the least doubt wins. */
export type Doubt = keyof typeof doubts;
export const DOUBTS = Object.fromEntries(Object.entries(doubts).map(([name, { weight }]) => [name, weight])) as Record<
  Doubt,
  number
>;
const names = Object.keys(doubts) as Doubt[];
export const doubtsOf = (kind: string): readonly Doubt[] =>
  names.filter((name) => doubts[name].kinds.includes(kind as never));

/** With fewer letters, most names are one letter from another. */
const MIN_TYPED = 3;

/** Never a match, but worth showing as "did you mean". */
type Conflict = 'suffix' | 'direction' | 'unit' | 'spelling' | 'number';

export interface Comparison {
  reading: Reading;
  record: AddressRecord;
  doubts: Doubt[];
  weight: number;
  /** Number of letters by which the street name differs. */
  edits: number;
  conflict?: Conflict;
}

/** The cities among the records that a reading's city stands for, and whether its spelling was corrected for it. */
export interface Place {
  state: string;
  cities: readonly string[];
  /** ZIP codes of the postal city that are filed under another name. */
  zips: readonly string[];
  cityCorrected: boolean;
}

/** How many letters the names differ by: 0 for the same street, undefined for a different one. Separate from `compare`
    because a block of a big city has thousands of records but few names. */
export function compareNames(reading: Reading, known: string): number | undefined {
  const asked = reading.street.name;
  if (asked === known || isSameHighway(asked, known)) return 0;
  if (reading.plainName || hasDigit(asked) || hasDigit(known)) return undefined;
  // For a name with missing letters, the length of the known name counts: Wsconin is treated like Wisconsin.
  const allowed = asked.length < known.length ? tolerance(known) : Math.min(tolerance(asked), tolerance(known));
  if (allowed === 0 || asked.length < MIN_TYPED) return undefined;
  const edits = editDistance(asked, known, allowed);
  return edits <= allowed ? edits : undefined;
}

/** Undefined if the record is a different house. */
export function compare(reading: Reading, record: AddressRecord, place: Place, edits: number): Comparison | undefined {
  const doubts: Doubt[] = [];
  if (place.state && record.state !== place.state) return undefined;
  if (reading.counties && reading.counties.fips.has(record.fips) !== reading.counties.only) return undefined;

  const number = compareNumbers(reading.number, record.number);
  if (number === 'different') return undefined;
  if (number === 'within_range') doubts.push('number_range');
  if (number === 'hyphen') doubts.push('number_hyphen');

  if (edits > 0) doubts.push('street_spelling');
  else if (reading.street.name !== record.street.name) doubts.push('highway_class');
  if (reading.plainName) doubts.push('suffix_in_name');
  if (!compareLocality(reading, record, place, doubts)) return undefined;

  const conflict =
    suffixConflict(reading, record, doubts) ??
    directionConflict(reading, record, doubts) ??
    unitConflict(reading, record, doubts) ??
    (number === 'further_house' ? 'number' : undefined);
  const weight = doubts.reduce((sum, doubt) => sum + DOUBTS[doubt] * (doubt === 'street_spelling' ? edits : 1), 0);
  return { reading, record, doubts, weight, edits, ...(conflict ? { conflict } : {}) };
}

/** ZIP beats city, because city names are often vanity names; a wrong ZIP needs the right city. */
function compareLocality(reading: Reading, record: AddressRecord, place: Place, doubts: Doubt[]): boolean {
  const sameZip = reading.zip !== '' && record.zip === reading.zip;
  const sameCity = place.cities.includes(record.city) || place.zips.includes(record.zip);
  if (reading.zip && record.zip && !sameZip) {
    if (!sameCity) return false;
    doubts.push('zip_differs');
  }
  if (reading.city && !sameCity) {
    if (!sameZip) return false;
    doubts.push(reading.cityGuessed ? 'city_guessed' : 'city_differs');
  }
  if (reading.city && sameCity && place.cityCorrected) doubts.push('city_spelling');
  // The loaded Springfield is not necessarily the intended one.
  if (!reading.zip && !reading.state) doubts.push('state_missing');
  return true;
}

function suffixConflict(reading: Reading, record: AddressRecord, doubts: Doubt[]): Conflict | undefined {
  const [asked, known] = [reading.street.suffix, record.street.suffix];
  if (asked === known) return undefined;
  if (asked && known) return 'suffix';
  doubts.push(asked ? 'suffix_extra' : 'suffix_missing');
  return undefined;
}

function directionConflict(reading: Reading, record: AddressRecord, doubts: Doubt[]): Conflict | undefined {
  if (reading.street.pre === record.street.pre && reading.street.post === record.street.post) return undefined;
  const asked = [reading.street.pre, reading.street.post].filter(Boolean);
  const known = [record.street.pre, record.street.post].filter(Boolean);
  const isWithin = (some: string[], all: string[]) => some.every((direction) => all.includes(direction));
  if (asked.length === 1 && known.length === 1 && asked[0] === known[0]) doubts.push('direction_moved');
  else if (asked.length < known.length && isWithin(asked, known)) doubts.push('direction_missing');
  else if (asked.length > known.length && isWithin(known, asked)) doubts.push('direction_extra');
  else return 'direction';
  return undefined;
}

function unitConflict(reading: Reading, record: AddressRecord, doubts: Doubt[]): Conflict | undefined {
  if (reading.unit === record.unit) return undefined;
  const isOtherHouse = reading.unitInNumber && reading.form !== 'letter_apart';
  if (reading.unit && (record.unit || isOtherHouse)) return 'unit';
  if (reading.unit) doubts.push('unit_not_in_record');
  else doubts.push(record.unitInNumber ? 'number_letter_missing' : 'unit_missing');
  return undefined;
}
