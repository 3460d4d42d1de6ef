// Idempotency-Key: every POST is carried out once per key, in any process, and charged once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { signUp, startMailbox } from '../people.ts';
import { startReceiver } from '../receiver.ts';

const mailbox = await startMailbox();
const api = await testClient({
  settings: { WEBHOOK_ALLOW_PRIVATE: 'true', SMTP_URL: mailbox.url },
});
const receiver = await startReceiver();
const keyed = (key: string = randomUUID()) => ({ headers: { 'idempotency-key': key } });
const made = async (path: string, body: object): Promise<any> => {
  const answer = await api.post(path, body);
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};
const newExport = { name: 'all', dataset: 'properties', format: 'ndjson', destination: { type: 'folder' } };
const loanBody = { property: { id: DEMO.property_id }, amount: 100_000, closed_on: '2025-01-02' };
const batchBody = { items: [{ property_id: DEMO.property_id }] };
const webhookBody = () => ({ url: receiver.url, events: ['*'] });

/** A request to each POST that succeeds: its path and body, after making what it acts on. */
const REQUESTS: Record<string, () => Promise<[path: string, body?: object]>> = {
  '/properties/search': async () => ['/properties/search', { state: ['ZZ'], limit: 2 }],
  '/analytics/series': async () => ['/analytics/series', { zip: ['00103'], interval: 'year' }],
  '/reports': async () => ['/reports', { property: { id: DEMO.property_id } }],
  '/rents/estimate': async () => ['/rents/estimate', { property: { id: DEMO.property_id } }],
  '/avm/outlook': async () => ['/avm/outlook', { property: { id: DEMO.property_id } }],
  '/avm/estimate': async () => ['/avm/estimate', { property: { id: DEMO.property_id } }],
  '/reviews': async () => [
    '/reviews',
    {
      property: { id: DEMO.property_id },
      appraisal: { value: 900_000, effective_date: '2026-06-15', comparables: [] },
    },
  ],
  '/shares': async () => ['/shares', { property_id: DEMO.property_id }],
  '/shares/:id/revoke': async () => [`/shares/${(await made('/shares', { property_id: DEMO.property_id })).id}/revoke`],
  '/test-clocks': async () => ['/test-clocks', { name: 'c' }],
  '/test-clocks/:id/advance': async () => [
    `/test-clocks/${(await made('/test-clocks', { name: 'c', now: '2026-01-31T00:00:00Z' })).id}/advance`,
    { to: '2026-04-01T00:00:00Z' },
  ],
  '/loans': async () => ['/loans', loanBody],
  '/loans/batch': async () => ['/loans/batch', { items: [loanBody] }],
  '/owners/search': async () => ['/owners/search', { name: 'Ormander' }],
  '/keys': async () => ['/keys', { name: 'another' }],
  '/keys/:id/rotate': async () => [`/keys/${(await made('/keys', { name: 'r' })).id}/rotate`, {}],
  '/keys/:id/revoke': async () => [`/keys/${(await made('/keys', { name: 'v' })).id}/revoke`],
  '/webhooks': async () => ['/webhooks', webhookBody()],
  '/webhooks/:id/rotate-secret': async () => [
    `/webhooks/${(await made('/webhooks', webhookBody())).id}/rotate-secret`,
    {},
  ],
  '/webhooks/:id/test': async () => [`/webhooks/${(await made('/webhooks', webhookBody())).id}/test`],
  '/webhooks/:id/redeliver': async () => [
    `/webhooks/${(await made('/webhooks', webhookBody())).id}/redeliver`,
    { since: '2020-01-01T00:00:00Z' },
  ],
  '/deliveries/:id/redeliver': async () => {
    const { id } = await made(`/webhooks/${(await made('/webhooks', webhookBody())).id}/test`, {});
    return [`/deliveries/${id}/redeliver`];
  },
  '/sandbox/events': async () => ['/sandbox/events', { type: 'ping' }],
  '/watchlists': async () => ['/watchlists', { name: 'w', property_ids: [DEMO.property_id] }],
  '/watchlists/:id/properties': async () => [
    `/watchlists/${(await made('/watchlists', { name: 'w', property_ids: [DEMO.property_id] })).id}/properties`,
    { add: [DEMO.property_id] },
  ],
  '/exports': async () => ['/exports', newExport],
  '/exports/:id/runs': async () => {
    const { id } = await made('/exports', newExport);
    await drain(api.deps, ['exports']);
    return [`/exports/${id}/runs`];
  },
  '/batches': async () => ['/batches', batchBody],
  '/batches/:id/cancel': async () => [`/batches/${(await made('/batches', batchBody)).id}/cancel`],
};

const posts = api.routes.filter(({ method, path }) => method === 'POST' && path.startsWith('/api/v1/'));

