// What a caller can make grow stops at its bound: the request log's queue, the cache of keys, announcements of models.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount } from '../../src/customers/accounts/accounts.ts';
import { createRequestDetails } from '../../src/customers/usage/details.ts';
import { announceModels } from '../../src/delivery/webhooks/webhooks.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { until } from '../until.ts';

const api = await testClient();
const { deps } = api;

describe('bounds', () => {
  it('let 256 exchanges wait for the log, and leave out the rest', async () => {
    const details = createRequestDetails(deps);
    let described = 0;
    const keep = (accountId: string) =>
      details.keep(accountId, () => {
        described += 1;
        const of = { accountId, requestId: `req_${described}`, mode: 'test' as const, at: deps.clock(), url: '/' };
        return { ...of, requestHeaders: {}, body: null, responseHeaders: {}, answer: undefined, answerBytes: null };
      });
    for (let n = 0; n < 1_000; n++) keep(`acct_${n}`);
    assert.equal(described, 256);
    await details.settle();
    keep('acct_later');
    assert.equal(described, 257);
    await details.settle();
  });

  it('forget one changed key, not all of them', async () => {
    const { body: other } = await api.post('/keys', { name: 'a', mode: 'test', scopes: ['properties:read'] });
    const read = (key: string) => api.get(`/properties/${DEMO.property_id}`, { key });
    const looksUp = async (key: string) => {
      const { control } = await deps.countStatements(() => read(key));
      return control.some((text) => /from api_keys/.test(text));
    };
    await read(api.testKey);
    await read(other.secret);
    await api.call('PATCH', `/keys/${other.id}`, { body: { name: 'b' } });
    await until(() => looksUp(other.secret));
    assert.equal(await looksUp(api.testKey), false);
  });

  it('announce models to accounts that listen', async () => {
    await createAccount(deps.control, new Date('2020-01-01'), 'Quiet', 'pro');
    await api.post('/webhooks', { url: 'https://example.com/hook', events: ['model.released'] });
    await deps.control.query(`update models set created_at = $1 where state = 'current'`, [
      new Date(deps.clock().getTime() + 1),
    ]);
    await announceModels(deps);
    await announceModels(deps);
    const { rows } = await deps.control.query(`select account_id from events where type = 'model.released'`);
    assert.deepEqual([...new Set(rows.map(({ account_id }) => account_id))], [api.accountId]);
  });
});
