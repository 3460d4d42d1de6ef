// Every change leaves a trace: each route that is not a GET writes an audit entry, or is listed here with the reason why not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listEntries } from '../../src/base/audit/sql.ts';
import { createKey, getAccount, updateAccount } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { drain } from '../../src/worker.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox, type Browser } from '../people.ts';

const mailbox = await startMailbox();
const api = await testClient({ settings: { SMTP_URL: mailbox.url } });
const { app, deps } = api;

const READS = 'reads, and is in the request log and on the meter';
const SESSION_OF_ONE = 'changes the session of one person and nothing in the account';
const NO_TRACE: Record<string, string> = {
  'POST /api/v1/properties/search': READS,
  'POST /api/v1/avm/estimate': READS,
  'POST /api/v1/rents/estimate': READS,
  'POST /api/v1/avm/outlook': READS,
  'POST /api/v1/analytics/series': 'reads',
  'POST /session/support': 'sends an email, of which the sender has a copy',
  'POST /api/v1/batches': 'submits work; the batch itself is the record, with its charge on the meter',
  'POST /api/v1/webhooks/:id/test': 'sends a ping; the delivery itself is the record',
  'POST /api/v1/webhooks/:id/redeliver': 'sends again; each delivery keeps its attempts',
  'POST /api/v1/deliveries/:id/redeliver': 'sends again; the delivery keeps its attempts',
  'POST /api/v1/sandbox/events': 'fires an invented event in the sandbox; the event itself is the record',
  'POST /session/sign-up': 'has no account to write to until the email is verified',
  'POST /session/forgot': 'sends an email; the reset is what changes something',
  'PUT /session/digests': 'changes which email one person gets and nothing in the account',
  'POST /unsubscribe': 'ends an email that one person gets and changes nothing in the account',
  'POST /session/sign-out': SESSION_OF_ONE,
  'POST /session/account': SESSION_OF_ONE,
  'POST /session/two-factor': 'hands out a secret that has no effect until it is confirmed',
  'POST /session/billing/card-setup': 'asks the payment provider for a form; the card is what changes something',
  'POST /session/billing/invoices/:id/pay': 'collects what is due; the payment itself is the record',
  'POST /hooks/stripe': 'is the word of the payment provider; the payment itself is the record',
  'POST /reports/policy': 'counts what a browser reports; no account is involved',
  'POST /mcp': 'runs tools that only read, each through a route of the API',
  'DELETE /mcp': 'ends a stream of the protocol',
  'POST /oauth/register': 'has no account to write to until someone consents',
  'POST /oauth/token': 'exchanges what a consent gave; the consent is what is recorded',
  'OPTIONS /oauth/token': READS,
  'OPTIONS /oauth/revoke': READS,
  'POST /oauth/revoke': 'is an app giving its access back; the end of the grant is its record',
};

/** Routes of a person's own sign-in, whose entries are held by the tests named here. */
const HELD_ELSEWHERE: Record<string, string> = {
  'POST /api/v1/owners/search': 'test/api/owners.test.ts',
  'POST /oauth/consent/:uid': 'test/api/oauth.test.ts',
  'DELETE /session/grants/:id': 'test/api/oauth.test.ts',
  'DELETE /session/sessions/:id': 'test/api/audit.test.ts',
  'POST /session/password': 'test/api/audit.test.ts',
  'POST /session/reset': 'test/api/audit.test.ts',
  'POST /session/two-factor/confirm': 'test/api/audit.test.ts',
  'POST /session/two-factor/disable': 'test/api/audit.test.ts',
  'POST /session/passkeys/options': 'test/api/passkeys.test.ts',
  'POST /session/passkeys': 'test/api/passkeys.test.ts',
  'PATCH /session/passkeys/:id': 'test/api/passkeys.test.ts',
  'DELETE /session/passkeys/:id': 'test/api/passkeys.test.ts',
  'POST /session/passkeys/sign-in/options': 'test/api/passkeys.test.ts',
  'POST /session/passkeys/sign-in': 'test/api/passkeys.test.ts',
  'POST /session/sso': 'test/api/sso.test.ts',
  'PUT /session/sso/connection': 'test/api/sso.test.ts',
  'DELETE /session/sso/connection': 'test/api/sso.test.ts',
  'POST /session/counties': 'test/api/counties.test.ts',
  'POST /session/counties/:id/columns': 'test/api/counties.test.ts',
  'PUT /session/counties/:id/recipe': 'test/api/counties.test.ts',
  'PUT /session/counties/:id/file': 'test/api/counties.test.ts',
  'POST /session/counties/:id/steps': 'test/api/counties.test.ts',
  'POST /session/counties/:id/cancel': 'test/api/counties.test.ts',
  'DELETE /session/counties/:id': 'test/api/counties.test.ts',
};

