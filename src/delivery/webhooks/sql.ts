// Every query on webhook endpoints, deliveries and attempts.
import { insertRow } from '../../base/db/rows.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { RetentionCutoffs } from '../../customers/accounts/plans.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import type { Span } from '../../base/lib/pages.ts';

export interface EndpointRow {
  id: string;
  account_id: string;
  mode: KeyMode;
  url: string;
  description: string;
  events: string[];
  status: 'enabled' | 'disabled';
  disabled_reason: string | null;
  secrets: Buffer;
  failing_since: Date | null;
  warnings: number;
  created_at: Date;
  updated_at: Date;
}

export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  account_id: string;
  mode: KeyMode;
  event_id: string;
  event_type: string;
  sequence: number;
  status: 'pending' | 'succeeded' | 'failed';
  attempts: number;
  attempts_before: number;
  next_attempt_at: Date | null;
  last_response_status: number | null;
  last_error: string | null;
  created_at: Date;
  finished_at: Date | null;
}

export interface AttemptRow {
  attempt: number;
  attempted_at: Date;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
}

export interface ClaimedDelivery extends DeliveryRow {
  url: string;
  secrets: Buffer;
  event_data: Record<string, unknown>;
  occurred_at: Date;
}

/** Adds the endpoint unless the account is at its limit; serialized per account. */
export async function insertEndpoint(client: Client, endpoint: EndpointRow, limit: number): Promise<boolean> {
  await client.query(`select pg_advisory_xact_lock(hashtext('webhooks ' || $1))`, [endpoint.account_id]);
  const { rowCount } = await client.query(
    `insert into webhook_endpoints (id, account_id, mode, url, description, events, secrets, created_at, updated_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $8
     where (select count(*) from webhook_endpoints where account_id = $2 and mode = $3) < $9`,
    [
      endpoint.id,
      endpoint.account_id,
      endpoint.mode,
      endpoint.url,
      endpoint.description,
      endpoint.events,
      endpoint.secrets,
      endpoint.created_at,
      limit,
    ],
  );
  return rowCount === 1;
}

export async function findEndpoint(
  db: Queryable,
  accountId: string,
  mode: KeyMode,
  id: string,
): Promise<EndpointRow | undefined> {
  const { rows } = await db.query<EndpointRow>(
    'select * from webhook_endpoints where id = $1 and account_id = $2 and mode = $3',
    [id, accountId, mode],
  );
  return rows[0];
}

export async function lockEndpoint(client: Client, id: string): Promise<EndpointRow | undefined> {
  const { rows } = await client.query<EndpointRow>('select * from webhook_endpoints where id = $1 for update', [id]);
  return rows[0];
}

interface EndpointQuery {
  accountId: string;
  mode: KeyMode;
  /** Position of the last row already listed. */
  after?: [createdAt: string, id: string];
  limit: number;
}

/** Oldest first. */
export async function listEndpoints(
  db: Queryable,
  { accountId, mode, after, limit }: EndpointQuery,
): Promise<EndpointRow[]> {
  const { rows } = await db.query<EndpointRow>(
    `select * from webhook_endpoints
     where account_id = $1 and mode = $2 and ($3::timestamptz is null or (created_at, id) > ($3, $4))
     order by created_at, id limit $5`,
    [accountId, mode, after?.[0] ?? null, after?.[1] ?? '', limit],
  );
  return rows;
}

export async function updateEndpoint(db: Queryable, endpoint: EndpointRow): Promise<void> {
  await db.query(
    `update webhook_endpoints set url = $2, description = $3, events = $4, status = $5, disabled_reason = $6,
       secrets = $7, failing_since = $8, warnings = $9, updated_at = $10 where id = $1`,
    [
      endpoint.id,
      endpoint.url,
      endpoint.description,
      endpoint.events,
      endpoint.status,
      endpoint.disabled_reason,
      endpoint.secrets,
      endpoint.failing_since,
      endpoint.warnings,
      endpoint.updated_at,
    ],
  );
}

export async function deleteEndpoint(db: Queryable, id: string): Promise<void> {
  await db.query('delete from webhook_endpoints where id = $1', [id]);
}

/**
 * Turns waiting events into deliveries, one per subscribed endpoint, in one statement. Returns how many were waiting.
 */
