// Webhooks: managing them, what a receiver gets, what happens when it fails, and isolation between endpoints.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createAccount, createKey, getAccount } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { recordEvent } from '../../src/base/events/events.ts';
import { EVENT_KINDS } from '../../src/base/events/kinds.ts';
import { KIND_NAMES } from '../../src/base/events/names.ts';
import { readConfig } from '../../src/base/config.ts';
import { sendPing } from '../../src/delivery/webhooks/deliveries.ts';
import { createEndpoint } from '../../src/delivery/webhooks/webhooks.ts';
import { createDispatcher } from '../../src/delivery/webhooks/deliveries.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { startReceiver } from '../receiver.ts';
import { until } from '../until.ts';

const api = await testClient({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_TIMEOUT_MS: '1500' } });
const receiver = await startReceiver();
let clock = Date.parse('2026-11-01T00:00:00Z');
const travel = (ms: number) => api.deps.travel(new Date((clock += ms)).toISOString());
travel(0);
const HOUR = 3_600_000;
const work = () => drain(api.deps, ['webhooks']);

async function makeWebhook(path: string, body: object = {}, key = api.testKey) {
  const { status, body: made, text } = await api.post('/webhooks', { url: receiver.url + path, ...body }, { key });
  assert.equal(status, 201, text);
  return made as { id: string; secret: string };
}

async function fire(type = 'ping', data?: object) {
  const { status, body } = await api.post('/sandbox/events', { type, ...(data && { data }) });
  assert.equal(status, 201);
  return body as { id: string };
}

/** As a worker does: starts what is due whenever a slot is free. */
async function drainUntilSettled(deps: typeof api.deps) {
  let wake = () => {};
  const dispatcher = createDispatcher(deps, () => wake());
  for (;;) {
    while (await dispatcher.work());
    const { rows } = await deps.control.query(
      `select 1 from webhook_deliveries where status = 'pending' and locked_until > $1 limit 1`,
      [deps.clock()],
    );
    if (rows.length === 0) return dispatcher.settle();
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, 20);
    });
  }
}

async function remove(...ids: string[]) {
  for (const id of ids) assert.equal((await api.call('DELETE', `/webhooks/${id}`)).status, 204);
}

