// Billing scenarios with a clock that travels: trials, plans, months, terms, cards that are declined, credit.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '../properties.ts';
import { createAccount, createKey, getAccount } from '../../src/customers/accounts/accounts.ts';
import type { PlanId } from '../../src/customers/accounts/plans.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import * as billing from '../../src/customers/billing/billing.ts';
import * as cards from '../../src/customers/billing/cards.ts';
import { saveBillingDetails } from '../../src/customers/billing/details.ts';
import { closeNext } from '../../src/customers/billing/closing.ts';
import { runBilling } from '../../src/customers/billing/due.ts';
import { creditInvoice } from '../../src/customers/billing/credit-notes.ts';
import * as operator from '../../src/customers/billing/operator.ts';
import { listPayments, listRefunds, sumCredits } from '../../src/customers/billing/payment-sql.ts';
import { refundInvoice } from '../../src/customers/billing/refunds.ts';
import * as planChanges from '../../src/customers/billing/plan-changes.ts';
import { createManualProvider } from '../../src/customers/billing/providers/manual.ts';
import type { Interval } from '../../src/customers/billing/money.ts';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { findInvoice, findSubscription, listInvoices } from '../../src/customers/billing/sql.ts';
import { bookEvents } from '../../src/customers/usage/booking.ts';
import { usagePeriod } from '../../src/customers/usage/periods.ts';
import { holdUnits, refuseUnpaid, settleUnits } from '../../src/customers/usage/usage.ts';
import { runAdmin } from '../../src/operate/commands/admin.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox } from '../people.ts';
import { startStripe } from '../stripe.ts';
import { until } from '../until.ts';

const mailbox = await startMailbox();
const stripe = await startStripe();
const client = await testClient({
  settings: {
    SMTP_URL: mailbox.url,
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_PUBLISHABLE_KEY: 'pk_for_tests',
    STRIPE_API_URL: stripe.url,
  },
});
const { deps, app } = client;
const provider = await billing.createProvider(deps);
const BY = { actor: 'test' };
let cardCount = 0;

/** An account with a card on file; its trial has begun. */
async function customer(at: string, options: { declines?: number } = {}) {
  deps.travel(at);
  const account = await createAccount(deps.control, deps.clock(), 'Customer', 'trial', { anchorAt: null });
  const fingerprint = `card${(cardCount += 1)}`;
  const { client_secret } = await cards.beginCard(deps, provider, account);
  const token = stripe.enterCard(client_secret!, { fingerprint });
  await cards.addCard(deps, provider, { account, token, by: BY });
  stripe.setDeclines(fingerprint, options.declines ?? 0);
  const { secret } = await createKey(deps, account.id, { name: 'live', mode: 'live', scopes: [...SCOPES] });
  return { id: account.id, fingerprint, live: secret };
}

const choose = (id: string, plan: PlanId, interval: Interval = 'month') =>
  planChanges.choosePlan(deps, provider, { accountId: id, plan, interval, by: BY });
const account = (id: string) => getAccount(deps, id);
const subscription = async (id: string) => (await findSubscription(deps.control, id))!;

async function runAt(at: string): Promise<void> {
  deps.travel(at);
  await runBilling(deps, provider);
}

/** Oldest first, as [number's count, kind, status, total, lines]. */
async function invoices(id: string) {
  const rows = await listInvoices(deps.control, id, undefined, 100);
  return rows.reverse().map((row) => ({
    n: Number(row.number.slice(-4)),
    kind: row.kind,
    status: row.status,
    total: row.total_cents,
    lines: row.lines.map((line) => [line.kind, line.amount_cents]),
  }));
}

async function declined(id: string): Promise<number> {
  const [latest] = await listInvoices(deps.control, id, undefined, 1);
  return (await listPayments(deps.control, latest.id)).filter(({ status }) => status === 'declined').length;
}

/** The id of the newest invoice. */
async function latest(id: string): Promise<string> {
  return (await listInvoices(deps.control, id, undefined, 1))[0].id;
}

/** How often money was taken for an account. */
async function taken(id: string): Promise<number> {
  const own = new Set((await listInvoices(deps.control, id, undefined, 100)).map((row) => row.id));
  return stripe.taken.filter(({ invoiceId }) => own.has(invoiceId)).length;
}

async function use(id: string, meter: 'standard' | 'avm', units: number, at: string): Promise<void> {
  const owner = await account(id);
  await inTransaction(deps.control, (transaction) =>
    bookEvents(
      transaction,
      [
        {
          id: `use_${Math.random()}`,
          account_id: id,
          key_id: null,
          meter,
          units,
          period_start: usagePeriod(owner, new Date(at)).start,
          happened_at: new Date(at),
          request_id: 'req_test',
          route: '/test',
        },
      ],
      deps.clock(),
    ),
  );
}

