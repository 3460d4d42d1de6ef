// The API reference in the browser (Scalar), set so that it asks nobody but this server, and tries calls out on it.
import Fastify from 'fastify';

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
  defaultOpenAllTags: false,
  authentication: { preferredSecurityScheme: 'ApiKey' },
  customCss:
    ':root{--scalar-color-accent:light-dark(#0f6b52,#5fcfa8);--scalar-radius:7px}.light-mode{--scalar-background-1:#fff;--scalar-color-accent:#0f6b52}.dark-mode{--scalar-background-1:#101513;--scalar-color-accent:#5fcfa8}',
};

export const REFERENCE_START = `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(SETTINGS)},
  servers: [{ url: window.location.origin, description: 'This server: use an sk_test_ key for the sandbox' }],
});
`;

export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>API reference · Platbook docs</title>
  <link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
</head>
<body>
  <div id="reference"></div>
  <script src="/docs/scalar.js"></script>
  <script src="/docs/reference.js"></script>
</body>
</html>
`;

/** The package gives its four megabytes for the browser only through a route of its own, so it is asked there, once. */
export async function loadScalar(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(plugin, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
  const { rawPayload } = await app.inject('/reference/js/scalar.js');
  await app.close();
  return rawPayload;
}
