// The arithmetic of billing: months, proration, shares and prices, by example and by property.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PLANS, termsOf } from '../../src/accounts/plans.ts';
import { overageLine, planLine, sumOf, upgradeLines } from '../../src/billing/lines.ts';
import { distribute, formatUsd, prorate, termPriceCents } from '../../src/billing/money.ts';
import { addMonths, monthAt, monthsSince, trialPeriod } from '../../src/usage/periods.ts';

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
    const [start, end] = [at('2026-04-01'), at('2026-05-01')];
    assert.equal(prorate(29_900, start, end, at('2026-04-16'), end), 14_950);
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
          const parts = marks.slice(1).map((mark, n) => prorate(price, start, end, marks[n], mark));
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
          sumOf(upgradeLines(plan('builder'), plan('pro'), 'month', term, first)) +
          sumOf(upgradeLines(plan('pro'), plan('scale'), 'month', term, second));
        const had =
          prorate(29_900, term.start, term.end, term.start, first) +
          prorate(79_900, term.start, term.end, first, second) +
          prorate(149_900, term.start, term.end, second, term.end);
        assert.equal(paid, had);
      }),
    );
  });
});

describe('shares', () => {
  test('add up to the total, each within a cent of its part', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000 }),
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
  });
});

describe('prices', () => {
  test('are those published, and a year is twelve months less 20 %', () => {
    const years = (['builder', 'pro', 'scale'] as const).map((id) => termPriceCents(PLANS[id], 'year'));
    assert.deepEqual(years, [287_040, 767_040, 1_439_040]);
    const months = (['builder', 'pro', 'scale'] as const).map((id) => termPriceCents(PLANS[id], 'month'));
    assert.deepEqual(months, [29_900, 79_900, 149_900]);
    assert.equal(termPriceCents(PLANS.enterprise, 'year'), null);
  });

  test('overage is units beyond the allowance at the plan’s rate, per meter', () => {
    const month = { start: at('2026-04-01'), end: at('2026-05-01') };
    const builder = termsOf({ plan: 'builder', contract: null });
    assert.equal(overageLine(builder, 'standard', 10_000, month), undefined);
    assert.equal(overageLine(builder, 'standard', 10_001, month)!.amount_cents, 5);
    assert.equal(overageLine(builder, 'avm', 520, month)!.amount_cents, 300);
    assert.equal(overageLine(termsOf({ plan: 'enterprise', contract: null }), 'avm', 1e9, month), undefined);
    const contract = { includedCalls: 10, overageCentsPerCall: 1 };
    assert.equal(overageLine(termsOf({ plan: 'enterprise', contract }), 'standard', 25, month)!.amount_cents, 15);
    assert.equal(planLine(termsOf({ plan: 'trial', contract: null }), 'month', month), undefined);
  });

  test('are written as people write them', () => {
    assert.equal(formatUsd(143_904_0), '$14,390.40');
    assert.equal(formatUsd(-5), '-$0.05');
    assert.equal(formatUsd(100_000_000), '$1,000,000.00');
  });
});
