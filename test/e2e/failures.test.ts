// Failures caused for real in a running server: each has its own code and status, is logged once with its cause, counted
// by code, and found again by request id and trace.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { translate } from '../../src/base/http/errors.ts';
import { describeFailure } from '../../src/base/lib/failures.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { startCollector } from '../collector.ts';
import { testDeps } from '../harness.ts';
import { until } from '../until.ts';

interface Line {
  level: number;
  msg: string;
  error?: { code: string; cause: string; chain: string[]; fingerprint: string };
  err?: { type: string; message: string; stack: string };
  request_id?: string;
  route?: string;
  trace_id?: string;
}

const secret = randomBytes(32).toString('hex');
const deps = await testDeps({ PLATBOOK_SECRET: secret });
const account = await createAccount(deps.control, deps.clock(), 'Test', 'pro', {
  contract: { sandboxRateLimitPerHour: 1_000_000 },
});
const { secret: key } = await createKey(deps, account.id, { name: 'test', mode: 'test', scopes: [...SCOPES] });
const collector = await startCollector();

/** A TCP proxy in front of PostgreSQL that can drop every connection. */
async function startProxy() {
  const { hostname, port } = new URL(deps.controlUrl);
  const sockets = new Set<Socket>();
  const state = { isCut: false };
  const server = createServer((client) => {
    if (state.isCut) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const url = new URL(deps.controlUrl);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.toString(),
    cut() {
      state.isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    restore: () => (state.isCut = false),
  };
}

async function startServer(settings: Record<string, string>) {
  const proxy = await startProxy();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../serve.ts', import.meta.url))], {
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: proxy.url,
      PLATBOOK_SECRET: secret,
      PLATBOOK_HOME: mkdtempSync(join(tmpdir(), 'platbook-failures-')),
      LOG_LEVEL: 'error',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(() => /PORT=\d+/.test(output) || child.exitCode !== null);
  assert.equal(child.exitCode, null, 'the server ended');
  const base = `http://127.0.0.1:${/PORT=(\d+)/.exec(output)![1]}`;
  const call = async (path: string, body?: object) => {
    const response = await fetch(base + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      text,
      body: path === '/metrics' ? undefined : JSON.parse(text),
    };
  };
  const lines = () =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  return { call, proxy, lines, stop: () => child.kill('SIGKILL') };
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** The one line about a failed request. */
async function lineOf(server: Server, requestId: string): Promise<Line> {
  const about = () => server.lines().filter((line) => line.request_id === requestId);
  await until(() => about().length > 0);
  assert.equal(about().length, 1, 'logged once');
  return about()[0];
}

async function assertFailure(
  server: Server,
  answer: Awaited<ReturnType<Server['call']>>,
  expected: { code: string; status: number; cause: RegExp },
): Promise<Line> {
  assert.deepEqual([answer.body.code, answer.status], [expected.code, expected.status], answer.text);
  if (expected.status === 503) assert.ok(Number(answer.retryAfter) > 0);
  assert.equal(answer.body.retryable, true);
  const line = await lineOf(server, answer.body.request_id);
  assert.equal(line.error?.code, expected.code);
  assert.match(line.error.cause, expected.cause);
  assert.match(line.error.fingerprint, /^[\da-f]{12}$/);
  assert.match(String(line.trace_id), /^[\da-f]{32}$/);
  assert.ok(line.route);
  const { text } = await server.call('/metrics');
  assert.match(text, new RegExp(`platbook_errors_total\\{code="${expected.code}"\\} [1-9]`));
  return line;
}

async function lockWhile<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: deps.controlUrl });
  await client.connect();
  try {
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    return await work();
  } finally {
    await client.end();
  }
}

