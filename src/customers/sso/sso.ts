// Single sign-on by OpenID Connect for enterprise accounts: code flow with state, nonce and PKCE. It ends in an
// ordinary session, which opens the account of the connection and no other: the provider vouches only for its own
// people.
import * as oidc from 'openid-client';
import type { Static } from 'typebox';
import { getAccount } from '../accounts/accounts.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { findUrlProblem } from '../../base/lib/dial.ts';
import { fail } from '../../base/lib/errors.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { isSameBytes } from '../../base/lib/secrets.ts';
import { type AccountRow } from '../accounts/sql.ts';
import { domainOf, isEmail, normalizeEmail } from '../people/emails.ts';
import * as people from '../people/people.ts';
import { auditAct, digestOfToken, newToken, startSession, type SignedIn, type Visitor } from '../people/sessions.ts';
import { deleteSessionsWithoutSso, findMember, findUserByEmail, insertMember, isRemoved } from '../people/sql.ts';
import { requireDuty } from '../people/team.ts';
import { createOutboundFetch } from './outbound.ts';
import { Connection, type ConnectionForm, type Settings } from './schema.ts';
import * as sql from './sql.ts';

const SIGN_IN_MS = 10 * 60_000;
/** No customer owns these domains, so none can vouch for their users. */
const PUBLIC_DOMAINS =
  /^(gmail|googlemail|outlook|hotmail|live|msn|yahoo|icloud|me|aol|gmx|proton|protonmail|zoho|yandex|mail)\./;

const redirectUrlOf = ({ config }: Pick<Deps, 'config'>) => `${config.baseUrl}/session/sso/callback`;

export async function getSettings(deps: Deps, signedIn: SignedIn): Promise<Static<typeof Settings>> {
  requireOwner(signedIn);
  const accountId = signedIn.account.id;
  const found = await sql.findConnection(deps.control, accountId);
  return {
    object: 'sso_settings',
    domains: await sql.listDomains(deps.control, accountId),
    redirect_url: redirectUrlOf(deps),
    connection: found ? presentRow(Connection, found) : null,
  };
}

/** Owners only: whoever chooses the provider controls all identities, including owners'. */
export async function saveConnection(deps: Deps, signedIn: SignedIn, form: Static<typeof ConnectionForm>) {
  requireOwner(signedIn);
  const { account, session } = signedIn;
  const now = deps.clock();
  const known = await sql.findConnection(deps.control, account.id);
  if (form.is_enforced && session.method !== 'sso') {
    fail('invalid_state', 'Sign in through single sign-on once before you require it, so that nobody is locked out.');
  }
  const connection: sql.ConnectionRow = {
    account_id: account.id,
    issuer: form.issuer,
    client_id: form.client_id,
    client_secret: form.client_secret
      ? deps.secrets.encrypt('stored-secrets', form.client_secret)
      : (known?.client_secret ?? fail('invalid_request', 'Send `client_secret`.')),
    default_role: form.default_role,
    is_enforced: form.is_enforced,
    created_at: known?.created_at ?? now,
    updated_at: now,
  };
  await discover(deps, connection).catch((error: Error) => {
    const problem = findUrlProblem(form.issuer, deps.config.webhookAllowPrivate);
    const flaw = problem ?? 'does not answer as an OpenID Connect provider';
    fail('invalid_request', `The issuer ${flaw}.`, {}, { cause: error });
  });
  await inTransaction(deps.control, async (client) => {
    await sql.saveConnection(client, connection);
    if (form.is_enforced) await deleteSessionsWithoutSso(client, account.id);
    const { client_secret: _secret, ...details } = form;
    const act = { action: known ? 'sso.changed' : 'sso.connected', details: { ...details } };
    await auditAct(deps, client, signedIn, act);
  });
  return getSettings(deps, signedIn);
}

export async function removeConnection(deps: Deps, signedIn: SignedIn): Promise<void> {
  requireOwner(signedIn);
  await inTransaction(deps.control, async (client) => {
    if (!(await sql.deleteConnection(client, signedIn.account.id))) {
      fail('resource_not_found', 'Single sign-on is not set up for this account.');
    }
    await sql.deleteSsoSessions(client, signedIn.account.id);
    await auditAct(deps, client, signedIn, { action: 'sso.disconnected' });
  });
}

