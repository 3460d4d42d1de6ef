// A condition on a record's columns in any combination of AND, OR and NOT: the form that GIS programs filter by.
/** The PostgreSQL type that a column is compared in. */
export const COMPARED_AS = {
  string: 'text',
  integer: 'bigint',
  number: 'float8',
  boolean: 'boolean',
  date: 'date',
  instant: 'timestamptz',
} as const;

export interface Operand {
  column: string;
  type: keyof typeof COMPARED_AS;
}

export const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
type Literal = string | number | boolean;

export type Expression =
  | { op: 'and' | 'or'; of: Expression[] }
  | { op: 'not'; of: Expression }
  | { op: 'compare'; operand: Operand; is: (typeof COMPARISONS)[number]; value: Literal }
  | { op: 'like'; operand: Operand; pattern: string }
  | { op: 'in'; operand: Operand; values: Literal[] }
  | { op: 'between'; operand: Operand; low: Literal; high: Literal }
  | { op: 'null'; operand: Operand };
