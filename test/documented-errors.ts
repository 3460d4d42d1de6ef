// Checks that every error a documented route returns in a test is documented.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { RouteOptions } from 'fastify';
import { errorsOf } from '../src/base/http/openapi.ts';
import type { App } from '../src/base/http/types.ts';

/** Call before the routes are registered; the test file fails at its end. */
export function watchErrors(app: App): void {
  const undocumented = new Set<string>();
  app.addHook('onSend', async (request, reply, payload) => {
    const { config, schema, method, url } = request.routeOptions;
    const isProblem = String(reply.getHeader('content-type')).startsWith('application/problem+json');
    if (!isProblem || typeof payload !== 'string' || !schema || config.isHidden) return;
    const isKeyed = config.scope !== undefined || config.meter !== undefined;
    const { code, detail } = JSON.parse(payload);
    // Only our own pages call with a cookie.
    if (code === 'origin_not_allowed') return;
    const documented = errorsOf(request.routeOptions as unknown as RouteOptions, isKeyed);
    if (!documented.includes(code)) undocumented.add(`${method} ${url}: ${code}: ${detail}`);
  });
  after(() => assert.deepEqual([...undocumented], []));
}
