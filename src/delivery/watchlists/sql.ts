// Queries of watchlists, their members, and the relay's position.
import { insertRow, replaceRow } from '../../base/db/rows.ts';
import { countOwn, type Owner } from '../../customers/accounts/own-sql.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import {
  changeRows,
  findRow,
  getValue,
  hasRow,
  listRows,
  listValues,
  raw,
  type Part,
} from '../../base/db/statements.ts';
import type { Stored } from '../../base/lib/schema.ts';
import type { Watchlist } from './schema.ts';

export interface WatchlistRow extends Owner, Stored<typeof Watchlist, 'property_count' | 'is_ready'> {
  refreshed_at: Date | null;
  told_total: number | null;
}

export interface MemberRow {
  watchlist_id: string;
  property_id: string;
  value: number | null;
}

/** False if the account is at its limit. */
export const insertWatchlist = async (db: Queryable, list: WatchlistRow, limit: number) =>
  (await countOwn(db, 'watchlists', list)) < limit && insertRow(db, 'watchlists', list);

export const updateWatchlist = (db: Queryable, list: WatchlistRow) =>
  changeRows(db)`
     update watchlists set name = ${list.name}, filter = ${list.filter === null ? null : JSON.stringify(list.filter)},
       events = ${list.events}, valuation_change_percent = ${list.valuation_change_percent},
  updated_at = ${list.updated_at},
       refreshed_at = ${list.refreshed_at}, total_change_percent = ${list.total_change_percent},
         told_total = case when ${list.total_change_percent}::real is null then null else told_total end
     where id = ${list.id}`;

export async function countMembers(db: Queryable, ids: string[]): Promise<Map<string, number>> {
  const rows = await listRows<{ watchlist_id: string; n: number }>(db)`
    select watchlist_id, count(*) as n from watchlist_members where watchlist_id = any(${ids}) group by watchlist_id`;
  return new Map(rows.map((row) => [row.watchlist_id, row.n]));
}

/** Returns the ids that were not members before. */
export const insertMembers = (
  db: Queryable,
  listId: string,
  members: { id: string; value: number | null }[],
  now: Date,
) =>
  listValues<string>(db)`
    insert into watchlist_members (watchlist_id, property_id, value, added_at)
    select ${listId}, m.id, m.value, ${now} from unnest(${members.map((member) => member.id)}::text[], ${members.map((member) => member.value)}::bigint[]) as m (id, value)
    on conflict do nothing returning property_id`;

/** Returns the ids that were members. */
export const deleteMembers = (db: Queryable, listId: string, ids: string[]) =>
  listValues<string>(db)`
    delete from watchlist_members where watchlist_id = ${listId} and property_id = any(${ids}) returning property_id`;

export const listMemberIds = (db: Queryable, listId: string) =>
  listValues<string>(db)`
    select property_id from watchlist_members where watchlist_id = ${listId} order by property_id`;

export const listMemberPage = (db: Queryable, listId: string, after: string, limit: number) =>
  listRows<{ property_id: string; added_at: Date }>(db)`select property_id, added_at from watchlist_members
    where watchlist_id = ${listId} and property_id > ${after} order by property_id limit ${limit}`;

export const updateMemberValues = (db: Queryable, members: MemberRow[]) =>
  changeRows(db)`update watchlist_members m set value = n.value
    from unnest(${members.map((member) => member.watchlist_id)}::text[], ${members.map((member) => member.property_id)}::text[], ${members.map((member) => member.value)}::bigint[]) as n (watchlist_id, property_id, value)
    where m.watchlist_id = n.watchlist_id and m.property_id = n.property_id`;

/** The filter that has waited longest for its first collection, locked. */
export const takeUnfilled = (client: Client) =>
  findRow<WatchlistRow>(client)`
    select * from watchlists where refreshed_at is null order by created_at limit 1 for update skip locked`;

/** A filter last compared with the records before an instant, locked. */
export const takeStale = (client: Client, before: Date, due = raw('true')) =>
  findRow<WatchlistRow>(
    client,
  )`select * from watchlists where filter is not null and refreshed_at < ${before} and ${due}
    order by refreshed_at limit 1 for update skip locked`;

/** A list that reports its total and was last checked before an instant, locked. */
export const takeUnchecked = (client: Client, before: Date, due: Part) =>
  findRow<WatchlistRow>(client)`select * from watchlists
    where total_change_percent is not null and refreshed_at is not null and coalesce(total_checked_at, '-infinity') < ${before}
      and ${due} order by total_checked_at nulls first limit 1 for update skip locked`;

export const markChecked = (client: Client, id: string, { toldTotal, now }: { toldTotal: number; now: Date }) =>
  changeRows(client)`update watchlists set told_total = ${toldTotal}, total_checked_at = ${now} where id = ${id}`;

export const markRefreshed = (client: Client, id: string, now: Date) =>
  changeRows(client)`update watchlists set refreshed_at = ${now} where id = ${id}`;

export const listFilters = (db: Queryable) =>
  listRows<WatchlistRow>(db)`select * from watchlists where filter is not null and refreshed_at is not null`;

export const countWatchlists = (db: Queryable) => getValue<number>(db)`select count(*) as n from watchlists`;

export const listMembersOf = (db: Queryable, propertyIds: string[]) =>
  listRows<MemberRow & Pick<WatchlistRow, 'account_id' | 'mode' | 'events' | 'valuation_change_percent'>>(db)`
    select m.watchlist_id, m.property_id, m.value, w.account_id, w.mode, w.events, w.valuation_change_percent
    from watchlist_members m join watchlists w on w.id = m.watchlist_id
    where m.property_id = any(${propertyIds}) order by m.watchlist_id, m.property_id`;

interface PositionRow {
  epoch: string;
  xid: string;
  seq: number;
}

/** Locked until the transaction ends, so that one process relays at a time; undefined if another one does. */
export async function takePosition(client: Client, name: string): Promise<PositionRow | 'new' | undefined> {
  const row = await findRow<PositionRow>(client)`
    select epoch, xid, seq from relay_positions where name = ${name} for update skip locked`;
  if (row) return row;
  return (await hasRow(client)`select 1 from relay_positions where name = ${name}`) ? undefined : 'new';
}

export const writePosition = (client: Client, name: string, { epoch, xid, seq }: PositionRow, now: Date) =>
  replaceRow(client, 'relay_positions', 'name', { name, epoch, xid, seq, relayed_at: now });
