// The forms of a check: a row of one of the tables in checks/. The words of its finding and the limits are in checks.yaml.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { entryOf } from '../../base/lib/must.ts';
import type { Examined } from './examined.ts';
import type { Limits } from './finding.ts';
import type { Subject } from './subject.ts';

/** `{about}` in a text stands for the field or column of the finding. */
export interface CheckText {
  id: string;
  title: string;
  cause: string;
  mend: string;
}

/** The entries of a file next to this one. */
export const readWritten = <Entry>(name: string) =>
  new Map(
    Object.entries(parse(readFileSync(new URL(`./${name}.yaml`, import.meta.url), 'utf8')) as Record<string, Entry>),
  );

interface WrittenCheck extends Omit<CheckText, 'id'>, Limits {
  /** A check of how the recipe reads a field, of which the finding is about what the pattern captures. */
  read?: string;
  /** A check of every cell that is read in a certain way. */
  cells?: 'amounts' | 'dates' | 'words';
  /** How a wrong cell or field looks, and a cell that shows that none of its column is wrong. */
  wrong?: string;
  unless?: string;
  /** A check of one field of every row, or of how many times another it is, where others are one of some values. */
  field?: string;
  by?: string;
  /** Of years: how many it lies after a date. */
  since?: string;
  where?: Record<string, unknown[]>;
  below?: number;
  above?: number;
  between?: [number, number];
}

/** By the id of the check; limits only where they do not depend on what is found. */
const WRITTEN = readWritten<WrittenCheck>('checks');
export const WRITTEN_CHECKS = [...WRITTEN.keys()];

export const wordsOf = (id: string): CheckText & Limits => ({ id, ...entryOf(WRITTEN, id) });

export const withWords = <Check extends { id: string }>(checks: Check[]): (Check & CheckText & Limits)[] =>
  checks.map((check) => ({ ...check, ...wordsOf(check.id) }));

/** Asked of every row that has all the fields, or those that it says it needs; undefined for a row to leave out. */
export interface RowCheck {
  id: string;
  on: string[];
  isAsked?: (values: any[]) => boolean;
  isWrong: (values: any[], subject: Subject) => boolean | undefined;
}

export const FIELD_CHECKS = [...WRITTEN].flatMap(([id, written]): RowCheck[] => {
  const { field, by, since, where = {}, wrong, below = -Infinity, above = Infinity, between = [1, 0] } = written;
  if (!field) return [];
  const pattern = wrong === undefined ? undefined : new RegExp(wrong, 'i');
  const whole = [field, by ?? since].filter((path) => path !== undefined);
  const isAsked: RowCheck['isAsked'] = (values) =>
    (by && !pattern ? values[0] > 0 : (values[0] ?? '') !== '') &&
    (by ? values[1] > 0 : since === undefined || values[1] !== null) &&
    Object.values(where).every((some, i) => some.includes(values[whole.length + i]));
  const isWrong: RowCheck['isWrong'] = ([first, second]) => {
    if (pattern) return pattern.test(String(first));
    const value = by ? first / second : first - Number(since ? second.slice(0, 4) : 0);
    return value < below || value > above || (value >= between[0] && value <= between[1]);
  };
  return [{ id, on: [...whole, ...Object.keys(where)], isAsked, isWrong }];
});

/** Any of the signs that the checks of words look for: most cells have none. */
const SUSPICIOUS = /[\u00c2\u00c3\u00e2\u0370-\u04ff\ufffd&{[\n#?'"\\\u201c]/;

export type CellCheck = (typeof CELL_CHECKS)[number];
export const CELL_CHECKS = [...WRITTEN].flatMap(([id, { cells, wrong = '', unless, ...words }]) => {
  const [pattern, refuted] = [new RegExp(wrong), unless === undefined ? undefined : new RegExp(unless)];
  const isWrong = (cell: string) => (cells !== 'words' || SUSPICIOUS.test(cell)) && pattern.test(cell);
  return cells ? [{ id, ...words, reads: cells, isWrong, isRefuted: (cell: string) => refuted?.test(cell) }] : [];
});

export interface Found extends Partial<CheckText> {
  about?: string;
  count: number;
  total: number;
  examples?: string[];
  /** Where those of the check depend on what is found. */
  limits?: Limits;
}

/** By their ids, asked once, at the end. */
export type WholeChecks = Record<string, (exam: Examined) => Found[]>;

/** Asked of the recipe: `properties.lot_sqft times 43560 of LOT_SIZE`. */
export const READ_CHECKS: WholeChecks = Object.fromEntries(
  [...WRITTEN].flatMap(([id, { read }]) => {
    const find: WholeChecks[string] = ({ subject, rows: count }) =>
      subject.fields.flatMap(({ target, name, kind, columns }) => {
        const [, about] = new RegExp(read ?? '').exec(`${target}.${name} ${kind} of ${columns.join()}`) ?? [];
        return about ? [{ about: about.replaceAll('_', ' '), count, total: count }] : [];
      });
    return read ? [[id, find]] : [];
  }),
);
