// Sending money back: a credit note for part of an invoice, refunded to the card that paid it.
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { withBooks } from './closing.ts';
import { writeCreditNote, type Correction } from './credit-notes.ts';
import type { PaymentProvider } from './providers/provider.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

/** The refund is recorded first and its id is the idempotency key, so a crash in between cannot send it twice. */
export async function refundInvoice(deps: Deps, provider: PaymentProvider, correction: Correction) {
  if (provider.name === 'manual')
    fail('invalid_state', 'Without a card processor, refund by transfer and credit the note.');
  const known = await sql.lockInvoice(deps.control, correction.invoiceId);
  if (!known) fail('resource_not_found', `There is no invoice ${correction.invoiceId}.`);
  const refund = await withBooks(deps, provider, known.account_id, async (books) => {
    const { client, account, now } = books;
    const invoice = must(await sql.lockInvoice(client, known.id), 'invoice');
    const payment = (await paymentSql.listPayments(client, invoice.id)).find(({ status }) => status === 'succeeded');
    if (!payment?.reference) fail('invalid_state', 'No card payment has been made for this invoice.');
    const sent = (await paymentSql.listRefunds(client, invoice.id))
      .filter(({ status }) => status !== 'failed')
      .reduce((sum, each) => sum + each.amount_cents, 0);
    const left = payment.amount_cents - sent;
    if (correction.amountCents > left) fail('invalid_request', `At most ${left} cents can be refunded to the card.`);
    const note = await writeCreditNote(books, invoice, correction);
    const row: paymentSql.RefundRow = {
      id: randomId('ref'),
      account_id: account.id,
      invoice_id: invoice.id,
      payment_id: payment.id,
      credit_note_id: note.id,
      amount_cents: correction.amountCents,
      status: 'started',
      reference: null,
      reason: correction.reason,
      at: now,
    };
    await paymentSql.insertRefund(client, row);
    const details = { amount_cents: row.amount_cents, reason: row.reason, credit_note: note.number };
    const entry = { accountId: account.id, actor: 'operator', action: 'billing.refunded', target: invoice.id, details };
    await recordAudit(client, { ...entry, at: now });
    return row;
  });
  return finishRefund(deps, provider, refund);
}

export async function finishRefund(
  deps: Pick<Deps, 'control' | 'clock'>,
  provider: PaymentProvider,
  refund: paymentSql.RefundRow,
): Promise<paymentSql.RefundRow> {
  const payments = await paymentSql.listPayments(deps.control, refund.invoice_id);
  const payment = payments.find(({ id }) => id === refund.payment_id)!;
  const outcome = await provider.refund({
    chargeReference: payment.reference!,
    amountCents: refund.amount_cents,
    idempotencyKey: refund.id,
  });
  const finished = { ...refund, ...outcome };
  await inTransaction(deps.control, async (client) => {
    const isNews = await paymentSql.updateRefund(client, finished);
    if (!isNews || finished.status !== 'failed') return;
    // The card cannot be refunded: the credit note remains and the customer keeps the amount as credit.
    await paymentSql.insertCredit(client, {
      accountId: refund.account_id,
      amountCents: refund.amount_cents,
      reason: 'Refund that the bank could not deliver',
      invoiceId: refund.invoice_id,
      at: deps.clock(),
    });
  });
  return finished;
}
