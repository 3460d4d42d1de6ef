// Parses cell text into values: money with signs and commas, dates in seven spellings, NULLs.

/** A cell that cannot be parsed as its type. The code becomes the quarantine reason. */
export class BadValue extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const NOTHING = new Set(['', 'NULL', 'null', 'N/A', 'n/a', '-', '—', 'None', 'NaN']);

/** Collapses blanks (including HTML's non-breaking ones) and trims; null for the various ways to write nothing. */
export function readText(cell: string | undefined): string | null {
  if (cell === undefined || cell === '') return null;
  const text = /^\s|\s$|\s\s|[\t\n\r\u00a0]/.test(cell) ? cell.replace(/[\s\u00a0]+/g, ' ').trim() : cell;
  return NOTHING.has(text) ? null : text;
}

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

export function readNumber(cell: string | undefined): number | null {
  const text = readText(cell);
  if (text === null) return null;
  if (PLAIN_NUMBER.test(text)) return Number(text);
  const bare = text.replace(/[$,\s\u00a0]/g, '').replace(/^\((.*)\)$/, '-$1');
  const value = Number(bare);
  if (bare === '' || !Number.isFinite(value)) throw new BadValue('not_a_number');
  return value;
}

export type Precision = 'day' | 'month' | 'year';
interface StatedDate {
  date: string;
  precision: Precision;
}

const DATE_FORMS: [RegExp, (parts: RegExpExecArray) => [string, string, string]][] = [
  [/^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/, ([, y, m, d]) => [y, m, d]],
  [/^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: .*)?$/, ([, m, d, y]) => [y, m, d]],
  [/^(\d{4})\/(\d{1,2})\/(\d{1,2})(?:[T ].*)?$/, ([, y, m, d]) => [y, m, d]],
  [/^(\d{4})(\d{2})(\d{2})(?:T\d{6})?$/, ([, y, m, d]) => [y, m, d]],
  [/^(\d{1,2})\/(\d{1,2})\/(\d{2})(?: .*)?$/, ([, m, d, y]) => [inCentury(y), m, d]],
  // As Oracle writes it: 30-JUN-14.
  [
    /^(\d{1,2})-([A-Za-z]{3})-(\d{2}|\d{4})(?: .*)?$/,
    ([, d, m, y]) => [y.length === 2 ? inCentury(y) : y, String(MONTHS.indexOf(m.toUpperCase()) / 3 + 1), d],
  ],
];

const MONTHS = 'JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC';
const inCentury = (year: string) => (Number(year) > 50 ? `19${year}` : `20${year}`);

/** `2013-01` is a month and stays one: its date is the first of the month and its precision says so. */
export function readDate(cell: string | undefined): StatedDate | null {
  const text = readText(cell);
  if (text === null) return null;
  const month = /^(\d{4})-(\d{2})$/.exec(text);
  if (month) return { date: checkedDate(month[1], month[2], '01'), precision: 'month' };
  if (/^\d{4}$/.test(text)) return { date: checkedDate(text, '01', '01'), precision: 'year' };
  const asp = /^\/Date\((-?\d+)\)\/$/.exec(text);
  if (asp) return { date: new Date(Number(asp[1])).toISOString().slice(0, 10), precision: 'day' };
  for (const [form, parts] of DATE_FORMS) {
    const found = form.exec(text);
    if (found) return { date: checkedDate(...parts(found)), precision: 'day' };
  }
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

/** The first day after the period a date stands for: a sale dated by month can be known once the month is over. */
export function endOfPeriod({ date, precision }: StatedDate): string {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  if (precision === 'day') return date;
  if (precision === 'year') return `${year + 1}-01-01`;
  return month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, '0')}-01`;
}
