// Writing an invoice: the next number without a gap, credit applied, final from the start, announced in the same transaction.
import type { AccountRow } from '../accounts/accounts.ts';
import type { Client } from '../db/postgres.ts';
import { recordEvent } from '../events/events.ts';
import { randomId } from '../lib/ids.ts';
import { creditLine, sumOf, type Line, type Stretch } from './lines.ts';
import * as sql from './sql.ts';

const DAY_MS = 86_400_000;
const TRANSFER_DAYS = 30;

/** Nothing to charge makes no invoice. The subscription must be locked: its count gives the number. */
export async function writeInvoice(
  client: Client,
  account: AccountRow,
  subscription: sql.SubscriptionRow,
  what: { kind: sql.InvoiceRow['kind']; lines: Line[]; period: Stretch; restores?: sql.Restores | null },
  now: Date,
): Promise<sql.InvoiceRow | undefined> {
  if (what.lines.length === 0) return undefined;
  const charges = sumOf(what.lines);
  const balance = await sql.sumCredits(client, account.id);
  const credit = Math.max(0, Math.min(balance, charges));
  const id = randomId('inv');
  subscription.invoice_count += 1;
  const total = Math.max(0, charges) - credit;
  const invoice: sql.InvoiceRow = {
    id,
    account_id: account.id,
    number: numberOf(account, subscription.invoice_count),
    kind: what.kind,
    status: total === 0 ? 'paid' : 'open',
    period_start: what.period.start,
    period_end: what.period.end,
    issued_at: now,
    due_at: subscription.provider === 'manual' ? new Date(now.getTime() + TRANSFER_DAYS * DAY_MS) : now,
    lines: credit > 0 ? [...what.lines, creditLine(credit, now)] : what.lines,
    subtotal_cents: Math.max(0, charges),
    credit_cents: credit,
    total_cents: total,
    restores: what.restores ?? null,
    paid_at: total === 0 ? now : null,
    attempts: 0,
    next_attempt_at: total === 0 || subscription.provider === 'manual' ? null : now,
  };
  await sql.insertInvoice(client, invoice);
  await sql.updateSubscription(client, subscription);
  const entry = { accountId: account.id, invoiceId: id, at: now };
  if (credit > 0) {
    const reason = `Applied to ${invoice.number}`;
    await sql.insertCredit(client, { ...entry, id: randomId('crd'), amountCents: -credit, reason });
  }
  // A change that gives back more than it costs is kept for the next invoice.
  if (charges < 0) {
    const reason = `Left over from ${invoice.number}`;
    await sql.insertCredit(client, { ...entry, id: randomId('crd'), amountCents: -charges, reason });
  }
  await recordEvent(client, {
    accountId: account.id,
    mode: 'live',
    type: 'invoice.finalized',
    data: { invoice_id: id, number: invoice.number, total_cents: total },
    sourceKey: `invoice:${id}`,
    occurredAt: now,
  });
  return invoice;
}

function numberOf(account: AccountRow, count: number): string {
  return `PB-${account.id.slice(-8).toUpperCase()}-${String(count).padStart(4, '0')}`;
}

export function creditNoteNumber(account: Pick<AccountRow, 'id'>, count: number): string {
  return `PB-${account.id.slice(-8).toUpperCase()}-CN${String(count).padStart(3, '0')}`;
}
