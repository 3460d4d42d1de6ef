// The money side of an account: card, trial, plan, months and terms, credit. Fees are charged in advance, overage when
// its month is over. Every change is one transaction on locked rows; cards are charged after it, never inside.
import { lockAccount, updateAccount, type AccountRow } from '../accounts/accounts.ts';
import { PLANS, termsOf, type Contract, type PlanId } from '../accounts/plans.ts';
import { recordAudit } from '../audit/audit.ts';
import { inTransaction, type Client } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import { addMonths, closeCounters, monthAt, trialPeriod } from '../usage/usage.ts';
import { creditNoteNumber, writeInvoice } from './invoices.ts';
import { overageLine, planLine, upgradeLines, type Line, type Stretch } from './lines.ts';
import { createManualProvider } from './manual.ts';
import { distribute, type Interval } from './money.ts';
import { collect, markPaid } from './payments.ts';
import type { CardSetup, PaymentProvider } from './provider.ts';
import * as sql from './sql.ts';
import { createStripeProvider } from './stripe.ts';

export type { InvoiceRow, PaymentRow, SubscriptionRow } from './sql.ts';
export type { PaymentProvider } from './provider.ts';
export { findInvoice, findSubscription, listInvoices, listPayments, sumCredits } from './sql.ts';
export { applyProviderEvent, collect, RETRY_DAYS } from './payments.ts';

/** Usage of the last moments has been booked by then; what comes later belongs to the next month. */
const GRACE_MS = 10 * 60_000;

/** Who does it, for the audit log. */
export interface By {
  actor: string;
  ip?: string | null;
}

export function createProvider(deps: Pick<Deps, 'config'>): PaymentProvider {
  return deps.config.stripeSecretKey ? createStripeProvider(deps.config) : createManualProvider();
}

interface Books {
  client: Client;
  account: AccountRow;
  subscription: sql.SubscriptionRow;
  now: Date;
}

/** Account and subscription, locked, made where missing. */
async function withBooks<Result>(
  deps: Deps,
  provider: PaymentProvider,
  accountId: string,
  work: (books: Books) => Promise<Result>,
): Promise<Result> {
  return inTransaction(deps.control, async (client) => {
    const account = await lockAccount(client, accountId);
    await sql.ensureSubscription(client, accountId, provider.name);
    const subscription = await sql.lockSubscription(client, accountId);
    return work({ client, account, subscription, now: deps.clock() });
  });
}

export async function beginCard(deps: Deps, provider: PaymentProvider, account: AccountRow): Promise<CardSetup> {
  return provider.setUpCard(await ensureCustomer(deps, provider, account));
}

async function ensureCustomer(deps: Deps, provider: PaymentProvider, account: AccountRow): Promise<string> {
  const known = (await sql.findSubscription(deps.control, account.id))?.customer_ref;
  if (known) return known;
  const customer_ref = await provider.createCustomer(account);
  await withBooks(deps, provider, account.id, ({ client, subscription }) =>
    sql.updateSubscription(client, { ...subscription, customer_ref }),
  );
  return customer_ref;
}

/** A card on file. It starts the trial where one is waiting, unless the card has had one; open invoices are tried with it. */
export async function addCard(
  deps: Deps,
  provider: PaymentProvider,
  account: AccountRow,
  token: string,
  by: By,
): Promise<{ startedTrial: boolean }> {
  const customer = await ensureCustomer(deps, provider, account);
  const card = await provider.readCard(customer, token);
  const startedTrial = await withBooks(deps, provider, account.id, async (books) => {
    const { client, subscription, now } = books;
    const isWaiting = books.account.plan === 'trial' && books.account.anchor_at === null;
    const isFirst = isWaiting && (await sql.claimTrialCard(client, card.fingerprint, account.id, now)) === account.id;
    const trial = isFirst ? ({ status: 'trialing', trial_started_at: now } as const) : {};
    await sql.updateSubscription(client, { ...subscription, card, ...trial });
    if (isFirst) await updateAccount(client, { ...books.account, anchor_at: now });
    const details = { brand: card.brand, last_four: card.last_four, started_trial: isFirst };
    await recordAudit(client, { accountId: account.id, ...by, action: 'billing.card_added', details, at: now });
    if (isWaiting && !isFirst) return undefined;
    return isFirst;
  });
  if (startedTrial === undefined) {
    fail('trial_unavailable', 'This card has had its trial. It is on file: choose a plan to begin.');
  }
  await collectOpen(deps, provider, account.id);
  return { startedTrial };
}

