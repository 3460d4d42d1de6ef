// Watchlists: the properties an account monitors, by id or by a filter whose members are kept up to date.
import { announceWork } from '../../base/events/sql.ts';
import { recordAct, type Actor, type Caller } from '../../customers/accounts/accounts.ts';
import type { Asking } from '../../customers/accounts/asking.ts';
import { isScheduledFor, readNow } from '../../customers/accounts/clock-sql.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvents } from '../../base/events/events.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { presentRow } from '../../base/lib/schema.ts';
import { getOwn, ownerOf } from '../../customers/accounts/own-sql.ts';
import { isVisibleMarket } from '../../records/markets/catalog.ts';
import { readFilter, type FilterInput } from '../../records/properties/filter.ts';
import { listPropertyRows } from '../../records/properties/properties.ts';
import { filterOf } from '../../records/properties/request.ts';
import { countProperties } from '../../records/properties/count.ts';
import { searchProperties } from '../../records/properties/search.ts';
import { MAX_IDS, Watchlist, type NewWatchlist } from './schema.ts';
import type { Static } from 'typebox';
import * as sql from './sql.ts';

const MAX_WATCHLISTS = 500;
const MAX_MEMBERS = 50_000;
const DEFAULT_PERCENT = 5;
const REFRESH_AFTER_MS = 23 * 3_600_000;
const PAGE = 2_000;
/** The largest page of a search. */
const MAX_PAGE = 500;

type WatchlistOptions = Partial<Static<typeof NewWatchlist>>;

export async function createWatchlist(
  deps: Deps,
  request: Asking,
  options: WatchlistOptions & { name: string },
): Promise<sql.WatchlistRow> {
  const { account, key } = request.caller;
  const { mode } = key;
  const { property_ids: ids, filter } = options;
  if ((ids === undefined) === (filter === undefined))
    fail('invalid_request', 'A watchlist needs either `property_ids` or a `filter`.');
  if (filter) await payForFilter(deps, request, filter);
  const members = ids ? await findMembers(deps, mode, ids) : [];
  const now = deps.clock();
  const list: sql.WatchlistRow = {
    id: randomId('wl'),
    account_id: account.id,
    mode,
    name: options.name,
    filter: filter ?? null,
    events: options.events ?? ['*'],
    valuation_change_percent: options.valuation_change_percent ?? DEFAULT_PERCENT,
    created_at: now,
    updated_at: now,
    refreshed_at: filter ? null : now,
    total_change_percent: options.total_change_percent ?? null,
    told_total: null,
  };
  await inTransaction(deps.control, async (client) => {
    if (!(await sql.insertWatchlist(client, list, MAX_WATCHLISTS)))
      fail('plan_feature_unavailable', `An account can have at most ${MAX_WATCHLISTS} watchlists.`, {
        limit: MAX_WATCHLISTS,
      });
    await sql.insertMembers(client, list.id, members, now);
    await recordAct(deps, client, request.by, 'watchlist.created', list, { mode, name: list.name });
    await announceWork(client, 'watchlists');
  });
  return list;
}

/** Only for a caller who may use its filter: the members of an owner filter reveal their owners. */
export async function getWatchlist(deps: Pick<Deps, 'control'>, caller: Caller, id: string): Promise<sql.WatchlistRow> {
  const list = await getOwn<sql.WatchlistRow>(deps.control, 'watchlists', ownerOf(caller), id);
  if (list.filter) filterOf(caller, list.filter);
  return list;
}

export async function changeWatchlist(
  deps: Deps,
  request: Asking,
  list: sql.WatchlistRow,
  changes: Omit<WatchlistOptions, 'property_ids'>,
): Promise<sql.WatchlistRow> {
  if (changes.filter) {
    if (list.filter === null)
      fail('invalid_state', 'A watchlist of property ids cannot be given a filter. Create another watchlist.');
    await payForFilter(deps, request, changes.filter);
  }
  // A new filter's members are collected again, and the differences are reported like any other.
  const refreshed_at = changes.filter ? new Date(0) : list.refreshed_at;
  const changed = { ...list, ...changes, updated_at: deps.clock(), refreshed_at };
  await inTransaction(deps.control, async (client) => {
    await sql.updateWatchlist(client, changed);
    await recordAct(deps, client, request.by, 'watchlist.changed', list, { members: Object.keys(changes) });
    if (changes.filter) await announceWork(client, 'watchlists');
  });
  return changed;
}

