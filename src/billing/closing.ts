// What time brings: trials that end, months and terms that close, payments that are due.
import { updateAccount } from '../accounts/accounts.ts';
import { termsOf } from '../accounts/plans.ts';
import type { Deps } from '../deps.ts';
import { closeCounters } from '../usage/usage.ts';
import { addMonths, monthAt, trialPeriod } from '../usage/periods.ts';
import { withBooks, type Books } from './books.ts';
import { writeInvoice } from './invoices.ts';
import { overageLine, planLine, type Stretch } from './lines.ts';
import { collect } from './payments.ts';
import { startPlan } from './plan-changes.ts';
import type { PaymentProvider } from './provider.ts';
import * as sql from './sql.ts';

/** Usage of the last moments has been booked by then; what comes later belongs to the next month. */
const GRACE_MS = 10 * 60_000;

/** Everything that is due: months to close, trials to turn into plans, payments to try. Running it again changes nothing. */
export async function runBilling(deps: Deps, provider: PaymentProvider): Promise<void> {
  for (const accountId of await sql.listBilled(deps.control, deps.clock())) {
    try {
      while (await closeNext(deps, provider, accountId));
    } catch (error) {
      deps.log.error({ err: error, account: accountId }, 'an account could not be billed');
    }
  }
  for (const id of await sql.listDueInvoices(deps.control, deps.clock())) {
    await collect(deps, provider, id).catch((error: Error) =>
      deps.log.warn({ err: error, invoice: id }, 'a payment could not be tried'),
    );
  }
}

/** One step of what is over: true if there was one, and so perhaps another. */
export async function closeNext(deps: Deps, provider: PaymentProvider, accountId: string): Promise<boolean> {
  return withBooks(deps, provider, accountId, async (books) => {
    const { account, subscription, now } = books;
    if (subscription.status === 'trialing') return endTrial(books);
    if (subscription.status !== 'active' && subscription.status !== 'past_due') return false;
    if (!subscription.month_start || !subscription.term_end) return false;
    const month = monthAt(account.anchor_at!, subscription.month_start);
    if (now.getTime() < month.end.getTime() + GRACE_MS) return false;
    await closeMonth(books, month);
    return true;
  });
}

async function endTrial(books: Books): Promise<boolean> {
  const { account, subscription, now } = books;
  if (!account.anchor_at || !subscription.next_plan) return false;
  const { end } = trialPeriod(account.anchor_at);
  if (now < end) return false;
  const { next_plan: plan, next_interval: interval } = subscription;
  // If the card is declined the trial is over and stays so, until someone chooses again.
  Object.assign(subscription, { next_plan: null, next_interval: null });
  await startPlan(books, plan, interval ?? 'month', end);
  return true;
}

/** Overage of the month at the plan it ended with; then, at the end of a term, the next fee, a lower plan, or the end. */
async function closeMonth(books: Books, month: Stretch): Promise<void> {
  const { client, account, subscription, now } = books;
  const terms = termsOf(account);
  const counters = await closeCounters(client, account.id, month.start, now);
  const used = (meter: 'standard' | 'avm') => counters.find((row) => row.meter === meter)?.used ?? 0;
  const lines = [
    overageLine(terms, 'standard', used('standard'), month),
    overageLine(terms, 'avm', used('avm'), month),
  ].filter((line) => line !== undefined);

  const isTermOver = subscription.term_end! <= month.end;
  subscription.month_start = month.end;
  let next = account;
  // Nobody pays for an account that is switched off: its plan ends with its term.
  if (isTermOver && (subscription.cancels_at_end || account.status === 'suspended')) {
    Object.assign(subscription, { status: 'canceled', cancels_at_end: false, month_start: null });
    next = { ...account, status: 'closed' };
  } else if (isTermOver) {
    const { next_plan: plan, next_interval: interval } = subscription;
    subscription.billing_interval = interval ?? subscription.billing_interval;
    if (plan && plan !== account.plan) next = { ...account, plan, contract: null };
    const months = subscription.billing_interval === 'year' ? 12 : 1;
    const term = {
      start: month.end,
      end: addMonths(account.anchor_at!, monthsTo(account.anchor_at!, month.end) + months),
    };
    Object.assign(subscription, { term_start: term.start, term_end: term.end, next_plan: null, next_interval: null });
    const fee = planLine(termsOf(next), subscription.billing_interval, term);
    if (fee) lines.push(fee);
  }
  if (next !== account) await updateAccount(client, next);
  await sql.updateSubscription(client, subscription);
  const kind = subscription.status === 'canceled' ? 'final' : 'renewal';
  await writeInvoice(client, next, subscription, { kind, lines, period: month }, now);
}

/** Whole months from the anchor to the start of one of its months. */
function monthsTo(anchor: Date, start: Date): number {
  let months = 0;
  while (addMonths(anchor, months) < start) months += 1;
  return months;
}
