// Every query of digests: subscriptions, sent digests, and their contents on loans and lists.
import type { Queryable } from '../../base/db/postgres.ts';
import { insertRow } from '../../base/db/rows.ts';
import { changeRow, changeRows, findRow, listRows, part } from '../../base/db/statements.ts';
import type { Owner } from '../../customers/accounts/own-sql.ts';
import type { Role } from '../../customers/people/sql.ts';
import type { AreaKey } from '../../insight/analytics/schema.ts';
import type { LoanChange } from '../loans/schema.ts';
import type { WatchlistRow } from '../watchlists/sql.ts';

export interface Period {
  kind: 'week' | 'month' | 'hour';
  start: Date;
  end: Date;
}

export interface Subscriber extends Owner {
  user_id: string;
}

export interface SubscriptionRow extends Subscriber {
  watchlists: boolean;
  loans: boolean;
  receipts: boolean;
  areas: AreaKey[];
  created_at: Date;
}

const of = ({ user_id, account_id, mode }: Subscriber) =>
  part`user_id = ${user_id} and account_id = ${account_id} and mode = ${mode}`;

export const findSubscription = (db: Queryable, subscriber: Subscriber) =>
  findRow<SubscriptionRow>(db)`select * from digest_subscriptions where ${of(subscriber)}`;

export const upsertSubscription = (db: Queryable, row: SubscriptionRow) =>
  insertRow(
    db,
    'digest_subscriptions',
    { ...row, areas: JSON.stringify(row.areas) },
    `on conflict (user_id, account_id, mode) do update
       set watchlists = excluded.watchlists, loans = excluded.loans, receipts = excluded.receipts, areas = excluded.areas`,
  );

export const deleteSubscription = (db: Queryable, subscriber: Subscriber) =>
  changeRows(db)`delete from digest_subscriptions where ${of(subscriber)}`;

export interface Reader extends SubscriptionRow {
  email: string;
  role: Role;
  /** The last reported state of each area, and the last root. */
  told: Record<string, string>;
}

export const nameOf = ({ kind, start }: Pick<Period, 'kind' | 'start'>) => `${kind} ${start.toISOString()}`;

/** Members of active accounts who subscribed before the period ended and whose email is not settled. */
export const listReaders = (db: Queryable, { kind, start, end }: Period) =>
  listRows<Reader>(db)`
    select s.*, u.email, m.role from digest_subscriptions s
    join users u on u.id = s.user_id
    join members m on m.user_id = s.user_id and m.account_id = s.account_id
    join accounts a on a.id = s.account_id and a.status = 'active'
    where s.created_at < ${end}
      and case ${kind} when 'hour' then s.receipts when 'month' then s.loans else s.watchlists or s.areas <> '[]' end
      and not exists (select from digests d where d.user_id = s.user_id
      and d.account_id = s.account_id and d.mode = s.mode and d.period = ${nameOf({ kind, start })} and d.settled_at is not null)
    order by s.account_id, s.user_id`;

/** False if another process has the claim. A claim older than `stale` that is not settled died with its process. */
export const claimDigest = (db: Queryable, reader: Subscriber, period: string, now: Date, stale: Date) =>
  changeRow(db)`
    insert into digests as d (user_id, account_id, mode, period, claimed_at)
    values (${reader.user_id}, ${reader.account_id}, ${reader.mode}, ${period}, ${now})
    on conflict (user_id, account_id, mode, period) do update set claimed_at = excluded.claimed_at
      where d.settled_at is null and d.claimed_at < ${stale}`;

/** False if another process has taken it over since. */
export const settleDigest = (db: Queryable, reader: Subscriber, period: string, claimedAt: Date, at: Date | null) =>
  changeRow(db)`
    update digests set settled_at = ${at} where ${of(reader)} and period = ${period} and claimed_at = ${claimedAt}`;

export const markSent = async (db: Queryable, reader: Reader, period: string, now: Date): Promise<void> => {
  await changeRows(db)`update digests set sent_at = ${now} where ${of(reader)} and period = ${period}`;
  await changeRows(db)`update digest_subscriptions set told = ${JSON.stringify(reader.told)} where ${of(reader)}`;
};

export const deleteOldDigests = (db: Queryable, before: Date) =>
  changeRows(db)`delete from digests where claimed_at < ${before}`;

export const listWatchlists = (db: Queryable, { account_id, mode }: Owner) =>
  listRows<WatchlistRow>(db)`
    select * from watchlists where account_id = ${account_id} and mode = ${mode} and refreshed_at is not null
    order by name, id`;

export const listLoanChanges = (db: Queryable, { account_id, mode }: Owner, { start, end }: Period) =>
  listRows<{ loan_id: string; reference: string | null; changes: LoanChange[] }>(db)`
    select l.id as loan_id, l.reference, c.changes from loans l join loan_conditions c on c.loan_id = l.id
    where l.account_id = ${account_id} and l.mode = ${mode} and c.changes <> '[]'
      and c.known_at >= ${start} and c.known_at < ${end}
    order by c.known_at, l.id limit 1000`;
