// Writes rows by name: the members of an object are the columns of a table.
import type { Queryable } from './postgres.ts';

/** Inserts rows in one statement and returns how many; `tail` follows it, such as `on conflict do nothing`. Rows are
    sent as JSON, so bytea columns cannot be written this way. */
export async function insertRows(db: Queryable, table: string, rows: object[], tail = ''): Promise<number> {
  if (rows.length === 0) return 0;
  const columns = Object.keys(rows[0]).join(', ');
  const { rowCount } = await db.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1) ${tail}`,
    [JSON.stringify(rows)],
  );
  return rowCount ?? 0;
}

/** Inserts one row of any types; false if the tail prevented it. */
export async function insertRow(db: Queryable, table: string, row: object, tail = ''): Promise<boolean> {
  const columns = Object.keys(row);
  const places = columns.map((_, i) => `$${i + 1}`).join(', ');
  const { rowCount } = await db.query(
    `insert into ${table} (${columns.join(', ')}) values (${places}) ${tail}`,
    Object.values(row),
  );
  return rowCount === 1;
}

/** Inserts a row, or replaces the one with the same key: a column, or several with commas. */
export async function replaceRow(db: Queryable, table: string, key: string, row: object): Promise<void> {
  const others = Object.keys(row).filter((name) => !key.split(', ').includes(name));
  const values = others.map((name) => `${name} = excluded.${name}`).join(', ');
  await insertRow(db, table, row, `on conflict (${key}) do update set ${values}`);
}

/** Writes every member of the row except its key. */
export async function updateRow<Row extends object>(db: Queryable, table: string, key: keyof Row & string, row: Row) {
  const columns = Object.keys(row)
    .filter((name) => name !== key)
    .join(', ');
  await db.query(
    `update ${table} set (${columns}) = (select ${columns} from jsonb_populate_record(null::${table}, $1)) where ${key} = $2`,
    [JSON.stringify(row), row[key]],
  );
}
