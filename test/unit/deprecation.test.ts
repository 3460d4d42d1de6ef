// Notice of what will go, on routes that are marked for it: headers, the OpenAPI document, and a year's time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import Type from 'typebox';
import { DEPRECATED, registerDeprecation, type Deprecated } from '../../src/base/http/deprecation.ts';
import { buildOpenApi, collectRoutes } from '../../src/base/http/openapi.ts';
import type { App } from '../../src/base/http/types.ts';

const Body = Type.Object({ object: Type.String() });
const GOING: Deprecated = { since: '2027-01-01', until: '2028-01-01', instead: 'use `GET /new`.' };

function appWith(table: Record<string, Deprecated>) {
  const app = Fastify() as unknown as App;
  registerDeprecation(app, table);
  const collected = collectRoutes(app);
  for (const name of ['old', 'half', 'new']) {
    const schema = { operationId: `get_${name}`, response: { '2xx': Body, '4xx': Body } };
    app.get(`/${name}`, { schema }, async (_request, reply) => {
      if (name === 'half') reply.code(404);
      return { object: name };
    });
  }
  const operations = () =>
    buildOpenApi(collected, '1', { kinds: {}, shapes: {} }).paths as Record<
      string,
      { get: { deprecated?: boolean; description?: string } }
    >;
  return { app, operations };
}

describe('an operation that will go', () => {
  const { app, operations } = appWith({ get_old: GOING, get_half: { ...GOING, part: 'colour' } });

  it('says since when, until when and where to read on, in every answer, also in errors', async () => {
    for (const path of ['/old', '/half']) {
      const { headers } = await app.inject(path);
      assert.equal(headers.deprecation, `@${Date.UTC(2027, 0, 1) / 1_000}`);
      assert.equal(headers.sunset, 'Sat, 01 Jan 2028 00:00:00 GMT');
      assert.match(String(headers.link), /<\/docs\/versioning>; rel="deprecation"/);
    }
  });

  it('is marked in the OpenAPI document; one that only loses a part is described', () => {
    assert.equal(operations()['/old'].get.deprecated, true);
    assert.equal(operations()['/half'].get.deprecated, undefined);
    assert.match(
      operations()['/half'].get.description ?? '',
      /`colour` is deprecated since 2027-01-01.*use `GET \/new`/,
    );
  });

  it('leaves its neighbours alone', async () => {
    const { headers } = await app.inject('/new');
    assert.equal(headers.deprecation ?? headers.sunset ?? headers.link, undefined);
    assert.equal(operations()['/new'].get.deprecated, undefined);
  });
});

describe('the list', () => {
  it('refuses less than twelve months of notice, at the start of the program', () => {
    assert.throws(() => appWith({ get_old: { ...GOING, until: '2027-12-31' } }), /twelve months/);
  });

  it('of today keeps to it', () => {
    assert.doesNotThrow(() => appWith({ ...DEPRECATED }));
  });
});
