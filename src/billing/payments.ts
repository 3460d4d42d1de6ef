// Collecting an invoice: charged once per attempt whatever crashes, tried again on a schedule, and what follows from the
// last refusal.
import { getAccount, lockAccount, updateAccount } from '../accounts/accounts.ts';
import { recordAudit } from '../audit/audit.ts';
import { inTransaction, type Client } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { randomId } from '../lib/ids.ts';
import { listMembers } from '../people/people.ts';
import { invoiceLetter, paymentFailedLetter } from '../people/letters.ts';
import { formatUsd } from './money.ts';
import type { ChargeOutcome, PaymentProvider, ProviderEvent } from './provider.ts';
import * as sql from './sql.ts';

const DAY_MS = 86_400_000;
/** Days after the first refusal on which a renewal is tried again; then the account is suspended. */
export const RETRY_DAYS = [1, 3, 5, 7];

export interface Collected {
  invoice: sql.InvoiceRow;
  outcome: ChargeOutcome['status'];
  reason?: string;
}

/** Charges an open invoice. The key names invoice and attempt: after a crash the same attempt is asked for, not paid twice. */
export async function collect(
  deps: Deps,
  provider: PaymentProvider,
  invoiceId: string,
): Promise<Collected | undefined> {
  const invoice = await sql.lockInvoice(deps.control, invoiceId);
  if (!invoice || invoice.status !== 'open') return undefined;
  const subscription = await sql.findSubscription(deps.control, invoice.account_id);
  if (!subscription?.card || !subscription.customer_ref) return refuse(deps, invoice, 'no_card');
  const outcome = await provider.charge({
    invoiceId: invoice.id,
    number: invoice.number,
    amountCents: invoice.total_cents,
    customerRef: subscription.customer_ref,
    card: subscription.card,
    idempotencyKey: `${invoice.id}:${invoice.attempts + 1}:${subscription.card.reference}`,
  });
  return settle(deps, invoice.id, invoice.attempts + 1, outcome);
}

function refuse(deps: Deps, invoice: sql.InvoiceRow, reason: string): Promise<Collected | undefined> {
  return settle(deps, invoice.id, invoice.attempts + 1, { status: 'declined', reference: null, reason });
}

/** Writes an outcome down once; whoever comes second, a webhook or a retry, finds it done. */
async function settle(
  deps: Deps,
  invoiceId: string,
  attempt: number,
  outcome: ChargeOutcome,
): Promise<Collected | undefined> {
  const settled = await inTransaction(deps.control, async (client) => {
    const invoice = (await sql.lockInvoice(client, invoiceId))!;
    if (invoice.status !== 'open') return undefined;
    if (outcome.status !== 'succeeded' && invoice.attempts >= attempt) return undefined;
    const now = deps.clock();
    await sql.insertPayment(client, {
      id: randomId('pay'),
      account_id: invoice.account_id,
      invoice_id: invoice.id,
      attempt,
      amount_cents: invoice.total_cents,
      status: outcome.status,
      reference: outcome.reference,
      reason: outcome.status === 'declined' ? outcome.reason : null,
      at: now,
    });
    invoice.attempts = Math.max(invoice.attempts, attempt);
    if (outcome.status === 'succeeded') await markPaid(client, invoice, now);
    else if (outcome.status === 'pending') await sql.updateInvoice(client, { ...invoice, next_attempt_at: null });
    else await markDeclined(client, invoice, now);
    return { invoice, outcome: outcome.status, ...(outcome.status === 'declined' && { reason: outcome.reason }) };
  });
  if (settled) await tell(deps, settled);
  return settled;
}

/** Paid: nothing more to try, and an account that was suspended for it works again. */
export async function markPaid(client: Client, invoice: sql.InvoiceRow, now: Date): Promise<void> {
  Object.assign(invoice, { status: 'paid', paid_at: now, next_attempt_at: null, restores: null });
  await sql.updateInvoice(client, invoice);
  if ((await sql.countOpenInvoices(client, invoice.account_id)) > 0) return;
  const account = await lockAccount(client, invoice.account_id);
  const subscription = await sql.lockSubscription(client, invoice.account_id);
  if (subscription.status !== 'past_due') return;
  await sql.updateSubscription(client, { ...subscription, status: 'active' });
  if (account.status === 'suspended') await updateAccount(client, { ...account, status: 'active' });
}

