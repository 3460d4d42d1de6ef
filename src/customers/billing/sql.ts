// Every query of subscriptions, invoices, tax rates and billing details; payment-sql.ts has those of money that moved.
import { isScheduledFor } from '../accounts/clock-sql.ts';
import type { Contract, PlanId } from '../accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getRow, getValue, listRows, listValues, raw } from '../../base/db/statements.ts';
import type { Interval } from './money.ts';
import type { Card } from './providers/provider.ts';
import { insertRows, replaceRow, updateRow } from '../../base/db/rows.ts';
import type { Static } from 'typebox';
import type { BillTo, InvoiceShape } from './schema.ts';
import type { Stored } from '../../base/lib/schema.ts';

export interface SubscriptionRow {
  account_id: string;
  provider: 'stripe' | 'manual';
  customer_ref: string | null;
  card: Card | null;
  trial_started_at: Date | null;
  status: 'none' | 'trialing' | 'active' | 'past_due' | 'canceled';
  billing_interval: Interval;
  term_start: Date | null;
  term_end: Date | null;
  month_start: Date | null;
  next_plan: PlanId | null;
  next_interval: Interval | null;
  cancels_at_end: boolean;
  invoice_count: number;
  credit_note_count: number;
}

const SUBSCRIPTION_COLUMNS = `account_id, provider, customer_ref, card, trial_started_at, status, billing_interval, term_start, term_end,
  month_start, next_plan, next_interval, cancels_at_end, invoice_count, credit_note_count`;

export const ensureSubscription = (db: Queryable, accountId: string, provider: string) =>
  changeRows(db)`
    insert into subscriptions (account_id, provider) values (${accountId}, ${provider}) on conflict do nothing`;

export const findSubscription = (db: Queryable, accountId: string) =>
  findRow<SubscriptionRow>(db)`select ${raw(SUBSCRIPTION_COLUMNS)} from subscriptions where account_id = ${accountId}`;

export const lockSubscription = (db: Queryable, accountId: string) =>
  getRow<SubscriptionRow>(db)`
    select ${raw(SUBSCRIPTION_COLUMNS)} from subscriptions where account_id = ${accountId} for update`;

export const updateSubscription = (db: Queryable, row: SubscriptionRow) =>
  updateRow(db, 'subscriptions', 'account_id', row);

/** Accounts that may have a month, a term or a trial that is over (no month has fewer than 28 days, no trial fewer than
    14), or usage that was booked after their last month was closed. */
export const listBilled = (db: Queryable, now: Date, accountId?: string) =>
  listValues<string>(db)`select account_id from subscriptions
     where ${isScheduledFor(accountId)} and ((status in ('active', 'past_due') and month_start <= ${now}::timestamptz - interval '28 days')
       or (status = 'trialing' and next_plan is not null
         and trial_started_at <= ${now}::timestamptz - interval '14 days')
       or (status = 'canceled' and exists (
         select 1 from usage_counters c where c.account_id = subscriptions.account_id and c.used <> c.closed_used)))
     order by account_id`;

/** The account that first used the card for a trial, possibly this one. */
export async function claimTrialCard(db: Queryable, fingerprint: string, accountId: string, now: Date) {
  await changeRows(db)`
    insert into trial_cards (fingerprint, account_id, at) values (${fingerprint}, ${accountId}, ${now}) on conflict (fingerprint) do nothing`;
  return getValue<string>(db)`select account_id from trial_cards where fingerprint = ${fingerprint}`;
}

/** A change of plan that is waiting for its payment. */
export interface PlanToApply {
  effect: 'start' | 'upgrade';
  plan: PlanId;
  interval: Interval;
  contract: Contract | null;
  /** When it was chosen: the invoice covers the time from here on. */
  at: string;
}

/** The addressee of an invoice. */
export type BillingDetails = Static<typeof BillTo>;

type Shown = Stored<typeof InvoiceShape, 'currency' | 'pdf_url' | 'period_start' | 'period_end'>;

export interface InvoiceRow extends Shown {
  account_id: string;
  period_start: Date;
  period_end: Date;
  /** The plan change that its payment applies. */
  applies: PlanToApply | null;
  attempts: number;
}

const INVOICE_COLUMNS = `id, account_id, number, kind, status, period_start, period_end, issued_at, due_at, lines, subtotal_cents,
  tax_cents, credit_cents, total_cents, bill_to, applies, paid_at, attempts, next_attempt_at`;

export const insertInvoice = (db: Queryable, invoice: InvoiceRow) => insertRows(db, 'invoices', [invoice]);

export const findInvoice = (db: Queryable, accountId: string, id: string) =>
  findRow<InvoiceRow>(db)`
     select ${raw(INVOICE_COLUMNS)} from invoices where account_id = ${accountId} and (id = ${id} or number = ${id})`;

export const lockInvoice = (db: Queryable, id: string) =>
  findRow<InvoiceRow>(db)`
     select ${raw(INVOICE_COLUMNS)} from invoices where id = ${id} or number = ${id} for update`;

