// Random histories of an account (plans, usage, cancellations, declined and slow payments, a clock that jumps) against an
// independent account of what they cost: every cent that invoices ask for, and nothing more.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createAccount, getAccount } from '../../src/customers/accounts/accounts.ts';
import { addCard } from '../../src/customers/billing/cards.ts';
import { closeNext } from '../../src/customers/billing/closing.ts';
import { applyProviderEvent, collect } from '../../src/customers/billing/payments.ts';
import { cancelPlan, choosePlan, resumePlan } from '../../src/customers/billing/plan-changes.ts';
import type { ChargeOutcome, PaymentProvider } from '../../src/customers/billing/providers/provider.ts';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { ApiError } from '../../src/base/lib/errors.ts';
import { findInvoice, findSubscription, listInvoices } from '../../src/customers/billing/sql.ts';
import { bookEvents } from '../../src/customers/usage/booking.ts';
import { usagePeriod } from '../../src/customers/usage/periods.ts';
import { testDeps } from '../harness.ts';

/** Thousands with HISTORIES=3000; the usual run keeps to what a busy machine does in half a minute. */
const RUNS = Number(process.env.HISTORIES ?? 150);
const START = Date.parse('2026-01-31T10:30:00.000Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const deps = await testDeps();

type PlanName = 'builder' | 'pro' | 'scale';
type Meter = 'standard' | 'avm';
const PRICES = { builder: 29_900, pro: 79_900, scale: 149_900 };
const INCLUDED = {
  standard: { builder: 10_000, pro: 100_000, scale: 500_000 },
  avm: { builder: 500, pro: 5_000, scale: 25_000 },
};
const RATES = { standard: { builder: 5, pro: 3, scale: 2 }, avm: { builder: 15, pro: 10, scale: 8 } };

type Step =
  | {
      do: 'choose';
      plan: PlanName;
      interval: 'month' | 'year';
      bank: 'pays' | 'declines' | 'pays later' | 'fails later';
    }
  | { do: 'use'; meter: Meter; units: number }
  | { do: 'cancel' }
  | { do: 'resume' }
  | { do: 'nothing' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('choose' as const),
      plan: fc.constantFrom<PlanName>('builder', 'pro', 'scale'),
      interval: fc.constantFrom<'month' | 'year'>('month', 'month', 'month', 'year'),
      bank: fc.constantFrom<'pays' | 'declines' | 'pays later' | 'fails later'>(
        'pays',
        'pays',
        'pays',
        'declines',
        'pays later',
        'fails later',
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('use' as const),
      meter: fc.constantFrom<Meter>('standard', 'avm'),
      units: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 700_000 })),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'resume' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'nothing' as const }) },
);
/** Mostly days, now and then seconds around a step, sometimes weeks. */
const wait = fc.oneof(
  fc.integer({ min: 0, max: 5_000 }),
  fc.integer({ min: MINUTE, max: 9 * DAY }),
  fc.integer({ min: 20 * DAY, max: 45 * DAY }),
);
const history = fc.array(fc.tuple(wait, step), { minLength: 3, maxLength: 14 });

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

/** Months counted by hand: the 31st, or the last day of a shorter month. */
function monthsAfter(anchor: number, n: number): number {
  const from = new Date(anchor);
  const days = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + n + 1, 0)).getUTCDate();
  return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + n, Math.min(from.getUTCDate(), days)) + (anchor % DAY);
}

const share = (amount: number, part: number, whole: number) =>
  Number((2n * BigInt(amount) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)));

interface Stay {
  plan: PlanName;
  from: number;
}

/** What an account owes, kept by hand from nothing but the published rules and what the caller saw happen. */
class Ledger {
  fees = 0;
  overage = 0;
  anchor = 0;
  interval: 'month' | 'year' = 'month';
  termStart = 0;
  termEnd = 0;
  monthIndex = 0;
  isRunning = false;
  cancels = false;
  next: { plan: PlanName; interval: 'month' | 'year' } | undefined;
  stays: Stay[] = [];
  used: { meter: Meter; units: number; at: number }[] = [];

  get plan(): PlanName {
    return this.stays.at(-1)!.plan;
  }

