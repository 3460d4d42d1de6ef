// One page of a list: the rows after a cursor, and the cursor after them.
import Type from 'typebox';
import { decodeCursor, encodeCursor, type CursorPosition } from './cursors.ts';
import { fail } from './errors.ts';
import { instant, pageOf, Paging } from './schema.ts';
import type { Secrets } from './secrets.ts';

const DEFAULT_LIMIT = 50;

interface Page<Row> {
  rows: Row[];
  limit: number;
  next: string | null;
}

/** Identifies the list and its filters; a cursor from another list is rejected. */
type ListName = readonly unknown[];

/** Reads one row more than requested to tell whether there is another page. */
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

/** The position of a row in lists ordered by creation time. */
export const byCreation = ({ created_at, id }: { created_at: Date; id: string }): [string, string] => [
  created_at.toISOString(),
  id,
];

/** Paging parameters of a list ordered by time. */
export const spanPaging = {
  since: Type.Optional(instant({ description: 'Only what happened at or after this time.' })),
  until: Type.Optional(instant({ description: 'Only what happened before this time.' })),
  ...Paging.properties,
};

export interface Span {
  since?: Date;
  until?: Date;
}

export function readSpan({ since, until }: { since?: string; until?: string }): Span {
  const span = {
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  };
  if (span.since && span.until && span.since >= span.until) {
    const detail = 'must be later than `since`';
    fail('invalid_request', `until ${detail}.`, { errors: [{ pointer: '/until', code: 'invalid', detail }] });
  }
  return span;
}

export const presentPage = <Row, Item>({ rows, limit, next }: Page<Row>, present: (row: Row) => Item) =>
  pageOf(rows.map(present), limit, next);
