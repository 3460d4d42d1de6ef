// Exports: the files as third-party readers see them, in a folder and a bucket; manifests, deltas, schedules, failures.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetReadObjects } from 'hyparquet';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { COLUMNS, columnsOf, DATASETS } from '../../src/delivery/exports/columns.ts';
import { openDestination } from '../../src/delivery/exports/destinations.ts';
import { loadStatements } from '../../src/delivery/exports/load-statements.ts';
import { writeParts } from '../../src/delivery/exports/parts.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';

// This package has no types.
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver');
const folder = mkdtempSync(join(tmpdir(), 'platbook-exports-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const api = await testClient({ settings: { EXPORT_FOLDER: folder, WEBHOOK_ALLOW_PRIVATE: 'true' } });
const filter = { zip: ['00101'], property_type: ['single_family'] };
const query = 'zip=00101&property_type=single_family';
const { count } = (await api.get(`/properties/count?${query}`)).body;
const inFolder = { type: 'folder' };

async function run(body: object) {
  const created = await api.post('/exports', { destination: inFolder, ...body });
  assert.equal(created.status, 202, created.text);
  await untilFinal(api.deps.data);
  await drain(api.deps, ['exports']);
  return finish(created.body.id, created.body.run.id);
}

async function finish(id: string, runId: string) {
  const { body } = await api.get(`/exports/${id}/runs/${runId}`);
  const file = async (name: string) => {
    const { rawPayload } = await api.app.inject({
      url: `/api/v1/exports/${id}/runs/${runId}/files/${name}`,
      headers: { 'x-api-key': api.testKey },
    });
    return rawPayload;
  };
  const manifest =
    body.status === 'delivered' && body.manifest
      ? JSON.parse((await file('_manifest.json')).toString() || 'null')
      : null;
  return { id, run: body, file, manifest };
}

/** What an independent Parquet reader returns, as plain JSON. */
async function readParquet(bytes: Buffer): Promise<any[]> {
  const rows = await parquetReadObjects({
    file: new Uint8Array(bytes).buffer,
    compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) },
  });
  return rows.map(plain);
}

function plain(row: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint'
        ? Number(value)
        : value instanceof Date
          ? value
              .toISOString()
              .replace('Z', '')
              .replace(/T00:00:00\.000$/, '')
          : (value ?? null),
    ]),
  );
}

