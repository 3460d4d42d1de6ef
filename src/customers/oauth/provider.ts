// The authorization server: `oidc-provider` with our storage, scopes, pages and outbound HTTP policy.
import { errors, Provider, type ClientMetadata, type Configuration } from 'oidc-provider';
import type { Deps } from '../../base/deps.ts';
import { findUrlProblem } from '../../base/lib/dial.ts';
import { ed25519KeyOf, type Secrets } from '../../base/lib/secrets.ts';
import { DEFAULT_SCOPES, type Scope } from '../accounts/scopes.ts';
import { createOutboundFetch } from '../sso/outbound.ts';
import { createStore } from './records.ts';
import { isMember } from './sql.ts';

/** Keys and invoices stay with people: an app that could create keys would outlive its grant. */
export const OFFERED_SCOPES: readonly Scope[] = DEFAULT_SCOPES;

/** Our two resources. A token names the one it was issued for, and opens no other. */
export const resourcesOf = (baseUrl: string) => ({ mcp: `${baseUrl}/mcp`, api: `${baseUrl}/api/v1` });

const GRANT_DAYS = 180;
const DAY_SECONDS = 86_400;
const SIGN_IN_SECONDS = 900;
const TOKEN_SECONDS = 3_600;

/** The person and the account of a grant, as one subject. */
export const subjectOf = (accountId: string, userId: string): string => `${accountId}.${userId}`;

export function createAuthorizationServer(deps: Deps): Provider {
  const { baseUrl } = deps.config;
  const provider = new Provider(baseUrl, { ...protocolOf(deps), ...storageOf(deps) });
  // Addresses come from BASE_URL: the routes put it into the forwarded headers, whatever the client sent there.
  provider.proxy = true;
  provider.use(async (context, next) => {
    await next();
    const { route } = (context as { oidc?: { route?: string } }).oidc ?? {};
    const { body } = context as { body: Record<string, unknown> };
    if (route === 'discovery') Object.assign(body, { response_modes_supported: ['query'] });
    const location: string = context.response.get('location') ?? '';
    // Anyone can register a redirect URI, so never redirect to a site without consent.
    if (route !== 'authorization' || !location.startsWith('https:')) return;
    const { error = '', error_description: description = '' } = Object.fromEntries(new URL(location).searchParams);
    context.remove('location');
    context.status = 400;
    context.type = 'html';
    context.body = errorPage(error, description, location);
  });
  provider.on('server_error', (_context, error) => deps.log.error({ err: error }, 'the authorization server failed'));
  return provider;
}

function storageOf(deps: Deps): Configuration {
  const { webhookAllowPrivate: allow, dnsServers } = deps.config;
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', overwrite: true } as const;
  return {
    adapter: (model: string) => createStore(deps, model),
    jwks: { keys: [signingKeyOf(deps.secrets)] },
    cookies: {
      names: { session: 'platbook_oauth', interaction: 'platbook_consent', resume: 'platbook_resume' },
      long: cookie,
      short: cookie,
      keys: [deps.secrets.sign('oauth', 'cookies').toString('base64url')],
    },
    async findAccount(_context, subject) {
      const [accountId, userId] = subject.split('.');
      if (!(await isMember(deps.control, accountId, userId))) return undefined;
      return { accountId: subject, claims: async () => ({ sub: subject }) };
    },
    fetch: createOutboundFetch({ allow, dnsServers }) as typeof fetch,
  };
}

function protocolOf({ config: { baseUrl, webhookAllowPrivate } }: Deps): Configuration {
  const resources = resourcesOf(baseUrl);
  const scope = OFFERED_SCOPES.join(' ');
  return {
    scopes: [...OFFERED_SCOPES, 'offline_access'],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'Ed25519',
    },
    enabledJWA: { idTokenSigningAlgValues: ['Ed25519'] },
    extraClientMetadata: {
      properties: ['redirects_like'],
      validator: (_context, _key, _value, data) => checkClient(data),
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
      end_session: '/oauth/end',
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
      },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: async (_context, url) => findUrlProblem(url, webhookAllowPrivate) === undefined,
      },
      resourceIndicators: {
        enabled: true,
        // Older clients, which are assistants, do not name the resource.
        defaultResource: async (_context, _client, oneOf) => oneOf ?? resources.mcp,
        useGrantedResource: async () => true,
        async getResourceServerInfo(_context, resource) {
          if (!Object.values(resources).includes(resource.replace(/\/$/, ''))) throw new errors.InvalidTarget();
          return { scope, audience: resource.replace(/\/$/, ''), accessTokenFormat: 'opaque' as const };
        },
      },
    },
    interactions: { url: async (_context, { uid }) => `/oauth/consent/${uid}` },
    pkce: { required: () => true },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    clientBasedCORS: () => true,
    ttl: {
      AccessToken: TOKEN_SECONDS,
      AuthorizationCode: 60,
      RefreshToken: 30 * DAY_SECONDS,
      Grant: GRANT_DAYS * DAY_SECONDS,
      Interaction: SIGN_IN_SECONDS,
      Session: SIGN_IN_SECONDS,
    },
    renderError(context, { error, error_description: description = '' }) {
      context.type = 'html';
      context.body = errorPage(error, description);
    },
  };
}

/** Schemes that open the browser itself, the system or a program that is no app of its own. */
const SYSTEM_SCHEME =
  /^(about|chrome|edge|facetime|feed|ftp|intent|itms|jar|magnet|mailto|market|ms-|nfs|opera|search|sftp|shell|sms|smb|ssh|telnet|tel|view-source|wss?|x-apple)/;

/** Redirects only to https, to this machine, or to an app's own scheme, whatever kind of client it says it is; and a name that
    cannot reverse or break the line it is shown in. */
function checkClient(metadata: ClientMetadata): void {
  metadata.application_type = 'native';
  for (const uri of metadata.redirect_uris ?? []) {
    const url = URL.parse(uri);
    if (url && (SYSTEM_SCHEME.test(url.protocol) || url.username || url.password))
      throw new errors.InvalidClientMetadata('redirect_uris must lead to a site or an app');
  }
  if (typeof metadata.client_name !== 'string') return;
  metadata.client_name = metadata.client_name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim() || 'An app without a name';
}

/** For errors that cannot be returned to the client, such as an unregistered redirect URI. */
const errorPage = (error: string, description: string, back?: string): string => {
  const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in refused</title>
<h1>This app could not be connected</h1>
<p>${escape(description)} (<code>${escape(error)}</code>)</p>
${back ? `<p><a rel="noreferrer" href="${escape(back)}">Tell ${escape(new URL(back).host)}</a></p>` : ''}
<p>Nothing was shared. Try again from the app, or tell its makers. <a href="/docs/connect">How to connect</a></p></html>`;
};

/** We issue no ID tokens, but the server publishes a key: ours rather than the library's own, the same in each process. */
function signingKeyOf(secrets: Secrets) {
  const jwk = ed25519KeyOf(secrets.sign('oauth', 'signing key')).export({ format: 'jwk' });
  return { ...jwk, alg: 'Ed25519', use: 'sig' };
}
