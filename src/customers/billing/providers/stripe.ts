// Stripe as our payment provider: setup intents for cards, off-session payment intents for invoices, signed webhooks.
// The only file that knows Stripe; invoices, proration and usage stay ours.
import Stripe from 'stripe';
import type { Config } from '../../../base/config.ts';
import { fail } from '../../../base/lib/errors.ts';
import type { Card, ChargeOutcome, PaymentProvider, ProviderEvent } from './provider.ts';

export function createStripeProvider(config: Config): PaymentProvider {
  const url = new URL(config.stripeApiUrl);
  const stripe = new Stripe(config.stripeSecretKey!, {
    host: url.hostname,
    protocol: url.protocol === 'http:' ? 'http' : 'https',
    ...(url.port && { port: Number(url.port) }),
    maxNetworkRetries: 2,
    timeout: 20_000,
    telemetry: false,
  });

  return {
    name: 'stripe',

    async createCustomer(account) {
      const customer = await stripe.customers.create(
        { name: account.name, metadata: { account_id: account.id } },
        { idempotencyKey: `customer:${account.id}` },
      );
      return customer.id;
    },

    async setUpCard(customerRef) {
      const intent = await stripe.setupIntents.create({
        customer: customerRef,
        usage: 'off_session',
        allowed_payment_method_types: ['card'],
      });
      return {
        provider: 'stripe',
        client_secret: intent.client_secret,
        publishable_key: config.stripePublishableKey ?? null,
      };
    },

    async readCard(customerRef, token) {
      const intent = await translate(() => stripe.setupIntents.retrieve(token, { expand: ['payment_method'] }));
      const method = intent.payment_method;
      const isOurs = intent.customer === customerRef;
      if (!isOurs || intent.status !== 'succeeded' || !method || typeof method === 'string' || !method.card) {
        fail('invalid_request', 'The card is not confirmed. Complete the card form first.');
      }
      return cardOf(method.id, method.card);
    },

    charge: ({ amountCents, customerRef, card, invoiceId, number, idempotencyKey }) =>
      readOutcome(() =>
        stripe.paymentIntents.create(
          {
            amount: amountCents,
            currency: 'usd',
            customer: customerRef,
            payment_method: card.reference,
            allowed_payment_method_types: ['card'],
            off_session: true,
            confirm: true,
            description: `Invoice ${number}`,
            metadata: { invoice_id: invoiceId },
          },
          { idempotencyKey },
        ),
      ),

    readCharge: (reference) => readOutcome(() => stripe.paymentIntents.retrieve(reference)),

    async refund({ chargeReference, amountCents, idempotencyKey }) {
      const refund = await stripe.refunds.create(
        { payment_intent: chargeReference, amount: amountCents },
        { idempotencyKey },
      );
      return { status: refund.status === 'failed' ? 'failed' : 'succeeded', reference: refund.id };
    },

    readEvent(body, signature): ProviderEvent | undefined {
      const event = verify(() => stripe.webhooks.constructEvent(body, signature, config.stripeWebhookSecret ?? ''));
      if (event.type !== 'payment_intent.succeeded' && event.type !== 'payment_intent.payment_failed') return undefined;
      const intent = event.data.object;
      const invoiceId = intent.metadata.invoice_id;
      if (!invoiceId) return undefined;
      const isPaid = event.type === 'payment_intent.succeeded';
      return {
        id: event.id,
        invoiceId,
        status: isPaid ? 'succeeded' : 'declined',
        reference: intent.id,
        reason: isPaid ? null : (intent.last_payment_error?.code ?? 'declined'),
      };
    },
  };
}

const cardOf = (reference: string, card: Stripe.PaymentMethod.Card): Card => ({
  reference,
  brand: card.brand,
  last_four: card.last4,
  exp_month: card.exp_month,
  exp_year: card.exp_year,
  fingerprint: card.fingerprint ?? reference,
});

/** A decline is an outcome, not a failure. Any other error is a failure, and the charge is repeated under the same key. */
async function readOutcome(send: () => Promise<Stripe.PaymentIntent>): Promise<ChargeOutcome> {
  try {
    const intent = await send();
    if (intent.status === 'succeeded') return { status: 'succeeded', reference: intent.id };
    if (intent.status === 'processing') return { status: 'pending', reference: intent.id };
    return { status: 'declined', reference: intent.id, reason: intent.last_payment_error?.code ?? intent.status };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeCardError)) throw error;
    const reason = error.decline_code ?? error.code ?? 'declined';
    return { status: 'declined', reference: error.payment_intent?.id ?? null, reason };
  }
}

async function translate<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) {
      fail('invalid_request', 'The card form’s token is unknown. Start again.', {}, { cause: error });
    }
    throw error;
  }
}

function verify<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    return fail('invalid_request', 'The signature is invalid.', {}, { cause: error });
  }
}