describe('files', () => {
  it('are Parquet where no format is asked for', async () => {
    const { id, run: done, file } = await run({ dataset: 'properties', filter });
    assert.equal((await api.get(`/exports/${id}`)).body.kind, 'full');
    assert.equal((await readParquet(await file('part-00000.parquet'))).length, done.row_count);
    assert.equal(done.row_count, count);
  });

  it('hold the same rows as the search in Parquet, NDJSON and CSV, according to independent readers', async () => {
    const asNdjson = await run({ dataset: 'properties', format: 'ndjson', filter });
    const rows = (await asNdjson.file('part-00000.ndjson'))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(rows.length, count);
    assert.ok(count > 20);
    const searched = await api.get(`/properties/search?${query}&limit=500`);
    const byId = new Map<string, any>(searched.body.data.map((property: any) => [property.id, property]));
    for (const row of rows.filter((one) => byId.has(one.property_id))) {
      const property = byId.get(row.property_id);
      assert.equal(row.sqft, property.sqft);
      assert.equal(row.latitude, property.latitude);
      assert.equal(row.last_sale_date, property.last_sale?.date ?? null);
      assert.equal(row.fips, property.identifiers.fips);
    }
    const asParquet = await run({ dataset: 'properties', format: 'parquet', filter });
    const read = await readParquet(await asParquet.file('part-00000.parquet'));
    const sorted = (list: any[]) => list.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(
      sorted(read.map((row) => ({ ...row, updated_at: null }))),
      sorted(rows.map((row) => ({ ...row, updated_at: null }))),
    );
    const asCsv = await run({ dataset: 'properties', format: 'csv', filter });
    const lines = (await asCsv.file('part-00000.csv')).toString().trim().split('\r\n');
    assert.equal(lines.length, count + 1);
    assert.equal(lines[0], COLUMNS.properties.map(([name]) => name).join(','));
  });

  it('are delivered for every dataset with counts, schema, SHA-256 and a cursor; the manifest comes last', async () => {
    const { layers } = await api.deps.catalog.read();
    for (const dataset of ['properties', 'transactions', 'valuations', 'risk', 'changes'] as const) {
      const { run: done, manifest, file } = await run({ dataset, filter });
      assert.equal(done.status, 'delivered', `${dataset}: ${done.error}`);
      assert.equal(manifest.row_count, done.row_count);
      assert.deepEqual(
        manifest.schema.map((column: any) => column.name),
        columnsOf(dataset, layers).map(([name]) => name),
      );
      const [part] = manifest.files;
      const bytes = await file(part.name);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), part.sha256);
      assert.equal(bytes.length, part.bytes);
      assert.equal((await readParquet(bytes)).length, done.row_count);
      assert.ok(done.row_count > 0, dataset);
      assert.equal((await api.get(`/changes?cursor=${manifest.cursor.to}`)).status, 200);
      for (const name of ['load-snowflake.sql', 'load-bigquery.sql', 'load-duckdb.sql'])
        assert.match((await file(name)).toString(), new RegExp(dataset));
    }
    const { body: events } = await api.get('/events?type=export.delivered');
    assert.ok(events.data.length >= 5);
  });

  it('come with Snowflake and BigQuery statements that name every column and the file format', () => {
    const location = 's3://customer/in/';
    for (const dataset of DATASETS) {
      const full = loadStatements({ dataset, format: 'parquet', kind: 'full', location });
      for (const text of [full['load-snowflake.sql'], full['load-bigquery.sql']])
        for (const [name] of COLUMNS[dataset]) assert.match(text, new RegExp(`^  ${name} [a-z]`, 'm'));
    }
    const of = (format: 'parquet' | 'ndjson' | 'csv') =>
      loadStatements({ dataset: 'valuations', format, kind: 'full', location });
    assert.match(
      of('parquet')['load-snowflake.sql'],
      /file_format = \(type = parquet use_logical_type = true\)\n  match_by_column_name/,
    );
    assert.match(
      of('csv')['load-snowflake.sql'],
      /file_format = \(type = csv skip_header = 1 field_optionally_enclosed_by = '"'\);/,
    );
    assert.match(
      of('csv')['load-bigquery.sql'],
      /from files \(format = 'CSV', uris = \['gs:\/\/customer\/in\/part-\*\.csv'\], skip_leading_rows = 1, allow_quoted_newlines = true\);/,
    );
    assert.match(of('ndjson')['load-bigquery.sql'], /format = 'JSON'/);
  });

  it('can be loaded with the DuckDB statements, followed by a delta', async () => {
    const first = await run({ dataset: 'properties', kind: 'delta', filter });
    assert.equal(first.run.kind, 'full');
    const db = await (await DuckDBInstance.create(':memory:')).connect();
    await db.run((await first.file('load-duckdb.sql')).toString());
    const total = async () => Number((await db.runAndReadAll('select count(*) from properties')).getRows()[0][0]);
    assert.equal(await total(), count);
    const { data } = api.deps;
    const { rows: two } = await data.query(
      `select id from properties where zip = '00101' and property_type = 'single_family' and status = 'active' order by id limit 2`,
    );
    await data.query(`update properties set sqft = 4321 where id = $1`, [two[0].id]);
    await data.query(`update properties set property_type = 'condo' where id = $1`, [two[1].id]);
    await data.query(
      `insert into changes (fips, property_id, market, kind, op, occurred_at)
       select fips, id, market, 'property.updated', 'update', now() from properties where id = any($1)`,
      [two.map((row) => row.id)],
    );
    await untilFinal(data);
    const { body: again } = await api.post(`/exports/${first.id}/runs`, undefined);
    await drain(api.deps, ['exports']);
    const delta = await finish(first.id, again.id);
    assert.equal(delta.run.kind, 'delta');
    assert.deepEqual(
      (await readParquet(await delta.file('part-00000.parquet'))).map((row) => [row._op, row.property_id]).sort(),
      [
        ['delete', two[1].id],
        ['upsert', two[0].id],
      ].sort(),
    );
    assert.ok(delta.manifest.cursor.from);
    await db.run((await delta.file('load-duckdb.sql')).toString());
    assert.equal(await total(), count - 1);
    const read = await db.runAndReadAll(`select sqft from properties where property_id = '${two[0].id}'`);
    const rows = read.getRows();
    assert.equal(Number(rows[0][0]), 4321);
    const { body: third } = await api.post(`/exports/${first.id}/runs`, undefined);
    await untilFinal(data);
    await drain(api.deps, ['exports']);
    assert.equal((await finish(first.id, third.id)).run.row_count, 0, 'nothing has changed since');
  });

  it('name each changed property once in a delta, including those with no rows left', async () => {
    const { data } = api.deps;
    const sets = ['valuations', 'transactions'] as const;
    const first = [];
    for (const dataset of sets) first.push(await run({ dataset, kind: 'delta', filter }));
    const { rows: homes } = await data.query<{ id: string }>(
      `select p.id from properties p where zip = '00101' and property_type = 'single_family' and status = 'active'
         and value is not null and exists (select from transactions t where t.fips = p.fips and t.property_id = p.id)
       order by id desc limit 2`,
    );
    const [kept, emptied] = homes.map(({ id }) => id);
    await data.query('update properties set value = null where id = $1', [emptied]);
    await data.query('delete from transactions where property_id = $1', [emptied]);
    for (const ids of [[kept, emptied], [kept], [kept]]) {
      await data.query(
        `insert into changes (fips, property_id, market, kind, op, occurred_at)
         select fips, id, market, 'property.updated', 'update', now() from properties where id = any($1)`,
        [ids],
      );
    }
    await untilFinal(data);
    for (const [i, dataset] of sets.entries()) {
      const { body } = await api.post(`/exports/${first[i].id}/runs`, undefined);
      await drain(api.deps, ['exports']);
      const delta = await finish(first[i].id, body.id);
      const rows = await readParquet(await delta.file('part-00000.parquet'));
      const { rows: now } = await data.query<{ n: number }>(
        `select count(*)::int as n from ${dataset === 'transactions' ? 'transactions where property_id' : 'properties where id'} = $1`,
        [kept],
      );
      assert.equal(rows.filter((row) => row.property_id === kept && row._op === 'upsert').length, now[0].n, dataset);
      assert.deepEqual(
        rows.filter((row) => row.property_id !== kept).map((row) => [row._op, row.property_id]),
        [['delete', emptied]],
        dataset,
      );
    }
  });

  it('of changes have every one that is stored, once', async () => {
    const whole = await run({ dataset: 'changes' });
    const { rows: stored } = await api.deps.data.query(
      `select 'chg_' || fips || '_' || seq as id from changes where market = 'sandbox'`,
    );
    const rows = await readParquet(await whole.file('part-00000.parquet'));
    assert.ok(stored.length > 1_000);
    assert.deepEqual(rows.map((row) => row.change_id).sort(), stored.map(({ id }) => id).sort());
  });

  it('are split into parts, only one of which is on disk at a time', async () => {
    async function* pages() {
      for (let i = 0; i < 10; i++)
        yield Array.from({ length: 100 }, (_, j) => ({ _op: 'upsert', property_id: `p${i}-${j}`, value: i }));
    }
    const work = mkdtempSync(join(folder, 'parts-'));
    const parts = [];
    for await (const part of writeParts(pages(), {
      folder: work,
      dataset: 'valuations',
      format: 'parquet',
      partRows: 300,
    })) {
      assert.deepEqual(readdirSync(work), [part.name]);
      rmSync(part.path);
      parts.push([part.name, part.rows]);
    }
    assert.deepEqual(parts, [
      ['part-00000.parquet', 300],
      ['part-00001.parquet', 300],
      ['part-00002.parquet', 300],
      ['part-00003.parquet', 100],
    ]);
  });
});

