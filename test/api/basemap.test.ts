// The operator's own basemap: a file or an address, handed out in ranges from our origin.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readConfig } from '../../src/base/config.ts';
import { testClient, type TestClient } from '../harness.ts';

const file = join(mkdtempSync(join(tmpdir(), 'platbook-basemap-')), 'city.pmtiles');
const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));
writeFileSync(file, bytes);

/** A storage that knows ranges at /ranges and ignores them at /whole. */
const storage = createServer((request, response) => {
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
  if (request.url === '/whole') return response.end(bytes);
  const part = bytes.subarray(Number(from), Number(to) + 1);
  response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}`, etag: '"v1"' }).end(part);
});
await new Promise<void>((done) => storage.listen(0, '127.0.0.1', done));
after(() => storage.close());
const origin = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;

const places = {
  file,
  ranges: `${origin}/ranges`,
  whole: `${origin}/whole`,
  gone: 'http://127.0.0.1:1/gone',
  none: '',
};
type PlaceName = keyof typeof places;
const clients = {} as Record<PlaceName, TestClient>;
for (const [name, BASEMAP] of Object.entries(places))
  clients[name as PlaceName] = await testClient({ settings: { BASEMAP } });

async function ask(place: PlaceName, range?: string) {
  const answer = await clients[place].app.inject({ url: '/basemap.pmtiles', headers: range ? { range } : {} });
  return { status: answer.statusCode, bytes: answer.rawPayload, headers: answer.headers };
}

describe('a basemap', () => {
  it('206: a range of the file, also past its end', async () => {
    const part = await ask('file', 'bytes=10-19');
    assert.equal(part.status, 206);
    assert.deepEqual(part.bytes, bytes.subarray(10, 20));
    assert.equal(part.headers['content-range'], 'bytes 10-19/1000');
    assert.deepEqual((await ask('file', 'bytes=990-2000')).bytes, bytes.subarray(990));
  });

  it('206: a range of an address', async () => {
    const part = await ask('ranges', 'bytes=0-99');
    assert.equal(part.status, 206);
    assert.deepEqual(part.bytes, bytes.subarray(0, 100));
    assert.equal(part.headers.etag, '"v1"');
  });

  it('400: the whole, too much at once, nonsense, and what is not there', async () => {
    for (const range of [undefined, 'bytes=0-', 'bytes=0-99999999', 'bytes=9-1', 'lines=1-2', 'bytes=5000-6000'])
      assert.equal((await ask('file', range)).status, 400, range);
  });

  it('503: an address that knows no ranges, or does not answer', async () => {
    assert.equal((await ask('whole', 'bytes=0-99')).status, 503);
    assert.equal((await ask('gone', 'bytes=0-99')).status, 503);
  });

  it('is named in the TileJSON where there is one; elsewhere there is none', async () => {
    const { body } = await clients.file.get('/tiles');
    assert.match(body.basemap, /\/basemap\.pmtiles$/);
    assert.equal((await ask('none', 'bytes=0-9')).status, 404);
    assert.equal((await clients.none.get('/tiles')).body.basemap, undefined);
    assert.throws(() => readConfig({ BASEMAP: '/no/such/file.pmtiles' }), /no file/);
  });
});
