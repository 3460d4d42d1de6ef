// Whatever raises a meter says so, on every route of the app: declared, limited, told in the headers, refused to viewers,
// and charged once for a 2xx that went out; and what a caller who hangs up pays.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { getAccount } from '../../src/customers/accounts/accounts.ts';
import { readUsage } from '../../src/customers/usage/usage.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox } from '../people.ts';
import { exampleCalls } from '../postman.ts';
import { until } from '../until.ts';

const mailbox = await startMailbox();
const api = await testClient({ settings: { SMTP_URL: mailbox.url, LONGEST_WAIT_SECONDS: '0' } });
const { app, deps, usage, liveKey } = api;
// The invented market, shown to live keys as if it were a real one.
await deps.data.query('update markets set sandbox = false');
deps.catalog.forget();

/** Pays by the row, as the worker answers it, and says so in the batch itself. */
const BATCH = 'POST /api/v1/batches';
const id = DEMO.property_id;
const { rows: demo } = await deps.data.query('select latitude, longitude from properties where id = $1', [id]);
/** The addresses of the sandbox are known to test keys only. A filter costs; the shipped watchlist has ids. */
const examples = () =>
  exampleCalls(api, {
    'GET /api/v1/properties/lookup': {
      path: `/api/v1/properties/lookup?latitude=${demo[0].latitude}&longitude=${demo[0].longitude}`,
    },
    'GET /api/v1/avm/estimate': { path: `/api/v1/avm/estimate?id=${id}` },
    'POST /api/v1/avm/estimate': { body: { property: { id } } },
    'GET /api/v1/rents/estimate': { path: `/api/v1/rents/estimate?id=${id}` },
    'POST /api/v1/rents/estimate': { body: { property: { id } } },
    'POST /api/v1/avm/outlook': { body: { property: { id } } },
    'POST /api/v1/reports': { body: { property: { id } } },
    [BATCH]: { body: { items: [{ property_id: id }], include: ['property', 'valuation'] } },
    'POST /api/v1/watchlists': { body: { name: 'All', filter: { state: ['ZZ'] } } },
    'PATCH /api/v1/watchlists/:id': { body: { filter: { state: ['ZZ'], property_type: ['condo'] } } },
  });
const pathOf = (path: string) => path.replace(/\(.*?\)/g, '');
const declared = new Set(
  api.routes.filter(({ meter }) => meter === 'standard' || meter === 'avm').map((r) => `${r.method} ${pathOf(r.path)}`),
);

async function readMeters(accountId = api.accountId) {
  await usage.flush();
  const { standard, avm, hour } = await readUsage(deps, await getAccount(deps, accountId));
  return {
    standard: standard.used,
    avm: avm.used,
    reserved: standard.reserved + avm.reserved,
    hour: hour.used,
  };
}

describe('every route', () => {
  it('charges what its headers say, counts one call, and has no HEAD if it charges', async () => {
    const charging: string[] = [];
    for (const call of examples()) {
      const name = `${call.method} ${call.route}`;
      if (call.route.includes('exports')) await drain(deps, ['exports']);
      await call.prepare(liveKey);
      const before = await readMeters();
      if (call.method === 'GET') await api.call('HEAD', `/${call.path}`, { key: liveKey });
      const refused = await api.call(call.method, `/${call.path}${call.path.includes('?') ? '&' : '?'}no_such=1`, {
        key: liveKey,
        body: call.body,
      });
      if (call.route !== '/api/v1/plans') assert.ok(refused.status >= 400, `${name} ${refused.status}`);
      const { hour: _, ...uncharged } = await readMeters();
      assert.deepEqual(uncharged, { standard: before.standard, avm: before.avm, reserved: before.reserved }, name);
      const { hour } = await readMeters();
      const answer = await call.send(liveKey);
      if (name === BATCH) await drain(deps, ['batches']);
      if (name.endsWith('/watchlists')) await drain(deps, ['watchlists']);
      const after = await readMeters();
      const { 'x-usage-meter': meter = 'none', 'x-usage-units': units = 0 } = answer.headers;
      const told = { standard: 0, avm: 0, [meter]: Number(units) };
      const charged = { standard: after.standard - before.standard, avm: after.avm - before.avm };
      const isCharged = charged.standard + charged.avm > 0;
      if (isCharged) charging.push(name);
      if (name !== BATCH) assert.deepEqual(charged, { standard: told.standard, avm: told.avm }, name);
      if (declared.has(name)) assert.ok(answer.status < 300, `${name} ${answer.text}`);
      else if (name !== BATCH) assert.ok(!isCharged, `${name} charges and declares no meter`);
      assert.equal(after.hour - hour, declared.has(name) || name === BATCH ? 1 : 0, `${name} in the hour`);
      assert.ok(after.reserved <= before.reserved, `${name} leaves units held`);
    }
    assert.equal((await readMeters()).reserved, 0);
    assert.deepEqual(charging.toSorted(), [...declared, BATCH].toSorted());
  });

  it('refuses a viewer whatever charges, and no page of the dashboard charges anything', async () => {
    const { browser: owner } = await signUp(app, mailbox, 'owner@example.com');
    const { account } = (await owner.send('GET', '/session')).body;
    await deps.control.query(`update accounts set plan = 'builder', anchor_at = now() where id = $1`, [account.id]);
    await owner.send('POST', '/session/invitations', { email: 'viewer@example.com', role: 'viewer' });
    const viewer = openBrowser(app);
    const form = { token: mailbox.last('viewer@example.com').token, name: 'Vi', password: PASSWORD };
    const joined = await viewer.send('POST', '/session/invitations/accept', form);
    assert.ok(joined.status < 300, joined.text);
    const live = { 'x-platbook-mode': 'live', 'content-type': 'application/json' };
    const list = { name: 'All', filter: { state: ['ZZ'] } };
    const made = await owner.send('POST', '/api/v1/watchlists', list, live);
    assert.equal(made.status, 201, made.text);
    await drain(deps, ['watchlists']);
    const before = await readMeters(account.id);
    for (const call of examples()) {
      if (call.route.endsWith('/sign-out')) continue;
      const name = `${call.method} ${call.route}`;
      const path = call.path
        .replace(/watchlists\/(?=\/|$)/, `watchlists/${made.body.id}`)
        .replace(/owners\/$/, 'owners/own_00000000000000000000');
      const answer = await viewer.send(call.method, path, call.body, live);
      if (declared.has(name) || name === BATCH) assert.equal(answer.status, 403, `${name} ${answer.text}`);
    }
    for (const { method, path } of api.routes.filter((route) => route.path.startsWith('/session')))
      if (!/sign-out|members|sessions/.test(path)) await owner.send(method, path.replaceAll(':', ''), {}, live);
    const { hour: _, ...after } = await readMeters(account.id);
    assert.deepEqual(after, { standard: before.standard, avm: before.avm, reserved: 0 });
  });
});

