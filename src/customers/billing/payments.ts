// Collects an invoice. An attempt is recorded before the card is charged, so neither a crash nor a second process
// charges twice. Outcomes are tracked, retried on a schedule, and applied here.
import { DAY_MS } from '../../base/lib/clock.ts';
import { getAccount, updateAccount } from '../accounts/accounts.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { randomId } from '../../base/lib/ids.ts';
import { writeLetter } from '../people/letters.ts';
import { listMembers } from '../people/sql.ts';
import { applyPlan } from './apply-plan.ts';
import { lockBooks, type Books } from './books.ts';
import { closeDue } from './closing.ts';
import { voidInvoice } from './invoices.ts';
import { formatUsd } from './money.ts';
import type { ChargeOutcome, PaymentProvider, ProviderEvent } from './providers/provider.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

/** Days after the first decline on which a renewal is retried; then the account is suspended. */
const RETRY_DAYS = [1, 3, 5, 7];
/** Polling interval for a payment that the bank is still processing. */
const FOLLOW_UP_MS = 3_600_000;

export interface Collected {
  invoice: sql.InvoiceRow;
  outcome: ChargeOutcome['status'];
  reason?: string;
}

/** Charges an open invoice, or checks the outcome of the attempt in progress. */
export async function collect(deps: Deps, provider: PaymentProvider, invoiceId: string) {
  if (provider.name === 'manual') return undefined;
  const begun = await beginAttempt(deps, invoiceId);
  if (!begun) return undefined;
  return settle(deps, begun.payment.id, await askProvider(provider, begun));
}

interface Attempt {
  invoice: sql.InvoiceRow;
  payment: paymentSql.PaymentRow;
  customerRef: string | null;
}

const newPayment = (
  deps: Deps,
  invoice: sql.InvoiceRow,
  known: Pick<paymentSql.PaymentRow, 'attempt'> & Partial<paymentSql.PaymentRow>,
): paymentSql.PaymentRow => ({
  id: randomId('pay'),
  account_id: invoice.account_id,
  invoice_id: invoice.id,
  amount_cents: invoice.total_cents,
  status: 'started',
  reference: null,
  reason: null,
  card: null,
  at: deps.clock(),
  ...known,
});

/** The attempt in progress, or a new one on the current card. */
const beginAttempt = async (deps: Deps, invoiceId: string): Promise<Attempt | undefined> =>
  inTransaction(deps.control, async (client) => {
    const invoice = await sql.lockInvoice(client, invoiceId);
    if (!invoice || invoice.status !== 'open') return undefined;
    const subscription = await sql.findSubscription(client, invoice.account_id);
    const customerRef = subscription?.customer_ref ?? null;
    const underWay = await paymentSql.findPaymentUnderWay(client, invoice.id);
    if (underWay) return { invoice, payment: underWay, customerRef };
    const payment = newPayment(deps, invoice, { attempt: invoice.attempts + 1, card: subscription?.card ?? null });
    await paymentSql.insertPayment(client, payment);
    return { invoice, payment, customerRef };
  });

async function askProvider(
  provider: PaymentProvider,
  { invoice, payment, customerRef }: Attempt,
): Promise<ChargeOutcome> {
  if (payment.status === 'pending' && payment.reference) return provider.readCharge(payment.reference);
  if (!payment.card || !customerRef) return { status: 'declined', reference: null, reason: 'no_card' };
  return provider.charge({
    invoiceId: invoice.id,
    number: invoice.number,
    amountCents: payment.amount_cents,
    customerRef,
    card: payment.card,
    // The rest of the request is derived from the attempt, so a repeated request is identical.
    idempotencyKey: `${invoice.id}:${payment.attempt}`,
  });
}

/** Records an outcome once; a later webhook or retry finds it settled. */
async function settle(deps: Deps, paymentId: string, outcome: ChargeOutcome): Promise<Collected | undefined> {
  const settled = await inTransaction(deps.control, async (client) => {
    const found = must(await paymentSql.lockPayment(client, paymentId), 'payment');
    const books = await lockBooks(deps, client, found.account_id);
    await closeDue(books);
    const invoice = must(await sql.lockInvoice(client, found.invoice_id), 'invoice');
    // The row may have changed while waiting for the locks.
    const payment = must(await paymentSql.lockPayment(client, paymentId), 'payment');
    const isFinal = payment.status === 'succeeded' || (payment.status === 'declined' && outcome.status !== 'succeeded');
    if (isFinal) return undefined;
    await paymentSql.updatePayment(client, {
      ...payment,
      status: outcome.status,
      reference: outcome.reference ?? payment.reference,
      reason: outcome.status === 'declined' ? outcome.reason : null,
    });
    if (invoice.status !== 'open') {
      if (outcome.status === 'succeeded') await keepAsCredit(books, invoice, payment.amount_cents);
      return undefined;
    }
    invoice.attempts = Math.max(invoice.attempts, payment.attempt);
    if (outcome.status === 'succeeded') await markPaid(books, invoice);
    else if (outcome.status === 'declined') await markDeclined(books, invoice);
    else await followUp(books, invoice);
    return { invoice, outcome: outcome.status, ...(outcome.status === 'declined' && { reason: outcome.reason }) };
  });
  if (settled) await sendNotice(deps, settled);
  return settled;
}

