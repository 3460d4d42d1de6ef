// What every response carries, and what no request may do, whatever the route.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workOnExports } from '../../src/exports/deliver.ts';
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
    while (await workOnExports(api.deps));
    const { headers, status } = await api.get(`/exports/${body.id}/runs/${body.run.id}/files/_manifest.json`);
    assert.equal(status, 200);
    assert.equal(headers['content-disposition'], 'attachment; filename="_manifest.json"');
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
