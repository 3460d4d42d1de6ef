// Finds units (apartment, suite, floor, rear …) anywhere in an address line, and their canonical key.
import { readNumber } from './numbers.ts';
import { SUFFIXES } from './suffixes.ts';
import { DIRECTIONS, ORDINAL_WORDS, UNITS_ALONE, UNITS_WITH_MEANING, UNIT_DESIGNATORS } from './tables.ts';
import { hasDigit, isFraction, isOrdinal } from './text.ts';

const MAX_UNITS = 3;
/** Never the first word of a street name; KEY, PIER, FRONT and UPPER may be. */
const SURE = new Set(['#', 'APT', 'APARTMENT', 'UNIT', 'STE', 'SUITE']);
const NUMBER_WORD = new Set(['#', '-', 'NO', 'NUM', 'NUMBER']);

interface FoundUnit {
  key: string;
  start: number;
  end: number;
}

/** `APT 03-B` → 3B, `2ND FLOOR` → FL2, `REAR` → REAR: the designator stays only where it carries meaning. */
export function unitKey(designator: string, id: string): string {
  const standard = UNIT_DESIGNATORS.get(designator) ?? '';
  let value = (ORDINAL_WORDS.get(id) ?? (isOrdinal(id) ? String(Number.parseInt(id, 10)) : id))
    .replaceAll('/', '-')
    .replace(/[^A-Z0-9-]/g, '')
    // 2-B is 2B, but 1-11 is not 11-1.
    .replace(/(?<!\d)-|-(?!\d)/g, '')
    .replace(/^(?:UNIT|APT|STE|NO)(?=\d|[A-Z]$)/, '')
    .replace(/^([A-Z]*)0+(?=\d)/, '$1');
  // APT LOWER, 8 FL
  const ownMeaning = UNIT_DESIGNATORS.get(value) ?? '';
  if (UNITS_WITH_MEANING.has(ownMeaning)) value = ownMeaning;
  value = value.replace(/^(\d+)(?:FL|FLR|FLOOR)$/, 'FL$1');
  if (UNITS_WITH_MEANING.has(standard) && !value.startsWith(standard)) value = standard + value;
  return value;
}

/** A field that says `APT` or `.` names no unit. */
export function isEmptyUnit(text: string): boolean {
  const word = text.trim().toUpperCase();
  const standard = UNIT_DESIGNATORS.get(word);
  return !/[A-Z0-9]/.test(word) || (standard !== undefined && !UNITS_ALONE.has(standard));
}

/** 147-19F, unit F: the number already contains the unit. In 12-11, unit 1, it does not. */
export function saysUnit(inNumber: string, unit: string): boolean {
  const before = inNumber.slice(0, -unit.length);
  return unit !== '' && inNumber.endsWith(unit) && !(/\d$/.test(before) && /^\d/.test(unit));
}

export function takeUnits(words: readonly string[]): { unit: string; rest: string[] } {
  let rest = words.flatMap(splitGlued);
  let unit = '';
  for (let round = 0; round < MAX_UNITS; round++) {
    const found = findUnit(rest);
    if (!found) break;
    unit += found.key;
    rest = [...rest.slice(0, found.start), ',', ...rest.slice(found.end)];
  }
  if (rest[0] === 'REAR' && rest.length > 2) return { unit: `${unit}REAR`, rest: rest.slice(1) };
  return { unit, rest };
}

/** A separate part that can only be a unit: `APT 4`, `# 4`, `4B`, `2ND FLOOR`. */
export const isUnitPart = (part: readonly string[]): boolean =>
  part[0] === '#' ||
  (UNIT_DESIGNATORS.has(part[0]) && part.length <= 3) ||
  hasDigit(part.join('')) ||
  (part.length === 2 && UNIT_DESIGNATORS.has(part[1]));

function findUnit(words: readonly string[]): FoundUnit | undefined {
  for (let index = 0; index < words.length; index++) {
    const found = unitAt(words, index);
    if (found) return found;
  }
  return undefined;
}