/** A payment for an invoice that no longer needs it becomes the customer's credit. */
async function keepAsCredit({ client, now }: Books, invoice: sql.InvoiceRow, amountCents: number): Promise<void> {
  await paymentSql.insertCredit(client, {
    accountId: invoice.account_id,
    amountCents,
    reason: `Paid for ${invoice.number}, which was ${invoice.status}`,
    invoiceId: invoice.id,
    at: now,
  });
}

async function followUp({ client, now }: Books, invoice: sql.InvoiceRow): Promise<void> {
  invoice.next_attempt_at = new Date(now.getTime() + FOLLOW_UP_MS);
  await sql.updateInvoice(client, invoice);
}

/** Paid: starts the invoice's plan, and reactivates an account suspended for unpaid invoices. */
export async function markPaid(books: Books, invoice: sql.InvoiceRow): Promise<void> {
  const { client, account, subscription, now } = books;
  const { applies } = invoice;
  Object.assign(invoice, { status: 'paid', paid_at: now, next_attempt_at: null, applies: null });
  await sql.updateInvoice(client, invoice);
  if (applies) await applyPlan(books, applies);
  if ((await sql.listDebts(client, account.id, now)).length > 0) return;
  if (subscription.status === 'past_due') {
    subscription.status = 'active';
    await sql.updateSubscription(client, subscription);
  }
  if (account.status === 'suspended' && account.suspended_for === 'unpaid') {
    Object.assign(account, { status: subscription.status === 'canceled' ? 'closed' : 'active', suspended_for: null });
    await updateAccount(client, account);
  }
}

async function markDeclined(books: Books, invoice: sql.InvoiceRow): Promise<void> {
  const { client, account, subscription, now } = books;
  // A plan that was never paid for never began.
  if (invoice.applies) return voidInvoice(books, invoice);
  const wait = RETRY_DAYS[invoice.attempts - 1];
  const firstAt = invoice.issued_at.getTime();
  invoice.next_attempt_at =
    wait === undefined ? null : new Date(Math.max(firstAt + wait * DAY_MS, now.getTime() + DAY_MS / 2));
  await sql.updateInvoice(client, invoice);
  if (subscription.status === 'active') await sql.updateSubscription(client, { ...subscription, status: 'past_due' });
  if (wait !== undefined || account.status !== 'active') return;
  await updateAccount(client, { ...account, status: 'suspended', suspended_for: 'unpaid' });
  const entry = { accountId: account.id, actor: 'system', action: 'account.suspended', target: invoice.id };
  await recordAudit(client, { ...entry, details: { reason: 'unpaid' }, at: now });
}

/** Handles a signed provider message, in any order and any number of times: settling is idempotent. */
export async function applyProviderEvent(deps: Deps, event: ProviderEvent): Promise<void> {
  const isPaid = event.status === 'succeeded';
  const payment =
    (await paymentSql.findPaymentByReference(deps.control, event.reference)) ??
    (await paymentSql.findPaymentUnderWay(deps.control, event.invoiceId)) ??
    (isPaid ? await recordUnasked(deps, event) : undefined);
  if (!payment || payment.invoice_id !== event.invoiceId) return;
  const { reference } = event;
  const declined = { status: 'declined', reference, reason: event.reason ?? 'declined' } as const;
  await settle(deps, payment.id, isPaid ? { status: 'succeeded', reference } : declined);
}

/** A payment that the provider initiated, such as a bank's late approval of an earlier attempt. */
const recordUnasked = async (deps: Deps, event: ProviderEvent): Promise<paymentSql.PaymentRow | undefined> =>
  inTransaction(deps.control, async (client) => {
    const invoice = await sql.lockInvoice(client, event.invoiceId);
    const known = await paymentSql.findPaymentByReference(client, event.reference);
    if (!invoice || known) return known;
    const attempt = Math.max(1, invoice.attempts);
    const payment = newPayment(deps, invoice, { attempt, reference: event.reference });
    await paymentSql.insertPayment(client, payment);
    return payment;
  });

/** Mail goes out after the fact is committed; a failed message does not affect it. */
async function sendNotice(deps: Deps, { invoice, outcome }: Collected): Promise<void> {
  if (outcome === 'pending' || invoice.status === 'void') return;
  const account = await getAccount(deps, invoice.account_id);
  const total = formatUsd(invoice.total_cents);
  for (const member of await listMembers(deps.control, account.id)) {
    if (!['owner', 'billing'].includes(member.role)) continue;
    const failed = invoice.next_attempt_at === null ? 'suspended' : 'payment_failed';
    const name = outcome === 'succeeded' ? 'invoice' : failed;
    const letter = writeLetter(name, member.email, deps.config.baseUrl, { number: invoice.number, total });
    await deps.mailer.send(letter).catch((error: Error) => deps.log.warn({ err: error }, 'mail not sent'));
  }
}
