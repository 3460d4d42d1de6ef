// What every response carries, and what no request may do, whatever the route.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { drain } from '../../src/worker.ts';
import { accepts } from '../../src/base/http/compression.ts';
import { isKnownTag } from '../../src/base/http/headers.ts';
import { testClient } from '../harness.ts';

const api = await testClient();

describe('every response', () => {
  it('cannot be framed, sniffed, cached or downgraded, and gives no referrer away', async () => {
    for (const path of ['/usage', '/properties/search?limit=1', '/nowhere', '//livez', '//session']) {
      const { headers } = await api.get(path);
      assert.match(headers['content-security-policy']!, /default-src 'none'.*frame-ancestors 'none'/, path);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['referrer-policy'], 'no-referrer', path);
      assert.match(headers['strict-transport-security']!, /max-age=63072000; includeSubDomains/, path);
      assert.match(headers['cache-control']!, /no-store/, path);
    }
  });

  it('that is a page has a policy of its own', async () => {
    const { headers } = await api.get('//docs', { key: null });
    assert.match(headers['content-security-policy']!, /frame-ancestors 'none'/);
    assert.match(headers['content-security-policy']!, /'self'/);
  });

  it('that is a file is saved under a name of ours', async () => {
    const filter = { state: 'ZZ', max_value: 60_000 };
    const { body } = await api.post('/exports', { dataset: 'properties', filter, destination: { type: 'folder' } });
    await drain(api.deps, ['exports']);
    const { headers, status } = await api.get(`/exports/${body.id}/runs/${body.run.id}/files/_manifest.json`);
    assert.equal(status, 200);
    assert.equal(headers['content-disposition'], 'attachment; filename="_manifest.json"');
  });
});

describe('a long answer', () => {
  const send = (path: string, headers: Record<string, string> = {}) =>
    api.app.inject({ url: `/api/v1${path}`, headers: { 'x-api-key': api.testKey, ...headers } });
  const zipped = { 'accept-encoding': 'gzip, deflate, br' };
  const someTile = async () => {
    const { body } = await api.get('/properties/search?state=ZZ&limit=1');
    const [longitude, latitude] = [body.data[0].longitude, body.data[0].latitude];
    const x = Math.floor(((longitude + 180) / 360) * 2 ** 14);
    const y = Math.floor(((1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2) * 2 ** 14);
    return `/tiles/14/${x}/${y}.mvt`;
  };

  it('is sent in gzip to who reads it, and is the same', async () => {
    for (const path of [
      '/properties/search?state=ZZ&limit=50',
      '/properties/search?state=ZZ&limit=50&format=csv',
      '/properties/search?state=ZZ&limit=50&format=geojson',
      '/analytics/series?kind=market&area=sandbox',
      await someTile(),
    ]) {
      const plain = await send(path);
      const packed = await send(path, zipped);
      assert.equal(plain.statusCode, 200, path);
      assert.equal(plain.headers['content-encoding'], undefined, path);
      assert.deepEqual([plain.headers.vary, packed.headers.vary], ['accept-encoding', 'accept-encoding'], path);
      assert.equal(packed.headers['content-encoding'], 'gzip', path);
      assert.equal(Number(packed.headers['content-length']), packed.rawPayload.length, path);
      assert.ok(packed.rawPayload.length < 0.8 * plain.rawPayload.length, path);
      assert.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload), path);
    }
  });

  it('is known by its tag, however it was sent', async () => {
    const { body } = await api.get(`/properties/search?state=ZZ&limit=1`);
    const path = `/properties/${body.data[0].id}?include=risk,transactions,assessments`;
    const [plain, packed] = [await send(path), await send(path, zipped)];
    assert.equal(packed.headers.etag, `W/${String(plain.headers.etag)}`);
    for (const tag of [plain.headers.etag, packed.headers.etag, `"other", ${String(packed.headers.etag)}`, '*'])
      assert.equal((await send(path, { ...zipped, 'if-none-match': String(tag) })).statusCode, 304, String(tag));
    assert.equal((await send(path, { 'if-none-match': '"other"' })).statusCode, 200);
  });

  it('that is repeated under its idempotency key is the same again', async () => {
    const headers = { 'x-api-key': api.testKey, 'idempotency-key': 'a-long-answer', ...zipped };
    const { body } = await api.get('/properties/search?state=ZZ&property_type=single_family&limit=1');
    const payload = { property: { id: body.data[0].id } };
    const value = () => api.app.inject({ method: 'POST', url: '/api/v1/avm/estimate', headers, payload });
    const [first, second] = [await value(), await value()];
    assert.equal(first.headers['content-encoding'], 'gzip');
    assert.equal(second.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(first.rawPayload).toString(), gunzipSync(second.rawPayload).toString());
  });

  it('goes by the weights that a caller gives', () => {
    for (const header of ['gzip', 'br;q=1.0, gzip;q=0.8, *;q=0.1', '*', 'GZIP ; q=0.5', 'identity, *;q=0.2'])
      assert.equal(accepts(header, 'gzip'), true, header);
    for (const header of [undefined, '', 'br', 'gzip;q=0', 'gzip;q=0.000, *', 'identity', 'x-gzipped', 'gzip;q=none'])
      assert.equal(accepts(header, 'gzip'), false, String(header));
  });

  it('is not known by a tag that only looks like its own', () => {
    for (const header of [undefined, '', '"a', 'a', '"ab"', '"b", W/"c"'])
      assert.equal(isKnownTag(header, '"a"'), false);
    for (const header of ['"a"', 'W/"a"', '"b","a"', ' "b" , W/"a"', '*'])
      assert.equal(isKnownTag(header, '"a"'), true);
  });
});

describe('requests', () => {
  it('TRACE is not answered', async () => {
    const { status } = await api.call('TRACE', '/usage');
    assert.ok(status === 404 || status === 405, String(status));
  });

  it('a parameter that is given twice is refused', async () => {
    assert.equal((await api.get('/properties/search?limit=1&limit=2')).status, 400);
    assert.equal((await api.get('/properties/search?max_value=1&max_value=2')).status, 400);
  });
});
