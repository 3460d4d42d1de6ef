// The money side of an account: card, trial, plan, months and terms, credit. Fees are charged in advance, overage when its
// month is over. Every change is one transaction on locked rows; cards are charged after it, never inside it.
// One room because an invoice, its payment and the plan it starts change in one transaction.
import type { Deps } from '../../base/deps.ts';
import { createManualProvider } from './providers/manual.ts';
import type { PaymentProvider } from './providers/provider.ts';

export async function createProvider({ config }: Pick<Deps, 'config'>): Promise<PaymentProvider> {
  if (!config.stripeSecretKey) return createManualProvider();
  const { createStripeProvider } = await import('./providers/stripe.ts');
  return createStripeProvider(config);
}
