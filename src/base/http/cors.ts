// Browsers may call the API from any page: keys travel in a header that the page must have, never in a cookie, so a
// foreign page gains nothing it was not given.
import type { App } from './types.ts';

const EXPOSED = [
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'x-usage-meter',
  'x-usage-units',
  'x-data-lag-ms',
  'x-next-cursor',
  'etag',
  'location',
  'idempotency-replayed',
  'deprecation',
  'sunset',
].join(', ');

export function registerCors(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/api/') || request.url === '/openapi.json') {
      reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED });
    }
    done();
  });
  app.options('/api/*', { config: { isHidden: true } }, async (_request, reply) =>
    reply
      .headers({
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers':
          'x-api-key, authorization, content-type, idempotency-key, if-none-match, x-request-id',
        'access-control-max-age': '86400',
      })
      .code(204)
      .send(),
  );
}
