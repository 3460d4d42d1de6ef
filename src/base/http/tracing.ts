// A span around every request. A caller's trace is continued only if the request comes from this machine or from a proxy
// we trust: anyone else could fill the collector with traces of their choosing.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { OpenSpan, Telemetry } from '../telemetry/telemetry.ts';
import { createProxyTrust, isFromThisMachine } from './client-ip.ts';
import type { App } from './types.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span?: OpenSpan;
  }
}

export function traceRequests(app: App, telemetry: Telemetry, { trustProxy }: Pick<Config, 'trustProxy'>): void {
  if (!telemetry.isOn) return;
  const isTrustedProxy = createProxyTrust(trustProxy);
  const isTrusted = (request: FastifyRequest) =>
    isFromThisMachine(request) || (isTrustedProxy !== false && isTrustedProxy(request.socket.remoteAddress ?? '', 0));
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    // The route's template, never the path, which contains ids and caller input.
    const route = request.routeOptions.url ?? 'unknown';
    const { traceparent } = request.headers;
    const span = telemetry.open(`${request.method} ${route}`, {
      kind: 'server',
      facts: { 'http.request.method': request.method, 'http.route': route },
      ...(typeof traceparent === 'string' && isTrusted(request) && { parent: traceparent }),
    });
    request.span = span;
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) span.end('client_closed_request');
    });
    span.enter(done);
  });
  // A body arrives outside the async context in which its request began.
  app.addHook('preValidation', (request, _reply, done) => request.span!.enter(done));
  app.addHook('onResponse', async (request, reply) => {
    const status = reply.statusCode;
    request.span?.set({ 'http.response.status_code': status });
    request.span?.end(status >= 500 ? String(status) : undefined);
  });
}