describe('the trial', () => {
  test('begins with the card and turns into a plan on day one: charged once, months from then on', async () => {
    const { id } = await customer('2026-01-10T08:00:00.000Z');
    assert.equal((await account(id)).anchor_at?.toISOString(), '2026-01-10T08:00:00.000Z');
    await use(id, 'standard', 900, '2026-01-10T09:00:00.000Z');
    deps.travel('2026-01-10T10:00:00.000Z');
    assert.equal((await choose(id, 'builder')).effect, 'started');
    assert.deepEqual(await invoices(id), [
      { n: 1, kind: 'start', status: 'paid', total: 29_900, lines: [['plan', 29_900]] },
    ]);
    await runAt('2026-02-10T10:10:00.000Z');
    const [, second] = await invoices(id);
    assert.deepEqual(second.lines, [['plan', 29_900]], 'what the trial used is not overage of the plan');
  });

  test('a plan chosen for its end begins then, on day 14, and is billed from that moment', async () => {
    const { id } = await customer('2026-01-31T23:00:00.000Z');
    await planChanges.choosePlanAfterTrial(deps, provider, { accountId: id, plan: 'pro', interval: 'month', by: BY });
    await runAt('2026-02-14T22:59:00.000Z');
    assert.equal((await account(id)).plan, 'trial');
    await runAt('2026-02-14T23:05:00.000Z');
    assert.equal((await account(id)).plan, 'pro');
    assert.equal((await account(id)).anchor_at?.toISOString(), '2026-02-14T23:00:00.000Z');
    assert.deepEqual(
      (await invoices(id)).map((invoice) => [invoice.status, invoice.total]),
      [['paid', 79_900]],
    );
  });

  test('ends without a charge when nothing was chosen', async () => {
    const { id } = await customer('2026-03-01T00:00:00.000Z');
    await runAt('2026-04-20T00:00:00.000Z');
    assert.deepEqual(await invoices(id), []);
  });

  test('is had once per card, whatever the account', async () => {
    const { fingerprint } = await customer('2026-03-01T00:00:00.000Z');
    const other = await createAccount(deps.control, deps.clock(), 'Other', 'trial', { anchorAt: null });
    const { client_secret } = await cards.beginCard(deps, provider, other);
    const token = stripe.enterCard(client_secret!, { fingerprint });
    await assert.rejects(cards.addCard(deps, provider, { account: other, token, by: BY }), {
      code: 'trial_unavailable',
    });
    assert.equal((await account(other.id)).anchor_at, null);
    assert.equal((await choose(other.id, 'builder')).effect, 'started', 'but the card is good for a plan');
  });

  test('a card that is declined for the plan after it leaves an ended trial, tried once', async () => {
    const { id } = await customer('2026-03-01T00:00:00.000Z', { declines: 99 });
    await planChanges.choosePlanAfterTrial(deps, provider, {
      accountId: id,
      plan: 'builder',
      interval: 'month',
      by: BY,
    });
    await runAt('2026-03-15T00:10:00.000Z');
    await runAt('2026-03-16T00:10:00.000Z');
    assert.deepEqual(
      (await invoices(id)).map((invoice) => invoice.status),
      ['void'],
    );
    assert.equal((await account(id)).plan, 'trial');
  });
});

