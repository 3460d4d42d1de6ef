// The API reference in the browser (Scalar), configured to load everything from this server and to send test calls to
// it.
import Fastify from 'fastify';
import { readAsset } from './pages.ts';

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

/** Most-used tags first. Tags not listed here come before them, where someone will notice. */
const ORDER = [
  'valuations',
  'rents',
  'properties',
  'owners',
  'risk',
  'markets',
  'analytics',
  'reports',
  'loans',
  'shares',
  'batches',
  'webhooks',
  'changes',
  'exports',
  'tiles',
  'gis',
  'usage',
  'keys',
  'sandbox',
  'health',
];

export const REFERENCE_START = `const ORDER = ${JSON.stringify(ORDER)};
Scalar.createApiReference('#reference', {
  ...${JSON.stringify(SETTINGS)},
  tagsSorter: ({ name: a }, { name: b }) => ORDER.indexOf(a) - ORDER.indexOf(b),
  servers: [{ url: window.location.origin, description: 'This server: use an sk_test_ key for the sandbox' }],
});
`;

export const REFERENCE_PAGE = readAsset('reference.html');

/** The package exposes its four-megabyte browser bundle only through its own route, so we request it there once. */
export async function loadScalar(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(plugin, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
  const { rawPayload } = await app.inject('/reference/js/scalar.js');
  await app.close();
  return rawPayload;
}
