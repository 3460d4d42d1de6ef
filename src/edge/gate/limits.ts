// The limits of a request: per IP before the key is read, then the account's hour, caps and trial.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import { isFromThisMachine } from '../../base/http/client-ip.ts';
import type { App } from '../../base/http/types.ts';
import { ApiError, fail, type ErrorCode } from '../../base/lib/errors.ts';
import { networkOf } from '../../base/lib/ips.ts';
import { isMetered, nowOf } from '../../customers/accounts/clock-sql.ts';
import { Refusal, type LimitState } from '../../customers/usage/admission.ts';
import { refuseUnpaid, type Usage } from '../../customers/usage/usage.ts';
import { admitGuest } from './guests.ts';

/** Other 401s, such as the dashboard's session check, are not guesses. */
const GUESSES: ReadonlySet<ErrorCode> = new Set(['invalid_api_key', 'invalid_credentials']);

/** Before authentication: requests, and guesses at keys and passwords, per IP. This machine is exempt. */
export function limitIps(app: App, deps: Pick<Deps, 'minuteLimits'>): void {
  const { perIp, refusals } = deps.minuteLimits;
  app.addHook('onRequest', async (request) => {
    if (isFromThisMachine(request)) return;
    const network = networkOf(request.ip);
    const guesses = refusals.state(network);
    const wait = guesses.remaining === 0 ? guesses.resetSeconds : await perIp.take(network);
    if (wait !== undefined) {
      fail('rate_limited', `Too many requests from ${request.ip}. Try again in ${wait} s.`, {
        retryAfterSeconds: wait,
      });
    }
  });
  app.addHook('onError', async (request, _reply, error) => {
    if (error instanceof ApiError && GUESSES.has(error.code) && !isFromThisMachine(request)) {
      await refusals.take(networkOf(request.ip));
    }
  });
}

/** For routes without a key: reports the IP's remaining limit in the headers; it is enforced above. */
export function describeIpLimit(app: App, deps: Pick<Deps, 'minuteLimits'>): void {
  const { perIp } = deps.minuteLimits;
  app.addHook('onRequest', async (request, reply) => describeLimits(reply, [perIp.state(networkOf(request.ip))]));
}

/** After authentication: admits the call or rejects it with 429 or 402, and reports the remaining limits in the
    headers. */
export function limitCalls(app: App, deps: Pick<Deps, 'clock' | 'minuteLimits'>, usage: Usage): void {
  const { freeCalls } = deps.minuteLimits;
  app.decorateRequest('holdUnits', async function (this: FastifyRequest, units: number) {
    const { meter = 'none' } = this.routeOptions.config;
    this.usageUnits = units;
    if (units === 0 || meter === 'none' || !isMetered(this.caller)) return;
    this.admission = await usage.hold(this.caller, meter, units);
    await releaseIfGone(this);
  });
  app.addHook('onRequest', async (request, reply) => {
    const { meter = 'none', units = 1, countsHourly } = request.routeOptions.config;
    const { account, isGuest } = request.caller;
    if (isGuest) return admitGuest(deps, request, (limit) => describeLimits(reply, [limit]));
    if ((meter === 'none' && !countsHourly) || request.earlier) {
      const wait = await freeCalls.take(account.id);
      const { limit } = freeCalls;
      describeLimits(reply, [freeCalls.state(account.id)]);
      if (wait !== undefined) {
        fail('rate_limited', `An account may make ${limit} free calls a minute. Try again in ${wait} s.`, {
          limit,
          retryAfterSeconds: wait,
        });
      }
      return;
    }
    if (isMetered(request.caller) && meter !== 'none') refuseUnpaid(account, nowOf(deps, account));
    request.usageUnits = units;
    try {
      request.admission = await usage.admit(request.caller, meter, request.usageUnits);
      describeLimits(reply, request.admission.limits);
      await releaseIfGone(request);
    } catch (error) {
      if (error instanceof Refusal) describeLimits(reply, error.limits);
      throw error;
    }
  });

  /** The client disconnected during admission: there will be no response to charge. */
  async function releaseIfGone({ isRecorded, admission }: FastifyRequest): Promise<void> {
    if (isRecorded && admission?.holdId) await usage.release(admission.holdId);
  }
}

function describeLimits(reply: FastifyReply, limits: LimitState[]): void {
  const tightest = limits.reduce((a, b) => (b.remaining < a.remaining ? b : a), limits[0]);
  if (!tightest) return;
  reply.headers({
    'ratelimit-policy': limits
      .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
      .join(', '),
    ratelimit: limits
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
    'x-ratelimit-limit': tightest.limit,
    'x-ratelimit-remaining': tightest.remaining,
    'x-ratelimit-reset': tightest.resetSeconds,
  });
}

/** The budgets of free live data: tiles, counts and suggestions, per account and hour, across all processes. */
export function limitFreeData(app: App, usage: Usage): void {
  app.addHook('onRequest', async (request) => {
    const { budget } = request.routeOptions.config;
    if (budget !== undefined && request.caller.key.mode === 'live') await usage.admitFree(request.caller, budget);
  });
}
