// Accounts and their API keys: created, listed, changed, rotated with an overlap, and revoked.
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction, type Client, type Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvent } from '../../base/events/events.ts';
import { DAY_MS } from '../../base/lib/clock.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import type { Secrets } from '../../base/lib/secrets.ts';
import { findEscalation, isCounted } from './escalation.ts';
import { generateKey, type KeyMode } from './key-format.ts';
import type { Contract, PlanId } from './plans.ts';
import { DEFAULT_SCOPES, type Scope } from './scopes.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

type KeyDeps = Pick<Deps, 'control' | 'clock' | 'secrets'>;

/** The caller: an account, and the key it calls with. */
export interface Caller {
  account: sql.AccountRow;
  key: sql.KeyRow;
  /** The role of a signed-in person, whose `key` exists for this request only; absent for a real key. */
  role?: string;
  /** A visitor without an account: nothing is stored for this caller, since all guests share it. */
  isGuest?: true;
}

/** The author of a change: a key, a user, or the system. */
export interface Actor {
  id: string;
  ip: string | null;
  /** Set for a key, which must not create or change one that can do more than itself. */
  keyId?: string;
  /** The scopes that the actor can grant; absent for the system. */
  scopes?: readonly Scope[];
}

export const actorOf = ({ key, role }: Caller, ip: string): Actor => ({
  id: key.id,
  ip,
  scopes: key.scopes,
  ...(role === undefined && { keyId: key.id }),
});

export const SYSTEM: Actor = { id: 'system', ip: null };

/** Records an actor's action on a row in the audit log, in the same transaction. */
export const recordAct = (
  deps: Pick<Deps, 'clock'>,
  client: Queryable,
  { id: actor, ip }: Actor,
  action: string,
  { id: target, account_id: accountId }: { id: string; account_id: string },
  details?: Record<string, unknown>,
) => recordAudit(client, { accountId, action, target, details, actor, ip, at: deps.clock() });

type Given = 'scopes' | 'allowed_ips' | 'expires_at' | 'rate_limit_per_hour' | 'spend_cap_cents' | 'created_by';

export interface KeyOptions extends Partial<Pick<sql.KeyRow, Given>> {
  name: string;
  mode: KeyMode;
  /** The key under whose limit and cap this one is counted; by default its own. */
  first_id?: string;
  /** The grant of an app that the key stands for. */
  grant_id?: string;
}

interface AccountOptions {
  anchorAt?: Date | null;
  contract?: Contract | null;
  parentId?: string | null;
}

/** `anchorAt` is null for a trial that starts when its card is on file. With a parent, the account is a test clock's. */
export async function createAccount(
  db: Queryable,
  now: Date,
  name: string,
  plan: PlanId,
  { anchorAt = now, contract = null, parentId = null }: AccountOptions = {},
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
    ends_at: null,
    suspended_for: null,
    parent_id: parentId,
    clock_at: parentId === null ? null : now,
  };
  await sql.insertAccount(db, account);
  return account;
}

export const getAccount = async (deps: Pick<Deps, 'control'>, id: string): Promise<sql.AccountRow> =>
  (await sql.findAccount(deps.control, id)) ?? fail('resource_not_found', 'There is no such account.');

/** The account, locked for the rest of the transaction. */
export const lockAccount = async (db: Queryable, id: string): Promise<sql.AccountRow> =>
  (await sql.lockAccount(db, id)) ?? fail('resource_not_found', 'There is no such account.');

export const { listAccounts, updateAccount } = sql;

/** The secret is returned only here and is not stored. */
export async function createKey(deps: KeyDeps, accountId: string, options: KeyOptions, db: Queryable = deps.control) {
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
    created_by: options.created_by ?? null,
    last_used_at: null,
  };
  await sql.insertKey(db, key, digestOfKey(deps.secrets, secret), options.grant_id);
  return { key, secret };
}

/** Creates a key on someone's behalf. The new key inherits whatever the request leaves out. */
export async function issueKey(deps: KeyDeps, accountId: string, options: KeyOptions, by: Actor) {
  return inTransaction(deps.control, async (client) => {
    const [maker] = await lockWithMaker(deps, client, { accountId, by, ids: [] });
    const made = await createKey(deps, accountId, { ...inherit(options, maker), created_by: by.id }, client);
    refuseExcess(made.key, maker, by);
    await recordAct(deps, client, by, 'key.created', made.key, { name: made.key.name, mode: made.key.mode });
    return made;
  });
}

