// What a caller can make grow stops at its bound: the log's queue, cached keys and calibrations, receipts, announcements.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, dayNumber } from '../../src/base/lib/clock.ts';
import { createAccount } from '../../src/customers/accounts/accounts.ts';
import { SANDBOX_RETENTION } from '../../src/customers/accounts/plans.ts';
import { forgetOldReceipts } from '../../src/insight/valuations/receipts.ts';
import { createRequestDetails } from '../../src/customers/usage/details.ts';
import { announceModels } from '../../src/delivery/webhooks/webhooks.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { registerClient } from '../oauth.ts';
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

  it('keep the calibrations of sixteen weeks per open model, and compute a forgotten one again, alike', async () => {
    const row = (await deps.models.list()).find(({ state }) => state === 'current');
    const open = await deps.models.open(row!);
    const first = dayNumber('2026-06-01');
    const weekly = (n: number) => open.calibrationOn(first - 7 * n);
    const kept = weekly(0);
    for (let n = 1; n < 16; n++) weekly(n);
    assert.equal(weekly(0), kept, 'the sixteenth week displaces none');
    for (let n = 16; n < 32; n++) weekly(n);
    const again = weekly(0);
    assert.notEqual(again, kept, 'the seventeenth displaces the least used');
    assert.deepEqual(again, kept);
  });

  it('rank the sandbox receipts of accounts that made some lately, and leave all others alone', async () => {
    const fill = async (name: string, madeAt: string) => {
      const account = await createAccount(deps.control, new Date('2026-01-01'), name, 'pro');
      await deps.control.query(
        `insert into valuations (id, account_id, mode, market, model_version, model_hash, as_of, document, created_at)
         select $1 || n, $1, 'test', 'x', 'x', 'x', '2026-06-01', '', $2::timestamptz - n * interval '1 second'
         from generate_series(1, $3::int) n`,
        [account.id, madeAt, SANDBOX_RETENTION.receipts! + 5],
      );
      return async () => {
        const text = 'select count(*)::int as n from valuations where account_id = $1';
        return (await deps.control.query(text, [account.id])).rows[0].n - SANDBOX_RETENTION.receipts!;
      };
    };
    const now = deps.clock().getTime();
    const busy = await fill('Busy', new Date(now).toISOString());
    const idle = await fill('Idle', new Date(now - 2 * DAY_MS).toISOString());
    await forgetOldReceipts(deps);
    assert.deepEqual([await busy(), await idle()], [0, 5]);
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

  it('keep a thousand loans of the sandbox, and no condition of a loan that is gone', async () => {
    const [{ id: home }, ...others] = (
      await deps.data.query(`select id from properties where status = 'active' limit 3`)
    ).rows;
    const register = (property: string) =>
      api.post('/loans', { property: { id: property }, amount: 100_000, closed_on: '2025-01-01' });
    const { body: loan } = await register(home);
    await deps.control.query(
      `insert into loans select (jsonb_populate_record(l, jsonb_build_object('id', l.id || n, 'reference', null))).*
       from loans l, generate_series(1, 998) n where l.id = $1`,
      [loan.id],
    );
    assert.equal((await register(others[0].id)).status, 201);
    const refused = await register(others[1].id);
    assert.deepEqual([refused.status, refused.body.code], [403, 'plan_feature_unavailable']);
    const conditions = async () =>
      (await deps.control.query('select from loan_conditions where loan_id = $1', [loan.id])).rowCount!;
    assert.ok((await conditions()) > 0);
    assert.equal((await api.call('DELETE', `/loans/${loan.id}`)).status, 204);
    assert.equal(await conditions(), 0);
  });

  it('keep ten thousand apps that nobody has consented to, and forget the oldest', async () => {
    const { body: oldest } = await registerClient(api.app);
    await deps.control.query(
      `insert into oauth_records select (jsonb_populate_record(o, jsonb_build_object(
         'digest', '\\x' || encode(sha256(n::text::bytea), 'hex'), 'expires_at', o.expires_at + n * interval '1 ms'))).*
       from oauth_records o, generate_series(1, 9999) n where o.model = 'Client'`,
    );
    const count = async () => (await deps.control.query(`select from oauth_records where model = 'Client'`)).rowCount!;
    assert.equal(await count(), 10_000);
    deps.travel(new Date(Date.now() + 60_000).toISOString());
    assert.equal((await registerClient(api.app)).status, 201);
    assert.equal(await count(), 10_000);
    const { status, body } = await api.get(`//oauth/authorize?client_id=${oldest.client_id}&response_type=code`, {
      key: null,
    });
    assert.ok(status >= 400, `${status} ${JSON.stringify(body)}`);
  });

  it('count a hundred thousand subjects by the minute; the least used starts over', async () => {
    const { reports } = deps.minuteLimits;
    await reports.take('first');
    const { remaining } = reports.state('first');
    for (let n = 0; n < 99_999; n++) reports.state(`other ${n}`);
    assert.equal(reports.state('first').remaining, remaining);
    for (let n = 0; n < 100_000; n++) reports.state(`another ${n}`);
    assert.equal(reports.state('first').remaining, remaining + 1);
  });
});
