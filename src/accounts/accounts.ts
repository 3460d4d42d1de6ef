// Accounts and their API keys: made, listed, changed, rotated with an overlap, revoked, and checked on every request.
import { recordAudit } from '../audit/audit.ts';
import { inTransaction, type Client, type Queryable } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { recordEvent } from '../events/events.ts';
import { fail } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import { generateKey, type KeyMode } from './key-format.ts';
import type { Contract, PlanId } from './plans.ts';
import { DEFAULT_SCOPES, type Scope } from './scopes.ts';
import * as sql from './sql.ts';

export type { AccountRow, KeyRow } from './sql.ts';

type KeyDeps = Pick<Deps, 'control' | 'clock' | 'secrets'>;

/** Who changes something, for the audit log: a key, a user or the system. */
/** Who is calling: an account, and the key it calls with. */
export interface Caller {
  account: sql.AccountRow;
  key: sql.KeyRow;
}

export interface Actor {
  id: string;
  ip: string | null;
}

const SYSTEM: Actor = { id: 'system', ip: null };

export interface KeyOptions {
  name: string;
  mode: KeyMode;
  scopes?: Scope[];
  allowed_ips?: string[];
  expires_at?: Date | null;
  rate_limit_per_hour?: number | null;
  spend_cap_cents?: number | null;
  /** Set for the successor of a key. */
  first_id?: string;
}

/** `anchorAt` null: a trial that begins when its card is on file. */
export async function createAccount(
  db: Queryable,
  now: Date,
  name: string,
  plan: PlanId,
  { anchorAt = now, contract = null }: { anchorAt?: Date | null; contract?: Contract | null } = {},
): Promise<sql.AccountRow> {
  const account: sql.AccountRow = {
    id: randomId('acct'),
    name,
    plan,
    status: 'active',
    created_at: now,
    anchor_at: anchorAt,
    contract,
    allowance: null,
    suspended_for: null,
  };
  await sql.insertAccount(db, account);
  return account;
}

export async function getAccount(deps: Pick<Deps, 'control'>, id: string): Promise<sql.AccountRow> {
  return (await sql.findAccount(deps.control, id)) ?? fail('resource_not_found', 'There is no such account.');
}

/** The account, locked for the rest of the transaction. */
export async function lockAccount(db: Queryable, id: string): Promise<sql.AccountRow> {
  return (await sql.lockAccount(db, id)) ?? fail('resource_not_found', 'There is no such account.');
}

export const { listAccounts, updateAccount } = sql;

/** The secret is in the answer of this call and nowhere afterwards. */
export async function createKey(
  deps: KeyDeps,
  accountId: string,
  options: KeyOptions,
  db: Queryable = deps.control,
): Promise<{ key: sql.KeyRow; secret: string }> {
  const secret = generateKey(options.mode);
  const id = randomId('key');
  const key: sql.KeyRow = {
    id,
    account_id: accountId,
    mode: options.mode,
    prefix: secret.slice(0, 'sk_live_pb_'.length + 4),
    last_four: secret.slice(-4),
    name: options.name,
    scopes: options.scopes ?? DEFAULT_SCOPES,
    allowed_ips: options.allowed_ips ?? [],
    rate_limit_per_hour: options.rate_limit_per_hour ?? null,
    spend_cap_cents: options.spend_cap_cents ?? null,
    created_at: deps.clock(),
    expires_at: options.expires_at ?? null,
    revoked_at: null,
    replaced_by: null,
    first_id: options.first_id ?? id,
    last_used_at: null,
  };
  await sql.insertKey(db, key, digestOfKey(deps.secrets, secret));
  return { key, secret };
}

/** As `createKey`, by someone and written down. */
export async function issueKey(deps: KeyDeps, accountId: string, options: KeyOptions, actor: Actor) {
  return inTransaction(deps.control, async (client) => {
    const made = await createKey(deps, accountId, options, client);
    await writeDown(deps, client, made.key, actor, 'key.created', { name: made.key.name, mode: made.key.mode });
    return made;
  });
}

/** A signed-in person calls with a key that exists for that request only. */
export const SESSION_KEY_DEFAULTS = {
  prefix: '',
  last_four: '',
  allowed_ips: [],
  rate_limit_per_hour: null,
  spend_cap_cents: null,
  expires_at: null,
  revoked_at: null,
  replaced_by: null,
  first_id: '',
  last_used_at: null,
};

export function digestOfKey(secrets: Secrets, secret: string): Buffer {
  return secrets.sign('api-keys', secret);
}

export async function getKey(deps: Pick<Deps, 'control'>, accountId: string, id: string): Promise<sql.KeyRow> {
  return (await sql.findKey(deps.control, accountId, id)) ?? noSuchKey(id);
}

export async function listKeys(
  deps: Pick<Deps, 'control'>,
  accountId: string,
  after: [string, string] | undefined,
  limit: number,
) {
  return sql.listKeys(deps.control, accountId, after, limit);
}

