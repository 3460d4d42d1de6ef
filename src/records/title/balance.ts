// Estimates a loan's balance: level monthly payments over thirty years at the average rate of the month of recording.
// Only an estimate, since no public record states the rate, the term or prepayments.
import { RATE_SOURCE, rateOn, type RateSeries } from './rates.ts';
import type { TitleReport } from './schema.ts';

export const TERM_MONTHS = 360;

type Mortgage = TitleReport['mortgages'][number];
type Balance = NonNullable<Mortgage['estimated_balance']>;
type BalanceReason = NonNullable<Mortgage['balance_reason']>;

export function estimateBalance(
  { amount, recordedOn }: { amount: number | null; recordedOn: string | null },
  asOf: string,
  { termMonths = TERM_MONTHS, loadedRates }: { termMonths?: number; loadedRates?: RateSeries } = {},
): { balance: Balance | null; reason: BalanceReason | null } {
  const without = (reason: BalanceReason) => ({ balance: null, reason });
  if (amount === null || amount <= 0) return without('amount_not_stated');
  if (recordedOn === null) return without('date_not_stated');
  const paid = monthsBetween(recordedOn, asOf);
  if (paid >= termMonths) return without('past_term');
  const usual = rateOn(recordedOn, loadedRates);
  if (!usual) return without('before_rate_series');
  const balance: Balance = {
    amount: Math.round(amount * shareLeft(usual.rate / 12, paid, termMonths)),
    as_of: asOf,
    rate: usual.rate,
    rate_month: usual.month,
    rate_months_old: usual.monthsOld,
    rate_source: RATE_SOURCE,
    term_months: termMonths,
    is_estimate: true,
  };
  return { balance, reason: null };
}

/** The share of principal left after this many level payments: ((1+r)^n − (1+r)^k) ÷ ((1+r)^n − 1). */
export function shareLeft(monthlyRate: number, paid: number, termMonths: number): number {
  if (monthlyRate === 0) return 1 - paid / termMonths;
  const whole = (1 + monthlyRate) ** termMonths;
  return (whole - (1 + monthlyRate) ** paid) / (whole - 1);
}

/** Whole months; the first payment is due a month after the loan. */
export function monthsBetween(from: string, to: string): number {
  const [fromYear, fromMonth, fromDay] = from.split('-').map(Number);
  const [toYear, toMonth, toDay] = to.split('-').map(Number);
  return Math.max(0, (toYear - fromYear) * 12 + toMonth - fromMonth - (toDay < fromDay ? 1 : 0));
}