export const listInvoices = (db: Queryable, accountId: string, before: [string, string] | undefined, limit: number) =>
  listRows<InvoiceRow>(db)`select ${raw(INVOICE_COLUMNS)} from invoices
     where account_id = ${accountId} and (issued_at, number) < (${before?.[0] ?? 'infinity'}, ${before?.[1] ?? ''})
     order by issued_at desc, number desc limit ${limit}`;

export const listDueInvoices = (db: Queryable, now: Date, accountId?: string) =>
  listValues<string>(db)`select id from invoices
    where status = 'open' and next_attempt_at <= ${now} and ${isScheduledFor(accountId)} order by next_attempt_at, id`;

/** Debts: open invoices with an attempted payment, or past their due date. */
export const listDebts = (db: Queryable, accountId: string, now: Date) =>
  listRows<InvoiceRow>(db)`select ${raw(INVOICE_COLUMNS)} from invoices
    where account_id = ${accountId} and status = 'open' and applies is null
      and (attempts > 0 or (next_attempt_at is null and due_at < ${now}))
    order by issued_at, number`;

/** The open invoice whose payment would change the plan, if there is one. */
export const lockPlanInvoice = (db: Queryable, accountId: string) =>
  findRow<InvoiceRow>(db)`select ${raw(INVOICE_COLUMNS)} from invoices
    where account_id = ${accountId} and status = 'open' and applies is not null order by issued_at desc limit 1 for update`;

export const updateInvoice = (db: Queryable, invoice: InvoiceRow) =>
  changeRows(db)`
    update invoices set status = ${invoice.status}, paid_at = ${invoice.paid_at}, attempts = ${invoice.attempts}, next_attempt_at = ${invoice.next_attempt_at}, applies = ${invoice.applies} where id = ${invoice.id}`;

/** Invoiced units of overage, by meter and by the start of the stretch they were used in. */
export async function sumBilledOverage(db: Queryable, accountId: string, month: { start: Date; end: Date }) {
  const rows = await listRows<{ name: string; units: number }>(db)`
    select line ->> 'meter' || ' ' || (line ->> 'period_start') as name, sum((line ->> 'quantity')::bigint)::bigint as units
    from invoices cross join jsonb_array_elements(lines) as line
    where account_id = ${accountId} and status <> 'void' and line ->> 'kind' = 'overage'
      and (line ->> 'period_start')::timestamptz >= ${month.start} and (line ->> 'period_start')::timestamptz < ${month.end}
    group by 1`;
  return new Map(rows.map(({ name, units }) => [name, units]));
}

/** Usage not covered by an invoice, allowance or waiver an hour after it should have been: must be empty. A trial is
    waived, a running plan's months are closed in turn, and everything else is closed with all its usage. */
export const listUnaccounted = (db: Queryable, now: Date) =>
  listRows<{ account_id: string; meter: string; period_start: Date; units: number }>(db)`with booked as (
      select account_id, meter, period_start, sum(units)::bigint as units, max(happened_at) as last_at
      from usage_events group by 1, 2, 3
    )
    select account_id, meter, period_start, coalesce(b.units, 0) - coalesce(c.closed_used, 0) as units
    from booked b
    full join usage_counters c using (account_id, meter, period_start)
    join accounts a on a.id = account_id
    left join subscriptions s using (account_id)
    where a.clock_at is null and (coalesce(b.units, 0) <> coalesce(c.used, 0)
      or (coalesce(b.units, 0) <> coalesce(c.closed_used, 0) and b.last_at < ${now}::timestamptz - interval '1 hour'
        and a.plan <> 'trial' and coalesce(s.status, 'none') not in ('active', 'past_due'))
      or (c.closed_at is null and b.units > 0 and s.status in ('active', 'past_due') and period_start < s.month_start))
    order by 1, 2, 3`;

export interface TaxRateRow {
  place: string;
  name: string;
  rate_ppm: number;
}

/** The rate of the region, or else of the country; none where neither has one. */
export function findTaxRate(db: Queryable, { country, region }: Pick<BillingDetails, 'country' | 'region'>) {
  const places = region === null ? [country] : [`${country}-${region}`, country];
  return findRow<TaxRateRow>(db)`
    select place, name, rate_ppm from tax_rates where place = any (${places}) order by length(place) desc limit 1`;
}

export const upsertTaxRate = (db: Queryable, rate: TaxRateRow, now: Date) =>
  replaceRow(db, 'tax_rates', 'place', { ...rate, updated_at: now });

export const findBillingDetails = (db: Queryable, accountId: string) =>
  findRow<BillingDetails>(db)`
    select name, lines, country, region, tax_id from billing_details where account_id = ${accountId}`;

export const upsertBillingDetails = (db: Queryable, accountId: string, details: BillingDetails, now: Date) =>
  replaceRow(db, 'billing_details', 'account_id', { account_id: accountId, ...details, updated_at: now });
