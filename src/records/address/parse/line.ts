// Parses one street line (number, street, unit in any order) into every reading of it, likeliest first.
import { type HouseNumber, rangeOf, readNumber, withFraction } from './numbers.ts';
import { type Street, readStreet } from './streets.ts';
import { SUFFIXES } from './suffixes.ts';
import { DIRECTIONS, UNIT_DESIGNATORS } from './tables.ts';
import { hasDigit, isFraction, isOrdinal, splitAtCommas } from './text.ts';
import { saysUnit, takeUnits, unitKey } from './units.ts';

export interface LineReading {
  number: HouseNumber;
  street: Street;
  /** The street as written, for display. */
  streetText: string;
  unit: string;
  /** The unit was part of the number: 1342B. */
  unitInNumber: boolean;
  /** Which form was parsed. Records prefer the special forms, because a source writes them on purpose. */
  form: 'plain' | 'letter_after_number' | 'letter_apart' | 'unit_after_street';
}

const MAX_NUMBER_POSITIONS = 3;
const isGridHalf = (word: string | undefined): boolean => word !== undefined && /^[NSEW]\d{1,5}$/.test(word);

export function readLine(words: readonly string[]): LineReading[] {
  const { unit, rest } = takeUnits(joinNumbers(joinDirections(startWithNumber(words))));
  return numberPositions(rest).flatMap((position) => readFrom(rest, position, unit));
}

/** `NO 12 MAIN ST`, `12, MAIN ST` and `12MAIN ST` are 12 MAIN ST. */
function startWithNumber(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    const beginsPart = index === 0 || words[index - 1] === ',';
    const next = words[index + 1] ?? '';
    // `#F107, 29 OTIS ST` begins with a unit.
    const isUnit = words[2] === ',' && hasDigit(words[3] ?? '');
    if (index === 0 && /^(NO|NUM|NUMBER|#)$/.test(word) && hasDigit(next) && words.length > 3 && !isUnit) return [];
    if (index === 1 && word === ',' && /^\d+(-\d+)?$/.test(words[0]) && beginsStreet(next, words[3])) return [];
    const glued = beginsPart ? /^(\d{1,5})([A-Z]{3,})$/.exec(word) : null;
    return glued && !isOrdinal(word) ? [glued[1], glued[2]] : [word];
  });
}

const beginsStreet = (word: string, next = ''): boolean =>
  /^[A-Z]/.test(word) || isOrdinal(word) || (/^\d{1,3}$/.test(word) && SUFFIXES.has(next));

/** `1800 M ST, NW`: a comma before a direction does not end the part. */
function joinDirections(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const [before, direction, after] = [words[index - 1], words[index + 1], words[index + 2]];
    const endsThere = after === undefined || after === ',' || after === '#' || UNIT_DESIGNATORS.has(after);
    return !(word === ',' && SUFFIXES.has(before) && DIRECTIONS.has(direction) && endsThere);
  });
}

/** `N165 W21230` is one number, and so is `67 AND 69`. */
function joinNumbers(words: readonly string[]): string[] {
  const result: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const [first, second, third] = words.slice(index, index + 3);
    if (isGridHalf(first) && isGridHalf(second)) {
      result.push(first + second);
      index += 1;
    } else if (
      !isUnitWord(words[index - 1]) &&
      /^\d+$/.test(first) &&
      second === 'AND' &&
      third !== undefined &&
      /^\d+$/.test(third)
    ) {
      result.push(rangeOf(first, third));
      index += 2;
    } else result.push(first);
  }
  return result;
}

const isUnitWord = (word: string | undefined): boolean =>
  word !== undefined && (word === '#' || UNIT_DESIGNATORS.has(word));

/** The first number, and numbers that begin a part: names may come first, even `7 ELEVEN, 12 MAIN ST`. */
function numberPositions(words: readonly string[]): number[] {
  const positions: number[] = [];
  for (let index = 0; index < words.length - 1 && positions.length < MAX_NUMBER_POSITIONS; index++) {
    const beginsPart = index === 0 || words[index - 1] === ',';
    if (!beginsPart && (positions.length > 0 || !hasDigit(words[index]))) continue;
    if (words[index + 1] !== ',' && readNumber(words[index]).length > 0) positions.push(index);
  }
  return positions;
}

