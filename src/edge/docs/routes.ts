// Serves the docs: pages as HTML and Markdown, the API reference, the OpenAPI document, the Postman collection, the
// clients as packages, the spreadsheet functions and llms.txt. Everything comes from this server, and the policy header
// blocks requests to any other.
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accepts } from '../../base/http/compression.ts';
import { isKnownTag } from '../../base/http/headers.ts';
import { fail } from '../../base/lib/errors.ts';
import type { App } from '../../base/http/types.ts';
import { recordAnswers } from './answers.ts';
import { makeFeed } from './changelog.ts';
import { loadErrorPages } from './error-pages.ts';
import { PAGE_POLICY, SHARED_POLICY, renderPage } from './layout.ts';
import { describeForAgents } from './llms.ts';
import { withLayers } from './layer-shapes.ts';
import { loadPages, readAsset, type Page } from './pages.ts';
import type { Parts } from './parts.ts';
import { packWheel, WHEEL, writePython } from './python-package.ts';
import { packSdk } from './sdk-package.ts';
import { makeSearchIndex } from './search-index.ts';
import { makeSheetFile, packSheets, PANE_POLICY } from './sheets-package.ts';
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
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const FILES: Record<string, string> = {
  'site.css': 'text/css; charset=utf-8',
  'status.css': 'text/css; charset=utf-8',
  'site.js': SCRIPT_TYPE,
  'search.js': SCRIPT_TYPE,
  'try.js': SCRIPT_TYPE,
  'theme.js': SCRIPT_TYPE,
  'icon.svg': 'image/svg+xml',
  'postman.json': JSON_TYPE,
  'recipe.schema.json': 'application/schema+json; charset=utf-8',
};

interface Made {
  type: string;
  body: string | Buffer;
}

