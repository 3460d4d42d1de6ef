// An operator's changes to an account's money: contracts, credit, transfers, suspension, tax rates.
import { updateAccount } from '../accounts/accounts.ts';
import { termsOf, type Contract } from '../accounts/plans.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { monthAt } from '../usage/periods.ts';
import { applyPlan, termFrom } from './apply-plan.ts';
import { lockBooks, type Books } from './books.ts';
import { closeDue, closeUsage, withBooks } from './closing.ts';
import { writeInvoice } from './invoices.ts';
import { planLine, unusedLine } from './lines.ts';
import type { Interval } from './money.ts';
import { collect, markPaid } from './payments.ts';
import { dropWaitingPlan } from './plan-changes.ts';
import type { PaymentProvider } from './providers/provider.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';
import { must } from '../../base/lib/must.ts';

/** Starts a contract with its own terms now. Closes the previous plan: bills its overage and credits unused time. */
export async function createContract(
  deps: Deps,
  provider: PaymentProvider,
  { accountId, contract, interval }: { accountId: string; contract: Contract; interval: Interval },
): Promise<sql.InvoiceRow | undefined> {
  const invoice = await withBooks(deps, provider, accountId, async (books) => {
    const { client, now } = books;
    await dropWaitingPlan(books);
    const details = { contract, interval };
    await recordAudit(client, { accountId, actor: 'operator', action: 'billing.contract_made', details, at: now });
    const lines = await closeRunningPlan(books);
    const period = termFrom(now, interval);
    const fee = planLine(termsOf({ plan: 'enterprise', contract }), interval, period);
    await applyPlan(books, { effect: 'start', plan: 'enterprise', interval, contract, at: now.toISOString() });
    return writeInvoice(books, { kind: 'start', lines: [...lines, ...(fee ? [fee] : [])], period });
  });
  if (invoice?.status === 'open') await collect(deps, provider, invoice.id);
  return invoice;
}

async function closeRunningPlan(books: Books) {
  const { account, subscription, now } = books;
  const isRunning = subscription.status === 'active' || subscription.status === 'past_due';
  if (!isRunning || !subscription.month_start || !subscription.term_start || !subscription.term_end) return [];
  const month = monthAt(account.anchor_at!, subscription.month_start);
  const term = { start: subscription.term_start, end: subscription.term_end };
  const unused = now < term.end ? unusedLine(termsOf(account), subscription.billing_interval, term, now) : undefined;
  // A month that begins at this very instant becomes the first of the contract.
  const overage = month.start < now ? await closeUsage(books, month) : [];
  return [...overage, ...(unused ? [unused] : [])];
}

export const grantCredit = async (
  deps: Deps,
  provider: PaymentProvider,
  { accountId, amountCents, reason }: { accountId: string; amountCents: number; reason: string },
): Promise<number> =>
  withBooks(deps, provider, accountId, async ({ client, now }) => {
    await paymentSql.insertCredit(client, { accountId, amountCents, reason, invoiceId: null, at: now });
    const details = { amount_cents: amountCents, reason };
    await recordAudit(client, { accountId, actor: 'operator', action: 'billing.credit_granted', details, at: now });
    return paymentSql.sumCredits(client, accountId);
  });

/** An operator confirms that a transfer has arrived. */
export async function markInvoicePaid(deps: Deps, invoiceId: string): Promise<sql.InvoiceRow> {
  const known = await sql.lockInvoice(deps.control, invoiceId);
  if (!known) fail('resource_not_found', `There is no invoice ${invoiceId}.`);
  return inTransaction(deps.control, async (client) => {
    const books = await lockBooks(deps, client, known.account_id);
    await closeDue(books);
    const invoice = must(await sql.lockInvoice(client, known.id), 'invoice');
    if (invoice.status === 'paid') return invoice;
    if (invoice.status !== 'open') fail('invalid_state', `The invoice is ${invoice.status}.`);
    await markPaid(books, invoice);
    const entry = { accountId: invoice.account_id, actor: 'operator', action: 'billing.invoice_paid' };
    await recordAudit(client, { ...entry, target: invoice.id, at: books.now });
    return invoice;
  });
}

export async function setStatus(deps: Deps, accountId: string, status: 'active' | 'suspended', reason: string) {
  await inTransaction(deps.control, async (client) => {
    const books = await lockBooks(deps, client, accountId);
    // A plan ends with its term if the account is suspended at that moment, whatever happens before closing.
    await closeDue(books);
    const { account } = books;
    if (account.status === 'closed') fail('invalid_state', 'The account is closed: its plan has ended.');
    await updateAccount(client, { ...account, status, suspended_for: status === 'suspended' ? 'operator' : null });
    const entry = { accountId, actor: 'operator', action: `account.${status}`, details: { reason } };
    await recordAudit(client, { ...entry, at: deps.clock() });
  });
}

const TAX_PLACE = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/;

/** A percentage with up to four decimals, for invoices to customers billed in that place from now on. */
export async function setTaxRate(
  deps: Pick<Deps, 'control' | 'clock'>,
  { place, percent, name }: { place: string; percent: number; name: string },
): Promise<void> {
  if (!TAX_PLACE.test(place))
    fail('invalid_request', 'Name the place as a country, or a country and region: US, US-WA.');
  const ratePpm = Math.round(percent * 10_000);
  if (!(ratePpm >= 0 && ratePpm <= 1_000_000)) fail('invalid_request', 'The rate is a percentage from 0 to 100.');
  await sql.upsertTaxRate(deps.control, { place, name, rate_ppm: ratePpm }, deps.clock());
}
