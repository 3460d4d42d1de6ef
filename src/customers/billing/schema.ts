// The shapes of invoices, the subscription, and what a change of plan would do.
import Type from 'typebox';
import { PLAN_IDS } from '../accounts/plans.ts';
import { instant, list, named, nullable, oneOf, page, strict, text, wholeNumber } from '../../base/lib/schema.ts';

const cents = (options: object = {}) => wholeNumber({ description: 'Integer cents of US dollars.', ...options });
export const intervalShape = oneOf(['month', 'year']);
const soldPlan = oneOf(['builder', 'pro', 'scale']);

export const LineShape = named('InvoiceLine', {
  kind: oneOf(['plan', 'overage', 'proration', 'credit', 'tax']),
  meter: nullable(oneOf(['standard', 'avm'])),
  description: text(200),
  quantity: wholeNumber({ minimum: 0 }),
  unit_cents: cents(),
  amount_cents: cents(),
  period_start: instant(),
  period_end: instant(),
});

const billToMembers = {
  name: text(200, { minLength: 1 }),
  lines: list(text(200), { maxItems: 6, description: 'Street, city and postal code, as they are to be printed.' }),
  country: Type.String({ pattern: '^[A-Z]{2}$', maxLength: 2, description: 'ISO 3166-1, two letters.' }),
  region: nullable(Type.String({ pattern: '^[A-Z0-9]{1,3}$', maxLength: 3, description: 'ISO 3166-2: WA for US-WA.' })),
  tax_id: nullable(text(60)),
};
export const BillTo = named('BillTo', billToMembers);
export const BillToForm = strict(billToMembers);

export const InvoiceShape = named('Invoice', {
  object: oneOf(['invoice']),
  id: text(40),
  number: text(40),
  kind: oneOf(['start', 'renewal', 'upgrade', 'final', 'correction']),
  status: oneOf(['open', 'paid', 'void', 'uncollectible']),
  currency: oneOf(['usd']),
  period_start: instant(),
  period_end: instant(),
  issued_at: instant(),
  due_at: instant(),
  paid_at: nullable(instant()),
  next_attempt_at: nullable(instant()),
  lines: list(LineShape),
  subtotal_cents: cents({ description: 'Before tax and credit.' }),
  tax_cents: cents(),
  credit_cents: cents(),
  total_cents: cents(),
  bill_to: nullable(BillTo),
  pdf_url: text(300),
});
export const InvoicePage = page('InvoicePage', InvoiceShape);

export const BillingShape = Type.Object({
  object: oneOf(['billing']),
  provider: oneOf(['stripe', 'manual']),
  status: oneOf(['none', 'trialing', 'active', 'past_due', 'canceled']),
  plan: oneOf(PLAN_IDS),
  interval: intervalShape,
  term_start: nullable(instant()),
  term_end: nullable(instant()),
  next_plan: nullable(oneOf(PLAN_IDS)),
  next_interval: nullable(intervalShape),
  cancels_at_end: Type.Boolean(),
  card: nullable(
    Type.Object({ brand: text(30), last_four: text(4), exp_month: wholeNumber(), exp_year: wholeNumber() }),
  ),
  credit_cents: cents(),
  bill_to: nullable(BillTo),
});

export const CardSetupShape = Type.Object({
  object: oneOf(['card_setup']),
  provider: oneOf(['stripe', 'manual']),
  client_secret: nullable(text(300)),
  publishable_key: nullable(text(300)),
});
export const CardForm = strict({ token: text(200, { minLength: 1 }) });
export const CardAdded = Type.Object({ object: oneOf(['card_added']), started_trial: Type.Boolean() });

export const PlanForm = strict({
  plan: soldPlan,
  interval: Type.Optional(intervalShape),
  when: Type.Optional(oneOf(['now', 'trial_end'])),
});
export const PlanQuery = strict({ plan: soldPlan, interval: Type.Optional(intervalShape) });
export const PlanChangeShape = Type.Object({
  object: oneOf(['plan_change']),
  effect: oneOf(['started', 'upgraded', 'processing', 'scheduled', 'unchanged']),
  at: instant(),
  lines: list(LineShape),
  amount_cents: cents(),
});
export const CancelShape = Type.Object({ object: oneOf(['cancellation']), ends_at: nullable(instant()) });