describe('months', () => {
  test('from the 31st: each month is closed once, on its last day where it has no 31st', async () => {
    const { id } = await customer('2026-01-31T12:00:00.000Z');
    await choose(id, 'builder');
    const periods: string[] = [];
    for (const day of ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']) {
      await runAt(`${day}T12:09:00.000Z`);
      const before = (await invoices(id)).length;
      await runAt(`${day}T12:10:00.000Z`);
      await runAt(`${day}T12:10:00.000Z`);
      assert.equal((await invoices(id)).length, before + 1, day);
      const [latest] = await listInvoices(deps.control, id, undefined, 1);
      periods.push(`${latest.period_start.toISOString().slice(0, 10)} ${latest.period_end.toISOString().slice(0, 10)}`);
    }
    assert.deepEqual(periods, [
      '2026-01-31 2026-02-28',
      '2026-02-28 2026-03-31',
      '2026-03-31 2026-04-30',
      '2026-04-30 2026-05-31',
    ]);
  });

  test('a leap day: a year from 29 February ends on the 28th, and the month after begins on the 29th again', async () => {
    const { id } = await customer('2028-02-29T00:00:00.000Z');
    await choose(id, 'builder', 'year');
    assert.equal((await subscription(id)).term_end?.toISOString(), '2029-02-28T00:00:00.000Z');
    await runAt('2028-03-29T00:10:00.000Z');
    assert.equal((await subscription(id)).month_start?.toISOString(), '2028-03-29T00:00:00.000Z');
  });

  test('overage per meter, at month end, for what was used in it and nothing else', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await use(id, 'standard', 10_250, '2026-04-10T00:00:00.000Z');
    await use(id, 'avm', 510, '2026-04-30T23:59:59.000Z');
    await use(id, 'standard', 7, '2026-05-01T00:00:00.000Z');
    await runAt('2026-05-01T00:10:00.000Z');
    const [, invoice] = await invoices(id);
    assert.deepEqual(invoice.lines, [
      ['overage', 1_250],
      ['overage', 150],
      ['plan', 29_900],
    ]);
    assert.equal(invoice.total, 31_300);
    await use(id, 'standard', 3, '2026-04-30T23:00:00.000Z');
    const { rows } = await deps.control.query(
      `select period_start, used from usage_counters where account_id = $1 and meter = 'standard' order by 1`,
      [id],
    );
    assert.deepEqual(
      rows.map((row) => [row.period_start.toISOString().slice(0, 10), row.used]),
      [
        ['2026-04-01', 10_253],
        ['2026-05-01', 7],
      ],
      'usage that is booked late counts in its own month',
    );
    await runAt('2026-06-01T00:10:00.000Z');
    assert.deepEqual(
      (await invoices(id)).at(-1)!.lines,
      [
        ['overage', 15],
        ['plan', 29_900],
      ],
      'the next invoice asks for what the closed month was short of',
    );
  });

  test('an account is over at the end of its canceled term, and work under way is invoiced after it', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    const { key } = await createKey(deps, id, { name: 'Test', mode: 'live' });
    const caller = async () => ({ account: await account(id), key });
    await planChanges.cancelPlan(deps, provider, id, { actor: 'test' });
    deps.travel('2026-04-30T23:59:59.000Z');
    const from = await caller();
    const hold = await inTransaction(deps.control, (client) =>
      holdUnits(client, from, { standard: 10_100, avm: 0 }, deps.clock()),
    );
    deps.travel('2026-05-01T00:00:00.000Z');
    const late = await caller();
    assert.throws(() => refuseUnpaid(late.account, deps.clock()), { code: 'payment_required' });
    await assert.rejects(
      inTransaction(deps.control, (client) => holdUnits(client, late, { standard: 1, avm: 0 }, deps.clock())),
      { code: 'payment_required' },
    );
    await runAt('2026-05-01T00:10:00.000Z');
    assert.equal((await account(id)).status, 'closed');
    await inTransaction(deps.control, (client) =>
      settleUnits(
        client,
        hold!,
        { standard: 10_100, avm: 0 },
        { requestId: 'req_test', route: '/batches', now: deps.clock() },
      ),
    );
    await runAt('2026-05-01T00:15:00.000Z');
    const last = (await invoices(id)).at(-1)!;
    assert.deepEqual([last.kind, last.lines], ['correction', [['overage', 500]]]);
    await runAt('2026-05-01T00:20:00.000Z');
    assert.equal((await invoices(id)).at(-1)!.n, last.n, 'once');
  });

  test('usage of a yearly plan is rated under the plan of its month, whoever changes plans before it is closed', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder', 'year');
    await use(id, 'avm', 150_000, '2026-04-20T00:00:00.000Z');
    deps.travel('2026-05-01T00:01:00.000Z');
    await choose(id, 'scale', 'year');
    await runAt('2026-05-01T00:10:00.000Z');
    const overage = (await invoices(id)).flatMap(({ lines }) => lines.filter(([kind]) => kind === 'overage'));
    assert.deepEqual(overage, [['overage', 2_242_500]]);
  });

  test('Σ events = counters = what the invoice charges', async () => {
    const { id } = await customer('2026-06-01T00:00:00.000Z');
    await choose(id, 'builder');
    for (let day = 1; day <= 28; day++) {
      await use(id, 'standard', 400 + day, `2026-06-${String(day).padStart(2, '0')}T12:00:00.000Z`);
      await use(id, 'avm', day, `2026-06-${String(day).padStart(2, '0')}T12:00:00.000Z`);
    }
    await runAt('2026-07-01T00:10:00.000Z');
    const sums = await deps.control.query(
      `select e.meter, sum(e.units)::int as events, min(c.used)::int as used from usage_events e
       join usage_counters c using (account_id, meter, period_start) where account_id = $1 group by 1 order by 1`,
      [id],
    );
    assert.deepEqual(sums.rows, [
      { meter: 'avm', events: 406, used: 406 },
      { meter: 'standard', events: 11_606, used: 11_606 },
    ]);
    assert.deepEqual((await invoices(id))[1].lines[0], ['overage', 1_606 * 5]);
  });

  test('whatever is used when, and however late it is booked: events = counters, and invoices charge what is beyond', async () => {
    const event = fc.record({
      meter: fc.constantFrom('standard' as const, 'avm' as const),
      units: fc.integer({ min: 1, max: 9_000 }),
      minute: fc.integer({ min: 0, max: 3 * 28 * 1_440 }),
      isLate: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (list) => {
        const { id } = await customer('2026-01-31T10:30:00.000Z');
        await choose(id, 'builder');
        const instant = (minute: number) => new Date(Date.UTC(2026, 0, 31, 10, 30 + minute)).toISOString();
        const ordered = list.sort((a, b) => a.minute - b.minute);
        for (const { meter, units, minute, isLate } of ordered) {
          deps.travel(instant(minute));
          while (await closeNext(deps, provider, id));
          await use(id, meter, units, instant(isLate ? Math.max(0, minute - 30 * 1_440) : minute));
        }
        deps.travel('2026-07-01T00:00:00.000Z');
        while (await closeNext(deps, provider, id));
        const { rows } = await deps.control.query(
          `select c.meter, c.period_start, c.used::int,
             (select coalesce(sum(units), 0)::int from usage_events e
              where (e.account_id, e.meter, e.period_start) = (c.account_id, c.meter, c.period_start)) as events
           from usage_counters c where account_id = $1`,
          [id],
        );
        const total = rows.reduce((sum, row) => sum + row.used, 0);
        assert.equal(
          total,
          list.reduce((sum, each) => sum + each.units, 0),
        );
        for (const row of rows) assert.equal(row.used, row.events);
        const beyond = rows.reduce((sum, row) => sum + Math.max(0, row.used - (row.meter === 'avm' ? 500 : 10_000)), 0);
        const lines = (await listInvoices(deps.control, id, undefined, 100)).flatMap((row) => row.lines);
        const charged = lines.reduce((sum, line) => sum + (line.kind === 'overage' ? line.quantity : 0), 0);
        assert.equal(charged, beyond);
      }),
      { numRuns: 8 },
    );
  });

  test('months that were missed are closed one by one', async () => {
    const { id } = await customer('2026-01-15T00:00:00.000Z');
    await choose(id, 'scale');
    await runAt('2026-04-20T00:00:00.000Z');
    assert.deepEqual(
      (await invoices(id)).map((invoice) => invoice.n),
      [1, 2, 3, 4],
    );
    assert.equal((await subscription(id)).term_end?.toISOString(), '2026-05-15T00:00:00.000Z');
  });

  test('a year is paid in advance, its overage month by month', async () => {
    const { id } = await customer('2026-01-01T00:00:00.000Z');
    await choose(id, 'pro', 'year');
    await use(id, 'avm', 5_020, '2026-01-20T00:00:00.000Z');
    await runAt('2026-02-01T00:10:00.000Z');
    await runAt('2026-03-01T00:10:00.000Z');
    assert.deepEqual(
      (await invoices(id)).map((invoice) => invoice.lines),
      [[['plan', 767_040]], [['overage', 200]]],
      'a month without overage has no invoice',
    );
    await runAt('2027-01-01T00:10:00.000Z');
    assert.deepEqual((await invoices(id)).at(-1)!.lines, [['plan', 767_040]]);
    assert.equal((await subscription(id)).term_end?.toISOString(), '2028-01-01T00:00:00.000Z');
  });
});

