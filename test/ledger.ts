// What an account owes by the published rules, computed independently: the reference for its invoices.
const DAY = 86_400_000;

export type PlanName = 'builder' | 'pro' | 'scale';
export type Meter = 'standard' | 'avm';
export type Interval = 'month' | 'year';
/** The published table, and a sample contract, written by hand. */
export const PRICES = { builder: 29_900, pro: 79_900, scale: 149_900, enterprise: 500_000 };
const INCLUDED = {
  standard: { builder: 10_000, pro: 100_000, scale: 500_000, enterprise: 600_000 },
  avm: { builder: 500, pro: 5_000, scale: 25_000, enterprise: 30_000 },
};
const RATES = {
  standard: { builder: 5, pro: 3, scale: 2, enterprise: 1 },
  avm: { builder: 15, pro: 10, scale: 8, enterprise: 4 },
};

/** Months counted by hand: the 31st, or the last day of a shorter month. */
export function monthsAfter(anchor: number, n: number): number {
  const from = new Date(anchor);
  const days = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + n + 1, 0)).getUTCDate();
  return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + n, Math.min(from.getUTCDate(), days)) + (anchor % DAY);
}

const share = (amount: number, part: number, whole: number) =>
  Number((2n * BigInt(amount) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)));

type Paid = PlanName | 'enterprise';
export interface Month {
  start: number;
  end: number;
  stays: { plan: Paid; from: number }[];
  used: { meter: Meter; units: number; at: number }[];
}

/** What an account owes by the published rules: boundaries are instants, and nothing is ever "closed". Months keep
    their usage and are rated at the end of the history, independent of when billing ran. */
export class Ledger {
  fees = 0;
  anchor = 0;
  interval: Interval = 'month';
  term = { start: 0, end: 0 };
  isRunning = false;
  isSuspended = false;
  cancels = false;
  next: { plan: PlanName; interval: Interval } | undefined;
  months: Month[] = [];
  index = 0;

  get month(): Month {
    return this.months.at(-1)!;
  }

  get plan(): Paid {
    return this.month.stays.at(-1)!.plan;
  }

  price(plan: Paid): number {
    return this.interval === 'year' ? (PRICES[plan] * 12 * 8) / 10 : PRICES[plan];
  }

  /** The value of a price from an instant to the end of the term, rounded on the running total. */
  rest(price: number, at: number): number {
    const whole = this.term.end - this.term.start;
    return share(price, whole, whole) - share(price, at - this.term.start, whole);
  }

  start(plan: Paid, interval: Interval, at: number): void {
    Object.assign(this, { anchor: at, interval, isRunning: true, cancels: false, next: undefined, index: 0 });
    this.term = { start: at, end: monthsAfter(at, interval === 'year' ? 12 : 1) };
    const month = { start: at, end: monthsAfter(at, 1), stays: [{ plan, from: at }] };
    // A month that begins at this very instant becomes the first of the new plan.
    if (this.months.at(-1)?.start === at) Object.assign(this.month, month);
    else this.months.push({ ...month, used: [] });
    this.fees += this.price(plan);
  }

  /** In cents; 0 in the last moment of a term. */
  priceOfUpgrade(plan: PlanName, at: number): number {
    return this.rest(this.price(plan), at) - this.rest(this.price(this.plan), at);
  }

  upgrade(plan: PlanName, interval: Interval, at: number): void {
    this.fees += this.priceOfUpgrade(plan, at);
    this.month.stays.push({ plan, from: at });
    this.next = interval === this.interval ? undefined : { plan, interval };
    this.cancels = false;
  }

  /** A contract replaces the current plan: unused time is credited. */
  leave(at: number): void {
    if (this.isRunning) this.fees -= this.rest(this.price(this.plan), at);
    this.isRunning = false;
  }

  /** Passes every boundary up to and including this instant. */
  advance(now: number): void {
    while (this.isRunning && this.month.end <= now) {
      let plan = this.plan;
      const { end } = this.month;
      this.index += 1;
      if (this.term.end <= end) {
        if (this.cancels || this.isSuspended) {
          Object.assign(this, { isRunning: false, isSuspended: false, cancels: false });
          return;
        }
        if (this.next) {
          plan = this.next.plan;
          this.interval = this.next.interval;
          this.next = undefined;
        }
        this.term = { start: end, end: monthsAfter(this.anchor, this.index + (this.interval === 'year' ? 12 : 1)) };
        this.fees += this.price(plan);
      }
      const next = monthsAfter(this.anchor, this.index + 1);
      this.months.push({ start: end, end: next, stays: [{ plan, from: end }], used: [] });
    }
  }

  overage(): number {
    return this.months.reduce((sum, month) => sum + rate(month, 'standard') + rate(month, 'avm'), 0);
  }
}

/** Rates unit by unit in order of use: covered up to the allowance, charged beyond. */
function rate({ start, end, stays, used }: Month, meter: Meter): number {
  let [covered, cents] = [0, 0];
  const part = (a: number, b: number, allowance: number) =>
    share(allowance, b - start, end - start) - share(allowance, a - start, end - start);
  for (const [n, { plan, from }] of stays.entries()) {
    const until = stays[n + 1]?.from ?? Infinity;
    const passed = stays
      .slice(0, n)
      .reduce((sum, stay, k) => sum + part(stay.from, stays[k + 1].from, INCLUDED[meter][stay.plan]), 0);
    const entitled = passed + part(from, end, INCLUDED[meter][plan]);
    for (const each of used.filter((use) => use.meter === meter && use.at >= from && use.at < until)) {
      const free = Math.max(0, Math.min(each.units, entitled - covered));
      covered += free;
      cents += (each.units - free) * RATES[meter][plan];
    }
  }
  return cents;
}
