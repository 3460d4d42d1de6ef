// HTTP in and out for the authorization server: its endpoints, the metadata of our resources, consent, and connected apps.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Deps } from '../../base/deps.ts';
import { isFromThisMachine } from '../../base/http/client-ip.ts';
import { hidden, type App } from '../../base/http/types.ts';
import { fail } from '../../base/lib/errors.ts';
import { networkOf } from '../../base/lib/ips.ts';
import { signedInOf } from '../people/requests.ts';
import { Done, IdParams } from '../people/schema.ts';
import * as grants from './grants.ts';
import { OFFERED_SCOPES, resourcesOf } from './provider.ts';
import * as shape from './schema.ts';

const METADATA = '/.well-known/oauth-protected-resource';

/** For programs: authorize, token, register, revoke, and the metadata that leads there. */
export async function authorizationRoutes(
  app: App,
  deps: Deps,
  provider: Provider,
  countSignIn: (network: string) => Promise<number | undefined>,
): Promise<void> {
  const { baseUrl } = deps.config;
  const resources = resourcesOf(baseUrl);
  const serve = provider.callback();
  const config = { isHidden: true };

  app.decorate('bearerChallenge', ({ url, headers }) => {
    const path = url.startsWith('/mcp') ? '/mcp' : '/api/v1';
    const isWrong = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
    const error = isWrong ? ', error="invalid_token"' : '';
    return `Bearer realm="platbook"${error}, resource_metadata="${baseUrl}${METADATA}${path}"`;
  });

  const describe = (resource: string) => ({
    resource,
    authorization_servers: [baseUrl],
    scopes_supported: OFFERED_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Platbook',
    resource_documentation: `${baseUrl}/docs/connect`,
  });
  const documents = { '': resources.mcp, '/mcp': resources.mcp, '/api/v1': resources.api };
  for (const [path, resource] of Object.entries(documents))
    app.get(`${METADATA}${path}`, { config }, async (_request, reply) =>
      reply
        .headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' })
        .send(describe(resource)),
    );

  await app.register(async (scope) => {
    // The library reads its own bodies.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));

    async function pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { raw } = request;
      const { host, protocol } = new URL(baseUrl);
      raw.headers['x-forwarded-host'] = host;
      raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
      raw.headers['x-forwarded-for'] = request.ip;
      // The library treats an HTTP/2 body without a content length as empty.
      if (raw.httpVersionMajor >= 2 && raw.method === 'POST') raw.headers['transfer-encoding'] ??= 'chunked';
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      reply.raw.setHeader('x-frame-options', 'DENY');
      await serve(raw, reply.raw);
    }
    const passLimited = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const wait = isFromThisMachine(request) ? undefined : await countSignIn(networkOf(request.ip));
      if (wait !== undefined)
        fail('rate_limited', `Too many apps are being connected from here. Try again in ${wait} s.`, {
          retryAfterSeconds: wait,
        });
      return pass(request, reply);
    };

    scope.get('/oauth/authorize', { config }, async (request, reply) => {
      const { response_mode: responseMode = 'query' } = request.query as Record<string, string | undefined>;
      if (responseMode !== 'query') fail('invalid_request', 'Answers are sent in the query: leave out response_mode.');
      startAfresh(request);
      return passLimited(request, reply);
    });
    scope.post('/oauth/register', { config }, passLimited);
    scope.get('/oauth/authorize/:uid', { config }, pass);
    scope.get('/oauth/jwks', { config }, pass);
    scope.get('/.well-known/oauth-authorization-server', { config }, pass);
    scope.get('/.well-known/openid-configuration', { config }, pass);
    scope.route({ method: ['POST', 'OPTIONS'], url: '/oauth/token', config, handler: pass });
    scope.route({ method: ['POST', 'OPTIONS'], url: '/oauth/revoke', config, handler: pass });
  });
}

/** Each authorization request needs new consent by the current user; one without scopes requests all offered scopes. */
function startAfresh({ raw }: FastifyRequest): void {
  raw.headers.cookie = raw.headers.cookie
    ?.split(/; */)
    .filter((pair) => !pair.startsWith('platbook_oauth'))
    .join('; ');
  const url = new URL(raw.url ?? '/', 'http://localhost');
  if (url.searchParams.get('scope')) return;
  url.searchParams.set('scope', OFFERED_SCOPES.join(' '));
  raw.url = `${url.pathname}${url.search}`;
}

/** For the page that asks for consent, under the path to which the browser's cookie is bound. */
export function consentRoutes(app: App, deps: Deps, provider: Provider): void {
  const exchangeOf = ({ raw, params }: FastifyRequest, reply: FastifyReply) => ({
    ...(params as { uid: string }),
    raw,
    response: reply.raw,
  });
  app.get('/consent/:uid/request', hidden({ params: shape.UidParams }, shape.Consent), async (request, reply) =>
    grants.describeConsent(deps, provider, exchangeOf(request, reply), signedInOf(request)),
  );
  const decision = hidden({ params: shape.UidParams, body: shape.Decision }, shape.Redirect);
  app.post('/consent/:uid', decision, async (request, reply) => {
    const signedIn = signedInOf(request);
    const url = await grants.decideConsent(deps, provider, exchangeOf(request, reply), signedIn, request.body);
    return { object: 'redirect' as const, url };
  });
}

/** For the dashboard. */
export function grantRoutes(app: App, deps: Deps): void {
  app.get('/grants', hidden({}, shape.GrantList), async (request) => ({
    object: 'list' as const,
    data: await grants.listGrants(deps, signedInOf(request)),
  }));
  app.delete('/grants/:id', hidden({ params: IdParams }, Done), async (request) => {
    await grants.revokeGrant(deps, signedInOf(request), request.params.id);
    return { object: 'done' as const };
  });
}
