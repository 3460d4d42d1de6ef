// The explorer and the dashboard for browsers: one page for all their paths, hashed files with long caching, and a CSP
// that blocks everything from other hosts.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../lib/errors.ts';
import { accepts } from './compression.ts';
import type { App } from './types.ts';
import pages from './web-pages.json' with { type: 'json' };

/** Card numbers may go only to Stripe, through its own frame, and only if Stripe is configured. */
function contentSecurityPolicy(hasStripe: boolean): string {
  const stripe = hasStripe ? ' https://js.stripe.com' : '';
  return [
    `default-src 'none'`,
    `script-src 'self'${stripe}`,
    `style-src 'self'`,
    `img-src 'self' data: blob:`,
    `font-src 'self'`,
    `connect-src 'self'${hasStripe ? ' https://api.stripe.com' : ''}`,
    `worker-src 'self'`,
    `manifest-src 'self'`,
    // The second frame is the bank's own question to the cardholder (3-D Secure).
    ...(hasStripe ? [`frame-src${stripe} https://hooks.stripe.com`] : []),
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
  ].join('; ');
}

/** Every path that serves the page; anything else stays a 404. */
const PAGES: string[] = pages;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const ONE_YEAR = 'public, max-age=31536000, immutable';

interface WebFile {
  modifiedAt: number;
  plain: Buffer;
  gzipped: Buffer;
}

export function webRoutes(app: App, folder: string, hasStripe = false): void {
  const config = { isHidden: true };
  const policy = contentSecurityPolicy(hasStripe);
  const files = new Map<string, WebFile>();

  function readWebFile(name: string): WebFile | undefined {
    const path = join(folder, name);
    if (!existsSync(path)) return undefined;
    const modifiedAt = statSync(path).mtimeMs;
    const known = files.get(name);
    if (known?.modifiedAt === modifiedAt) return known;
    const plain = readFileSync(path);
    const file = { modifiedAt, plain, gzipped: gzipSync(plain) };
    files.set(name, file);
    return file;
  }

  function send(request: FastifyRequest, reply: FastifyReply, name: string, cacheControl: string) {
    const file =
      readWebFile(name) ?? fail('route_not_found', 'Nothing answers at this path. The paths are listed at /docs.');
    const acceptsGzip = accepts(request.headers['accept-encoding'], 'gzip');
    void reply
      .type(TYPES[extname(name)] ?? 'application/octet-stream')
      .header('cache-control', cacheControl)
      .header('vary', 'accept-encoding');
    if (acceptsGzip) void reply.header('content-encoding', 'gzip');
    return reply.send(acceptsGzip ? file.gzipped : file.plain);
  }

  function sendPage(request: FastifyRequest, reply: FastifyReply, cacheControl = 'no-cache') {
    void reply.headers({
      'content-security-policy': policy,
      'x-frame-options': 'DENY',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(self)',
      'cross-origin-opener-policy': 'same-origin',
    });
    return send(request, reply, 'index.html', cacheControl);
  }

  for (const page of PAGES) app.get(page, { config }, async (request, reply) => sendPage(request, reply));
  app.decorate('sendPage', sendPage);
  app.get('/icon.svg', { config }, async (request, reply) => send(request, reply, 'icon.svg', 'public, max-age=86400'));
  app.get<{ Params: { name: string } }>('/assets/:name', { config }, async (request, reply) => {
    const { name } = request.params;
    if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) fail('route_not_found', 'Nothing answers at this path.');
    // A worker runs under the policy its own script came with, and the map's worker reads tiles.
    void reply.header('content-security-policy', policy);
    return send(request, reply, join('assets', name), ONE_YEAR);
  });
}
