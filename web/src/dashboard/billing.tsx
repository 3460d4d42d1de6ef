// Billing: plan, card, invoices.
export function BillingSection() {
  return null;
}