describe('changing plan', () => {
  test('up: at once, the rest of the month at the difference; what was used stays under the plan it was used under', async () => {
    const { id, live } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await use(id, 'standard', 12_000, '2026-04-05T00:00:00.000Z');
    deps.travel('2026-04-16T00:00:00.000Z');
    const change = await choose(id, 'pro');
    assert.equal(change.effect, 'upgraded');
    const [, upgrade] = await invoices(id);
    assert.deepEqual(upgrade.lines, [
      ['proration', -14_950],
      ['proration', 39_950],
    ]);
    assert.equal(upgrade.total, 25_000);
    const usage = await client.get('/usage', { key: live });
    assert.equal(usage.body.standard.included, 55_000, 'half of Builder and half of Pro');
    assert.equal(usage.body.standard.used, 12_000);
    assert.equal(usage.body.standard.overage_cents, 10_000, '2,000 were used beyond Builder’s 10,000');
    assert.equal(usage.body.standard.remaining, 45_000);
    await use(id, 'standard', 45_001, '2026-04-20T00:00:00.000Z');
    await runAt('2026-05-01T00:10:00.000Z');
    assert.deepEqual((await invoices(id))[2].lines, [
      ['overage', 10_000],
      ['overage', 3],
      ['plan', 79_900],
    ]);
    assert.equal((await client.get('/usage', { key: live })).body.standard.included, 100_000, 'all of Pro from now on');
  });

  test('up twice in a month', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    deps.travel('2026-04-11T00:00:00.000Z');
    await choose(id, 'pro');
    deps.travel('2026-04-21T00:00:00.000Z');
    await choose(id, 'scale');
    const total = (await invoices(id)).reduce((sum, invoice) => sum + invoice.total, 0);
    assert.equal(total, 9_967 + 26_634 + 49_967, 'ten days of each');
  });

  test('down: at the end of the term, and it can be taken back', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'scale');
    deps.travel('2026-04-10T00:00:00.000Z');
    assert.equal((await choose(id, 'builder')).at.toISOString(), '2026-05-01T00:00:00.000Z');
    assert.equal((await account(id)).plan, 'scale');
    await planChanges.resumePlan(deps, provider, id, BY);
    await runAt('2026-05-01T00:10:00.000Z');
    assert.equal((await account(id)).plan, 'scale');
    await choose(id, 'builder');
    await use(id, 'standard', 500_010, '2026-05-20T00:00:00.000Z');
    await runAt('2026-06-01T00:10:00.000Z');
    assert.equal((await account(id)).plan, 'builder');
    assert.deepEqual(
      (await invoices(id)).at(-1)!.lines,
      [
        ['overage', 20],
        ['plan', 29_900],
      ],
      'the month that ended at Scale’s terms, the next at Builder’s',
    );
  });

  test('to yearly: from the next term on', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    assert.equal((await choose(id, 'builder', 'year')).effect, 'scheduled');
    await runAt('2026-05-01T00:10:00.000Z');
    assert.deepEqual((await invoices(id)).at(-1)!.lines, [['plan', 287_040]]);
    assert.equal((await subscription(id)).term_end?.toISOString(), '2027-05-01T00:00:00.000Z');
  });

  test('needs a card, and only plans that are sold can be chosen', async () => {
    deps.travel('2026-04-01T00:00:00.000Z');
    const { id } = await createAccount(deps.control, deps.clock(), 'Cardless', 'trial', { anchorAt: null });
    await assert.rejects(choose(id, 'builder'), { code: 'payment_required' });
    const paying = await customer('2026-04-01T00:00:00.000Z');
    await choose(paying.id, 'builder');
    for (const plan of ['trial', 'enterprise'] as const)
      await assert.rejects(choose(paying.id, plan), { code: 'invalid_request' });
    assert.equal((await account(id)).plan, 'trial');
    assert.equal((await account(paying.id)).plan, 'builder');
    assert.deepEqual(await invoices(id), []);
    assert.equal((await invoices(paying.id)).length, 1);
  });

  test('a declined card changes nothing, and its invoice is void but keeps its number', async () => {
    const { id, fingerprint } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    deps.travel('2026-04-16T00:00:00.000Z');
    stripe.setDeclines(fingerprint, 1);
    await assert.rejects(choose(id, 'pro'), { code: 'card_declined' });
    assert.equal((await account(id)).plan, 'builder');
    await choose(id, 'pro');
    assert.deepEqual(
      (await invoices(id)).map((invoice) => [invoice.n, invoice.status]),
      [
        [1, 'paid'],
        [2, 'void'],
        [3, 'paid'],
      ],
    );
  });

  test('cancel ends with the term, with a last invoice for overage; coming back starts anew and numbers go on', async () => {
    const { id, live } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await planChanges.cancelPlan(deps, provider, id, BY);
    await use(id, 'avm', 501, '2026-04-20T00:00:00.000Z');
    deps.travel('2026-04-30T00:00:00.000Z');
    assert.equal((await client.get('/account', { key: live })).status, 200);
    await runAt('2026-05-01T00:10:00.000Z');
    assert.equal((await account(id)).status, 'closed');
    await runAt('2026-07-01T00:10:00.000Z');
    assert.deepEqual((await invoices(id)).slice(1), [
      { n: 2, kind: 'final', status: 'paid', total: 15, lines: [['overage', 15]] },
    ]);
    deps.travel('2026-08-09T00:00:00.000Z');
    await choose(id, 'pro');
    assert.equal((await account(id)).status, 'active');
    assert.equal((await invoices(id)).at(-1)!.n, 3);
    assert.equal((await subscription(id)).term_end?.toISOString(), '2026-09-09T00:00:00.000Z');
  });
});

