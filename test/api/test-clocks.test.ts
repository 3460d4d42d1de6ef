// Test clocks: the same histories give the same invoices as for an account that lives through them, nothing happens twice,
// nobody else sees or moves one, no live data and no money are in them, and deleting one leaves nothing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from '../properties.ts';
import { createAccount, createKey, getAccount } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { runBilling } from '../../src/customers/billing/due.ts';
import { createManualProvider } from '../../src/customers/billing/providers/manual.ts';
import { listDueInvoices, listUnaccounted } from '../../src/customers/billing/sql.ts';
import TABLES from '../../src/customers/clocks/tables.json' with { type: 'json' };
import { bookEvents } from '../../src/customers/usage/booking.ts';
import { usagePeriod } from '../../src/customers/usage/periods.ts';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { Ledger, PRICES, type Interval, type Meter, type PlanName } from '../ledger.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const api = await testClient();
const { deps } = api;

interface Clock {
  id: string;
  key: string;
}

async function makeClock(body: object = {}): Promise<Clock> {
  const answer = await api.post('/test-clocks', { name: 'Clock', ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
const removeClock = async ({ id }: Clock) => assert.equal((await api.call('DELETE', `/test-clocks/${id}`)).status, 204);
const advance = (clock: Clock, to: number | string) =>
  api.post(`/test-clocks/${clock.id}/advance`, { to: new Date(to).toISOString() });
const change = (clock: Clock, body: object) => api.call('PATCH', `/test-clocks/${clock.id}`, { body });
const invoicesOf = async ({ id }: Clock): Promise<any[]> =>
  (await api.get(`/test-clocks/${id}/invoices?limit=100`)).body.data;
const eventsOf = async ({ key }: Clock): Promise<any[]> => (await api.get('/events?limit=100', { key })).body.data;
const askedBy = (invoices: any[]) =>
  invoices
    .filter(({ status }) => status !== 'void')
    .flatMap(({ lines }) => lines)
    .filter(({ kind }) => kind !== 'credit')
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0);

/** So many units at the instant of the clock, as calls book them. */
async function use({ id }: Clock, meter: Meter, units: number): Promise<void> {
  const account = await getAccount(deps, id);
  const happened_at = account.clock_at!;
  const { start: period_start } = usagePeriod(account, happened_at);
  const rest = { key_id: null, request_id: 'req_test', route: '/test' };
  const event = { id: `use_${Math.random()}`, account_id: id, meter, units, period_start, happened_at, ...rest };
  await inTransaction(deps.control, (client) => bookEvents(client, [event], deps.clock()));
}

type Step =
  | { do: 'choose'; plan: PlanName; interval: Interval; isPaid: boolean }
  | { do: 'use'; meter: Meter; units: number }
  | { do: 'call' | 'cancel' | 'resume' };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('choose' as const),
      plan: fc.constantFrom<PlanName>('builder', 'pro', 'scale'),
      interval: fc.constantFrom<Interval>('month', 'month', 'year'),
      isPaid: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('use' as const),
      meter: fc.constantFrom<Meter>('standard', 'avm'),
      units: fc.integer({ min: 1, max: 700_000 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('call' as const, 'cancel' as const, 'resume' as const) }) },
);
/** In milliseconds, or to the end of the running month and a little beyond or before it. */
const wait = fc.oneof(
  fc.integer({ min: 0, max: 45 * DAY }).map((ms) => ({ ms })),
  fc.constantFrom(-1, 0, 1, 5 * 60_000, HOUR).map((beyond) => ({ beyond })),
);
type Story = [number, [{ ms: number } | { beyond: number }, Step][]];
const story: fc.Arbitrary<Story> = fc.tuple(
  fc.constantFrom('2026-01-31T10:30:00.000Z', '2028-02-29T00:00:00.000Z', '2027-06-15T12:00:00.000Z').map(Date.parse),
  fc.array(fc.tuple(wait, step), { minLength: 3, maxLength: 10 }),
);

/** Acts the story by HTTP, beside the reference. */
async function live(story: Story): Promise<void> {
  const clock = await makeClock({ now: new Date(story[0]).toISOString() });
  try {
    await act(clock, story);
  } finally {
    await removeClock(clock);
  }
}

