// Plain SQL as tagged templates: a value in the text travels as a parameter, and `raw` marks a fixed part of a statement.
import type { Queryable } from './postgres.ts';

class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Text of our own, never of a request: column lists, tables, conditions that several statements share. */
export const raw = (text: string): Raw => new Raw(text);

type Tag<Result> = (parts: TemplateStringsArray, ...values: unknown[]) => Promise<Result>;

function statementOf(parts: TemplateStringsArray, all: unknown[], name?: string) {
  const values: unknown[] = [];
  const holes = all.map((value) => (value instanceof Raw ? value.text : `$${values.push(value)}`));
  return { name, text: String.raw({ raw: parts }, ...holes), values };
}

/** With a `name`, each connection prepares the statement once. */
export const listRows =
  <Row extends object>(db: Queryable, name?: string): Tag<Row[]> =>
  async (parts, ...values) =>
    (await db.query<Row>(statementOf(parts, values, name))).rows;

export const findRow =
  <Row extends object>(db: Queryable, name?: string): Tag<Row | undefined> =>
  async (parts, ...values) =>
    (await listRows<Row>(db, name)(parts, ...values))[0];

/** For statements that always return a row, such as counts. */
export const getRow = <Row extends object>(db: Queryable, name?: string) => findRow<Row>(db, name) as Tag<Row>;

/** How many rows were written, deleted or locked. */
export const changeRows =
  (db: Queryable): Tag<number> =>
  async (parts, ...values) =>
    (await db.query(statementOf(parts, values))).rowCount ?? 0;