describe('what was used is paid for', () => {
  test('an upgrade in the last two seconds of a month, and back before midnight, erases no overage', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await use(id, 'standard', 458_500, '2026-04-20T00:00:00.000Z');
    deps.travel('2026-04-30T23:59:58.000Z');
    await choose(id, 'scale');
    deps.travel('2026-04-30T23:59:59.999Z');
    await choose(id, 'builder');
    await runAt('2026-05-01T00:10:00.000Z');
    assert.equal((await account(id)).plan, 'builder');
    assert.deepEqual((await invoices(id)).at(-1)!.lines, [
      ['overage', 2_242_500],
      ['plan', 29_900],
    ]);
  });

  test('a contract in the middle of a month bills the overage so far and gives unused time back', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await use(id, 'standard', 10_100, '2026-04-10T00:00:00.000Z');
    deps.travel('2026-04-16T00:00:00.000Z');
    const contract = { priceCentsPerMonth: 500_000 };
    await operator.createContract(deps, provider, { accountId: id, contract, interval: 'month' });
    assert.deepEqual((await invoices(id)).at(-1)!.lines, [
      ['overage', 500],
      ['proration', -14_950],
      ['plan', 500_000],
    ]);
  });

  test('a closed account pays its last invoice before it chooses a plan again', async () => {
    const { id, fingerprint } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await planChanges.cancelPlan(deps, provider, id, BY);
    await use(id, 'standard', 20_000, '2026-04-20T00:00:00.000Z');
    stripe.setDeclines(fingerprint, 1);
    await runAt('2026-05-01T00:10:00.000Z');
    assert.equal((await account(id)).status, 'closed');
    await assert.rejects(choose(id, 'builder'), { code: 'payment_required' });
    await runAt('2026-05-02T00:15:00.000Z');
    assert.equal((await invoices(id)).at(-1)!.status, 'paid');
    assert.equal((await choose(id, 'builder')).effect, 'started');
  });

  test('an account that an operator suspended stays suspended, whatever it pays or chooses', async () => {
    const { id, fingerprint } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await operator.setStatus(deps, id, 'suspended', 'abuse');
    await assert.rejects(choose(id, 'pro'), { code: 'invalid_state' });
    stripe.setDeclines(fingerprint, 1);
    await operator.setStatus(deps, id, 'active', 'reviewed');
    await runAt('2026-05-01T00:10:00.000Z');
    await operator.setStatus(deps, id, 'suspended', 'abuse');
    await runAt('2026-05-02T00:15:00.000Z');
    assert.equal((await invoices(id)).at(-1)!.status, 'paid');
    assert.equal((await account(id)).status, 'suspended');
    const trial = await customer('2026-06-01T00:00:00.000Z');
    await operator.setStatus(deps, trial.id, 'suspended', 'abuse');
    await assert.rejects(choose(trial.id, 'builder'), { code: 'invalid_state' });
    assert.equal((await account(trial.id)).status, 'suspended');
  });
});

describe('a plan is active when it is paid', () => {
  test('nothing of it works while the bank is processing, and all of it once the bank has confirmed', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    stripe.processing = true;
    const change = await choose(id, 'builder');
    stripe.processing = false;
    assert.equal(change.effect, 'processing');
    assert.equal((await account(id)).plan, 'trial');
    await assert.rejects(choose(id, 'pro'), { code: 'invalid_state' });
    stripe.confirm(await latest(id), 'succeeded');
    await runAt('2026-04-01T02:00:00.000Z');
    assert.equal((await account(id)).plan, 'builder');
    assert.equal((await account(id)).anchor_at?.toISOString(), '2026-04-01T00:00:00.000Z');
    assert.equal(await taken(id), 1);
  });

  test('a payment that fails after processing leaves the plan as it was, by webhook or by asking', async () => {
    for (const isTold of [true, false]) {
      const { id } = await customer('2026-04-01T00:00:00.000Z');
      await choose(id, 'builder');
      deps.travel('2026-04-16T00:00:00.000Z');
      stripe.processing = true;
      await choose(id, 'pro');
      stripe.processing = false;
      const intent = stripe.confirm(await latest(id), 'requires_payment_method');
      if (isTold) {
        const event = stripe.signedEvent('payment_intent.payment_failed', intent);
        const sent = await app.inject({
          method: 'POST',
          url: '/hooks/stripe',
          headers: { 'stripe-signature': event.signature, 'content-type': 'application/json' },
          payload: event.body,
        });
        assert.equal(sent.statusCode, 200);
      } else await runAt('2026-04-16T01:05:00.000Z');
      assert.equal((await account(id)).plan, 'builder');
      assert.deepEqual(
        (await invoices(id)).map((invoice) => invoice.status),
        ['paid', 'void'],
      );
    }
  });

  test('a renewal that fails after processing is tried again and ends in suspension', async () => {
    const { id, fingerprint } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    stripe.processing = true;
    await runAt('2026-05-01T00:10:00.000Z');
    stripe.processing = false;
    stripe.confirm(await latest(id), 'requires_payment_method');
    stripe.setDeclines(fingerprint, 99);
    for (let day = 1; day <= 12; day++) await runAt(`2026-05-${String(day).padStart(2, '0')}T03:00:00.000Z`);
    assert.equal((await account(id)).status, 'suspended');
  });

  test('a month waits for the outcome of an upgrade that was chosen in it', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await use(id, 'standard', 10_010, '2026-04-20T00:00:00.000Z');
    deps.travel('2026-04-30T23:00:00.000Z');
    stripe.processing = true;
    await choose(id, 'pro');
    stripe.processing = false;
    await runAt('2026-05-01T00:10:00.000Z');
    assert.equal((await invoices(id)).length, 2, 'not closed yet');
    stripe.confirm(await latest(id), 'succeeded');
    await runAt('2026-05-01T06:00:00.000Z');
    await runAt('2026-05-01T06:05:00.000Z');
    assert.deepEqual((await invoices(id)).at(-1)!.lines, [
      ['overage', 50],
      ['plan', 79_900],
    ]);
  });

  test('two cards and two processes charge once', async () => {
    const { id, fingerprint } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    stripe.setDeclines(fingerprint, 1);
    await runAt('2026-05-01T00:10:00.000Z');
    deps.travel('2026-05-02T00:15:00.000Z');
    const first = await cards.beginCard(deps, provider, await account(id));
    const second = await cards.beginCard(deps, provider, await account(id));
    const owner = await account(id);
    const before = stripe.taken.length;
    await Promise.allSettled([
      cards.addCard(deps, provider, {
        account: owner,
        token: stripe.enterCard(first.client_secret!, { fingerprint: `${id}a` }),
        by: BY,
      }),
      cards.addCard(deps, provider, {
        account: owner,
        token: stripe.enterCard(second.client_secret!, { fingerprint: `${id}b` }),
        by: BY,
      }),
      runBilling(deps, provider),
      runBilling(deps, provider),
    ]);
    assert.equal(stripe.taken.length - before, 1);
    assert.equal((await invoices(id)).at(-1)!.status, 'paid');
  });

  test('money that arrives for an invoice that was settled otherwise becomes credit', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    stripe.processing = true;
    await runAt('2026-05-01T00:10:00.000Z');
    stripe.processing = false;
    const [open] = await listInvoices(deps.control, id, undefined, 1);
    await operator.markInvoicePaid(deps, open.id);
    const event = stripe.signedEvent('payment_intent.succeeded', stripe.confirm(await latest(id), 'succeeded'));
    const headers = { 'stripe-signature': event.signature, 'content-type': 'application/json' };
    await app.inject({ method: 'POST', url: '/hooks/stripe', headers, payload: event.body });
    assert.equal(await sumCredits(deps.control, id), 29_900);
  });
});

