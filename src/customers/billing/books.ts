// What every change to an account's money begins with: its account and subscription, locked, in one transaction.
import { lockAccount } from '../accounts/accounts.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { type AccountRow } from '../accounts/sql.ts';
import type { PaymentProvider } from './providers/provider.ts';
import * as sql from './sql.ts';

/** Who makes the change, for the audit log. */
export interface By {
  actor: string;
  ip?: string | null;
}

export interface Books {
  client: Client;
  account: AccountRow;
  subscription: sql.SubscriptionRow;
  now: Date;
}

/** Account and subscription, locked in that order; the subscription is created where it is missing. */
export async function withBooks<Result>(
  deps: Deps,
  provider: PaymentProvider,
  accountId: string,
  work: (books: Books) => Promise<Result>,
): Promise<Result> {
  return inTransaction(deps.control, async (client) => {
    await lockAccount(client, accountId);
    await sql.ensureSubscription(client, accountId, provider.name);
    return work(await lockBooks(deps, client, accountId));
  });
}

/** The same within a transaction that has begun. */
export async function lockBooks(deps: Pick<Deps, 'clock'>, client: Client, accountId: string): Promise<Books> {
  const account = await lockAccount(client, accountId);
  const subscription = await sql.lockSubscription(client, accountId);
  return { client, account, subscription, now: deps.clock() };
}
