// The arithmetic of billing: months, proration, shares and prices, by example and by property.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from '../properties.ts';
import { PLANS, termsOf, type Terms } from '../../src/customers/accounts/plans.ts';
import { creditLine, overageLines, planLine, sumOf, taxLine, upgradeLines } from '../../src/customers/billing/lines.ts';
import { formatUsd, termPriceCents } from '../../src/customers/billing/money.ts';
import { distribute, prorate } from '../../src/base/lib/shares.ts';
import { addMonths, monthAt, monthsSince, trialPeriod } from '../../src/customers/usage/periods.ts';
import { allowanceAfter, rateMonth } from '../../src/customers/usage/rating.ts';

const at = (iso: string) => new Date(iso);
const iso = (instant: Date) => instant.toISOString();

describe('months', () => {
  test('the 31st falls on shorter months’ last day and comes back', () => {
    const anchor = at('2026-01-31T10:30:00.000Z');
    const starts = [0, 1, 2, 3, 4].map((n) => iso(addMonths(anchor, n)).slice(0, 16));
    assert.deepEqual(starts, [
      '2026-01-31T10:30',
      '2026-02-28T10:30',
      '2026-03-31T10:30',
      '2026-04-30T10:30',
      '2026-05-31T10:30',
    ]);
  });

  test('29 February is met every year, on the 28th where there is no 29th', () => {
    const anchor = at('2024-02-29T00:00:00.000Z');
    assert.equal(iso(addMonths(anchor, 12)), '2025-02-28T00:00:00.000Z');
    assert.equal(iso(addMonths(anchor, 48)), '2028-02-29T00:00:00.000Z');
    assert.equal(iso(addMonths(at('2026-01-30T00:00:00.000Z'), 25)), '2028-02-29T00:00:00.000Z');
  });

  test('an instant on the boundary belongs to the new month', () => {
    const anchor = at('2026-01-31T10:30:00.000Z');
    assert.equal(iso(monthAt(anchor, at('2026-02-28T10:29:59.999Z')).start), '2026-01-31T10:30:00.000Z');
    assert.equal(iso(monthAt(anchor, at('2026-02-28T10:30:00.000Z')).start), '2026-02-28T10:30:00.000Z');
  });

  test('a trial is fourteen days to the millisecond', () => {
    assert.equal(iso(trialPeriod(at('2026-02-20T05:00:00.000Z')).end), '2026-03-06T05:00:00.000Z');
  });

  test('every instant lies in exactly one month, and months join without a gap', () => {
    const instant = fc.date({ min: at('2020-01-01'), max: at('2032-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, instant, (anchor, later) => {
        fc.pre(later >= anchor);
        const month = monthAt(anchor, later);
        assert.ok(month.start <= later && later < month.end);
        const n = monthsSince(anchor, later);
        assert.equal(addMonths(anchor, n + 1).getTime(), month.end.getTime());
        assert.equal(monthAt(anchor, month.end).start.getTime(), month.end.getTime());
      }),
    );
  });
});