describe('refunds and tax', () => {
  test('a refund goes to the card that paid, once, with a credit note, and never beyond what was paid', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    const [invoice] = await listInvoices(deps.control, id, undefined, 1);
    stripe.dropAnswers = 10;
    await assert.rejects(
      refundInvoice(deps, provider, { invoiceId: invoice.number, amountCents: 9_900, reason: 'Outage' }),
    );
    stripe.dropAnswers = 0;
    await runBilling(deps, provider);
    await runBilling(deps, provider);
    assert.deepEqual(
      (await listRefunds(deps.control, invoice.id)).map(({ status, amount_cents }) => [status, amount_cents]),
      [['succeeded', 9_900]],
    );
    assert.deepEqual(
      stripe.refunded.filter(({ amount }) => amount === 9_900).map(({ amount }) => amount),
      [9_900],
    );
    assert.equal(await sumCredits(deps.control, id), 0, 'money that went back is no credit');
    await assert.rejects(
      refundInvoice(deps, provider, { invoiceId: invoice.id, amountCents: 20_001, reason: 'Too much' }),
      { code: 'invalid_request' },
    );
  });

  test('a refund that the bank cannot deliver stays with the customer as credit', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    const [invoice] = await listInvoices(deps.control, id, undefined, 1);
    const failing = { ...provider, refund: async () => ({ status: 'failed' as const, reference: null }) };
    const refund = await refundInvoice(deps, failing, { invoiceId: invoice.id, amountCents: 29_900, reason: 'Outage' });
    assert.equal(refund.status, 'failed');
    assert.equal(await sumCredits(deps.control, id), 29_900);
    await runBilling(deps, failing);
    assert.equal(await sumCredits(deps.control, id), 29_900, 'once');
  });

  test('a plan that has not been paid for cannot be credited', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    stripe.processing = true;
    await choose(id, 'builder');
    stripe.processing = false;
    const [invoice] = await listInvoices(deps.control, id, undefined, 1);
    const credit = creditInvoice(deps, provider, { invoiceId: invoice.id, amountCents: 29_900, reason: 'Goodwill' });
    await assert.rejects(credit, { code: 'invalid_state' });
    assert.equal(await sumCredits(deps.control, id), 0);
  });

  test('an invoice paid partly by credit is refunded only up to what the card paid', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await operator.grantCredit(deps, provider, { accountId: id, amountCents: 10_000, reason: 'Apology' });
    await choose(id, 'builder');
    const [invoice] = await listInvoices(deps.control, id, undefined, 1);
    assert.equal(invoice.total_cents, 19_900);
    const refund = (amountCents: number) =>
      refundInvoice(deps, provider, { invoiceId: invoice.id, amountCents, reason: 'Outage' });
    await refund(15_000);
    await assert.rejects(refund(4_901), { code: 'invalid_request' });
    await refund(4_900);
    assert.equal(
      (await listRefunds(deps.control, invoice.id)).reduce((sum, { amount_cents }) => sum + amount_cents, 0),
      19_900,
    );
  });

  test('tax is a line of its own, by the region or else the country of the customer, and nothing without a rate', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await operator.setTaxRate(deps, { place: 'US-WA', percent: 10.25, name: 'Sales tax' });
    await operator.setTaxRate(deps, { place: 'DE', percent: 19, name: 'VAT' });
    const details = {
      name: 'Acme LLC',
      lines: ['1 Main St', 'Seattle 98101'],
      country: 'US',
      region: 'WA',
      tax_id: null,
    };
    const save = (change: object) =>
      saveBillingDetails(deps, provider, { accountId: id, details: { ...details, ...change }, by: BY });
    await save({});
    await choose(id, 'builder');
    await save({ region: 'OR' });
    await runAt('2026-05-01T00:10:00.000Z');
    await save({ country: 'DE', region: 'BE' });
    await runAt('2026-06-01T00:10:00.000Z');
    assert.deepEqual(
      (await listInvoices(deps.control, id, undefined, 10)).map((row) => [row.tax_cents, row.total_cents]),
      [
        [5_681, 35_581],
        [0, 29_900],
        [3_065, 32_965],
      ],
    );
    await assert.rejects(operator.setTaxRate(deps, { place: 'Seattle', percent: 1, name: 'x' }), {
      code: 'invalid_request',
    });
  });
});