async function act(clock: Clock, [start, steps]: Story): Promise<void> {
  const ledger = new Ledger();
  let now = start;
  const to = async (instant: number) => {
    now = Math.max(now, instant);
    const answer = await advance(clock, now);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(Date.parse(answer.body.now), now);
    ledger.advance(now);
  };
  let isTrial = true;
  for (const [delay, what] of steps) {
    await to('ms' in delay ? now + delay.ms : (ledger.months.at(-1)?.end ?? now) + delay.beyond);
    if (what.do === 'choose') {
      if (!what.isPaid) await change(clock, { card: 'tok_test_declined' });
      const { plan, interval } = what;
      const isUp = ledger.isRunning && PRICES[plan] > PRICES[ledger.plan] && now < ledger.term.end;
      const isSale = !ledger.isRunning || (isUp && ledger.priceOfUpgrade(plan, now) > 0);
      const answer = await change(clock, { plan, interval });
      if (isSale && !what.isPaid) assert.equal(answer.body.code, 'card_declined', answer.text);
      else {
        assert.equal(answer.status, 200, answer.text);
        isTrial = false;
        if (!ledger.isRunning) ledger.start(plan, interval, now);
        else if (isUp) ledger.upgrade(plan, interval, now);
        else {
          const isSame = plan === ledger.plan && interval === ledger.interval;
          Object.assign(ledger, { next: isSame ? undefined : { plan, interval }, cancels: false });
        }
      }
      if (!what.isPaid) await change(clock, { card: 'tok_test_visa' });
    }
    if (what.do === 'use' && ledger.isRunning) {
      await use(clock, what.meter, what.units);
      ledger.month.used.push({ meter: what.meter, units: what.units, at: now });
    }
    if (what.do === 'call') {
      const answer = await api.get(`/properties/${DEMO.property_id}`, { key: clock.key });
      const mayCall: boolean = ledger.isRunning || (isTrial && now < start + 14 * DAY);
      assert.equal(answer.status, mayCall ? 200 : 402, answer.text);
      assert.equal(answer.headers['x-usage-units'] === '1', mayCall);
      if (ledger.isRunning) ledger.month.used.push({ meter: 'standard', units: 1, at: now });
    }
    if (what.do === 'cancel' && ledger.isRunning) {
      await change(clock, { cancels_at_end: true });
      Object.assign(ledger, { cancels: true, next: undefined });
    }
    if (what.do === 'resume' && ledger.isRunning) {
      await change(clock, { cancels_at_end: false });
      Object.assign(ledger, { cancels: false, next: undefined });
    }
  }
  await to(now + 62 * DAY);
  // A month that ended just now, and with it perhaps the plan, is closed a few minutes later.
  const isClosing = ledger.months.some(({ end }) => end <= now && now - end < HOUR);
  if (isClosing) await to(now + HOUR);
  const invoices = await invoicesOf(clock);
  const told = JSON.stringify([start, steps, invoices.map(({ kind, lines }) => [kind, lines])]);
  assert.equal(askedBy(invoices), ledger.fees + ledger.overage(), told);
  const { billing_status } = (await api.get(`/test-clocks/${clock.id}`)).body;
  assert.equal(billing_status === 'active', ledger.isRunning, told);
}

/** A yearly plan that is canceled, looked at in the very moment in which its year ends. */
const ENDING: Story = [
  Date.parse('2026-01-31T10:30:00.000Z'),
  [
    [{ beyond: 300_000 }, { do: 'choose', plan: 'scale', interval: 'year', isPaid: true }],
    ...Array.from({ length: 9 }, (): Story[1][0] => [{ beyond: 0 }, { do: 'use', meter: 'avm', units: 16 }]),
    [{ beyond: 0 }, { do: 'cancel' }],
  ],
];

