// Ranges that the database columns can hold. A recipe's expressions and texts can make anything, and a value
// that does not fit has to be a bad row: in PostgreSQL it would end the whole load.
import type { Target, Value } from '../source.ts';
import { BadValue, readDate } from './values.ts';

type Fit = (value: Value) => Value;

/** Beyond what the column holds is unknown, like anything else outside its bounds. */
const whole =
  (most: number): Fit =>
  (value) => {
    const number = numberOf(value);
    if (!Number.isInteger(number)) throw new BadValue('not_a_whole_number');
    return Math.abs(number) <= most ? value : null;
  };

const decimal: Fit = (value) => {
  if (!Number.isFinite(numberOf(value))) throw new BadValue('not_a_number');
  return value;
};

const numberOf = (value: Value) =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : typeof value === 'number' ? value : Number.NaN;

const IS_DATE = /_(date|on)$|^owned_since$/;

/** Written as the tables write it, whatever its spelling. */
const date: Fit = (value) => {
  if (typeof value !== 'string') throw new BadValue('not_a_date');
  return readDate(value)?.date ?? null;
};

const oneOf =
  (...words: string[]): Fit =>
  (value) => {
    if (!words.includes(value as string)) throw new BadValue(`not_one_of ${words.join(' ')}`);
    return value;
  };

const SMALL = whole(32_767);
const PLAIN = whole(2_147_483_647);
const LARGE = whole(Number.MAX_SAFE_INTEGER);

const NUMBERS: Record<string, Fit> = {
  bedrooms: SMALL,
  rooms: SMALL,
  baths_full: SMALL,
  baths_half: SMALL,
  garage_spaces: SMALL,
  year_built: SMALL,
  effective_year_built: SMALL,
  year: SMALL,
  tax_year: SMALL,
  sqft: PLAIN,
  footprint_sqft: PLAIN,
  units: PLAIN,
  lot_sqft: LARGE,
  land: LARGE,
  improvements: LARGE,
  total: LARGE,
  market_total: LARGE,
  amount_cents: LARGE,
  price: LARGE,
  loan_amount: LARGE,
  amount: LARGE,
  job_value: LARGE,
  latitude: decimal,
  longitude: decimal,
  bathrooms: decimal,
  stories: decimal,
};

const WORDS: Partial<Record<Target, Record<string, Fit>>> = {
  transactions: {
    type: oneOf('deed', 'mortgage', 'release', 'foreclosure', 'other'),
    date_precision: oneOf('day', 'month', 'year'),
  },
  tax_liens: { status: oneOf('open', 'released', 'sold', 'unknown') },
  code_violations: { status: oneOf('open', 'closed', 'unknown') },
};

/** Undefined for a column that holds whatever it is given, and for a date that is read as one. */
export function fitOf(target: Target, column: string, kind: string): Fit | undefined {
  const isUnread = IS_DATE.test(column) && !kind.startsWith('date');
  const fit = WORDS[target]?.[column] ?? NUMBERS[column] ?? (isUnread ? date : undefined);
  return fit && ((value) => (value === null || value === undefined ? value : fit(value)));
}
