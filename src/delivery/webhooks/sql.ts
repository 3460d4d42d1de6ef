// Queries of webhook endpoints, deliveries and attempts.
import { insertRow } from '../../base/db/rows.ts';
import { changeRows, findRow, getRow, listRows, part, raw } from '../../base/db/statements.ts';
import type { RetentionCutoffs } from '../../customers/accounts/plans.ts';
import { countOwn, listNewest, type NewestQuery, type Owner } from '../../customers/accounts/own-sql.ts';
import { isPastRetention } from '../../customers/accounts/retention-sql.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import type { Span } from '../../base/lib/pages.ts';
import type { Attempt, Delivery, Webhook } from './schema.ts';
import type { Stored } from '../../base/lib/schema.ts';

export type EndpointRow = Owner & Stored<typeof Webhook, 'previous_secret_expires_at'> & { secrets: Buffer };

export interface DeliveryRow extends Owner, Stored<typeof Delivery, 'webhook_id' | 'attempt_count'> {
  endpoint_id: string;
  attempts: number;
  attempts_before: number;
}

export type AttemptRow = Stored<typeof Attempt>;

export interface ClaimedDelivery extends DeliveryRow {
  url: string;
  format: EndpointRow['format'];
  secrets: Buffer;
  event_data: Record<string, unknown>;
  occurred_at: Date;
}

/** Adds the endpoint unless the account is at its limit; serialized per account. */
export async function insertEndpoint(client: Client, endpoint: EndpointRow, limit: number): Promise<boolean> {
  await changeRows(client)`select pg_advisory_xact_lock(hashtext('webhooks ' || ${endpoint.account_id}))`;
  return (
    (await countOwn(client, 'webhook_endpoints', endpoint)) < limit && insertRow(client, 'webhook_endpoints', endpoint)
  );
}

export const lockEndpoint = (client: Client, id: string) =>
  findRow<EndpointRow>(client)`select * from webhook_endpoints where id = ${id} for update`;

export const updateEndpoint = (db: Queryable, endpoint: EndpointRow) =>
  changeRows(db)`update webhook_endpoints set url = ${endpoint.url}, description = ${endpoint.description},
       events = ${endpoint.events}, format = ${endpoint.format}, status = ${endpoint.status}, disabled_reason = ${endpoint.disabled_reason},
       secrets = ${endpoint.secrets}, failing_since = ${endpoint.failing_since}, warnings = ${endpoint.warnings},
         updated_at = ${endpoint.updated_at} where id = ${endpoint.id}`;

/**
 * Turns waiting events into deliveries, one per subscribed endpoint, in one statement. Returns how many were waiting.
 */
export const fanOut = (db: Queryable, now: Date, limit: number) =>
  changeRows(db)`with waiting as (
       select id, sequence, account_id, mode, type, data from events
       where fanned_out_at is null order by sequence limit ${limit} for update skip locked
     ), made as (
       insert into webhook_deliveries
         (id, endpoint_id, account_id, mode, event_id, event_type, sequence, next_attempt_at, created_at)
       select 'dlv_' || substr(md5(e.id || w.id), 1, 20), e.id, w.account_id, w.mode, w.id, w.type, w.sequence,
         ${now}, ${now}
       from waiting w join webhook_endpoints e on e.account_id = w.account_id and e.mode = w.mode
       where e.status = 'enabled'
         and e.events && array[w.type, split_part(w.type, '.', 1) || '.*', '*']
         and w.data ->> 'webhook_id' is distinct from e.id
       on conflict (endpoint_id, event_id) do nothing
     )
     update events set fanned_out_at = ${now} from waiting where events.id = waiting.id`;

/** Delivers an event to a single endpoint, instead of fanning it out. */
export async function insertDirectDelivery(
  client: Client,
  endpoint: EndpointRow,
  { eventId, deliveryId, now }: { eventId: string; deliveryId: string; now: Date },
): Promise<void> {
  await changeRows(client)`update events set fanned_out_at = ${now} where id = ${eventId}`;
  await changeRows(client)`insert into webhook_deliveries
       (id, endpoint_id, account_id, mode, event_id, event_type, sequence, next_attempt_at, created_at)
     select ${deliveryId}, ${endpoint.id}, ${endpoint.account_id}, ${endpoint.mode}, id, type, sequence, ${now},
       ${now} from events where id = ${eventId}`;
}

const CLAIMED = `d.*, e.url, e.format, e.secrets, v.data as event_data, v.occurred_at`;

/**
 * Claims due deliveries under a lease. Each endpoint has few in flight, and a failing one only one, so that a dead
 * receiver cannot delay the others.
 */
