// The SDK as a customer has it: packed, unpacked elsewhere, used against the running API.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { generateOperations, generateTypes } from '../../sdk/generate.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain } from '../../src/worker.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const api = await testClient();
const baseUrl = await api.app.listen({ port: 0, host: '127.0.0.1' });
const folder = mkdtempSync(join(tmpdir(), 'platbook-sdk-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** `npm pack` compiles; the tarball alone goes into the customer's folder. */
async function install(): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(ROOT, 'sdk') });
  const target = join(folder, 'node_modules', '@platbook', 'sdk');
  mkdirSync(target, { recursive: true });
  await run('tar', ['-xzf', join(folder, stdout.trim().split('\n').pop()!), '-C', target, '--strip-components=1']);
  return target;
}
const installed = await install();
const sdk = (await import(join(installed, 'dist', 'platbook.js'))) as typeof import('../../sdk/src/platbook.ts');
const platbook = sdk.createClient({ apiKey: api.testKey, baseUrl });

describe('the package', () => {
  it('has types made from the API of today', () => {
    const current = readFileSync(join(ROOT, 'sdk', 'src', 'types.ts'), 'utf8');
    assert.ok(current === generateTypes(api.openApi()), 'sdk/src/types.ts is stale: run `npx platbook openapi`');
    const operations = readFileSync(new URL('../../sdk/src/operations.ts', import.meta.url), 'utf8');
    assert.ok(operations === generateOperations(api.openApi()), 'sdk/src/operations.ts is stale');
  });

  it('needs nothing else, and compiles in a strict project', async () => {
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createClient, RateLimitError, type Property } from '@platbook/sdk';
const platbook = createClient({ apiKey: 'k' });
export async function first(): Promise<Property | undefined> {
  for await (const home of platbook.properties.search({ property_type: ['condo'], min_sqft: 900 })) return home;
  return undefined;
}
export const plans = () => platbook.call('list_plans');
export const risk = (id: string) => platbook.call('get_risk', { path: { id } });
// @ts-expect-error an unknown filter
platbook.properties.search({ bedroms: 3 });
// @ts-expect-error the id is missing
platbook.call('get_risk', {});
// @ts-expect-error so it is here
platbook.call('get_risk');
// @ts-expect-error a query that must be there
platbook.call('autocomplete_address', {});
export const isLimit = (error: unknown): number | undefined => (error instanceof RateLimitError ? error.retryAfterSeconds : 0);
`,
    );
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    ];
    await run(join(ROOT, 'node_modules', '.bin', 'tsc'), [...flags, 'use.ts'], { cwd: folder }).catch((failure) =>
      assert.fail(failure.stdout),
    );
  });
});

describe('calls', () => {
  it('one property, its risk and its transactions', async () => {
    const home = await platbook.properties.get(DEMO.property_id, { include: ['owner', 'provenance'] });
    assert.equal(home.sqft, 2_180);
    assert.ok(home.owner);
    const risk = await platbook.properties.risk(DEMO.property_id, { layers: 'flood' });
    assert.equal(risk.layers.flood?.status, 'found');
    const sales = await platbook.properties.transactions(DEMO.property_id, { type: 'deed' }).take(2);
    assert.equal(sales.length, 2);
  });

  it('a list pages itself, without gap or repeat', async () => {
    const total = await platbook.properties.count({ zip: ['00103'], property_type: ['single_family'] });
    const ids = new Set<string>();
    const query = { zip: ['00103'], property_type: 'single_family', limit: 37 } as const;
    for await (const home of platbook.properties.search(query)) ids.add(home.id);
    assert.ok(total > 37);
    assert.equal(ids.size, total);
    const byBody = await platbook.properties.searchWithin({ zip: ['00103'], limit: 2 }).take(5);
    assert.equal(new Set(byBody.map(({ id }) => id)).size, 5);
  });

  it('every answer tells what it cost', async () => {
    const seen: string[] = [];
    const watched = sdk.createClient({
      apiKey: api.testKey,
      baseUrl,
      onAnswer: ({ operation, requestId, meter }) => seen.push(`${operation} ${requestId?.slice(0, 4)} ${meter}`),
    });
    await watched.markets.list().take(1);
    assert.deepEqual(seen, ['list_markets req_ none']);
  });

  it('a value with its receipt', async () => {
    const value = await platbook.valuations.estimate({ property: { id: DEMO.property_id } });
    assert.ok(value.confidence_interval.low < value.estimated_value);
    const receipt = await platbook.valuations.receipt(value.id);
    assert.equal(receipt.result.estimated_value, value.estimated_value);
    const dry = await platbook.valuations.dryRun({ property: { id: DEMO.property_id } });
    assert.equal(dry.object, 'valuation_dry_run');
  });
});

describe('names', () => {
  it('there is a method for every operation of the OpenAPI document', async () => {
    const reached = new Set<string>();
    // An API that agrees to everything: what matters is which operation a method asks for.
    const agree = async () =>
      Response.json(
        { object: 'list', data: [], files: [], status: 'completed', pagination: { has_more: false, next_cursor: 'c' } },
        { headers: { 'x-next-cursor': 'c' } },
      );
    const client = sdk.createClient({
      apiKey: 'k',
      fetch: agree,
      onAnswer: ({ operation }) => reached.add(operation),
    });
    const { call: _call, ...groups } = client;
    for (const methods of Object.values(groups)) {
      for (const [name, method] of Object.entries(methods) as [string, (...args: unknown[]) => any][]) {
        // These wait for more, or for an end that this API never announces.
        if (name === 'follow' || name === 'wait') continue;
        const answer = method('a', 'b', ['c']);
        if (answer?.page) await answer.page();
        else if (answer?.[Symbol.asyncIterator])
          await answer[Symbol.asyncIterator]()
            .next()
            .catch(() => {});
        else await answer;
      }
    }
    const paths = (api.openApi() as { paths: Record<string, Record<string, { operationId: string }>> }).paths;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
    assert.deepEqual([...reached].sort(), operations.sort());
  });
});

describe('the change feed', () => {
  it('is read to its end as pages and as lines, and followed from a cursor', async () => {
    await api.deps.data.query(
      `insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, occurred_at)
       select fips, id, market, 'property.updated', 'update', '{sqft}', '{}', '{"sqft":900}', now()
       from properties limit 7`,
    );
    await untilFinal(api.deps.data);
    const first = await platbook.changes.list({ limit: 3 }).page();
    const listed: string[] = [];
    for await (const { id } of platbook.changes.list({ limit: 2 })) listed.push(id);
    const streamed: string[] = [];
    for await (const { id } of platbook.changes.stream({ limit: 2 })) streamed.push(id);
    assert.equal(first.data.length, 3);
    assert.ok(listed.length >= 7);
    assert.deepEqual(streamed, listed);
    assert.equal(new Set(listed).size, listed.length);
    for await (const { changes, cursor } of platbook.changes.follow({ cursor: first.pagination.next_cursor! })) {
      assert.deepEqual(
        changes.map(({ id }) => id),
        listed.slice(3, 3 + changes.length),
      );
      assert.ok(cursor);
      break;
    }
  });
});

describe('exports', () => {
  it('are made, waited for, and read row by row; every file is as the manifest says', async () => {
    const made = await platbook.exports.create({
      dataset: 'properties',
      format: 'ndjson',
      filter: { zip: '00103', property_type: 'townhouse' },
      destination: { type: 'folder' },
    });
    await drain(api.deps);
    const run = await platbook.exports.wait(made.id, made.run.id);
    assert.equal(run.status, 'delivered', run.error ?? '');
    const manifest = await platbook.exports.manifest(made.id, run.id);
    const ids = new Set<unknown>();
    for await (const row of platbook.exports.rows(made.id, run.id)) ids.add(row.id ?? row.property_id);
    assert.equal(ids.size, manifest.row_count);
    assert.equal(ids.size, await platbook.properties.count({ zip: '00103', property_type: 'townhouse' }));
    const [file] = manifest.files;
    const bytes = Buffer.from(await (await platbook.exports.file(made.id, run.id, file.name)).arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256);
    assert.deepEqual(
      (await platbook.exports.runs(made.id).take(5)).map(({ id }) => id),
      [run.id],
    );
  });
});

describe('what is not JSON', () => {
  it('comes as bytes: tiles', async () => {
    const { center } = await platbook.tiles.describe();
    const [longitude, latitude] = center!;
    const zoom = 11;
    const x = Math.floor(((longitude + 180) / 360) * 2 ** zoom);
    const radians = (latitude * Math.PI) / 180;
    const y = Math.floor(((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * 2 ** zoom);
    assert.ok((await platbook.tiles.get(zoom, x, y)).length > 100);
    assert.ok((await platbook.tiles.boundaries(zoom, x, y)).length > 100);
  });
});

describe('failures', () => {
  it('are classes with the code of the API', async () => {
    const missing = await platbook.properties.get('prop_r5e00000000000000000').catch((error: unknown) => error);
    assert.ok(missing instanceof sdk.NotFoundError);
    assert.equal(missing.code, 'property_not_found');
    assert.match(missing.requestId ?? '', /^req_/);
    const stranger = sdk.createClient({ apiKey: 'sk_test_pb_nonsense', baseUrl });
    await assert.rejects(stranger.markets.coverage(), sdk.AuthenticationError);
    const nowhere = sdk.createClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
    await assert.rejects(nowhere.markets.coverage(), sdk.ConnectionError);
  });
});

/** An API that fails as told, and then answers. */
async function flaky(answers: { status: number; headers?: Record<string, string>; body?: object }[]) {
  const calls: { method: string; idempotencyKey: string | undefined }[] = [];
  const server = createServer((request, response) => {
    calls.push({
      method: request.method!,
      idempotencyKey: request.headers['idempotency-key'] as string | undefined,
    });
    const answer = answers[Math.min(calls.length, answers.length) - 1];
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? { object: 'coverage', data: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const { port } = server.address() as { port: number };
  return { calls, client: sdk.createClient({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` }) };
}
const problem = (status: number, code: string, retryable: boolean) => ({
  status,
  body: { object: 'error', status, code, detail: code, retryable, request_id: 'req_1' },
});

