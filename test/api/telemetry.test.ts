// Traces and metrics at a collector: one trace per request, valuation, batch and delivery; nothing personal in any of
// them; and no request that suffers from a collector that misbehaves.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { nameStatement } from '../../src/base/telemetry/statements.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { startCollector, type CollectedSpan, type Collector } from '../collector.ts';
import { testClient } from '../harness.ts';
import { startReceiver } from '../receiver.ts';
import { until } from '../until.ts';

const collector = await startCollector();
const settings = (target: Collector) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: target.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-team=sight%20team',
  OTEL_SERVICE_NAME: 'platbook-test',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  OTEL_METRIC_EXPORT_INTERVAL: '500',
  OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  WEBHOOK_ALLOW_PRIVATE: 'loopback',
});
const api = await testClient({ settings: settings(collector) });

const SERVER = 2;
const CLIENT = 3;

async function collected(name: string): Promise<CollectedSpan> {
  await until(() => collector.spansOf(name).length > 0);
  const span = collector.spansOf(name)[0];
  // Children end before their parent, so they have been sent with it or before.
  return span;
}

function assertUnder(root: CollectedSpan, span: CollectedSpan): void {
  const trace = new Map(collector.traceOf(root).map((each) => [each.spanId, each]));
  for (let at: CollectedSpan | undefined = span; at !== root; at = trace.get(at.parentSpanId ?? '')) {
    assert.ok(at, `${span.name} does not lead to ${root.name}`);
  }
}

