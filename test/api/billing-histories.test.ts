// Random histories of an account (plans, contracts, calls, batches under way, cancellations, suspensions, declined and slow
// payments, a worker that comes late or never) against an independent account of what they cost: every cent, nothing more.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '../properties.ts';
import { createAccount, createKey, getAccount, type Caller } from '../../src/customers/accounts/accounts.ts';
import { addCard } from '../../src/customers/billing/cards.ts';
import { closeNext } from '../../src/customers/billing/closing.ts';
import { createContract, setStatus } from '../../src/customers/billing/operator.ts';
import { applyProviderEvent, collect } from '../../src/customers/billing/payments.ts';
import { cancelPlan, choosePlan, resumePlan } from '../../src/customers/billing/plan-changes.ts';
import type { ChargeOutcome, PaymentProvider } from '../../src/customers/billing/providers/provider.ts';

import { inTransaction } from '../../src/base/db/postgres.ts';
import { ApiError } from '../../src/base/lib/errors.ts';
import { findInvoice, findSubscription, listInvoices, listUnaccounted } from '../../src/customers/billing/sql.ts';
import { bookEvents } from '../../src/customers/usage/booking.ts';
import { usagePeriod } from '../../src/customers/usage/periods.ts';
import { holdUnits, refuseUnpaid, releaseUnits, settleUnits } from '../../src/customers/usage/usage.ts';
import { testDeps } from '../harness.ts';
import { Ledger, PRICES, type Interval, type Meter, type Month, type PlanName } from '../ledger.ts';

/** Thousands with HISTORIES=3000, in portions with other seeds; the usual run keeps to what a busy machine does in a minute. */
const RUNS = Number(process.env.HISTORIES ?? 300);
const STARTS = [
  '2026-01-31T10:30:00.000Z',
  '2027-02-27T23:59:59.999Z',
  '2028-02-29T00:00:00.000Z',
  '2026-12-30T05:00:00.001Z',
  '2026-06-15T12:00:00.000Z',
].map((text) => Date.parse(text));
const MINUTE = 60_000;
const DAY = 86_400_000;
const HOUR = 3_600_000;
const deps = await testDeps();

const CONTRACT = {
  priceCentsPerMonth: 500_000,
  includedCalls: 600_000,
  includedAvmCalls: 30_000,
  overageCentsPerCall: 1,
  overageCentsPerAvmCall: 4,
};

type Bank = 'pays' | 'declines' | 'pays later' | 'fails later';
type Step =
  | { do: 'choose'; plan: PlanName; interval: Interval; bank: Bank }
  | { do: 'use'; meter: Meter; units: number }
  | { do: 'hold'; units: number }
  | { do: 'settle' }
  | { do: 'contract'; interval: Interval }
  | { do: 'cancel' | 'resume' | 'suspend' | 'activate' | 'worker' };

const units = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 700_000 }));
const interval = fc.constantFrom<Interval>('month', 'month', 'year');
const bank = fc.constantFrom<Bank>('pays', 'pays', 'pays', 'declines', 'pays later', 'fails later');
const plan = fc.constantFrom<PlanName>('builder', 'pro', 'scale');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('choose' as const), plan, interval, bank }) },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constant('use' as const), meter: fc.constantFrom<Meter>('standard', 'avm'), units }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hold' as const), units }) },
  { weight: 3, arbitrary: fc.constant({ do: 'settle' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('contract' as const), interval }) },
  { weight: 3, arbitrary: fc.constant({ do: 'cancel' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('resume' as const, 'suspend' as const, 'activate' as const) }),
  },
  { weight: 5, arbitrary: fc.constant({ do: 'worker' as const }) },
);
/** Half of all steps are within a quarter of an hour of a boundary; the others are seconds, days or weeks later. */
type Wait = { ms: number } | { toBoundary: 'month' | 'term'; offsetMs: number };
const wait: fc.Arbitrary<Wait> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ms: fc.integer({ min: 0, max: 5_000 }) }) },
  { weight: 2, arbitrary: fc.record({ ms: fc.integer({ min: MINUTE, max: 9 * DAY }) }) },
  { weight: 1, arbitrary: fc.record({ ms: fc.integer({ min: 20 * DAY, max: 45 * DAY }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      toBoundary: fc.constantFrom<'month' | 'term'>('month', 'month', 'term'),
      offsetMs: fc.oneof(
        fc.constantFrom(-1, 0, 1, 30_000, 5 * MINUTE),
        fc.integer({ min: -15 * MINUTE, max: 15 * MINUTE }),
      ),
    }),
  },
);
const history = fc.tuple(fc.constantFrom(...STARTS), fc.array(fc.tuple(wait, step), { minLength: 3, maxLength: 16 }));
type History = [number, [Wait, Step][]];