interface Step {
  route: string;
  action: string;
  /** Remembers an id of the answer under this name, for the paths of later steps. */
  keeps?: string;
  body?: unknown | (() => unknown);
  by?: Browser;
}

const ids: Record<string, string> = {};
const keyed = (name: string, keeps: string, body: object, rest: Omit<Step, 'by'>[]): Step[] => [
  { route: `POST /api/v1/${name}`, action: `${keeps}.created`, keeps, body },
  ...rest,
];

const filter = { state: 'ZZ', max_value: 100_000 };
const APPRAISED = {
  property: { id: DEMO.property_id },
  appraisal: { value: 900_000, effective_date: '2026-06-15', comparables: [] },
};
const LENT = { property: { id: DEMO.property_id }, amount: 100_000, closed_on: '2025-01-02' };

const STEPS: Step[] = [
  ...keyed('keys', 'key', { name: 'CI' }, [
    { route: 'PATCH /api/v1/keys/:key', action: 'key.changed', body: { name: 'CI 2' } },
    { route: 'POST /api/v1/keys/:key/rotate', action: 'key.rotated', body: { overlap_hours: 1 } },
    { route: 'POST /api/v1/keys/:key/revoke', action: 'key.revoked' },
  ]),
  ...keyed('webhooks', 'webhook', { url: 'https://example.com/hook?secret=hidden' }, [
    { route: 'PATCH /api/v1/webhooks/:webhook', action: 'webhook.changed', body: { status: 'disabled' } },
    { route: 'POST /api/v1/webhooks/:webhook/rotate-secret', action: 'webhook.secret_rotated', body: {} },
    { route: 'DELETE /api/v1/webhooks/:webhook', action: 'webhook.deleted' },
  ]),
  ...keyed('exports', 'export', { dataset: 'properties', filter, destination: { type: 'folder' } }, [
    { route: 'PATCH /api/v1/exports/:export', action: 'export.changed', body: { name: 'Files' } },
    { route: 'POST /api/v1/exports/:export/runs', action: 'export.run_started' },
    { route: 'DELETE /api/v1/exports/:export', action: 'export.deleted' },
  ]),
  { route: 'POST /api/v1/watchlists', action: 'watchlist.created', body: { name: 'Filter', filter } },
  ...keyed('watchlists', 'watchlist', { name: 'Ids', property_ids: [] }, [
    { route: 'POST /api/v1/watchlists/:watchlist/properties', action: 'watchlist.members_changed', body: {} },
    { route: 'PATCH /api/v1/watchlists/:watchlist', action: 'watchlist.changed', body: { name: 'Ids 2' } },
    { route: 'DELETE /api/v1/watchlists/:watchlist', action: 'watchlist.deleted' },
  ]),
  ...keyed('reports', 'report', { property: { id: DEMO.property_id } }, [
    { route: 'PUT /api/v1/reports/rules', action: 'report_rules.changed', body: { rules: [] } },
    { route: 'DELETE /api/v1/reports/:report', action: 'report.deleted' },
  ]),
  ...keyed('reviews', 'review', APPRAISED, [{ route: 'DELETE /api/v1/reviews/:review', action: 'review.deleted' }]),
  { route: 'PUT /api/v1/account/branding', action: 'branding.changed', body: { name: 'Ada & Co' } },
  ...keyed('shares', 'share', { property_id: DEMO.property_id }, [
    { route: 'POST /api/v1/shares/:share/revoke', action: 'share.revoked' },
  ]),
  ...keyed('test-clocks', 'test_clock', { name: 'Year', now: '2026-01-31T00:00:00Z' }, [
    { route: 'PATCH /api/v1/test-clocks/:test_clock', action: 'test_clock.changed', body: { plan: 'builder' } },
    {
      route: 'POST /api/v1/test-clocks/:test_clock/advance',
      action: 'test_clock.advanced',
      body: { to: '2026-03-01T00:00:00Z' },
    },
    { route: 'DELETE /api/v1/test-clocks/:test_clock', action: 'test_clock.deleted' },
  ]),
  { route: 'POST /api/v1/loans', action: 'loans.registered', keeps: 'loan', body: LENT },
  { route: 'POST /api/v1/loans/batch', action: 'loans.registered', body: { items: [LENT] } },
  { route: 'DELETE /api/v1/loans/:loan', action: 'loan.deleted' },
  { route: 'POST /api/v1/batches/:batch/cancel', action: 'batch.canceled' },
  { route: 'DELETE /api/v1/batches/:batch', action: 'batch.deleted' },
  {
    route: 'POST /session/invitations',
    action: 'member.invited',
    keeps: 'invitation',
    body: { email: 'other@example.com', role: 'admin' },
  },
  { route: 'DELETE /session/invitations/:invitation', action: 'member.invitation_withdrawn' },
  { route: 'PATCH /session/members/:member', action: 'member.role_changed', body: { role: 'developer' } },
  { route: 'DELETE /session/members/:member', action: 'member.removed' },
  { route: 'POST /session/billing/card', action: 'billing.card_added', body: { token: 'tok_test_visa' } },
  {
    route: 'PUT /session/billing/details',
    action: 'billing.details_changed',
    body: { name: 'Ada & Co', lines: ['1 Main St', 'Austin, TX 78701'], country: 'US', region: 'TX', tax_id: null },
  },
  { route: 'POST /session/billing/plan', action: 'billing.plan_chosen', body: { plan: 'builder' } },
  { route: 'POST /session/billing/cancel', action: 'billing.canceled' },
  { route: 'POST /session/billing/resume', action: 'billing.resumed' },
];