function requireOwner(signedIn: SignedIn): void {
  requireDuty(signedIn, 'sso');
  if (signedIn.account.plan !== 'enterprise') {
    fail('plan_feature_unavailable', 'Single sign-on is part of the Enterprise plan.');
  }
}

/** Where to send the browser, and what it must bring back in a cookie. */
export async function beginSignIn(deps: Deps, email: string): Promise<{ url: string; browserToken: string }> {
  const domain = domainOf(email);
  const connection = await sql.findConnectionByDomain(deps.control, domain);
  if (!connection) fail('resource_not_found', `Single sign-on is not set up for ${domain}.`);
  const provider = await discover(deps, connection).catch((error: Error) =>
    fail('unavailable', 'Your identity provider does not answer. Try again later.', {}, { cause: error }),
  );
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
  const browserToken = newToken();
  await sql.insertSignIn(deps.control, digestOfToken(deps.secrets, 'sso-state', state), {
    account_id: connection.account_id,
    browser_digest: digestOfToken(deps.secrets, 'sso-browser', browserToken),
    nonce,
    code_verifier: deps.secrets.encrypt('stored-secrets', verifier),
    expires_at: new Date(deps.clock().getTime() + SIGN_IN_MS),
  });
  const url = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUrlOf(deps),
    scope: 'openid email profile',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    login_hint: email,
  });
  return { url: url.href, browserToken };
}

/** The provider sent the browser back. Anything that does not fit is `invalid_credentials`; the log has the cause. */
export async function endSignIn(deps: Deps, url: URL, browserToken: string | undefined, visitor: Visitor) {
  const state = url.searchParams.get('state') ?? '';
  const pending = await sql.takeSignIn(deps.control, digestOfToken(deps.secrets, 'sso-state', state));
  const isSameBrowser =
    pending !== undefined &&
    browserToken !== undefined &&
    isSameBytes(pending.browser_digest, digestOfToken(deps.secrets, 'sso-browser', browserToken));
  if (!pending || !isSameBrowser || pending.expires_at <= deps.clock()) {
    return refuse('The sign-in took too long or was started in another browser.');
  }
  const connection = await sql.findConnection(deps.control, pending.account_id);
  const account = await getAccount(deps, pending.account_id);
  if (!connection || account.plan !== 'enterprise') return refuse('Single sign-on was turned off.');
  const claims = await readClaims(deps, connection, pending, url).catch((error: Error) =>
    refuse('Your identity provider’s response was not accepted.', error),
  );
  const email = typeof claims?.email === 'string' ? claims.email.trim() : '';
  if (!claims || !isEmail(email) || claims.email_verified !== true) {
    return refuse('Your identity provider did not confirm your email.');
  }
  const domains = await sql.listDomains(deps.control, account.id);
  if (!domains.includes(domainOf(email))) return refuse(`${domainOf(email)} is not a domain of this account.`);
  const name = typeof claims.name === 'string' && claims.name.trim() !== '' ? claims.name.trim() : email.split('@')[0];
  return inTransaction(deps.control, (client) =>
    signInAs(deps, client, { account, connection, subject: claims.sub, email, name: name.slice(0, 100), visitor }),
  );
}

async function readClaims(deps: Deps, connection: sql.ConnectionRow, pending: sql.SignInRow, url: URL) {
  const tokens = await oidc.authorizationCodeGrant(await discover(deps, connection), url, {
    expectedState: url.searchParams.get('state')!,
    expectedNonce: pending.nonce,
    pkceCodeVerifier: deps.secrets.decrypt('stored-secrets', pending.code_verifier),
    idTokenExpected: true,
  });
  return tokens.claims();
}

interface Asserted {
  account: AccountRow;
  connection: sql.ConnectionRow;
  subject: string;
  email: string;
  name: string;
  visitor: Visitor;
}

