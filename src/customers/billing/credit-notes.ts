// Correcting an invoice, which itself never changes: a credit note for part of it, spread over its lines to the cent.
import { recordAudit } from '../../base/audit/audit.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { distribute } from '../../base/lib/shares.ts';
import type { Books } from './books.ts';
import { withBooks } from './closing.ts';
import { creditNoteNumber } from './invoices.ts';
import type { PaymentProvider } from './providers/provider.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

export interface Correction {
  /** Id or number. */
  invoiceId: string;
  amountCents: number;
  reason: string;
}

/** The amount becomes credit of the account, for its next invoices. */
export async function creditInvoice(deps: Deps, provider: PaymentProvider, correction: Correction) {
  const known = await sql.lockInvoice(deps.control, correction.invoiceId);
  if (!known) fail('resource_not_found', `There is no invoice ${correction.invoiceId}.`);
  return withBooks(deps, provider, known.account_id, async (books) => {
    const { client, account, now } = books;
    const note = await writeCreditNote(books, must(await sql.lockInvoice(client, known.id), 'invoice'), correction);
    const entry = { accountId: account.id, invoiceId: known.id, at: now };
    const credit = { amountCents: note.total_cents, reason: note.number };
    await paymentSql.insertCredit(client, { ...entry, ...credit });
    const details = { amount_cents: note.total_cents, reason: note.reason, credit_note: note.number };
    const action = { accountId: account.id, actor: 'operator', action: 'billing.credit_note_issued', target: known.id };
    await recordAudit(client, { ...action, details, at: now });
    return note;
  });
}

export async function writeCreditNote(
  { client, account, subscription, now }: Books,
  invoice: sql.InvoiceRow,
  { amountCents, reason }: Correction,
): Promise<paymentSql.CreditNoteRow> {
  if (invoice.status === 'void') fail('invalid_state', 'The invoice is void.');
  // If its payment is declined the invoice is voided, and the note would grant unearned credit.
  if (invoice.applies) fail('invalid_state', 'The plan of this invoice has not been paid yet. Credit it once it is.');
  const left = invoice.subtotal_cents + invoice.tax_cents - (await paymentSql.sumCreditNotes(client, invoice.id));
  if (amountCents < 1 || amountCents > left) fail('invalid_request', `Between 1 and ${left} cents can be credited.`);
  const charged = invoice.lines.filter((line) => line.amount_cents > 0);
  const amounts = charged.map((line) => line.amount_cents);
  const shares = distribute(amountCents, amounts);
  subscription.credit_note_count += 1;
  const note: paymentSql.CreditNoteRow = {
    id: randomId('cn'),
    account_id: account.id,
    invoice_id: invoice.id,
    number: creditNoteNumber(account.id, subscription.credit_note_count),
    issued_at: now,
    reason,
    lines: charged.map((line, n) => ({ description: line.description, amount_cents: shares[n] })),
    total_cents: amountCents,
  };
  await sql.updateSubscription(client, subscription);
  await paymentSql.insertCreditNote(client, note);
  return note;
}
