// What an operator does to an account's money: contracts, credit, credit notes, transfers, suspension.
import { lockAccount, updateAccount, type AccountRow } from '../accounts/accounts.ts';
import type { Contract } from '../accounts/plans.ts';
import { recordAudit } from '../audit/audit.ts';
import { inTransaction } from '../db/postgres.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import { withBooks } from './books.ts';
import { creditNoteNumber } from './invoices.ts';
import { distribute, type Interval } from './money.ts';
import { collect, markPaid } from './payments.ts';
import { startPlan } from './plan-changes.ts';
import type { PaymentProvider } from './provider.ts';
import * as sql from './sql.ts';

/** A contract with terms of its own, from now on. */
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
