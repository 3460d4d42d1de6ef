// Authenticates the caller: key or access token from the header, HMAC, cached record; then revocation, expiration, IP,
// standing and scope. A token maps to its grant's key, so the rest of the gate sees only keys.
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { findKeyBySecret, isExpired, type Caller } from '../../customers/accounts/accounts.ts';
import { isAllowedIp } from '../../customers/accounts/allowed-ips.ts';
import { isWellFormedKey } from '../../customers/accounts/key-format.ts';
import { KEY_CHANNEL, touchKeys } from '../../customers/accounts/sql.ts';
import { listenOn, type Listener } from '../../base/db/listener.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { findTokenCaller, isTokenShaped, type TokenCaller } from '../../customers/oauth/grants.ts';
import { resourcesOf } from '../../customers/oauth/provider.ts';
import { refuseUnpaid } from '../../customers/usage/usage.ts';
import type { App } from '../../base/http/types.ts';
import { guestOf } from './guests.ts';

const CACHE_SIZE = 50_000;
// We promise that a revoked key is refused everywhere within 10 seconds. Notifications take milliseconds; this is the
// bound without them.
const CACHE_TTL_MS = 8_000;
const UNKNOWN_TTL_MS = 1_000;
const FLUSH_USES_MS = 60_000;

type Known = { caller: Caller | null } & Partial<Omit<TokenCaller, 'caller'>>;

export interface Authenticator {
  authenticate(request: FastifyRequest): Promise<Caller>;
  /** Refuses a caller whose account or scopes do not allow the route. */
  check(request: FastifyRequest, caller: Caller): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const unknownCredential = (secret: string): string =>
  isTokenShaped(secret)
    ? 'This access token has expired or its access was ended. Refresh it, or connect the app again.'
    : 'No such key. Keys are listed in the dashboard.';

/** `isInProcess` returns whether the current request is one that this process sends to itself. */
export function createAuthenticator(deps: Deps, isInProcess = () => false): Authenticator {
  const cache = new LRUCache<string, Known>({ max: CACHE_SIZE, ttl: CACHE_TTL_MS });
  const resources = resourcesOf(deps.config.baseUrl);
  const uses = new Map<string, Date>();
  let listener: Listener | undefined;
  let flushTimer: NodeJS.Timeout | undefined;

  async function find(secret: string): Promise<Known> {
    // SHA-256 is the cache key. The HMAC costs ten times more and is computed only for database lookups.
    const cacheKey = hash('sha256', secret, 'base64');
    const cached = cache.get(cacheKey);
    if (cached) return cached;
    const found: Known = (isWellFormedKey(secret)
      ? { caller: (await findKeyBySecret(deps, secret)) ?? null }
      : await findTokenCaller(deps, secret)) ?? { caller: null };
    // Not cached for test clocks, so the next call after an advance sees the new time.
    if (!found.caller?.account.clock_at)
      cache.set(cacheKey, found, { ttl: found.caller ? CACHE_TTL_MS : UNKNOWN_TTL_MS });
    return found;
  }

  /** A token is valid for the resource it was issued for, including a tool's in-process API calls. */
  function checkToken(request: FastifyRequest, { audience, expiresAt }: Known): void {
    if (audience === undefined || expiresAt === undefined) return;
    if (expiresAt <= deps.clock()) fail('invalid_api_key', 'This access token has expired. Refresh it.');
    const isTool = request.url.startsWith('/mcp') || isInProcess();
    if (audience !== (isTool ? resources.mcp : resources.api))
      fail('invalid_api_key', `This access token is for ${audience} only.`);
  }

  async function flushUses(): Promise<void> {
    if (uses.size === 0) return;
    const batch = [...uses].map(([id, usedAt]) => ({ id, usedAt }));
    uses.clear();
    await touchKeys(deps.control, batch).catch((error: Error) =>
      deps.log.warn({ err: error }, 'could not record when keys were last used'),
    );
  }

  function check(request: FastifyRequest, caller: Caller): void {
    requireStanding(request, caller, deps.clock());
    requireScope(request, caller);
  }

  return {
    check,
    async authenticate(request) {
      const secret = secretOf(request) ?? fail('missing_api_key', 'Send your key in the `x-api-key` header.');
      if (!isWellFormedKey(secret) && !isTokenShaped(secret))
        fail('invalid_api_key', 'This is not a Platbook key. Check for missing or changed characters.');
      const known = await find(secret);
      const caller = known.caller ?? fail('invalid_api_key', unknownCredential(secret));
      checkToken(request, known);
      const { key } = caller;
      const now = deps.clock();
      if (key.revoked_at) fail('revoked_api_key', 'This key was revoked. Use another key of the account.');
      if (isExpired(key, now)) {
        fail(
          'expired_api_key',
          key.replaced_by ? `This key was rotated; its successor is ${key.replaced_by}.` : 'This key has expired.',
        );
      }
      if (!isAllowedIp(request.ip, key.allowed_ips)) {
        fail('ip_not_allowed', `This key cannot be used from ${request.ip}. Change its allowed_ips.`);
      }
      check(request, caller);
      uses.set(key.id, now);
      return caller;
    },
    async start() {
      const forget = (id: string) => {
        for (const [name, { caller }] of cache.entries())
          if (caller === null || caller.key.id === id || caller.account.id === id) cache.delete(name);
      };
      // A gap may hide a revocation, so it empties the cache.
      listener = listenOn({
        url: deps.controlUrl,
        channel: KEY_CHANNEL,
        onMessage: forget,
        onGap: () => cache.clear(),
      });
      await listener.opened;
      flushTimer = setInterval(() => void flushUses(), FLUSH_USES_MS);
      flushTimer.unref();
    },
    async stop() {
      clearInterval(flushTimer);
      await flushUses();
      await listener?.stop();
    },
  };
}

/** Authenticates every route registered in this scope, so that no route can forget to. */
export function requireKey(
  app: App,
  authenticator: Authenticator,
  fromSession: (request: FastifyRequest) => Promise<Caller | undefined>,
): void {
  app.addHook('onRequest', async (request) => {
    const person = secretOf(request) === undefined ? await fromSession(request) : undefined;
    if (person) {
      authenticator.check(request, person);
      refuseSpending(request, person);
    }
    const guest = person || secretOf(request) !== undefined ? undefined : guestOf(request);
    request.caller = person ?? guest ?? (await authenticator.authenticate(request));
  });
}

/** A suspended or closed account can only see its debts. Live data requires an account that can pay. */
function requireStanding(request: FastifyRequest, { account, key }: Caller, now: Date): void {
  const { openWhileSuspended, liveData } = request.routeOptions.config;
  if (account.status !== 'active' && !openWhileSuspended) {
    fail('payment_required', `The account is ${account.status}. See Billing in the dashboard.`);
  }
  if (liveData && key.mode === 'live') refuseUnpaid(account, now);
}

/** A viewer can see existing data but cannot spend the allowance. */
function refuseSpending(request: FastifyRequest, { key, role }: Caller): void {
  const { meter = 'none', countsHourly } = request.routeOptions.config;
  if (role !== 'viewer' || key.mode !== 'live' || (meter === 'none' && !countsHourly)) return;
  fail('insufficient_role', 'Viewers cannot make calls that are charged to the account. Use the sandbox.');
}

function requireScope(request: FastifyRequest, { key }: Caller): void {
  const { scope } = request.routeOptions.config;
  if (!scope || key.scopes.includes(scope)) return;
  fail('insufficient_scope', `This requires the scope \`${scope}\`, which the key does not have.`, {
    required_scope: scope,
  });
}

function secretOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  return bearer?.[1];
}
