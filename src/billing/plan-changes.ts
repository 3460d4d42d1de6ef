// Choosing, raising, lowering, canceling and resuming a plan. What is charged now is charged after the transaction.
import { updateAccount, type AccountRow } from '../accounts/accounts.ts';
import { termsOf, type Contract, type PlanId } from '../accounts/plans.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../lib/errors.ts';
import { addMonths, trialPeriod } from '../usage/periods.ts';
import { withBooks, type Books, type By } from './books.ts';
import { writeInvoice } from './invoices.ts';
import { planLine, upgradeLines, type Line, type Stretch } from './lines.ts';
import type { Interval } from './money.ts';
import { collect } from './payments.ts';
import type { PaymentProvider } from './provider.ts';
import * as sql from './sql.ts';

export type PlanChange =
  | { effect: 'started' | 'upgraded'; lines: Line[]; at: Date }
  | { effect: 'scheduled'; lines: []; at: Date }
  | { effect: 'unchanged'; lines: []; at: Date };

/** What choosing a plan would do now: start it, raise it at once, or set it for the end of the term. Pure. */
export function planChange(
  account: AccountRow,
  subscription: sql.SubscriptionRow | undefined,
  plan: PlanId,
  interval: Interval,
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
    return {
      effect: 'upgraded',
      lines: upgradeLines(before, after, subscription.billing_interval, term, now),
      at: now,
    };
  }
  if (plan === account.plan && interval === subscription.billing_interval)
    return { effect: 'unchanged', lines: [], at: now };
  return { effect: 'scheduled', lines: [], at: term.end };
}

/** A plan begins or rises at once and is charged now; if the card is declined nothing has changed. A lower one waits. */
export async function choosePlan(
  deps: Deps,
  provider: PaymentProvider,
  accountId: string,
  plan: PlanId,
  interval: Interval,
  by: By,
): Promise<PlanChange> {
  if (plan === 'trial' || plan === 'enterprise') {
    fail(
      'invalid_request',
      plan === 'trial' ? 'A trial cannot be chosen twice.' : 'Enterprise is by contract: write to us.',
    );
  }
  const { change, invoice } = await withBooks(deps, provider, accountId, async (books) => {
    const { client, account, subscription, now } = books;
    if (!subscription.card) fail('payment_required', 'Put a card on file first.');
    if (account.plan === 'enterprise' && subscription.status === 'active') {
      fail('invalid_state', 'The account has a contract. Write to us to change it.');
    }
    const change = planChange(account, subscription, plan, interval, now);
    const details = { plan, interval, effect: change.effect };
    await recordAudit(client, { accountId, ...by, action: 'billing.plan_chosen', details, at: now });
    if (change.effect === 'started') return { change, invoice: await startPlan(books, plan, interval, now) };
    if (change.effect === 'upgraded') return { change, invoice: await raisePlan(books, plan, interval, change.lines) };
    const next =
      change.effect === 'scheduled'
        ? { next_plan: plan, next_interval: interval }
        : { next_plan: null, next_interval: null };
    await sql.updateSubscription(client, { ...subscription, ...next, cancels_at_end: false });
    return { change, invoice: undefined };
  });
  await collectNow(deps, provider, invoice);
  return change;
}

async function collectNow(deps: Deps, provider: PaymentProvider, invoice: sql.InvoiceRow | undefined): Promise<void> {
  if (!invoice || invoice.status !== 'open') return;
  const collected = await collect(deps, provider, invoice.id);
  if (collected?.outcome === 'declined') {
    fail('card_declined', `The card was declined (${collected.reason}). Nothing was changed; try another card.`);
  }
}

/** The plan to begin when the trial is over. */
export async function choosePlanAfterTrial(
  deps: Deps,
  provider: PaymentProvider,
  accountId: string,
  plan: PlanId,
  interval: Interval,
  by: By,
): Promise<PlanChange> {
  return withBooks(deps, provider, accountId, async ({ client, account, subscription, now }) => {
    if (subscription.status !== 'trialing' || !account.anchor_at) fail('invalid_state', 'There is no running trial.');
    await sql.updateSubscription(client, { ...subscription, next_plan: plan, next_interval: interval });
    const details = { plan, interval, effect: 'scheduled' };
    await recordAudit(client, { accountId, ...by, action: 'billing.plan_chosen', details, at: now });
    return { effect: 'scheduled', lines: [], at: trialPeriod(account.anchor_at).end };
  });
}

