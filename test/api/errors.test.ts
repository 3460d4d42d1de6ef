// One shape for every error, whatever goes wrong; the magic inputs; the database going away and coming back.
import assert from 'node:assert/strict';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { createDeps } from '../../src/operate/open.ts';
import { openPool } from '../../src/base/db/postgres.ts';
import { refuseUnreadable } from '../../src/base/http/unreadable.ts';
import { ERRORS } from '../../src/base/lib/errors.ts';
import { FIXTURES, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { nearestWord } from '../../src/base/lib/suggest.ts';
import { testClient, type TestAnswer } from '../harness.ts';

const api = await testClient();

function assertShape({ status, body, headers }: TestAnswer, code: keyof typeof ERRORS): void {
  assert.equal(body?.code, code);
  assert.equal(status, ERRORS[code][0]);
  assert.match(String(headers['content-type']), /^application\/problem\+json/);
  assert.equal(body.object, 'error');
  assert.equal(body.status, status);
  assert.equal(body.title, ERRORS[code][1]);
  assert.equal(body.request_id, headers['x-request-id']);
  assert.equal(typeof body.detail, 'string');
  assert.equal(typeof body.retryable, 'boolean');
  assert.equal(body.type, `/docs/errors/${code}`);
}

describe('one shape for everything', () => {
  it('404 and 405: unknown routes and methods', async () => {
    assertShape(await api.get('/nowhere'), 'route_not_found');
    assertShape(await api.get('//nowhere', { key: null }), 'route_not_found');
    for (const word of ['constructor', '__proto__', 'toString'])
      assertShape(await api.get(`//docs/${word}`, { key: null }), 'route_not_found');
    const wrong = await api.call('DELETE', '/properties/search');
    assertShape(wrong, 'method_not_allowed');
    assert.match(String(wrong.headers.allow), /GET/);
  });

  it('400, 413, 415: bodies that are broken, too large, of another kind', async () => {
    assertShape(await api.post('/properties/search', '{"a":'), 'invalid_json');
    assertShape(await api.post('/properties/search', `{"city":"${'x'.repeat(2_100_000)}"}`), 'payload_too_large');
    assertShape(
      await api.call('POST', '/properties/search', { body: '<a/>', headers: { 'content-type': 'application/xml' } }),
      'unsupported_media_type',
    );
  });

  it('400, 408, 431: what is no request, does not arrive, or has endless headers', async () => {
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.app.server.address() as AddressInfo;
    const send = (socket: Socket, sent: string): Promise<TestAnswer> =>
      new Promise((resolve, reject) => {
        let text = '';
        socket.on('data', (data) => (text += data)).on('error', reject);
        socket.on('close', () => {
          const [head, body] = text.split('\r\n\r\n');
          const [first, ...lines] = head.split('\r\n');
          const headers = Object.fromEntries(lines.map((line) => line.split(': ')));
          assert.equal(headers['content-length'], String(Buffer.byteLength(body)));
          resolve({ status: Number(first.split(' ')[1]), headers, body: JSON.parse(body), text: body });
        });
        socket.write(sent);
      });
    const ask = (sent: string) => send(connect(port, '127.0.0.1'), sent);
    const headers = 'host: a\r\n';
    for (const sent of [
      'hello\r\n\r\n',
      `GET /api/v1/markets HTTP/9.9\r\n${headers}\r\n`,
      `POST /api/v1/markets HTTP/1.1\r\n${headers}content-length: -1\r\n\r\n`,
      `GET / HTTP/1.1\r\n${headers}a b: c\r\n\r\n`,
      `GET /api/v1/markets HTTP/1.1\r\n${headers}Host: b\r\nconnection: close\r\n\r\n`,
    ])
      assertShape(await ask(sent), 'invalid_request');
    assertShape(await ask(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${headers}\r\n`), 'headers_too_large');
    assertShape(await ask(`GET / HTTP/1.1\r\n${headers}x: ${'y'.repeat(20_000)}\r\n\r\n`), 'headers_too_large');

    const slow = createServer((socket) =>
      refuseUnreadable(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket),
    );
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const late = connect((slow.address() as AddressInfo).port, '127.0.0.1');
    assertShape(await send(late, ''), 'request_timeout');
    slow.close();
  });

  it('400: a path that is not UTF-8, a request id that is not ours to keep', async () => {
    assertShape(await api.get('/properties/%ff'), 'invalid_request');
    const { headers } = await api.get('/markets', { headers: { 'x-request-id': 'bad id with spaces' } });
    assert.match(String(headers['x-request-id']), /^req_/);
    assert.equal(
      (await api.get('/markets', { headers: { 'x-request-id': 'my-own-id-1' } })).headers['x-request-id'],
      'my-own-id-1',
    );
  });

  it('prototype pollution and deep nesting are refused or ignored', async () => {
    assert.equal((await api.post('/properties/search', '{"__proto__":{"limit":1}}')).status, 400);
    assert.equal((await api.post('/properties/search', '{"constructor":{"prototype":{}}}')).status, 400);
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const answer = await api.post('/properties/search', `{"geometry":{"type":"Polygon","coordinates":${deep}}}`);
    assert.ok(answer.status === 422 || answer.status === 400, String(answer.status));
  });
});

describe('magic inputs', () => {
  it('GET /sandbox/fixtures lists them', async () => {
    const { body } = await api.get('/sandbox/fixtures');
    assert.deepEqual(
      body.data.map((fixture: { name: string }) => fixture.name),
      FIXTURES.map((fixture) => fixture.name),
    );
  });

  for (const fixture of FIXTURES.filter((item) => item.endpoint.includes('/properties/{id}'))) {
    it(`${fixture.name}: ${fixture.expect.status} ${fixture.expect.code ?? ''}`, async () => {
      const path = fixture.endpoint.replace('GET /api/v1', '').replace('{id}', fixture.request.property_id!);
      const answer = await api.get(path);
      assert.equal(answer.status, fixture.expect.status);
      if (fixture.expect.code) assertShape(answer, fixture.expect.code);
    });
  }

  it('429 carries Retry-After', async () => {
    const answer = await api.get(`/properties/${sandboxId(99001, MAGIC_APN.rateLimited)}`);
    assertShape(answer, 'rate_limited');
    assert.ok(Number(answer.headers['retry-after']) > 0);
  });
});

/** What a route cannot do without. */
const REQUIRED: Record<string, string> = {
  '/properties/autocomplete': 'q=1208+lantern&',
  '/analytics/series': 'kind=market&area=sandbox&',
  '/analytics/index': 'kind=market&area=sandbox&',
  '/avm/quality': 'market=sandbox&',
  '/analytics/forecast': 'kind=market&area=sandbox&',
  '/analytics/summary': 'kind=market&area=sandbox&',
  '/analytics/rankings': 'kind=zip&figure=sales&',
  '/places': 'q=00103&',
};

describe('query parameters', () => {
  it('are told the nearest word, which shares a letter with what was written', () => {
    assert.equal(nearestWord('x', ['6', '15']), undefined);
    assert.equal(nearestWord('zp', ['city', 'zip']), 'zip');
    assert.equal(nearestWord('property_id', ['property_type', 'id']), 'id');
    assert.equal(nearestWord('id', ['property_type', 'property_id']), 'property_id');
  });

  it('that a route does not know are refused on every route that can be read or deleted', async () => {
    const routes = api.routes.filter(
      ({ method, path, file }) => path.startsWith('/api/v1/') && method !== 'OPTIONS' && file.endsWith('routes.ts'),
    );
    assert.ok(routes.length > 60, `${routes.length} routes`);
    for (const { method, path } of routes) {
      if (method !== 'GET' && method !== 'DELETE') continue;
      const url = path
        .replace('/api/v1', '')
        .replace(':z/:x/:y(^\\d+)', '1/0/0')
        .replace('valuations/:id', 'valuations/val_00000000000000000000')
        .replace(/:\w+/g, 'unknown');
      const required = REQUIRED[url] ?? '';
      const { status, body } = await api.call(method, `${url}?${required}nonsense=1`);
      assert.deepEqual([status, body.code], [400, 'unknown_parameter'], `${method} ${url}`);
    }
  });

  it('are refused on a valuation too, whose input is its body', async () => {
    const { status, body } = await api.post('/avm/estimate?as_of=2020-01-01', { property: { address: '1 Main St' } });
    assert.deepEqual([status, body.code], [400, 'unknown_parameter']);
  });
});

describe('a database that goes away', () => {
  it('503 with Retry-After while it is gone, and recovery without a restart', async (t) => {
    const proxy = await startProxy(new URL(api.deps.controlUrl));
    const url = proxy.url(api.deps.controlUrl);
    const options = { size: 2, statementTimeoutMs: 60_000 };
    const [data, control] = [openPool(url, 'data', options), openPool(url, 'control', options)];
    const { app } = await buildApp(createDeps({ ...api.deps, data, dataReplica: data, control, controlUrl: url }));
    t.after(async () => {
      await app.close();
      await Promise.all([data.end(), control.end()]);
      proxy.server.close();
    });
    const call = async (path: string) => {
      const response = await app.inject({ url: path, headers: { 'x-api-key': api.testKey } });
      return { status: response.statusCode, body: response.json(), headers: response.headers as never, text: '' };
    };
    assert.equal((await call('/api/v1/properties/search?limit=1')).status, 200);
    proxy.cut();
    const away = await call('/api/v1/properties/search?limit=1');
    assertShape(away, 'unavailable');
    assert.ok(Number((away.headers as Record<string, string>)['retry-after']) > 0);
    assertShape(await call('/readyz'), 'unavailable');
    assert.equal((await call('/livez')).status, 200);
    proxy.restore();
    assert.equal((await call('/api/v1/properties/search?limit=1')).status, 200);
    assert.equal((await call('/readyz')).status, 200);
  });
});

/** A TCP proxy in front of PostgreSQL that can drop every connection and refuse new ones. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return {
    server,
    url: (original: string) => {
      const url = new URL(original);
      url.port = String(port);
      return url.toString();
    },
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    restore: () => {
      isCut = false;
    },
  };
}