/** `readLayers` reads the layers that are loaded by recipe. */
export function docsRoutes(
  app: App,
  document: () => object,
  described: Omit<Parts, 'layers'>,
  readLayers: () => Promise<Parts['layers']>,
): void {
  const config = { isHidden: true };
  const held = new Map<string, Served>();
  let parts: Parts = { ...described, layers: new Map() };
  const openApi = () => withLayers(document(), parts.layers);
  /** Pages and the reference are rebuilt when a layer is loaded; without a database they stay unchanged. */
  const onRequest = async () => {
    const layers = await readLayers().catch(() => parts.layers);
    const isSame = layers === parts.layers || JSON.stringify([...layers]) === JSON.stringify([...parts.layers]);
    if (!isSame) {
      held.clear();
      loaded = undefined;
    }
    parts = { ...parts, layers };
  };

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
    if (isKnownTag(request.headers['if-none-match'], served.etag)) return reply.code(304).send();
    const accepted = request.headers['accept-encoding'];
    if (accepts(accepted, 'br')) return reply.header('content-encoding', 'br').send(served.brotli);
    if (accepts(accepted, 'gzip')) return reply.header('content-encoding', 'gzip').send(served.gzipped);
    return reply.send(served.plain);
  }

  let loaded: Map<string, Page> | undefined;
  const pages = () => (loaded ??= loadPages(parts));
  let loadedErrors: Map<string, Page> | undefined;
  const errorPages = () => (loadedErrors ??= loadErrorPages());
  const orMissing = (page: Page | undefined): Page =>
    page ?? fail('route_not_found', 'This page does not exist. All pages are listed at /docs.');

  const sendPage = (request: FastifyRequest, reply: FastifyReply, page: Page) => {
    reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' });
    return serve(request, reply, `page ${page.slug}`, () => ({
      type: 'text/html; charset=utf-8',
      body: renderPage(page, pages()),
    }));
  };
  const sendMarkdown = (request: FastifyRequest, reply: FastifyReply, { slug, markdown }: Page) =>
    serve(request, reply.header('cache-control', 'no-cache'), `${slug}.md`, () => ({
      type: 'text/markdown; charset=utf-8',
      body: markdown,
    }));
  /** Sends a page as HTML under its name, and as Markdown with the suffix `.md`. */
  const sendFrom = (own: Map<string, Page>, request: FastifyRequest, reply: FastifyReply, name: string) =>
    name.endsWith('.md')
      ? sendMarkdown(request, reply, orMissing(own.get(name.slice(0, -3))))
      : sendPage(request, reply, orMissing(own.get(name)));

  /** Points the Postman collection at the server it came from. */
  const addressed = (name: string) =>
    name === 'postman.json'
      ? readAsset(name).toString().replace('http://127.0.0.1:8080', parts.baseUrl)
      : readAsset(name);

  app.get('/docs', { config, onRequest }, (request, reply) => sendPage(request, reply, [...pages().values()][0]));
  app.get('/docs/:name', { config, onRequest }, (request, reply) => {
    const { name } = request.params as { name: string };
    if (Object.hasOwn(FILES, name)) {
      void reply.header('cache-control', name === 'postman.json' ? 'no-cache' : ONE_HOUR);
      return serve(request, reply, name, () => ({ type: FILES[name], body: addressed(name) }));
    }
    return sendFrom(pages(), request, reply, name);
  });
  app.get('/docs/errors/:code', { config }, (request, reply) =>
    sendFrom(errorPages(), request, reply, (request.params as { code: string }).code),
  );
  const answered = new Map<string, string>();
  app.get('/docs/answers/*', { config }, async (request, reply) => {
    const name = (request.params as { '*': string })['*'];
    const slug = name.replace(/\.json$/, '');
    const page = orMissing(pages().get(slug) ?? errorPages().get(slug.replace(/^errors\//, '')));
    let text = answered.get(page.slug);
    if (text === undefined) {
      const { answers, isWhole } = await recordAnswers(app, page);
      text = JSON.stringify(answers);
      if (isWhole) answered.set(page.slug, text);
    }
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text);
  });
  app.get('/docs/reference', { config }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', REFERENCE_POLICY).send(REFERENCE_PAGE),
  );
  app.get('/receipt-key.pem', { config }, (_request, reply) =>
    reply.type('application/x-pem-file').header('cache-control', 'no-cache').send(parts.publicKey),
  );
  app.get('/sheets/:name', { config }, (request, reply) => {
    const { name } = request.params as { name: string };
    const made = makeSheetFile(name, parts.baseUrl) ?? fail('route_not_found', 'The files are listed at /docs/sheets.');
    if (name === 'taskpane.html') void reply.header('content-security-policy', PANE_POLICY);
    return serve(request, reply.header('cache-control', 'no-cache'), `sheets/${name}`, () => made);
  });
  /** Built on the first request, and again when another layer is loaded. */
  const made: [path: string, type: string, make: () => Made['body'] | Promise<Made['body']>, cacheControl?: string][] =
    [
      [
        '/docs/search.json',
        JSON_TYPE,
        () => JSON.stringify(makeSearchIndex(pages().values(), errorPages().values(), openApi())),
      ],
      ['/docs/changelog.xml', 'application/atom+xml; charset=utf-8', () => makeFeed(parts.baseUrl)],
      ['/docs/reference.js', SCRIPT_TYPE, () => REFERENCE_START, ONE_HOUR],
      ['/docs/scalar.js', SCRIPT_TYPE, loadScalar, ONE_HOUR],
      ['/openapi.json', JSON_TYPE, () => JSON.stringify(openApi())],
      ['/platbook.py', 'text/x-python; charset=utf-8', () => writePython(openApi(), parts.baseUrl)],
      [
        '/llms.txt',
        'text/plain; charset=utf-8',
        () => describeForAgents(openApi(), [...pages().values()], parts.layers),
      ],
    ];
  for (const [path, type, make, cacheControl = 'no-cache'] of made)
    app.get(path, { config, onRequest }, (request, reply) =>
      serve(request, reply.header('cache-control', cacheControl), path, async () => ({ type, body: await make() })),
    );
  /** Already compressed; sent unchanged. */
  const archives: [path: string, type: string, pack: () => Buffer][] = [
    ['/sdk.tgz', 'application/gzip', () => packSdk(parts.baseUrl)],
    ['/sheets.zip', 'application/zip', () => packSheets(parts.baseUrl)],
    [`/${WHEEL}`, 'application/zip', () => packWheel(openApi(), parts.baseUrl)],
  ];
  for (const [path, type, pack] of archives) {
    let packed: Buffer | undefined;
    app.get(path, { config }, (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', 'no-cache')
        .send((packed ??= pack())),
    );
  }
}

type Served = ReturnType<typeof prepare>;

function prepare({ type, body }: Made) {
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