/** From nothing, a trial or a canceled plan: months and term count from `at`. */
export async function startPlan(
  { client, account, subscription, now }: Books,
  plan: PlanId,
  interval: Interval,
  at: Date,
  contract: Contract | null = null,
): Promise<sql.InvoiceRow | undefined> {
  const restores = contract ? null : snapshot(account, subscription);
  const term = termFrom(at, interval);
  Object.assign(subscription, {
    status: 'active',
    billing_interval: interval,
    term_start: term.start,
    term_end: term.end,
    month_start: at,
    next_plan: null,
    next_interval: null,
    cancels_at_end: false,
  });
  const started: AccountRow = { ...account, plan, contract, status: 'active', anchor_at: at };
  await updateAccount(client, started);
  await sql.updateSubscription(client, subscription);
  const fee = planLine(termsOf(started), interval, term);
  return writeInvoice(
    client,
    started,
    subscription,
    { kind: 'start', lines: fee ? [fee] : [], period: term, restores },
    now,
  );
}

/** The months and the term go on; what was used counts against the new, larger allowance. */
async function raisePlan(
  { client, account, subscription, now }: Books,
  plan: PlanId,
  interval: Interval,
  lines: Line[],
): Promise<sql.InvoiceRow | undefined> {
  const restores = snapshot(account, subscription);
  const next = interval === subscription.billing_interval ? {} : { next_plan: plan, next_interval: interval };
  Object.assign(subscription, { next_plan: null, next_interval: null, ...next, cancels_at_end: false });
  const raised = { ...account, plan, contract: null };
  await updateAccount(client, raised);
  await sql.updateSubscription(client, subscription);
  const period = { start: now, end: subscription.term_end! };
  return writeInvoice(client, raised, subscription, { kind: 'upgrade', lines, period, restores }, now);
}

function snapshot(account: AccountRow, subscription: sql.SubscriptionRow): sql.Restores {
  const iso = (instant: Date | null) => instant?.toISOString() ?? null;
  const { status, billing_interval, next_plan, next_interval, cancels_at_end } = subscription;
  return {
    account: { plan: account.plan, status: account.status, anchor_at: iso(account.anchor_at) },
    subscription: {
      status,
      billing_interval,
      next_plan,
      next_interval,
      cancels_at_end,
      term_start: iso(subscription.term_start),
      term_end: iso(subscription.term_end),
      month_start: iso(subscription.month_start),
    },
  };
}

function termFrom(at: Date, interval: Interval): Stretch {
  return { start: at, end: addMonths(at, interval === 'year' ? 12 : 1) };
}

export async function cancelPlan(
  deps: Deps,
  provider: PaymentProvider,
  accountId: string,
  by: By,
): Promise<Date | null> {
  return withBooks(deps, provider, accountId, async ({ client, subscription, now }) => {
    const isTrial = subscription.status === 'trialing';
    if (!isTrial && subscription.status !== 'active' && subscription.status !== 'past_due') {
      fail('invalid_state', 'There is no plan to cancel.');
    }
    const next = { next_plan: null, next_interval: null, cancels_at_end: !isTrial };
    await sql.updateSubscription(client, { ...subscription, ...next });
    await recordAudit(client, { accountId, ...by, action: 'billing.canceled', at: now });
    return subscription.term_end;
  });
}

/** Takes back a cancellation or a change that has not happened yet. */
export async function resumePlan(deps: Deps, provider: PaymentProvider, accountId: string, by: By): Promise<void> {
  await withBooks(deps, provider, accountId, async ({ client, subscription, now }) => {
    await sql.updateSubscription(client, {
      ...subscription,
      next_plan: null,
      next_interval: null,
      cancels_at_end: false,
    });
    await recordAudit(client, { accountId, ...by, action: 'billing.resumed', at: now });
  });
}
