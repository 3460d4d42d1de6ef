// Limits and meters as a caller sees them: headers, 429 with an exact Retry-After, 402, and what is charged.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createAccount, createKey, rotateKey } from '../../src/customers/accounts/accounts.ts';
import type { Contract, PlanId } from '../../src/customers/accounts/plans.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { detailOf, forgetOldDetails } from '../../src/customers/usage/details.ts';
import { forgetOldRequests, holdUnits, releaseUnits, settleUnits } from '../../src/customers/usage/usage.ts';
import { DEMO, MAGIC_APN, sandboxId } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { until } from '../until.ts';

const client = await testClient();
const { deps } = client;
deps.travel('2026-01-31T12:00:00.000Z');

interface Customer {
  account: Awaited<ReturnType<typeof createAccount>>;
  live: string;
  sandbox: string;
  keyId: string;
}

async function customer(
  plan: PlanId,
  options: { contract?: Contract; anchorAt?: Date | null; key?: object } = {},
): Promise<Customer> {
  const account = await createAccount(deps.control, deps.clock(), plan, plan, options);
  const make = (mode: 'live' | 'test') =>
    createKey(deps, account.id, { name: mode, mode, scopes: [...SCOPES], ...(mode === 'live' && options.key) });
  const live = await make('live');
  return { account, live: live.secret, keyId: live.key.id, sandbox: (await make('test')).secret };
}

const search = (key: string) => client.get('/properties/search?limit=1', { key });
const missing = (key: string) => client.get('/properties/prop_00000000000000000000', { key });

async function ledger(accountId: string) {
  await client.usage.flush();
  const { rows } = await deps.control.query(
    `select (select coalesce(sum(units), 0)::int from usage_events where account_id = $1) as events,
       (select coalesce(sum(used), 0)::int from usage_counters where account_id = $1) as used,
       (select coalesce(sum(reserved), 0)::int from usage_counters where account_id = $1) as reserved,
       (select count(*)::int from usage_holds where account_id = $1) as holds`,
    [accountId],
  );
  return rows[0] as { events: number; used: number; reserved: number; holds: number };
}

