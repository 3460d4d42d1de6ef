// Headers of every response: a request id, safe defaults, and an ETag on single resources.
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Replica } from '../db/replica.ts';
import { fail } from '../lib/errors.ts';
import { randomHex } from '../lib/ids.ts';
import type { App } from './types.ts';

const SAFE_REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** The caller's own id is kept if it is harmless, so both sides can correlate their logs. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SAFE_REQUEST_ID.test(given) ? given : `req_${randomHex(10)}`;
}

/** Adds the replica's lag to responses of routes that read from it. */
export function sendLagHeader(app: App, replica: Replica | undefined): void {
  if (!replica) return;
  app.addHook('onSend', async (request, reply) => {
    if (!request.routeOptions.config?.mayLag) return;
    const { state, lagMs } = replica.read();
    if (state === 'current') reply.header('x-data-lag-ms', Math.round(lagMs!));
  });
}

/** Whether `if-none-match` lists the tag, weak or strong: weak comparison is enough for a 304. */
export function isKnownTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** A proxy in front may have routed by the Host header that we do not read. */
function refuseTwoHosts(rawHeaders: string[]): void {
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) fail('invalid_request', 'Send one Host header.');
}

export function registerHeaders(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      // A response that is not a page loads nothing and is framed nowhere. Pages replace this with their own policy.
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'cache-control': 'no-store',
    });
    refuseTwoHosts(request.raw.rawHeaders);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.routeOptions.config?.etag || reply.statusCode !== 200 || typeof payload !== 'string') return done();
    const etag = `"${hash('sha1', payload, 'base64url')}"`;
    reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (!isKnownTag(request.headers['if-none-match'], etag)) return done();
    reply.code(304).removeHeader('content-length');
    done(null, '');
  });
}
