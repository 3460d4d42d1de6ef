// A page of a list: the rows after a cursor, and the cursor after them.
import { decodeCursor, encodeCursor, type CursorPosition } from './cursors.ts';
import { pageOf } from './schema.ts';
import type { Secrets } from './secrets.ts';

const DEFAULT_LIMIT = 50;

export interface Page<Row> {
  rows: Row[];
  limit: number;
  next: string | null;
}

/** Which list it is, with its filters: a cursor of another one is refused. */
type ListName = readonly unknown[];

/** Reads one row more than asked for, which tells whether there is another page. */
export async function readPage<Row, Position extends CursorPosition>(
  secrets: Secrets,
  name: ListName,
  { limit = DEFAULT_LIMIT, cursor }: { limit?: number; cursor?: string },
  list: (after: Position | undefined, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<Page<Row>> {
  const after = cursor === undefined ? undefined : (decodeCursor(secrets, name, cursor) as Position);
  const found = await list(after, limit + 1);
  const rows = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { rows, limit, next: hasMore ? encodeCursor(secrets, name, positionOf(rows[limit - 1])) : null };
}

/** Where a row stands in lists by the time it was made. */
export const byCreation = ({ created_at, id }: { created_at: Date; id: string }): [string, string] => [
  created_at.toISOString(),
  id,
];

export function presentPage<Row, Item>({ rows, limit, next }: Page<Row>, present: (row: Row) => Item) {
  return pageOf(rows.map(present), limit, next);
}
