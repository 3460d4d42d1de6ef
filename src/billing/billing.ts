// The money side of an account: card, trial, plan, months and terms, credit. Fees are charged in advance, overage when
// its month is over. Every change is one transaction on locked rows; cards are charged after it, never inside.
import { PLANS, type PlanId } from '../accounts/plans.ts';
import type { Deps } from '../deps.ts';
import { createManualProvider } from './manual.ts';
import type { PaymentProvider } from './provider.ts';
import { createStripeProvider } from './stripe.ts';

export type { InvoiceRow, PaymentRow, SubscriptionRow } from './sql.ts';
export { findInvoice, findSubscription, listInvoices, listPayments, sumCredits } from './sql.ts';

export function createProvider(deps: Pick<Deps, 'config'>): PaymentProvider {
  return deps.config.stripeSecretKey ? createStripeProvider(deps.config) : createManualProvider();
}

export const SOLD_PLANS = (Object.keys(PLANS) as PlanId[]).filter((id) => id !== 'trial' && id !== 'enterprise');