describe('hourly limit', () => {
  test('counts down in headers, returns 429 with the exact wait, and does not count refused calls', async () => {
    const { live } = await customer('pro', { contract: { rateLimitPerHour: 3 } });
    deps.travel('2026-02-01T10:00:00.000Z');
    const first = await search(live);
    assert.equal(first.status, 200);
    assert.equal(first.headers['ratelimit-policy'], '"hourly";q=3;w=3600');
    assert.equal(first.headers.ratelimit, '"hourly";r=2;t=3600');
    assert.equal(first.headers['x-ratelimit-remaining'], '2');
    deps.travel('2026-02-01T10:10:00.000Z');
    await search(live);
    await search(live);
    deps.travel('2026-02-01T10:30:00.500Z');
    for (let n = 0; n < 5; n++) {
      const refused = await search(live);
      assert.equal(refused.status, 429);
      assert.equal(refused.body.code, 'rate_limited');
      assert.equal(refused.body.limit, 3);
      assert.equal(refused.headers['retry-after'], '1800');
      assert.equal(refused.headers['x-ratelimit-remaining'], '0');
    }
    deps.travel('2026-02-01T10:59:59.999Z');
    assert.equal((await search(live)).status, 429);
    deps.travel('2026-02-01T11:00:00.000Z');
    assert.equal((await search(live)).status, 200, 'one call has left the hour');
    assert.equal((await search(live)).headers['retry-after'], '600', 'the next two leave at 11:10');
    deps.travel('2026-02-01T11:10:00.000Z');
    assert.equal((await search(live)).status, 200);
    assert.equal((await search(live)).status, 200);
    assert.equal((await search(live)).status, 429);
  });

  test('is an hour to the second, even in a process that has refused nothing yet', async () => {
    deps.travel('2026-02-02T10:00:00.000Z');
    const { live } = await customer('pro', { contract: { rateLimitPerHour: 1 } });
    await search(live);
    deps.travel('2026-02-02T10:59:59.999Z');
    const early = await search(live);
    assert.equal(early.status, 429);
    assert.equal(early.headers['retry-after'], '1');
    deps.travel('2026-02-02T11:00:00.000Z');
    assert.equal((await search(live)).status, 200);
  });

  test('applies to the account, across both meters and all live keys; the sandbox has its own', async () => {
    const one = await customer('pro', { contract: { rateLimitPerHour: 2, sandboxRateLimitPerHour: 1 } });
    const other = await createKey(deps, one.account.id, { name: 'other', mode: 'live', scopes: [...SCOPES] });
    assert.equal((await search(one.live)).status, 200);
    assert.equal((await search(other.secret)).status, 200);
    assert.equal((await search(one.live)).status, 429);
    assert.equal((await search(other.secret)).status, 429);
    assert.equal((await search(one.sandbox)).status, 200);
    assert.equal((await search(one.sandbox)).status, 429);
    const free = await client.get('/markets', { key: one.live });
    assert.equal(free.status, 200, 'free calls still work');
    assert.equal(free.headers['ratelimit-policy'], '"free";q=3000;w=60');
    assert.equal(free.headers['x-ratelimit-remaining'], '2999');
  });

  test('counts failed calls, which are never charged', async () => {
    const { live, account } = await customer('pro', { contract: { rateLimitPerHour: 2 } });
    assert.equal((await missing(live)).status, 404);
    assert.equal((await missing(live)).headers['x-ratelimit-remaining'], '0');
    assert.equal((await search(live)).status, 429);
    assert.deepEqual(await ledger(account.id), { events: 0, used: 0, reserved: 0, holds: 0 });
  });

  test('can be lower for a key', async () => {
    const { live, account } = await customer('pro', { key: { rate_limit_per_hour: 1 } });
    const other = await createKey(deps, account.id, { name: 'other', mode: 'live', scopes: [...SCOPES] });
    const first = await search(live);
    assert.equal(first.headers.ratelimit, '"hourly";r=999;t=3600, "key";r=0;t=3600');
    assert.equal(first.headers['x-ratelimit-remaining'], '0');
    const refused = await search(live);
    assert.equal(refused.status, 429);
    assert.equal(refused.body.limit, 1);
    assert.equal(
      (await search(other.secret)).headers['x-ratelimit-remaining'],
      '998',
      'the refused call was not counted',
    );
  });

  test('takes effect immediately when raised', async () => {
    const { live, account } = await customer('pro', { contract: { rateLimitPerHour: 1 } });
    await search(live);
    assert.equal((await search(live)).status, 429);
    await deps.control.query(`update accounts set contract = '{"rateLimitPerHour": 2}' where id = $1`, [account.id]);
    await deps.control.query(`select pg_notify('api_keys', '')`);
    await until(async () => (await search(live)).status === 200);
  });

  test('admits exactly the limit under two hundred concurrent calls', async () => {
    const { live, account } = await customer('pro', { contract: { rateLimitPerHour: 50 } });
    const answers = await Promise.all(Array.from({ length: 200 }, () => search(live)));
    assert.equal(answers.filter((answer) => answer.status === 200).length, 50);
    assert.equal(answers.filter((answer) => answer.status === 429).length, 150);
    assert.equal((await ledger(account.id)).events, 50);
  });
});

