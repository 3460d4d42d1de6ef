// Delivers events to their endpoints: fans out, claims under a lease, signs, sends and records. Failures are retried on
// a schedule; an endpoint that fails for days gets warnings, then is disabled.
import { announceWork, type EventRow } from '../../base/events/sql.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { presentEvent, recordEvent } from '../../base/events/events.ts';
import { EVENT_KINDS } from '../../base/events/kinds.ts';
import { leaseFrom } from '../../base/jobs/lease.ts';
import { randomId } from '../../base/lib/ids.ts';
import type { Span } from '../../base/lib/pages.ts';
import { DISABLE_AFTER_MS, judgeFailing, pauseAfter, readRetryAfter } from './retries.ts';
import { sendWebhook, type Sent } from './send.ts';
import { slackMessage } from './slack.ts';
import { secretsInForce, signWebhook, type StoredSecret } from './signing.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { Delivery } from './schema.ts';
import * as sql from './sql.ts';

const FAN_OUT = 500;
const IN_FLIGHT = 100;
const IN_FLIGHT_PER_ENDPOINT = 4;
const LEASE_MARGIN_MS = 5_000;

/** `onDone` is called when a delivery has ended and its slot is free. */
export function createDispatcher(deps: Deps, onDone: () => void = () => {}) {
  const inFlight = new Set<Promise<void>>();
  return {
    /** Fans out events and starts due deliveries; true if there were any. Does not wait for the receivers. */
    async work() {
      const now = deps.clock();
      const events = await sql.fanOut(deps.control, now, FAN_OUT);
      const free = IN_FLIGHT - inFlight.size;
      if (free <= 0) return false;
      const claimed = await sql.claimDeliveries(deps.control, {
        now,
        lockedUntil: leaseOf(deps, now),
        limit: free,
        perEndpoint: IN_FLIGHT_PER_ENDPOINT,
      });
      for (const delivery of claimed) {
        const sending = attemptDelivery(deps, delivery)
          .catch((error: Error) =>
            deps.log.error({ err: error, delivery: delivery.id }, 'recording a webhook attempt failed'),
          )
          .finally(() => {
            inFlight.delete(sending);
            onDone();
          });
        inFlight.add(sending);
      }
      return events > 0 || claimed.length > 0;
    },
    /** Resolves when nothing is in flight. */
    async settle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

/** The lease outlasts any attempt, so it is not renewed. */
const leaseOf = ({ config }: Deps, now: Date) => leaseFrom(now, config.webhookTimeoutMs + LEASE_MARGIN_MS);

/** Sends a `ping` now. It is claimed in the transaction that writes it, so no worker can send it first. */
export async function sendPing(deps: Deps, endpoint: sql.EndpointRow): Promise<string> {
  const now = deps.clock();
  const deliveryId = randomId('dlv');
  const claimed = await inTransaction(deps.control, async (client) => {
    const eventId = await recordEvent(client, {
      accountId: endpoint.account_id,
      mode: endpoint.mode,
      type: 'ping',
      data: EVENT_KINDS.ping.example,
      occurredAt: now,
    });
    await sql.insertDirectDelivery(client, endpoint, { eventId: eventId!, deliveryId, now });
    return sql.claimDelivery(client, deliveryId, now, leaseOf(deps, now));
  });
  await attemptDelivery(deps, claimed!);
  return deliveryId;
}

/** The request carries no trace id, and the trace no URL, which may contain a secret. */
async function attemptDelivery(deps: Deps, delivery: sql.ClaimedDelivery): Promise<void> {
  const facts = { 'platbook.event': delivery.event_type, 'platbook.attempt': delivery.attempts };
  await deps.telemetry.span('webhook delivery', { facts }, () => sendAndRecord(deps, delivery));
}

async function sendAndRecord(deps: Deps, delivery: sql.ClaimedDelivery): Promise<void> {
  const at = deps.clock();
  const body = bodyOf(deps, delivery);
  const timestamp = Math.floor(at.getTime() / 1000);
  const stored = JSON.parse(deps.secrets.decrypt('stored-secrets', delivery.secrets)) as StoredSecret[];
  const sending = {
    url: delivery.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Platbook-Webhooks/1',
      'webhook-id': delivery.event_id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secretsInForce(stored, at), delivery.event_id, timestamp, body),
    },
    timeoutMs: deps.config.webhookTimeoutMs,
    dial: { allow: deps.config.webhookAllowPrivate, dnsServers: deps.config.dnsServers },
  };
  const sent = await deps.telemetry.span('POST webhook', { kind: 'client' }, async (span) => {
    const answer = await sendWebhook(sending);
    span.set({ 'http.response.status_code': answer.status ?? 0 });
    return answer;
  });
  await inTransaction(deps.control, (client) => recordAttempt(deps, client, delivery, { sent, at }));
}

