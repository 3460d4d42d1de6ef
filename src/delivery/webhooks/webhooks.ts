// An account's webhook endpoints: created, updated, rotated, tested, deleted.
import { announceWork } from '../../base/events/sql.ts';
import { DAY_MS } from '../../base/lib/clock.ts';
import { recordAct, SYSTEM, type Actor } from '../../customers/accounts/accounts.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { retentionCutoffs, SANDBOX_RETENTION, termsOf } from '../../customers/accounts/plans.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { findUrlProblem } from '../../base/lib/dial.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { presentRow } from '../../base/lib/schema.ts';
import type { Secrets } from '../../base/lib/secrets.ts';
import { type AccountRow } from '../../customers/accounts/sql.ts';
import { generateSecret, type StoredSecret } from './signing.ts';
import { Webhook } from './schema.ts';
import * as sql from './sql.ts';

const MAX_SECRETS = 5;
// No longer than the shortest retention of events, because a deleted event must not be sent again.
const MODELS_ANNOUNCED_MS = SANDBOX_RETENTION.eventDays * DAY_MS;

type WebhookDeps = Pick<Deps, 'control' | 'clock' | 'secrets' | 'config'>;

type EndpointChanges = Partial<Pick<sql.EndpointRow, 'url' | 'description' | 'events' | 'format' | 'status'>>;

export async function createEndpoint(
  deps: WebhookDeps,
  account: AccountRow,
  mode: KeyMode,
  options: Omit<EndpointChanges, 'status'> & { url: string; by?: Actor },
): Promise<{ endpoint: sql.EndpointRow; secret: string }> {
  checkUrl(deps, options.url);
  const now = deps.clock();
  const secret = generateSecret();
  const endpoint: sql.EndpointRow = {
    id: randomId('wh'),
    account_id: account.id,
    mode,
    url: options.url,
    description: options.description ?? '',
    events: options.events ?? ['*'],
    format: options.format ?? 'json',
    status: 'enabled',
    disabled_reason: null,
    secrets: sealSecrets(deps.secrets, [{ secret, expires_at: null }]),
    failing_since: null,
    warnings: 0,
    created_at: now,
    updated_at: now,
  };
  const limit = termsOf(account).webhooks;
  await inTransaction(deps.control, async (client) => {
    if (!(await sql.insertEndpoint(client, endpoint, limit))) {
      const included = `${limit} webhook${limit === 1 ? '' : 's'}`;
      fail('plan_feature_unavailable', `Your plan includes ${included}, all of which are in use.`, { limit });
    }
    // The path and query of a URL may contain a secret.
    const details = { mode, origin: new URL(endpoint.url).origin };
    await recordAct(deps, client, options.by ?? SYSTEM, 'webhook.created', endpoint, details);
  });
  return { endpoint, secret };
}

const lock = async (client: Client, { id }: sql.EndpointRow) =>
  (await sql.lockEndpoint(client, id)) ?? fail('resource_not_found', 'The webhook was just deleted.');

export async function changeEndpoint(
  deps: WebhookDeps,
  endpoint: sql.EndpointRow,
  changes: EndpointChanges,
  by: Actor,
): Promise<sql.EndpointRow> {
  if (changes.url !== undefined) checkUrl(deps, changes.url);
  return inTransaction(deps.control, async (client) => {
    const present = await lock(client, endpoint);
    const changed = { ...present, ...changes, updated_at: deps.clock() };
    if (changes.status === 'disabled') changed.disabled_reason = 'requested';
    if (changes.status === 'enabled' || changes.url !== undefined)
      Object.assign(changed, { failing_since: null, warnings: 0 });
    if (changes.status === 'enabled') changed.disabled_reason = null;
    await sql.updateEndpoint(client, changed);
    await recordAct(deps, client, by, 'webhook.changed', endpoint, { members: Object.keys(changes) });
    return changed;
  });
}

/** Adds a new secret; the previous one also signs until the overlap ends. */
export const rotateSecret = async (
  deps: WebhookDeps,
  endpoint: sql.EndpointRow,
  overlapHours: number,
  by: Actor,
): Promise<{ endpoint: sql.EndpointRow; secret: string }> =>
  inTransaction(deps.control, async (client) => {
    const present = await lock(client, endpoint);
    const now = deps.clock();
    const overlapEnd = new Date(now.getTime() + overlapHours * 3_600_000).toISOString();
    const secret = generateSecret();
    const older = openSecrets(deps.secrets, present.secrets)
      .map((stored) => ({ ...stored, expires_at: stored.expires_at ?? overlapEnd }))
      .filter((stored) => new Date(stored.expires_at) > now);
    const secrets = [{ secret, expires_at: null }, ...older].slice(0, MAX_SECRETS);
    const changed = { ...present, secrets: sealSecrets(deps.secrets, secrets), updated_at: now };
    await sql.updateEndpoint(client, changed);
    await recordAct(deps, client, by, 'webhook.secret_rotated', endpoint, { overlap_hours: overlapHours });
    return { endpoint: changed, secret };
  });

/** Deletes events with their deliveries and attempts. */
export async function forgetOldEvents(deps: Pick<Deps, 'control' | 'clock'>): Promise<void> {
  const cuts = retentionCutoffs('eventDays', deps.clock());
  while ((await sql.deleteOldEvents(deps.control, cuts)) > 0);
}

/** Announces a newly serving model once to every account that existed before it and listens. */
export async function announceModels(deps: Pick<Deps, 'control' | 'clock'>): Promise<void> {
  const since = new Date(deps.clock().getTime() - MODELS_ANNOUNCED_MS);
  while ((await sql.insertModelEvents(deps.control, since)) > 0) await announceWork(deps.control, 'webhooks');
}

const openSecrets = (secrets: Secrets, sealed: Buffer): StoredSecret[] =>
  JSON.parse(secrets.decrypt('stored-secrets', sealed)) as StoredSecret[];

const sealSecrets = (secrets: Secrets, stored: StoredSecret[]): Buffer =>
  secrets.encrypt('stored-secrets', JSON.stringify(stored));

function checkUrl(deps: Pick<Deps, 'config'>, url: string): void {
  const problem = findUrlProblem(url, deps.config.webhookAllowPrivate);
  if (!problem) return;
  fail('invalid_request', `url ${problem}.`, { errors: [{ pointer: '/body/url', code: 'format', detail: problem }] });
}

export function presentEndpoint(endpoint: sql.EndpointRow, secrets: Secrets) {
  const previous = openSecrets(secrets, endpoint.secrets)[1];
  return {
    object: 'webhook' as const,
    ...presentRow(Webhook, endpoint),
    previous_secret_expires_at: previous?.expires_at ?? null,
  };
}
