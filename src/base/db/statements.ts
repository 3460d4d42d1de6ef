// Plain SQL as tagged templates: interpolated values become parameters, and statements are composed of parts.
import type { Queryable } from './postgres.ts';

/** A piece of SQL with its values. */
export class Part {
  readonly texts: readonly string[];
  readonly values: readonly unknown[];
  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }
}

/** Trusted SQL text, never from a request: column lists, tables, shared conditions. */
export const raw = (text: string | number): Part => new Part([String(text)], []);

/** A fragment for other statements. */
export const part = (texts: TemplateStringsArray, ...values: unknown[]): Part => new Part(texts, values);

export const joined = (parts: Part[], separator: string): Part =>
  new Part(['', ...parts.slice(1).map(() => separator), ''], parts);

type Tag<Result> = (parts: TemplateStringsArray, ...values: unknown[]) => Promise<Result>;

function textOf({ texts, values }: Part, parameters: unknown[]): string {
  const holes = values.map((value) =>
    value instanceof Part ? textOf(value, parameters) : `$${parameters.push(value)}`,
  );
  return String.raw({ raw: texts }, ...holes);
}

function statementOf(texts: readonly string[], all: unknown[], name?: string) {
  const values: unknown[] = [];
  return { name, text: textOf(new Part(texts, all), values), values };
}

/** An error includes the start of its statement, without values, because the caller's stack frames are lost by then. */
const send = <Row extends object>(db: Queryable, statement: ReturnType<typeof statementOf>) =>
  db.query<Row>(statement).catch((error: Error) => {
    error.stack += `\n    of ${statement.text.trim().replace(/\s+/g, ' ').slice(0, 200)}`;
    throw error;
  });

/** With a `name`, each connection prepares the statement once. */
export const listRows =
  <Row extends object>(db: Queryable, name?: string): Tag<Row[]> =>
  async (parts, ...values) =>
    (await send<Row>(db, statementOf(parts, values, name))).rows;

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
    (await send(db, statementOf(parts, values))).rowCount ?? 0;

/** Whether one row was written, deleted or locked. */
export const changeRow =
  (db: Queryable): Tag<boolean> =>
  async (parts, ...values) =>
    (await changeRows(db)(parts, ...values)) === 1;

export const hasRow =
  (db: Queryable): Tag<boolean> =>
  async (parts, ...values) =>
    (await findRow(db)(parts, ...values)) !== undefined;

/** The first column of every row. */
export const listValues =
  <Value>(db: Queryable, name?: string): Tag<Value[]> =>
  async (parts, ...values) =>
    (await listRows(db, name)(parts, ...values)).map((row) => Object.values(row)[0] as Value);

/** The first column of the first row. */
export const findValue =
  <Value>(db: Queryable, name?: string): Tag<Value | undefined> =>
  async (parts, ...values) =>
    (await listValues<Value>(db, name)(parts, ...values))[0];

/** For statements that always return a row, such as counts. */
export const getValue = <Value>(db: Queryable, name?: string) => findValue<Value>(db, name) as Tag<Value>;