describe('a webhook in the format of Slack', () => {
  it('gets a headline in words, what changed and a link, within the limits of blocks', async () => {
    const made = await makeWebhook('/slack', { format: 'slack', events: ['*'] });
    assert.equal((await api.get(`/webhooks/${made.id}`)).body.format, 'slack');
    for (const type of KIND_NAMES) await fire(type);
    await work();
    const messages = receiver.of('/slack').map(({ event }) => event);
    assert.equal(messages.length, KIND_NAMES.length);
    for (const { text, blocks, ...more } of messages) {
      assert.deepEqual(more, {});
      assert.ok(text.length > 10 && text.length < 300, text);
      const [section, context] = blocks;
      assert.ok(section.type === 'section' && section.text.type === 'mrkdwn' && section.text.text.includes(text));
      assert.match(
        context.elements[0].text,
        /^Sandbox {2}· {2}[\w.]+ {2}· {2}<http[^|>]+\/(p|dashboard)\b[^|>]*\|Open in Platbook>$/,
      );
      assert.ok(!/undefined|\[object/.test(section.text.text), section.text.text);
    }
    const sold = messages.find(({ text }) => text === 'A sale was recorded.');
    assert.match(sold.blocks[0].text.text, /last sale price: 412,000 → 535,000/);
    assert.match(sold.blocks[1].elements[0].text, /\/p\/prop_\w+\|/);
    const loan = messages.find(({ text }) => text.includes('registered loan'));
    assert.match(loan.blocks[0].text.text, /• A mortgage of \$85,000 was recorded/);
    await remove(made.id);
  });

  it('cannot be made to say or link anything by the data, and is never longer than Slack takes', async () => {
    const made = await makeWebhook('/hostile', { format: 'slack', events: ['loan.changed', 'api_key.expiring'] });
    const detail = `<!channel> <https://evil.example|click> & ${'<'.repeat(340)}`;
    await fire('loan.changed', {
      changes: Array.from({ length: 90 }, () => ({ code: 'ltv_above', detail: detail.slice(0, 400) })),
    });
    await fire('api_key.expiring', { name: '<!here> & co', key_id: 'key_a|b>' });
    await work();
    const [loan, key] = receiver.of('/hostile').map(({ event }) => event.blocks);
    for (const [section, context] of [loan, key]) {
      assert.ok(section.text.text.length <= 3_000);
      assert.ok(!/[<>]/.test(section.text.text));
      assert.match(section.text.text, /&lt;!(channel|here)&gt;/);
      assert.equal(context.elements[0].text.match(/[<>]/g)!.length, 2);
    }
    await remove(made.id);
  });

  it('can be changed back, and only to a format that there is', async () => {
    const made = await makeWebhook('/changed', { format: 'slack' });
    assert.equal((await api.call('PATCH', `/webhooks/${made.id}`, { body: { format: 'teams' } })).status, 400);
    const changed = await api.call('PATCH', `/webhooks/${made.id}`, { body: { format: 'json' } });
    assert.equal(changed.body.format, 'json');
    await api.post(`/webhooks/${made.id}/test`);
    assert.equal(receiver.of('/changed')[0].event.type, 'ping');
    await remove(made.id);
  });
});

describe('managing webhooks', () => {
  it('returns the secret once with 201 and stores it encrypted; lists, updates and deletes', async () => {
    const made = await makeWebhook('/crud', { events: ['batch.*'], description: 'nightly' });
    assert.match(made.secret, /^whsec_/);
    const { body: read } = await api.get(`/webhooks/${made.id}`);
    assert.equal('secret' in read, false);
    assert.deepEqual(read.events, ['batch.*']);
    const { rows } = await api.deps.control.query('select * from webhook_endpoints where id = $1', [made.id]);
    assert.equal(JSON.stringify(rows).includes(made.secret), false);
    assert.equal(rows[0].secrets.toString('latin1').includes(made.secret.slice(6, 20)), false);
    const patched = await api.call('PATCH', `/webhooks/${made.id}`, { body: { events: ['*'], status: 'disabled' } });
    assert.equal(patched.body.status, 'disabled');
    assert.equal(patched.body.disabled_reason, 'requested');
    assert.equal((await api.get('/webhooks')).body.data.length, 1);
    await remove(made.id);
    assert.equal((await api.get(`/webhooks/${made.id}`)).status, 404);
  });

  it('returns 400 for a bad URL or kind and 403 above the plan’s limit; live and sandbox are separate', async () => {
    assert.equal((await api.post('/webhooks', { url: 'nonsense' })).status, 400);
    assert.equal((await api.post('/webhooks', { url: 'https://user:x@example.com/' })).status, 400);
    assert.equal((await api.post('/webhooks', { url: receiver.url, events: ['property.eaten'] })).status, 400);
    const trial = await createAccount(api.deps.control, api.deps.clock(), 'Trial', 'trial');
    const { secret } = await createKey(api.deps, trial.id, { name: 'x', mode: 'test', scopes: [...SCOPES] });
    const first = await makeWebhook('/one', {}, secret);
    const tries = await Promise.all([1, 2, 3].map(() => api.post('/webhooks', { url: receiver.url }, { key: secret })));
    for (const { status, body } of tries) {
      assert.equal(status, 403);
      assert.equal(body.code, 'plan_feature_unavailable');
      assert.equal(body.limit, 1);
    }
    assert.equal((await api.get(`/webhooks/${first.id}`)).status, 404);
    assert.equal((await api.get(`/webhooks/${first.id}`, { key: api.liveKey })).status, 404);
  });

  it('unless the operator asks for more: HTTPS and public IPs only', async () => {
    const strict = { ...api.deps, config: { ...api.deps.config, webhookAllowPrivate: 'none' as const } };
    const account = await getAccount(api.deps, api.accountId);
    for (const url of [
      'http://example.com/',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://[::ffff:7f00:1]/',
      'https://169.254.169.254/',
    ])
      await assert.rejects(createEndpoint(strict, account, 'live', { url }), /^Error: url /, url);
    assert.ok(await createEndpoint(strict, account, 'live', { url: 'https://example.com/hook' }));
    const settings = (more: object) => readConfig({ ...more }).webhookAllowPrivate;
    assert.equal(settings({}), 'none');
    assert.equal(settings({ WEBHOOK_ALLOW_PRIVATE: 'loopback' }), 'loopback');
    assert.equal(settings({ WEBHOOK_ALLOW_PRIVATE: 'true' }), 'any');
  });
});

describe('a delivery', () => {
  it('passes third-party verification, carries type, timestamp, data and sequence, and is logged', async () => {
    const hook = await makeWebhook('/good');
    const event = await fire('batch.completed', { batch_id: 'batch_x' });
    await work();
    const [got, ...more] = receiver.of('/good');
    assert.equal(more.length, 0);
    assert.equal(got.headers['webhook-id'], event.id);
    // The verifier allows five minutes; the test's clock is elsewhere.
    const stamp = Number(got.headers['webhook-timestamp']);
    assert.equal(stamp, Math.floor(clock / 1000));
    const { sign } = new Webhook(hook.secret);
    const expected = sign.call(new Webhook(hook.secret), event.id, new Date(stamp * 1000), got.body);
    assert.equal(got.headers['webhook-signature'], expected);
    assert.equal(got.event.type, 'batch.completed');
    assert.equal(got.event.data.batch_id, 'batch_x');
    assert.equal(typeof got.event.sequence, 'number');
    assert.ok(got.body.length < 20_000);
    const { body: page } = await api.get(`/webhooks/${hook.id}/deliveries`);
    assert.equal(page.data[0].status, 'succeeded');
    const { body: log } = await api.get(`/deliveries/${page.data[0].id}`);
    assert.equal(log.payload.id, event.id);
    assert.equal(log.attempts[0].response_status, 200);
    assert.equal(log.attempts[0].response_body, 'answered 200');
    await remove(hook.id);
  });

  it('goes once to each endpoint subscribed to its kind, for every kind', async () => {
    const all = await makeWebhook('/all');
    const some = await makeWebhook('/some', { events: ['property.*', 'ping'] });
    for (const kind of KIND_NAMES) await fire(kind);
    await work();
    await work();
    assert.deepEqual(
      receiver
        .of('/all')
        .map((got) => got.event.type)
        .sort(),
      [...KIND_NAMES].sort(),
    );
    const wanted = KIND_NAMES.filter((kind) => kind.startsWith('property.') || kind === 'ping');
    assert.deepEqual(
      receiver
        .of('/some')
        .map((got) => got.event.type)
        .sort(),
      wanted.sort(),
    );
    const sequences = receiver.of('/all').map((got) => got.event.sequence);
    assert.equal(new Set(sequences).size, sequences.length);
    await remove(all.id, some.id);
  });

  it('is sent immediately by a test ping, which returns the response', async () => {
    const hook = await makeWebhook('/ping', { events: ['invoice.finalized'] });
    const { status, body } = await api.post(`/webhooks/${hook.id}/test`, undefined);
    assert.equal(status, 200);
    assert.equal(body.status, 'succeeded');
    assert.equal(body.attempts[0].response_status, 200);
    assert.equal(receiver.of('/ping')[0].event.type, 'ping');
    await work();
    assert.equal(receiver.of('/ping').length, 1);
    // Workers look for what is due all the time; none may take a ping from whoever waits for its response.
    const dispatcher = createDispatcher(api.deps);
    const state = { isOver: false };
    const workers = [1, 2].map(async () => {
      while (!state.isOver) await dispatcher.work();
    });
    for (let ping = 0; ping < 20; ping++) {
      const { body: sent } = await api.post(`/webhooks/${hook.id}/test`, undefined);
      assert.deepEqual([sent.status, sent.attempts.length], ['succeeded', 1]);
    }
    state.isOver = true;
    await Promise.all(workers);
    await dispatcher.settle();
    assert.equal(receiver.of('/ping').length, 21);
    await remove(hook.id);
  });

  it('carries two signatures during a rotation’s overlap, then one', async () => {
    const hook = await makeWebhook('/rotate');
    const { body: rotated } = await api.post(`/webhooks/${hook.id}/rotate-secret`, { overlap_hours: 24 });
    assert.notEqual(rotated.secret, hook.secret);
    await fire();
    await work();
    const both = String(receiver.of('/rotate')[0].headers['webhook-signature']).split(' ');
    assert.equal(both.length, 2);
    const { headers, body } = receiver.of('/rotate')[0];
    for (const secret of [rotated.secret, hook.secret]) {
      const outsider = new Webhook(secret);
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      assert.ok(both.includes(outsider.sign(String(headers['webhook-id']), at, body)));
    }
    travel(24 * HOUR);
    await fire();
    await work();
    assert.equal(String(receiver.of('/rotate')[1].headers['webhook-signature']).split(' ').length, 1);
    await remove(hook.id);
  });
});

describe('failure', () => {
  it('is retried on schedule with one id, abandoned after ten attempts, and redelivered on request', async () => {
    const hook = await makeWebhook('/broken');
    receiver.answer = 500;
    const event = await fire();
    await work();
    for (let attempt = 2; attempt <= 12; attempt++) {
      await work();
      assert.ok(receiver.of('/broken').length < attempt, 'not early');
      travel(24 * HOUR * 1.2);
      await work();
      // Two of the warnings' events go to other endpoints only.
      if ((await api.get(`/webhooks/${hook.id}`)).body.status === 'disabled')
        await api.call('PATCH', `/webhooks/${hook.id}`, { body: { status: 'enabled' } });
    }
    const got = receiver.of('/broken');
    assert.equal(got.length, 10);
    assert.deepEqual([...new Set(got.map((one) => one.headers['webhook-id']))], [event.id]);
    assert.equal(new Set(got.map((one) => one.body)).size, 1);
    const { body: page } = await api.get(`/webhooks/${hook.id}/deliveries?status=failed`);
    assert.equal(page.data.length, 1);
    assert.equal(page.data[0].attempt_count, 10);
    receiver.answer = 204;
    const again = await api.post(`/deliveries/${page.data[0].id}/redeliver`, undefined);
    assert.equal(again.status, 202);
    await work();
    assert.equal(receiver.of('/broken').length, 11);
    assert.equal((await api.get(`/deliveries/${page.data[0].id}`)).body.status, 'succeeded');
    await remove(hook.id);
    receiver.answer = 200;
  });

  it('redelivers everything that has not arrived since a given time, whether given up or waiting', async () => {
    const hook = await makeWebhook('/since');
    receiver.answer = 500;
    for (let i = 0; i < 5; i++) await fire();
    await work();
    travel(24 * HOUR);
    for (let i = 0; i < 5; i++) await work();
    const { body: waiting } = await api.get(`/webhooks/${hook.id}/deliveries?status=pending`);
    assert.equal(waiting.data.length, 5);
    const [failed, inFlight] = waiting.data.map(({ id }: { id: string }) => id);
    await api.deps.control.query(
      `update webhook_deliveries set status = 'failed', next_attempt_at = null where id = $1`,
      [failed],
    );
    const lock = (until: Date | null) =>
      api.deps.control.query('update webhook_deliveries set locked_until = $2 where id = $1', [inFlight, until]);
    await lock(new Date(clock + HOUR));
    receiver.answer = 200;
    const redeliver = (since: number, until?: number) =>
      api.post(`/webhooks/${hook.id}/redeliver`, {
        since: new Date(since).toISOString(),
        ...(until !== undefined && { until: new Date(until).toISOString() }),
      });
    assert.equal((await redeliver(clock)).body.delivery_count, 0);
    assert.equal((await redeliver(clock - 72 * HOUR, clock - 48 * HOUR)).body.delivery_count, 0);
    assert.equal((await redeliver(clock, clock)).body.errors[0].pointer, '/body/until');
    assert.equal((await redeliver(clock - 30 * HOUR)).body.delivery_count, 4, 'all but the one being sent');
    await lock(null);
    await work();
    assert.equal((await redeliver(clock - 30 * HOUR)).body.delivery_count, 1);
    await work();
    const { body } = await api.get(`/webhooks/${hook.id}/deliveries?status=succeeded`);
    assert.equal(body.data.length, 5);
    assert.equal((await redeliver(clock - 30 * HOUR)).body.delivery_count, 0, 'what arrived is left alone');
    await remove(hook.id);
  });

  it('includes 3xx, which is not followed; honors Retry-After; 410 disables the endpoint', async () => {
    const hook = await makeWebhook('/moved');
    receiver.answer = (response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end();
    await fire();
    await work();
    assert.equal(receiver.of('/elsewhere').length, 0);
    const { body: page } = await api.get(`/webhooks/${hook.id}/deliveries`);
    assert.equal(page.data[0].last_response_status, 302);
    assert.equal(page.data[0].status, 'pending');
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '7200' }).end();
    travel(10_000);
    await work();
    const { body: waiting } = await api.get(`/deliveries/${page.data[0].id}`);
    assert.equal(Date.parse(waiting.next_attempt_at) - clock, 7_200_000);
    receiver.answer = 410;
    travel(3 * HOUR);
    await work();
    const { body: disabled } = await api.get(`/webhooks/${hook.id}`);
    assert.equal(disabled.status, 'disabled');
    assert.equal(disabled.disabled_reason, 'gone');
    const { body: events } = await api.get('/events?type=webhook.disabled&limit=1');
    assert.equal(events.data[0].data.webhook_id, hook.id);
    receiver.answer = 200;
    await remove(hook.id);
  });

  it('disables the endpoint after five days and two warnings; a success in between resets it', async () => {
    const hook = await makeWebhook('/days');
    const watcher = await makeWebhook('/watch', { events: ['webhook.*'] });
    receiver.answer = (response, got) => response.writeHead(got.path === '/days' ? 500 : 200).end();
    const states: string[] = [];
    for (let day = 0; day <= 6; day++) {
      await fire('batch.completed');
      await work();
      const { body } = await api.get(`/webhooks/${hook.id}`);
      states.push(`${body.status} ${body.warnings}`);
      travel(24 * HOUR);
    }
    assert.deepEqual(states, [
      'enabled 0',
      'enabled 1',
      'enabled 1',
      'enabled 2',
      'enabled 2',
      'disabled 2',
      'disabled 2',
    ]);
    await work();
    assert.deepEqual(
      receiver.of('/watch').map((got) => got.event.type),
      ['webhook.failing', 'webhook.failing', 'webhook.disabled'],
    );
    const before = receiver.of('/days').length;
    receiver.answer = 200;
    await api.call('PATCH', `/webhooks/${hook.id}`, { body: { status: 'enabled' } });
    await work();
    assert.ok(receiver.of('/days').length > before, 'resumes with what was pending');
    const { body } = await api.get(`/webhooks/${hook.id}`);
    assert.equal(body.failing_since, null);
    await remove(hook.id, watcher.id);
  });

  it('starts counting days again after a success', async () => {
    const hook = await makeWebhook('/mended');
    const fireInto = async (status: number) => {
      receiver.answer = status;
      await fire('batch.completed');
      await work();
      const { body } = await api.get(`/webhooks/${hook.id}`);
      return [body.warnings, body.failing_since];
    };
    await fireInto(500);
    travel(2 * 24 * HOUR);
    assert.equal((await fireInto(500))[0], 1);
    assert.deepEqual(await fireInto(200), [0, null]);
    travel(HOUR);
    const since = api.deps.clock().toISOString();
    assert.deepEqual(await fireInto(500), [0, since], 'earlier failures no longer count');
    receiver.answer = 200;
    await remove(hook.id);
  });
});

