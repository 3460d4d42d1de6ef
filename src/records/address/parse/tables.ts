// Fixed facts about US addresses: directions, states, ZIP prefixes, unit designators, numbers as words.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { STATES as ALL_STATES } from '../../../base/lib/states.ts';

const written = parse(readFileSync(new URL('./tables.yaml', import.meta.url), 'utf8')) as Record<
  'directions' | 'abbreviated' | 'states' | 'nicknames' | 'zip_areas' | 'designators' | 'countries',
  string
>;

const pairs = (text: string): [string, string][] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]);

export const ABBREVIATED: Readonly<Record<string, string>> = Object.fromEntries(pairs(written.abbreviated));
export const DIRECTIONS: ReadonlyMap<string, string> = new Map(pairs(written.directions));

export const CITY_NICKNAMES: readonly { alias: string; state: string; city: string }[] = pairs(written.nicknames).map(
  ([alias, place]) => ({ alias, state: place.slice(0, 2), city: place.slice(3) }),
);

/** Name or two-letter code → two-letter code. ZZ is the state of the sandbox market. */
export const STATES: ReadonlyMap<string, string> = new Map([
  ...ALL_STATES.map(({ name, code }): [string, string] => [name.toUpperCase(), code]),
  ...pairs(written.states).map(([name, code]): [string, string] => [name.replaceAll('_', ' '), code]),
  ...ALL_STATES.map(({ code }): [string, string] => [code, code]),
  ['ZZ', 'ZZ'],
]);

/** The first three digits of a ZIP, up to and including the given number → state. */
const ZIP_AREAS = pairs(written.zip_areas).map(([last, state]): [number, string] => [Number(last), state]);

/** Where a state's ZIP codes begin, as a number; undefined if it is not a state. */
export function firstZipOf(state: string): number | undefined {
  const at = ZIP_AREAS.findIndex(([, each]) => each === state);
  return at < 0 || state === '' ? undefined : ((ZIP_AREAS[at - 1]?.[0] ?? -1) + 1) * 100;
}

export function stateOfZipArea(zip: string): string {
  const area = Number(zip.slice(0, 3));
  return ZIP_AREAS.find(([last]) => area <= last)?.[1] ?? '';
}

/** Designator as written → standard (Publication 28, appendix C2). */
export const UNIT_DESIGNATORS: ReadonlyMap<string, string> = new Map(pairs(written.designators));
/** Designators that mean something without a number after them. */
export const UNITS_ALONE: ReadonlySet<string> = new Set('BSMT FRNT LBBY LOWR OFC PH REAR SIDE UPPR'.split(' '));
/** Designators kept in the unit key: FL 2 is not APT 2. The others all mean the same door. */
export const UNITS_WITH_MEANING: ReadonlySet<string> = new Set(
  'FL BLDG BSMT FRNT LBBY LOWR OFC PH REAR SIDE UPPR'.split(' '),
);

const ONES = 'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH'.split(' ');
const TEENS =
  'TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH'.split(' ');
const TENS = 'TWENTY THIRTY FORTY FIFTY SIXTY SEVENTY EIGHTY NINETY'.split(' ');

/** FIRST → 1 … NINETYNINTH → 99; two words are joined before lookup. */
export const ORDINAL_WORDS: ReadonlyMap<string, string> = new Map([
  ...ONES.map((word, index): [string, string] => [word, String(index + 1)]),
  ...TEENS.map((word, index): [string, string] => [word, String(index + 10)]),
  ...TENS.flatMap((tens, index): [string, string][] => [
    [`${tens.slice(0, -1)}IETH`, String((index + 2) * 10)],
    ...ONES.map((word, one): [string, string] => [tens + word, String((index + 2) * 10 + one + 1)]),
  ]),
]);
export const TENS_WORDS: ReadonlySet<string> = new Set(TENS);

export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  'ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN'.split(' ').map((word, index) => [word, String(index + 1)]),
);

/** Names of other countries at the end of an address. */
export const COUNTRIES: ReadonlySet<string> = new Set(written.countries.split(', '));