function inherit(options: KeyOptions, maker: sql.KeyRow | undefined): KeyOptions {
  if (!maker) return options;
  const { allowed_ips, expires_at, rate_limit_per_hour, spend_cap_cents } = maker;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return {
    allowed_ips,
    expires_at,
    rate_limit_per_hour,
    spend_cap_cents,
    ...(given as unknown as KeyOptions),
    ...(isCounted(maker) && { first_id: maker.first_id }),
  };
}

/** A signed-in person calls with a key that exists for one request. */
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
  created_by: null,
  last_used_at: null,
};

export const digestOfKey = (secrets: Secrets, secret: string): Buffer => secrets.sign('api-keys', secret);

/** A sandbox key sees sandbox keys only. */
export const visibleMode = (by: Caller): 'test' | undefined =>
  by.role === undefined && by.key.mode === 'test' ? 'test' : undefined;

export async function getKey(deps: Pick<Deps, 'control'>, accountId: string, id: string, mode?: KeyMode) {
  const key = await sql.findKey(deps.control, accountId, id);
  return key && (mode === undefined || key.mode === mode) ? key : noSuchKey(id);
}

type KeyChanges = Partial<Omit<KeyOptions, 'mode' | 'first_id' | 'created_by' | 'grant_id'>>;

interface KeyAction {
  accountId: string;
  id: string;
  by?: Actor;
}

export const changeKey = async (
  deps: KeyDeps,
  { accountId, id, changes, by = SYSTEM }: KeyAction & { changes: KeyChanges },
): Promise<sql.KeyRow> =>
  inTransaction(deps.control, async (client) => {
    const [maker, key] = await lockWithMaker(deps, client, { accountId, by, ids: [id] });
    refuseExcess(key, maker, by);
    refuseRevoked(key);
    const changed = { ...key, ...changes };
    if (key.replaced_by) refuseLengthening(key, changes);
    refuseExcess(changed, maker, by);
    await sql.updateKey(client, changed);
    await recordAct(deps, client, by, 'key.changed', key, { members: Object.keys(changes) });
    return changed;
  });

/** A new id and secret with the same rights, counted under the same limits. The old key works until the overlap ends. */
export const rotateKey = async (
  deps: KeyDeps,
  { accountId, id, overlapHours, by = SYSTEM }: KeyAction & { overlapHours: number },
): Promise<{ key: sql.KeyRow; secret: string; previous: sql.KeyRow }> =>
  inTransaction(deps.control, async (client) => {
    const [maker, old] = await lockWithMaker(deps, client, { accountId, by, ids: [id] });
    refuseExcess(old, maker, by);
    refuseRevoked(old);
    const now = deps.clock();
    if (isExpired(old, now)) fail('invalid_state', 'An expired key cannot be rotated. Create a new one.');
    if (old.replaced_by) fail('invalid_state', `This key was already rotated; its successor is ${old.replaced_by}.`);
    const { key, secret } = await createKey(deps, accountId, { ...old, created_by: by.id }, client);
    const overlapEnd = new Date(now.getTime() + overlapHours * 3_600_000);
    const expires_at = old.expires_at && old.expires_at < overlapEnd ? old.expires_at : overlapEnd;
    const previous = { ...old, expires_at, replaced_by: key.id };
    await sql.updateKey(client, previous);
    await recordAct(deps, client, by, 'key.rotated', previous, { successor: key.id });
    await recordEvent(client, {
      accountId,
      mode: old.mode,
      type: 'api_key.rotated',
      data: { key_id: old.id, successor_id: key.id, old_key_expires_at: expires_at.toISOString() },
      occurredAt: now,
    });
    return { key, secret, previous };
  });

/** Other processes are notified immediately. If the notification is lost, their caches expire within 10 seconds. */
export const revokeKey = async (deps: KeyDeps, { accountId, id, by = SYSTEM }: KeyAction): Promise<sql.KeyRow> =>
  inTransaction(deps.control, async (client) => {
    // Serializes an account's revocations: two concurrent ones would each see the other's key as the remaining one.
    await lockAccount(client, accountId);
    const [maker, key] = await lockWithMaker(deps, client, { accountId, by, ids: [id] });
    refuseExcess(key, maker, by);
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
    await recordAct(deps, client, by, 'key.revoked', revoked);
    return revoked;
  });

