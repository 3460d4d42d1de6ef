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

/** By the id of the check; limits only where they do not depend on what is found. */
const WRITTEN = new Map(
  Object.entries(
    parse(readFileSync(new URL('./checks.yaml', import.meta.url), 'utf8')) as Record<
      string,
      Omit<CheckText, 'id'> & Limits
    >,
  ),
);
export const WRITTEN_CHECKS = [...WRITTEN.keys()];

export const wordsOf = (id: string): CheckText & Limits => ({ id, ...entryOf(WRITTEN, id) });

export const withWords = <Check extends { id: string }>(checks: Check[]): (Check & CheckText & Limits)[] =>
  checks.map((check) => ({ ...check, ...wordsOf(check.id) }));

/** Asked of every row that has all the fields. */
export interface RowCheck {
  id: string;
  on: string[];
  /** Rows to leave out of the count. */
  isAsked?: (values: any[], subject: Subject) => boolean;
  isWrong: (values: any[], subject: Subject) => boolean;
}

/** Asked of every cell that is read in a certain way. */
export interface CellCheck {
  id: string;
  reads: 'amounts' | 'dates' | 'words';
  isWrong: (cell: string) => boolean;
  /** A cell that shows that none of its column is wrong. */
  isRefuted?: (cell: string) => boolean;
}

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
