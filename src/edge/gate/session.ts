// Reads the session cookie, with the checks that keep other sites from using it.
import type { FastifyRequest } from 'fastify';
import { SESSION_KEY_DEFAULTS, type Caller } from '../../customers/accounts/accounts.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { sessionCookie } from '../../customers/people/cookie.ts';
import { findSignedIn, type SignedIn } from '../../customers/people/sessions.ts';
import { SCOPES_OF_ROLE } from '../../customers/people/team.ts';
import type { App } from '../../base/http/types.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set from the session cookie under /session, and on keyed routes called without a key. */
    signedIn?: SignedIn;
  }
}

/** For the dashboard's own routes: reads the cookie, and rejects cross-site changes. */
export function readSession(app: App, deps: Deps): void {
  const cookie = sessionCookie(deps.config.baseUrl);
  app.addHook('onRequest', async (request) => {
    refuseForeignOrigin(deps, request);
    const token = cookie.read(request.headers.cookie);
    if (token) request.signedIn = await findSignedIn(deps, token);
    refuseTeamChanges(request);
  });
}

/**
 * The dashboard calls the public API with its cookie instead of a key. The caller is then the account, with the scopes
 * of the person's role, in the sandbox unless the header is `x-platbook-mode: live`.
 */
export function createSessionCaller(deps: Deps): (request: FastifyRequest) => Promise<Caller | undefined> {
  const cookie = sessionCookie(deps.config.baseUrl);
  return async (request) => {
    const token = cookie.read(request.headers.cookie);
    // Another site can open one of our URLs with the cookie and infer its content from the response length.
    if (!token || request.headers['sec-fetch-site'] === 'cross-site') return undefined;
    refuseForeignOrigin(deps, request);
    const signedIn = await findSignedIn(deps, token);
    if (!signedIn) return undefined;
    request.signedIn = signedIn;
    const mode = request.headers['x-platbook-mode'] === 'live' ? 'live' : 'test';
    const { user, account, session, role } = signedIn;
    return {
      account,
      key: {
        ...SESSION_KEY_DEFAULTS,
        id: user.id,
        account_id: account.id,
        mode,
        name: user.email,
        scopes: SCOPES_OF_ROLE[role],
        created_at: session.created_at,
      },
      role,
    };
  };
}

/** While an account is suspended or closed, its members can only pay, sign out and secure their own sign-in. */
function refuseTeamChanges(request: FastifyRequest): void {
  const account = request.signedIn?.account;
  if (SAFE_METHODS.has(request.method) || !account || account.status === 'active') return;
  const isOfTeam = /^\/session\/(members|sso\/connection)\b|^\/session\/invitations(?!\/accept)/.test(
    request.routeOptions.url ?? '',
  );
  if (isOfTeam) fail('payment_required', `The account is ${account.status}. See Billing in the dashboard.`);
}

/** Browsers send an Origin. Requests without it, or from another site, cannot change anything. */
function refuseForeignOrigin(deps: Deps, request: FastifyRequest): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin } = request.headers;
  // The browser's own Host, never a forwarded one: a proxy passes on whatever a client claims.
  const host = request.headers.host ?? request.headers[':authority'];
  const isOurs = origin !== undefined && (origin === deps.config.baseUrl || hostOf(origin) === host);
  if (!isOurs) fail('origin_not_allowed', 'Changes are accepted from our own pages only. Send an `Origin` header.');
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);