describe('the reader of docs/internals/delivery.md', () => {
  const python = spawnSync('python3', ['--version']).status === 0;

  it('downloads every file and checks its digest in Python', { skip: !python && 'no python3 here' }, async () => {
    const text = readFileSync(new URL('../../docs/internals/delivery.md', import.meta.url), 'utf8');
    const code = /```python\n([\s\S]*?)```/.exec(text)![1];
    const { id, run: done, manifest } = await run({ dataset: 'valuations', format: 'csv', filter });
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.app.server.address() as AddressInfo;
    const script = join(folder, 'read.py');
    writeFileSync(script, `${code}\nprint(len(data), manifest["row_count"])\n`);
    const child = spawn('python3', [script], {
      env: {
        ...process.env,
        BASE_URL: `http://127.0.0.1:${port}`,
        PLATBOOK_KEY: api.testKey,
        EXPORT: id,
        RUN: done.id,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const [status] = await once(child, 'exit');
    assert.equal(status, 0);
    assert.equal(printed.trim(), `${manifest.files.at(-1).bytes} ${done.row_count}`);
  });
});

describe('a bucket', async () => {
  const key = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: mkdtempSync(join(folder, 's3-')),
    configureBuckets: [{ name: 'customer', configs: [] }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  after(() => server.close());
  const client = new S3Client({
    region: 'us-east-1',
    endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key },
  });
  after(() => client.destroy());
  const get = async (name: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'customer', Key: name }));
    return Buffer.from(await Body!.transformToByteArray());
  };
  const destination = { type: 's3', bucket: 'customer', prefix: 'platbook', endpoint, ...key };

  it('receives signed files; the secret is stored encrypted and never returned', async () => {
    const { id, run: done } = await run({ dataset: 'properties', filter, destination });
    assert.equal(done.status, 'delivered', done.error);
    const manifest = JSON.parse((await get(`platbook/${done.manifest}`)).toString());
    const bytes = await get(`platbook/${done.manifest.replace('_manifest.json', manifest.files[0].name)}`);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), manifest.files[0].sha256);
    assert.equal((await readParquet(bytes)).length, done.row_count);
    const shown = await api.get(`/exports/${id}`);
    assert.equal(shown.text.includes('S3RVER'), false);
    const { rows } = await api.deps.control.query('select credentials, destination from exports where id = $1', [id]);
    assert.equal(JSON.stringify(rows[0].destination).includes('S3RVER'), false);
    assert.equal(rows[0].credentials.toString('latin1').includes('S3RVER'), false);
  });

  it('fails permanently after three attempts with a wrong secret, with an event', async () => {
    const wrong = { ...destination, secret_access_key: 'wrong' };
    const created = await api.post('/exports', { dataset: 'valuations', filter, destination: wrong });
    for (let i = 0; i < 3; i++) {
      await drain(api.deps, ['exports']);
      api.deps.travel(new Date(Date.now() + (i + 1) * 600_000).toISOString());
    }
    const { body } = await api.get(`/exports/${created.body.id}/runs/${created.body.run.id}`);
    assert.equal(body.status, 'failed');
    assert.equal(body.attempt_count, 3);
    const { body: events } = await api.get('/events?type=export.failed&limit=1');
    assert.equal(events.data[0].data.run_id, created.body.run.id);
  });

  it('uploads a big file in parts, and leaves none behind when one fails', async () => {
    const file = join(folder, 'big.bin');
    writeFileSync(file, Buffer.alloc(20 * 1024 * 1024, 7));
    const target = openDestination(api.deps, api.accountId, { ...destination, type: 's3' }, key);
    await target.put('big.bin', file);
    assert.equal((await get('platbook/big.bin')).length, 20 * 1024 * 1024);
    // Storage that accepts the first part and then fails: the upload must be aborted.
    const calls: string[] = [];
    const broken = createServer((request, response) => {
      request.resume().on('end', () => {
        const { search, searchParams } = new URL(request.url!, 'http://x');
        calls.push(`${request.method} ${search.split('=')[0]}`);
        if (request.method === 'POST' && search.startsWith('?uploads'))
          return response.end('<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>');
        if (request.method === 'DELETE') return response.writeHead(204).end();
        if (searchParams.get('partNumber') === '1') return response.setHeader('etag', '"1"').end();
        response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      });
    });
    await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const failing = openDestination(api.deps, api.accountId, { type: 's3', bucket: 'customer', endpoint: at }, key);
    await assert.rejects(failing.put('big.bin', file));
    assert.ok(
      calls.some((call) => call.startsWith('DELETE')),
      calls.join(),
    );
    failing.close();
    target.close();
    broken.closeAllConnections();
    broken.close();
  });

  it('needs a public endpoint unless the operator asks for more', () => {
    const strict = { config: { ...api.deps.config, webhookAllowPrivate: 'none' as const } };
    assert.throws(() => openDestination(strict, api.accountId, { ...destination, type: 's3' }, key), /endpoint/);
  });
});

