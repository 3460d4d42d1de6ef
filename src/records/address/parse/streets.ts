// Parses the words of a street into direction, name, suffix and trailing direction; the same for records and input.
import { streetNameKey } from './names.ts';
import { editDistance } from '../../../base/lib/spelling.ts';
import { SUFFIXES, SUFFIX_WORDS } from './suffixes.ts';
import { DIRECTIONS } from './tables.ts';
import { hasDigit } from './text.ts';
import { entryOf } from '../../../base/lib/must.ts';

export interface Street {
  pre: string;
  name: string;
  suffix: string;
  post: string;
}

export const isSameSide = (a: Pick<Street, 'pre' | 'post'>, b: Pick<Street, 'pre' | 'post'>): boolean =>
  a.pre === b.pre && a.post === b.post;

export const isSameStreet = (a: Street, b: Street): boolean =>
  a.name === b.name && a.suffix === b.suffix && isSameSide(a, b);

const LONG_SUFFIXES = ['AVENUE', 'STREET', 'DRIVE', 'COURT', 'PLACE', 'CIRCLE', 'PARKWAY', 'BOULEVARD', 'TERRACE'];
const ROAD_BEFORE_NUMBER = /^(US|U|STATE|COUNTY|CO|CNTY|HWY|HIGHWAY|RTE|ROUTE|RT|INTERSTATE|I|SR|SH|STH|CR|CTH|FM)$/;

export function readStreet(words: readonly string[]): Street {
  let rest = joinSplitDirections(words.filter((word) => word !== '-'));
  const street: Street = { pre: '', name: '', suffix: '', post: '' };

  if (isLetteredAvenue(rest)) return { ...street, name: avenueName(rest) };
  if (rest.length === 3 && DIRECTIONS.has(rest[0]) && isLetteredAvenue(rest.slice(1)) && !DIRECTIONS.has(rest[2])) {
    return { ...street, pre: entryOf(DIRECTIONS, rest[0]), name: avenueName(rest.slice(1)) };
  }
  // W NORTH is North Ave, west.
  const isDirectionAndName = rest.length === 2 && DIRECTIONS.has(rest[0]);
  if (rest.length > 1 && !isDirectionAndName && DIRECTIONS.has(rest[rest.length - 1])) {
    street.post = entryOf(DIRECTIONS, rest[rest.length - 1]);
    rest = rest.slice(0, -1);
  }
  const suffix = rest.length > 1 ? suffixOf(rest) : '';
  if (suffix) {
    street.suffix = suffix;
    rest = rest.slice(0, -1);
  }
  if (rest.length > 1 && DIRECTIONS.has(rest[0])) {
    street.pre = entryOf(DIRECTIONS, rest[0]);
    rest = rest.slice(1);
  }
  return { ...street, name: streetNameKey(rest) };
}

/** `N LOVERS LANE` may be Lovers Lane Rd without its suffix: the suffix word then belongs to the name. */
export function withSuffixInName(street: Street): Street | undefined {
  if (!street.suffix || hasDigit(street.name)) return undefined;
  // N STATION is Station St, north.
  if (!street.pre && DIRECTIONS.has(street.name)) {
    return { ...street, pre: entryOf(DIRECTIONS, street.name), name: entryOf(SUFFIX_WORDS, street.suffix), suffix: '' };
  }
  return { ...street, name: street.name + SUFFIX_WORDS.get(street.suffix), suffix: '' };
}

/** AVENUE E, AVE D: the type and single letter are the name. */
function isLetteredAvenue(words: readonly string[]): boolean {
  return words.length === 2 && /^[A-Z]$/.test(words[1]) && /^(AVE|ST|RD)$/.test(SUFFIXES.get(words[0]) ?? '');
}

const avenueName = (words: readonly string[]): string => entryOf(SUFFIX_WORDS, entryOf(SUFFIXES, words[0])) + words[1];

function suffixOf(words: readonly string[]): string {
  const last = words[words.length - 1];
  if (words.length === 2 && ROAD_BEFORE_NUMBER.test(words[0]) && hasDigit(last)) return '';
  const known = SUFFIXES.get(last);
  if (known) return known;
  // A mistyped long suffix: AVENEU, BOULVARD.
  if (last.length < 5 || hasDigit(last) || /^(AVENUE|STREET)[A-Z]$/.test(last)) return '';
  const meant = LONG_SUFFIXES.find((suffix) => editDistance(suffix, last, 1) === 1);
  return meant ? entryOf(SUFFIXES, meant) : '';
}

/** NORTH WEST 5TH ST and N W 5TH ST are NW 5TH ST; N WEST AVE is not. */
function joinSplitDirections(words: string[]): string[] {
  let rest = words;
  const last = rest.length - 1;
  if (rest.length >= 3) {
    const after = joinedDirection(rest[last - 1], rest[last]);
    if (after && rest[last - 1].length > 1 === rest[last].length > 1) rest = [...rest.slice(0, -2), after];
  }
  if (rest.length >= 3) {
    const before = joinedDirection(rest[0], rest[1]);
    if (before && rest[0].length > 1 === rest[1].length > 1 && !SUFFIXES.has(rest[2]))
      rest = [before, ...rest.slice(2)];
  }
  return rest;
}

function joinedDirection(first: string, second: string): string {
  const [a, b] = [DIRECTIONS.get(first), DIRECTIONS.get(second)];
  return (a === 'N' || a === 'S') && (b === 'E' || b === 'W') ? a + b : '';
}
