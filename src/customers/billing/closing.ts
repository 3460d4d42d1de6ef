// What time brings: trials that end, months and terms that close, payments and refunds that are due.
import { updateAccount } from '../accounts/accounts.ts';
import { termsOf } from '../accounts/plans.ts';
import type { Deps } from '../../base/deps.ts';
import type { Stretch } from '../../base/lib/shares.ts';
import { addMonths, monthAt, trialPeriod } from '../usage/periods.ts';
import { closeCounters } from '../usage/sql.ts';
import { readStretches } from '../usage/stretches.ts';
import { termFrom } from './apply-plan.ts';
import { withBooks, type Books } from './books.ts';
import { writeInvoice } from './invoices.ts';
import { overageLines, planLine, type Line } from './lines.ts';
import { collect } from './payments.ts';
import { sellPlan } from './plan-changes.ts';
import type { PaymentProvider } from './providers/provider.ts';
import { finishRefund } from './refunds.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';

/** Usage of the last moments has been booked by then; what comes later belongs to the next month. */
const GRACE_MS = 10 * 60_000;

/** Everything that is due: months to close, trials to turn into plans, payments to try. Running it again changes nothing. */
export async function runBilling(deps: Deps, provider: PaymentProvider): Promise<void> {
  for (const accountId of await sql.listBilled(deps.control, deps.clock())) {
    try {
      while (await closeNext(deps, provider, accountId));
    } catch (error) {
      deps.log.error({ err: error, account: accountId }, 'account not billed');
    }
  }
  for (const id of await sql.listDueInvoices(deps.control, deps.clock())) {
    await collect(deps, provider, id).catch((error: Error) =>
      deps.log.warn({ err: error, invoice: id }, 'payment not tried'),
    );
  }
  for (const refund of await paymentSql.listStartedRefunds(deps.control)) {
    await finishRefund(deps, provider, refund).catch((error: Error) =>
      deps.log.warn({ err: error, refund: refund.id }, 'refund not sent'),
    );
  }
}

/** Closes one period that is over: true if there was one, and so perhaps another. */
export async function closeNext(deps: Deps, provider: PaymentProvider, accountId: string): Promise<boolean> {
  return withBooks(deps, provider, accountId, async (books) => {
    const { client, account, subscription, now } = books;
    if (subscription.status === 'trialing') return endTrial(books);
    if (subscription.status !== 'active' && subscription.status !== 'past_due') return false;
    if (!subscription.month_start || !subscription.term_end) return false;
    const month = monthAt(account.anchor_at!, subscription.month_start);
    if (now.getTime() < month.end.getTime() + GRACE_MS) return false;
    // An upgrade whose payment is being processed belongs to this month: the outcome decides how the month is rated.
    if (await sql.lockPlanInvoice(client, account.id)) return false;
    await closeMonth(books, month);
    return true;
  });
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
  const lines = await closeUsage(books, month);
  const isTermOver = subscription.term_end! <= month.end;
  subscription.month_start = month.end;
  account.allowance = null;
  // Nobody pays for an account that is switched off: its plan ends with its term.
  if (isTermOver && (subscription.cancels_at_end || account.status === 'suspended')) {
    Object.assign(subscription, { status: 'canceled', cancels_at_end: false, month_start: null });
    account.status = 'closed';
  } else if (isTermOver) {
    const { next_plan: plan, next_interval: interval } = subscription;
    subscription.billing_interval = interval ?? subscription.billing_interval;
    if (plan && plan !== account.plan) Object.assign(account, { plan, contract: null });
    const months = subscription.billing_interval === 'year' ? 12 : 1;
    const term = {
      start: month.end,
      end: addMonths(account.anchor_at!, monthsTo(account.anchor_at!, month.end) + months),
    };
    Object.assign(subscription, { term_start: term.start, term_end: term.end, next_plan: null, next_interval: null });
    const fee = planLine(termsOf(account), subscription.billing_interval, term);
    if (fee) lines.push(fee);
  }
  await updateAccount(client, account);
  await sql.updateSubscription(client, subscription);
  const kind = subscription.status === 'canceled' ? 'final' : 'renewal';
  await writeInvoice(books, { kind, lines, period: month });
}

/** Closes the counters of a month, and says what its overage costs. */
export async function closeUsage({ client, account, now }: Books, month: Stretch): Promise<Line[]> {
  await closeCounters(client, account.id, month.start, now);
  const { standard, avm } = await readStretches(client, account, month);
  return [...overageLines(month, 'standard', standard), ...overageLines(month, 'avm', avm)];
}

/** Whole months from the anchor to the start of one of its months. */
function monthsTo(anchor: Date, start: Date): number {
  let months = 0;
  while (addMonths(anchor, months) < start) months += 1;
  return months;
}
