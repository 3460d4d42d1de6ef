// Parses a free-form address into every plausible reading (street, unit, city, state, ZIP); the records decide which.
import type { Gazetteer } from './gazetteer.ts';
import { withSourceSuffixes } from './canonical.ts';
import { type LineReading, readLine } from './line.ts';
import { cityKey } from './names.ts';
import { type TextReason, hasOtherScript, reasonOfText, reasonWithoutLine, withoutBox } from './reasons.ts';
import { withSuffixInName } from './streets.ts';
import { SUFFIXES } from './suffixes.ts';
import { DIRECTIONS, STATES } from './tables.ts';
import { hasDigit, joinWithCommas, readWords, splitAtCommas } from './text.ts';
import { isUnitPart } from './units.ts';

export interface Reading extends LineReading {
  /** Canonical city name; empty if the text has none. */
  city: string;
  /** No known city has this name: it was split off where the street appeared to end. */
  cityGuessed: boolean;
  /** For `LOVERS LANE` read as a name without suffix: its name in the plain reading, LOVERS. */
  plainName: string;
  state: string;
  zip: string;
  /** The counties where a suffix has its own abbreviation: the reading holds only there, or only elsewhere. */
  counties?: { fips: ReadonlySet<number>; only: boolean };
}

export interface ReadText {
  readings: Reading[];
  state: string;
  zip: string;
  /** Why there is nothing to look up. */
  reason?: TextReason;
}

const ZIP = /^\d{5}(-\d{4})?$/;
const MAX_CITY_WORDS = 4;
const MAX_READINGS = 12;

export function readAddress(text: string, gazetteer: Gazetteer): ReadText {
  if (hasOtherScript(text)) return { readings: [], state: '', zip: '', reason: 'not_latin' };
  const words = withoutCountry(reorderParts(readWords(text), gazetteer));
  const { zip, state, rest } = takeStateAndZip(words, gazetteer);
  const knownState = state || (zip ? gazetteer.stateOfZip(zip) : '');
  const reason = reasonOfText(words, knownState);
  if (reason) return { readings: [], state, zip, reason };

  const line = withoutBox(withoutCareOf(rest));
  const seen = new Map<string, Reading>();
  for (const { street, city, guessed } of splitOffCity(line, knownState, gazetteer)) {
    const place = { city: cityKey(city), cityGuessed: guessed, state, zip };
    for (const { words, counties } of spellOut(street, gazetteer)) {
      for (const reading of readLine(words)) {
        const full: Reading = { ...reading, ...place, plainName: '', ...(counties && { counties }) };
        keep(seen, full);
        const inName = withSuffixInName(reading.street);
        if (inName) keep(seen, { ...full, street: inName, plainName: reading.street.name });
      }
    }
  }
  const readings = [...seen.values()].slice(0, MAX_READINGS);
  return { readings, state, zip, ...(readings.length === 0 ? { reason: reasonWithoutLine(rest) } : {}) };
}

/** TR is Trail, but Milwaukee's TR is Terrace: the line as written, and with each county's own abbreviations. */
function spellOut(words: string[], gazetteer: Gazetteer): { words: string[]; counties?: Reading['counties'] }[] {
  const own = words.flatMap((word) => gazetteer.listOwnSuffixes(word).map((meaning) => ({ word, ...meaning })));
  const meant = own
    .map(({ word, suffix, fips }) => ({
      words: withSourceSuffixes(words, { [word]: suffix }),
      counties: { fips, only: true },
    }))
    .filter((each) => each.words.some((word, index) => word !== words[index]));
  if (meant.length === 0) return [{ words }];
  const fips = new Set(meant.flatMap(({ counties }) => [...counties.fips]));
  return [...meant, { words, counties: { fips, only: false } }];
}

function keep(seen: Map<string, Reading>, reading: Reading): void {
  const { pre, name, suffix, post } = reading.street;
  if (!name) return;
  const key = [
    reading.number.key,
    pre,
    name,
    suffix,
    post,
    reading.unit,
    reading.unitInNumber,
    reading.city,
    reading.counties?.only,
  ].join('|');
  if (!seen.has(key)) seen.set(key, reading);
}

function withoutCountry(words: string[]): string[] {
  const trimmed = trimEnd(words);
  for (const country of ['UNITED STATES OF AMERICA', 'UNITED STATES', 'U S A', 'USA', 'US']) {
    const tail = country.split(' ');
    const isTail = trimmed.length > tail.length && trimmed.slice(-tail.length).join(' ') === country;
    if (isTail) return trimEnd(trimmed.slice(0, -tail.length));
  }
  return trimmed;
}

/** `C/O JANE DOE, 12 MAIN ST`: the text before the comma is a person. */
function withoutCareOf(words: string[]): string[] {
  const parts = splitAtCommas(words);
  const isPerson = (part: string[]) => /^CARE OF\b/.test(part.join(' ')) && !part.some(hasDigit);
  return parts.some(isPerson) ? joinWithCommas(parts.filter((part) => !isPerson(part))) : words;
}