describe('a history acted by a test clock', () => {
  it('is invoiced to the cent as the published rules say', async () => {
    const numRuns = Number(process.env.STORIES ?? 25);
    await fc.assert(fc.asyncProperty(story, live), { numRuns, endOnFailure: true, examples: [[ENDING]] });
  });

  it('has a month of calls, an overage, its alerts and its invoices with events of the sandbox', async () => {
    const clock = await makeClock({ now: '2026-01-31T00:00:00Z', plan: 'builder' });
    for (let n = 0; n < 3; n++) await api.get(`/properties/${DEMO.property_id}`, { key: clock.key });
    await api.post('/avm/estimate', { property: { id: DEMO.property_id } }, { key: clock.key });
    const batch = await api.post('/batches', { items: [{ address: DEMO.address }] }, { key: clock.key });
    assert.equal(batch.status, 202, batch.text);
    await drain(deps, ['batches']);
    const { body: usage } = await api.get('/usage', { key: clock.key });
    assert.deepEqual([usage.standard.used, usage.avm.used, usage.period_start], [4, 1, '2026-01-31T00:00:00.000Z']);
    await use(clock, 'standard', 10_006);
    await advance(clock, '2026-03-01T00:00:00Z');
    const [renewal, first] = await invoicesOf(clock);
    assert.deepEqual([first.kind, first.status, first.total_cents], ['start', 'paid', 29_900]);
    assert.deepEqual([renewal.kind, renewal.status, renewal.total_cents], ['renewal', 'paid', 29_900 + 10 * 5]);
    assert.equal(renewal.period_end, '2026-02-28T00:00:00.000Z');
    assert.equal(renewal.issued_at, '2026-02-28T00:10:00.000Z');
    const kinds = (await eventsOf(clock)).map(({ type }) => type);
    for (const type of ['invoice.finalized', 'usage.threshold_reached']) assert.ok(kinds.includes(type), type);
    const { body: after } = await api.get('/usage', { key: clock.key });
    assert.deepEqual([after.standard.used, after.period_start], [0, '2026-02-28T00:00:00.000Z']);
    await removeClock(clock);
  });

  it('ends a trial: calls are refused after 14 days, and a plan chosen for its end begins then', async () => {
    const clock = await makeClock({ now: '2026-05-01T00:00:00Z' });
    const call = () => api.get(`/properties/${DEMO.property_id}`, { key: clock.key });
    await advance(clock, '2026-05-14T23:59:59Z');
    assert.equal((await call()).status, 200);
    await advance(clock, '2026-05-15T00:00:00Z');
    assert.equal((await call()).body.code, 'trial_expired');
    await removeClock(clock);
    const other = await makeClock({ now: '2026-05-01T00:00:00Z' });
    assert.equal((await change(other, { plan: 'pro', when: 'trial_end' })).status, 200);
    const { body } = await advance(other, '2026-05-15T00:00:00Z');
    assert.deepEqual([body.plan, body.billing_status, body.term_end], ['pro', 'active', '2026-06-15T00:00:00.000Z']);
    await removeClock(other);
  });

  it('tries a declined renewal again on its days, suspends the account, and takes it back when it is paid', async () => {
    const clock = await makeClock({ now: '2026-01-15T00:00:00Z', plan: 'builder' });
    await change(clock, { card: 'tok_test_declined' });
    const at = async (day: string) => {
      const { body } = await advance(clock, day);
      const [{ status, next_attempt_at }] = await invoicesOf(clock);
      return [body.account_status, body.billing_status, status, next_attempt_at?.slice(0, 10) ?? null];
    };
    assert.deepEqual(await at('2026-02-15T01:00:00Z'), ['active', 'past_due', 'open', '2026-02-16']);
    assert.deepEqual(await at('2026-02-16T01:00:00Z'), ['active', 'past_due', 'open', '2026-02-18']);
    assert.deepEqual(await at('2026-02-23T00:00:00Z'), ['suspended', 'past_due', 'open', null]);
    assert.equal((await api.get(`/properties/${DEMO.property_id}`, { key: clock.key })).body.code, 'payment_required');
    await change(clock, { card: 'tok_test_visa' });
    assert.deepEqual(await at('2026-02-24T00:00:00Z'), ['active', 'active', 'paid', null]);
    await removeClock(clock);
  });

  it('compares a watchlist with the records once a day of the clock, and never in the present', async () => {
    const clock = await makeClock({ now: '2026-05-01T00:00:00Z', plan: 'builder' });
    const { body: list } = await api.post('/watchlists', { name: 'w', filter: { zip: '00103' } }, { key: clock.key });
    await drain(deps, ['watchlists']);
    const refreshedAt = async () =>
      (await deps.control.query('select refreshed_at from watchlists where id = $1', [list.id])).rows[0].refreshed_at;
    assert.equal((await refreshedAt()).toISOString(), '2026-05-01T00:00:00.000Z');
    await advance(clock, '2026-05-04T12:00:00Z');
    assert.ok((await refreshedAt()) > new Date('2026-05-03T00:00:00Z'));
    await removeClock(clock);
  });
});