describe('payment', () => {
  test('a declined renewal is tried on days 1, 3, 5 and 7, then the account is suspended; a new card mends it', async () => {
    const { id, fingerprint, live } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    stripe.setDeclines(fingerprint, 99);
    await runAt('2026-05-01T00:10:00.000Z');
    assert.equal((await subscription(id)).status, 'past_due');
    assert.equal((await client.get('/properties/search?limit=1', { key: live })).status, 200, 'it goes on working');
    const attempts: string[] = [];
    for (let day = 1; day <= 10; day++) {
      const before = await declined(id);
      await runAt(`2026-05-${String(day + 1).padStart(2, '0')}T00:15:00.000Z`);
      if ((await declined(id)) > before) attempts.push(`day ${day}`);
    }
    assert.deepEqual(attempts, ['day 1', 'day 3', 'day 5', 'day 7']);
    assert.equal((await account(id)).status, 'suspended');
    deps.travel('2026-05-12T00:00:00.000Z');
    const refused = await client.get('/properties/search?limit=1', { key: live });
    assert.equal(refused.body.code, 'payment_required');
    const { client_secret } = await cards.beginCard(deps, provider, await account(id));
    await cards.addCard(deps, provider, {
      account: await account(id),
      token: stripe.enterCard(client_secret!, { fingerprint: 'new' }),
      by: BY,
    });
    assert.equal((await account(id)).status, 'active');
    assert.equal((await subscription(id)).status, 'active');
    assert.deepEqual(
      (await invoices(id)).map((invoice) => invoice.status),
      ['paid', 'paid'],
    );
  });

  test('an answer that is lost is asked for again and takes no money twice', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    stripe.dropAnswers = 1;
    await choose(id, 'builder');
    assert.equal(await taken(id), 1);
    stripe.dropAnswers = 10;
    deps.travel('2026-04-16T00:00:00.000Z');
    await assert.rejects(choose(id, 'pro'));
    stripe.dropAnswers = 0;
    assert.equal((await invoices(id))[1].status, 'open');
    await runAt('2026-04-16T00:05:00.000Z');
    assert.equal((await invoices(id))[1].status, 'paid');
    assert.equal(await taken(id), 2);
    assert.equal((await account(id)).plan, 'pro');
  });

  test('two at once take the money once', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    deps.travel('2026-05-01T00:10:00.000Z');
    await Promise.all([1, 2, 3].map(() => runBilling(deps, provider)));
    assert.equal(await taken(id), 2);
    assert.deepEqual(
      (await invoices(id)).map((invoice) => invoice.status),
      ['paid', 'paid'],
    );
  });

  test('signed webhooks are believed once, others not at all', async () => {
    const { id, fingerprint } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    stripe.setDeclines(fingerprint, 99);
    await runAt('2026-05-01T00:10:00.000Z');
    const [open] = await listInvoices(deps.control, id, undefined, 1);
    assert.equal(open.status, 'open');
    const event = stripe.signedEvent('payment_intent.succeeded', {
      id: `pi_later_${id}`,
      metadata: { invoice_id: open.id },
    });
    const send = (body: string, signature: string) =>
      app.inject({
        method: 'POST',
        url: '/hooks/stripe',
        headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
        payload: body,
      });
    assert.equal((await send(event.body.replace('pi_later', 'pi_other'), event.signature)).statusCode, 400);
    assert.equal((await invoices(id))[1].status, 'open');
    assert.equal((await send(event.body, event.signature)).statusCode, 200);
    assert.equal((await send(event.body, event.signature)).statusCode, 200);
    assert.equal((await invoices(id))[1].status, 'paid');
    const payments = await listPayments(deps.control, open.id);
    // Both at the same moment of a clock that stands still.
    assert.deepEqual(payments.map((payment) => payment.status).toSorted(), ['declined', 'succeeded']);
    const repeated = stripe.signedEvent('payment_intent.succeeded', {
      id: `pi_later_${id}`,
      metadata: { invoice_id: open.id },
    });
    assert.equal((await send(repeated.body, repeated.signature)).statusCode, 200);
    assert.equal((await listPayments(deps.control, open.id)).length, 2, 'the same payment under another event id');
    assert.equal(await sumCredits(deps.control, id), 0, 'money that arrived once is counted once');
  });
});

describe('without a card processor', () => {
  test('test tokens stand for cards, and invoices wait for a transfer', async () => {
    const manual = createManualProvider();
    deps.travel('2026-04-01T00:00:00.000Z');
    const made = await createAccount(deps.control, deps.clock(), 'Manual', 'trial', { anchorAt: null });
    await assert.rejects(cards.addCard(deps, manual, { account: made, token: '4242424242424242', by: BY }), {
      code: 'invalid_request',
    });
    await assert.rejects(cards.addCard(deps, manual, { account: made, token: 'tok_test_declined', by: BY }), {
      code: 'card_declined',
    });
    assert.deepEqual(await cards.addCard(deps, manual, { account: made, token: 'tok_test_one', by: BY }), {
      startedTrial: true,
    });
    await planChanges.choosePlan(deps, manual, { accountId: made.id, plan: 'builder', interval: 'month', by: BY });
    const [invoice] = await listInvoices(deps.control, made.id, undefined, 1);
    assert.equal(invoice.status, 'open');
    assert.equal(invoice.due_at.toISOString(), '2026-05-01T00:00:00.000Z');
    assert.equal((await account(made.id)).plan, 'builder');
    await operator.markInvoicePaid(deps, invoice.id);
    assert.equal((await invoices(made.id))[0].status, 'paid');
  });
});

describe('credit', () => {
  test('is used up by the next invoices, oldest first, to the cent', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await operator.grantCredit(deps, provider, { accountId: id, amountCents: 40_000, reason: 'Apology' });
    await choose(id, 'builder');
    await runAt('2026-05-01T00:10:00.000Z');
    assert.deepEqual(
      (await invoices(id)).map((invoice) => [invoice.status, invoice.total]),
      [
        ['paid', 0],
        ['paid', 19_800],
      ],
    );
    assert.equal(await sumCredits(deps.control, id), 0);
  });

  test('a credit note is spread over the lines and never exceeds the invoice; the invoice itself cannot be changed', async () => {
    const { id } = await customer('2026-04-01T00:00:00.000Z');
    await choose(id, 'builder');
    await use(id, 'standard', 10_003, '2026-04-10T00:00:00.000Z');
    await use(id, 'avm', 507, '2026-04-10T00:00:00.000Z');
    await runAt('2026-05-01T00:10:00.000Z');
    const [invoice] = await listInvoices(deps.control, id, undefined, 1);
    assert.equal(invoice.total_cents, 30_020);
    const note = await creditInvoice(deps, provider, { invoiceId: invoice.id, amountCents: 1_001, reason: 'Outage' });
    assert.equal(
      note.lines.reduce((sum, line) => sum + line.amount_cents, 0),
      1_001,
    );
    assert.match(note.number, /-CN001$/);
    const tooMuch = { invoiceId: invoice.id, amountCents: 30_000, reason: 'Too much' };
    await assert.rejects(creditInvoice(deps, provider, tooMuch), { code: 'invalid_request' });
    assert.equal(await sumCredits(deps.control, id), 1_001);
    await assert.rejects(
      deps.control.query('update invoices set total_cents = 1, subtotal_cents = 1 where id = $1', [invoice.id]),
      /final/,
    );
    await assert.rejects(deps.control.query('delete from invoices where id = $1', [invoice.id]), /final/);
    await assert.rejects(deps.control.query('delete from credits where account_id = $1', [id]), /append-only/);
  });
});

