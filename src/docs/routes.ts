// Serves the docs: pages as HTML and Markdown, the API reference, the OpenAPI document, the Postman collection, the
// SDK as a package and llms.txt. Everything comes from this server, and the policy header blocks requests to any other.
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../lib/errors.ts';
import type { App } from '../http/types.ts';
import { renderPage } from './layout.ts';
import { describeForAgents } from './llms.ts';
import { loadPages, readAsset, type Page } from './pages.ts';
import type { Parts } from './parts.ts';
import { PAGE_POLICY, SHARED_POLICY } from './policy.ts';
import { packSdk } from './sdk-package.ts';
import { loadScalar, REFERENCE_PAGE, REFERENCE_START } from './reference.ts';

/** The reference writes styles into the page as it renders. */
const REFERENCE_POLICY = [
  ...SHARED_POLICY,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data: blob:`,
  `font-src 'self' data:`,
  `worker-src 'self' blob:`,
].join('; ');

const ONE_HOUR = 'public, max-age=3600';
const FILES: Record<string, string> = {
  'site.css': 'text/css; charset=utf-8',
  'status.css': 'text/css; charset=utf-8',
  'site.js': 'text/javascript; charset=utf-8',
  'theme.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'postman.json': 'application/json; charset=utf-8',
  'recipe.schema.json': 'application/schema+json; charset=utf-8',
};

interface Made {
  type: string;
  body: string | Buffer;
}

interface Served {
  type: string;
  plain: Buffer;
  gzipped: Buffer;
  brotli: Buffer;
  etag: string;
}

export function docsRoutes(app: App, openApi: () => object, parts: Parts): void {
  const config = { isHidden: true };
  const held = new Map<string, Served>();

  /** Rendered and compressed once. */
  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    make: () => Made | Promise<Made>,
  ): Promise<FastifyReply> {
    let served = held.get(name);
    if (!served) held.set(name, (served = prepare(await make())));
    reply.headers({ etag: served.etag, vary: 'accept-encoding' }).type(served.type);
    if (request.headers['if-none-match'] === served.etag) return reply.code(304).send();
    const accepted = String(request.headers['accept-encoding'] ?? '');
    if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(served.brotli);
    if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(served.gzipped);
    return reply.send(served.plain);
  }

  let loaded: Map<string, Page> | undefined;
  const pages = () => (loaded ??= loadPages(parts));
  const getPage = (slug: string) =>
    pages().get(slug) ?? fail('route_not_found', 'This page does not exist. All pages are listed at /docs.');

  const sendPage = (request: FastifyRequest, reply: FastifyReply, slug: string) => {
    const page = getPage(slug);
    reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' });
    return serve(request, reply, `page ${slug}`, () => ({
      type: 'text/html; charset=utf-8',
      body: renderPage(page, pages()),
    }));
  };

  app.get('/docs', { config }, (request, reply) => sendPage(request, reply, [...pages().keys()][0]));
  app.get('/docs/:name', { config }, (request, reply) => {
    const { name } = request.params as { name: string };
    if (FILES[name] !== undefined) {
      void reply.header('cache-control', name === 'postman.json' ? 'no-cache' : ONE_HOUR);
      return serve(request, reply, name, () => ({ type: FILES[name], body: readAsset(name) }));
    }
    if (!name.endsWith('.md')) return sendPage(request, reply, name);
    const { markdown } = getPage(name.slice(0, -3));
    void reply.header('cache-control', 'no-cache');
    return serve(request, reply, name, () => ({ type: 'text/markdown; charset=utf-8', body: markdown }));
  });

  app.get('/docs/reference', { config }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', REFERENCE_POLICY).send(REFERENCE_PAGE),
  );
  app.get('/docs/reference.js', { config }, (request, reply) =>
    serve(request, reply.header('cache-control', ONE_HOUR), 'reference.js', () => ({
      type: 'text/javascript; charset=utf-8',
      body: REFERENCE_START,
    })),
  );
  app.get('/docs/scalar.js', { config }, (request, reply) =>
    serve(request, reply.header('cache-control', ONE_HOUR), 'scalar.js', async () => ({
      type: 'text/javascript; charset=utf-8',
      body: await loadScalar(),
    })),
  );

  app.get('/openapi.json', { config }, (request, reply) =>
    serve(request, reply.header('cache-control', 'no-cache'), 'openapi.json', () => ({
      type: 'application/json; charset=utf-8',
      body: JSON.stringify(openApi()),
    })),
  );
  let tarball: Buffer | undefined;
  app.get('/sdk.tgz', { config }, (_request, reply) =>
    reply
      .type('application/gzip')
      .header('cache-control', 'no-cache')
      .send((tarball ??= packSdk())),
  );
  app.get('/llms.txt', { config }, (request, reply) =>
    serve(request, reply.header('cache-control', 'no-cache'), 'llms.txt', () => ({
      type: 'text/plain; charset=utf-8',
      body: describeForAgents(openApi(), [...pages().values()]),
    })),
  );
}

function prepare({ type, body }: Made): Served {
  const plain = Buffer.from(body);
  return {
    type,
    plain,
    gzipped: gzipSync(plain),
    // The best level takes seconds for the reference's four megabytes; this one compresses nearly as well.
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    etag: `"${createHash('sha1').update(plain).digest('base64url')}"`,
  };
}
