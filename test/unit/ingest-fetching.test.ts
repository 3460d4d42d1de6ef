// Downloads: cached while current, resumed after an interruption, checked by length, retried after a failure.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { download } from '../../src/supply/ingest/fetch/download.ts';
import { fetchFiles } from '../../src/supply/ingest/fetch/fetch.ts';
import { datedBy } from '../../src/supply/ingest/fetch/names.ts';
import { reportPhases, showProgress } from '../../src/supply/ingest/progress.ts';
import { readSources } from '../../sources/sources.ts';
import { testville } from '../testville.ts';

const BODY = Buffer.from('0123456789'.repeat(10_000));
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const requests: IncomingMessage['headers'][] = [];
const server = createServer((request, response) => {
  requests.push(request.headers);
  answer(request, response);
});
let base = '';
let cache = '';

before(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());
beforeEach(() => {
  requests.length = 0;
  cache = mkdtempSync(join(tmpdir(), 'platbook-fetch-'));
});

/** Behaves like a publisher's server, with tags, conditional requests and ranges; breaks off after `limit` bytes. */
function serve(etag: string, limit = Number.POSITIVE_INFINITY) {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    const range = request.headers['if-range'] === etag ? /bytes=(\d+)-/.exec(request.headers.range ?? '') : null;
    const rest = BODY.subarray(range ? Number(range[1]) : 0);
    response.writeHead(range ? 206 : 200, { etag, 'content-length': rest.length });
    if (rest.length <= limit) return response.end(rest);
    response.write(rest.subarray(0, limit), () => response.destroy());
  };
}

const options = () => ({ cache, attempts: 3, waitMs: 5 });

describe('the file of a new year', () => {
  const names = ['armslengthsales_2023_valid.csv', 'armslengthsales_2024_valid_20250401.csv', 'notes_2024.csv'];
  const milwaukee = readSources().find(({ id }) => id === 'milwaukee-wi')!;
  const sales = milwaukee.datasets.find(({ id }) => id === 'milwaukee-wi/sales')!;
  const pattern = sales.files.filter(({ years }) => years);

  it('is found in a folder by the pattern of the recipe, with its year and publication', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-years-'));
    mkdirSync(join(folder, 'milwaukee/sales'), { recursive: true });
    for (const name of names) writeFileSync(join(folder, 'milwaukee/sales', name), 'taxkey\n');
    const files = await fetchFiles(sales, pattern, { from: folder, cache });
    const inside = await fetchFiles(sales, pattern, { from: join(folder, 'milwaukee'), cache });
    assert.deepEqual(
      inside.map(({ path }) => path),
      files.map(({ path }) => path),
      'the folder itself is as good as the one above',
    );
    assert.deepEqual(
      files.map((file) => [file.name, file.year, file.spec.publishedOn]),
      [['milwaukee/sales/armslengthsales_2024_valid_20250401.csv', 2024, '2025-04-30']],
    );
    const { publishedOn, layers } = datedBy(sales, files);
    assert.deepEqual([publishedOn, layers[0].to], ['2025-04-30', '2024-12-31']);
    assert.equal(datedBy(sales, []).layers[0].to, '2023-12-31');
  });

  it('is found in the catalog of the publisher', async () => {
    const resources = names.map((name) => ({ url: `${base}/download/${name}` }));
    const catalog = JSON.stringify({ success: true, result: { resources } });
    answer = (request, response) => response.end(request.url!.startsWith('/api/') ? catalog : 'taxkey\n');
    const [listed] = pattern.map((file) => ({ ...file, listing: `${base}/api/3/action/package_show?id=sales` }));
    const files = await fetchFiles(sales, [listed], { from: 'publisher', ...options() });
    assert.deepEqual(
      files.map(({ name, year }) => [name, year]),
      [['armslengthsales_2024_valid_20250401.csv', 2024]],
    );
  });
});

describe('progress', () => {
  it('speaks in every phase, with a rate', async () => {
    const lines: string[] = [];
    let heard = () => {};
    const spoken = new Promise<void>((resolve) => (heard = resolve));
    const progress = showProgress('place/sales', 0, (text) => (lines.push(text), heard()), 5);
    await progress.during('comparing transactions', 1234, () => spoken);
    assert.match(lines[0], /^place\/sales: comparing transactions, 1,234 rows, \d+ s so far\n$/);
    assert.match(lines.at(-1)!, /^place\/sales: comparing transactions, 1,234 rows in [\d.]+ s, [\d,]+\/s\n$/);
  });

  it('tells how much of a long phase is left, in a terminal and on a page', async () => {
    let heard = (_line: string) => {};
    const spoken = new Promise<string>((resolve) => (heard = resolve));
    const progress = showProgress('place', 0, (text) => heard(text), 5);
    await progress.during('building indexes', 10, (step) => {
      step(3, 12);
      return spoken;
    });
    assert.match(await spoken, /^place: building indexes, 10 rows, \d+ s so far, 3 of 12 done, \d+ s left\n$/);
    const told: (number | null | undefined)[] = [];
    const page = reportPhases(0, ({ share }) => void told.push(share));
    await page.during('building indexes', 10, async (step) => step(3, 12));
    assert.deepEqual(told, [null, 0.25]);
  });
});

describe('a download', () => {
  it('is cached and revalidated with a conditional request', async () => {
    answer = serve('"a"');
    const path = await download(`${base}/roll.csv`, options());
    await download(`${base}/roll.csv`, options());
    assert.deepEqual(readFileSync(path), BODY);
    assert.deepEqual([requests.length, requests[1]['if-none-match']], [2, '"a"']);
  });

  it('resumes where it broke off', async () => {
    let calls = 0;
    answer = (request, response) => serve('"a"', calls++ === 0 ? 40_000 : undefined)(request, response);
    const path = await download(`${base}/roll.csv`, options());
    assert.deepEqual(readFileSync(path), BODY);
    assert.match(requests[1].range!, /^bytes=[1-9]\d*-$/);
    assert.equal(existsSync(`${path}.part`), false);
  });

  it('starts over if the file changed in between', async () => {
    let calls = 0;
    answer = (request, response) => (calls++ === 0 ? serve('"a"', 40_000) : serve('"b"'))(request, response);
    assert.deepEqual(readFileSync(await download(`${base}/roll.csv`, options())), BODY);
  });

  it('is retried after a 503 but not after a 404', async () => {
    let calls = 0;
    answer = (request, response) => (calls++ === 0 ? response.writeHead(503).end() : serve('"a"')(request, response));
    await download(`${base}/roll.csv`, options());
    answer = (_, response) => response.writeHead(404).end();
    await assert.rejects(download(`${base}/other.csv`, options()), /returned 404/);
    assert.equal(requests.length, 3);
  });

  it('serves a dataset whose --from is a URL', async () => {
    answer = serve('"a"');
    const [dataset] = testville.datasets;
    const [file] = await fetchFiles(dataset, dataset.files, { from: base, cache });
    assert.deepEqual([file.name, file.bytes, file.sha256.length], ['roll.csv', BODY.length, 64]);
  });
});
