// The forms of a check: a row of one of the tables in checks/, with the words of its finding.
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

/** Asked of every row that has all the fields. */
export interface RowCheck extends CheckText, Limits {
  on: string[];
  /** Rows to leave out of the count. */
  isAsked?: (values: any[], subject: Subject) => boolean;
  isWrong: (values: any[], subject: Subject) => boolean;
}

/** Asked of every cell that is read in a certain way. */
export interface CellCheck extends CheckText, Limits {
  reads: 'amounts' | 'dates' | 'words';
  isWrong: (cell: string) => boolean;
}

export interface Found extends Partial<CheckText> {
  about?: string;
  count: number;
  total: number;
  examples?: string[];
  limits: Limits;
}

/** Asked once, at the end. */
export interface WholeCheck extends CheckText {
  find(exam: Examined): Found[];
}