describe('outbox', () => {
  it('drops events of a rolled-back transaction and records one event per source', async () => {
    const data = EVENT_KINDS.ping.example;
    const event = { accountId: api.accountId, mode: 'test', type: 'ping', data, sourceKey: 'same' } as const;
    const client = await api.deps.control.connect();
    await client.query('begin');
    assert.ok(await recordEvent(client, event));
    await client.query('rollback');
    client.release();
    assert.ok(await recordEvent(api.deps.control, event));
    assert.equal(await recordEvent(api.deps.control, event), undefined);
    await work();
  });

  it('announces a newly serving model once, to existing accounts', async () => {
    const insert = (version: string, market: string) =>
      api.deps.control.query(
        `insert into models (version, market, state, trained_on, hash, card, bytes, created_at)
         values ($1, $2, 'current', '2026-10-01', 'x', '{}', '', $3)`,
        [version, market, api.deps.clock()],
      );
    await insert('9.9.9', 'elsewhere');
    await runSchedule(api.deps, 'announce-models');
    await runSchedule(api.deps, 'announce-models');
    const { body } = await api.get('/events?type=model.released', { key: api.liveKey });
    assert.deepEqual(
      body.data.map((event: any) => event.data.model_version),
      ['9.9.9'],
    );
  });

  it('isolates endpoints from dead and slow ones', async () => {
    const big = await createAccount(api.deps.control, api.deps.clock(), 'Big', 'scale');
    const { secret: key } = await createKey(api.deps, big.id, { name: 'x', mode: 'test', scopes: [...SCOPES] });
    const held: ServerResponse[] = [];
    receiver.answer = (response, got) => {
      if (got.path.startsWith('/dead')) held.push(response);
      else response.writeHead(200).end();
    };
    for (let i = 0; i < 100; i++) await makeWebhook(i < 10 ? `/dead${i}` : `/live${i}`, {}, key);
    for (let i = 0; i < 5; i++) await api.post('/sandbox/events', { type: 'batch.completed' }, { key });
    const patient = { ...api.deps, config: { ...api.deps.config, webhookTimeoutMs: 60_000 } };
    const working = drainUntilSettled(patient);
    const live = () => receiver.received.filter((got) => got.path.startsWith('/live')).length;
    // Dead endpoints respond only once every live one has everything: if those waited, nothing would finish.
    await until(() => live() >= 450);
    assert.equal(live(), 450);
    assert.ok(held.length >= 10, 'requests to the dead ones are in flight');
    receiver.answer = 500;
    for (const response of held) response.writeHead(500).end();
    await working;
    receiver.answer = 200;
  });
});

