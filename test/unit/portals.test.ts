// Files on open data portals: Socrata's tables in pages, with every fault a server has, and the newest file of CKAN's catalogs
// and of plain directory listings.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { seededRandom } from '../../src/base/math/random.ts';
import { fetchFiles } from '../../src/supply/ingest/fetch/fetch.ts';
import { downloadFile } from '../../src/supply/ingest/fetch/socrata.ts';
import { readSources } from '../../sources/sources.ts';
import { startPublisher } from '../publisher.ts';

const ROWS = 120_000;
const SEED = 20_261_118;
const rowOf = (n: number) => `"${n}","a ""quoted"",\nname ${n}","2015-07-31T00:00:00.000"`;

type Fault = 'status' | 'web page' | 'error' | 'cut' | 'broken off';

/** A portal's table: `faulty` of its answers go wrong, and it refuses pages of more than `most` rows. */
const table = {
  updated: 100,
  rows: ROWS,
  first: 0,
  faulty: 0,
  most: Infinity,
  asked: [] as string[],
  onPage: () => {},
};
let random = seededRandom(SEED);
const FAULTS: Fault[] = ['status', 'web page', 'error', 'cut', 'broken off'];

function answerRows(query: URLSearchParams, response: ServerResponse): void {
  const [limit, offset] = ['$limit', '$offset'].map((name) => Number(query.get(name)));
  table.asked.push(`${offset}+${limit}`);
  table.onPage();
  assert.equal(query.get('$order'), ':id');
  if (limit > table.most) return void response.writeHead(500).end();
  const rows = Array.from({ length: Math.max(0, Math.min(limit, table.rows - offset)) }, (_, i) =>
    rowOf(table.first + offset + i),
  );
  const body = `"pin","owner_name","sold_on"\n${rows.map((row) => `${row}\n`).join('')}`;
  const fault = random() < table.faulty ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined;
  if (fault === 'status') return void response.writeHead(503).end('later');
  if (fault === 'web page') return void response.end('<html>Maintenance</html>');
  if (fault === 'error') return void response.end('{"error": true, "message": "query.execution.queryTimeout"}');
  if (fault === 'cut') return void response.end(body.slice(0, Math.floor(body.length * random())));
  if (fault === 'broken off') {
    response.writeHead(200, { 'content-length': body.length });
    return void response.write(body.slice(0, 20), () => response.destroy());
  }
  response.end(body);
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://portal');
  if (pathname === '/api/views/abcd-1234.json') {
    const columns = ['PIN', 'Owner, Name', 'SOLD ON'].map((name) => ({
      name,
      fieldName: name.toLowerCase().replace(/\W+/g, '_'),
    }));
    return response.end(JSON.stringify({ rowsUpdatedAt: table.updated, columns }));
  }
  if (pathname === '/resource/abcd-1234.json') return response.end(JSON.stringify([{ count: String(table.rows) }]));
  if (pathname === '/resource/abcd-1234.csv') return answerRows(searchParams, response);
  if (pathname === '/api/views/efgh-5678/rows.csv') return response.end('"PIN"\n"1"\n');
  response.writeHead(404).end();
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
after(() => server.close());
const portal = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let cache = '';
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'platbook-portals-'));
  Object.assign(table, { updated: 100, rows: ROWS, first: 0, faulty: 0, most: Infinity, asked: [], onPage: () => {} });
});
const options = () => ({ cache, attempts: 8, waitMs: 1, pauseMs: 0 });
const whole = (rows: number, first = 0) =>
  `"PIN","Owner, Name","SOLD ON"\n${Array.from({ length: rows }, (_, n) => `${rowOf(first + n)}\n`).join('')}`;
const url = `${portal}/api/views/abcd-1234/rows.csv?accessType=DOWNLOAD`;