describe('one trace for one thing', () => {
  it('a search: the request, and its statements inside', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    assert.equal((await api.get('/properties/search?state=ZZ&limit=3', { headers: { traceparent } })).status, 200);
    const root = await collected('GET /api/v1/properties/search');
    assert.equal(root.kind, SERVER);
    assert.equal(root.traceId, '4bf92f3577b34da6a3ce929d0e0e4736', 'a caller on this machine is believed');
    assert.equal(root.parentSpanId, '00f067aa0ba902b7');
    assert.equal(root.facts['http.response.status_code'], 200);
    assert.equal(root.facts['http.route'], '/api/v1/properties/search');
    const statements = collector.traceOf(root).filter((span) => span.facts['db.system.name'] === 'postgresql');
    const ofData = statements.filter((span) => span.facts['db.namespace'] === 'data').map(({ name }) => name);
    assert.ok(
      ofData.some((name) => /^(select|with) /.test(name)),
      JSON.stringify(statements.map(({ name }) => name)),
    );
    for (const span of statements) {
      assert.equal(span.kind, CLIENT);
      assertUnder(root, span);
    }
    const { resource } = root;
    assert.equal(resource['service.name'], 'platbook-test');
    assert.equal(resource['deployment.environment.name'], 'test');
    assert.match(String(resource['service.instance.id']), /^inst_/);
    assert.equal(collector.headers[0]['x-team'], 'sight team');
  });

  it('a caller elsewhere cannot choose the trace', async () => {
    const traceparent = '00-11111111111111111111111111111111-2222222222222222-01';
    const headers = { traceparent, 'x-forwarded-proto': 'https' };
    assert.equal((await api.get('/markets', { headers, from: '203.0.113.9' })).status, 403);
    const root = await collected('GET /api/v1/markets');
    assert.notEqual(root.traceId, '1'.repeat(32));
    assert.equal(root.parentSpanId, undefined);
  });

  for (const traceparent of [
    '',
    'nonsense',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  ])
    it(`a header that is none starts a new trace: "${traceparent.slice(0, 12)}"`, async () => {
      const before = collector.spansOf('GET /api/v1/plans').length;
      assert.equal((await api.get('/plans', { headers: { traceparent } })).status, 200);
      await until(() => collector.spansOf('GET /api/v1/plans').length > before);
      assert.equal(collector.spansOf('GET /api/v1/plans').at(-1)!.parentSpanId, undefined);
    });

  it('a valuation: request, valuation, model, statements', async () => {
    const { status } = await api.post('/avm/estimate', { property: { address: DEMO.address } });
    assert.equal(status, 200);
    const root = await collected('POST /api/v1/avm/estimate');
    const valuation = collector.traceOf(root).find((span) => span.name === 'valuation')!;
    const model = collector.traceOf(root).find((span) => span.name === 'open model')!;
    assert.equal(valuation.parentSpanId, root.spanId);
    assert.equal(valuation.facts['platbook.mode'], 'test');
    assertUnder(valuation, model);
    assert.ok(
      collector.traceOf(root).some((span) => span.name.startsWith('select ') && span.parentSpanId === model.spanId),
    );
  });

  it('a batch chunk and a webhook delivery, each with what was written of it', async () => {
    const receiver = await startReceiver();
    await api.post('/webhooks', { url: `${receiver.url}/secret-token-in-path`, events: ['batch.completed'] });
    const items = [{ address: DEMO.address }];
    assert.equal((await api.post('/batches', { items, include: ['property', 'valuation'] })).status, 202);
    await drain(api.deps);
    assert.equal(receiver.received.length, 1);
    assert.equal(receiver.received[0].headers.traceparent, undefined, 'a receiver is not told our trace');
    const chunk = await collected('batch chunk');
    assert.equal(chunk.parentSpanId, undefined);
    assert.equal(chunk.facts['platbook.items'], 1);
    assert.ok(collector.traceOf(chunk).some((span) => span.name === 'valuation'));
    assert.ok(collector.traceOf(chunk).some((span) => span.name === 'update batch_items'));
    const delivery = await collected('webhook delivery');
    assert.notEqual(delivery.traceId, chunk.traceId);
    assert.equal(delivery.facts['platbook.event'], 'batch.completed');
    const post = collector.traceOf(delivery).find((span) => span.name === 'POST webhook')!;
    assert.equal(post.parentSpanId, delivery.spanId);
    assert.equal(post.facts['http.response.status_code'], 200);
    assert.ok(collector.traceOf(delivery).some((span) => span.name === 'insert webhook_attempts'));
  });

  it('a job; polling an empty queue leaves none', async () => {
    await runSchedule(api.deps, 'tidy-batches');
    const job = await collected('job tidy-batches');
    assert.ok(collector.traceOf(job).length > 1);
    const roots = collector.spans.filter((span) => span.parentSpanId === undefined);
    assert.deepEqual(
      roots.filter((span) => span.facts['db.system.name'] !== undefined),
      [],
    );
  });

  it('an error is told by its code, as an error', async () => {
    await api.deps.control.query('alter table batches rename to batches_away');
    try {
      assert.equal((await api.get('/batches')).status, 500);
    } finally {
      await api.deps.control.query('alter table batches_away rename to batches');
    }
    const root = await collected('GET /api/v1/batches');
    assert.equal(root.isError, true);
    const statement = collector.traceOf(root).find((span) => span.name === 'select batches')!;
    assert.equal(statement.facts['error.type'], '42P01');
  });
});

describe('what a trace never holds', () => {
  it('no address, owner, key, email, query or target, after a session full of them', async () => {
    const owner = 'Quillfeather';
    const address = '77 Marigold Hollow Ln';
    const email = 'perpetua.quillfeather@example.com';
    await api.get(`/properties/search?state=ZZ&city=${owner}&q=${owner}`);
    await api.get(`/properties/lookup?address=${encodeURIComponent(`${address}, Port Ellowby, ZZ`)}`);
    await api.get(`/properties/autocomplete?q=${encodeURIComponent(address)}`);
    await api.post('/avm/estimate', { property: { address: `${address}, Port Ellowby, ZZ` } });
    await api.post('/batches', { items: [{ address: `${address}, Port Ellowby, ZZ` }], include: ['property'] });
    await api.call('POST', '//session/sign-up', {
      key: null,
      body: { name: owner, email, password: 'nine quiet lighthouses' },
    });
    await api.get('/markets', { key: 'sk_test_pb_not-a-key-at-all' });
    await api.get(`//p/${owner}?${owner}`, { key: null });
    await drain(api.deps);
    const before = collector.bodies.length;
    await until(() => collector.spansOf('POST /session/sign-up').length > 0 && collector.bodies.length > before + 1);
    const everything = collector.bodies.join('\n').toLowerCase();
    for (const word of [
      owner,
      'marigold',
      'perpetua',
      '@example',
      'secret-token',
      'lighthouses',
      api.testKey,
      api.liveKey,
      'not-a-key',
      '127.0.0.1:',
    ])
      assert.equal(everything.includes(word.toLowerCase()), false, word);
    const names = new Set(collector.spans.flatMap((span) => Object.keys(span.facts)));
    const known = [
      'db.namespace',
      'db.query.summary',
      'db.system.name',
      'error.type',
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'platbook.attempt',
      'platbook.event',
      'platbook.items',
      'platbook.market',
      'platbook.mode',
      'platbook.model',
    ];
    assert.deepEqual(
      [...names].filter((name) => !known.includes(name)),
      [],
    );
  });

  it('a statement is named by verb and table, whatever else it says', () => {
    for (const [text, name] of [
      [`select a from properties where b = 'from secrets'`, 'select properties'],
      [`insert into events (id) select 'x' from unnest($1)`, 'insert events'],
      ['update webhook_deliveries d set a = 1', 'update webhook_deliveries'],
      [`select pg_notify($1, $2)`, 'select'],
      ['begin', 'begin'],
      ['', 'statement'],
      [`select 'it''s from x' from accounts`, 'select accounts'],
    ])
      assert.equal(nameStatement(text), name);
  });
});

