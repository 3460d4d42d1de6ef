// Parses cell text into values: money with signs and commas, dates in their usual spellings, NULLs.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isoDate } from '../../../base/lib/clock.ts';

/** A cell that cannot be parsed as its type, or a row that cannot be used. The code becomes the quarantine reason, and never
    includes a value, which may be a name. */
export class BadValue extends Error {
  readonly code: string;

  constructor(code: string) {
    // No stack trace: it costs ten times as much as reading the cell.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}

/** Null markers of databases, spreadsheets, R, Python and ArcGIS. */
const NOTHING = new Set(['', ...'NULL null <Null> \\N NA N/A n/a #N/A - — None NaN nan NaT'.split(' ')]);

/** Spreadsheet formula errors. */
const FAILED_FORMULA = /^#(?:REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|N\/A)$/i;

/** Collapses blanks (including HTML's non-breaking ones) and trims; null for the various null markers. */
export function readText(cell: string | undefined): string | null {
  if (cell === undefined || cell === '') return null;
  const isPlain = !/^\s|\s$|\s\s|[\t\n\r\u00a0\u00ad\u200b-\u200f\u2060\ufeff]|_x000D_/.test(cell);
  // Removes soft hyphens, zero-width characters, and workbook line breaks.
  const trimmed = isPlain
    ? cell
    : cell
        .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]|_x000D_/g, '')
        .replace(/\s+/g, ' ')
        .trim();
  // Spreadsheets write ="007" to keep zeros, and some programs include the quotes of strings.
  const text = /^[="“]/.test(trimmed) ? trimmed.replace(/^=?["“]([^"“”]*)["”]?$/, '$1') : trimmed;
  return NOTHING.has(text) || (text.startsWith('#') && FAILED_FORMULA.test(text)) ? null : text;
}

const GROUPED = /^[^,]*\d(?:,\s?\d{3})+(?!\d)[^,]*$/;
/** A space that is not a thousands separator: 1 200 is a number, but 1200 80 are two. */
const TWO_NUMBERS = /\d{4}\s+\d|\d\s+(?!\d{3}(?!\d))\d/;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
/** Units that a cell may repeat after its number. Acres are accepted only where expected: in a column of square feet
    they would give tiny lots. */
const UNITS = {
  sqft: /(?<=\d) ?(?:s\.?f\.?|sq\.? ?f(?:ee)?t\.?|square f(?:ee|oo)t|ft(?:2|²))$/i,
  acres: /(?<=\d) ?(?:acres?|ac\.?)$/i,
};

export function readNumber(cell: string | undefined, unit: keyof typeof UNITS = 'sqft'): number | null {
  const text = readText(cell);
  if (text === null) return null;
  if (PLAIN_NUMBER.test(text)) return Number(text);
  // A comma that is not a thousands separator is a decimal comma: 2,5 is not 25.
  const isSplit = TWO_NUMBERS.test(text) || (text.includes(',') && !GROUPED.test(text.replace(UNITS[unit], '')));
  if (isSplit) throw new BadValue('not_a_number');
  const bare = text
    .replace(UNITS[unit], '')
    .replace(/[$,\s\u00a0]/g, '')
    .replace('\u2212', '-')
    .replace(/^\((.*)\)$/, '-$1')
    // Accountants write zero as `$ -`.
    .replace(/^-$/, '0');
  const value = Number(bare);
  if (bare === '' || !Number.isFinite(value)) throw new BadValue('not_a_number');
  return value;
}

export type Precision = 'day' | 'month' | 'year';
interface StatedDate {
  date: string;
  precision: Precision;
}

const written = parse(readFileSync(new URL('./dates.yaml', import.meta.url), 'utf8')) as Record<string, string[]>;
/** In the order in which they are tried; those of months have no day. */
const DATE_FORMS = [...written.days, ...written.months].map((form) => new RegExp(form));

const MONTHS = 'JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC';
const monthOf = (text: string) => (text > '9' ? String(MONTHS.indexOf(text.toUpperCase()) / 3 + 1) : text);
const inCentury = (year: string) => (year.length > 2 ? year : Number(year) > 50 ? `19${year}` : `20${year}`);

/** Sentinel dates of databases and spreadsheets. */
const NO_DATES = new Set(['0001-01-01', '1753-01-01', '1899-12-30', '1899-12-31', '1900-01-01', '9999-12-31']);

/** `2013-01` is a month and stays one: its date is the first of the month and its precision says so. */
export function readDate(cell: string | undefined): StatedDate | null {
  const text = readText(cell);
  if (text === null) return null;
  for (const form of DATE_FORMS) {
    const { y, m, d } = form.exec(text)?.groups ?? {};
    const date = y && checkedDate(inCentury(y), monthOf(m), d ?? '01');
    if (date && d === undefined) return { date, precision: 'month' };
    if (date) return NO_DATES.has(date) ? null : { date, precision: 'day' };
  }
  if (/^\d{4}$/.test(text)) return { date: checkedDate(text, '01', '01'), precision: 'year' };
  // Milliseconds since 1970, as in ArcGIS and ASP.NET.
  const since = /^(?:\/Date\()?(-?\d{11,13})(?:\)\/)?$/.exec(text) ?? /^\/Date\((-?\d+)\)\/$/.exec(text);
  if (since) return { date: isoDate(new Date(Number(since[1]))), precision: 'day' };
  throw new BadValue('not_a_date');
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function checkedDate(year: string, month: string, day: string): string {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (!Number.isInteger(m)) throw new BadValue('not_a_date');
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  if (m < 1 || m > 12 || d < 1 || d > DAYS[m - 1] || (m === 2 && d === 29 && !isLeap)) throw new BadValue('not_a_date');
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** The first day after a date's period: a sale dated by month is known once the month is over. */
export function endOfPeriod({ date, precision }: StatedDate): string {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  if (precision === 'day') return date;
  if (precision === 'year') return `${year + 1}-01-01`;
  return month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, '0')}-01`;
}
