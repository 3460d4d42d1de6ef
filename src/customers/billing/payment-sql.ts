// Queries of the money that moved: payments, refunds, credits and credit notes.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRow, changeRows, findRow, getValue, listRows, raw } from '../../base/db/statements.ts';
import { isScheduledFor } from '../accounts/clock-sql.ts';
import type { Card } from './providers/provider.ts';
import { insertRows } from '../../base/db/rows.ts';
import { randomId } from '../../base/lib/ids.ts';

export interface PaymentRow {
  id: string;
  account_id: string;
  invoice_id: string;
  attempt: number;
  amount_cents: number;
  /** `started`: about to be charged, or charged by a process that died before it got the outcome. */
  status: 'started' | 'pending' | 'succeeded' | 'declined';
  reference: string | null;
  reason: string | null;
  /** The card the attempt is made on; null where there was none. */
  card: Card | null;
  at: Date;
}

const PAYMENT_COLUMNS = 'id, account_id, invoice_id, attempt, amount_cents, status, reference, reason, card, at';

export const insertPayment = (db: Queryable, payment: PaymentRow) => insertRows(db, 'payments', [payment]);

/** The attempt whose outcome is not known yet; there is at most one. */
export const findPaymentUnderWay = (db: Queryable, invoiceId: string) =>
  findRow<PaymentRow>(db)`
    select ${raw(PAYMENT_COLUMNS)} from payments where invoice_id = ${invoiceId} and status in ('started', 'pending')`;

export const lockPayment = (db: Queryable, id: string) =>
  findRow<PaymentRow>(db)`select ${raw(PAYMENT_COLUMNS)} from payments where id = ${id} for update`;

export const findPaymentByReference = (db: Queryable, reference: string) =>
  findRow<PaymentRow>(db)`
    select ${raw(PAYMENT_COLUMNS)} from payments where reference = ${reference} order by at desc limit 1`;

export const updatePayment = (db: Queryable, payment: PaymentRow) =>
  changeRows(db)`
    update payments set status = ${payment.status}, reference = ${payment.reference}, reason = ${payment.reason} where id = ${payment.id}`;

export const listPayments = (db: Queryable, invoiceId: string) =>
  listRows<PaymentRow>(db)`
    select ${raw(PAYMENT_COLUMNS)} from payments where invoice_id = ${invoiceId} order by at, attempt`;

export const insertCredit = (
  db: Queryable,
  credit: { accountId: string; amountCents: number; reason: string; invoiceId: string | null; at: Date },
) =>
  changeRows(db)`
    insert into credits (id, account_id, amount_cents, reason, invoice_id, created_at) values (${randomId('crd')}, ${credit.accountId}, ${credit.amountCents}, ${credit.reason}, ${credit.invoiceId}, ${credit.at})`;

export const sumCredits = (db: Queryable, accountId: string) =>
  getValue<number>(db)`
    select coalesce(sum(amount_cents), 0)::bigint as cents from credits where account_id = ${accountId}`;

export interface CreditNoteRow {
  id: string;
  account_id: string;
  invoice_id: string;
  number: string;
  issued_at: Date;
  reason: string;
  lines: { description: string; amount_cents: number }[];
  total_cents: number;
}

export const insertCreditNote = (db: Queryable, note: CreditNoteRow) => insertRows(db, 'credit_notes', [note]);

export const sumCreditNotes = (db: Queryable, invoiceId: string) =>
  getValue<number>(db)`
    select coalesce(sum(total_cents), 0)::bigint as cents from credit_notes where invoice_id = ${invoiceId}`;

export interface RefundRow extends Omit<PaymentRow, 'attempt' | 'status' | 'reason' | 'card'> {
  payment_id: string;
  credit_note_id: string;
  status: 'started' | 'succeeded' | 'failed';
  reason: string;
}

const REFUND_COLUMNS =
  'id, account_id, invoice_id, payment_id, credit_note_id, amount_cents, status, reference, reason, at';

export const insertRefund = (db: Queryable, refund: RefundRow) => insertRows(db, 'refunds', [refund]);

/** False if the outcome is known already. */
export const updateRefund = (db: Queryable, refund: Pick<RefundRow, 'id' | 'status' | 'reference'>) =>
  changeRow(db)`
    update refunds set status = ${refund.status}, reference = ${refund.reference} where id = ${refund.id} and status = 'started'`;

export const listRefunds = (db: Queryable, invoiceId: string) =>
  listRows<RefundRow>(db)`select ${raw(REFUND_COLUMNS)} from refunds where invoice_id = ${invoiceId} order by at, id`;

export const listStartedRefunds = (db: Queryable, accountId?: string) =>
  listRows<RefundRow>(db)`select ${raw(REFUND_COLUMNS)} from refunds
    where status = 'started' and ${isScheduledFor(accountId)} order by at, id`;
