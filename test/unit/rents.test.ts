// Returns of a rent, against independent whole-number arithmetic, and the calibration of areas to leases.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayNumber } from '../../src/base/lib/clock.ts';
import { estimateUnit, predict, relativeValue, rentOfSize, type Fit } from '../../src/insight/rents/area-rent.ts';
import { calibrate, LEAST_LEASES, type FittedLease } from '../../src/insight/rents/calibrate.ts';
import { coverageOf, paymentOf, returnsOf } from '../../src/insight/rents/returns.ts';
import { seededRandom } from '../../src/base/math/random.ts';

/** The payment in cents as an exact fraction, rounded half up: rates are in millionths a year. */
function exactPayment(amountCents: bigint, rateMillionths: bigint, months: bigint): bigint {
  const half = (top: bigint, bottom: bigint) => (2n * top + bottom) / (2n * bottom);
  if (rateMillionths === 0n) return half(amountCents, months);
  const [a, b] = [rateMillionths, 12_000_000n];
  const grown = (a + b) ** months;
  return half(amountCents * a * grown, b * (grown - b ** months));
}

describe('the payment of a loan', () => {
  it('is that of exact arithmetic to the cent, for any amount, rate and term', () => {
    const random = seededRandom(7);
    for (let k = 0; k < 400; k++) {
      const [amount, rate] = [1 + Math.floor(random() * 3_000_000), Math.floor(random() * 200_000)];
      const years = 1 + Math.floor(random() * 50);
      const exact = exactPayment(BigInt(amount) * 100n, BigInt(rate), BigInt(years * 12));
      const payment = paymentOf({ amount, rate: rate / 1e6, term_years: years });
      assert.equal(Math.round(payment * 100), Number(exact), `${amount} at ${rate} over ${years}`);
    }
  });

  it('is only principal without interest, and only interest if interest-only', () => {
    assert.equal(paymentOf({ amount: 360_000, rate: 0 }), 1_000);
    assert.equal(paymentOf({ amount: 400_000, rate: 0.06, interest_only: true }), 2_000);
    assert.equal(paymentOf({ amount: 400_000, rate: 1e-9, term_years: 30 }), 1_111.11);
  });
});

const earning = (more: Partial<Parameters<typeof returnsOf>[0]> = {}) => ({
  rent: 2_000,
  low: 1_600,
  on: { on: 300_000, on_basis: 'estimated_value' as const },
  stated: { insurance: 1_200, vacancy: 0.05, management: 0.08, hoa: 600 },
  bill: { year: 2025, amount: 4_800.5 },
  ...more,
});

describe('the returns of a rent', () => {
  it('add up: yield, expenses, income, cap rate', () => {
    const returns = returnsOf(earning());
    assert.equal(returns.gross_yield, 0.08);
    // 24,000 − 1,200 empty − 1,824 management − 4,800.50 tax − 1,200 insurance − 600 dues
    assert.equal(returns.net_operating_income, 14_375.5);
    assert.equal(returns.cap_rate, 0.0479);
    assert.deepEqual(returns.expenses.not_stated, ['maintenance', 'other_expenses']);
    assert.deepEqual([returns.expenses.taxes_from, returns.expenses.taxes_year], ['record', 2025]);
  });

  it('have no cap rate and no coverage if taxes or insurance are unknown', () => {
    for (const [more, reason] of [
      [{ bill: undefined }, 'taxes_unknown'],
      [{ stated: {} }, 'insurance_not_stated'],
      [{ rent: null, low: null }, 'no_rent'],
    ] as const) {
      const returns = returnsOf(earning(more));
      assert.deepEqual([returns.cap_rate, returns.net_operating_income, returns.reason], [null, null, reason]);
      const loan = coverageOf({ amount: 200_000, rate: 0.07 }, earning(more), returns);
      assert.deepEqual([loan.dscr, loan.noi_dscr, loan.reason], [null, null, reason]);
      assert.equal(loan.payment, 1330.6);
    }
  });

  it('cover the payment with taxes, insurance and dues, rounded down', () => {
    const returns = returnsOf(earning());
    const loan = coverageOf({ amount: 200_000, rate: 0.07 }, earning(), returns);
    const monthly = 1330.6 + (4_800.5 + 1_200 + 600) / 12;
    assert.equal(loan.payment_with_costs, Math.round(monthly * 100) / 100);
    assert.equal(loan.dscr, Math.floor((2_000 / monthly) * 10_000) / 10_000);
    assert.equal(loan.dscr_at_low, Math.floor((1_600 / monthly) * 10_000) / 10_000);
    assert.equal(loan.noi_dscr, Math.floor((14_375.5 / (1330.6 * 12)) * 10_000) / 10_000);
    const even = earning({ rent: 1_200, low: 1_000, stated: { taxes: 0, insurance: 0 } });
    const interest = { amount: 160_000, rate: 0.09, interest_only: true };
    assert.equal(coverageOf(interest, even, returnsOf(even)).dscr, 1);
    const short = coverageOf({ ...interest, amount: 160_014 }, even, returnsOf(even)).dscr!;
    assert.ok(short < 1, `${short} is not below 1`);
  });
});