describe('meters', () => {
  test('count one unit per live 2xx, in events and counters alike; the sandbox is never counted', async () => {
    const { live, sandbox, account } = await customer('pro');
    const answer = await search(live);
    assert.equal(answer.headers['x-usage-meter'], 'standard');
    assert.equal(answer.headers['x-usage-units'], '1');
    assert.equal((await search(sandbox)).headers['x-usage-meter'], 'none');
    assert.equal((await missing(live)).headers['x-usage-units'], '0');
    await client.get('/markets', { key: live });
    assert.deepEqual(await ledger(account.id), { events: 1, used: 1, reserved: 0, holds: 0 });
  });

  test('limit the trial to exactly 1,000 calls, then 402, under any concurrency', async () => {
    const { live, account } = await customer('trial', { contract: { includedCalls: 20, rateLimitPerHour: 1_000 } });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 4 === 0 ? missing(live) : search(live))),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.ok(count(200) <= 20);
    await client.usage.flush();
    for (let n = 0; n < 25; n++) await search(live);
    const last = await search(live);
    assert.equal(last.status, 402);
    assert.equal(last.body.code, 'quota_exhausted');
    assert.equal(last.body.retryable, false);
    assert.deepEqual(await ledger(account.id), { events: 20, used: 20, reserved: 0, holds: 0 });
  });

  test('calls that fail take nothing from calls that would succeed, at once and at the edge of the allowance', async () => {
    const contract = { includedCalls: 25 };
    const { live, account } = await customer('trial', { contract });
    const good = Array.from({ length: 24 }, () => () => search(live));
    const failing = Array.from({ length: 24 }, () => () => missing(live));
    const answers = await Promise.all(good.flatMap((call, n) => [failing[n](), call()]));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(200), count(404)], [24, 24]);
    assert.deepEqual(await ledger(account.id), { events: 24, used: 24, reserved: 0, holds: 0 });

    const other = await customer('trial', { contract: { ...contract, rateLimitPerHour: 1_000 } });
    const many = await Promise.all(
      Array.from({ length: 90 }, (_, n) => (n % 3 === 0 ? missing(other.live) : search(other.live))),
    );
    assert.equal(many.filter(({ status }) => status === 200).length, 25, 'not one less, not one more');
    const refused = many.filter(({ status }) => status === 402);
    assert.ok(refused.length >= 35 && refused.every(({ body }) => body.code === 'quota_exhausted'));
    assert.deepEqual(await ledger(other.account.id), { events: 25, used: 25, reserved: 0, holds: 0 });
  });

  test('the trial ends after 14 days, and does not begin before a card is on file', async () => {
    const anchorAt = new Date('2026-02-01T00:00:00.000Z');
    const { live } = await customer('trial', { anchorAt });
    deps.travel('2026-02-14T23:59:59.000Z');
    assert.equal((await search(live)).status, 200);
    deps.travel('2026-02-15T00:00:00.000Z');
    assert.equal((await search(live)).body.code, 'trial_expired');
    assert.equal((await client.get('/usage', { key: live })).status, 200, 'usage can still be read');
    const waiting = await customer('trial', { anchorAt: null });
    assert.equal((await search(waiting.live)).body.code, 'payment_required');
    assert.equal((await search(waiting.sandbox)).status, 200);
  });

  test('stop a key, and only that key, where its overage would exceed its spend cap', async () => {
    const contract = { includedCalls: 2, overageCentsPerCall: 5 };
    const { live, account } = await customer('pro', { contract, key: { spend_cap_cents: 12 } });
    const other = await createKey(deps, account.id, { name: 'other', mode: 'live', scopes: [...SCOPES] });
    const statuses = [];
    for (let n = 0; n < 6; n++) {
      statuses.push((await search(live)).status);
      // A 404 costs nothing and leaves the cap unchanged.
      if (n < 3) assert.equal((await missing(live)).status, 404);
      await client.usage.flush();
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 402, 402], 'two included, two at 5 cents, the third would be 15');
    assert.equal((await search(live)).body.code, 'spend_cap_reached');
    assert.equal((await search(other.secret)).status, 200);
    assert.deepEqual(await ledger(account.id), { events: 5, used: 5, reserved: 0, holds: 0 });
  });

  test('share the spend cap and hourly limit between a rotated key and its predecessor', async () => {
    const contract = { includedCalls: 2, overageCentsPerCall: 5 };
    const { live, account, keyId } = await customer('pro', { contract, key: { spend_cap_cents: 17 } });
    for (let n = 0; n < 3; n++) assert.equal((await search(live)).status, 200);
    const second = await rotateKey(deps, { accountId: account.id, id: keyId, overlapHours: 24 });
    assert.equal((await search(second.secret)).status, 200);
    const third = await rotateKey(deps, { accountId: account.id, id: second.key.id, overlapHours: 24 });
    assert.equal((await search(third.secret)).status, 200, 'the third call beyond the allowance: 15 cents');
    for (const key of [live, second.secret, third.secret])
      assert.equal((await search(key)).body.code, 'spend_cap_reached');
    assert.deepEqual(await ledger(account.id), { events: 5, used: 5, reserved: 0, holds: 0 });
    const { rows } = await deps.control.query(
      `select key_id, spent_cents, reserved_cents from key_spends where key_id = any ($1)`,
      [[keyId, second.key.id, third.key.id]],
    );
    assert.deepEqual(rows, [{ key_id: keyId, spent_cents: 15, reserved_cents: 0 }]);

    const limited = await customer('pro', { key: { rate_limit_per_hour: 2 } });
    await search(limited.live);
    const successor = await rotateKey(deps, { accountId: limited.account.id, id: limited.keyId, overlapHours: 24 });
    assert.equal((await search(successor.secret)).status, 200);
    assert.deepEqual([(await search(successor.secret)).status, (await search(limited.live)).status], [429, 429]);
  });

  test('announce 50%, 80% and 100% once each', async () => {
    const { live, account } = await customer('trial', { contract: { includedCalls: 10, rateLimitPerHour: 100 } });
    for (let n = 0; n < 12; n++) {
      await search(live);
      await client.usage.flush();
    }
    const { rows } = await deps.control.query(
      `select type, (data ->> 'percent')::int as percent from events where account_id = $1 order by sequence`,
      [account.id],
    );
    assert.deepEqual(rows, [
      { type: 'usage.threshold_reached', percent: 50 },
      { type: 'usage.threshold_reached', percent: 80 },
      { type: 'usage.threshold_reached', percent: 100 },
      { type: 'usage.quota_exhausted', percent: null },
    ]);
  });
});