  termPrice(plan: PlanName, interval = this.interval): number {
    return interval === 'year' ? (PRICES[plan] * 12 * 8) / 10 : PRICES[plan];
  }

  start(plan: PlanName, interval: 'month' | 'year', at: number): void {
    Object.assign(this, { anchor: at, interval, termStart: at, monthIndex: 0, isRunning: true, cancels: false });
    this.termEnd = monthsAfter(at, interval === 'year' ? 12 : 1);
    this.next = undefined;
    this.stays = [{ plan, from: at }];
    this.used = [];
    this.fees += this.termPrice(plan);
  }

  upgrade(plan: PlanName, interval: 'month' | 'year', at: number): void {
    const rest = (price: number) =>
      share(price, this.termEnd - this.termStart, this.termEnd - this.termStart) -
      share(price, at - this.termStart, this.termEnd - this.termStart);
    this.fees += rest(this.termPrice(plan)) - rest(this.termPrice(this.plan));
    this.stays.push({ plan, from: at });
    this.next = interval === this.interval ? undefined : { plan, interval };
    this.cancels = false;
  }

  /** Closes every month that is over, ten minutes after its end. */
  advance(now: number): void {
    while (this.isRunning) {
      const [start, end] = [monthsAfter(this.anchor, this.monthIndex), monthsAfter(this.anchor, this.monthIndex + 1)];
      if (now < end + 10 * MINUTE) return;
      for (const meter of ['standard', 'avm'] as const) this.overage += this.rate(meter, start, end);
      this.used = this.used.filter((each) => each.at >= end);
      this.monthIndex += 1;
      this.stays = [{ plan: this.plan, from: end }];
      if (this.termEnd > end) continue;
      if (this.cancels) {
        this.isRunning = false;
        return;
      }
      if (this.next) {
        this.interval = this.next.interval;
        this.stays = [{ plan: this.next.plan, from: end }];
        this.next = undefined;
      }
      this.termStart = end;
      this.termEnd = monthsAfter(this.anchor, this.monthIndex + (this.interval === 'year' ? 12 : 1));
      this.fees += this.termPrice(this.plan);
    }
  }

  /** Unit by unit in the order of use, as a clerk would: covered while the month includes it, charged beyond. */
  rate(meter: Meter, start: number, end: number): number {
    let [covered, cents] = [0, 0];
    for (const [n, { plan, from }] of this.stays.entries()) {
      const until = this.stays[n + 1]?.from ?? end;
      const part = (a: number, b: number, allowance: number) =>
        share(allowance, b - start, end - start) - share(allowance, a - start, end - start);
      const passed = this.stays
        .slice(0, n)
        .reduce((sum, stay, k) => sum + part(stay.from, this.stays[k + 1].from, INCLUDED[meter][stay.plan]), 0);
      const entitled = passed + part(from, end, INCLUDED[meter][plan]);
      for (const { units } of this.used.filter((each) => each.meter === meter && each.at >= from && each.at < until)) {
        const free = Math.max(0, Math.min(units, entitled - covered));
        covered += free;
        cents += (units - free) * RATES[meter][plan];
      }
    }
    return cents;
  }
}