async function signInAs(deps: Deps, client: Client, asserted: Asserted): Promise<string> {
  const { account, connection, visitor } = asserted;
  const now = deps.clock();
  const userId = await findOrCreateUser(deps, client, asserted);
  const write = (action: string, details: Record<string, unknown>) =>
    recordAudit(client, { accountId: account.id, actor: userId, action, details, ip: visitor.ip, at: now });
  if (!(await findMember(client, account.id, userId))) {
    if (await isRemoved(client, account.id, userId))
      return refuse('You were removed from this account. Ask one of its admins for an invitation.');
    const role = connection.default_role;
    await insertMember(client, { account_id: account.id, user_id: userId, role, created_at: now });
    await write('member.joined', { role, method: 'sso' });
  }
  await write('user.signed_in', { method: 'sso' });
  return startSession(deps, client, { userId, accountId: account.id, method: 'sso', visitor });
}

async function findOrCreateUser(deps: Deps, client: Client, asserted: Asserted): Promise<string> {
  const { account, connection, subject, email, name } = asserted;
  const identity = { account_id: account.id, issuer: connection.issuer, subject };
  const known = await sql.findIdentity(client, identity);
  if (known) return known.user_id;
  const existing = await findUserByEmail(client, normalizeEmail(email));
  // Spelled exactly alike: `ann+x@` counts as `ann@` at sign-up, but a provider may have given it to someone else.
  if (existing && existing.email.toLowerCase() !== email.toLowerCase()) {
    return refuse(`A user exists under another spelling of ${email}.`);
  }
  const user =
    existing ??
    (await people.createUser(deps, client, { email, name, company: null, password_hash: null })) ??
    refuse('Try again.');
  await sql.insertIdentity(client, { ...identity, user_id: user.id, created_at: deps.clock() });
  return user.id;
}

async function discover(deps: Deps, connection: sql.ConnectionRow): Promise<oidc.Configuration> {
  const { webhookAllowPrivate: allow, dnsServers } = deps.config;
  const problem = findUrlProblem(connection.issuer, allow);
  if (problem) throw new Error(`The issuer ${problem}.`);
  const secret = deps.secrets.decrypt('stored-secrets', connection.client_secret);
  return oidc.discovery(new URL(connection.issuer), connection.client_id, secret, undefined, {
    [oidc.customFetch]: createOutboundFetch({ allow, dnsServers }),
    // Checks the ID token's signature as well, although it came straight from the provider over TLS.
    execute: [oidc.enableNonRepudiationChecks, ...(allow === 'none' ? [] : [oidc.allowInsecureRequests])],
  });
}

/** By an operator, once the account has shown that it owns the domain. */
export async function verifyDomain(deps: Deps, accountId: string, text: string): Promise<void> {
  const domain = text.trim().toLowerCase();
  if (!isEmail(`someone@${domain}`)) fail('invalid_request', `${text} is not a domain.`);
  if (PUBLIC_DOMAINS.test(domain)) fail('invalid_request', `${domain} belongs to an email provider.`);
  await getAccount(deps, accountId);
  const now = deps.clock();
  await inTransaction(deps.control, async (client) => {
    const owner = await sql.claimDomain(client, domain, accountId, now);
    if (owner !== accountId) fail('invalid_state', `${domain} belongs to ${owner}. Release it there first.`);
    const act = { action: 'sso.domain_verified', actor: 'operator', details: { domain } };
    await recordAudit(client, { ...act, accountId, at: now });
  });
}

export async function releaseDomain(deps: Deps, domain: string): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const owner = await sql.releaseDomain(client, domain.trim().toLowerCase());
    if (!owner) fail('resource_not_found', `Nobody has claimed ${domain}.`);
    const act = { action: 'sso.domain_released', actor: 'operator', details: { domain } };
    await recordAudit(client, { ...act, accountId: owner.account_id, at: deps.clock() });
  });
}

/** The way back in when the provider of an account that requires it is gone. */
export async function stopEnforcing(deps: Deps, accountId: string): Promise<void> {
  const now = deps.clock();
  await inTransaction(deps.control, async (client) => {
    if (!(await sql.stopEnforcing(client, accountId, now))) {
      fail('invalid_state', `${accountId} does not require single sign-on.`);
    }
    const act = { action: 'sso.changed', actor: 'operator', details: { is_enforced: false } };
    await recordAudit(client, { ...act, accountId, at: now });
  });
}

function refuse(detail: string, cause?: Error): never {
  return fail('invalid_credentials', detail, {}, { cause });
}