describe('responses without content', () => {
  test('are free: a 304, a 301 to a successor, a dry run; the record itself costs one unit', async () => {
    const own = await testClient();
    // Make the sandbox market a live one, so that a live key is charged for reading it.
    await own.deps.data.query('update markets set sandbox = false');
    const idOf = (apn: string) => sandboxId(99_001, apn);
    const path = `/properties/${idOf(MAGIC_APN.mergedInto)}`;
    const first = await own.get(path, { key: own.liveKey });
    assert.equal(first.status, 200, first.text);
    assert.equal(first.headers['x-usage-units'], '1');
    const again = await own.get(path, { key: own.liveKey, headers: { 'if-none-match': first.headers.etag! } });
    const moved = await own.get(`/properties/${idOf(MAGIC_APN.merged)}`, { key: own.liveKey });
    assert.deepEqual([again.status, moved.status], [304, 301]);
    for (const free of [again, moved]) {
      assert.equal(free.headers['x-usage-meter'], 'none');
      assert.equal(free.headers['x-usage-units'], '0');
    }
    const rehearsal = { property: { id: idOf(MAGIC_APN.mergedInto) }, options: { dry_run: true } };
    const dry = await own.post('/avm/estimate', rehearsal, { key: own.liveKey });
    assert.equal(dry.status, 200, dry.text);
    const { body } = await own.get('/usage', { key: own.liveKey });
    assert.deepEqual([body.standard.used, body.avm.used], [1, 0]);
    const { rows } = await own.deps.control.query('select meter, units from usage_events');
    assert.deepEqual(rows, [{ meter: 'standard', units: 1 }]);
  });
});

