// Sells a plan, and applies a paid plan change: a new plan, or an upgrade within the term.
import { updateAccount } from '../accounts/accounts.ts';
import type { AccountRow } from '../accounts/sql.ts';
import { addMonths, monthAt, trialPeriod } from '../usage/periods.ts';
import { allowanceAfter } from '../usage/rating.ts';
import { endStretch, readStretches } from '../usage/stretches.ts';
import { closeCounters } from '../usage/sql.ts';
import type { Stretch } from '../../base/lib/shares.ts';
import type { Books } from './books.ts';
import { writeInvoice, type NewInvoice } from './invoices.ts';
import type { Line } from './lines.ts';
import type { Interval } from './money.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

/**
 * The invoice of a plan. By card the plan waits for its payment; with nothing to pay, or on an account that pays by transfer
 * within 30 days, it begins at once.
 */
export async function sellPlan(books: Books, applies: sql.PlanToApply, lines: Line[]) {
  const { subscription } = books;
  const at = new Date(applies.at);
  const period =
    applies.effect === 'start' ? termFrom(at, applies.interval) : { start: at, end: subscription.term_end! };
  const what: NewInvoice = { kind: applies.effect, lines, period };
  const waits = subscription.provider !== 'manual';
  const invoice = await writeInvoice(books, { ...what, applies: waits ? applies : null });
  if (!waits || invoice?.status !== 'open') await applyPlan(books, applies);
  return invoice;
}

/** Terms run from the moment of the choice, which the invoice covers, no matter how long its payment took. */
export async function applyPlan(books: Books, change: sql.PlanToApply): Promise<void> {
  if (change.effect === 'start') await beginPlan(books, change);
  else await raisePlan(books, change);
}

/** From nothing, a trial or a canceled plan: months and the term count from `at`. */
async function beginPlan({ client, account, subscription, now }: Books, change: sql.PlanToApply): Promise<void> {
  const at = new Date(change.at);
  if (account.plan === 'trial' && account.anchor_at && account.anchor_at < at) {
    // The trial's usage is waived, including work in progress.
    const trial = trialPeriod(account.anchor_at);
    await closeCounters(client, account.id, trial, now);
    await endStretch(client, account, trial, trial.end);
  }
  const term = termFrom(at, change.interval);
  Object.assign(subscription, {
    status: 'active',
    billing_interval: change.interval,
    term_start: term.start,
    term_end: term.end,
    month_start: at,
    next_plan: null,
    next_interval: null,
    cancels_at_end: false,
  });
  // An account suspended while its payment was being processed stays suspended.
  const status = account.status === 'suspended' ? 'suspended' : 'active';
  Object.assign(account, {
    plan: change.plan,
    contract: change.contract,
    allowance: null,
    ends_at: null,
    anchor_at: at,
    status,
  });
  await updateAccount(client, account);
  await sql.updateSubscription(client, subscription);
}

/** Months and the term continue; usage so far stays under the old plan. */
async function raisePlan({ client, account, subscription }: Books, change: sql.PlanToApply): Promise<void> {
  const at = new Date(change.at);
  const month = monthAt(must(account.anchor_at, 'first day of billing'), at);
  await endStretch(client, account, month, at);
  const isLater = change.interval !== subscription.billing_interval;
  const next = { next_plan: isLater ? change.plan : null, next_interval: isLater ? change.interval : null };
  Object.assign(subscription, { ...next, cancels_at_end: false });
  Object.assign(account, { plan: change.plan, contract: null, ends_at: null });
  account.allowance = await allowanceOf(client, account, month);
  await updateAccount(client, account);
  await sql.updateSubscription(client, subscription);
}

async function allowanceOf(client: Books['client'], account: AccountRow, month: Stretch) {
  const { standard, avm } = await readStretches(client, account, month);
  return {
    month_start: month.start.toISOString(),
    standard: allowanceAfter(month, 'standard', standard),
    avm: allowanceAfter(month, 'avm', avm),
  };
}

export const termFrom = (at: Date, interval: Interval): Stretch => ({
  start: at,
  end: addMonths(at, interval === 'year' ? 12 : 1),
});
