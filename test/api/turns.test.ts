// Turns: an account that sends much at once leaves connections and the event loop to others.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { until } from '../until.ts';

const api = await testClient();
const { deps } = api;
const alone = deps.config.poolSize - 2;
const { id } = await createAccount(deps.control, deps.clock(), 'Other', 'pro', { anchorAt: null });
const { secret: otherKey } = await createKey(deps, id, { name: 'Other', mode: 'test', scopes: [...SCOPES] });

/** While `work` runs, whoever reads the table waits. */
const whileLocked = <Result>(table: string, work: () => Promise<Result>): Promise<Result> =>
  inTransaction(deps.control, async (client) => {
    await client.query(`lock table ${table} in access exclusive mode`);
    return work();
  });
const whileListsAreLocked = <Result>(work: () => Promise<Result>) => whileLocked('watchlists', work);
const untilSomeWait = (wanted: number) =>
  until(async () => {
    const waiting = await deps.data.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return waiting.rowCount === wanted;
  });

let now = Date.now();
/** Whoever called a second ago is no longer there. */
const later = () => deps.travel(new Date((now += 2_000)).toISOString());

describe('an account that sends forty requests at once', () => {
  it('leaves connections to others, and is answered in full', async () => {
    const sent = await whileListsAreLocked(async () => {
      const lists = Array.from({ length: 40 }, () => api.get('/watchlists'));
      await untilSomeWait(alone);
      const others = [await api.get('/usage', { key: otherKey }), await api.get('/requests', { key: otherKey })];
      assert.deepEqual(
        others.map(({ status }) => status),
        [200, 200],
      );
      return lists;
    });
    for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
  });

  it('has a quarter of the connections while another account calls', async () => {
    later();
    const sent = await whileListsAreLocked(async () => {
      await api.get('/usage', { key: otherKey });
      const lists = Array.from({ length: 40 }, () => api.get('/watchlists'));
      await untilSomeWait(Math.floor(deps.config.poolSize / 4));
      await api.get('/usage', { key: otherKey });
      await untilSomeWait(Math.floor(deps.config.poolSize / 4));
      return lists;
    });
    for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
  });

  it('has one portfolio at work, and is answered in full', async () => {
    later();
    const { body } = await api.post('/watchlists', { name: 'Four times', property_ids: [DEMO.property_id] });
    const sent = await whileLocked('watchlist_members', async () => {
      const portfolios = Array.from({ length: 4 }, () => api.get(`/watchlists/${body.id}/portfolio`));
      await untilSomeWait(1);
      // The others have read their list by now, if they do not wait.
      await api.get('/usage');
      await untilSomeWait(1);
      return portfolios;
    });
    for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
  });

  it('does nothing for those who hang up before their turn', async () => {
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    later();
    const { port } = api.app.server.address() as AddressInfo;
    const { control } = await deps.countStatements(async () => {
      const headers = { 'x-api-key': api.testKey };
      const send = () => get({ port, path: '/api/v1/watchlists', headers, agent: false }).on('error', () => {});
      const answered = await whileListsAreLocked(async () => {
        const first = Array.from({ length: alone }, () => once(send(), 'response'));
        await untilSomeWait(alone);
        const late = Array.from({ length: 12 }, send);
        await until(async () => late.every(({ socket }) => socket !== null && !socket.connecting));
        for (const request of late) request.destroy();
        const connections = promisify(api.app.server.getConnections.bind(api.app.server));
        await until(async () => (await connections()) === alone);
        return first;
      });
      await Promise.all(answered);
      assert.equal((await api.get('/watchlists')).status, 200);
    });
    assert.equal(control.filter((text) => text.includes('from watchlists')).length, alone + 1);
  });

  it('gets its turns back from requests that fail', async () => {
    for (let n = 0; n < 2 * alone; n++) assert.equal((await api.get('/watchlists/wl_none')).status, 404);
    assert.equal((await api.get('/watchlists')).status, 200);
  });
});
