// Apps that act for an account: consent makes a grant with a key of its own, tokens resolve to it, and both end together.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import type { Static } from 'typebox';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { openJson } from '../../base/lib/sealed-json.ts';
import { createKey, type Caller } from '../accounts/accounts.ts';
import type { KeyMode } from '../accounts/key-format.ts';
import { termsOf } from '../accounts/plans.ts';
import { SCOPE_WORDS, type Scope } from '../accounts/scopes.ts';
import { findKeyAndAccount } from '../accounts/sql.ts';
import { auditAct, type SignedIn } from '../people/sessions.ts';
import { SCOPES_OF_ROLE } from '../people/team.ts';
import { OFFERED_SCOPES, resourcesOf, subjectOf } from './provider.ts';
import { Grant, type Decision } from './schema.ts';
import { digestOf, endGrant, keepClient, type StoreDeps } from './records.ts';
import * as sql from './sql.ts';

const MOST_LISTED = 200;

/** The browser's own request: its cookie proves that it is the browser sent here for consent. */
export interface Exchange {
  uid: string;
  raw: IncomingMessage;
  response: ServerResponse;
}

async function readRequest(deps: Deps, provider: Provider, { uid, raw, response }: Exchange, { role }: SignedIn) {
  const gone = () => fail('resource_not_found', 'This request to connect has expired. Start again from the app.');
  const interaction = await provider
    .interactionDetails(raw, response)
    .catch((error: Error) => (error instanceof errors.SessionNotFound ? gone() : Promise.reject(error)));
  if (interaction.uid !== uid) gone();
  const { client_id: clientId, redirect_uri: redirectUri, scope, resource } = interaction.params;
  const client = (await provider.Client.find(String(clientId))) ?? gone();
  const { mcp, api } = resourcesOf(deps.config.baseUrl);
  const resources = [(resource as string | string[] | undefined) ?? mcp].flat();
  const requested = String(scope).split(' ');
  const mayAsk = (name: Scope) => requested.includes(name) && SCOPES_OF_ROLE[role].includes(name);
  return {
    client,
    redirectUri: String(redirectUri),
    requested,
    scopes: OFFERED_SCOPES.filter(mayAsk),
    resources,
    resource: resources.includes(api) ? ('api' as const) : ('mcp' as const),
    // A viewer cannot spend the allowance, so neither can an app in a viewer's name.
    modes: (role === 'viewer' ? ['test'] : ['test', 'live']) as KeyMode[],
  };
}

/** A URL client id proves its host; any other client is unverified and identified by its redirect host. */
const isVerified = (clientId: string): boolean => clientId.startsWith('https://');

function originOf(clientId: string, redirectUri: string): string {
  const url = new URL(isVerified(clientId) ? clientId : redirectUri);
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (isHere) return 'an app on this computer';
  return url.protocol === 'https:' ? url.host : `an app that opens ${url.protocol}//`;
}

export async function describeConsent(deps: Deps, provider: Provider, exchange: Exchange, signedIn: SignedIn) {
  const { client, redirectUri, scopes, resource, modes } = await readRequest(deps, provider, exchange, signedIn);
  const { account, user } = signedIn;
  const origin = originOf(client.clientId, redirectUri);
  return {
    object: 'consent' as const,
    client: {
      name: (client.clientName ?? origin).slice(0, 200),
      origin,
      is_verified: isVerified(client.clientId),
      redirect_uri: redirectUri,
      sent_to: originOf('', redirectUri),
    },
    resource,
    scopes: scopes.map((scope) => ({ scope, words: SCOPE_WORDS[scope] })),
    modes,
    account: { name: account.name, plan: termsOf(account).name },
    email: user.email,
  };
}

