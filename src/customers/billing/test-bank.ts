// The card processor of test clocks: no money moves and no network calls. The card's token determines the outcome.
import type { ChargeOutcome, PaymentProvider } from './providers/provider.ts';

export const TEST_CARDS = ['tok_test_visa', 'tok_test_declined'] as const;

/** Recorded as Stripe, so the account is treated as one that pays by card. */
export const createTestBank = (): PaymentProvider => ({
  name: 'stripe',
  createCustomer: async (account) => `test_${account.id}`,
  setUpCard: async () => ({ provider: 'stripe', client_secret: null, publishable_key: null }),
  // Each clock gets a distinct card; otherwise only the first could have a trial.
  readCard: async (customer, token) => ({
    reference: token,
    brand: 'test',
    last_four: '4242',
    exp_month: 12,
    exp_year: 2099,
    fingerprint: `${customer}:${token}`,
  }),
  charge: async ({ card, idempotencyKey }) => outcomeOf(`test_${idempotencyKey}`, card.reference),
  readCharge: async (reference) => ({ status: 'succeeded', reference }),
  refund: async ({ idempotencyKey }) => ({ status: 'succeeded', reference: `test_${idempotencyKey}` }),
  readEvent: () => undefined,
});

const outcomeOf = (reference: string, token: string): ChargeOutcome =>
  token === 'tok_test_declined'
    ? { status: 'declined', reference, reason: 'card_declined' }
    : { status: 'succeeded', reference };
