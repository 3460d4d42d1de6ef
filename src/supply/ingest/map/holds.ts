// Checks that a value fits the column it is written to. A recipe's expressions can return anything, and a value that
// does not fit must become a bad row; in PostgreSQL it would abort the whole load.
import type { TObject } from 'typebox';
import { EVENT_LAYERS } from '../../layers/layers.ts';
import type { Target, Value } from '../source.ts';
import { BadValue, readDate } from './values.ts';

type Fit = (value: Value) => Value;

/** A number beyond the column's range is unknown, like anything else outside its bounds. */
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

/** Normalized to the stored format. */
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

/** Numeric columns by type range. */
const COLUMNS: [fit: Fit, columns: string][] = [
  [whole(32_767), 'bedrooms rooms baths_full baths_half garage_spaces year_built effective_year_built year tax_year'],
  [whole(2_147_483_647), 'sqft footprint_sqft units'],
  [
    whole(Number.MAX_SAFE_INTEGER),
    'lot_sqft land improvements total market_total amount_cents price loan_amount amount job_value',
  ],
  [decimal, 'latitude longitude bathrooms stories rent'],
];
const NUMBERS: Record<string, Fit> = Object.fromEntries(
  COLUMNS.flatMap(([fit, columns]) => columns.split(' ').map((column) => [column, fit])),
);

/** The members of a shape that are one of a few words. */
const wordsOf = ({ properties }: TObject): Record<string, Fit> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, shape]) => {
      const { enum: words } = shape as { enum?: string[] };
      return words ? [[name, oneOf(...words)]] : [];
    }),
  );

const WORDS: Partial<Record<Target, Record<string, Fit>>> = {
  transactions: {
    type: oneOf('deed', 'mortgage', 'release', 'foreclosure', 'other'),
    date_precision: oneOf('day', 'month', 'year'),
  },
  ...Object.fromEntries(EVENT_LAYERS.map(({ name, events }) => [name, wordsOf(events.item)])),
};

/** Undefined for a column that holds any value, and for a date that the field already reads as one. */
export function fitOf(target: Target, column: string, kind: string): Fit | undefined {
  const isUnread = IS_DATE.test(column) && !kind.startsWith('date');
  const fit = WORDS[target]?.[column] ?? NUMBERS[column] ?? (isUnread ? date : undefined);
  return fit && ((value) => (value === null || value === undefined ? value : fit(value)));
}