async function markDeclined(client: Client, invoice: sql.InvoiceRow, now: Date): Promise<void> {
  const account = await lockAccount(client, invoice.account_id);
  const subscription = await sql.lockSubscription(client, invoice.account_id);
  if (invoice.restores) {
    // A plan that was never paid for has not begun: back to what was before, and the invoice's number stays used.
    const { restores } = invoice;
    Object.assign(invoice, { status: 'void', next_attempt_at: null });
    await sql.updateInvoice(client, invoice);
    await giveBackCredit(client, invoice, now);
    const read = (instant: string | null) => (instant === null ? null : new Date(instant));
    const before = restores.subscription;
    await sql.updateSubscription(client, {
      ...subscription,
      ...before,
      term_start: read(before.term_start),
      term_end: read(before.term_end),
      month_start: read(before.month_start),
    });
    await updateAccount(client, { ...account, ...restores.account, anchor_at: read(restores.account.anchor_at) });
    return;
  }
  const wait = RETRY_DAYS[invoice.attempts - 1];
  const firstAt = invoice.issued_at.getTime();
  invoice.next_attempt_at =
    wait === undefined ? null : new Date(Math.max(firstAt + wait * DAY_MS, now.getTime() + DAY_MS / 2));
  await sql.updateInvoice(client, invoice);
  if (subscription.status === 'active') await sql.updateSubscription(client, { ...subscription, status: 'past_due' });
  if (wait !== undefined || account.status !== 'active') return;
  await updateAccount(client, { ...account, status: 'suspended' });
  const entry = { accountId: account.id, actor: 'system', action: 'account.suspended', target: invoice.id };
  await recordAudit(client, { ...entry, details: { reason: 'unpaid' }, at: now });
}

async function giveBackCredit(client: Client, invoice: sql.InvoiceRow, now: Date): Promise<void> {
  if (invoice.credit_cents === 0) return;
  await sql.insertCredit(client, {
    id: randomId('crd'),
    accountId: invoice.account_id,
    amountCents: invoice.credit_cents,
    reason: `Given back from ${invoice.number}`,
    invoiceId: invoice.id,
    at: now,
  });
}

/** A signed word from the provider, in any order and any number of times. */
export async function applyProviderEvent(deps: Deps, event: ProviderEvent): Promise<void> {
  const invoice = await sql.lockInvoice(deps.control, event.invoiceId);
  if (!invoice || !(await sql.claimProviderEvent(deps.control, event.id, deps.clock()))) return;
  // A refusal is known from the charge's own answer; only a success can come later by itself.
  if (event.status !== 'succeeded') return;
  await settle(deps, invoice.id, Math.max(1, invoice.attempts), { status: 'succeeded', reference: event.reference });
}

/** Letters go out after the fact is committed; one that cannot be sent changes nothing about it. */
async function tell(deps: Deps, { invoice, outcome }: Collected): Promise<void> {
  if (outcome === 'pending' || invoice.status === 'void') return;
  const account = await getAccount(deps, invoice.account_id);
  const total = formatUsd(invoice.total_cents);
  for (const member of await listMembers(deps.control, account.id)) {
    if (!['owner', 'billing'].includes(member.role)) continue;
    const letter =
      outcome === 'succeeded'
        ? invoiceLetter(member.email, deps.config.baseUrl, invoice.number, total)
        : paymentFailedLetter(
            member.email,
            deps.config.baseUrl,
            invoice.number,
            total,
            invoice.next_attempt_at === null,
          );
    await deps.mailer.send(letter).catch((error: Error) => deps.log.warn({ err: error }, 'letter not sent'));
  }
}