describe('a failure has one code, one cause and one line', { concurrency: false }, () => {
  it('a query that takes too long: 504 timeout', async () => {
    const server = await startServer({ STATEMENT_TIMEOUT_MS: '1000' });
    assert.equal((await server.call('/api/v1/batches')).status, 200);
    const answer = await lockWhile('control.batches', () => server.call('/api/v1/batches'));
    await assertFailure(server, answer, { code: 'timeout', status: 504, cause: /^57014$/ });
    await until(() => collector.spans.some((span) => span.isError && span.facts['error.type'] === '57014'));
    server.stop();
  });

  it('every connection in use: 503 overloaded', async () => {
    const server = await startServer({ POOL_SIZE: '1', STATEMENT_TIMEOUT_MS: '60000' });
    assert.equal((await server.call('/api/v1/batches')).status, 200);
    let stuck: Promise<unknown> | undefined;
    await lockWhile('control.batches', async () => {
      stuck = server.call('/api/v1/batches');
      await until(async () =>
        /platbook_pool_connections\{plane="control",state="used"\} 1/.test((await server.call('/metrics')).text),
      );
      const answer = await server.call('/api/v1/webhooks');
      await assertFailure(server, answer, { code: 'overloaded', status: 503, cause: /Error/ });
    });
    await stuck;
    server.stop();
  });

  it('the database gone: 503 unavailable, while /metrics says so, and back again', async () => {
    const server = await startServer({});
    assert.equal((await server.call('/api/v1/batches')).status, 200);
    server.proxy.cut();
    const answer = await server.call('/api/v1/batches');
    await assertFailure(server, answer, { code: 'unavailable', status: 503, cause: /ECONN|Error/ });
    const { status, text } = await server.call('/metrics');
    assert.equal(status, 200);
    assert.match(text, /platbook_database_up\{plane="control"\} 0/);
    server.proxy.restore();
    await until(async () => (await server.call('/api/v1/batches')).status === 200);
    server.stop();
  });

  it('the server’s disk full: 503 storage_full', async () => {
    const server = await startServer({});
    await deps.control.query(`create function control.no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file "base/1/2": No space left on device' using errcode = 'disk_full'; end $$`);
    await deps.control.query(
      'create trigger no_room before insert on control.watchlists execute function control.no_room()',
    );
    const answer = await server.call('/api/v1/watchlists', {
      name: 'Mine',
      property_ids: [DEMO.property_id],
      events: ['*'],
    });
    await deps.control.query('drop trigger no_room on control.watchlists');
    await assertFailure(server, answer, { code: 'storage_full', status: 503, cause: /^53100$/ });
  });

  it(
    'our own disk full, by writing to a device that always is: storage_full',
    { skip: process.platform !== 'linux' },
    () => {
      assert.throws(
        () => writeFileSync('/dev/full', 'x'),
        (error: Error) => {
          const told = translate(error);
          assert.deepEqual([told.code, told.status], ['storage_full', 503]);
          assert.equal(describeFailure(told).error.cause, 'ENOSPC');
          return true;
        },
      );
    },
  );

  it('a defect of ours: 500 internal_error, with the same fingerprint each time', async () => {
    const server = await startServer({});
    await deps.control.query('alter table control.batches rename to batches_away');
    const answers = [await server.call('/api/v1/batches'), await server.call('/api/v1/batches')];
    await deps.control.query('alter table control.batches_away rename to batches');
    const lines = [];
    for (const answer of answers)
      lines.push(await assertFailure(server, answer, { code: 'internal_error', status: 500, cause: /^42P01$/ }));
    assert.equal(lines[0].error!.fingerprint, lines[1].error!.fingerprint);
    assert.deepEqual(lines[0].error!.chain, ['internal_error', '42P01']);
    assert.match(lines[0].err!.stack, / of select .* from batches/);
  });
});

describe('what the log leaves out', () => {
  it('values that PostgreSQL quotes', async () => {
    const cause = await deps.control.query(`select 'perpetua@example.com'::integer`).then(
      () => assert.fail('it is no number'),
      (error: Error) => error,
    );
    const told = JSON.stringify(describeFailure(translate(cause)));
    assert.equal(told.includes('perpetua'), false, told);
    assert.match(told, /22P02/);
  });

  it('rows that break a constraint', async () => {
    const cause = await deps.control
      .query(`insert into control.minute_counts values ('203.0.113.77', 1, 1), ('203.0.113.77', 1, 1)`)
      .then(
        () => assert.fail('twice'),
        (error: Error) => error,
      );
    const told = describeFailure(translate(cause));
    assert.equal(JSON.stringify(told).includes('203.0.113.77'), false);
    assert.equal(told.error.cause, '23505 minute_counts_pkey');
  });
});