/** The URL to redirect the browser to. */
export async function decideConsent(
  deps: Deps,
  provider: Provider,
  exchange: Exchange,
  signedIn: SignedIn,
  { allow, mode = 'test', scopes: chosen }: Static<typeof Decision>,
): Promise<string> {
  const { raw, response } = exchange;
  const request = await readRequest(deps, provider, exchange, signedIn);
  const answer = (result: object) =>
    provider.interactionResult(raw, response, result as never, { mergeWithLastSubmission: false });
  if (!allow) return answer({ error: 'access_denied', error_description: 'The person refused.' });
  const { account, user } = signedIn;
  if (account.status !== 'active') fail('payment_required', `The account is ${account.status}. See Billing.`);
  if (!request.modes.includes(mode)) fail('insufficient_role', 'Viewers can connect apps to the sandbox only.');
  const scopes = request.scopes.filter((scope) => chosen?.includes(scope) ?? true);
  if (scopes.length === 0) fail('invalid_request', 'Allow at least one permission, or refuse.');

  const subject = subjectOf(account.id, user.id);
  const grant = new provider.Grant({ accountId: subject, clientId: request.client.clientId });
  grant.addOIDCScope([...scopes, 'offline_access'].join(' '));
  const refused = request.requested.filter(
    (scope) => !(scopes as string[]).includes(scope) && scope !== 'offline_access',
  );
  if (refused.length > 0) grant.rejectOIDCScope(refused.join(' '));
  for (const resource of request.resources) {
    grant.addResourceScope(resource, scopes.join(' '));
    if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '));
  }
  const grantId = await grant.save();
  await insertGrant(deps, signedIn, { ...request, grantId, mode, scopes });
  await keepClient(deps, request.client.clientId);
  return answer({ login: { accountId: subject, remember: false }, consent: { grantId } });
}

interface NewGrant {
  grantId: string;
  mode: KeyMode;
  scopes: Scope[];
  client: { clientId: string; clientName?: string };
  redirectUri: string;
}

const insertGrant = (deps: Deps, signedIn: SignedIn, { grantId, mode, scopes, client, redirectUri }: NewGrant) =>
  inTransaction(deps.control, async (db) => {
    const { account, user } = signedIn;
    const name = (client.clientName ?? originOf(client.clientId, redirectUri)).slice(0, 100);
    const options = { name, mode, scopes, created_by: user.id, grant_id: grantId };
    // The secret is discarded.
    const { key } = await createKey(deps, account.id, options, db);
    await sql.insertGrant(db, {
      id: grantId,
      account_id: account.id,
      user_id: user.id,
      key_id: key.id,
      client_id: client.clientId,
      client_name: name,
      redirect_uri: redirectUri,
      created_at: deps.clock(),
      ended_at: null,
    });
    const details = { app: name, mode, scopes };
    await auditAct(deps, db, signedIn, { action: 'grant.created', target: grantId, details });
  });

/** Those who run the team see every app of the account; others see their own. */
const seesAll = ({ role }: SignedIn): boolean => role === 'owner' || role === 'admin';

export async function listGrants(deps: Pick<Deps, 'control'>, signedIn: SignedIn) {
  const userId = seesAll(signedIn) ? null : signedIn.user.id;
  const rows = await sql.listGrants(deps.control, signedIn.account.id, userId, MOST_LISTED);
  return rows.map((row) => ({
    object: 'grant' as const,
    ...presentRow(Grant, row),
    origin: originOf(row.client_id, row.redirect_uri),
  }));
}

export const revokeGrant = (deps: Deps, signedIn: SignedIn, id: string): Promise<void> =>
  endGrant(deps, id, async (client, grant) => {
    const isTheirs =
      grant.account_id === signedIn.account.id && (seesAll(signedIn) || grant.user_id === signedIn.user.id);
    if (!isTheirs) fail('resource_not_found', `There is no connected app ${id}.`);
    const details = { app: grant.client_name };
    await auditAct(deps, client, signedIn, { action: 'grant.revoked', target: id, details });
  });

export const isTokenShaped = (text: string): boolean => /^[\w-]{43}$/.test(text);

export interface TokenCaller {
  caller: Caller;
  audience: string;
  expiresAt: Date;
}

/** The key that an access token acts as, limited to the person's current scopes. */
export async function findTokenCaller(deps: StoreDeps, token: string): Promise<TokenCaller | undefined> {
  const digest = digestOf(deps.secrets, 'AccessToken', token);
  const record = await sql.findRecord(deps.control, 'AccessToken', digest, deps.clock());
  if (!record?.grant_id) return undefined;
  const grant = await sql.findGrantWithRole(deps.control, record.grant_id);
  const found = grant && (await findKeyAndAccount(deps.control, 'id', grant.key_id));
  if (!found || (grant.role === 'viewer' && found.key.mode === 'live')) return undefined;
  const { scope = '', aud = '' } = await openJson<{ scope?: string; aud?: string }>(
    deps.secrets,
    'oauth',
    record.payload,
  );
  const given = scope.split(' ');
  const scopes = found.key.scopes.filter((name) => given.includes(name) && SCOPES_OF_ROLE[grant.role].includes(name));
  const caller = { ...found, key: { ...found.key, scopes } };
  return { caller, audience: aud, expiresAt: record.expires_at };
}
