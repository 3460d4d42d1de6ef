// For operators: alive, ready, and Prometheus metrics.
import { Histogram, type Registry } from 'prom-client';
import Type from 'typebox';
import { ping } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../lib/errors.ts';
import { named, oneOf } from '../lib/schema.ts';
import { isFromThisMachine } from './client-ip.ts';
import type { App } from './types.ts';

export function measureRequests(app: App, registry: Registry): void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
}

export function healthRoutes(app: App, deps: Deps, readMetrics: () => Promise<string>): void {
  // Probes of the operator: not part of the API that customers call, so not in its document.
  const config = { isHidden: true };
  const Health = named('Health', { object: oneOf(['health']), status: oneOf(['ok']) });
  const Ready = named('Readiness', {
    ...Health.properties,
    // Searches still work from the primary without it, so this does not affect readiness.
    replica: Type.Optional(
      Type.Object({
        state: oneOf(['current', 'late', 'away']),
        lag_ms: Type.Union([Type.Integer(), Type.Null()]),
      }),
    ),
  });
  const ok = { object: 'health' as const, status: 'ok' as const };

  app.get('/livez', { config, schema: { response: { 200: Health } } }, async () => ok);

  app.get('/readyz', { config, schema: { response: { 200: Ready } } }, async () => {
    await Promise.all([ping(deps.control), ping(deps.data)]);
    if (!deps.replica) return ok;
    const { state, lagMs } = deps.replica.read();
    return { ...ok, replica: { state, lag_ms: lagMs === undefined ? null : Math.round(lagMs) } };
  });

  app.get('/metrics', { config }, async (request, reply) => {
    const { metricsToken } = deps.config;
    const isAllowed = metricsToken
      ? request.headers.authorization === `Bearer ${metricsToken}`
      : isFromThisMachine(request);
    if (!isAllowed) fail('route_not_found', 'Nothing answers at this path. The paths are listed at /docs.');
    return reply.type(deps.metrics.registry.contentType).send(await readMetrics());
  });
}
