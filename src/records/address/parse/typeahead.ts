// Parses a half-typed address: the house number, the street words to search for, and the words that must appear.
import { streetNameKey } from './names.ts';
import { hasOtherScript } from './reasons.ts';
import { SUFFIXES } from './suffixes.ts';
import { DIRECTIONS, STATES } from './tables.ts';
import { isOrdinal, readWords } from './text.ts';

export interface Typed {
  /** Empty until a number is typed. */
  number: string;
  /** More digits may follow. */
  isNumberOpen: boolean;
  /** Prefixes of street names to search, likeliest first. */
  anchors: string[];
  /** The last word may become a direction, which is not a search prefix. */
  mayBeDirection: boolean;
  /** Every word typed besides the number, to check results against. */
  words: string[];
  /** Everything typed, in order. */
  text: string;
}

const MAX_ANCHORS = 3;
const DIRECTION_WORDS = [...DIRECTIONS.keys()];

export function readTyped(query: string): Typed {
  const all = hasOtherScript(query) ? [] : wordsOf(query);
  const numberAt = findNumber(all);
  const number = numberAt < 0 ? '' : all[numberAt].replace(/^(\d+)[A-Z]$|-$/, '$1');
  const words = all.filter((_, index) => index !== numberAt);
  const named = words.filter((word, index) => isNameWord(word, index === words.length - 1));
  const anchors = (named.length > 0 ? named : words.slice(-1)).map((word) => streetNameKey([word]));
  return {
    number,
    isNumberOpen: numberAt === all.length - 1 && /[\w-]$/.test(query),
    mayBeDirection: words.length > 0 && beginsDirection(words[words.length - 1]),
    anchors: [...new Set(anchors)].filter(Boolean).slice(0, MAX_ANCHORS),
    words,
    text: all.join(' '),
  };
}

/** The same input with one street word respelled. */
export function replaceWord(typed: Typed, anchor: string, by: string): Typed {
  const isIt = (word: string) => streetNameKey([word]) === anchor;
  return {
    ...typed,
    anchors: typed.anchors.map((each) => (each === anchor ? by : each)),
    words: typed.words.map((word) => (isIt(word) ? by : word)),
    text: typed.text
      .split(' ')
      .map((word) => (isIt(word) ? by : word))
      .join(' '),
  };
}

/** Whether each word typed starts a word of the line, using each word of the line once. */
export function fitsTyped(line: string, words: readonly string[]): boolean {
  const free = wordsOf(line);
  return words.every((word) => {
    const at = free.findIndex((other) => begins(other, word));
    if (at < 0) return false;
    free.splice(at, 1);
    return true;
  });
}

/** Whether the line, or the line with the street before the number, continues the typed text. */
export function continuesTyped(line: string, { number, text }: Typed): boolean {
  const words = wordsOf(line);
  if (words.join(' ').startsWith(text)) return true;
  const [house, ...street] = wordsOf(line.split(',')[0]);
  return number !== '' && [...street, house].join(' ').startsWith(text);
}

const wordsOf = (text: string): string[] => readWords(text).filter((word) => word !== ',' && word !== '#');

/** Neither the 33 of a partially typed `N 33RD` nor a ZIP at the end. */
function findNumber(words: readonly string[]): number {
  return words.findIndex((word, index) => {
    if (!/^\d/.test(word) || isOrdinal(word)) return false;
    if (index > 0 && words.slice(0, index).every((before) => DIRECTIONS.has(before))) return false;
    return index === 0 || index < words.length - 1 || !/^\d{5}$/.test(word);
  });
}

const beginsDirection = (word: string): boolean => DIRECTION_WORDS.some((direction) => direction.startsWith(word));

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
