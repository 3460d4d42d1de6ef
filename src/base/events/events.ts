// Events of an account: recorded in the same transaction as the fact, read through the API, delivered by webhooks/.
import type { Queryable } from '../db/postgres.ts';
import { randomId } from '../lib/ids.ts';
import type { EventData } from './kinds.ts';
import type { EventKind } from './names.ts';
import * as sql from './sql.ts';

interface Occurrence<Kind extends EventKind> {
  accountId: string;
  mode: sql.EventMode;
  type: Kind;
  data: EventData<Kind>;
  /** The origin of the event. A second event of the same account and source is not recorded. */
  sourceKey?: string;
  occurredAt?: Date;
}

/** A kind with its data. */
export type NewEvent<Kind extends EventKind = EventKind> = { [Each in Kind]: Occurrence<Each> }[Kind];

/** Call with the client of the fact's transaction, so both commit or neither does. */
export const recordEvent = async (client: Queryable, event: NewEvent): Promise<string | undefined> =>
  (await recordEvents(client, [event]))[0];

export async function recordEvents(client: Queryable, events: NewEvent[]): Promise<string[]> {
  const rows = events.map((event) => ({
    id: randomId('evt'),
    account_id: event.accountId,
    mode: event.mode,
    type: event.type,
    data: event.data,
    source_key: event.sourceKey ?? null,
    occurred_at: event.occurredAt ?? null,
  }));
  return sql.insertEvents(client, rows);
}

export const presentEvent = (event: sql.EventRow) => ({
  object: 'event' as const,
  id: event.id,
  type: event.type,
  timestamp: event.occurred_at.toISOString(),
  sequence: event.sequence,
  mode: event.mode,
  data: event.data,
});