describe('proration', () => {
  test('half a month of Builder is half its price', () => {
    const month = { start: at('2026-04-01'), end: at('2026-05-01') };
    assert.equal(prorate(29_900, month, { start: at('2026-04-16'), end: month.end }), 14_950);
  });

  test('a term cut anywhere, any number of times, adds up to the price', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000_000 }),
        fc.integer({ min: 1, max: 366 * 86_400 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        (price, seconds, cuts) => {
          const start = at('2026-01-31T10:30:00.000Z');
          const end = new Date(start.getTime() + seconds * 1000);
          const marks = [0, ...cuts.sort((a, b) => a - b), 1].map(
            (share) => new Date(start.getTime() + Math.round(share * seconds) * 1000),
          );
          const parts = marks.slice(1).map((mark, n) => prorate(price, { start, end }, { start: marks[n], end: mark }));
          assert.equal(
            parts.reduce((sum, part) => sum + part, 0),
            price,
          );
          assert.ok(parts.every((part) => part >= 0));
        },
      ),
    );
  });

  test('upgrading step by step costs as much as the plans for the time each was had', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_591_999 }), fc.integer({ min: 0, max: 2_591_999 }), (a, b) => {
        const term = { start: at('2026-04-01'), end: at('2026-05-01') };
        const [first, second] = [Math.min(a, b), Math.max(a, b)].map((s) => new Date(term.start.getTime() + s * 1000));
        const plan = (id: 'builder' | 'pro' | 'scale') => termsOf({ plan: id, contract: null });
        const paid =
          29_900 +
          sumOf(upgradeLines({ before: plan('builder'), after: plan('pro'), interval: 'month', term, at: first })) +
          sumOf(upgradeLines({ before: plan('pro'), after: plan('scale'), interval: 'month', term, at: second }));
        const had =
          prorate(29_900, term, { start: term.start, end: first }) +
          prorate(79_900, term, { start: first, end: second }) +
          prorate(149_900, term, { start: second, end: term.end });
        assert.equal(paid, had);
      }),
    );
  });
});

describe('shares', () => {
  test('add up to the total, each within a cent of its part', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -10_000_000, max: 10_000_000 }),
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 20 }),
        (total, weights) => {
          const shares = distribute(total, weights);
          const whole = weights.reduce((sum, weight) => sum + weight, 0);
          assert.equal(
            shares.reduce((sum, share) => sum + share, 0),
            total,
          );
          for (const [n, share] of shares.entries()) assert.ok(Math.abs(share - (total * weights[n]) / whole) <= 1);
        },
      ),
    );
  });

  test('a cent over three lines goes to one of them', () => {
    assert.deepEqual(distribute(1, [1, 1, 1]), [0, 1, 0]);
    assert.deepEqual(distribute(100, [1, 1, 1]), [33, 34, 33]);
    assert.deepEqual(distribute(-100, [1, 1, 1]), [-33, -34, -33], 'money given back is split alike');
    assert.deepEqual(distribute(100, [0, 0]), [0, 0], 'nothing to spread over');
  });
});

describe('prices', () => {
  test('are those published, and a year is twelve months less 20%', () => {
    const years = (['builder', 'pro', 'scale'] as const).map((id) => termPriceCents(PLANS[id], 'year'));
    assert.deepEqual(years, [287_040, 767_040, 1_439_040]);
    const months = (['builder', 'pro', 'scale'] as const).map((id) => termPriceCents(PLANS[id], 'month'));
    assert.deepEqual(months, [29_900, 79_900, 149_900]);
    assert.equal(termPriceCents(PLANS.enterprise, 'year'), null);
  });

  test('overage is units beyond the allowance at the plan’s rate, per meter', () => {
    const month = { start: at('2026-04-01'), end: at('2026-05-01') };
    const overage = (meter: 'standard' | 'avm', used: number, terms: Terms) =>
      sumOf(overageLines(month, meter, [{ ...month, terms, used }]));
    const builder = termsOf({ plan: 'builder', contract: null });
    assert.equal(overage('standard', 10_000, builder), 0);
    assert.equal(overage('standard', 10_001, builder), 5);
    assert.equal(overage('avm', 520, builder), 300);
    assert.equal(overage('avm', 1e9, termsOf({ plan: 'enterprise', contract: null })), 0);
    const contract = { includedCalls: 10, overageCentsPerCall: 1 };
    assert.equal(overage('standard', 25, termsOf({ plan: 'enterprise', contract })), 15);
    assert.equal(planLine(termsOf({ plan: 'trial', contract: null }), 'month', month), undefined);
  });

  test('tax is rounded half up to the cent, and absent where it is nothing', () => {
    const tax = (ratePpm: number, cents: number) => taxLine('Sales tax', ratePpm, cents, at('2026-04-01'));
    assert.equal(tax(102_500, 29_900)!.amount_cents, 3_065);
    assert.equal(tax(102_500, 29_900)!.description, 'Sales tax (10.25%)');
    assert.equal(tax(50_000, 10)!.amount_cents, 1);
    assert.equal(tax(0, 29_900), undefined);
    assert.equal(tax(102_500, 0), undefined);
  });

  test('credit lowers what the lines add up to', () => {
    const month = { start: at('2026-04-01'), end: at('2026-05-01') };
    const fee = planLine(termsOf({ plan: 'builder', contract: null }), 'month', month)!;
    assert.equal(sumOf([fee, creditLine(10_000, month.start)]), 19_900);
  });

  test('are written as people write them', () => {
    assert.equal(formatUsd(143_904_0), '$14,390.40');
    assert.equal(formatUsd(-5), '-$0.05');
    assert.equal(formatUsd(100_000_000), '$1,000,000.00');
  });
});

