// Browsers may call the API from any page: keys travel in a header that the page must have, never in a cookie, so a
// foreign page gains no access it was not given.
import NAMES from './header-names.json' with { type: 'json' };
import type { App } from './types.ts';

const EXPOSED = NAMES.exposed.join(', ');

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
