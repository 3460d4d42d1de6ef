// Choosing, raising, lowering, canceling and resuming a plan. A plan takes effect when its invoice is paid, and cards are
// charged after the transaction, never inside it.
import { updateAccount } from '../accounts/accounts.ts';
import { termsOf, type PlanId } from '../accounts/plans.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { type AccountRow } from '../accounts/sql.ts';
import { trialPeriod } from '../usage/periods.ts';
import { sellPlan, termFrom } from './apply-plan.ts';
import type { Books, By } from './books.ts';
import { closeDue, withBooks } from './closing.ts';
import { voidInvoice } from './invoices.ts';
import { planLine, upgradeLines, type Line } from './lines.ts';
import type { Interval } from './money.ts';
import { collect } from './payments.ts';
import type { PaymentProvider } from './providers/provider.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';

export type PlanChange =
  /** `processing`: begins when the bank has confirmed the payment. */
  | { effect: 'started' | 'upgraded' | 'processing'; lines: Line[]; at: Date }
  | { effect: 'scheduled'; lines: []; at: Date }
  | { effect: 'unchanged'; lines: []; at: Date };

export interface PlanChoice {
  accountId: string;
  plan: PlanId;
  interval: Interval;
  by: By;
}

/** The effect of choosing a plan now: start it, upgrade immediately, or schedule it for the end of the term. Pure. */
export function planChange(
  account: AccountRow,
  subscription: sql.SubscriptionRow | undefined,
  { plan, interval }: Pick<PlanChoice, 'plan' | 'interval'>,
  now: Date,
): PlanChange {
  const after = termsOf({ plan, contract: null });
  const isRunning = subscription?.status === 'active' || subscription?.status === 'past_due';
  if (!isRunning || !subscription.term_start || !subscription.term_end) {
    const fee = planLine(after, interval, termFrom(now, interval));
    return { effect: 'started', lines: fee ? [fee] : [], at: now };
  }
  const before = termsOf(account);
  const term = { start: subscription.term_start, end: subscription.term_end };
  const isUp = (after.priceCentsPerMonth ?? 0) > (before.priceCentsPerMonth ?? 0);
  if (isUp && now < term.end) {
    const lines = upgradeLines({ before, after, interval: subscription.billing_interval, term, at: now });
    return { effect: 'upgraded', lines, at: now };
  }
  if (plan === account.plan && interval === subscription.billing_interval)
    return { effect: 'unchanged', lines: [], at: now };
  return { effect: 'scheduled', lines: [], at: term.end };
}

/** A new or higher plan is charged now and begins when it is paid; if the card is declined nothing has changed. */
export async function choosePlan(deps: Deps, provider: PaymentProvider, choice: PlanChoice): Promise<PlanChange> {
  const { accountId, plan, interval, by } = choice;
  if (plan === 'trial') fail('invalid_request', 'A trial cannot be chosen a second time.');
  if (plan === 'enterprise') fail('invalid_request', 'Enterprise plans are by contract. Contact us to set one up.');
  const { change, invoice } = await withBooks(deps, provider, accountId, async (books) => {
    const { client, account, subscription, now } = books;
    if (!subscription.card) fail('payment_required', 'Add a card first.');
    await requireGoodStanding(books);
    if (account.plan === 'enterprise' && subscription.status === 'active') {
      fail('invalid_state', 'This account has a contract. Contact us to change it.');
    }
    const change = planChange(account, subscription, choice, now);
    const details = { plan, interval, effect: change.effect };
    await recordAudit(client, { accountId, ...by, action: 'billing.plan_chosen', details, at: now });
    if (change.effect === 'started' || change.effect === 'upgraded') {
      const effect = change.effect === 'started' ? 'start' : 'upgrade';
      const applies = { effect, plan, interval, contract: null, at: now.toISOString() } as const;
      return { change, invoice: await sellPlan(books, applies, change.lines) };
    }
    const isLater = change.effect === 'scheduled';
    const next = { next_plan: isLater ? plan : null, next_interval: isLater ? interval : null };
    await sql.updateSubscription(client, { ...subscription, ...next, cancels_at_end: false });
    await updateAccount(client, { ...account, ends_at: null });
    return { change, invoice: undefined };
  });
  if (invoice?.status !== 'open' || provider.name === 'manual') return change;
  const collected = await collect(deps, provider, invoice.id);
  if (collected?.outcome === 'declined')
    fail('card_declined', `The card was declined (${collected.reason}). Nothing has changed; try another card.`);
  return collected?.outcome === 'pending' ? { effect: 'processing', lines: change.lines, at: change.at } : change;
}