function unitAt(words: readonly string[], index: number): FoundUnit | undefined {
  const word = words[index];
  const standard = word === '#' || word === 'NO' ? 'APT' : UNIT_DESIGNATORS.get(word);
  if (!standard) return undefined;

  // 1 NORTH PIER UNIT 7C: the pier is the street.
  if (!SURE.has(word) && SURE.has(words[index + 1]) && !UNITS_ALONE.has(standard)) return undefined;
  const before = words[index - 1] ?? '';
  const isPlainFloor = /^\d{1,2}$/.test(before) && index > 2 && (words[index + 1] ?? ',') === ',';
  if (standard === 'FL' && (isOrdinal(before) || ORDINAL_WORDS.has(before) || isPlainFloor)) {
    return { key: unitKey('FL', before), start: index - 1, end: index + 1 };
  }
  let idAt = index + 1;
  while (idAt + 1 < words.length && words[idAt + 1] !== ',' && isBetweenDesignatorAndId(words[idAt], standard)) idAt++;
  // UNIT FL 2 is a floor.
  const meant = words.slice(index, idAt).findLast((each) => UNIT_DESIGNATORS.has(each)) ?? word;
  // NO STE 130: north, suite 130
  if (word === 'NO') idAt = index + 1;
  const idLength = idWords(words, index, idAt);
  if (idLength > 0 && !startsStreet(words, index, idAt, idLength)) {
    const end = idAt + idLength;
    return { key: unitKey(meant, words.slice(idAt, end).join('')), start: index, end };
  }
  const endsPart = words[index + 1] === undefined || words[index + 1] === ',';
  if (UNITS_ALONE.has(standard) && index > 1 && endsPart)
    return { key: unitKey(word, ''), start: index, end: index + 1 };
  return undefined;
}

function isBetweenDesignatorAndId(word: string, standard: string): boolean {
  const other = UNIT_DESIGNATORS.get(word);
  return NUMBER_WORD.has(word) || (other !== undefined && other !== standard && !UNITS_ALONE.has(other));
}

/** How many words the unit's id takes: `APT 3 B` two, `# PS 16` two, `APT 3 MILWAUKEE` one, `FRONT ST` none. */
function idWords(words: readonly string[], index: number, idAt: number): number {
  const designator = words[index];
  const [id, next] = words.slice(idAt, idAt + 2);
  if (id === undefined || id === ',') return 0;
  if (designator === 'NO') return hasDigit(id) && !isOrdinal(id) ? 1 : 0;
  if (SURE.has(designator) && (index > 1 || next === ',')) {
    const comma = words.indexOf(',', idAt);
    const left = (comma < 0 ? words.length : comma) - idAt;
    if (left === 1 && id.length <= 6) return 1;
    if (left === 2 && id.length + next.length <= 6) return 2;
    // 11 & PH: two units under one owner.
    if (left === 3 && next === 'AND' && words[idAt + 2].length <= 6) return 3;
  }
  if (isFraction(id) || !(hasDigit(id) || /^[A-Z]{1,2}$/.test(id))) return 0;
  return index > 2 && next !== undefined && /^[A-Z0-9]$/.test(next) && !DIRECTIONS.has(next) ? 2 : 1;
}

/** 12 FRONT ST, 12 KEY 5 RD, 12 UPPER B RD: the word belongs to the street. */
function startsStreet(words: readonly string[], index: number, idAt: number, idLength: number): boolean {
  const endsPart = (words[idAt + idLength] ?? ',') === ',';
  if (words[index] === '#' || (SURE.has(words[index]) && endsPart)) return false;
  if (index >= 1 && SUFFIXES.has(words[idAt]) && !hasDigit(words[idAt])) return true;
  const followsNumber = index === 1 && readNumber(words[0]).length > 0;
  return followsNumber && !SURE.has(words[index]) && words.length > idAt + 1;
}

function splitGlued(word: string): string[] {
  const glued = /^(APT|UNIT|STE|SUITE|BLDG|LOT|RM|PH)(\d\w*)$/.exec(word) ?? /^(PH|FL|APT|UNIT|STE)-(\w+)$/.exec(word);
  return glued ? [glued[1], glued[2]] : [word];
}