export async function fanOut(db: Queryable, now: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `with waiting as (
       select id, sequence, account_id, mode, type, data from events
       where fanned_out_at is null order by sequence limit $2 for update skip locked
     ), made as (
       insert into webhook_deliveries
         (id, endpoint_id, account_id, mode, event_id, event_type, sequence, next_attempt_at, created_at)
       select 'dlv_' || substr(md5(e.id || w.id), 1, 20), e.id, w.account_id, w.mode, w.id, w.type, w.sequence, $1, $1
       from waiting w join webhook_endpoints e on e.account_id = w.account_id and e.mode = w.mode
       where e.status = 'enabled'
         and e.events && array[w.type, split_part(w.type, '.', 1) || '.*', '*']
         and w.data ->> 'webhook_id' is distinct from e.id
       on conflict (endpoint_id, event_id) do nothing
     )
     update events set fanned_out_at = $1 from waiting where events.id = waiting.id`,
    [now, limit],
  );
  return rowCount ?? 0;
}

/** Delivers an event to one endpoint alone, instead of fanning it out. */
export async function insertDirectDelivery(
  client: Client,
  endpoint: EndpointRow,
  { eventId, deliveryId, now }: { eventId: string; deliveryId: string; now: Date },
): Promise<void> {
  await client.query(`update events set fanned_out_at = $2 where id = $1`, [eventId, now]);
  await client.query(
    `insert into webhook_deliveries
       (id, endpoint_id, account_id, mode, event_id, event_type, sequence, next_attempt_at, created_at)
     select $1, $2, $3, $4, id, type, sequence, $6, $6 from events where id = $5`,
    [deliveryId, endpoint.id, endpoint.account_id, endpoint.mode, eventId, now],
  );
}

const CLAIMED = `d.*, e.url, e.secrets, v.data as event_data, v.occurred_at`;

/**
 * Claims due deliveries under a lease. Each endpoint has few in flight, and a failing one only one, so that a dead
 * receiver cannot delay the others.
 */
export async function claimDeliveries(
  db: Queryable,
  { now, lockedUntil, limit, perEndpoint }: { now: Date; lockedUntil: Date; limit: number; perEndpoint: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<ClaimedDelivery>(
    `with due as (
       select distinct endpoint_id from webhook_deliveries
       where status = 'pending' and next_attempt_at <= $1 and (locked_until is null or locked_until <= $1)
     ), chosen as (
       select d.id from due
       join webhook_endpoints e on e.id = due.endpoint_id and e.status = 'enabled'
       cross join lateral (
         select count(*) as busy from webhook_deliveries b
         where b.endpoint_id = e.id and b.status = 'pending' and b.locked_until > $1
       ) flight
       cross join lateral (
         select w.id from webhook_deliveries w
         where w.endpoint_id = e.id and w.status = 'pending' and w.next_attempt_at <= $1
           and (w.locked_until is null or w.locked_until <= $1)
         order by w.sequence
         limit greatest(0, case when e.failing_since is null then $4::int else 1 end - flight.busy)
       ) d
       limit $3
     ), locked as (
       select d.id from webhook_deliveries d join chosen on chosen.id = d.id for update of d skip locked
     )
     update webhook_deliveries d set locked_until = $2, attempts = d.attempts + 1
     from locked, webhook_endpoints e, events v
     where d.id = locked.id and d.status = 'pending' and (d.locked_until is null or d.locked_until <= $1)
       and e.id = d.endpoint_id and v.id = d.event_id
     returning ${CLAIMED}`,
    [now, lockedUntil, limit, perEndpoint],
  );
  return rows.sort((a, b) => a.sequence - b.sequence);
}

export async function claimDelivery(
  db: Queryable,
  id: string,
  now: Date,
  lockedUntil: Date,
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await db.query<ClaimedDelivery>(
    `update webhook_deliveries d set locked_until = $3, attempts = d.attempts + 1
     from webhook_endpoints e, events v
     where d.id = $1 and d.status = 'pending' and (d.locked_until is null or d.locked_until <= $2)
       and e.id = d.endpoint_id and v.id = d.event_id
     returning ${CLAIMED}`,
    [id, now, lockedUntil],
  );
  return rows[0];
}

export async function insertAttempt(client: Client, deliveryId: string, attempt: AttemptRow): Promise<void> {
  await insertRow(client, 'webhook_attempts', { delivery_id: deliveryId, ...attempt }, 'on conflict do nothing');
}

/** Does nothing if another worker has claimed the delivery since; its attempt is then the one that counts. */
export async function updateDelivery(
  client: Client,
  delivery: Pick<DeliveryRow, 'id' | 'attempts' | 'status' | 'next_attempt_at' | 'last_response_status' | 'last_error'>,
  now: Date,
): Promise<void> {
  await client.query(
    `update webhook_deliveries set status = $3, next_attempt_at = $4, last_response_status = $5, last_error = $6,
       locked_until = null, finished_at = case when $3 = 'pending' then null else $7::timestamptz end
     where id = $1 and attempts = $2 and status = 'pending'`,
    [
      delivery.id,
      delivery.attempts,
      delivery.status,
      delivery.next_attempt_at,
      delivery.last_response_status,
      delivery.last_error,
      now,
    ],
  );
}

export async function findDelivery(
  db: Queryable,
  accountId: string,
  mode: KeyMode,
  id: string,
): Promise<DeliveryRow | undefined> {
  const { rows } = await db.query<DeliveryRow>(
    'select * from webhook_deliveries where id = $1 and account_id = $2 and mode = $3',
    [id, accountId, mode],
  );
  return rows[0];
}

export async function listAttempts(db: Queryable, deliveryId: string): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>(
    `select attempt, attempted_at, duration_ms, response_status, response_body, error from webhook_attempts
     where delivery_id = $1 order by attempt limit 500`,
    [deliveryId],
  );
  return rows;
}