describe('another try', () => {
  it('waits as long as Retry-After says, and otherwise longer each time', async () => {
    const { calls, client } = await flaky([
      { ...problem(429, 'rate_limited', true), headers: { 'retry-after': '0' } },
      { status: 200 },
    ]);
    await client.markets.coverage();
    assert.equal(calls.length, 2);
    const { waitBefore } = await import(join(installed, 'dist', 'transport.js'));
    assert.equal(
      waitBefore(1, 30, () => 0),
      30_000,
    );
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((attempts) => waitBefore(attempts, undefined, () => 1)),
      [500, 1_000, 2_000, 4_000, 8_000, 8_000],
    );
  });

  it('outlasts ten seconds without a server, whatever chance decides', async () => {
    const { waitBefore } = await import(join(installed, 'dist', 'transport.js'));
    const shortest = [1, 2, 3, 4, 5, 6].reduce((sum, attempts) => sum + waitBefore(attempts, undefined, () => 0), 0);
    assert.ok(shortest >= 10_000, `${shortest} ms`);
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'coverage', data: [] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const client = sdk.createClient({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` });
    const calls = Array.from({ length: 5 }, () => client.markets.coverage());
    setTimeout(() => server.listen(port, '127.0.0.1'), 3_000);
    after(() => server.close());
    await Promise.all(calls);
  });

  it('is made when an answer breaks off, under the same key', async () => {
    const keys: unknown[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['idempotency-key']);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 20 });
      if (keys.length > 1) response.end('{"object":"answer"} ');
      else response.write('{"obj', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => server.close());
    const { port } = server.address() as { port: number };
    const client = sdk.createClient({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` });
    const answer = await client.valuations.estimate({ property: { address: 'x' } });
    assert.deepEqual(answer, { object: 'answer' });
    assert.deepEqual([keys.length, keys[0] === keys[1], typeof keys[0]], [2, true, 'string']);
  });

  it('is not made when the wait is too long, or when it cannot help', async () => {
    const limited = await flaky([{ ...problem(429, 'rate_limited', true), headers: { 'retry-after': '1800' } }]);
    const error = await limited.client.markets.coverage().catch((failure: unknown) => failure);
    assert.ok(error instanceof sdk.RateLimitError);
    assert.equal(error.retryAfterSeconds, 1_800);
    assert.equal(limited.calls.length, 1);
    const spent = await flaky([problem(402, 'quota_exhausted', false)]);
    await assert.rejects(spent.client.valuations.estimate({ property: { address: 'x' } }), sdk.QuotaError);
    assert.equal(spent.calls.length, 1);
  });

  it('repeats a POST under one idempotency key, and another write only when it was refused outright', async () => {
    const batch = await flaky([
      problem(500, 'internal_error', true),
      { status: 202, body: { object: 'batch', id: 'b' } },
    ]);
    await batch.client.batches.create({ items: [{ address: 'x' }] });
    assert.equal(batch.calls.length, 2);
    assert.ok(batch.calls[0].idempotencyKey);
    assert.equal(batch.calls[0].idempotencyKey, batch.calls[1].idempotencyKey);
    const key = await flaky([problem(500, 'internal_error', true), { status: 201 }]);
    await key.client.keys.create({ name: 'x' }, { idempotencyKey: 'mine' });
    assert.deepEqual(
      key.calls.map(({ idempotencyKey }) => idempotencyKey),
      ['mine', 'mine'],
    );
    const patch = await flaky([problem(500, 'internal_error', true), { status: 200 }]);
    await assert.rejects(patch.client.keys.update('key_x', { name: 'x' }), sdk.ServerError);
    assert.deepEqual(patch.calls, [{ method: 'PATCH', idempotencyKey: undefined }]);
  });

  it('ends at once when the caller gives up', async () => {
    const { client } = await flaky([{ ...problem(503, 'unavailable', true), headers: { 'retry-after': '30' } }]);
    const stop = new AbortController();
    const pending = client.markets.coverage({ signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await assert.rejects(pending, { name: 'AbortError' });
  });
});

describe('batches', () => {
  it('a CSV goes up, and its results stream back in order', async () => {
    const csv = `custom_id,property_id\nhome,${DEMO.property_id}\nnowhere,prop_r5e00000000000000000\n`;
    const created = await platbook.batches.upload(csv, 'csv', ['property', 'risk']);
    assert.equal(created.counts.total, 2);
    assert.equal(created.status, 'queued');
    await drain(api.deps);
    const percents: number[] = [];
    const done = await platbook.batches.wait(created.id, ({ progress }) => percents.push(progress.percent));
    assert.deepEqual([done.status, done.counts], ['completed', { total: 2, succeeded: 1, failed: 1 }]);
    assert.equal(percents.at(-1), 100);
    const results = [];
    for await (const result of platbook.batches.results(created.id)) results.push(result);
    assert.deepEqual(
      results.map(({ custom_id, status }) => [custom_id, status]),
      [
        ['home', 'succeeded'],
        ['nowhere', 'failed'],
      ],
    );
    assert.equal(results[1].error?.code, 'property_not_found');
  });
});

describe('a stream that breaks', () => {
  it('goes on after the last whole line, without gap or repeat', async () => {
    const asked: (string | null)[] = [];
    const server = createServer((request, response) => {
      const after = new URL(request.url!, 'http://x').searchParams.get('after_index');
      asked.push(after);
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const first = after === null ? 0 : Number(after) + 1;
      const lines = [0, 1, 2, 3, 4].slice(first).map((index) => `${JSON.stringify({ index, status: 'succeeded' })}\n`);
      if (asked.length > 1) return response.end(lines.join(''));
      // Two lines and a half, and the line goes dead.
      response.write(lines.slice(0, 2).join('') + lines[2].slice(0, 9), () => setTimeout(() => response.destroy(), 50));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => server.close());
    const { port } = server.address() as { port: number };
    const client = sdk.createClient({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` });
    const seen: number[] = [];
    for await (const { index } of client.batches.results('batch_1')) seen.push(index);
    assert.deepEqual(seen, [0, 1, 2, 3, 4]);
    assert.deepEqual(asked, [null, '1']);
  });
});

describe('webhooks', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  const other = `whsec_${Buffer.from('fedcba9876543210fedcba9876543210').toString('base64')}`;
  const body = JSON.stringify({ type: 'batch.completed', timestamp: '2026-06-01T00:00:00Z', data: { id: 'batch_1' } });
  const sign = (at: Date, using = secret) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(using).sign('msg_1', at, body),
  });

  it('a signature of the standard library is accepted, as headers of Node and of the web', async () => {
    const headers = sign(new Date());
    assert.equal((await sdk.verifyWebhook(body, headers, secret)).type, 'batch.completed');
    assert.equal(
      (await sdk.verifyWebhook(Buffer.from(body), new Headers(headers), [other, secret])).type,
      'batch.completed',
    );
  });

  it('a changed body, another secret, an old delivery and a missing header are refused', async () => {
    const headers = sign(new Date());
    const refused = sdk.WebhookVerificationError;
    await assert.rejects(sdk.verifyWebhook(body.replace('batch_1', 'batch_2'), headers, secret), refused);
    await assert.rejects(sdk.verifyWebhook(body, headers, other), refused);
    await assert.rejects(sdk.verifyWebhook(body, sign(new Date(Date.now() - 400_000)), secret), refused);
    await assert.rejects(sdk.verifyWebhook(body, {}, secret), refused);
  });
});

describe('the tarball of the service', () => {
  it('is installed by npm from the running server, and calls the API on an older Node', async () => {
    const home = mkdtempSync(join(tmpdir(), 'platbook-sdk-'));
    after(() => rmSync(home, { recursive: true, force: true }));
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
    const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--cache', join(home, 'cache')];
    await run('npm', ['install', ...flags, `${baseUrl}/sdk.tgz`], { cwd: home });
    const script = `import { createClient } from '@platbook/sdk';
      const platbook = createClient({ apiKey: '${api.testKey}', baseUrl: '${baseUrl}' });
      const { estimated_value } = await platbook.valuations.estimate({ property: { id: '${DEMO.property_id}' } });
      console.log(estimated_value > 0);`;
    writeFileSync(join(home, 'call.js'), script);
    const { stdout } = await run(olderNode(), ['call.js'], { cwd: home });
    assert.equal(stdout.trim(), 'true');
  });

  it('is the same for the same sources, and its declarations are current', async () => {
    const { packSdk } = await import('../../src/edge/docs/sdk-package.ts');
    assert.ok(packSdk(baseUrl).equals(packSdk(baseUrl)));
    const fresh = mkdtempSync(join(tmpdir(), 'platbook-declarations-'));
    after(() => rmSync(fresh, { recursive: true, force: true }));
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.', '--emitDeclarationOnly', '--outDir', fresh], {
      cwd: join(ROOT, 'sdk'),
    });
    for (const name of readdirSync(fresh).filter((each) => each !== 'types.d.ts'))
      assert.equal(
        readFileSync(join(ROOT, 'sdk/declarations', name), 'utf8'),
        readFileSync(join(fresh, name), 'utf8'),
        `sdk/declarations/${name} is stale: run \`npx platbook openapi\``,
      );
  });
});

/** The Node that customers have may be older than ours; 20 where this machine has it. */
function olderNode(): string {
  return existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath;
}
