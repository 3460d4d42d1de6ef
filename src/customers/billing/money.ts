// Cents: prices of a term, and how an amount is written.
import { ANNUAL_DISCOUNT_PERCENT, type Terms } from '../accounts/plans.ts';
import { roundedShare } from '../../base/lib/shares.ts';

export type Interval = 'month' | 'year';

/** The price of one term: a month, or twelve months less 20%. Null where there is no price to charge. */
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