interface DeliveryQuery {
  endpointId: string;
  status?: DeliveryRow['status'];
  eventTypes?: string[];
  span?: Span;
  /** Position of the last row already listed. */
  before?: [createdAt: string, id: string];
  limit: number;
}

/** Newest first. */
export async function listDeliveries(
  db: Queryable,
  { endpointId, status, eventTypes, span, before, limit }: DeliveryQuery,
): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(
    `select * from webhook_deliveries
     where endpoint_id = $1 and ($2::text is null or status = $2) and ($3::text[] is null or event_type = any($3))
       and ($4::timestamptz is null or (created_at, id) < ($4, $5))
       and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)
     order by created_at desc, id desc limit $8`,
    [
      endpointId,
      status ?? null,
      eventTypes ?? null,
      before?.[0] ?? null,
      before?.[1] ?? '',
      span?.since ?? null,
      span?.until ?? null,
      limit,
    ],
  );
  return rows;
}

const AGAIN = `status = 'pending', next_attempt_at = $2, locked_until = null, finished_at = null, attempts_before = attempts`;

export async function requeueDelivery(db: Queryable, id: string, now: Date): Promise<DeliveryRow> {
  const { rows } = await db.query<DeliveryRow>(`update webhook_deliveries set ${AGAIN} where id = $1 returning *`, [
    id,
    now,
  ]);
  return rows[0];
}

/** All undelivered ones except those in flight. */
export async function requeueUndelivered(db: Queryable, endpointId: string, now: Date, span: Span): Promise<number> {
  const { rowCount } = await db.query(
    `update webhook_deliveries set ${AGAIN} where endpoint_id = $1 and created_at >= $3
       and ($4::timestamptz is null or created_at < $4)
       and (status = 'failed' or (status = 'pending' and (locked_until is null or locked_until <= $2)))`,
    [endpointId, now, span.since, span.until ?? null],
  );
  return rowCount ?? 0;
}

/** Deletes old events with their deliveries and attempts, unless a delivery is still pending; 10,000 at a time. */
export async function deleteOldEvents(db: Queryable, cuts: RetentionCutoffs): Promise<number> {
  const { rowCount } = await db.query(
    `delete from events where id in (
       select v.id from events v join accounts a on a.id = v.account_id
       join unnest($1::text[], $2::text[], $3::timestamptz[]) as k (plan, mode, before)
         on k.plan = a.plan and k.mode = v.mode and v.occurred_at < k.before
       where v.occurred_at < $4 and v.fanned_out_at is not null
         and not exists (select from webhook_deliveries d where d.event_id = v.id and d.status = 'pending') limit 10000)`,
    [cuts.plans, cuts.modes, cuts.befores, cuts.latest],
  );
  return rowCount ?? 0;
}

export async function insertModelEvents(db: Queryable, since: Date): Promise<number> {
  const { rowCount } = await db.query(
    `insert into events (id, account_id, mode, type, data, source_key, occurred_at)
     select 'evt_' || substr(md5(a.id || m.version), 1, 20), a.id,
       case when m.market = 'sandbox' then 'test' else 'live' end, 'model.released',
       jsonb_build_object('model_version', m.version, 'market', m.market, 'trained_on', m.trained_on),
       'model:' || m.version, m.created_at
     from models m cross join accounts a
     where m.state = 'current' and m.created_at >= $1 and a.created_at <= m.created_at and a.status = 'active'
     on conflict do nothing`,
    [since],
  );
  return rowCount ?? 0;
}
