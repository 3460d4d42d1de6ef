// Every query of accounts and keys.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getValue, listRows, raw } from '../../base/db/statements.ts';
import type { KeyMode } from './key-format.ts';
import type { Allowance, Contract, PlanId } from './plans.ts';
import { insertRow, insertRows, replaceRow, updateRow } from '../../base/db/rows.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { Key } from './schema.ts';

export interface AccountRow {
  id: string;
  name: string;
  plan: PlanId;
  status: 'active' | 'suspended' | 'closed';
  created_at: Date;
  /** The start of the billing months or of the trial; null until a trial's card is on file. */
  anchor_at: Date | null;
  contract: Contract | null;
  /** The current month's allowance, where a plan change made it differ from the plan's own. */
  allowance: Allowance | null;
  /** When a canceled plan ends; live calls are rejected from then on, whether or not its last month is closed. */
  ends_at: Date | null;
  /** Why the account is suspended; null if it is not. */
  suspended_for: 'unpaid' | 'operator' | null;
  /** The account that a test clock belongs to. */
  parent_id: string | null;
  /** The current time of a test clock's account; null for an account in real time. */
  clock_at: Date | null;
}

export interface KeyRow extends Stored<typeof Key> {
  account_id: string;
  /** The key under which this one's hourly limit and spend cap are counted: the first of its lineage. */
  first_id: string;
}

const KEY_COLUMNS = `id, account_id, mode, prefix, last_four, name, scopes, allowed_ips, rate_limit_per_hour,
  spend_cap_cents, created_at, expires_at, revoked_at, replaced_by, first_id, created_by, last_used_at`;

export const ACCOUNT_COLUMNS =
  'id, name, plan, status, created_at, anchor_at, contract, allowance, ends_at, suspended_for, parent_id, clock_at';

/** Every process listens here, so a changed key leaves every cache at once. */
export const KEY_CHANNEL = 'api_keys';

export const insertAccount = (db: Queryable, account: AccountRow) => insertRows(db, 'accounts', [account]);

export const findAccount = (db: Queryable, id: string) =>
  findRow<AccountRow>(db)`select ${raw(ACCOUNT_COLUMNS)} from accounts where id = ${id}`;

export const lockAccount = (db: Queryable, id: string) =>
  findRow<AccountRow>(db)`select ${raw(ACCOUNT_COLUMNS)} from accounts where id = ${id} for update`;

export const listAccounts = (db: Queryable, ids: string[]) =>
  listRows<AccountRow>(db)`select ${raw(ACCOUNT_COLUMNS)} from accounts where id = any (${ids})`;

/** Every process drops the account's keys from its cache, and the terms with them. */
export async function updateAccount(db: Queryable, account: AccountRow): Promise<void> {
  const suspended_for = account.status === 'suspended' ? (account.suspended_for ?? 'operator') : null;
  await updateRow(db, 'accounts', 'id', { ...account, suspended_for });
  await changeRows(db)`select pg_notify(${KEY_CHANNEL}, ${account.id})`;
}

export const insertKey = (db: Queryable, key: KeyRow, digest: Buffer, grantId: string | undefined) =>
  insertRow(db, 'api_keys', { ...key, digest, grant_id: grantId });

/** The key and its account in one round trip, by the digest of the key's secret or by its id. */
export async function findKeyAndAccount(
  db: Queryable,
  by: 'digest' | 'id',
  value: Buffer | string,
): Promise<{ key: KeyRow; account: AccountRow } | undefined> {
  const prefixed = (columns: string, prefix: string) => columns.replace(/(\w+)(,|$)/g, prefix);
  const { rows } = await db.query({
    name: `find_key_by_${by}`,
    text: `select ${prefixed(KEY_COLUMNS, 'k.$1$2')}, ${prefixed(ACCOUNT_COLUMNS, 'a.$1 as "account.$1"$2')}
           from api_keys k join accounts a on a.id = k.account_id where k.${by} = $1`,
    values: [value],
  });
  const [row] = rows;
  const pick = (columns: string, prefix = '') =>
    Object.fromEntries(columns.match(/\w+/g)!.map((name) => [name, row[prefix + name]]));
  return row && { key: pick(KEY_COLUMNS) as KeyRow, account: pick(ACCOUNT_COLUMNS, 'account.') as AccountRow };
}

// The key of an app's grant is not one of the account's keys: it is shown and ended with the grant.

export const findKey = (db: Queryable, accountId: string, id: string) =>
  findRow<KeyRow>(db)`select ${raw(KEY_COLUMNS)} from api_keys
    where id = ${id} and account_id = ${accountId} and grant_id is null`;

/** Always locked in id order. */
export const lockKeys = (db: Queryable, accountId: string, ids: string[]) =>
  listRows<KeyRow>(db)`select ${raw(KEY_COLUMNS)} from api_keys
    where id = any (${ids}) and account_id = ${accountId} and grant_id is null order by id for update`;

export const listKeys = (
  db: Queryable,
  list: { accountId: string; mode?: KeyMode; after: [string, string] | undefined; limit: number },
) =>
  listRows<KeyRow>(db)`select ${raw(KEY_COLUMNS)} from api_keys
     where account_id = ${list.accountId} and grant_id is null and (${list.mode}::text is null or mode = ${list.mode})
       and (created_at, id) > (${list.after?.[0] ?? '-infinity'}, ${list.after?.[1] ?? ''})
     order by created_at, id limit ${list.limit}`;

export async function updateKey(db: Queryable, key: KeyRow): Promise<void> {
  await changeRows(db)`
    update api_keys set name = ${key.name}, scopes = ${key.scopes}, allowed_ips = ${key.allowed_ips}, rate_limit_per_hour = ${key.rate_limit_per_hour}, spend_cap_cents = ${key.spend_cap_cents},
      expires_at = ${key.expires_at}, revoked_at = ${key.revoked_at}, replaced_by = ${key.replaced_by} where id = ${key.id}`;
  await changeRows(db)`select pg_notify(${KEY_CHANNEL}, ${key.id})`;
}

export const countUsableKeys = (db: Queryable, accountId: string, mode: KeyMode, now: Date) =>
  getValue<number>(db)`select count(*)::int as n from api_keys
    where account_id = ${accountId} and mode = ${mode} and grant_id is null and revoked_at is null and (expires_at is null or expires_at > ${now})`;

export const touchKeys = (db: Queryable, uses: { id: string; usedAt: Date }[]) =>
  changeRows(db)`update api_keys k set last_used_at = greatest(k.last_used_at, u.used_at)
    from unnest(${uses.map((use) => use.id)}::text[], ${uses.map((use) => use.usedAt)}::timestamptz[]) as u (id, used_at) where k.id = u.id`;

export const listExpiringKeys = (db: Queryable, now: Date, until: Date) =>
  listRows<KeyRow>(db)`select ${raw(KEY_COLUMNS)} from api_keys
    where expires_at > ${now} and expires_at <= ${until} and revoked_at is null and replaced_by is null`;

export interface BrandingRow {
  account_id: string;
  name: string | null;
  logo: Buffer | null;
  logo_type: string | null;
  updated_at: Date;
}

export const findBranding = (db: Queryable, accountId: string) =>
  findRow<BrandingRow>(db)`select * from branding where account_id = ${accountId}`;

export const replaceBranding = (db: Queryable, row: BrandingRow) => replaceRow(db, 'branding', 'account_id', row);