describe('usage reports', () => {
  test('are current, by day, key and route, and each request can be found by its id', async () => {
    deps.travel('2026-03-10T12:00:00.000Z');
    const { live, keyId } = await customer('builder');
    deps.travel('2026-03-11T12:00:00.000Z');
    const answer = await search(live);
    await missing(live);
    const { body } = await client.get('/usage', { key: live });
    assert.deepEqual(body.standard, {
      used: 1,
      reserved: 0,
      included: 10_000,
      remaining: 9_999,
      overage_units: 0,
      overage_cents: 0,
    });
    assert.deepEqual(body.hour, { limit: 200, used: 2, remaining: 198 });
    assert.equal(body.period_start, '2026-03-10T12:00:00.000Z');
    assert.equal(body.period_end, '2026-04-10T12:00:00.000Z');
    const daily = await client.get('/usage/daily?from=2026-03-10&to=2026-03-11', { key: live });
    assert.deepEqual(daily.body.data[0], {
      object: 'daily_usage',
      day: '2026-03-10',
      standard: 0,
      avm: 0,
      by_key: [],
      by_route: [],
    });
    assert.deepEqual(daily.body.data[1].by_key, [{ key_id: keyId, standard: 1, avm: 0 }]);
    assert.deepEqual(daily.body.data[1].by_route, [{ route: '/api/v1/properties/search', standard: 1, avm: 0 }]);
    assert.equal((await client.get('/usage/daily?from=2026-03-11&to=2026-03-10', { key: live })).status, 400);

    const id = answer.headers['x-request-id'];
    const log = await client.get(`/requests?request_id=${id}`, { key: live });
    assert.equal(log.body.data.length, 1);
    const { duration_ms, ...entry } = log.body.data[0];
    assert.ok(duration_ms >= 0);
    assert.deepEqual(entry, {
      object: 'request',
      request_id: id,
      at: '2026-03-11T12:00:00.000Z',
      mode: 'live',
      key_id: keyId,
      method: 'GET',
      route: '/api/v1/properties/search',
      status: 200,
      meter: 'standard',
      units: 1,
      error_code: null,
    });
    const refused = await client.get('/requests?status=404', { key: live });
    assert.equal(refused.body.data[0].error_code, 'property_not_found');
    assert.equal(refused.body.data[0].route, '/api/v1/properties/:id', 'no id is kept');
    const page = await client.get('/requests?limit=1', { key: live });
    const next = await client.get(`/requests?limit=1&cursor=${page.body.pagination.next_cursor}`, { key: live });
    assert.notEqual(next.body.data[0].request_id, page.body.data[0].request_id);
    assert.equal((await client.get(`/requests?request_id=${id}`)).body.data.length, 0, 'another account sees nothing');
    deps.travel('2026-04-11T12:00:00.000Z');
    assert.ok((await forgetOldRequests(deps)) >= 2);
    assert.equal((await client.get(`/requests?request_id=${id}`, { key: live })).body.data.length, 0);
  });

  test('show what a request asked and was answered, for a day, to callers in its mode, without secrets', async () => {
    deps.travel('2026-03-20T12:00:00.000Z');
    const { live, sandbox } = await customer('pro');
    const read = async (answer: { headers: Record<string, string | undefined> }, key: string) =>
      (await client.get(`/requests/${answer.headers['x-request-id']}`, { key })).body;
    const asked = { property: { id: DEMO.property_id }, options: { interval_level: 0.9 } };
    const valued = await client.post('/avm/estimate', asked, { key: sandbox, headers: { 'user-agent': 'curl/8' } });
    const { exchange, ...entry } = await read(valued, sandbox);
    assert.equal(entry.route, '/api/v1/avm/estimate');
    assert.equal(exchange.url, '/api/v1/avm/estimate');
    assert.deepEqual(JSON.parse(exchange.request_body), asked);
    assert.deepEqual(JSON.parse(exchange.response_body), valued.body);
    assert.equal(exchange.response_bytes, Buffer.byteLength(valued.text));
    assert.equal(exchange.request_headers['user-agent'], 'curl/8');
    assert.equal(exchange.response_headers['x-usage-units'], '0');
    assert.doesNotMatch(JSON.stringify(exchange), new RegExp(sandbox), 'no key is kept');

    deps.travel('2026-03-20T12:00:02.000Z');
    const headers = { 'x-api-key': sandbox, 'accept-encoding': 'gzip' };
    const zipped = await client.app.inject({ method: 'POST', url: '/api/v1/avm/estimate', headers, payload: asked });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    const { exchange: unzipped } = await read(zipped as never, sandbox);
    assert.equal(unzipped.response_body, gunzipSync(zipped.rawPayload).toString(), 'as it was before');

    const made = await client.post('/keys', { name: 'n', scopes: ['usage:read'] }, { key: sandbox });
    assert.ok(made.body.secret.startsWith('sk_'), made.text);
    assert.equal(JSON.parse((await read(made, sandbox)).exchange.response_body).secret, '[not kept]');
    const refused = await client.get('/properties/search?limit=1000&api_key=abc', { key: sandbox });
    const { exchange: why } = await read(refused, sandbox);
    assert.equal(why.url, '/api/v1/properties/search?limit=1000&api_key=%5Bnot%20kept%5D');
    assert.equal(JSON.parse(why.response_body).code, refused.body.code);

    deps.travel('2026-03-20T12:00:05.000Z');
    const burst = [];
    for (let n = 0; n < 7; n++) burst.push(await search(sandbox));
    assert.ok((await read(burst[0], live)).exchange === null && (await read(burst[0], sandbox)).exchange);
    assert.equal((await read(burst[6], sandbox)).exchange, null, 'five a second');
    deps.travel('2026-03-20T12:00:07.000Z');
    const paid = await search(live);
    assert.ok((await read(paid, live)).exchange);
    assert.equal((await read(valued, made.body.secret)).exchange, null, 'a key with fewer scopes');
    const people = { owner: { name: 'A B' }, transactions: [{ buyers: ['C'], price: 5 }], id: 'prop_1' };
    const exchangeOf = (mode: 'live' | 'test') =>
      detailOf({
        accountId: 'a',
        requestId: 'r',
        mode,
        at: deps.clock(),
        url: '/x?owner_name=A+B&limit=1',
        requestHeaders: {},
        body: undefined,
        responseHeaders: {},
        answer: JSON.stringify(people),
        answerBytes: 1,
      });
    assert.equal(exchangeOf('live').url, '/x?owner_name=%5Bnot%20kept%5D&limit=1');
    assert.deepEqual(JSON.parse(exchangeOf('live').response_body!), {
      owner: '[not kept]',
      transactions: [{ buyers: '[not kept]', price: 5 }],
      id: 'prop_1',
    });
    assert.deepEqual(JSON.parse(exchangeOf('test').response_body!), people);
    assert.equal((await read(paid, sandbox)).code, 'resource_not_found', 'a sandbox key sees no live request');
    assert.equal((await client.get(`/requests/${paid.headers['x-request-id']}`)).status, 404, 'another account');
    const { rows } = await deps.control.query('select sealed from request_details');
    assert.ok(rows.every(({ sealed }) => !sealed.includes('estimate')));
    deps.travel('2026-03-21T12:00:08.000Z');
    assert.equal((await read(paid, live)).exchange, null);
    await forgetOldDetails(deps);
    assert.equal((await deps.control.query(`select 1 from request_details where at < '2026-03-21'`)).rowCount, 0);
  });

  test('do not charge a caller who disconnects before the response, and release the hold', async () => {
    const { live, account } = await customer('trial');
    await client.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = client.app.server.address() as { port: number };
    // The table that the response is read from is locked until the caller has disconnected.
    const lock = await deps.data.connect();
    try {
      await lock.query('begin; lock table properties in access exclusive mode');
      const gone = new AbortController();
      const url = `http://127.0.0.1:${port}/api/v1/properties/prop_00000000000000000000`;
      const call = fetch(url, { headers: { 'x-api-key': live }, signal: gone.signal });
      call.catch(() => {});
      await until(async () => (await ledger(account.id)).holds === 1);
      gone.abort();
      await until(async () => (await ledger(account.id)).holds === 0);
    } finally {
      await lock.query('rollback');
      lock.release();
    }
    assert.deepEqual(await ledger(account.id), { events: 0, used: 0, reserved: 0, holds: 0 });
  });
});