describe('metrics', () => {
  it('are those of /metrics, with the same labels', async () => {
    await until(() => collector.points.some(({ name }) => name === 'http_request_duration_seconds'));
    const { text } = await api.get('//metrics', { key: null });
    const shown = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    for (const { name } of collector.points) assert.ok(shown.has(name), name);
    const search = collector.points.find(
      ({ name, facts }) => name === 'http_request_duration_seconds' && facts.route === '/api/v1/properties/search',
    );
    assert.deepEqual([search?.kind, search!.value > 0, search?.facts.method], ['histogram', true, 'GET']);
    assert.ok(collector.points.some(({ name, kind }) => name === 'platbook_disk_free_ratio' && kind === 'gauge'));
  });
});

describe('a collector that misbehaves', () => {
  const KINDS: Record<string, Collector['misbehave'] | 'refuses'> = {
    'never answers': () => {},
    'answers garbage': (response) => response.writeHead(200).end('<html>\0'),
    'answers 500': (response) => response.writeHead(500).end(),
    'hangs up': (response) => response.destroy(),
    'wants a pause of an hour': (response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
    'is not there': 'refuses',
  };
  for (const [kind, behavior] of Object.entries(KINDS)) {
    it(`${kind}: requests go on, and the telemetry can be closed`, async () => {
      const bad = await startCollector();
      if (behavior === 'refuses') bad.close();
      else bad.misbehave = behavior;
      const client = await testClient({ settings: settings(bad) });
      // More spans than the queue holds.
      for (let i = 0; i < 40; i++) {
        const answers = await Promise.all(
          Array.from({ length: 25 }, () => client.get('/properties/search?state=ZZ&limit=1')),
        );
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      }
      await until(async () => {
        const { text } = await client.get('//metrics', { key: null });
        return /platbook_telemetry_exports_total\{outcome="(failed|sent)"\} [1-9]/.test(text);
      });
      await client.deps.telemetry.close();
    });
  }
});

describe('without a collector', () => {
  it('telemetry is off, and log lines carry no trace', async () => {
    const client = await testClient();
    assert.equal(client.deps.telemetry.isOn, false);
    assert.deepEqual(client.deps.telemetry.logFields(), {});
    assert.equal((await client.get('/markets')).status, 200);
  });

  it('what talks to a collector is not even loaded', () => {
    const loadedBy = (file: string): number => {
      const url = new URL(`../../src/${file}`, import.meta.url).href;
      // The metrics library loads the interfaces (api), which do nothing by themselves.
      const script = `
        import { registerHooks } from 'node:module';
        let count = 0;
        registerHooks({ load(url, context, next) {
          if (/@opentelemetry\\/(?!api\\/)/.test(url)) count++;
          return next(url, context);
        } });
        await import(${JSON.stringify(url)});
        console.log(count);
        process.exit();`;
      return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }));
    };
    assert.equal(loadedBy('app.ts'), 0);
    assert.ok(loadedBy('base/telemetry/otlp.ts') > 0);
  });
});
