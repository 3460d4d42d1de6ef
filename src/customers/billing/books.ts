// An account and its subscription, locked: the basis of every change to an account's money.
import { lockAccount } from '../accounts/accounts.ts';
import type { AccountRow } from '../accounts/sql.ts';
import type { Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import * as sql from './sql.ts';

/** The author of a change, for the audit log. */
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

/** Locks the account first, then its subscription; the subscription is created where it is missing. */
export async function lockBooks(
  deps: Pick<Deps, 'clock'>,
  client: Client,
  accountId: string,
  provider: sql.SubscriptionRow['provider'] = 'manual',
): Promise<Books> {
  const account = await lockAccount(client, accountId);
  await sql.ensureSubscription(client, accountId, provider);
  const subscription = await sql.lockSubscription(client, accountId);
  return { client, account, subscription, now: deps.clock() };
}
