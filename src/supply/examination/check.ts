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
  /** A check of every cell that is read in a certain way. */
  cells?: 'amounts' | 'dates' | 'words';
  /** How a wrong cell looks, and a cell that shows that none of its column is wrong. */
  wrong?: string;
  unless?: string;
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

/** Any of the signs that the checks of words look for: most cells have none. */
const SUSPICIOUS = /[\u00c2\u00c3\u00e2\ufffd&{[\n#]/;

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
  limits: Limits;
}

/** Asked once, at the end. */
export interface WholeCheck {
  id: string;
  find(exam: Examined): Found[];
}
