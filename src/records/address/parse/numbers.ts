// Parses one house number into its canonical key, range and alternative readings.
import { isFraction, isOrdinal, withoutLeadingZeros } from './text.ts';
import { NUMBER_WORDS } from './tables.ts';

export interface HouseNumber {
  /** `1234`, `1234-1238`, `92-10`, `12 1/2`, `N165W21230`. */
  key: string;
  /** First and last house of the number or range; null if the number is opaque. */
  low: number | null;
  high: number | null;
}

interface NumberReading {
  number: HouseNumber;
  /** `1342B` is 1342 with unit B; empty otherwise. */
  unit: string;
  /** Milwaukee writes 9142--A for a unit of 9142 and records 9142; without the hyphen, the letter makes it another
      house. */
  isApart?: boolean;
}

const MAX_ABBREVIATED_GAP = 50;
const MAX_GAP = 200;
/** A range across both sides of a street is a corner house at most. Queens writes 11-24 for one house. */
const MAX_GAP_OF_BOTH_SIDES = 10;
const MAX_HOUSES_IN_RANGE = 60;
/** For a longer range only the ends are looked up. */
const MOST_ASKED = 6;

/** Every reading of one token as a house number, likeliest first; empty if it is not a number. */
export function readNumber(token: string): NumberReading[] {
  if (isOrdinal(token) || isFraction(token)) return [];
  const word = (NUMBER_WORDS.get(token) ?? token).replace(/-$/, '').replace(/^(\d{2,6})\/(\d{2,6})$/, '$1-$2');
  if (/^\d{1,6}$/.test(word)) return [{ number: plain(word), unit: '' }];

  const hyphenated = /^(\d{1,6})-(\d{1,6})$/.exec(word);
  if (hyphenated) return readHyphenated(hyphenated[1], hyphenated[2]);

  const grid = /^([NSEW]\d{1,5})-?([NSEW]\d{1,5})$|^([NSEW]\d{2,5})$|^(\d{1,2}[NSEW]\d{2,5})$/.exec(word);
  if (grid) return [{ number: opaque(grid[3] ?? grid[4] ?? grid[1] + grid[2]), unit: '' }];

  // 1342B, 1342-B, 2525-15B, 1012U3, 1012-U-3
  const lettered = /^(\d{1,6})-?([A-Z]{1,2})$/.exec(word) ?? /^(\d{1,6})(?:-U-?|-|U)(\d*[A-Z]?\d*)$/.exec(word);
  if (lettered?.[2]) return [{ number: plain(lettered[1]), unit: lettered[2], isApart: /^\d+-[A-Z]$/.test(word) }];
  // 113-115-117, 42-40/42, 70A-70B: several houses, in formats found only in records.
  return /^\d{1,6}[A-Z]?(?:[-/]\d{0,6}[A-Z]?)+$/.test(word) ? [{ number: severalHouses(word), unit: '' }] : [];
}

export const withFraction = (number: HouseNumber, fraction: string): HouseNumber => opaque(`${number.key} ${fraction}`);

export const rangeOf = (first: string, last: string): string => `${first}-${last}`;

/** `92-10` is a Queens number, or number 92 unit 10; `1234-36` is 1234 to 1236. */
function readHyphenated(first: string, last: string): NumberReading[] {
  const low = Number(first);
  const isShort = last.length < first.length;
  const high = isShort ? Number(first.slice(0, first.length - last.length) + last) : Number(last);
  const gap = high - low;
  // The zero in 122-06 is significant.
  const key = `${withoutLeadingZeros(first)}-${last}`;
  const maxGap = gap % 2 === 1 ? MAX_GAP_OF_BOTH_SIDES : isShort ? MAX_ABBREVIATED_GAP : MAX_GAP;
  if (gap > 0 && gap <= maxGap) return [{ number: { key, low, high }, unit: '' }];
  return [
    { number: opaque(key), unit: '' },
    { number: plain(first), unit: withoutLeadingZeros(last) },
  ];
}

/** The same number, the same range, a further house of the range that was asked for, or the same digits with and without
    the hyphen used in Queens and Hawaii. */
type NumberAgreement = 'same' | 'within_range' | 'further_house' | 'hyphen' | 'different';

export function compareNumbers(asked: HouseNumber, record: HouseNumber): NumberAgreement {
  if (asked.key === record.key) return 'same';
  if (asked.low !== null && asked.high !== null && record.low !== null && record.high !== null) {
    if (asked.low === record.low && asked.high === record.high) return 'same';
    const inRecord =
      record.high > record.low &&
      asked.low >= record.low &&
      asked.high <= record.high &&
      (asked.low - record.low) % stepOf(record) === 0;
    // A query for 3272-3274 with 3272 on record: the range begins with that house.
    const isCovered = asked.high > asked.low && record.low >= asked.low && record.high <= asked.high;
    if (inRecord || (isCovered && record.low === asked.low)) return 'within_range';
    if (isCovered && (record.low - asked.low) % stepOf(asked) === 0) return 'further_house';
  }
  if (withoutHyphen(asked.key) === record.key || withoutHyphen(record.key) === asked.key) return 'hyphen';
  return 'different';
}

/** The numbers under which a record is found. */
export function numbersOfRecord(number: HouseNumber): string[] {
  const numbers = new Set([number.key]);
  const joined = withoutHyphen(number.key);
  if (joined) numbers.add(joined);
  if (number.low !== null && number.high !== null && number.high > number.low) {
    const last = Math.min(number.high, number.low + MAX_HOUSES_IN_RANGE * stepOf(number));
    for (let house = number.low; house <= last; house += stepOf(number)) numbers.add(String(house));
  }
  return [...numbers];
}

/** The numbers to look up for a query: a record's range is stored under each of its houses. The other houses of a
    queried range may be other properties. */
export function numbersToAsk(number: HouseNumber): string[] {
  const numbers = new Set([number.key]);
  if (number.low !== null && number.high !== null) {
    const step = stepOf(number);
    const isShort = number.high - number.low <= MOST_ASKED * step;
    for (let house = number.low; house <= number.high; house += isShort ? step : number.high - number.low)
      numbers.add(String(house));
  }
  const joined = withoutHyphen(number.key);
  if (joined) numbers.add(joined);
  return [...numbers];
}

/** A range of one parity covers the houses on one side of the street. */
const stepOf = (range: HouseNumber): number => (((range.high ?? 0) - (range.low ?? 0)) % 2 === 0 ? 2 : 1);

/** `83-40` → `8340` (Queens), `94-210` → `94210` (Hawaii); empty if it cannot be such a number. */
const withoutHyphen = (key: string): string =>
  /^\d{1,3}-\d{2}$|^\d{2}-\d{3,4}$/.test(key) ? key.replace('-', '') : '';

function plain(digits: string): HouseNumber {
  const value = Number(digits);
  return { key: String(value), low: value, high: value };
}

/** Found under each of its numbers if they run along one street. */
function severalHouses(key: string): HouseNumber {
  const numbers = key.split(/[-/]/).map((part) => Number.parseInt(part, 10));
  const [low, high] = [numbers[0], numbers[numbers.length - 1]];
  const isRun = numbers.every((each, index) => index === 0 || each > numbers[index - 1]);
  return isRun && high - low <= MAX_ABBREVIATED_GAP && high > low ? { key, low, high } : opaque(key);
}

const opaque = (key: string): HouseNumber => ({ key, low: null, high: null });