describe('a month in which the plan changed', () => {
  const month = { start: at('2026-04-01'), end: at('2026-05-01') };
  const terms = (plan: 'builder' | 'pro' | 'scale') => termsOf({ plan, contract: null });
  const stretches = (...parts: [plan: 'builder' | 'pro' | 'scale', until: string, used: number][]) =>
    parts.map(([plan, until, used], n) => ({
      start: n === 0 ? month.start : at(parts[n - 1][1]),
      end: at(until),
      terms: terms(plan),
      used,
    }));
  const rate = (...parts: Parameters<typeof stretches>) => rateMonth(month, 'standard', stretches(...parts));

  test('rates what was used before an upgrade under the old plan, however late the upgrade', () => {
    const late = '2026-04-30T23:59:58.000Z';
    const [builder, scale] = rate(['builder', late, 458_500], ['scale', '2026-05-01', 0]);
    assert.equal(builder.overageCents, 448_500 * 5, 'exactly what staying would have cost');
    assert.equal(scale.overageCents, 0);
  });

  test('does not charge a customer within the allowance for upgrading', () => {
    const [builder, pro] = rate(['builder', '2026-04-16', 9_000], ['pro', '2026-05-01', 46_000]);
    assert.equal(builder.overageUnits, 0);
    // Half of Builder and half of Pro are 55,000; 9,000 of them are used.
    assert.equal(pro.included, 46_000);
    assert.equal(pro.overageUnits, 0);
    assert.equal(rate(['builder', '2026-04-16', 9_000], ['pro', '2026-05-01', 46_001])[1].overageCents, 3);
  });

  test('lets a larger plan cover nothing that was used before it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 600_000 }),
        fc.integer({ min: 1, max: 2_591_999 }),
        fc.constantFrom('pro' as const, 'scale' as const),
        (used, second, plan) => {
          const upgrade = new Date(month.start.getTime() + second * 1_000).toISOString();
          const [before] = rate(['builder', upgrade, used], [plan, '2026-05-01', 0]);
          const [stayed] = rate(['builder', '2026-05-01', used]);
          assert.equal(before.overageCents, stayed.overageCents);
        },
      ),
    );
  });

  test('includes in all what the plans include for the time each ran, to the unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_591_999 }), fc.integer({ min: 0, max: 2_591_999 }), (a, b) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)].map(
          (n) => new Date(month.start.getTime() + n * 1_000),
        );
        const rated = rate(
          ['builder', first.toISOString(), 0],
          ['pro', second.toISOString(), 0],
          ['scale', '2026-05-01', 1e9],
        );
        const shares = [10_000, 100_000, 500_000].map((allowance, n) =>
          prorate(allowance, month, { start: [month.start, first, second][n], end: [first, second, month.end][n] }),
        );
        assert.equal(
          rated[2].included,
          shares.reduce((sum, share) => sum + share, 0),
        );
      }),
    );
  });

  test('knows how far the counter may go before the next call is overage', () => {
    const parts = stretches(['builder', '2026-04-16', 12_000], ['pro', '2026-05-01', 0]);
    // 12,000 were used, 2,000 of them beyond Builder’s 10,000; 45,000 are left of 55,000.
    assert.equal(allowanceAfter(month, 'standard', parts), 57_000);
  });
});