export async function changeMembers(
  deps: Deps,
  list: sql.WatchlistRow,
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
  by: Actor,
): Promise<{ added: number; removed: number }> {
  if (list.filter !== null) fail('invalid_state', 'The properties of this watchlist are determined by its filter.');
  const members = await findMembers(deps, list.mode, add);
  return inTransaction(deps.control, async (client) => {
    const removed = await sql.deleteMembers(client, list.id, remove);
    const added = await sql.insertMembers(client, list.id, members, deps.clock());
    const total = (await sql.countMembers(client, [list.id])).get(list.id) ?? 0;
    if (total > MAX_IDS)
      fail('invalid_request', `A watchlist can have at most ${MAX_IDS} property ids.`, { limit: MAX_IDS });
    const details = { added: added.length, removed: removed.length };
    await recordAct(deps, client, by, 'watchlist.members_changed', list, details);
    return details;
  });
}

async function findMembers(deps: Deps, mode: KeyMode, ids: string[]) {
  const catalog = await deps.catalog.read();
  const rows = await listPropertyRows(deps, ids);
  const visible = new Map(rows.filter((row) => isVisibleMarket(catalog, row.market, mode)).map((row) => [row.id, row]));
  const missing = ids.find((id) => !visible.has(id));
  if (missing !== undefined) fail('property_not_found', `No property visible to this key has the id \`${missing}\`.`);
  return [...visible.values()].map((row) => ({ id: row.id, value: row.value }));
}

/** Collecting a live filter costs as many standard calls as paging through the same search. */
async function payForFilter(deps: Deps, { caller, holdUnits }: Asking, input: Record<string, unknown>): Promise<void> {
  const { mode } = caller.key;
  const count = await countProperties(deps, mode, filterOf(caller, input));
  // Does not state the number: an error is free and must not act as a free count.
  if (count > MAX_MEMBERS)
    fail('invalid_request', `The filter matches more than the ${MAX_MEMBERS} properties a watchlist can hold.`, {
      limit: MAX_MEMBERS,
    });
  await holdUnits(callsFor(count));
}

/** The price of reading this many homes, as by paging through a search. */
export const callsFor = (homes: number) => Math.max(1, Math.ceil(homes / MAX_PAGE));

/** Collects the properties of a new filter; true if there was one. */
export const fillWatchlist = async (deps: Deps): Promise<boolean> =>
  inTransaction(deps.control, async (client) => {
    const list = (await sql.takeUnfilled(client)) ?? (await sql.takeStale(client, new Date(1)));
    if (!list) return false;
    await refresh(deps, client, list);
    return true;
  });

/** Once a day each filter is compared with all records, to catch changes without a change record: those of one account,
    or of all in real time. */
export async function refreshWatchlists(deps: Deps, only?: string): Promise<void> {
  const before = new Date(deps.clock().getTime() - REFRESH_AFTER_MS);
  for (let isBusy = true; isBusy;) {
    isBusy = await inTransaction(deps.control, async (client) => {
      const list = await sql.takeStale(client, before, isScheduledFor(only));
      if (list) await refresh(deps, client, list);
      return list !== undefined;
    });
  }
}

async function refresh(deps: Deps, client: Parameters<typeof sql.markRefreshed>[0], list: sql.WatchlistRow) {
  const now = await readNow(deps, client, list.account_id);
  const matching = await listMatching(deps, list);
  const known = new Set(await sql.listMemberIds(client, list.id));
  const added = await sql.insertMembers(
    client,
    list.id,
    [...matching].filter(([id]) => !known.has(id)).map(([id, value]) => ({ id, value })),
    now,
  );
  const removed = await sql.deleteMembers(
    client,
    list.id,
    [...known].filter((id) => !matching.has(id)),
  );
  await sql.markRefreshed(client, list.id, now);
  // The first collection is not news.
  if (list.refreshed_at === null) return;
  const eventsOf = (type: 'watchlist.property_added' | 'watchlist.property_removed', ids: string[]) =>
    ids.map((property_id) => ({
      accountId: list.account_id,
      mode: list.mode,
      type,
      data: { watchlist_id: list.id, property_id },
      occurredAt: now,
    }));
  await recordEvents(client, [
    ...eventsOf('watchlist.property_added', added),
    ...eventsOf('watchlist.property_removed', removed),
  ]);
}

async function listMatching(deps: Deps, list: sql.WatchlistRow): Promise<Map<string, number | null>> {
  const filter = readFilter(list.filter as FilterInput);
  const matching = new Map<string, number | null>();
  for (let cursor: string | undefined; ;) {
    const { rows, nextCursor } = await searchProperties({ ...deps, dataReplica: deps.data }, list.mode, {
      filter,
      sort: undefined,
      limit: PAGE,
      cursor,
    });
    for (const row of rows) matching.set(row.id, row.value);
    if (nextCursor === null || matching.size >= MAX_MEMBERS) return matching;
    cursor = nextCursor;
  }
}

export const presentWatchlist = (list: sql.WatchlistRow, count: number) => ({
  object: 'watchlist' as const,
  ...presentRow(Watchlist, list),
  property_count: count,
  is_ready: list.refreshed_at !== null,
});
