// Every query of the outbox.
import type { Queryable } from '../db/postgres.ts';
import { changeRows, findRow, listRows, part, raw } from '../db/statements.ts';
import type { Span } from '../lib/pages.ts';
import type { EventKind } from './names.ts';

/** Same as a key's mode; declared here because the accounts room records events and is therefore above this one. */
export type EventMode = 'live' | 'test';

export interface EventRow {
  id: string;
  sequence: number;
  account_id: string;
  mode: EventMode;
  type: EventKind;
  data: Record<string, unknown>;
  occurred_at: Date;
}

const COLUMNS = 'id, sequence, account_id, mode, type, data, occurred_at';

interface NewEventRow extends Pick<EventRow, 'id' | 'account_id' | 'mode' | 'data'> {
  type: string;
  source_key: string | null;
  occurred_at: Date | null;
}

/** Returns the new ids; an event from a known source is left unchanged. */
export async function insertEvents(db: Queryable, events: NewEventRow[]): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = await listRows<{ id: string }>(db)`
    insert into events (id, account_id, mode, type, data, source_key, occurred_at)
    select e.id, e.account_id, e.mode, e.type, e.data, e.source_key, coalesce(e.occurred_at, now())
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as e (id text, account_id text, mode text, type text, data jsonb, source_key text, occurred_at timestamptz)
    on conflict (account_id, source_key) do nothing
    returning id`;
  if (rows.length > 0) await announceWork(db, 'webhooks');
  return rows.map((row) => row.id);
}

export const findEvent = (db: Queryable, accountId: string, mode: EventMode, id: string) =>
  findRow<EventRow>(db)`
    select ${raw(COLUMNS)} from events where id = ${id} and account_id = ${accountId} and mode = ${mode}`;

interface EventQuery {
  accountId: string;
  mode: EventMode;
  types?: string[];
  span?: Span;
  /** Sequence of the last event already listed. */
  before?: number;
  limit: number;
}

/** Newest first. */
export const listEvents = (db: Queryable, { accountId, mode, types, span, before, limit }: EventQuery) =>
  listRows<EventRow>(db)`
    select ${raw(COLUMNS)} from events
    where account_id = ${accountId} and mode = ${mode}
      ${types ? part`and type = any(${types})` : raw('')}
      ${before === undefined ? raw('') : part`and sequence < ${before}`}
      ${span?.since ? part`and occurred_at >= ${span.since}` : raw('')}
      ${span?.until ? part`and occurred_at < ${span.until}` : raw('')}
    order by sequence desc limit ${limit}`;

/** Workers listen here; the payload names the queue that has work. */
export const WORK_CHANNEL = 'platbook_work';

export const announceWork = (db: Queryable, queue: string) =>
  changeRows(db)`select pg_notify(${WORK_CHANNEL}, ${queue})`;