function readFrom(words: readonly string[], position: number, unit: string): LineReading[] {
  let after = words.slice(position + 1);
  let numbers = readNumber(words[position]);
  if (after[0] && isFraction(after[0])) {
    numbers = [{ number: withFraction(numbers[0].number, after[0]), unit: '' }];
    after = after.slice(1);
  }
  const readings = numbers.flatMap(({ number, unit: numberUnit, isApart }) =>
    readStreetAndUnit(after, { number, numberUnit, statedUnit: unit, form: isApart ? 'letter_apart' : 'plain' }),
  );
  if (isLetterOfNumber(after) && numbers[0].number.low !== null && !numbers[0].unit) {
    const { number } = numbers[0];
    const letter = { number, numberUnit: after[0], statedUnit: unit, form: 'letter_after_number' } as const;
    readings.push(...readStreetAndUnit(after.slice(1), letter));
  }
  return readings;
}

interface NumberPart {
  number: HouseNumber;
  numberUnit: string;
  statedUnit: string;
  form: LineReading['form'];
}

function readStreetAndUnit(
  words: readonly string[],
  { number, numberUnit, statedUnit, form }: NumberPart,
): LineReading[] {
  const [street, ...others] = splitAtCommas(words);
  if (!street) return [];
  const inNumber = numberUnit ? unitKey('APT', numberUnit) : '';
  const unitInNumber = inNumber !== '' && statedUnit === '';
  let unit = saysUnit(inNumber, statedUnit) ? inNumber : inNumber + statedUnit;
  // A separate part after the street: `200 HICKS ST, 8S`.
  if (!unit && others.length === 1 && others[0].length === 1 && /^(?=.*\d)[A-Z0-9/-]{1,6}$/.test(others[0][0])) {
    unit = unitKey('APT', others[0][0]);
  }
  const readings: LineReading[] = [
    { number, street: readStreet(street), streetText: street.join(' '), unit, unitInNumber, form },
  ];
  if (!unit && endsWithUnit(street)) {
    const bare = unitKey('APT', street[street.length - 1]);
    const shorter = street.slice(0, -1);
    const streetText = shorter.join(' ');
    readings.push({
      number,
      street: readStreet(shorter),
      streetText,
      unit: bare,
      unitInNumber: false,
      form: 'unit_after_street',
    });
  }
  return readings;
}

/** `123 MAIN ST 3B`, `123 MAIN ST NW 4`; not `123 HWY 41`. */
function endsWithUnit(street: readonly string[]): boolean {
  const last = street[street.length - 1];
  const before = street[street.length - 2];
  if (street.length < 3 || isOrdinal(last) || !/^\d{1,5}[A-Z]?$|^[A-Z]\d{1,4}$/.test(last)) return false;
  return (SUFFIXES.has(before) || DIRECTIONS.has(before)) && !/^(HWY|HIGHWAY|RTE|ROUTE|RT|RD|ROAD)$/.test(before);
}

/** 4572 A W FOND DU LAC AVE is 4572A; 1219 I ST NE and 5701 W NORTH AVE are not. */
function isLetterOfNumber(after: readonly string[]): boolean {
  const [letter, second, third, fourth] = after;
  if (!letter || !/^[A-Z]$/.test(letter) || after.length < 3 || second === ',') return false;
  const endsHere = (word: string | undefined): boolean => word === undefined || word === ',' || DIRECTIONS.has(word);
  const letterIsStreet = SUFFIXES.has(second) && (endsHere(third) || UNIT_DESIGNATORS.has(third));
  const letterIsDirection = DIRECTIONS.has(letter) && SUFFIXES.has(third) && endsHere(fourth);
  return !letterIsStreet && !letterIsDirection && (!DIRECTIONS.has(letter) || DIRECTIONS.has(second));
}