describe('contracts', () => {
  test('set their own price, limits and allowances', async () => {
    const { id, live } = await customer('2026-04-01T00:00:00.000Z');
    const contract = {
      priceCentsPerMonth: 500_000,
      rateLimitPerHour: 20_000,
      includedAvmCalls: 100_000,
      overageCentsPerAvmCall: 4,
    };
    await operator.createContract(deps, provider, { accountId: id, contract, interval: 'month' });
    const { body } = await client.get('/account', { key: live });
    assert.equal(body.plan.rate_limit_per_hour, 20_000);
    assert.equal(body.plan.included_calls, null);
    await use(id, 'avm', 100_010, '2026-04-02T00:00:00.000Z');
    await runAt('2026-05-01T00:10:00.000Z');
    assert.deepEqual((await invoices(id))[1].lines, [
      ['overage', 40],
      ['plan', 500_000],
    ]);
  });
});

describe('over HTTP', () => {
  test('from sign-up to a paid plan, its invoice and its PDF', async () => {
    deps.travel('2026-09-01T09:00:00.000Z');
    const { browser, verified } = await signUp(app, mailbox, 'payer@example.com');
    const live = verified.body.keys.find((key: { mode: string }) => key.mode === 'live').secret as string;
    const setup = await browser.send('POST', '/session/billing/card-setup');
    assert.equal(setup.body.publishable_key, 'pk_for_tests');
    const unfinished = setup.body.client_secret.split('_secret')[0];
    assert.equal((await browser.send('POST', '/session/billing/card', { token: unfinished })).status, 400);
    const token = stripe.enterCard(setup.body.client_secret, { fingerprint: 'http' });
    const added = await browser.send('POST', '/session/billing/card', { token });
    assert.equal(added.body.started_trial, true);
    assert.equal((await browser.send('GET', '/session')).body.account.trial_ends_at, '2026-09-15T09:00:00.000Z');
    assert.equal((await client.get('/properties/search?limit=1', { key: live })).status, 200);
    const preview = await browser.send('GET', '/session/billing/preview?plan=pro&interval=year');
    assert.equal(preview.body.amount_cents, 767_040);
    const chosen = await browser.send('POST', '/session/billing/plan', { plan: 'pro', interval: 'month' });
    assert.equal(chosen.body.effect, 'started');
    const state = await browser.send('GET', '/session/billing');
    assert.equal(state.body.status, 'active');
    assert.deepEqual(state.body.card, { brand: 'visa', last_four: '4242', exp_month: 4, exp_year: 2030 });
    const list = await client.get('/invoices', { key: live });
    assert.equal(list.body.data[0].total_cents, 79_900);
    const pdf = await client.get(`/invoices/${list.body.data[0].id}.pdf`, { key: live });
    assert.equal(pdf.headers['content-type'], 'application/pdf');
    assert.ok(pdf.text.startsWith('%PDF-1.'));
    assert.equal((await client.get(`/invoices/${list.body.data[0].id}`)).status, 404, 'another account sees nothing');
    const events = await deps.control.query(
      `select type from events where account_id = $1 and type = 'invoice.finalized'`,
      [verified.body.account.id],
    );
    assert.equal(events.rows.length, 1);
    const plans = await client.get('/plans');
    assert.equal(plans.body.data[1].price_cents_per_year, 287_040);
  });

  test('roles without the duty cannot spend', async () => {
    const { browser } = await signUp(app, mailbox, 'boss@example.com');
    await browser.send('POST', '/session/invitations', { email: 'dev@example.com', role: 'developer' });
    const developer = openBrowser(app);
    const { token } = mailbox.last('dev@example.com');
    await developer.send('POST', '/session/invitations/accept', { token, name: 'Dev', password: PASSWORD });
    const answer = await developer.send('POST', '/session/billing/plan', { plan: 'pro' });
    assert.equal(answer.body.code, 'insufficient_role');
  });
});

describe('an operator', () => {
  test('makes accounts, contracts and credit, suspends, and reads usage', async (t) => {
    deps.travel('2026-10-01T00:00:00.000Z');
    const said: string[] = [];
    t.mock.method(console, 'log', (text: string) => said.push(text));
    t.mock.method(console, 'error', (text: string) => said.push(text));
    const settings = { ...deps.config, stripeSecretKey: undefined };
    const admin = async (...args: string[]) => {
      await runAdmin(settings, args);
      process.exitCode = 0;
      return said.at(-1)!;
    };
    assert.match(await admin('create', 'Big Bank', 'platinum'), /Usage/);
    const [id, testLine, liveLine] = (await admin('create', 'Big Bank', 'pro')).split('\n');
    assert.match(testLine, /^Test key sk_test_/);
    assert.match(liveLine, /^Live key sk_live_/);
    const live = liveLine.split(' ').at(-1)!;
    assert.equal((await client.get('/account', { key: live })).body.name, 'Big Bank');
    assert.match(
      await admin('contract', id, '{"priceCentsPerMonth":500000,"rateLimitPerHour":9}', 'year'),
      /4800000 cents/,
    );
    assert.match(await admin('credit', id, '1500', 'Welcome'), /1500 cents/);
    assert.match(await admin('credit', id, 'many', 'Welcome'), /Usage/);
    const [invoice] = await listInvoices(deps.control, id, undefined, 1);
    assert.equal(invoice.status, 'open', 'paid by transfer');
    await admin('paid', invoice.number);
    assert.equal((await findInvoice(deps.control, id, invoice.id))!.status, 'paid');
    await admin('suspend', id, 'Abuse');
    await until(async () => (await client.get('/properties/search?limit=1', { key: live })).status === 402);
    await admin('activate', id, 'Talked to them');
    await use(id, 'avm', 3, '2026-10-01T00:00:00.000Z');
    const csv = await admin('usage', id, '2026-09-30', '2026-10-01');
    assert.equal(csv, 'day,meter,key_id,route,units\n2026-10-01,avm,,/test,3');
    await admin('bill');
    await admin('bill');
    assert.equal((await listInvoices(deps.control, id, undefined, 10)).length, 1);
    assert.match(await admin('nothing'), /Unknown command .admin nothing./);
  });
});
