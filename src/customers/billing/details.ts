// Billing details of an account's invoices; the place decides the tax.
import { recordAudit } from '../../base/audit/audit.ts';
import type { Deps } from '../../base/deps.ts';
import type { By } from './books.ts';
import { withBooks } from './closing.ts';
import type { PaymentProvider } from './providers/provider.ts';
import * as sql from './sql.ts';

export const saveBillingDetails = async (
  deps: Deps,
  provider: PaymentProvider,
  { accountId, details, by }: { accountId: string; details: sql.BillingDetails; by: By },
): Promise<sql.BillingDetails> =>
  withBooks(deps, provider, accountId, async ({ client, now }) => {
    await sql.upsertBillingDetails(client, accountId, details, now);
    const place = { country: details.country, region: details.region };
    await recordAudit(client, { accountId, ...by, action: 'billing.details_changed', details: place, at: now });
    return details;
  });
