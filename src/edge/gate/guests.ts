// Guests: visitors of our own pages who have no account. They see the sandbox on routes open to guests, without names,
// within a per-minute limit per IP.
import type { FastifyRequest } from 'fastify';
import { SESSION_KEY_DEFAULTS, type Caller } from '../../customers/accounts/accounts.ts';
import type { Scope } from '../../customers/accounts/scopes.ts';
import type { Deps } from '../../base/deps.ts';
import { isFromThisMachine } from '../../base/http/client-ip.ts';
import { fail } from '../../base/lib/errors.ts';
import { networkOf } from '../../base/lib/ips.ts';
import type { LimitState } from '../../customers/usage/admission.ts';

/** Without `owners:read`, records, deeds and titles omit owners, buyers and sellers. */
const SCOPES: Scope[] = ['avm:read', 'properties:read', 'transactions:read', 'risk:read', 'tiles:read'];

/** Shared by all guests: nothing is stored, counted or charged for it. */
const GUEST: Caller = {
  account: {
    id: 'guest',
    name: 'Guest',
    plan: 'trial',
    status: 'active',
    created_at: new Date(0),
    anchor_at: null,
    contract: null,
    allowance: null,
    ends_at: null,
    suspended_for: null,
    parent_id: null,
    clock_at: null,
  },
  key: {
    ...SESSION_KEY_DEFAULTS,
    id: 'guest',
    account_id: 'guest',
    mode: 'test',
    name: 'Guest',
    scopes: SCOPES,
    created_at: new Date(0),
  },
  isGuest: true,
};

/** Our pages send `x-platbook-mode: guest` while signed out. A program that forgot its key does not, and gets an error
    instead of sandbox data. Browsers prevent other sites from sending the header. */
export function guestOf({ headers, routeOptions }: FastifyRequest): Caller | undefined {
  if (headers['x-platbook-mode'] !== 'guest') return undefined;
  if (routeOptions.config.openToGuests) return GUEST;
  return fail('missing_api_key', 'This requires an account. Sign up free at /sign-up, or sign in.');
}

/** Counts a guest's call and reports the remaining limit. */
export async function admitGuest(
  { minuteLimits }: Pick<Deps, 'minuteLimits'>,
  request: FastifyRequest,
  describe: (limit: LimitState) => void,
): Promise<void> {
  const isTile = request.routeOptions.config.scope === 'tiles:read';
  const limit = isTile ? minuteLimits.guestTiles : minuteLimits.guestCalls;
  const wait = isFromThisMachine(request) ? undefined : await limit.take(networkOf(request.ip));
  describe(limit.state(networkOf(request.ip)));
  if (wait === undefined) return;
  const what = isTile ? 'map tiles' : 'calls';
  fail(
    'rate_limited',
    `Guests may make ${limit.limit} ${what} a minute. Try again in ${wait} s, or sign up free at /sign-up for more.`,
    { limit: limit.limit, retryAfterSeconds: wait },
  );
}