describe('a download', () => {
  it('goes on where it stopped, with any client that asks for a range', async () => {
    const { id, run: done, file } = await run({ dataset: 'properties', filter, format: 'ndjson' });
    const whole = await file('part-00000.ndjson');
    const url = `/api/v1/exports/${id}/runs/${done.id}/files/part-00000.ndjson`;
    const ask = async (headers: Record<string, string>) => {
      const answer = await api.app.inject({ url, headers: { 'x-api-key': api.testKey, ...headers } });
      return { ...answer, code: answer.statusCode, bytes: answer.rawPayload, at: answer.headers['content-range'] };
    };
    const all = await ask({});
    assert.deepEqual([all.code, all.headers['content-length'], all.at], [200, String(whole.length), undefined]);
    assert.equal(all.headers['accept-ranges'], 'bytes');
    const [n, etag] = [whole.length, String(all.headers.etag)];
    const parts: [string, number, number][] = [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, n],
      ['bytes=-10', n - 10, n],
      [`bytes=${n - 1}-${n + 1000}`, n - 1, n],
      [`bytes=-${n + 5}`, 0, n],
    ];
    for (const [range, from, until] of parts) {
      for (const more of [{}, { 'if-range': etag }] as Record<string, string>[]) {
        const part = await ask({ range, ...more });
        assert.deepEqual([part.code, part.at], [206, `bytes ${from}-${until - 1}/${n}`], range);
        assert.equal(part.headers['content-length'], String(until - from), range);
        assert.ok(part.bytes.equals(whole.subarray(from, until)), range);
      }
    }
    for (const range of ['bytes=0-1,5-6', 'bytes=5-2', 'bytes=-', 'lines=0-9', 'bytes=a-b'])
      assert.deepEqual([(await ask({ range })).code, (await ask({ range })).bytes.length], [200, n], range);
    assert.equal((await ask({ range: 'bytes=0-9', 'if-range': '"of another file"' })).code, 200);
    for (const range of [`bytes=${n}-`, 'bytes=-0']) {
      const beyond = await ask({ range });
      assert.deepEqual([beyond.code, beyond.at], [416, `bytes */${n}`], range);
      assert.equal(beyond.json().code, 'range_not_satisfiable');
    }
  });
});