export type KeyChanges = Partial<Omit<KeyOptions, 'mode' | 'first_id'>>;

export async function changeKey(
  deps: KeyDeps,
  accountId: string,
  id: string,
  changes: KeyChanges,
  actor: Actor = SYSTEM,
): Promise<sql.KeyRow> {
  return inTransaction(deps.control, async (client) => {
    const key = (await sql.lockKey(client, accountId, id)) ?? noSuchKey(id);
    refuseRevoked(key);
    const changed = { ...key, ...changes };
    await sql.updateKey(client, changed);
    await writeDown(deps, client, key, actor, 'key.changed', { members: Object.keys(changes) });
    return changed;
  });
}

/** A new id and secret with the same rights, and limits that go on; the old key works until the overlap ends, never past its own expiry. */
export async function rotateKey(
  deps: KeyDeps,
  accountId: string,
  id: string,
  overlapHours: number,
  actor: Actor = SYSTEM,
): Promise<{ key: sql.KeyRow; secret: string; previous: sql.KeyRow }> {
  return inTransaction(deps.control, async (client) => {
    const old = (await sql.lockKey(client, accountId, id)) ?? noSuchKey(id);
    refuseRevoked(old);
    const now = deps.clock();
    if (old.expires_at && old.expires_at <= now)
      fail('invalid_state', 'An expired key cannot be rotated; create a new one.');
    if (old.replaced_by) fail('invalid_state', `This key was already rotated; its successor is ${old.replaced_by}.`);
    const { key, secret } = await createKey(deps, accountId, { ...old, scopes: old.scopes }, client);
    const overlapEnd = new Date(now.getTime() + overlapHours * 3_600_000);
    const expires_at = old.expires_at && old.expires_at < overlapEnd ? old.expires_at : overlapEnd;
    const previous = { ...old, expires_at, replaced_by: key.id };
    await sql.updateKey(client, previous);
    await writeDown(deps, client, previous, actor, 'key.rotated', { successor: key.id });
    await recordEvent(client, {
      accountId,
      mode: old.mode,
      type: 'api_key.rotated',
      data: { key_id: old.id, successor_id: key.id, old_key_expires_at: expires_at.toISOString() },
      occurredAt: now,
    });
    return { key, secret, previous };
  });
}

/** At once here, and in every other process as soon as it hears of it; the caches forget within 10 s even if it does not. */
export async function revokeKey(
  deps: KeyDeps,
  accountId: string,
  id: string,
  actor: Actor = SYSTEM,
): Promise<sql.KeyRow> {
  return inTransaction(deps.control, async (client) => {
    const key = (await sql.lockKey(client, accountId, id)) ?? noSuchKey(id);
    if (key.revoked_at) return key;
    const now = deps.clock();
    if (
      key.mode === 'live' &&
      (await sql.countUsableKeys(client, accountId, 'live', now)) <= 1 &&
      !isExpired(key, now)
    ) {
      fail('invalid_state', 'This is the last working live key of the account. Create or rotate to another one first.');
    }
    const revoked = { ...key, revoked_at: now };
    await sql.updateKey(client, revoked);
    await writeDown(deps, client, revoked, actor, 'key.revoked', {});
    return revoked;
  });
}

export function isExpired(key: sql.KeyRow, now: Date): boolean {
  return key.expires_at !== null && key.expires_at <= now;
}

export async function findKeyBySecret(deps: KeyDeps, digest: Buffer) {
  return sql.findKeyByDigest(deps.control, digest);
}

export const recordKeyUse = sql.touchKeys;
export const KEY_CHANNEL = sql.KEY_CHANNEL;

const EXPIRY_NOTICE_MS = 7 * 86_400_000;

/** One event a key, when a week of it is left; rotated keys are meant to end and are not announced. */
export async function announceExpiringKeys(deps: Pick<Deps, 'control' | 'clock'>): Promise<void> {
  const now = deps.clock();
  const until = new Date(now.getTime() + EXPIRY_NOTICE_MS);
  for (const key of await sql.listExpiringKeys(deps.control, now, until)) {
    await recordEvent(deps.control, {
      accountId: key.account_id,
      mode: key.mode,
      type: 'api_key.expiring',
      data: { key_id: key.id, name: key.name, expires_at: key.expires_at!.toISOString() },
      sourceKey: `expiring:${key.id}:${key.expires_at!.toISOString()}`,
      occurredAt: now,
    });
  }
}

async function writeDown(
  deps: Pick<Deps, 'clock'>,
  client: Client,
  key: sql.KeyRow,
  actor: Actor,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { id: target, account_id: accountId } = key;
  await recordAudit(client, { accountId, actor: actor.id, ip: actor.ip, action, target, details, at: deps.clock() });
}

function refuseRevoked(key: sql.KeyRow): void {
  if (key.revoked_at) fail('invalid_state', 'This key was revoked; it cannot be changed any more.');
}

function noSuchKey(id: string): never {
  return fail('resource_not_found', `There is no key ${id}.`);
}