/** The same bytes on every attempt. */
function bodyOf({ config }: Deps, delivery: sql.ClaimedDelivery): string {
  const event = {
    type: delivery.event_type,
    timestamp: delivery.occurred_at.toISOString(),
    id: delivery.event_id,
    sequence: delivery.sequence,
    mode: delivery.mode,
    data: delivery.event_data,
  };
  return JSON.stringify(delivery.format === 'slack' ? slackMessage(event, config.baseUrl) : event);
}

async function recordAttempt(
  deps: Deps,
  client: Client,
  delivery: sql.ClaimedDelivery,
  { sent, at }: { sent: Sent; at: Date },
): Promise<void> {
  const now = deps.clock();
  const isSuccess = sent.status !== null && sent.status >= 200 && sent.status < 300;
  await sql.insertAttempt(client, delivery.id, {
    attempt: delivery.attempts,
    attempted_at: at,
    duration_ms: sent.durationMs,
    response_status: sent.status,
    response_body: sent.body,
    error: sent.error,
  });
  const isGone = sent.status === 410;
  const pauseMs =
    isSuccess || isGone
      ? undefined
      : pauseAfter(delivery.attempts - delivery.attempts_before, delivery.id, readRetryAfter(sent.retryAfter, now));
  await sql.updateDelivery(
    client,
    {
      id: delivery.id,
      attempts: delivery.attempts,
      status: isSuccess ? 'succeeded' : pauseMs === undefined ? 'failed' : 'pending',
      next_attempt_at: pauseMs === undefined ? null : new Date(now.getTime() + pauseMs),
      last_response_status: sent.status,
      last_error: isSuccess ? null : (sent.error ?? `responded with ${sent.status}`),
    },
    now,
  );
  const endpoint = await sql.lockEndpoint(client, delivery.endpoint_id);
  if (!endpoint) return;
  if (isSuccess && endpoint.failing_since === null) return;
  await sql.updateEndpoint(
    client,
    isSuccess ? { ...endpoint, failing_since: null, warnings: 0 } : await afterFailure(client, endpoint, isGone, now),
  );
}

async function afterFailure(
  client: Client,
  endpoint: sql.EndpointRow,
  isGone: boolean,
  now: Date,
): Promise<sql.EndpointRow> {
  if (endpoint.status === 'disabled') return endpoint;
  const failing_since = endpoint.failing_since ?? now;
  const verdict = isGone ? 'disable' : judgeFailing(failing_since, endpoint.warnings, now);
  const { account_id: accountId, mode, id: webhook_id, url } = endpoint;
  const about = { accountId, mode, occurredAt: now };
  if (verdict === 'warn') {
    const warning = endpoint.warnings + 1;
    const disabled_from = new Date(failing_since.getTime() + DISABLE_AFTER_MS).toISOString();
    const data = { webhook_id, url, warning, failing_since: failing_since.toISOString(), disabled_from };
    await recordEvent(client, { ...about, type: 'webhook.failing', data });
    return { ...endpoint, failing_since, warnings: warning };
  }
  if (verdict === 'disable') {
    const disabled_reason = isGone ? ('gone' as const) : ('failing' as const);
    const data = { webhook_id, url, reason: disabled_reason };
    await recordEvent(client, { ...about, type: 'webhook.disabled', data });
    return { ...endpoint, failing_since, status: 'disabled', disabled_reason, updated_at: now };
  }
  return { ...endpoint, failing_since };
}

export async function redeliver(deps: Deps, delivery: sql.DeliveryRow): Promise<sql.DeliveryRow> {
  const again = await sql.requeueDelivery(deps.control, delivery.id, deps.clock());
  await announceWork(deps.control, 'webhooks');
  return again;
}

/** Queues every undelivered event for now, whether abandoned or waiting for its next attempt. */
export async function redeliverAll(deps: Deps, endpointId: string, span: Span): Promise<number> {
  const count = await sql.requeueUndelivered(deps.control, endpointId, deps.clock(), span);
  if (count > 0) await announceWork(deps.control, 'webhooks');
  return count;
}

export const presentDelivery = (delivery: sql.DeliveryRow) => ({
  object: 'webhook_delivery' as const,
  ...presentRow(Delivery, delivery),
  webhook_id: delivery.endpoint_id,
  attempt_count: delivery.attempts,
});

export const presentLog = (delivery: sql.DeliveryRow, event: EventRow, attempts: sql.AttemptRow[]) => ({
  ...presentDelivery(delivery),
  payload: presentEvent(event),
  attempts: attempts.map((attempt) => ({ ...attempt, attempted_at: attempt.attempted_at.toISOString() })),
});