describe('access and schedules', () => {
  it('returns 403 to a live key without the enterprise plan, and hides other accounts’ exports', async () => {
    const refused = await api.post('/exports', { dataset: 'risk', destination: inFolder }, { key: api.liveKey });
    assert.equal(refused.body.code, 'plan_feature_unavailable');
    const { id, run: done } = await run({ dataset: 'valuations', filter });
    const account = await createAccount(api.deps.control, api.deps.clock(), 'Other', 'enterprise');
    const { secret } = await createKey(api.deps, account.id, { name: 'x', mode: 'test', scopes: [...SCOPES] });
    for (const path of ['', '/runs', `/runs/${done.id}`, `/runs/${done.id}/files/_manifest.json`])
      assert.equal((await api.get(`/exports/${id}${path}`, { key: secret })).status, 404, path);
    assert.equal((await api.get(`/exports/${id}/runs/${done.id}/files/..%2f..%2fsecret`)).status, 400);
    assert.equal(
      (await api.post('/exports', { dataset: 'risk', destination: { type: 's3', bucket: 'abc' } })).status,
      400,
    );
    assert.equal((await api.call('DELETE', `/exports/${id}`)).status, 204);
  });

  it('starts a scheduled run once when due, even after downtime', async () => {
    const start = Date.now() + 86_400_000;
    const at = (hours: number) => api.deps.travel(new Date(start + hours * 3_600_000).toISOString());
    at(0);
    const { id } = await run({ dataset: 'valuations', filter, schedule: 'daily' });
    const runs = async () => (await api.get(`/exports/${id}/runs`)).body.data.length;
    const tick = async () => {
      await runSchedule(api.deps, 'start-exports');
      await drain(api.deps, ['exports']);
      return runs();
    };
    at(23);
    assert.equal(await tick(), 1);
    at(24);
    assert.equal(await tick(), 2);
    assert.equal(await tick(), 2);
    at(24 * 5 + 1);
    assert.equal(await tick(), 3);
    assert.equal(await tick(), 3);
    await api.call('PATCH', `/exports/${id}`, { body: { is_paused: true } });
    at(24 * 9);
    assert.equal(await tick(), 3);
  });

  it('hands a run whose worker died to another when its lease expires', async () => {
    const created = await api.post('/exports', { dataset: 'valuations', filter, destination: inFolder });
    const later = api.deps.clock().getTime() + 31_000;
    await api.deps.control.query(
      `update jobs set state = 'running', attempts = 1, fence = 1, leased_until = $2 where subject = $1`,
      [created.body.run.id, new Date(later - 1_000)],
    );
    await drain(api.deps, ['exports']);
    assert.equal((await finish(created.body.id, created.body.run.id)).run.status, 'queued');
    api.deps.travel(new Date(later).toISOString());
    await drain(api.deps, ['exports']);
    assert.equal((await finish(created.body.id, created.body.run.id)).run.status, 'delivered');
  });
});

