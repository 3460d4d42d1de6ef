// Puts a card on file, with its consequences.
import { updateAccount } from '../accounts/accounts.ts';
import { recordAudit } from '../../base/audit/audit.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import type { AccountRow } from '../accounts/sql.ts';
import type { By } from './books.ts';
import { withBooks } from './closing.ts';
import { collect } from './payments.ts';
import type { CardSetup, PaymentProvider } from './providers/provider.ts';
import * as sql from './sql.ts';

export const beginCard = async (deps: Deps, provider: PaymentProvider, account: AccountRow): Promise<CardSetup> =>
  provider.setUpCard(await ensureCustomer(deps, provider, account));

async function ensureCustomer(deps: Deps, provider: PaymentProvider, account: AccountRow): Promise<string> {
  const known = (await sql.findSubscription(deps.control, account.id))?.customer_ref;
  if (known) return known;
  const customer_ref = await provider.createCustomer(account);
  await withBooks(deps, provider, account.id, ({ client, subscription }) =>
    sql.updateSubscription(client, { ...subscription, customer_ref }),
  );
  return customer_ref;
}

/** Puts a card on file. Starts a waiting trial, unless the card already had one, and retries open invoices. */
export async function addCard(
  deps: Deps,
  provider: PaymentProvider,
  { account, token, by }: { account: AccountRow; token: string; by: By },
): Promise<{ startedTrial: boolean }> {
  const customer = await ensureCustomer(deps, provider, account);
  const card = await provider.readCard(customer, token);
  const startedTrial = await withBooks(deps, provider, account.id, async (books) => {
    const { client, subscription, now } = books;
    const isWaiting = books.account.plan === 'trial' && books.account.anchor_at === null;
    const isFirst = isWaiting && (await sql.claimTrialCard(client, card.fingerprint, account.id, now)) === account.id;
    const trial = isFirst ? ({ status: 'trialing', trial_started_at: now } as const) : {};
    await sql.updateSubscription(client, { ...subscription, card, ...trial });
    if (isFirst) await updateAccount(client, { ...books.account, anchor_at: now });
    const details = { brand: card.brand, last_four: card.last_four, started_trial: isFirst };
    await recordAudit(client, { accountId: account.id, ...by, action: 'billing.card_added', details, at: now });
    if (isWaiting && !isFirst) return undefined;
    return isFirst;
  });
  if (startedTrial === undefined) {
    fail('trial_unavailable', 'This card was already used for a trial. It is on file now; choose a plan to start.');
  }
  await collectOpen(deps, provider, account.id);
  return { startedTrial };
}

async function collectOpen(deps: Deps, provider: PaymentProvider, accountId: string): Promise<void> {
  const invoices = await sql.listInvoices(deps.control, accountId, undefined, 100);
  for (const { id, status, attempts } of invoices)
    if (status === 'open' && attempts > 0) await collect(deps, provider, id);
}
