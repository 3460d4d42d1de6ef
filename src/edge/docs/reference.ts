// The API reference in the browser (Scalar), configured to load everything and to send test calls to this server.
import Fastify from 'fastify';
import reference from '../../../docs/site/reference.json' with { type: 'json' };
import { readAsset } from './pages.ts';

/** Most-used tags come first. Tags missing from the order come first, where they are noticed. */
const { settings, order } = reference;

export const REFERENCE_START = `const ORDER = ${JSON.stringify(order)};
Scalar.createApiReference('#reference', {
  ...${JSON.stringify(settings)},
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
