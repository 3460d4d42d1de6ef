// The limits a request meets: its address before we look at the key, then the account's hour, its caps and its trial.
import type { FastifyReply } from 'fastify';
import { ApiError, fail, type ErrorCode } from '../lib/errors.ts';
import { createMinuteLimit } from '../lib/minute-limit.ts';
import { refuseUnpaid, type Usage } from '../usage/usage.ts';
import { Refusal, type LimitState } from '../usage/admission.ts';
import type { Deps } from '../deps.ts';
import type { App } from '../http/types.ts';

const MINUTE_MS = 60_000;
// Calls on no meter do not use up the hour; this keeps a loop from using up the machine. Per account and process.
const UNMETERED_PER_MINUTE = 3_000;
const WINDOWS: Record<LimitState['name'], number> = { hourly: 3_600, key: 3_600, free: 60 };
/** A page that asks who is signed in guesses nothing. */
const GUESSES: ReadonlySet<ErrorCode> = new Set(['invalid_api_key', 'invalid_credentials']);
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Before authentication: requests per address, and guesses at keys per address. This machine itself is not limited. */
export function limitAddresses(app: App, deps: Pick<Deps, 'clock' | 'config'>): void {
  const all = createMinuteLimit(deps.config.ipLimitPerMinute);
  const refused = createMinuteLimit(deps.config.refusalLimitPerMinute);
  app.addHook('onRequest', async (request) => {
    if (LOOPBACK.has(request.ip)) return;
    const now = deps.clock();
    const wait = refused.isFull(request.ip, now) ? secondsLeft(now) : all.take(request.ip, now);
    if (wait !== undefined) {
      fail('rate_limited', `Too many requests from ${request.ip}. Try again in ${wait} s.`, {
        retryAfterSeconds: wait,
      });
    }
  });
  app.addHook('onError', async (request, _reply, error) => {
    if (error instanceof ApiError && GUESSES.has(error.code) && !LOOPBACK.has(request.ip)) {
      refused.take(request.ip, deps.clock());
    }
  });
}

/** After authentication: admits the call or refuses it with 429 or 402, and says in the headers what is left. */
export function limitCalls(app: App, deps: Pick<Deps, 'clock'>, usage: Usage): void {
  const unmetered = createMinuteLimit(UNMETERED_PER_MINUTE);
  app.addHook('onRequest', async (request, reply) => {
    const { meter = 'none', countsHourly } = request.routeOptions.config;
    const { account, key } = request.caller;
    if (meter === 'none' && !countsHourly) {
      const now = deps.clock();
      const wait = unmetered.take(account.id, now);
      const remaining = unmetered.remaining(account.id, now);
      describeLimits(reply, [{ name: 'free', limit: UNMETERED_PER_MINUTE, remaining, resetSeconds: secondsLeft(now) }]);
      if (wait !== undefined) {
        fail('rate_limited', `${UNMETERED_PER_MINUTE} free calls a minute are allowed. Try again in ${wait} s.`, {
          limit: UNMETERED_PER_MINUTE,
          retryAfterSeconds: wait,
        });
      }
      return;
    }
    if (key.mode === 'live' && meter !== 'none') refuseUnpaid(account, deps.clock());
    try {
      request.admission = await usage.admit(request.caller, meter, request.usageUnits);
      describeLimits(reply, request.admission.limits);
      // Gone while it was let in: there will be no answer to charge.
      if (request.isRecorded && request.admission.holdId) await usage.release(request.admission.holdId);
    } catch (error) {
      if (error instanceof Refusal) describeLimits(reply, error.limits);
      throw error;
    }
  });
}

function describeLimits(reply: FastifyReply, limits: LimitState[]): void {
  const tightest = limits.reduce((a, b) => (b.remaining < a.remaining ? b : a), limits[0]);
  if (!tightest) return;
  reply.headers({
    'ratelimit-policy': limits.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOWS[name]}`).join(', '),
    ratelimit: limits
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
    'x-ratelimit-limit': tightest.limit,
    'x-ratelimit-remaining': tightest.remaining,
    'x-ratelimit-reset': tightest.resetSeconds,
  });
}

function secondsLeft(now: Date): number {
  return Math.ceil((MINUTE_MS - (now.getTime() % MINUTE_MS)) / 1000);
}
