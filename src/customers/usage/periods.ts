// Billing months counted from an account's anchor, in UTC: in shorter months the 31st becomes the last day.
import { DAY_MS } from '../../base/lib/clock.ts';
import type { Stretch } from '../../base/lib/shares.ts';
import { PLANS } from '../accounts/plans.ts';
import { type AccountRow } from '../accounts/sql.ts';

/** The anchor's day and time of day, this many months later; a day the month lacks becomes its last. */
export function addMonths(anchor: Date, months: number): Date {
  const year = anchor.getUTCFullYear();
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay));
  return new Date(midnight + (anchor.getTime() % DAY_MS));
}

/** Whole months between the anchor and an instant. Always counted from the anchor, so nothing drifts. */
export function monthsSince(anchor: Date, at: Date): number {
  const months = (at.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + at.getUTCMonth() - anchor.getUTCMonth();
  return addMonths(anchor, months) > at ? months - 1 : months;
}

/** The month that contains an instant: from its start up to, but not including, the start of the next. */
export function monthAt(anchor: Date, at: Date): Stretch {
  const months = Math.max(0, monthsSince(anchor, at));
  return { start: addMonths(anchor, months), end: addMonths(anchor, months + 1) };
}

export const trialPeriod = (anchor: Date): Stretch => ({
  start: anchor,
  end: new Date(anchor.getTime() + PLANS.trial.trialDays! * DAY_MS),
});

/** The period of an allowance: the whole trial, or one month. Before a trial starts, nothing. */
export function usagePeriod(account: Pick<AccountRow, 'plan' | 'anchor_at' | 'created_at'>, at: Date): Stretch {
  const anchor = account.anchor_at ?? account.created_at;
  return account.plan === 'trial' ? trialPeriod(anchor) : monthAt(anchor, at);
}