/** As registered, whatever its parameters are called. */
const shapeOf = (route: string) => route.replace(/:\w+/g, ':id');

describe('the audit log', () => {
  const mutating = api.routes.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  const walked = new Set([
    ...STEPS.map(({ route }) => shapeOf(route)),
    'POST /session/verify',
    'POST /session/sign-in',
    'POST /session/invitations/accept',
  ]);

  it('covers every route that is not a GET', () => {
    const missing = mutating.filter(
      (route) => !walked.has(shapeOf(route)) && !NO_TRACE[route] && !HELD_ELSEWHERE[route],
    );
    assert.deepEqual(missing, []);
    const gone = Object.keys(NO_TRACE).filter((route) => !mutating.includes(route));
    assert.deepEqual(gone, [], 'reasons for routes that do not exist');
  });

  it('has an entry for each change, by whoever made it, without secrets', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'audited@example.com');
    const accountId = verified.body.account.id;
    const actions = async () => (await listEntries(deps.control, accountId, {}, 500)).map((row) => row.action);
    assert.deepEqual(await actions(), ['account.created']);

    await browser.send('POST', '/session/sign-in', { email: 'audited@example.com', password: PASSWORD });
    assert.equal((await actions())[0], 'user.signed_in');

    await browser.send('POST', '/session/invitations', { email: 'joins@example.com', role: 'viewer' });
    const guest = openBrowser(app);
    const { token } = mailbox.last('joins@example.com');
    await guest.send('POST', '/session/invitations/accept', { token, name: 'Jo', password: PASSWORD });
    assert.equal((await actions())[0], 'member.joined');
    ids.member = (await guest.send('GET', '/session')).body.user.id;

    const { key, secret } = await createKey(deps, accountId, { name: 'all', mode: 'test', scopes: [...SCOPES] });
    const { rows } = await deps.data.query('select id from properties limit 1');
    const watched = STEPS.find(({ keeps }) => keeps === 'watchlist')!;
    watched.body = { name: 'Ids', property_ids: [rows[0].id] };
    const items = [{ address: '1 Nowhere St' }];
    const { body: batch } = await api.post('/batches', { items }, { key: secret });
    ids.batch = batch.id;

    for (const { route, action, keeps, body } of STEPS) {
      const [method, path] = route.split(' ');
      const url = path.replace(/:(\w+)/g, (_whole, name: string) => ids[name]);
      // One run at a time: the first is done before the second is asked for.
      if (route.endsWith('/runs')) await drain(deps, ['exports']);
      const before = (await actions()).length;
      const isKeyed = url.startsWith('/api/');
      const answer = isKeyed
        ? await api.call(method, `/${url}`, { key: secret, body })
        : await browser.send(method, url, body);
      assert.ok(answer.status >= 200 && answer.status < 300, `${route}: ${answer.text}`);
      const entries = await listEntries(deps.control, accountId, {}, 500);
      const fresh = entries.slice(0, entries.length - before);
      const entry = fresh.find((row) => row.action === action);
      assert.ok(entry, `${route} left no ${action}: ${fresh.map((row) => row.action).join(', ')}`);
      assert.equal(entry.actor, isKeyed ? key.id : verified.body.user.id);
      assert.doesNotMatch(JSON.stringify(entry.details), /secret=hidden|sk_(live|test)|whsec_/);
      if (keeps) ids[keeps] = answer.body.id;
      if (route === 'POST /session/billing/plan') await makeActive(accountId);
    }
  });
});

/** The transfer has arrived, as an operator would record it. */
async function makeActive(accountId: string): Promise<void> {
  const account = await getAccount(deps, accountId);
  await updateAccount(deps.control, { ...account, plan: 'builder', status: 'active' });
}
