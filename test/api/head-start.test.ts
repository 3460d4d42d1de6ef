// Calls far from their limit go ahead of their count: nothing is waited for, every call is counted, and the limit holds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { buildApp } from '../../src/app.ts';
import { createDeps } from '../../src/operate/open.ts';
import { testClient } from '../harness.ts';

const client = await testClient();
const { deps } = client;
const { control } = deps;
const {
  rows: [{ id: home }],
} = await deps.data.query(`select id from properties where market = 'sandbox' and status = 'active' limit 1`);

async function keyWithLimit(limit: number): Promise<{ key: string; subject: string }> {
  const account = await createAccount(control, deps.clock(), 'Fast', 'pro', {
    contract: { sandboxRateLimitPerHour: limit },
  });
  const { secret } = await createKey(deps, account.id, { name: 'fast', mode: 'test' });
  return { key: secret, subject: `${account.id}:test` };
}

const countedOf = async (subject: string): Promise<number> =>
  (await control.query('select coalesce(sum(calls), 0)::int as calls from rate_cells where subject = $1', [subject]))
    .rows[0].calls;

describe('a caller who waits for each answer', () => {
  it('is told what is left, call by call, and is counted in full', async () => {
    const { key, subject } = await keyWithLimit(100_000);
    const left: number[] = [];
    for (let i = 0; i < 60; i++) {
      const { status, headers } = await client.get(`/properties/${home}`, { key });
      assert.equal(status, 200);
      left.push(Number(headers['x-ratelimit-remaining']));
    }
    await client.usage.flush();
    assert.deepEqual(
      left,
      Array.from({ length: 60 }, (_, i) => 99_999 - i),
    );
    assert.equal(await countedOf(subject), 60);
  });

  it('is told what is left also where counts are late, and some calls are decided while others are uncounted', async () => {
    const { key, subject } = await keyWithLimit(100_000);
    const left: number[] = [];
    const callTimes = async (times: number) => {
      for (let i = 0; i < times; i++) {
        const { headers } = await client.get(`/properties/${home}`, { key });
        left.push(Number(headers['x-ratelimit-remaining']));
      }
    };
    await callTimes(3);
    for (let round = 0; round < 3; round++) {
      const holder = await control.connect();
      await holder.query('begin');
      await holder.query('select from rate_windows where subject = $1 for update', [subject]);
      const released = sleep(200).then(async () => {
        await holder.query('commit');
        holder.release();
      });
      await callTimes(40);
      await released;
    }
    await client.usage.flush();
    assert.deepEqual(
      left,
      left.map((_, i) => 99_999 - i),
    );
    assert.equal(await countedOf(subject), left.length);
  });

  it('is decided first near the limit, which two processes together keep to the call', async () => {
    const { key, subject } = await keyWithLimit(3000);
    const second = Math.floor(deps.clock().getTime() / 1000) - 5;
    await control.query('insert into rate_cells (subject, second, calls) values ($1, $2, 2985)', [subject, second]);
    await control.query('insert into rate_windows (subject, used, oldest_second) values ($1, 2985, $2)', [
      subject,
      second,
    ]);
    const other = await buildApp(createDeps(deps));
    await other.app.ready();
    try {
      const statuses = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const app = i % 2 === 0 ? client.app : other.app;
          const answer = await app.inject({ url: `/api/v1/properties/${home}`, headers: { 'x-api-key': key } });
          return answer.statusCode;
        }),
      );
      assert.equal(statuses.filter((status) => status === 200).length, 15);
      assert.equal(statuses.filter((status) => status === 429).length, 25);
      assert.equal(await countedOf(subject), 3000);
    } finally {
      await other.app.close();
    }
  });
});
