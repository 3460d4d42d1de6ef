// Who is calling: key from the header, checksum, HMAC, cached record; then expiry, revocation, address and scope.
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import {
  digestOfKey,
  findKeyBySecret,
  isExpired,
  KEY_CHANNEL,
  recordKeyUse,
  type Caller,
} from '../accounts/accounts.ts';
import { isAllowedAddress } from '../accounts/allowed-ips.ts';
import { isWellFormedKey } from '../accounts/key-format.ts';
import { listenOn, type Listener } from '../db/listener.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../lib/errors.ts';
import type { App } from '../http/types.ts';

const CACHE_SIZE = 50_000;
// The promise is "revoked everywhere within 10 s": notifications make it milliseconds, this bounds it without them.
const CACHE_TTL_MS = 8_000;
const UNKNOWN_TTL_MS = 1_000;
const FLUSH_USES_MS = 60_000;

export interface Authenticator {
  authenticate(request: FastifyRequest): Promise<Caller>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createAuthenticator(deps: Deps): Authenticator {
  const cache = new LRUCache<string, { caller: Caller | null }>({ max: CACHE_SIZE, ttl: CACHE_TTL_MS });
  const uses = new Map<string, Date>();
  let listener: Listener | undefined;
  let flushTimer: NodeJS.Timeout | undefined;

  async function findCaller(secret: string): Promise<Caller | null> {
    // One-shot SHA-256 names the cached entry; the HMAC, ten times dearer, is only made to ask the database.
    const cacheKey = hash('sha256', secret, 'base64');
    const cached = cache.get(cacheKey);
    if (cached) return cached.caller;
    const caller = (await findKeyBySecret(deps, digestOfKey(deps.secrets, secret))) ?? null;
    cache.set(cacheKey, { caller }, { ttl: caller ? CACHE_TTL_MS : UNKNOWN_TTL_MS });
    return caller;
  }

  async function flushUses(): Promise<void> {
    if (uses.size === 0) return;
    const batch = [...uses].map(([id, usedAt]) => ({ id, usedAt }));
    uses.clear();
    await recordKeyUse(deps.control, batch).catch((error: Error) =>
      deps.log.warn({ err: error }, 'last use of keys not written'),
    );
  }

  return {
    async authenticate(request) {
      const secret = secretOf(request) ?? fail('missing_api_key', 'Send your key in the header `x-api-key`.');
      if (!isWellFormedKey(secret))
        fail('invalid_api_key', 'This is not a key of ours: check for missing or changed characters.');
      const caller =
        (await findCaller(secret)) ?? fail('invalid_api_key', 'No such key. Keys are listed in the dashboard.');
      const { key, account } = caller;
      const now = deps.clock();
      if (key.revoked_at) fail('revoked_api_key', 'This key was revoked. Use another key of the account.');
      if (isExpired(key, now)) {
        fail(
          'expired_api_key',
          key.replaced_by ? `This key was rotated; its successor is ${key.replaced_by}.` : 'This key has expired.',
        );
      }
      if (account.status !== 'active')
        fail('payment_required', `The account is ${account.status}. See the dashboard under Billing.`);
      if (!isAllowedAddress(request.ip, key.allowed_ips)) {
        fail('ip_not_allowed', `The key may not be used from ${request.ip}. Change its allowed_ips.`);
      }
      requireScope(request, caller);
      uses.set(key.id, now);
      return caller;
    },
    async start() {
      // A gap may hide a revocation, so the cache is emptied then too.
      const forget = () => cache.clear();
      listener = listenOn({ url: deps.controlUrl, channel: KEY_CHANNEL, onMessage: forget, onGap: forget });
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

/** Puts authentication before every route registered in this scope: a route inside cannot forget it. */
export function requireKey(
  app: App,
  authenticator: Authenticator,
  fromSession: (request: FastifyRequest) => Promise<Caller | undefined>,
): void {
  app.addHook('onRequest', async (request) => {
    const person = secretOf(request) === undefined ? await fromSession(request) : undefined;
    if (person) requireScope(request, person);
    request.caller = person ?? (await authenticator.authenticate(request));
  });
}

function requireScope(request: FastifyRequest, { key }: Caller): void {
  const { scope } = request.routeOptions.config;
  if (!scope || key.scopes.includes(scope)) return;
  fail('insufficient_scope', `This needs the scope \`${scope}\`, which the key does not have.`, {
    required_scope: scope,
  });
}

function secretOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  return bearer?.[1];
}
