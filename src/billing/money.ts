// Cents: proration to the second, shares that add up, prices of a term. Integers all the way, no floating point.
import { ANNUAL_DISCOUNT_PERCENT, type Terms } from '../accounts/plans.ts';

export type Interval = 'month' | 'year';

/**
 * The part of a price that falls on [from, to) of a term. Rounded on the running total, so that the parts of a term, cut
 * anywhere and as often as one likes, add up to exactly the price.
 */
export function prorate(priceCents: number, start: Date, end: Date, from: Date, to: Date): number {
  const upTo = (instant: Date) =>
    roundedShare(priceCents, instant.getTime() - start.getTime(), end.getTime() - start.getTime());
  return upTo(to) - upTo(from);
}

/** price × part ÷ whole, half up, without leaving the integers. */
function roundedShare(priceCents: number, part: number, whole: number): number {
  const numerator = 2n * BigInt(priceCents) * BigInt(part) + BigInt(whole);
  const denominator = 2n * BigInt(whole);
  const floor = numerator / denominator;
  return Number(numerator < 0n && numerator % denominator !== 0n ? floor - 1n : floor);
}

/** Splits a total over weights: each within a cent of its share, and together exactly the total. */
export function distribute(totalCents: number, weights: number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return weights.map(() => 0);
  let before = 0;
  let given = 0;
  return weights.map((weight) => {
    before += weight;
    const share = roundedShare(totalCents, before, whole) - given;
    given += share;
    return share;
  });
}

/** What one term costs: a month, or twelve less 20 %. Null where there is no price to charge. */
export function termPriceCents(terms: Pick<Terms, 'priceCentsPerMonth'>, interval: Interval): number | null {
  const { priceCentsPerMonth: monthly } = terms;
  if (monthly === null || interval === 'month') return monthly;
  return roundedShare(monthly * 12, 100 - ANNUAL_DISCOUNT_PERCENT, 100);
}

export function formatUsd(cents: number): string {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(cents) / 100)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign}$${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}