/** Comma-separated parts may come in any order; city, state and ZIP are moved after the street line. */
function reorderParts(words: string[], gazetteer: Gazetteer): string[] {
  const parts = splitAtCommas(words);
  if (parts.length < 2) return words;
  const endsWithZip = ZIP.test(words.at(-1)!);
  const rank = (part: string[]): number => {
    const text = part.join(' ');
    const at = parts.indexOf(part);
    if (ZIP.test(text)) return parts.length > 2 && (at === 0 || (at < parts.length - 1 && !endsWithZip)) ? 3 : 0;
    if (STATES.has(text.replace(/ \d{5}(-\d{4})?$/, ''))) return text.length === 2 || /\d$/.test(text) ? 2 : 0;
    return !part.some(hasDigit) && gazetteer.isCity(cityKey(part), '') ? 1 : 0;
  };
  const street = parts.findIndex((part) => part.length > 1 && hasDigit(part[0]) && rank(part) === 0);
  const misplaced = parts.filter((part, at) => (at < street || (rank(part) === 3 && street >= 0)) && rank(part) > 0);
  if (misplaced.length === 0) return words;
  const others = parts.filter((part) => !misplaced.includes(part));
  const tail = [...misplaced, ...others.filter((part) => rank(part) > 0)];
  return joinWithCommas([...others.filter((part) => rank(part) === 0), ...tail.sort((a, b) => rank(a) - rank(b))]);
}

function takeStateAndZip(words: string[], gazetteer: Gazetteer): { zip: string; state: string; rest: string[] } {
  let rest = words;
  let zip = '';
  const takeZip = (): void => {
    const found = rest.length > 2 ? /^(\d{5})(-?\d{4})?$/.exec(rest[rest.length - 1]) : null;
    if (!found) return;
    zip = found[1];
    rest = trimEnd(rest.slice(0, -1));
  };
  takeZip();
  const state = findState(rest, zip, gazetteer);
  if (state) rest = trimEnd(rest.slice(0, rest.length - state.words));
  if (!zip) takeZip();
  return { zip, state: state?.code ?? '', rest };
}

/** CT, AL, LA and NE at the end may also be a suffix or a direction. */
function findState(words: string[], zip: string, gazetteer: Gazetteer): { code: string; words: number } | undefined {
  for (const count of [3, 2, 1]) {
    if (words.length <= count) continue;
    const tail = words.slice(-count);
    const code = STATES.get(tail.join(' '));
    if (!code || tail.includes(',')) continue;
    // 6TH FL is a floor.
    if (code === 'FL' && !zip && /^\d/.test(words[words.length - 2])) continue;
    const stateOfZip = zip ? gazetteer.stateOfZip(zip) : '';
    const before = words[words.length - count - 1];
    if (before !== ',' && isStreetWord(tail[count - 1])) {
      if (stateOfZip ? stateOfZip !== code : !endsWithCity(words.slice(0, -count), code, gazetteer)) continue;
    }
    // NEW YORK alone is the city; in QUEENS, NEW YORK it is the state.
    const isCityName = tail.join('').length > 2 && gazetteer.isCity(cityKey(tail), code);
    if (isCityName && !endsWithCity(words.slice(0, -count), code, gazetteer)) return { code, words: 0 };
    return { code, words: count };
  }
  return undefined;
}

const isStreetWord = (word: string): boolean => SUFFIXES.has(word) || DIRECTIONS.has(word);

const endsWithCity = (words: string[], state: string, gazetteer: Gazetteer): boolean =>
  tails(trimEnd(words)).some((tail) => gazetteer.isCity(cityKey(tail), state));

interface Split {
  street: string[];
  city: string[];
  guessed: boolean;
}

/** Where the street ends and the city begins; several answers if no comma separates them. */
function splitOffCity(words: string[], state: string, gazetteer: Gazetteer): Split[] {
  const parts = splitAtCommas(words);
  const last = parts[parts.length - 1];
  if (!last) return [];
  const before = parts.slice(0, -1);
  if (before.length > 0 && !isUnitPart(last)) {
    const split = { street: joinWithCommas(before), city: last, guessed: false };
    const isKnown = gazetteer.isCity(cityKey(last), state);
    // `STONE WAY SEATTLE, KING COUNTY`: the city may be one part earlier.
    if (isKnown) return [split];
    const earlier = splitOffCity(joinWithCommas(before), state, gazetteer);
    return [split, ...earlier.filter(({ city, guessed }) => city.length > 0 && !guessed)];
  }
  const cut = (city: string[], guessed: boolean): Split => ({
    street: joinWithCommas([...before, last.slice(0, -city.length)].filter((part) => part.length > 0)),
    city,
    guessed,
  });
  const candidates = tails(last).filter((tail) => !tail.some((word) => /[\d#]/.test(word)));
  const known = candidates.filter((tail) => gazetteer.isCity(cityKey(tail), state)).reverse();
  const inFront = words.slice(0, Math.max(words.findIndex(hasDigit), 0)).filter((word) => word !== ',');
  const hasCityInFront = inFront.length > 0 && gazetteer.isCity(cityKey(inFront), state);
  const whole: Split = { street: words, city: hasCityInFront ? inFront : [], guessed: false };
  if (known.length > 0) return [...known.map((city) => cut(city, false)), whole];
  const similar = candidates.filter((tail) => gazetteer.findSimilarCity(cityKey(tail), state) !== undefined);
  const guessed = candidates.filter((tail) => followsStreetEnd(last, tail));
  return [whole, ...similar.map((city) => cut(city, false)), ...guessed.map((city) => cut(city, true))];
}

/** The last one to four words, as long as a number and a street remain before them. */
function tails(words: readonly string[]): string[][] {
  const longest = Math.min(MAX_CITY_WORDS, words.length - 1);
  return Array.from({ length: Math.max(longest, 0) }, (_, index) => words.slice(-(index + 1)));
}

function followsStreetEnd(part: readonly string[], tail: readonly string[]): boolean {
  const before = part[part.length - tail.length - 1] ?? '';
  return part.length - tail.length >= 3 && (isStreetWord(before) || hasDigit(before)) && !isStreetWord(tail[0]);
}

function trimEnd(words: string[]): string[] {
  let end = words.length;
  while (end > 0 && (words[end - 1] === ',' || words[end - 1] === '-')) end--;
  return words.slice(0, end);
}
