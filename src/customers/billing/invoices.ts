// Writes an invoice: gapless number, tax added, credit applied, finalized and announced in one transaction.
import { modeOfBooks } from '../accounts/clock-sql.ts';
import { recordEvent } from '../../base/events/events.ts';
import { DAY_MS } from '../../base/lib/clock.ts';
import { randomId } from '../../base/lib/ids.ts';
import type { Stretch } from '../../base/lib/shares.ts';
import type { Books } from './books.ts';
import { creditLine, sumOf, taxLine, type Line } from './lines.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';

const TRANSFER_DAYS = 30;

export interface NewInvoice {
  kind: sql.InvoiceRow['kind'];
  lines: Line[];
  period: Stretch;
  /** The plan change that its payment applies. */
  applies?: sql.PlanToApply | null;
}

/** Nothing to charge makes no invoice. The books are locked: their count gives the number. */
export async function writeInvoice({ client, account, subscription, now }: Books, what: NewInvoice) {
  if (what.lines.length === 0) return undefined;
  const charges = sumOf(what.lines);
  const subtotal = Math.max(0, charges);
  const billTo = await sql.findBillingDetails(client, account.id);
  const rate = billTo && (await sql.findTaxRate(client, billTo));
  const tax = rate && taxLine(rate.name, rate.rate_ppm, subtotal, now);
  const taxCents = tax?.amount_cents ?? 0;
  const balance = await paymentSql.sumCredits(client, account.id);
  const credit = Math.max(0, Math.min(balance, subtotal + taxCents));
  const id = randomId('inv');
  subscription.invoice_count += 1;
  const total = subtotal + taxCents - credit;
  const isTransfer = subscription.provider === 'manual';
  const invoice: sql.InvoiceRow = {
    id,
    account_id: account.id,
    number: `${numberPrefix(account.id)}-${String(subscription.invoice_count).padStart(4, '0')}`,
    kind: what.kind,
    status: total === 0 ? 'paid' : 'open',
    period_start: what.period.start,
    period_end: what.period.end,
    issued_at: now,
    due_at: isTransfer ? new Date(now.getTime() + TRANSFER_DAYS * DAY_MS) : now,
    lines: [...what.lines, ...(tax ? [tax] : []), ...(credit > 0 ? [creditLine(credit, now)] : [])],
    subtotal_cents: subtotal,
    tax_cents: taxCents,
    credit_cents: credit,
    total_cents: total,
    bill_to: billTo ?? null,
    applies: what.applies ?? null,
    paid_at: total === 0 ? now : null,
    attempts: 0,
    next_attempt_at: total === 0 || isTransfer ? null : now,
  };
  await sql.insertInvoice(client, invoice);
  await sql.updateSubscription(client, subscription);
  const entry = { accountId: account.id, invoiceId: id, at: now };
  if (credit > 0) {
    const reason = `Applied to ${invoice.number}`;
    await paymentSql.insertCredit(client, { ...entry, amountCents: -credit, reason });
  }
  // A change that refunds more than it costs leaves credit for the next invoice.
  if (charges < 0) {
    const reason = `Left over from ${invoice.number}`;
    await paymentSql.insertCredit(client, { ...entry, amountCents: -charges, reason });
  }
  await recordEvent(client, {
    accountId: account.id,
    mode: modeOfBooks(account),
    type: 'invoice.finalized',
    data: { invoice_id: id, number: invoice.number, total_cents: total },
    sourceKey: `invoice:${id}`,
    occurredAt: now,
  });
  return invoice;
}

/** Voids an invoice. Its number stays used, and the credit it used is returned. */
export async function voidInvoice({ client, now }: Pick<Books, 'client' | 'now'>, invoice: sql.InvoiceRow) {
  Object.assign(invoice, { status: 'void', next_attempt_at: null });
  await sql.updateInvoice(client, invoice);
  if (invoice.credit_cents === 0) return;
  await paymentSql.insertCredit(client, {
    accountId: invoice.account_id,
    amountCents: invoice.credit_cents,
    reason: `Returned from ${invoice.number}`,
    invoiceId: invoice.id,
    at: now,
  });
}

export const creditNoteNumber = (accountId: string, count: number): string =>
  `${numberPrefix(accountId)}-CN${String(count).padStart(3, '0')}`;

const numberPrefix = (accountId: string): string => `PB-${accountId.slice(-8).toUpperCase()}`;
