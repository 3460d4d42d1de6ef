// The interface of a card processor. Card numbers go from the customer's browser to it; we keep a reference.

export interface Card {
  /** The provider's name for it. */
  reference: string;
  brand: string;
  last_four: string;
  exp_month: number;
  exp_year: number;
  /** Identical for the same card across accounts. */
  fingerprint: string;
}

export interface CardSetup {
  provider: 'stripe' | 'manual';
  /** For the provider's form in the browser. */
  client_secret: string | null;
  publishable_key: string | null;
}

interface Charge {
  invoiceId: string;
  number: string;
  amountCents: number;
  customerRef: string;
  card: Card;
  /** Repeating a charge under the same key returns the first outcome without charging again. */
  idempotencyKey: string;
}

export type ChargeOutcome =
  | { status: 'succeeded'; reference: string }
  | { status: 'declined'; reference: string | null; reason: string }
  | { status: 'pending'; reference: string | null };

interface Refund {
  chargeReference: string;
  amountCents: number;
  idempotencyKey: string;
}

/** The part of a processor's webhook that we act on. */
export interface ProviderEvent {
  id: string;
  invoiceId: string;
  status: 'succeeded' | 'declined';
  reference: string;
  reason: string | null;
}

export interface PaymentProvider {
  name: 'stripe' | 'manual';
  createCustomer(account: { id: string; name: string }): Promise<string>;
  setUpCard(customerRef: string): Promise<CardSetup>;
  /** Resolves the browser form's result to a card. */
  readCard(customerRef: string, token: string): Promise<Card>;
  charge(charge: Charge): Promise<ChargeOutcome>;
  /** The outcome of a charge that was still being processed. */
  readCharge(reference: string): Promise<ChargeOutcome>;
  refund(refund: Refund): Promise<{ status: 'succeeded' | 'failed'; reference: string | null }>;
  /** Undefined for events that do not concern an invoice; fails on a wrong signature. */
  readEvent(body: Buffer, signature: string): ProviderEvent | undefined;
}
