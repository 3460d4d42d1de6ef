// Plain SQL as tagged templates, where a value in the text travels as a parameter and `raw` marks a fixed part; and rows
// that are written by the names of their columns.
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

/** How many rows were written or deleted. */
export const changeRows =
  (db: Queryable): Tag<number> =>
  async (parts, ...values) =>
    (await db.query(statementOf(parts, values))).rowCount ?? 0;

/** Inserts the named columns of a row, which may hold bytes; `conflict` is an `on conflict` clause. Returns how many rows were written. */
export async function insertRow(
  db: Queryable,
  table: string,
  columns: Raw,
  row: object,
  conflict: string = '',
): Promise<number> {
  const names = columns.text.split(/,\s*/);
  const places = names.map((_, i) => `$${i + 1}`);
  const { rowCount } = await db.query(
    `insert into ${table} (${columns.text}) values (${places.join(', ')}) ${conflict}`,
    names.map((name) => (row as Record<string, unknown>)[name]),
  );
  return rowCount ?? 0;
}

/** Inserts a row, or updates the one with the same key but for its `kept` columns. */
export function upsertRow(
  db: Queryable,
  table: string,
  columns: Raw,
  row: object,
  { key, kept = [] }: { key: string[]; kept?: string[] },
): Promise<number> {
  const changed = columns.text.split(/,\s*/).filter((name) => ![...key, ...kept].includes(name));
  const updates = changed.map((name) => `${name} = excluded.${name}`);
  return insertRow(db, table, columns, row, `on conflict (${key.join(', ')}) do update set ${updates.join(', ')}`);
}

/** Inserts rows in one statement and returns how many; `tail` follows it, such as `on conflict do nothing`. Rows travel as
    JSON, so a column of bytes cannot be written this way. */
export async function insertRows(db: Queryable, table: string, rows: object[], tail = ''): Promise<number> {
  if (rows.length === 0) return 0;
  const columns = Object.keys(rows[0]).join(', ');
  const { rowCount } = await db.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1) ${tail}`,
    [JSON.stringify(rows)],
  );
  return rowCount ?? 0;
}

/** Writes every member of the row but its key. */
export async function updateRow<Row extends object>(
  db: Queryable,
  table: string,
  key: keyof Row & string,
  row: Row,
): Promise<void> {
  const columns = Object.keys(row)
    .filter((name) => name !== key)
    .join(', ');
  await db.query(
    `update ${table} set (${columns}) = (select ${columns} from jsonb_populate_record(null::${table}, $1)) where ${key} = $2`,
    [JSON.stringify(row), row[key]],
  );
}