describe('the rent of a size', () => {
  const hud = { bedrooms_0: 700, bedrooms_1: 800, bedrooms_2: 1_000, bedrooms_3: 1_300, bedrooms_4: 1_500 };

  it('is the published one, with 15% more of the four-bedroom rent for each further bedroom', () => {
    assert.equal(rentOfSize('small_area_rents', hud, 2)?.rent, 1_000);
    assert.equal(rentOfSize('small_area_rents', hud, 6)?.rent, 1_500 * 1.3);
    assert.equal(rentOfSize('small_area_rents', hud, null), undefined);
    assert.equal(rentOfSize('small_area_rents', {}, 2), undefined);
  });

  it('falls back to that of all sizes, and reports it, if the survey has no other', () => {
    const survey = { median: 1_100, bedrooms_2: 1_050, bedrooms_3: null, bedrooms_5: 1_900 };
    assert.deepEqual(rentOfSize('tract_rents', survey, 2), { rent: 1_050, bedrooms: 2 });
    assert.deepEqual(rentOfSize('tract_rents', survey, 3), { rent: 1_100, bedrooms: null });
    assert.deepEqual(rentOfSize('tract_rents', survey, 8), { rent: 1_900, bedrooms: 8 });
  });

  it('rises less than proportionally to value, and its interval widens if less is known', () => {
    const at = (relative: number | null, isSized = true) =>
      estimateUnit([1_000, 1_000], { relative, isSized, day: 0 }, undefined);
    assert.equal(Math.round(at(1.21).rent), 1_100);
    assert.equal(relativeValue(10_000_000, 200_000), 2.5);
    const width = ({ low, high }: { low: number; high: number }) => Math.log(high / low);
    assert.ok(width(at(null)) > width(at(1)));
    assert.ok(width(at(1, false)) > width(at(1)));
    const apart = estimateUnit([800, 1_250], { relative: 1, isSized: true, day: 0 }, undefined);
    assert.ok(width(apart) > width(at(1)));
    assert.equal(Math.round(apart.rent), 1_000);
  });
});

describe('the fit to leases', () => {
  const TRUE: Fit = { level: -0.1, elasticity: 0.7, trend: 0.04, from: dayNumber('2026-01-01') };
  const leasesOf = (n: number, noise: number, seed = 11): FittedLease[] => {
    const random = seededRandom(seed);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Array.from({ length: n }, (_, k) => {
      const day = dayNumber('2023-01-01') + Math.floor((k / n) * 1_095);
      const relative = Math.exp(0.4 * normal());
      const logArea = Math.log(1_000 + 1_000 * random());
      return { day, relative, logArea, rent: Math.exp(predict(TRUE, logArea, relative, day) + noise * normal()) };
    });
  };

  it('finds the level, slope and trend that the leases were made with', () => {
    const { fit } = calibrate(leasesOf(2_000, 0.1))!;
    const day = dayNumber('2026-01-01');
    for (const relative of [0.5, 1, 2])
      assert.ok(Math.abs(predict(fit, 7, relative, day) - predict(TRUE, 7, relative, day)) < 0.02, `at ${relative}`);
  });

  it('is tested on later, unseen leases, and its interval has the promised coverage', () => {
    const { accuracy, low, high } = calibrate(leasesOf(2_000, 0.1))!;
    assert.equal(accuracy.leases, 2_000);
    assert.ok(accuracy.tested_from > '2025-04-01' && accuracy.tested >= 380);
    const held = [1, 2, 3, 4, 5, 6, 7, 8].map(
      (seed) => calibrate(leasesOf(1_500, 0.1, seed * 77))!.accuracy.interval_coverage,
    );
    const mean = held.reduce((sum, share) => sum + share) / held.length;
    assert.ok(Math.abs(mean - 0.8) < 0.03, `covers ${mean}`);
    // The median of |N(0, 0.1)| is 0.067.
    assert.ok(Math.abs(accuracy.median_error_rate - 0.067) < 0.01, `errs ${accuracy.median_error_rate}`);
    assert.ok(accuracy.areas_alone_error_rate > accuracy.median_error_rate + 0.02);
    assert.ok(low < -0.1 && high > 0.1 && high < 0.16);
  });

  it('never tests a lease by a fit that has seen it', () => {
    const leases = leasesOf(500, 0.05);
    const last = leases.toSorted((a, b) => a.day - b.day).slice(-90);
    const before = calibrate(leases)!.accuracy;
    // Rents of the last weeks doubled: the fit of before must err by half on them, however well a fit to all would do.
    for (const lease of last) lease.rent *= 2;
    const after = calibrate(leases)!.accuracy;
    assert.ok(before.median_error_rate < 0.1 && after.median_error_rate > 0.4, `${after.median_error_rate}`);
  });

  it('is not made from a handful of leases, nor from those of one day', () => {
    assert.equal(calibrate(leasesOf(LEAST_LEASES - 1, 0.1)), undefined);
    const day = dayNumber('2026-01-01');
    assert.equal(calibrate(leasesOf(100, 0.1).map((lease) => ({ ...lease, day }))), undefined);
  });
});