/** A bank that does as it is told. */
function createBank() {
  let mood: ChargeOutcome['status'] = 'succeeded';
  let count = 0;
  const charges = new Map<string, ChargeOutcome>();
  const provider: PaymentProvider = {
    name: 'stripe',
    createCustomer: async () => 'customer',
    setUpCard: async () => ({ provider: 'stripe', client_secret: null, publishable_key: null }),
    readCard: async (_customer, token) => ({
      reference: token,
      brand: 'visa',
      last_four: '4242',
      exp_month: 1,
      exp_year: 2099,
      fingerprint: token,
    }),
    async charge({ idempotencyKey }) {
      const known = charges.get(idempotencyKey);
      if (known) return known;
      const reference = `charge_${(count += 1)}_${idempotencyKey}`;
      const outcome: ChargeOutcome =
        mood === 'declined' ? { status: 'declined', reference, reason: 'declined' } : { status: mood, reference };
      charges.set(idempotencyKey, outcome);
      return outcome;
    },
    readCharge: async (reference) => [...charges.values()].find((each) => each.reference === reference)!,
    refund: async () => ({ status: 'failed', reference: null }),
    readEvent: () => undefined,
  };
  return { provider, setMood: (next: ChargeOutcome['status']) => (mood = next) };
}

const BY = { actor: 'test' };

