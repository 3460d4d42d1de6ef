// Limits as rows: one more row of a plan or a contract is enforced, shown in the headers and published, and holds to the
// call over two processes.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { PLANS, type Contract } from '../../src/customers/accounts/plans.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { createDeps } from '../../src/operate/open.ts';
import { testClient } from '../harness.ts';

const client = await testClient();
const { deps } = client;
const PATH = '/properties/search?limit=1';

async function liveKey(plan: 'builder' | 'pro', contract: Contract = {}): Promise<{ key: string; accountId: string }> {
  const { id } = await createAccount(deps.control, deps.clock(), 'Customer', plan, { contract });
  const { secret } = await createKey(deps, id, { name: 'live', mode: 'live', scopes: [...SCOPES] });
  return { key: secret, accountId: id };
}

const countedOf = async (subject: string): Promise<number> =>
  (
    await deps.control.query('select coalesce(sum(calls), 0)::int as calls from rate_cells where subject = $1', [
      subject,
    ])
  ).rows[0].calls;

describe('a row with a limit per second', () => {
  it('is enforced and told in the headers, and a call that it refuses counts nowhere', async () => {
    const { key, accountId } = await liveKey('pro', { limits: [{ name: 'second', amount: 3, windowSeconds: 1 }] });
    deps.travel('2026-03-01T10:00:00.250Z');
    for (let left = 2; left >= 0; left--) {
      const { status, headers } = await client.get(PATH, { key });
      assert.equal(status, 200);
      assert.equal(headers['ratelimit-policy'], '"hourly";q=1000;w=3600, "second";q=3;w=1');
      assert.equal(headers.ratelimit, `"hourly";r=${997 + left};t=3600, "second";r=${left};t=1`);
      assert.equal(headers['x-ratelimit-limit'], '3');
      assert.equal(headers['x-ratelimit-remaining'], String(left));
    }
    for (let n = 0; n < 3; n++) {
      const { status, body, headers } = await client.get(PATH, { key });
      assert.deepEqual([status, body.code, body.limit, headers['retry-after']], [429, 'rate_limited', 3, '1']);
      assert.match(body.detail, /limited to 3 calls per second/);
    }
    deps.travel('2026-03-01T10:00:01.000Z');
    const next = await client.get(PATH, { key });
    assert.deepEqual([next.status, next.headers.ratelimit], [200, '"hourly";r=996;t=3599, "second";r=2;t=1']);
    assert.deepEqual([await countedOf(`${accountId}:live`), await countedOf(`${accountId}:live:second`)], [4, 1]);
  });

  it('is published with the plan it is a row of, and enforced for it', async () => {
    PLANS.builder.limits = [{ name: 'burst', amount: 1, windowSeconds: 10 }];
    after(() => delete PLANS.builder.limits);
    deps.travel('2026-03-01T11:00:00.000Z');
    const { body } = await client.get('/plans');
    const { limits } = body.data.find((plan: { id: string }) => plan.id === 'builder');
    assert.deepEqual(limits, [
      { name: 'hourly', amount: 200, window_seconds: 3_600 },
      { name: 'burst', amount: 1, window_seconds: 10 },
    ]);
    const { key } = await liveKey('builder');
    const statuses: number[] = [];
    for (const at of ['11:00:00', '11:00:09', '11:00:10']) {
      deps.travel(`2026-03-01T${at}.000Z`);
      statuses.push((await client.get(PATH, { key })).status);
    }
    assert.deepEqual(statuses, [200, 429, 200]);
  });

  it('holds to the call over two processes, whichever of the limits is met first', async () => {
    deps.travel('2026-03-01T12:00:00.000Z');
    const second = { name: 'second', amount: 10, windowSeconds: 1 };
    const fast = await liveKey('pro', { limits: [second] });
    const slow = await liveKey('pro', { limits: [second], rateLimitPerHour: 4 });
    const other = await buildApp(createDeps(deps));
    await other.app.ready();
    try {
      const answers = await Promise.all(
        Array.from({ length: 80 }, async (_, i) => {
          const app = i % 2 === 0 ? client.app : other.app;
          const { key } = i % 4 < 2 ? fast : slow;
          const { statusCode } = await app.inject({ url: `/api/v1${PATH}`, headers: { 'x-api-key': key } });
          return { key, statusCode };
        }),
      );
      const admitted = ({ key: of }: { key: string }) =>
        answers.filter(({ key, statusCode }) => key === of && statusCode === 200).length;
      assert.deepEqual([admitted(fast), admitted(slow)], [10, 4]);
      assert.ok(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 429));
      assert.equal(await countedOf(`${slow.accountId}:live:second`), 4);
    } finally {
      await other.app.close();
    }
  });
});
