// Closes ended trials, months and terms. Every change to an account's money first closes what is due, so a call is
// priced by the plan in force at the time, no matter how late its month is closed.
import { updateAccount } from '../accounts/accounts.ts';
import { termsOf } from '../accounts/plans.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import type { Stretch } from '../../base/lib/shares.ts';
import { addMonths, monthAt, monthsSince, trialPeriod } from '../usage/periods.ts';
import { endStretch, readStretches } from '../usage/stretches.ts';
import { closeCounters, listLatePeriods } from '../usage/sql.ts';
import { sellPlan, termFrom } from './apply-plan.ts';
import { lockBooks, type Books } from './books.ts';
import { writeInvoice } from './invoices.ts';
import { overageLines, planLine, type Line } from './lines.ts';
import type { PaymentProvider } from './providers/provider.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

/** The worker waits this long for the last usage to be booked, so few months need a correction. */
export const GRACE_MS = 10 * 60_000;

/** One transaction on locked rows that first closes every ended period. */
export const withBooks = async <Result>(
  deps: Deps,
  provider: Pick<PaymentProvider, 'name'>,
  accountId: string,
  work: (books: Books) => Promise<Result>,
): Promise<Result> =>
  inTransaction(deps.control, async (client) => {
    const books = await lockBooks(deps, client, accountId, provider.name);
    await closeDue(books);
    return work(books);
  });

/** Closes every period that has ended. */
export async function closeDue(books: Books): Promise<void> {
  while (await closeOne(books, 0));
}

/** For the worker: closes one ended period, with a grace time. True if there was one, so there may be another. */
export const closeNext = async (deps: Deps, provider: PaymentProvider, accountId: string): Promise<boolean> =>
  inTransaction(deps.control, async (client) =>
    closeOne(await lockBooks(deps, client, accountId, provider.name), GRACE_MS),
  );

async function closeOne(books: Books, graceMs: number): Promise<boolean> {
  const { client, account, subscription, now } = books;
  if (subscription.status === 'trialing') return endTrial(books);
  if (subscription.status === 'canceled') return correctInvoices(books);
  if (subscription.status === 'none' || !subscription.month_start || !subscription.term_end) return false;
  const month = monthAt(must(account.anchor_at, 'first day of billing'), subscription.month_start);
  if (now.getTime() < month.end.getTime() + graceMs) return false;
  // An upgrade whose payment is being processed belongs to this month: the outcome decides how the month is rated.
  if (await sql.lockPlanInvoice(client, account.id)) return false;
  await closeMonth(books, month);
  return true;
}

async function endTrial(books: Books): Promise<boolean> {
  const { account, subscription, now } = books;
  if (!account.anchor_at || !subscription.next_plan) return false;
  const { end } = trialPeriod(account.anchor_at);
  if (now < end) return false;
  const { next_plan: plan, next_interval } = subscription;
  const interval = next_interval ?? 'month';
  // If the card is declined the trial is over and stays over until someone chooses a plan.
  Object.assign(subscription, { next_plan: null, next_interval: null });
  await sql.updateSubscription(books.client, subscription);
  const fee = planLine(termsOf({ plan, contract: null }), interval, termFrom(end, interval));
  const applies = { effect: 'start', plan, interval, contract: null, at: end.toISOString() } as const;
  await sellPlan(books, applies, fee ? [fee] : []);
  return true;
}

/** The month's overage, each stretch under its own plan; then, at the end of a term, the next fee, a lower plan, or the end. */
async function closeMonth(books: Books, month: Stretch): Promise<void> {
  const { client, account, subscription } = books;
  const lines = [...(await lateLines(books)), ...(await closeUsage(books, month))];
  const isTermOver = must(subscription.term_end, 'end of the term') <= month.end;
  subscription.month_start = month.end;
  account.allowance = null;
  // A suspended account is not renewed: its plan ends with its term.
  if (isTermOver && (subscription.cancels_at_end || account.status === 'suspended')) {
    Object.assign(subscription, { status: 'canceled', cancels_at_end: false, month_start: null });
    account.status = 'closed';
  } else if (isTermOver) {
    const { next_plan: plan, next_interval: interval } = subscription;
    subscription.billing_interval = interval ?? subscription.billing_interval;
    if (plan && plan !== account.plan) Object.assign(account, { plan, contract: null });
    const months = subscription.billing_interval === 'year' ? 12 : 1;
    const anchor = must(account.anchor_at, 'first day of billing');
    const term = { start: month.end, end: addMonths(anchor, monthsSince(anchor, month.end) + months) };
    Object.assign(subscription, { term_start: term.start, term_end: term.end, next_plan: null, next_interval: null });
    const fee = planLine(termsOf(account), subscription.billing_interval, term);
    if (fee) lines.push(fee);
  }
  await updateAccount(client, account);
  await sql.updateSubscription(client, subscription);
  const kind = subscription.status === 'canceled' ? 'final' : 'renewal';
  await writeInvoice(books, { kind, lines, period: month });
}

/** Closes a month's counters, freezes its plan, and returns the overage not yet invoiced. */
export async function closeUsage({ client, account, now }: Books, month: Stretch): Promise<Line[]> {
  await closeCounters(client, account.id, month, now);
  await endStretch(client, account, month, month.end);
  const { standard, avm } = await readStretches(client, account, month);
  const billed = await sql.sumBilledOverage(client, account.id, month);
  return [...overageLines(month, 'standard', standard, billed), ...overageLines(month, 'avm', avm, billed)];
}

/** Overage of closed months with usage booked after closing, such as by a running batch. */
async function lateLines(books: Books): Promise<Line[]> {
  const lines: Line[] = [];
  for (const period of await listLatePeriods(books.client, books.account.id))
    lines.push(...(await closeUsage(books, period)));
  return lines;
}

/** A plan that has ended has no next invoice, so its late usage gets a separate one. */
async function correctInvoices(books: Books): Promise<boolean> {
  const [first] = await listLatePeriods(books.client, books.account.id);
  if (!first) return false;
  await writeInvoice(books, { kind: 'correction', lines: await lateLines(books), period: first });
  return true;
}