async function live([start, steps]: History): Promise<void> {
  const { provider, setMood } = createBank();
  const ledger = new Ledger();
  let now = start;
  const at = (instant: number) => {
    now = instant;
    deps.travel(new Date(instant).toISOString());
  };
  at(now);
  const { id } = await createAccount(deps.control, deps.clock(), 'History', 'trial', { anchorAt: null });
  await addCard(deps, provider, { account: await getAccount(deps, id), token: `card_${id}`, by: BY });
  const { key } = await createKey(deps, id, { name: 'History', mode: 'live' });
  const trialEnd = start + 14 * DAY;
  let isTrial = true;
  /** Batches under way: what was held, in which month of the ledger. */
  const holds: { id: string; units: number; month: Month | undefined }[] = [];
  const caller = async (): Promise<Caller> => ({ account: await getAccount(deps, id), key });

  async function work(): Promise<void> {
    setMood('succeeded');
    while (await closeNext(deps, provider, id));
    for (const invoice of await listInvoices(deps.control, id, undefined, 100))
      if (invoice.status === 'open' && !invoice.applies) await collect(deps, provider, invoice.id);
  }

  /** Whether the account may call now, by the rules; the service must agree. */
  async function mayCall(): Promise<boolean> {
    const expected = !ledger.isSuspended && (ledger.isRunning || (isTrial && now < trialEnd));
    const { account } = await caller();
    let answer = true;
    try {
      refuseUnpaid(account, deps.clock());
    } catch {
      answer = false;
    }
    assert.equal(answer, expected, describeHistory([start, steps], ledger, []));
    return expected;
  }

  async function choose({ plan, interval, bank }: Extract<Step, { do: 'choose' }>): Promise<void> {
    setMood(bank === 'pays' ? 'succeeded' : bank === 'declines' ? 'declined' : 'pending');
    const chosenAt = now;
    const isUp = ledger.isRunning && PRICES[plan] > PRICES[ledger.plan] && now < ledger.term.end;
    const isSale = !ledger.isRunning || isUp;
    const apply = () => {
      isTrial = false;
      if (!ledger.isRunning) ledger.start(plan, interval, chosenAt);
      else if (isUp) ledger.upgrade(plan, interval, chosenAt);
    };
    try {
      const change = await choosePlan(deps, provider, { accountId: id, plan, interval, by: BY });
      if (!isSale) {
        const isSame = plan === ledger.plan && interval === ledger.interval;
        ledger.next = isSame ? undefined : { plan, interval };
        ledger.cancels = false;
      } else if (change.effect !== 'processing') apply();
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 'card_declined', String(error));
    }
    if (!isSale || (bank !== 'pays later' && bank !== 'fails later')) return;
    // Months that were due are closed at the same instant, so the newest invoice may be one of theirs.
    const open = await listInvoices(deps.control, id, undefined, 100);
    const invoice = open.find(({ status, applies }) => status === 'open' && applies);
    if (!invoice) return;
    // The bank takes its time; nothing about the plan changes meanwhile.
    at(now + 2 * 3_600_000);
    const status = bank === 'pays later' ? 'succeeded' : 'declined';
    const reference = `later_${invoice.id}`;
    await applyProviderEvent(deps, { id: `evt_${invoice.id}`, invoiceId: invoice.id, status, reference, reason: null });
    if (status === 'succeeded') apply();
    ledger.advance(now);
    assert.notEqual((await findInvoice(deps.control, id, invoice.id))!.status, 'open');
  }

  async function settle(isKept: boolean): Promise<void> {
    const hold = holds.shift();
    if (!hold) return;
    await inTransaction(deps.control, async (client) => {
      const done = { requestId: 'req_batch', route: '/batch', now: deps.clock() };
      if (isKept) await settleUnits(client, hold.id, { standard: hold.units, avm: 0 }, done);
      await releaseUnits(client, hold.id);
    });
    if (isKept) hold.month?.used.push({ meter: 'standard', units: hold.units, at: now });
  }

  async function act(what: Step): Promise<void> {
    setMood('succeeded');
    if (what.do === 'worker') await work();
    if (what.do === 'choose' && !ledger.isSuspended && !(ledger.isRunning && ledger.plan === 'enterprise'))
      await choose(what);
    if (what.do === 'use' && (await mayCall()) && !isTrial) {
      await use(id, what.meter, what.units, now);
      ledger.month.used.push({ meter: what.meter, units: what.units, at: now });
    }
    if (what.do === 'hold' && (await mayCall()) && !isTrial) {
      const from = await caller();
      const hold = await inTransaction(deps.control, (client) =>
        holdUnits(client, from, { standard: what.units, avm: 0 }, deps.clock()),
      );
      holds.push({ id: hold!, units: what.units, month: ledger.month });
    }
    if (what.do === 'settle') await settle(true);
    if (what.do === 'contract') {
      await createContract(deps, provider, { accountId: id, contract: CONTRACT, interval: what.interval });
      ledger.leave(now);
      isTrial = false;
      ledger.start('enterprise', what.interval, now);
    }
    if (what.do === 'cancel' && ledger.isRunning) {
      await cancelPlan(deps, provider, id, BY);
      Object.assign(ledger, { cancels: true, next: undefined });
    }
    if (what.do === 'resume') {
      await resumePlan(deps, provider, id, BY);
      Object.assign(ledger, { cancels: false, next: undefined });
    }
    if (what.do === 'suspend' || what.do === 'activate') {
      const { status } = await getAccount(deps, id);
      if (status === 'closed' || (!ledger.isRunning && !isTrial)) return;
      await setStatus(deps, id, what.do === 'suspend' ? 'suspended' : 'active', 'test');
      ledger.isSuspended = what.do === 'suspend';
    }
  }

  for (const [delay, what] of steps) {
    const boundary =
      'ms' in delay ? 0 : delay.toBoundary === 'term' ? ledger.term.end : (ledger.months.at(-1)?.end ?? 0);
    at(Math.max(now, 'ms' in delay ? now + delay.ms : boundary + delay.offsetMs));
    ledger.advance(now);
    await act(what);
  }
  // Every other batch under way ends well, the others are given up; then enough time passes to close and bill everything.
  while (holds.length > 0) await settle(holds.length % 2 === 0);
  at(now + 62 * DAY);
  ledger.advance(now);
  // A month that has just ended stays open for ten minutes; a term begun by the last step ends 62 days later to the
  // millisecond where both months have 31.
  if (ledger.months.some(({ start }) => start <= now && now - start < HOUR)) at(now + HOUR);
  await work();
  await work();

  const invoices = (await listInvoices(deps.control, id, undefined, 1_000)).filter(({ status }) => status !== 'void');
  const asked = invoices
    .flatMap(({ lines }) => lines)
    .filter(({ kind }) => kind !== 'credit')
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  assert.equal(asked, ledger.fees + ledger.overage(), describeHistory([start, steps], ledger, invoices));
  for (const { lines, subtotal_cents } of invoices) {
    const charged = lines.filter(({ kind }) => kind !== 'credit').reduce((sum, line) => sum + line.amount_cents, 0);
    assert.equal(Math.max(0, charged), subtotal_cents);
  }
  assert.equal((await findSubscription(deps.control, id))!.status === 'active', ledger.isRunning);
  const later = new Date(now + 2 * 3_600_000);
  const unaccounted = await listUnaccounted(deps.control, later);
  assert.deepEqual(
    unaccounted.filter(({ account_id }) => account_id === id),
    [],
    describeHistory([start, steps], ledger, invoices),
  );
}