describe('recovery', () => {
  it('continues an expired feed from a full export without missing anything, under any filter', async () => {
    const { data } = api.deps;
    const feed = `/changes?zip=00101&property_type=single_family&type=property.updated`;
    await untilFinal(data);
    const { body: start } = await api.get(`${feed}&from=now`);
    api.deps.travel(new Date(api.deps.clock().getTime() + 31 * 86_400_000).toISOString());
    const expired = await api.get(`${feed}&cursor=${start.pagination.next_cursor}`);
    assert.deepEqual([expired.status, expired.body.code], [410, 'cursor_expired']);
    const { manifest } = await run({ dataset: 'properties', filter });
    const { rows } = await data.query(
      `insert into changes (fips, property_id, market, kind, op, occurred_at)
       select fips, id, market, 'property.updated', 'update', now() from properties
       where zip = '00101' and property_type = 'single_family' and status = 'active' limit 3 returning property_id`,
    );
    await untilFinal(data);
    const { body: page } = await api.get(`${feed}&cursor=${manifest.cursor.to}`);
    assert.deepEqual(
      page.data.map((change: any) => change.property_id),
      rows.map((row) => row.property_id),
    );
    const { body: next } = await api.get(`${feed}&cursor=${page.pagination.next_cursor}`);
    assert.deepEqual(next.data, []);
    assert.equal((await api.get(`/changes?cursor=${page.pagination.next_cursor}`)).body.code, 'cursor_mismatch');
  });

  it('falls back to a full export after the data was restored on another server', async () => {
    const first = await run({ dataset: 'valuations', kind: 'delta', filter });
    await api.deps.control.query(`update export_runs set to_xid = '999999999999' where id = $1`, [first.run.id]);
    const { body } = await api.post(`/exports/${first.id}/runs`, undefined);
    await drain(api.deps, ['exports']);
    const again = await finish(first.id, body.id);
    assert.deepEqual([again.run.kind, again.run.row_count], ['full', first.run.row_count]);
    assert.equal(again.manifest.cursor.from, null);
  });
});
