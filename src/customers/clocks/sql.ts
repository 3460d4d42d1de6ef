// Queries of test clocks: list, advance, find the next due instant, and delete with all data.
import { ACCOUNT_COLUMNS, KEY_CHANNEL, type AccountRow } from '../accounts/sql.ts';
import type { SubscriptionRow } from '../billing/sql.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import TABLES from './tables.json' with { type: 'json' };
import { changeRows, findRow, getValue, listRows, part, raw } from '../../base/db/statements.ts';

export interface ClockRow extends AccountRow {
  parent_id: string;
  clock_at: Date;
  billing_status: SubscriptionRow['status'];
  term_end: Date | null;
  next_plan: SubscriptionRow['next_plan'];
  cancels_at_end: boolean;
}

const CLOCKS = part`select a.*, coalesce(s.status, 'none') as billing_status, s.term_end, s.next_plan,
    coalesce(s.cancels_at_end, false) as cancels_at_end
  from (select ${raw(ACCOUNT_COLUMNS)} from accounts) a left join subscriptions s on s.account_id = a.id`;

export const findClock = (db: Queryable, parentId: string, id: string) =>
  findRow<ClockRow>(db)`${CLOCKS} where a.id = ${id} and a.parent_id = ${parentId}`;

export const listClocks = (db: Queryable, parentId: string, after: [string, string] | undefined, limit: number) =>
  listRows<ClockRow>(db)`${CLOCKS}
    where a.parent_id = ${parentId} and (a.created_at, a.id) > (${after?.[0] ?? '-infinity'}, ${after?.[1] ?? ''})
    order by a.created_at, a.id limit ${limit}`;

export const countClocks = (db: Queryable, parentId: string) =>
  getValue<number>(db)`select count(*)::int from accounts where parent_id = ${parentId}`;

/** The start of its months or of its trial. */
export const findAnchor = (db: Queryable, id: string) =>
  getValue<Date | null>(db)`select anchor_at from accounts where id = ${id}`;

/** Never backward, even with concurrent moves. */
export const moveClock = (db: Queryable, id: string, to: Date) =>
  changeRows(db)`update accounts set clock_at = greatest(clock_at, ${to}) where id = ${id} and clock_at is not null`;

/** The first instant after one at which an invoice is tried again or a filter is compared with the records. */
export const findNextDue = (db: Queryable, id: string, after: Date, refreshMs: number) =>
  getValue<Date | null>(db)`select min(at) from (
      select next_attempt_at as at from invoices where account_id = ${id} and status = 'open'
      union all select refreshed_at + ${refreshMs} * interval '1 ms' from watchlists
        where account_id = ${id} and filter is not null) due
    where at > ${after}`;

/** Deletes the test clock and all its rows, in an order that respects references. */
export async function deleteClock(db: Queryable, id: string): Promise<void> {
  for (const table of TABLES) await changeRows(db)`delete from ${raw(table)} where account_id = ${id}`;
  await changeRows(db)`delete from key_spends where key_id in (select id from api_keys where account_id = ${id})`;
  await changeRows(db)`delete from api_keys where account_id = ${id}`;
  await changeRows(db)`delete from accounts where id = ${id} and clock_at is not null`;
  await changeRows(db)`select pg_notify(${KEY_CHANNEL}, ${id})`;
}
