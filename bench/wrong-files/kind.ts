// A kind of wrong file, and the ways to change rows and lines that kinds are made of.
import type { Cells, Column } from './homes.ts';
import type { Shape } from './shapes.ts';

export interface Kind {
  name: string;
  rows?: (rows: Cells[]) => Cells[];
  header?: (header: string[]) => string[];
  /** Of a file of text; shapes without separators are left out. */
  text?: (text: string, shape: Shape) => string | Buffer;
  /** It befalls the next edition of a file that was right. */
  isNext?: boolean;
  /** The file is right, however odd: it must not be stopped. */
  isRight?: boolean;
  /** Columns without which a shape shows nothing of it. */
  needs?: Column;
  /** The file itself is the truth, because the publisher corrected it. */
  truth?: 'file';
}

export type Change = (row: Cells, i: number, rows: Cells[]) => Partial<Cells>;

/** Of every nth row. */
export const every =
  (n: number, change: Change) =>
  (rows: Cells[]): Cells[] =>
    rows.map((row, i) => (i % n === n - 1 ? { ...row, ...change(row, i, rows) } : row));
export const all = (change: Change) => every(1, change);
export const swap = (a: Column, b: Column) => all((row) => ({ [a]: row[b], [b]: row[a] }));
export const scale = (column: Column, by: number, digits = 0) =>
  all((row) => ({ [column]: (Number(row[column]) * by).toFixed(digits) }));
export const sortedBy = (column: Column) => (rows: Cells[]) => {
  const values = rows.map((row) => row[column]).toSorted((a, b) => Number(a) - Number(b));
  return rows.map((row, i) => ({ ...row, [column]: values[i] }));
};
export const dayFirst = (date: string) => date.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$3/$2/$1');
export const monthFirst = (date: string) => date.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1');
export const addDays = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
export const dotted = (value: string) => Number(value).toLocaleString('en').replaceAll(',', '.');
export const lines = (change: (lines: string[], shape: Shape) => string[]) => (text: string, shape: Shape) =>
  change(text.split('\n'), shape).join('\n');

/** Of the second half of the file. */
export const inHalf =
  (change: Change) =>
  (rows: Cells[]): Cells[] =>
    rows.map((row, i) => (i >= rows.length / 2 ? { ...row, ...change(row, i, rows) } : row));