/** The acting key, read fresh rather than from the cache, and the keys it acts on. All are locked in a fixed order, so
    two keys that change each other do not deadlock. */
async function lockWithMaker<Ids extends string[]>(
  deps: Pick<Deps, 'clock'>,
  client: Client,
  { accountId, by, ids }: { accountId: string; by: Actor; ids: [...Ids] },
): Promise<[maker: sql.KeyRow | undefined, ...keys: { [Each in keyof Ids]: sql.KeyRow }]> {
  const rows = await sql.lockKeys(client, accountId, [...ids, ...(by.keyId === undefined ? [] : [by.keyId])]);
  const find = (id: string) => rows.find((row) => row.id === id);
  const maker = by.keyId === undefined ? undefined : (find(by.keyId) ?? noSuchKey(by.keyId));
  if (maker?.revoked_at) fail('revoked_api_key', 'This key was revoked. Use another key of the account.');
  if (maker && isExpired(maker, deps.clock())) fail('expired_api_key', 'This key has expired.');
  const keys = ids.map((id) => {
    const key = find(id);
    return key && !(maker?.mode === 'test' && key.mode !== 'test') ? key : noSuchKey(id);
  });
  return [maker, ...(keys as { [Each in keyof Ids]: sql.KeyRow })];
}

function refuseExcess(key: sql.KeyRow, maker: sql.KeyRow | undefined, by: Actor): void {
  const missing = key.scopes.find((scope) => by.scopes?.includes(scope) === false);
  if (missing) {
    const detail = `This requires the scope \`${missing}\`, which ${maker ? 'your key' : 'your role'} does not have.`;
    fail('insufficient_scope', detail, { required_scope: missing });
  }
  const member = maker && findEscalation(key, maker);
  if (member === undefined) return;
  const detail =
    member === 'first_id'
      ? 'A key with an hourly limit or a spend cap can manage only keys that are counted under it.'
      : `A key cannot create or manage a key that can do more than itself: its \`${member}\` goes further.`;
  fail('key_exceeds_caller', detail, { errors: [{ pointer: `/body/${member}`, code: 'exceeds', detail }] });
}

/** A rotated key can only be ended sooner or renamed. */
function refuseLengthening(key: sql.KeyRow, { name: _name, expires_at, ...rest }: KeyChanges): void {
  const isLater = expires_at === null || (expires_at && key.expires_at && expires_at > key.expires_at);
  if (!isLater && Object.keys(rest).length === 0) return;
  fail('invalid_state', `This key was replaced by ${key.replaced_by}. It can only be ended sooner or revoked.`);
}

export const isExpired = (key: sql.KeyRow, now: Date): boolean => key.expires_at !== null && key.expires_at <= now;

/** The caller identified by the secret. */
export const findKeyBySecret = ({ control, secrets }: KeyDeps, secret: string) =>
  sql.findKeyAndAccount(control, 'digest', digestOfKey(secrets, secret));

const EXPIRY_NOTICE_MS = 7 * DAY_MS;

/** One event per key, a week before it expires. A rotated key is meant to end, so it is not announced. */
export async function announceExpiringKeys(deps: Pick<Deps, 'control' | 'clock'>): Promise<void> {
  const now = deps.clock();
  const until = new Date(now.getTime() + EXPIRY_NOTICE_MS);
  for (const key of await sql.listExpiringKeys(deps.control, now, until)) {
    const expiresAt = must(key.expires_at, 'expiry').toISOString();
    await recordEvent(deps.control, {
      accountId: key.account_id,
      mode: key.mode,
      type: 'api_key.expiring',
      data: { key_id: key.id, name: key.name, expires_at: expiresAt },
      sourceKey: `expiring:${key.id}:${expiresAt}`,
      occurredAt: now,
    });
  }
}

function refuseRevoked(key: sql.KeyRow): void {
  if (key.revoked_at) fail('invalid_state', 'This key was revoked and cannot be changed.');
}

function noSuchKey(id: string): never {
  return fail('resource_not_found', `There is no key ${id}.`);
}