function describeHistory(story: History, ledger: Ledger, invoices: { kind: string; lines: object[] }[]): string {
  const lines = invoices.map(({ kind, lines }) => `${kind} ${JSON.stringify(lines)}`).join('\n');
  return `${JSON.stringify(story)}\nfees ${ledger.fees}, overage ${ledger.overage()}\n${lines}`;
}

async function use(id: string, meter: Meter, units: number, at: number): Promise<void> {
  const account = await getAccount(deps, id);
  const happened_at = new Date(at);
  const { start: period_start } = usagePeriod(account, happened_at);
  const rest = { key_id: null, request_id: 'req_test', route: '/test' };
  const event = { id: `use_${Math.random()}`, account_id: id, meter, units, period_start, happened_at, ...rest };
  await inTransaction(deps.control, (client) => bookEvents(client, [event], deps.clock()));
}

describe('a contract at the instant at which a month begins', () => {
  test('rates the month once, by the contract', () =>
    live([
      STARTS[4],
      [
        [{ ms: 0 }, { do: 'choose', plan: 'scale', interval: 'month', bank: 'pays' }],
        [
          { toBoundary: 'term', offsetMs: 0 },
          { do: 'contract', interval: 'month' },
        ],
        [{ ms: DAY }, { do: 'use', meter: 'standard', units: 633_990 }],
        [{ toBoundary: 'month', offsetMs: 1 }, { do: 'worker' }],
      ],
    ]));
});

describe('a term whose second month ends when the story does', () => {
  test('is billed for the month that begins there', () =>
    live([
      Date.parse('2027-07-01T10:00:00Z'),
      [
        [{ ms: 0 }, { do: 'contract', interval: 'year' }],
        [{ ms: 5 * DAY }, { do: 'contract', interval: 'month' }],
      ],
    ]));
});

describe('any history of an account', () => {
  test('is invoiced to the cent, and no usage is left unaccounted for', async () => {
    await fc.assert(
      fc.asyncProperty(history, (story) => live(story)),
      { numRuns: RUNS, endOnFailure: process.env.SHRINK === undefined },
    );
  });
});