describe('every POST of the API', () => {
  for (const { path } of posts) {
    it(`${path} is carried out once per key`, async () => {
      const prepare = REQUESTS[path.slice('/api/v1'.length)];
      assert.ok(prepare, `Add a request to ${path} to this test.`);
      const [target, body] = await prepare();
      const options = keyed();
      const first = await api.call('POST', target, { body, ...options });
      assert.ok(first.status >= 200 && first.status < 300, `${target}: ${first.text}`);
      assert.equal(first.headers['idempotency-replayed'], undefined);
      const again = await api.call('POST', target, { body, ...options });
      assert.equal(again.headers['idempotency-replayed'], 'true', again.text);
      assert.deepEqual([again.status, again.text], [first.status, first.text]);
      assert.equal(again.headers.location, first.headers.location);
      assert.equal(again.headers['content-type'], first.headers['content-type']);
      assert.equal(again.headers['x-usage-units'] ?? '0', '0');
      const other = await api.post('/sandbox/events', { type: 'ping', data: { message: 'other' } }, options);
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
    });
  }

  it('documents the header and its errors', () => {
    const { paths } = api.openApi() as any;
    for (const { path } of posts) {
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')].post;
      const header = operation.parameters.find(({ name }: any) => name === 'idempotency-key');
      assert.equal(header?.in, 'header', path);
      assert.match(
        JSON.stringify(operation.responses[422] ?? operation.responses['422']),
        /idempotency_mismatch/,
        path,
      );
      assert.match(
        JSON.stringify(operation.responses[409] ?? operation.responses['409']),
        /idempotency_in_progress/,
        path,
      );
    }
  });

  it('refuses a key that is too long, and ignores one on GET and DELETE', async () => {
    const long = await api.post('/sandbox/events', { type: 'ping' }, keyed('x'.repeat(256)));
    assert.equal(long.status, 400);
    const options = keyed();
    assert.equal((await api.get('/webhooks', options)).status, 200);
    assert.equal((await api.get('/events', options)).status, 200);
    const { id } = await made('/webhooks', webhookBody());
    assert.equal((await api.call('DELETE', `/webhooks/${id}`, options)).status, 204);
    assert.equal((await api.call('DELETE', `/webhooks/${id}`, options)).status, 404);
  });
});

