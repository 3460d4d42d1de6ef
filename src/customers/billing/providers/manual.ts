// Without a card processor: invoices are paid by transfer and marked by an operator. Test tokens stand for cards, so a
// trial can be started on a machine without Stripe.
import { createHash } from 'node:crypto';
import { fail } from '../../../base/lib/errors.ts';
import type { PaymentProvider } from './provider.ts';

const TEST_TOKEN = /^tok_test_[a-z0-9_]{1,60}$/;

export const createManualProvider = (): PaymentProvider => ({
  name: 'manual',
  createCustomer: async (account) => `manual_${account.id}`,
  setUpCard: async () => ({ provider: 'manual', client_secret: null, publishable_key: null }),
  readCard: async (_customer, token) => {
    if (!TEST_TOKEN.test(token)) {
      fail(
        'invalid_request',
        'Without Stripe only test tokens are taken: `tok_test_` and letters, e.g. `tok_test_visa`.',
      );
    }
    if (token.includes('declined')) fail('card_declined', 'The test card was declined, as its token says.');
    const fingerprint = createHash('sha256').update(token).digest('hex').slice(0, 24);
    return { reference: token, brand: 'test', last_four: '4242', exp_month: 12, exp_year: 2099, fingerprint };
  },
  charge: async () => ({ status: 'pending', reference: null }),
  readCharge: async () => ({ status: 'pending', reference: null }),
  refund: async () => ({ status: 'failed', reference: null }),
  readEvent: () => fail('route_not_found', 'Nothing answers at this path. The paths are listed at /docs.'),
});
