// Invoices as the API shows them: one, and an account's as pages.
import type { Deps } from '../../base/deps.ts';
import { presentPage, readPage } from '../../base/lib/pages.ts';
import { presentRow } from '../../base/lib/schema.ts';
import * as shape from './schema.ts';
import { listInvoices, type InvoiceRow } from './sql.ts';

export const presentInvoice = (invoice: InvoiceRow) => ({
  object: 'invoice' as const,
  ...presentRow(shape.InvoiceShape, invoice),
  currency: 'usd' as const,
  pdf_url: `/api/v1/invoices/${invoice.id}.pdf`,
});

/** Newest first. */
export async function readInvoices(deps: Deps, accountId: string, query: { limit?: number; cursor?: string }) {
  const list = (before: [string, string] | undefined, limit: number) =>
    listInvoices(deps.control, accountId, before, limit);
  const positionOf = (row: InvoiceRow): [string, string] => [row.issued_at.toISOString(), row.number];
  return presentPage(await readPage(deps.secrets, ['invoices', accountId], query, list, positionOf), presentInvoice);
}
