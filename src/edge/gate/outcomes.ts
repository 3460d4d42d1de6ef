// Counts request outcomes for each plan's uptime promise and for the status page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../base/deps.ts';
import type { App } from '../../base/http/types.ts';
import { componentOf, componentsOf } from '../status/components.ts';

/** Leaves out sandbox calls, because magic inputs fail on purpose. */
export function countOutcomes(app: App, { metrics, outcomes }: Pick<Deps, 'metrics' | 'outcomes'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    count(request, reply);
    done();
  });

  function count(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? '';
    const component = componentOf(route);
    if (component === undefined) return;
    const isError = reply.statusCode >= 500;
    // The caller is unknown before the key is read, but a failure still counts.
    const caller = request.caller as typeof request.caller | undefined;
    if (component !== 'dashboard' && caller?.key.mode !== 'live' && !(caller === undefined && isError)) return;
    for (const name of componentsOf(route)) outcomes.answered(name, isError);
    if (component === 'dashboard') return;
    metrics.calls.inc({ plan: caller?.account.plan ?? 'unknown', component, outcome: isError ? 'error' : 'success' });
  }
}
