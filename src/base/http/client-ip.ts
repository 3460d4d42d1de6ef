// A request's client IP, and whether it was encrypted: determined once, from the socket and from trusted proxies only.
import type { FastifyRequest } from 'fastify';
import type { TrustedProxies } from '../config.ts';
import { canonicalIp, createIpSet, isLoopback, isPublicIp } from '../lib/ips.ts';
import NAMES from './header-names.json' with { type: 'json' };
import type { App } from './types.ts';

/** Fastify calls this for the socket's peer (hop 0), then for each entry of X-Forwarded-For from right to left. */
export function createProxyTrust(trusted: TrustedProxies): false | ((ip: string, hop: number) => boolean) {
  if (trusted === false) return false;
  if (typeof trusted !== 'number') return createIpSet(trusted);
  // A hop count does not identify the peer, so a peer on the public internet is treated as a client, not a proxy.
  return (ip, hop) => hop < trusted && (hop > 0 || !isPublicIp(canonicalIp(ip)));
}

/** From here on `request.ip` is canonical, for allow-lists, limits, logs and the audit log. */
export function resolveClientIp(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    Object.defineProperty(request, 'ip', { value: canonicalIp(request.ip) });
    done();
  });
}

/** Sent from this machine itself, and not by a proxy on it. */
export const isFromThisMachine = (request: FastifyRequest): boolean =>
  isLoopback(canonicalIp(request.socket.remoteAddress)) &&
  !NAMES.forwarding.some((name) => request.headers[name] !== undefined);
