// A suspended or closed account sees what it owes and can pay; by key and by cookie, nothing else works.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKey, getAccount, updateAccount } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { testClient } from '../harness.ts';
import { signUp, startMailbox } from '../people.ts';
import { until } from '../until.ts';

const mailbox = await startMailbox();
const api = await testClient({ settings: { SMTP_URL: mailbox.url } });
const { app, deps } = api;

const OPEN = new Set([
  'GET /api/v1/usage',
  'GET /api/v1/usage/daily',
  'GET /api/v1/account',
  'GET /api/v1/coverage/fields',
  'GET /api/v1/layers',
  'GET /api/v1/plans',
  'GET /api/v1/requests',
  'GET /api/v1/invoices',
  'GET /api/v1/invoices/:id',
]);

async function customer(email: string, status: 'suspended' | 'closed') {
  const { browser, verified } = await signUp(app, mailbox, email);
  const account = await getAccount(deps, verified.body.account.id);
  const make = (mode: 'live' | 'test') => createKey(deps, account.id, { name: mode, mode, scopes: [...SCOPES] });
  const keys = [(await make('live')).secret, (await make('test')).secret];
  for (const key of keys) assert.equal((await api.get('/usage', { key })).status, 200);
  await updateAccount(deps.control, { ...account, plan: 'pro', anchor_at: deps.clock(), status });
  await until(async () => (await api.get('/markets', { key: keys[1] })).status === 402);
  return { account, browser, keys };
}

const paths = api.routes
  .filter(({ path }) => path.startsWith('/api/v1/'))
  .map(({ method, path }) => ({
    method,
    path,
    url: path.replace(/:y\(\^\\d\+\)/, '1').replace(/:(\w+)/g, '1'),
  }));

describe('while an account is suspended or closed', () => {
  for (const status of ['suspended', 'closed'] as const) {
    it(`${status}: every API route but usage, account and invoices is refused, by key and by cookie`, async () => {
      const { browser, keys } = await customer(`${status}@example.com`, status);
      assert.ok(paths.length > 60);
      for (const { method, path, url } of paths) {
        const isOpen = OPEN.has(`${method} ${path}`);
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        const answers = [];
        for (const key of keys) answers.push(await api.call(method, `/${url}`, { key, body }));
        for (const mode of ['live', 'test']) {
          answers.push(await browser.send(method, url, body, { 'x-platbook-mode': mode }));
        }
        for (const answer of answers) {
          if (isOpen) assert.notEqual(answer.status, 402, `${method} ${path}`);
          else assert.equal(answer.body?.code, 'payment_required', `${method} ${path}: ${answer.status}`);
        }
      }
    });

    it(`${status}: agents are refused`, async () => {
      const { keys } = await customer(`agent-${status}@example.com`, status);
      for (const key of keys) {
        const { body } = await api.call('POST', '//mcp', { key, headers: { host: 'localhost' }, body: {} });
        assert.equal(body.code, 'payment_required');
      }
    });

    it(`${status}: members read, pay and sign out; the team stays as it is`, async () => {
      const { browser, account } = await customer(`team-${status}@example.com`, status);
      for (const path of ['', '/members', '/billing', '/audit-log', '/sessions']) {
        assert.equal((await browser.send('GET', `/session${path}`)).status, 200, path);
      }
      const invited = await browser.send('POST', '/session/invitations', { email: 'new@example.com', role: 'admin' });
      assert.equal(invited.body.code, 'payment_required');
      const { id } = (await browser.send('GET', '/session')).body.user;
      const changed = await browser.send('PATCH', `/session/members/${id}`, { role: 'owner' });
      assert.equal(changed.body.code, 'payment_required');
      assert.equal((await browser.send('POST', '/session/billing/card-setup')).status, 200);
      assert.equal((await browser.send('POST', '/session/sign-out')).status, 200);
      const { rows } = await deps.control.query('select 1 from invitations where account_id = $1', [account.id]);
      assert.equal(rows.length, 0);
    });
  }
});