async function live(steps: [number, Step][]): Promise<void> {
  const { provider, setMood } = createBank();
  const ledger = new Ledger();
  let now = START;
  const at = (instant: number) => {
    now = instant;
    deps.travel(new Date(instant).toISOString());
  };
  at(now);
  const { id } = await createAccount(deps.control, deps.clock(), 'History', 'trial', { anchorAt: null });
  await addCard(deps, provider, { account: await getAccount(deps, id), token: `card_${id}`, by: { actor: 'test' } });

  const close = async () => {
    setMood('succeeded');
    while (await closeNext(deps, provider, id));
    for (const invoice of await listInvoices(deps.control, id, undefined, 100))
      if (invoice.status === 'open' && !invoice.applies) await collect(deps, provider, invoice.id);
    ledger.advance(now);
  };

  async function choose({ plan, interval, bank }: Extract<Step, { do: 'choose' }>): Promise<void> {
    setMood(bank === 'pays' ? 'succeeded' : bank === 'declines' ? 'declined' : 'pending');
    const chosenAt = now;
    const isUp = ledger.isRunning && PRICES[plan] > PRICES[ledger.plan] && now < ledger.termEnd;
    const isSale = !ledger.isRunning || isUp;
    const apply = () => {
      if (!ledger.isRunning) ledger.start(plan, interval, chosenAt);
      else if (isUp) ledger.upgrade(plan, interval, chosenAt);
    };
    try {
      const change = await choosePlan(deps, provider, { accountId: id, plan, interval, by: { actor: 'test' } });
      if (!isSale) {
        const isSame = plan === ledger.plan && interval === ledger.interval;
        ledger.next = isSame ? undefined : { plan, interval };
        ledger.cancels = false;
      } else if (change.effect !== 'processing') apply();
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 'card_declined', String(error));
    }
    if (!isSale || (bank !== 'pays later' && bank !== 'fails later')) return;
    const [invoice] = await listInvoices(deps.control, id, undefined, 1);
    if (invoice.status !== 'open') return;
    // The bank takes its time; nothing about the plan changes meanwhile.
    at(now + 2 * 3_600_000);
    const status = bank === 'pays later' ? 'succeeded' : 'declined';
    await applyProviderEvent(deps, {
      id: `evt_${invoice.id}`,
      invoiceId: invoice.id,
      status,
      reference: `later_${invoice.id}`,
      reason: null,
    });
    if (status === 'succeeded') apply();
    assert.notEqual((await findInvoice(deps.control, id, invoice.id))!.status, 'open');
  }

  for (const [delay, what] of steps) {
    at(now + delay);
    await close();
    if (what.do === 'choose') await choose(what);
    if (what.do === 'use' && ledger.isRunning) {
      await use(id, what.meter, what.units, now);
      ledger.used.push({ meter: what.meter, units: what.units, at: now });
    }
    if (what.do === 'cancel' && ledger.isRunning) {
      await cancelPlan(deps, provider, id, { actor: 'test' });
      Object.assign(ledger, { cancels: true, next: undefined });
    }
    if (what.do === 'resume') {
      await resumePlan(deps, provider, id, { actor: 'test' });
      Object.assign(ledger, { cancels: false, next: undefined });
    }
  }
  // Long enough for whatever is open to be closed and billed.
  at(now + 62 * DAY);
  await close();

  const invoices = (await listInvoices(deps.control, id, undefined, 1_000)).filter(({ status }) => status !== 'void');
  const asked = invoices.reduce((sum, { total_cents, credit_cents }) => sum + total_cents + credit_cents, 0);
  assert.equal(asked, ledger.fees + ledger.overage, describeHistory(steps, ledger, invoices));
  for (const { lines, subtotal_cents } of invoices) {
    const charged = lines.filter(({ kind }) => kind !== 'credit').reduce((sum, line) => sum + line.amount_cents, 0);
    assert.equal(Math.max(0, charged), subtotal_cents);
  }
  assert.equal((await findSubscription(deps.control, id))!.status === 'active', ledger.isRunning);
}

function describeHistory(
  steps: [number, Step][],
  ledger: Ledger,
  invoices: { kind: string; lines: object[] }[],
): string {
  const lines = invoices.map(({ kind, lines }) => `${kind} ${JSON.stringify(lines)}`).join('\n');
  return `${JSON.stringify(steps)}\nfees ${ledger.fees}, overage ${ledger.overage}\n${lines}`;
}

async function use(id: string, meter: Meter, units: number, at: number): Promise<void> {
  const account = await getAccount(deps, id);
  const happened_at = new Date(at);
  const { start: period_start } = usagePeriod(account, happened_at);
  const rest = { key_id: null, request_id: 'req_test', route: '/test' };
  const event = { id: `use_${Math.random()}`, account_id: id, meter, units, period_start, happened_at, ...rest };
  await inTransaction(deps.control, (client) => bookEvents(client, [event], deps.clock()));
}

describe('any history of an account', () => {
  test('is invoiced to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(history, (steps) => live(steps)),
      { numRuns: RUNS, endOnFailure: process.env.SHRINK === undefined },
    );
  });
});