describe('a table of a Socrata portal', () => {
  it('comes in pages by row id under its columns’ full names, and not again until it changes', async () => {
    const path = await downloadFile(url, options());
    assert.ok(readFileSync(path, 'utf8') === whole(ROWS));
    assert.deepEqual(table.asked, ['0+50000', '50000+50000', '100000+50000']);
    await downloadFile(url, options());
    assert.equal(table.asked.length, 3);
    Object.assign(table, { updated: 200, rows: ROWS + 1 });
    assert.ok(readFileSync(await downloadFile(url, options()), 'utf8') === whole(ROWS + 1));
  });

  it('is whole after answers that fail, break off within a row, or are no rows', async () => {
    random = seededRandom(SEED);
    Object.assign(table, { faulty: 0.5, most: 7_000 });
    const path = await downloadFile(url, options());
    assert.ok(readFileSync(path, 'utf8') === whole(ROWS));
    assert.ok(table.asked.length > 40, `${table.asked.length} requests`);
  });

  it('goes on where an interrupted download left off', async () => {
    table.onPage = () => {
      if (table.asked.length === 2) table.most = -1;
    };
    await assert.rejects(downloadFile(url, { ...options(), attempts: 1 }), /returned 500/);
    table.onPage = () => {};
    table.most = Infinity;
    const before = table.asked.length;
    assert.ok(readFileSync(await downloadFile(url, options()), 'utf8') === whole(ROWS));
    assert.deepEqual(table.asked.slice(before), ['50000+50000', '100000+50000']);
  });

  it('begins anew where the table changes while it is read', async () => {
    table.onPage = () => {
      if (table.asked.length === 2) Object.assign(table, { updated: 300, rows: ROWS - 5 });
    };
    assert.ok(readFileSync(await downloadFile(url, options()), 'utf8') === whole(ROWS - 5));
    assert.deepEqual(table.asked.slice(4), ['0+50000', '50000+50000', '100000+50000']);
  });

  it('begins anew where it lost rows and says nothing of it', async () => {
    table.onPage = () => {
      if (table.asked.length === 2) Object.assign(table, { rows: ROWS - 5, first: 5 });
    };
    assert.ok(readFileSync(await downloadFile(url, options()), 'utf8') === whole(ROWS - 5, 5));
  });

  it('comes whole from a portal that tells nothing of it', async () => {
    const other = await downloadFile(`${portal}/api/views/efgh-5678/rows.csv`, options());
    assert.equal(readFileSync(other, 'utf8'), '"PIN"\n"1"\n');
  });
});

describe('the newest of several files', () => {
  const [dataset] = readSources().find(({ id }) => id === 'milwaukee-wi')!.datasets;
  const link = (name: string) => `<a href="/files/${name}">${name}</a>`;
  const [old, last, other] = ['parcels_b.csv', 'parcels_a.csv', 'readme.txt'];
  const resource = (name: string, day: string) =>
    `{"name": "${name}", "url": "/files/${name}", "last_modified": "${day}T08:00:00"}`;
  const LISTINGS = {
    Apache: `<pre>\n${link(last)}  2026-03-09 11:30  1.2M\n${link(old)}  2026-03-09 09:30  1.2M\n${link(other)}  2026-10-01 10:00 1K\n</pre>`,
    nginx: `<pre>\n${link(last)}          09-Mar-2026 11:30   1200\n${link(old)}          28-Feb-2026 11:30   1200\n</pre>`,
    IIS: `<pre>\n 12/1/2025  9:30 AM  1200 ${link(old)}<br>\n  3/9/2026  1:30 AM  1200 ${link(last)}<br>\n</pre>`,
    CKAN: `{"success": true, "result": {"resources": [${resource(last, '2026-03-09')}, ${resource(old, '2026-02-28')}, ${resource(other, '2026-10-01')}]}}`,
    names: `<a href="/files/${old}"></a><a href="/files/${last}"></a>`,
  };

  for (const [kind, page] of Object.entries(LISTINGS)) {
    it(`is told by the days of the listing: ${kind}`, async () => {
      const publisher = await startPublisher();
      publisher.put('list', page);
      for (const name of [old, last, other]) publisher.put(`files/${name}`, `PIN\n${name}\n`);
      const spec = { path: 'parcels_*.csv', listing: `${publisher.url}/list`, newest: true };
      const found = await fetchFiles(dataset, [spec], { from: 'publisher', ...options() });
      assert.deepEqual(
        found.map(({ name }) => name),
        [kind === 'names' ? old : last],
      );
    });
  }
});