export async function claimDeliveries(
  db: Queryable,
  { now, lockedUntil, limit, perEndpoint }: { now: Date; lockedUntil: Date; limit: number; perEndpoint: number },
): Promise<ClaimedDelivery[]> {
  const rows = await listRows<ClaimedDelivery>(db)`with due as (
       select distinct endpoint_id from webhook_deliveries
       where status = 'pending' and next_attempt_at <= ${now} and (locked_until is null or locked_until <= ${now})
     ), chosen as (
       select d.id from due
       join webhook_endpoints e on e.id = due.endpoint_id and e.status = 'enabled'
       cross join lateral (
         select count(*) as busy from webhook_deliveries b
         where b.endpoint_id = e.id and b.status = 'pending' and b.locked_until > ${now}
       ) flight
       cross join lateral (
         select w.id from webhook_deliveries w
         where w.endpoint_id = e.id and w.status = 'pending' and w.next_attempt_at <= ${now}
           and (w.locked_until is null or w.locked_until <= ${now})
         order by w.sequence
         limit greatest(0, case when e.failing_since is null then ${perEndpoint}::int else 1 end - flight.busy)
       ) d
       limit ${limit}
     ), locked as (
       select d.id from webhook_deliveries d join chosen on chosen.id = d.id for update of d skip locked
     )
     update webhook_deliveries d set locked_until = ${lockedUntil}, attempts = d.attempts + 1
     from locked, webhook_endpoints e, events v
     where d.id = locked.id and d.status = 'pending' and (d.locked_until is null or d.locked_until <= ${now})
       and e.id = d.endpoint_id and v.id = d.event_id
     returning ${raw(CLAIMED)}`;
  return rows.sort((a, b) => a.sequence - b.sequence);
}

export const claimDelivery = (db: Queryable, id: string, now: Date, lockedUntil: Date) =>
  findRow<ClaimedDelivery>(db)`
     update webhook_deliveries d set locked_until = ${lockedUntil}, attempts = d.attempts + 1
     from webhook_endpoints e, events v
     where d.id = ${id} and d.status = 'pending' and (d.locked_until is null or d.locked_until <= ${now})
       and e.id = d.endpoint_id and v.id = d.event_id
     returning ${raw(CLAIMED)}`;

export const insertAttempt = (client: Client, deliveryId: string, attempt: AttemptRow) =>
  insertRow(client, 'webhook_attempts', { delivery_id: deliveryId, ...attempt }, 'on conflict do nothing');

/** Does nothing if another worker has claimed the delivery since, because then that worker's attempt counts. */
export const updateDelivery = (
  client: Client,
  delivery: Pick<DeliveryRow, 'id' | 'attempts' | 'status' | 'next_attempt_at' | 'last_response_status' | 'last_error'>,
  now: Date,
) =>
  changeRows(client)`
     update webhook_deliveries set status = ${delivery.status}, next_attempt_at = ${delivery.next_attempt_at},
       last_response_status = ${delivery.last_response_status}, last_error = ${delivery.last_error},
       locked_until = null, finished_at = case when ${delivery.status} = 'pending' then null else ${now}::timestamptz end
     where id = ${delivery.id} and attempts = ${delivery.attempts} and status = 'pending'`;

export const listAttempts = (db: Queryable, deliveryId: string) =>
  listRows<AttemptRow>(db)`
     select attempt, attempted_at, duration_ms, response_status, response_body, error from webhook_attempts
     where delivery_id = ${deliveryId} order by attempt limit 500`;

export function listDeliveries(
  db: Queryable,
  endpointId: string,
  { status, eventTypes }: { status?: DeliveryRow['status']; eventTypes?: string[] },
  page: NewestQuery,
) {
  const wanted = part`endpoint_id = ${endpointId} and (${status}::text is null or status = ${status})
    and (${eventTypes}::text[] is null or event_type = any(${eventTypes}))`;
  return listNewest<DeliveryRow>(db, raw('* from webhook_deliveries'), wanted, page);
}

const pendingAt = (now: Date) =>
  part`status = 'pending', next_attempt_at = ${now}, locked_until = null, finished_at = null, attempts_before = attempts`;

export const requeueDelivery = (db: Queryable, id: string, now: Date) =>
  getRow<DeliveryRow>(db)`update webhook_deliveries set ${pendingAt(now)} where id = ${id} returning *`;

/** Requeues all undelivered events except those in flight. */
export const requeueUndelivered = (db: Queryable, endpointId: string, now: Date, span: Span) =>
  changeRows(db)`
     update webhook_deliveries set ${pendingAt(now)} where endpoint_id = ${endpointId} and created_at >= ${span.since}
       and created_at < ${span.until ?? 'infinity'}
       and (status = 'failed' or (status = 'pending' and (locked_until is null or locked_until <= ${now})))`;

/** Deletes old events with their deliveries and attempts, unless a delivery is still pending; 10,000 at a time. */
export const deleteOldEvents = (db: Queryable, cuts: RetentionCutoffs) =>
  changeRows(db)`delete from events where id in (
    select v.id from events v
    where ${isPastRetention(cuts, 'v', 'occurred_at')} and v.fanned_out_at is not null
      and not exists (select from webhook_deliveries d where d.event_id = v.id and d.status = 'pending')
    limit 10000)`;

/** Only for accounts with an endpoint that takes them, 10,000 at a time: models times accounts would be millions. */
export const insertModelEvents = (db: Queryable, since: Date) =>
  changeRows(db)`insert into events (id, account_id, mode, type, data, source_key, occurred_at)
     select 'evt_' || substr(md5(a.id || m.version), 1, 20), a.id, e.mode, 'model.released',
       jsonb_build_object('model_version', m.version, 'market', m.market, 'trained_on', m.trained_on),
       'model:' || m.version, m.created_at
     from models m
     join (select distinct account_id, mode from webhook_endpoints
       where status = 'enabled' and events && array['model.released', 'model.*', '*']) e
       on e.mode = case when m.market = 'sandbox' then 'test' else 'live' end
     join accounts a on a.id = e.account_id
     where m.state = 'current' and m.created_at >= ${since} and a.created_at <= m.created_at and a.status = 'active'
       and not exists (select from events v where v.id = 'evt_' || substr(md5(a.id || m.version), 1, 20))
     limit 10000 on conflict do nothing`;