describe('a key', () => {
  const trigger = (options: object, data = {}) => api.post('/sandbox/events', { type: 'ping', data }, options);
  const countEvents = async () =>
    (await api.deps.control.query('select count(*)::int as n from events')).rows[0].n as number;

  it('lets one of many simultaneous requests through; the others wait or get its answer', async () => {
    const before = await countEvents();
    const options = keyed();
    const answers = await Promise.all(Array.from({ length: 12 }, () => trigger(options)));
    const firsts = answers.filter(({ status, headers }) => status === 201 && !headers['idempotency-replayed']);
    assert.equal(firsts.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.equal(answer.body.code, 'idempotency_in_progress');
      assert.equal(answer.body.retryable, true);
      assert.ok(Number(answer.headers['retry-after']) > 0);
    }
    assert.equal(await countEvents(), before + 1);
    assert.equal((await trigger(options)).text, firsts[0].text);
  });

  it('is free again after a request that was not valid, met a limit of the moment, or failed on our side', async () => {
    const options = keyed();
    assert.equal((await api.post('/sandbox/events', { type: 'nonsense' }, options)).status, 400);
    assert.equal((await trigger(options)).status, 201);
    const { id } = await made('/webhooks', webhookBody());
    const disabled = keyed();
    await api.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } });
    assert.equal((await api.post(`/webhooks/${id}/test`, {}, disabled)).status, 409);
    await api.call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } });
    assert.equal((await api.post(`/webhooks/${id}/test`, {}, disabled)).status, 200);
    const failing = keyed();
    await api.deps.control.query('alter table events rename to events_away');
    assert.equal((await trigger(failing)).status, 500);
    await api.deps.control.query('alter table events_away rename to events');
    const recovered = await trigger(failing);
    assert.deepEqual([recovered.status, recovered.headers['idempotency-replayed']], [201, undefined]);
  });

  it('keeps a refusal that will not change', async () => {
    const options = keyed();
    const body = { property: { address: '404 Nowhere Rd, Port Ellowby, ZZ 00101' } };
    const first = await api.post('/avm/estimate', body, options);
    assert.equal(first.status, 422);
    const again = await api.post('/avm/estimate', body, options);
    assert.deepEqual([again.status, again.text, again.headers['idempotency-replayed']], [422, first.text, 'true']);
  });

  it('is taken over when the process that claimed it died, and then finds the batch that was made', async () => {
    const options = keyed();
    const first = await api.post('/batches', batchBody, options);
    const lose = (until: string) =>
      api.deps.control.query(
        'update idempotent_requests set status = null, answer = null, claimed_until = $2 where key = $1',
        [options.headers['idempotency-key'], until],
      );
    await lose('2999-01-01');
    assert.equal((await api.post('/batches', batchBody, options)).body.code, 'idempotency_in_progress');
    await lose('2001-01-01');
    const again = await api.post('/batches', batchBody, options);
    assert.deepEqual([again.status, again.body.id], [202, first.body.id]);
    await lose('2001-01-01');
    const other = await api.post('/batches', { ...batchBody, include: ['risk'] }, options);
    assert.equal(other.body.code, 'idempotency_mismatch');
  });

  it('belongs to the account and the mode, and to what the API key may read', async () => {
    const options = keyed();
    const body = { state: ['ZZ'], limit: 1 };
    await api.post('/properties/search', body, options);
    const same = await api.keyWith(['properties:read', 'owners:read']);
    const less = await api.keyWith(['properties:read']);
    const first = await api.post('/properties/search', body, { ...keyed('shared'), key: same });
    assert.equal(first.status, 200);
    const narrow = await api.post('/properties/search', body, { ...keyed('shared'), key: less });
    assert.equal(narrow.body.code, 'idempotency_mismatch');
    const live = await api.post('/properties/search', body, { ...keyed('shared'), key: api.liveKey });
    assert.equal(live.headers['idempotency-replayed'], undefined);
  });

  it('is not charged again, even when the first request used up the allowance', async () => {
    const own = await testClient({ plan: 'trial' });
    await own.deps.data.query('update markets set sandbox = false');
    const body = { property: { id: DEMO.property_id } };
    const options = { ...keyed(), key: own.liveKey };
    const first = await own.post('/avm/estimate', body, options);
    assert.equal(first.status, 200, first.text);
    assert.equal(first.headers['x-usage-units'], '1');
    await own.usage.flush();
    const used = async () => (await own.get('/usage', { key: own.liveKey })).body.avm.used;
    const before = await used();
    for (let i = 0; i < 30; i++) {
      const again = await own.post('/avm/estimate', body, options);
      assert.deepEqual([again.status, again.headers['x-usage-units']], [200, '0'], again.text);
    }
    assert.equal(await used(), before);
  });

  it('is charged once by requests that come while the first is carried out, too', async () => {
    const own = await testClient({ plan: 'pro' });
    await own.deps.data.query('update markets set sandbox = false');
    const used = async () => (await own.get('/usage', { key: own.liveKey })).body.avm.used;
    // Some are admitted before the first has its answer, and find it afterwards.
    for (let round = 0; round < 8; round++) {
      const options = { ...keyed(), key: own.liveKey };
      const asked: ReturnType<typeof own.post>[] = [];
      let left = 10;
      for (let isDone = false; left > 0; left -= isDone ? 1 : 0) {
        asked.push(own.post('/avm/estimate', { property: { id: DEMO.property_id } }, options));
        void asked.at(-1)!.then(({ status }) => (isDone ||= status === 200));
        await sleep(3);
      }
      const answers = await Promise.all(asked);
      const done = answers.filter(({ status }) => status === 200);
      assert.ok(done.length > 1 && answers.every(({ status }) => status === 200 || status === 409));
      assert.equal(done.filter(({ headers }) => headers['x-usage-units'] !== '0').length, 1);
      await own.usage.flush();
      assert.equal(await used(), round + 1);
    }
  });

  it('can be used again after a day, and its answer is then deleted', async () => {
    const options = keyed();
    const first = await trigger(options);
    api.deps.travel(new Date(Date.now() + 23 * 3_600_000).toISOString());
    assert.equal((await trigger(options)).body.id, first.body.id);
    api.deps.travel(new Date(Date.now() + 25 * 3_600_000).toISOString());
    const next = await trigger(options, { message: 'other' });
    assert.equal(next.status, 201);
    assert.notEqual(next.body.id, first.body.id);
    await runSchedule(api.deps, 'tidy-accounts');
    const { rows } = await api.deps.control.query('select key from idempotent_requests');
    assert.deepEqual(rows, [{ key: options.headers['idempotency-key'] }]);
  });
});

describe('kept answers', () => {
  it('hold no secret in clear', async () => {
    const options = keyed();
    const { body } = await api.post('/keys', { name: 'secret' }, options);
    const { rows } = await api.deps.control.query('select answer from idempotent_requests where key = $1', [
      options.headers['idempotency-key'],
    ]);
    assert.ok(body.secret);
    assert.ok(!rows[0].answer.includes(body.secret) && !rows[0].answer.toString('latin1').includes(body.id));
    assert.equal((await api.post('/keys', { name: 'secret' }, options)).body.secret, body.secret);
  });

  it('serve the dashboard too: an invitation is sent once per key', async () => {
    const { browser } = await signUp(api.app, mailbox, 'ida@example.com');
    const body = { email: 'bob@example.com', role: 'developer' };
    const headers = { 'idempotency-key': randomUUID() };
    const first = await browser.send('POST', '/session/invitations', body, headers);
    assert.ok(first.status < 300, first.text);
    const again = await browser.send('POST', '/session/invitations', body, headers);
    assert.deepEqual([again.status, again.headers['idempotency-replayed']], [first.status, 'true']);
    assert.equal(mailbox.letters.filter(({ to }) => to === 'bob@example.com').length, 1);
  });
});