async function collectOpen(deps: Deps, provider: PaymentProvider, accountId: string): Promise<void> {
  const invoices = await sql.listInvoices(deps.control, accountId, undefined, 100);
  for (const { id, status, attempts } of invoices)
    if (status === 'open' && attempts > 0) await collect(deps, provider, id);
}

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
async function startPlan(
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

/** An operator's act: a contract with terms of its own, from now on. */
export async function createContract(
  deps: Deps,
  provider: PaymentProvider,
  accountId: string,
  contract: Contract,
  interval: Interval,
): Promise<sql.InvoiceRow | undefined> {
  const invoice = await withBooks(deps, provider, accountId, async (books) => {
    const { client, now } = books;
    const details = { contract, interval };
    await recordAudit(client, { accountId, actor: 'operator', action: 'billing.contract_made', details, at: now });
    return startPlan(books, 'enterprise', interval, now, contract);
  });
  if (invoice?.status === 'open' && provider.name === 'stripe') await collect(deps, provider, invoice.id);
  return invoice;
}

export async function grantCredit(
  deps: Deps,
  provider: PaymentProvider,
  accountId: string,
  amountCents: number,
  reason: string,
): Promise<number> {
  return withBooks(deps, provider, accountId, async ({ client, now }) => {
    await sql.insertCredit(client, { id: randomId('crd'), accountId, amountCents, reason, invoiceId: null, at: now });
    const details = { amount_cents: amountCents, reason };
    await recordAudit(client, { accountId, actor: 'operator', action: 'billing.credit_granted', details, at: now });
    return sql.sumCredits(client, accountId);
  });
}

/** Corrects an invoice: so much of it, spread over its lines to the cent, becomes credit of the account. */
export async function creditInvoice(
  deps: Deps,
  provider: PaymentProvider,
  invoiceId: string,
  amountCents: number,
  reason: string,
): Promise<sql.CreditNoteRow> {
  const known = await sql.lockInvoice(deps.control, invoiceId);
  if (!known) fail('resource_not_found', `There is no invoice ${invoiceId}.`);
  return withBooks(deps, provider, known.account_id, async ({ client, account, subscription, now }) => {
    const invoice = (await sql.lockInvoice(client, known.id))!;
    const left = invoice.subtotal_cents - (await sql.sumCreditNotes(client, invoice.id));
    if (invoice.status === 'void') fail('invalid_state', 'The invoice is void.');
    if (amountCents < 1 || amountCents > left) fail('invalid_request', `Between 1 and ${left} cents can be credited.`);
    const charged = invoice.lines.filter((line) => line.amount_cents > 0);
    const shares = distribute(
      amountCents,
      charged.map((line) => line.amount_cents),
    );
    subscription.credit_note_count += 1;
    const note: sql.CreditNoteRow = {
      id: randomId('cn'),
      account_id: account.id,
      invoice_id: invoice.id,
      number: creditNoteNumber(account, subscription.credit_note_count),
      issued_at: now,
      reason,
      lines: charged.map((line, n) => ({ description: line.description, amount_cents: shares[n] })),
      total_cents: amountCents,
    };
    await sql.updateSubscription(client, subscription);
    await sql.insertCreditNote(client, note);
    const entry = { accountId: account.id, amountCents, reason: note.number, invoiceId: invoice.id, at: now };
    await sql.insertCredit(client, { id: randomId('crd'), ...entry });
    return note;
  });
}

/** An operator's word that a transfer has arrived. */
export async function markInvoicePaid(deps: Deps, invoiceId: string): Promise<sql.InvoiceRow> {
  return inTransaction(deps.control, async (client) => {
    const invoice =
      (await sql.lockInvoice(client, invoiceId)) ?? fail('resource_not_found', `There is no invoice ${invoiceId}.`);
    if (invoice.status === 'paid') return invoice;
    if (invoice.status !== 'open') fail('invalid_state', `The invoice is ${invoice.status}.`);
    const now = deps.clock();
    await markPaid(client, invoice, now);
    const entry = {
      accountId: invoice.account_id,
      actor: 'operator',
      action: 'billing.invoice_paid',
      target: invoice.id,
    };
    await recordAudit(client, { ...entry, at: now });
    return invoice;
  });
}

export async function setStatus(
  deps: Deps,
  accountId: string,
  status: AccountRow['status'],
  reason: string,
): Promise<void> {
  await inTransaction(deps.control, async (client) => {
    const account = await lockAccount(client, accountId);
    await updateAccount(client, { ...account, status });
    const entry = { accountId, actor: 'operator', action: `account.${status}`, details: { reason } };
    await recordAudit(client, { ...entry, at: deps.clock() });
  });
}

export const SOLD_PLANS = (Object.keys(PLANS) as PlanId[]).filter((id) => id !== 'trial' && id !== 'enterprise');
