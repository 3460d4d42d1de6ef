// The API reference in the browser, the OpenAPI document and llms.txt. Everything is served from here: the pages make
// no request to anyone else, and the policy header would stop them if they tried.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '../lib/errors.ts';
import type { App } from './types.ts';

const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data: blob:`,
  `font-src 'self' data:`,
  `connect-src 'self'`,
  `worker-src 'self' blob:`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
  `form-action 'self'`,
].join('; ');

const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  hideClientButton: true,
  documentDownloadType: 'json',
  hideDarkModeToggle: false,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Platbook API reference</title>
</head>
<body>
  <div id="reference"></div>
  <script src="/docs/scalar.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

export function docsRoutes(app: App, openApi: () => object): void {
  const config = { isHidden: true };
  const scalar = fileURLToPath(
    new URL('../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js', import.meta.url),
  );
  let bundle: Buffer | undefined;

  app.get('/openapi.json', { config }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(JSON.stringify(openApi())),
  );
  app.get('/docs', { config }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', CONTENT_SECURITY_POLICY).send(PAGE),
  );
  app.get('/docs/start.js', { config }, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .send(`Scalar.createApiReference('#reference', ${JSON.stringify(SETTINGS)});\n`),
  );
  app.get('/docs/scalar.js', { config }, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send((bundle ??= readFileSync(scalar))),
  );
  app.get('/llms.txt', { config }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(describeForAgents(openApi())),
  );
  app.get('/docs/errors', { config }, async (_request, reply) =>
    reply.type('text/markdown; charset=utf-8').send(describeErrors()),
  );
}

/** The page each error's `type` points to. */
export function describeErrors(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, [status, title]]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${title} |`,
  );
  return `# Errors\n\nEvery error is \`application/problem+json\` with a stable \`code\`. Only 2xx answers are charged.\n\n| code | status | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; summary: string }>>;
}

function describeForAgents(document: object): string {
  const { paths } = document as OpenApi;
  const lines = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => `- ${method.toUpperCase()} ${path}: ${operation.summary}`),
  );
  return `# Platbook

> Property intelligence for the United States over REST: valuations with a confidence interval and comparable sales, property,
> ownership, assessment and transaction records, and six risk layers (flood, tax liens, permits, code violations, census,
> opportunity zone).

Send \`x-api-key\` with every request. \`sk_test_\` keys see the synthetic sandbox market (state ZZ) only and are never billed.
Lists are \`{object:"list", data, pagination}\`; continue with \`cursor=<next_cursor>\`. Errors carry a stable \`code\` and say what to do next.
\`null\` means unknown; \`0\` or \`[]\` means known to be none. A risk layer's \`status\` tells "none_found" from "not_covered".

## Machine-readable
- [OpenAPI 3.1](/openapi.json): every route, response, error and header
- [Errors](/docs/errors): every error code

## Endpoints
${lines.join('\n')}
`;
}