/** An account that owes money, is suspended, or has a payment under way settles that before changing plans. */
async function requireGoodStanding(books: Books): Promise<void> {
  const { client, account, now } = books;
  if (account.status === 'suspended' && account.suspended_for !== 'unpaid')
    fail('invalid_state', 'This account is suspended. Contact us to have it reviewed.');
  const [debt] = await sql.listDebts(client, account.id, now);
  if (debt) fail('payment_required', `Pay invoice ${debt.number} before choosing a plan.`);
  await dropWaitingPlan(books);
}

/** Voids the invoice of a plan that has not been paid, and closes the months that waited for its outcome. */
export async function dropWaitingPlan(books: Books): Promise<void> {
  const waiting = await sql.lockPlanInvoice(books.client, books.account.id);
  if (!waiting) return;
  if (await paymentSql.findPaymentUnderWay(books.client, waiting.id))
    fail('invalid_state', `The payment of invoice ${waiting.number} is still being processed. Try again later.`);
  await voidInvoice(books, waiting);
  await closeDue(books);
}

/** The plan to begin when the trial is over. */
export const choosePlanAfterTrial = async (
  deps: Deps,
  provider: PaymentProvider,
  { accountId, plan, interval, by }: PlanChoice,
): Promise<PlanChange> =>
  withBooks(deps, provider, accountId, async ({ client, account, subscription, now }) => {
    if (subscription.status !== 'trialing' || !account.anchor_at) fail('invalid_state', 'No trial is running.');
    await sql.updateSubscription(client, { ...subscription, next_plan: plan, next_interval: interval });
    const details = { plan, interval, effect: 'scheduled' };
    await recordAudit(client, { accountId, ...by, action: 'billing.plan_chosen', details, at: now });
    return { effect: 'scheduled', lines: [], at: trialPeriod(account.anchor_at).end };
  });

export const cancelPlan = async (deps: Deps, provider: PaymentProvider, accountId: string, by: By) =>
  withBooks(deps, provider, accountId, async ({ client, account, subscription, now }) => {
    const isTrial = subscription.status === 'trialing';
    if (!isTrial && subscription.status !== 'active' && subscription.status !== 'past_due') {
      fail('invalid_state', 'There is no plan to cancel.');
    }
    const next = { next_plan: null, next_interval: null, cancels_at_end: !isTrial };
    await sql.updateSubscription(client, { ...subscription, ...next });
    await updateAccount(client, { ...account, ends_at: isTrial ? null : subscription.term_end });
    await recordAudit(client, { accountId, ...by, action: 'billing.canceled', at: now });
    return subscription.term_end;
  });

/** Undoes a cancellation or a scheduled change that has not happened yet. */
export async function resumePlan(deps: Deps, provider: PaymentProvider, accountId: string, by: By): Promise<void> {
  await withBooks(deps, provider, accountId, async ({ client, account, subscription, now }) => {
    const next = { next_plan: null, next_interval: null, cancels_at_end: false };
    await sql.updateSubscription(client, { ...subscription, ...next });
    await updateAccount(client, { ...account, ends_at: null });
    await recordAudit(client, { accountId, ...by, action: 'billing.resumed', at: now });
  });
}
