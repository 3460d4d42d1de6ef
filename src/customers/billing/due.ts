// Billing work of every five minutes, and of a test clock that is advanced: closes periods, collects invoices, sends refunds.
import type { Deps } from '../../base/deps.ts';
import { measurement } from '../../base/measures/measures.ts';
import { replaceMeasurements } from '../../base/measures/sql.ts';
import { closeNext } from './closing.ts';
import { collect } from './payments.ts';
import type { PaymentProvider } from './providers/provider.ts';
import { finishRefund } from './refunds.ts';
import * as paymentSql from './payment-sql.ts';
import * as sql from './sql.ts';

/** For one account, or all that live in the present. Running it again changes nothing. */
export async function runBilling(deps: Deps, provider: PaymentProvider, only?: string): Promise<void> {
  for (const accountId of await sql.listBilled(deps.control, deps.clock(), only)) {
    try {
      while (await closeNext(deps, provider, accountId));
    } catch (error) {
      deps.log.error({ err: error, account: accountId }, 'account not billed');
    }
  }
  for (const id of await sql.listDueInvoices(deps.control, deps.clock(), only)) {
    await collect(deps, provider, id).catch((error: Error) =>
      deps.log.warn({ err: error, invoice: id }, 'payment not tried'),
    );
  }
  for (const refund of await paymentSql.listStartedRefunds(deps.control, only)) {
    await finishRefund(deps, provider, refund).catch((error: Error) =>
      deps.log.warn({ err: error, refund: refund.id }, 'refund not sent'),
    );
  }
}

/** Daily: usage that was neither billed, included nor waived would be silently lost revenue. */
export async function checkUsage({ control, clock, log }: Pick<Deps, 'control' | 'clock' | 'log'>): Promise<void> {
  const now = clock();
  const unaccounted = await sql.listUnaccounted(control, now);
  for (const row of unaccounted) log.error(row, 'usage is not accounted for');
  const name = 'platbook_usage_unaccounted';
  await replaceMeasurements(control, [name], [measurement(name, unaccounted.length)], now);
}