describe('a caller who hangs up', () => {
  /** Sends a request, hangs up while its work waits for a table, and lets the work go on. */
  async function hangUp(table: string, method: string, path: string, body?: object): Promise<number> {
    const address = new URL(app.listeningOrigin);
    const locker = await (table === 'properties' ? deps.data : deps.control).connect();
    const id = `hang-${crypto.randomUUID()}`;
    try {
      await locker.query(`begin; lock table ${table} in access exclusive mode`);
      const text = body ? JSON.stringify(body) : '';
      const socket = connect(Number(address.port), address.hostname);
      socket.write(
        `${method} /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${liveKey}\r\nx-request-id: ${id}\r\n` +
          `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      );
      await until(async () => {
        const { rows } = await locker.query(`select count(*)::int as n from pg_locks where not granted`);
        return rows[0].n > 0;
      });
      socket.destroy();
      if (method === 'GET') await until(async () => (await statusOf(id)) !== undefined);
    } finally {
      await locker.query('rollback');
      locker.release();
    }
    await until(async () => (await statusOf(id)) !== undefined);
    return (await statusOf(id))!;
  }
  async function statusOf(id: string): Promise<number | undefined> {
    await usage.flush();
    const { rows } = await deps.control.query('select status from request_log where request_id = $1', [id]);
    return rows[0]?.status;
  }

  it('before the answer to a GET begins pays nothing, and finds no answer in the log', async () => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const before = await readMeters();
    assert.equal(await hangUp('properties', 'GET', `/properties/${DEMO.property_id}`), 499);
    assert.deepEqual({ ...(await readMeters()), hour: 0 }, { ...before, hour: 0 });
  });

  it('on anything else pays for it once, because it is done, and is told so when it is repeated', async () => {
    const before = await readMeters();
    const list = { name: 'Left', filter: { state: ['ZZ'] } };
    assert.equal(await hangUp('watchlists', 'POST', '/watchlists', list), 201);
    const after = await readMeters();
    assert.ok(after.standard > before.standard, 'the list is there, and paid for');
    assert.equal(after.reserved, 0);
  });

  it('after the first bytes pays for the whole answer', async () => {
    const before = await readMeters();
    const { port, hostname } = new URL(app.listeningOrigin);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /api/v1/properties/search?state=ZZ&limit=500 HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${liveKey}\r\n\r\n`,
    );
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.resetAndDestroy();
    await until(async () => (await readMeters()).standard === before.standard + 1);
  });

  it('in the middle of a body leaves nothing held', async () => {
    const { port, hostname } = new URL(app.listeningOrigin);
    const before = await readMeters();
    const socket = connect(Number(port), hostname);
    const id = `half-${crypto.randomUUID()}`;
    socket.write(
      `POST /api/v1/avm/estimate HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${liveKey}\r\nx-request-id: ${id}\r\n` +
        'content-type: application/json\r\ncontent-length: 500\r\n\r\n{"property":',
    );
    await until(async () => (await readMeters()).hour > before.hour);
    socket.destroy();
    await until(async () => (await statusOf(id)) !== undefined);
    assert.deepEqual({ ...(await readMeters()), hour: 0 }, { ...before, hour: 0 });
  });
});
