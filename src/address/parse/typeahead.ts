// What a half-typed address says: the house number, the street words to search for, and the words that must also
// appear.
import { streetNameKey } from './names.ts';
import { SUFFIXES } from './suffixes.ts';
import { DIRECTIONS, STATES } from './tables.ts';
import { hasDigit, isOrdinal, readWords } from './text.ts';

export interface Typed {
  /** Empty until a number is typed. */
  number: string;
  /** Prefixes of street names to search, likeliest first. */
  anchors: string[];
  /** Every word typed besides the number, to check results against. */
  words: string[];
}

const MAX_ANCHORS = 3;
const MIN_ANCHOR = 2;

export function readTyped(text: string): Typed {
  const all = readWords(text).filter((word) => word !== ',' && word !== '#');
  const numberAt = all.findIndex((word) => /^\d/.test(word) && !isOrdinal(word));
  const isZip = numberAt > 0 && numberAt === all.length - 1 && /^\d{5}$/.test(all[numberAt]);
  const number = numberAt < 0 || isZip ? '' : all[numberAt].replace(/^(\d+)[A-Z]$/, '$1');
  const words = all.filter((_, index) => number === '' || index !== numberAt);
  const named = words.filter((word, index) => isNameWord(word, index === words.length - 1));
  const anchors = (named.length > 0 ? named : words.slice(-1)).map((word) => anchorOf(word));
  return {
    number,
    anchors: [...new Set(anchors)]
      .filter((anchor) => anchor.length >= MIN_ANCHOR || hasDigit(anchor))
      .slice(0, MAX_ANCHORS),
    words,
  };
}

/** Whether each word typed starts a word of the line, using each word of the line once. */
export function fitsTyped(line: string, words: readonly string[]): boolean {
  const free = readWords(line).filter((word) => word !== ',');
  return words.every((word) => {
    const at = free.findIndex((other) => begins(other, word));
    if (at < 0) return false;
    free.splice(at, 1);
    return true;
  });
}

function begins(other: string, typed: string): boolean {
  if (other.startsWith(typed)) return true;
  const same = (table: ReadonlyMap<string, string>): boolean =>
    table.has(typed) && table.get(typed) === table.get(other);
  return same(SUFFIXES) || same(DIRECTIONS) || same(STATES) || streetNameKey([typed]) === streetNameKey([other]);
}

/** The last word may be the beginning of a suffix, a direction or a name: S, ST, PARK. */
function isNameWord(word: string, isLast: boolean): boolean {
  if (DIRECTIONS.has(word)) return false;
  return !SUFFIXES.has(word) || (isLast && word.length > 3);
}

const anchorOf = (word: string): string => streetNameKey([word]);
