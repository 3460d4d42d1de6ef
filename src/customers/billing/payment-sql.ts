// Queries of the money that moved: payments, refunds, credits and credit notes.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Card } from './providers/provider.ts';
import { insertRows } from '../../base/db/rows.ts';

export interface PaymentRow {
  id: string;
  account_id: string;
  invoice_id: string;
  attempt: number;
  amount_cents: number;
  /** `started`: about to be charged, or charged by a process that died before it heard the outcome. */
  status: 'started' | 'pending' | 'succeeded' | 'declined';
  reference: string | null;
  reason: string | null;
  /** The card the attempt is made on; null where there was none. */
  card: Card | null;
  at: Date;
}

const PAYMENT_COLUMNS = 'id, account_id, invoice_id, attempt, amount_cents, status, reference, reason, card, at';

export async function insertPayment(db: Queryable, payment: PaymentRow): Promise<void> {
  await insertRows(db, 'payments', [payment]);
}

/** The attempt whose outcome is not known yet; there is at most one. */
export async function findPaymentUnderWay(db: Queryable, invoiceId: string): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>(
    `select ${PAYMENT_COLUMNS} from payments where invoice_id = $1 and status in ('started', 'pending')`,
    [invoiceId],
  );
  return rows[0];
}

export async function lockPayment(db: Queryable, id: string): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>(`select ${PAYMENT_COLUMNS} from payments where id = $1 for update`, [id]);
  return rows[0];
}

export async function findPaymentByReference(db: Queryable, reference: string): Promise<PaymentRow | undefined> {
  const { rows } = await db.query<PaymentRow>(
    `select ${PAYMENT_COLUMNS} from payments where reference = $1 order by at desc limit 1`,
    [reference],
  );
  return rows[0];
}

export async function updatePayment(db: Queryable, payment: PaymentRow): Promise<void> {
  await db.query('update payments set status = $2, reference = $3, reason = $4 where id = $1', [
    payment.id,
    payment.status,
    payment.reference,
    payment.reason,
  ]);
}

export async function listPayments(db: Queryable, invoiceId: string): Promise<PaymentRow[]> {
  const { rows } = await db.query<PaymentRow>(
    `select ${PAYMENT_COLUMNS} from payments where invoice_id = $1 order by at, attempt`,
    [invoiceId],
  );
  return rows;
}

export async function insertCredit(
  db: Queryable,
  credit: { id: string; accountId: string; amountCents: number; reason: string; invoiceId: string | null; at: Date },
): Promise<void> {
  await db.query(
    'insert into credits (id, account_id, amount_cents, reason, invoice_id, created_at) values ($1, $2, $3, $4, $5, $6)',
    [credit.id, credit.accountId, credit.amountCents, credit.reason, credit.invoiceId, credit.at],
  );
}

export async function sumCredits(db: Queryable, accountId: string): Promise<number> {
  const { rows } = await db.query<{ cents: number }>(
    'select coalesce(sum(amount_cents), 0)::bigint as cents from credits where account_id = $1',
    [accountId],
  );
  return rows[0].cents;
}

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

export async function insertCreditNote(db: Queryable, note: CreditNoteRow): Promise<void> {
  await insertRows(db, 'credit_notes', [note]);
}

export async function sumCreditNotes(db: Queryable, invoiceId: string): Promise<number> {
  const { rows } = await db.query<{ cents: number }>(
    'select coalesce(sum(total_cents), 0)::bigint as cents from credit_notes where invoice_id = $1',
    [invoiceId],
  );
  return rows[0].cents;
}

export interface RefundRow {
  id: string;
  account_id: string;
  invoice_id: string;
  payment_id: string;
  credit_note_id: string;
  amount_cents: number;
  status: 'started' | 'succeeded' | 'failed';
  reference: string | null;
  reason: string;
  at: Date;
}

const REFUND_COLUMNS =
  'id, account_id, invoice_id, payment_id, credit_note_id, amount_cents, status, reference, reason, at';

export async function insertRefund(db: Queryable, refund: RefundRow): Promise<void> {
  await insertRows(db, 'refunds', [refund]);
}

/** False if the outcome is known already. */
export async function updateRefund(
  db: Queryable,
  refund: Pick<RefundRow, 'id' | 'status' | 'reference'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update refunds set status = $2, reference = $3 where id = $1 and status = 'started'`,
    [refund.id, refund.status, refund.reference],
  );
  return rowCount === 1;
}

export async function listRefunds(db: Queryable, invoiceId: string): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>(
    `select ${REFUND_COLUMNS} from refunds where invoice_id = $1 order by at, id`,
    [invoiceId],
  );
  return rows;
}

export async function listStartedRefunds(db: Queryable): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>(
    `select ${REFUND_COLUMNS} from refunds where status = 'started' order by at, id`,
  );
  return rows;
}