describe('batch holds', () => {
  test('are settled item by item, released once, and refused beyond the allowance', async () => {
    const { account, keyId } = await customer('trial', { contract: { includedCalls: 10, includedAvmCalls: 4 } });
    const { rows } = await deps.control.query('select * from api_keys where id = $1', [keyId]);
    const caller = { account, key: rows[0] };
    const work = <T>(run: (c: Parameters<typeof releaseUnits>[0]) => Promise<T>) => inTransaction(deps.control, run);
    const now = deps.clock();
    const what = { requestId: 'batch_1', route: '/batches' };
    await assert.rejects(
      work((c) => holdUnits(c, caller, { standard: 5, avm: 5 }, now)),
      { code: 'quota_exhausted' },
    );
    assert.deepEqual(await ledger(account.id), { events: 0, used: 0, reserved: 0, holds: 0 }, 'nothing stays held');
    const hold = (await work((c) => holdUnits(c, caller, { standard: 8, avm: 4 }, now)))!;
    assert.equal((await ledger(account.id)).reserved, 12);
    await assert.rejects(work((c) => holdUnits(c, caller, { standard: 3, avm: 0 }, now)));
    await work((c) => settleUnits(c, hold, { standard: 3, avm: 1 }, { ...what, now }));
    assert.deepEqual(await ledger(account.id), { events: 4, used: 4, reserved: 8, holds: 2 });
    await work((c) => releaseUnits(c, hold));
    await work((c) => releaseUnits(c, hold));
    assert.deepEqual(await ledger(account.id), { events: 4, used: 4, reserved: 0, holds: 0 });
  });

  test('beyond the allowance count as spent when settled and as free when released', async () => {
    const contract = { includedCalls: 2, overageCentsPerCall: 5 };
    const { account, keyId } = await customer('pro', { contract, key: { spend_cap_cents: 100 } });
    const { rows } = await deps.control.query('select * from api_keys where id = $1', [keyId]);
    const now = deps.clock();
    const spend = async () => {
      const { rows: found } = await deps.control.query(
        'select spent_cents, reserved_cents from key_spends where key_id = $1',
        [keyId],
      );
      return [found[0].spent_cents, found[0].reserved_cents];
    };
    const hold = (await inTransaction(deps.control, (c) =>
      holdUnits(c, { account, key: rows[0] }, { standard: 6, avm: 0 }, now),
    ))!;
    assert.deepEqual(await spend(), [0, 20], 'two are included, four may cost 5 cents each');
    const settle = (units: number) =>
      inTransaction(deps.control, (c) =>
        settleUnits(c, hold, { standard: units, avm: 0 }, { requestId: 'batch_2', route: '/batches', now }),
      );
    await settle(1);
    assert.deepEqual(await spend(), [0, 20], 'the first is within the allowance');
    await settle(4);
    assert.deepEqual(await spend(), [15, 5]);
    await inTransaction(deps.control, (c) => releaseUnits(c, hold));
    assert.deepEqual(await spend(), [15, 0]);
  });
});