describe('an advance that is killed', () => {
  it('goes on when it is repeated, and nothing happens twice', async () => {
    const until = '2027-12-15T00:00:00.000Z';
    const make = async () => {
      const clock = await makeClock({ now: '2026-01-31T00:00:00Z', plan: 'builder' });
      await use(clock, 'avm', 700);
      return clock;
    };
    const [whole, broken] = [await make(), await make()];
    assert.equal((await advance(whole, until)).status, 200);
    const shown = async (clock: Clock) =>
      (await invoicesOf(clock)).map(({ kind, period_start, total_cents, issued_at, status }) =>
        [kind, period_start, total_cents, issued_at, status].join(' '),
      );
    const stands = async () => (await getAccount(deps, broken.id)).clock_at!.getTime();
    const goal = Date.parse(until);
    let leftMidway = 0;
    for (let stops = 1; stops <= 3; stops++) {
      const child = spawn(process.execPath, [fileURLToPath(new URL('../serve.ts', import.meta.url))], {
        env: { ...process.env, DATABASE_URL: deps.config.databaseUrl, PLATBOOK_SECRET: deps.config.secret, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const url = `http://127.0.0.1:${line.replace('PORT=', '')}/api/v1/test-clocks/${broken.id}/advance`;
      const headers = { 'x-api-key': api.testKey, 'content-type': 'application/json' };
      const answer = fetch(url, { method: 'POST', headers, body: JSON.stringify({ to: until }) }).catch(
        () => undefined,
      );
      // Killed after it has moved a few times.
      for (let [moves, last] = [0, await stands()]; moves < stops && last < goal;) {
        const now = await stands();
        if (now > last) [moves, last] = [moves + 1, now];
        else await sleep(1);
      }
      child.kill('SIGKILL');
      await ended;
      await answer;
      if ((await stands()) < goal) leftMidway += 1;
    }
    assert.ok(leftMidway > 0, 'no process was killed in the middle of an advance');
    assert.equal((await advance(broken, until)).status, 200);
    assert.equal((await advance(broken, until)).status, 200);
    assert.deepEqual(await shown(broken), await shown(whole));
    assert.equal((await shown(whole)).length, 23);
    const finalized = (clock: Clock) =>
      eventsOf(clock).then((events) => events.filter(({ type }) => type === 'invoice.finalized').length);
    assert.equal(await finalized(broken), await finalized(whole));
    const { rows } = await deps.control.query(
      'select account_id, count(*)::int as n from payments where account_id = any ($1) group by 1',
      [[whole.id, broken.id]],
    );
    assert.equal(new Set(rows.map(({ n }) => n)).size, 1);
    await removeClock(whole);
    await removeClock(broken);
  });
});

describe('a test clock', () => {
  it('belongs to its account: others neither see nor move it, and it has no clocks itself', async () => {
    const clock = await makeClock();
    const other = await createAccount(deps.control, deps.clock(), 'Other', 'pro');
    const { secret: key } = await createKey(deps, other.id, { name: 'k', mode: 'test', scopes: [...SCOPES] });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/invoices', undefined],
      ['PATCH', '', { plan: 'pro' }],
      ['POST', '/advance', { to: '2030-01-01T00:00:00Z' }],
      ['DELETE', '', undefined],
    ] as const)
      assert.equal((await api.call(method, `/test-clocks/${clock.id}${path}`, { key, body })).status, 404, method);
    assert.deepEqual((await api.get('/test-clocks', { key })).body.data, []);
    assert.equal((await api.get(`/test-clocks/${api.accountId}`)).status, 404, 'a real account is no clock');
    const nested = await api.post('/test-clocks', { name: 'c' }, { key: clock.key });
    assert.equal(nested.body.code, 'invalid_state');
    assert.equal((await api.get(`/test-clocks/${clock.id}`, { key: clock.key })).status, 404);
    await removeClock(clock);
  });

  it('never has live data: its key is of the sandbox, and makes no other', async () => {
    const clock = await makeClock({ plan: 'builder' });
    const made = await api.post('/keys', { name: 'k', mode: 'live' }, { key: clock.key });
    assert.equal(made.body.code, 'key_exceeds_caller');
    assert.equal((await api.get('/account', { key: clock.key })).body.mode, 'test');
    const { data } = (await api.get('/markets', { key: clock.key })).body;
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      ['sandbox'],
    );
    await removeClock(clock);
  });

  it('is left alone by the worker, and counted in nothing of the operator’s', async () => {
    const clock = await makeClock({ now: '2025-01-15T00:00:00Z', plan: 'builder' });
    await use(clock, 'avm', 900);
    const before = await invoicesOf(clock);
    await runBilling(deps, createManualProvider());
    assert.deepEqual(await invoicesOf(clock), before);
    await change(clock, { card: 'tok_test_declined' });
    await advance(clock, '2025-02-15T00:30:00Z');
    const [{ id: open }] = await invoicesOf(clock);
    assert.ok(!(await listDueInvoices(deps.control, new Date('2040-01-01'))).includes(open));
    const unaccounted = await listUnaccounted(deps.control, new Date('2040-01-01'));
    assert.deepEqual(
      unaccounted.filter(({ account_id }) => account_id === clock.id),
      [],
    );
    const { body: own } = await api.get('/usage', { key: api.liveKey });
    assert.deepEqual([own.standard.used, own.avm.used], [0, 0]);
    assert.deepEqual((await api.get('/invoices', { key: api.liveKey })).body.data, []);
    await removeClock(clock);
  });

  it('goes with all it has, and nothing else can be taken out of the books', async () => {
    const clock = await makeClock({ now: '2026-01-31T00:00:00Z', plan: 'builder' });
    await api.get(`/properties/${DEMO.property_id}`, { key: clock.key });
    await api.post('/avm/estimate', { property: { id: DEMO.property_id } }, { key: clock.key });
    await api.post('/batches', { items: [{ address: DEMO.address }] }, { key: clock.key });
    await api.post('/webhooks', { url: 'https://example.com/hook' }, { key: clock.key });
    await api.post('/watchlists', { name: 'w', filter: { zip: '00103' } }, { key: clock.key });
    await api.post('/shares', { property_id: DEMO.property_id }, { key: clock.key });
    await drain(deps, ['batches', 'watchlists']);
    await advance(clock, '2026-06-01T00:00:00Z');
    await removeClock(clock);
    const { rows: tables } = await deps.control.query(
      `select table_name from information_schema.columns where table_schema = 'control' and column_name = 'account_id'`,
    );
    for (const { table_name: table } of tables) {
      const { rows } = await deps.control.query(`select 1 from control.${table} where account_id = $1`, [clock.id]);
      assert.equal(rows.length, 0, table);
    }
    assert.equal((await api.get('/account', { key: clock.key })).body.code, 'invalid_api_key');
    // Without people there is nobody to sign in, to be invited, or to connect an app.
    const ofPeople =
      /^(members|removed_members|invitations|sessions|sso_\w+|oauth_\w+|status_probe|api_keys|export_runs)$/;
    const forgotten = tables
      .map(({ table_name }) => table_name)
      .filter((name) => !TABLES.includes(name) && !ofPeople.test(name));
    assert.deepEqual(forgotten, []);
    await assert.rejects(
      deps.control.query('delete from audit_log where account_id = $1', [api.accountId]),
      /append-only/,
    );
    await assert.rejects(
      deps.control.query('update accounts set clock_at = now() where id = $1', [api.accountId]),
      /accounts_clock/,
    );
  });

  it('is bounded in number, in what an advance passes, and in how far it goes', async () => {
    const clocks: Clock[] = [];
    for (let n = 0; n < 10; n++) clocks.push(await makeClock({ card: null }));
    assert.equal((await api.post('/test-clocks', { name: 'c' })).body.code, 'invalid_state');
    const [clock] = clocks;
    for (const to of ['2020-01-01T00:00:00Z', '2029-12-01T00:00:00Z'])
      assert.equal((await advance(clock, to)).status, 400, to);
    for (const now of ['1999-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'soon'])
      assert.equal((await api.post('/test-clocks', { name: 'c', now })).status, 400, now);
    for (const each of clocks) await removeClock(each);
    assert.deepEqual((await api.get('/test-clocks')).body.data, []);
  });
});