describe('the receivers of docs/internals/webhooks.md', () => {
  const text = readFileSync(new URL('../../docs/internals/webhooks.md', import.meta.url), 'utf8');
  const codeOf = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)![1];
  const python = spawnSync('python3', ['--version']).status === 0;

  /** Starts a receiver, sends it a genuine ping and a forged one, and returns its responses and output. */
  async function tryReceiver(command: string, file: string, code: string) {
    const folder = mkdtempSync(join(tmpdir(), 'platbook-receiver-'));
    writeFileSync(join(folder, file), code);
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const present = { ...api.deps, clock: () => new Date() };
    const account = await getAccount(api.deps, api.accountId);
    const url = `http://127.0.0.1:${port}/`;
    const { endpoint, secret } = await createEndpoint(present, account, 'test', { url, events: ['invoice.finalized'] });
    const child = spawn(command, [join(folder, file)], {
      env: { ...process.env, PORT: String(port), PLATBOOK_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
    await until(() => printed.includes('listening'));
    const id = await sendPing(present, endpoint);
    const { body } = await api.get(`/deliveries/${id}`);
    const headers = { 'webhook-id': 'evt_x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
    const forged = await fetch(url, {
      method: 'POST',
      body: '{}',
      headers: { ...headers, 'webhook-signature': 'v1,AAAA' },
    });
    await until(() => printed.includes('ping'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
    await remove(endpoint.id);
    return [body.last_response_status, forged.status];
  }

  it('accept a genuine delivery and refuse a forged one in TypeScript', async () => {
    assert.deepEqual(await tryReceiver(process.execPath, 'receiver.ts', codeOf('ts')), [204, 401]);
  });

  it('do the same in Python', { skip: !python && 'no python3 here' }, async () => {
    assert.deepEqual(await tryReceiver('python3', 'receiver.py', codeOf('python')), [204, 401]);
  });

  it('the customers’ page names every kind of event with its data', async () => {
    const { text: page } = await api.get('//docs/webhooks', { key: null });
    for (const kind of KIND_NAMES) assert.ok(page.includes(`<code>${kind}</code>`), kind);
    for (const name of ['period_start', 'trained_on', 'counts']) assert.ok(page.includes(`<code>${name}</code>`), name);
    assert.match(page, /changed_fields/);
  });
});
