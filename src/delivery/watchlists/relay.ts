// Turns property changes into account events: reads the data plane's changes in commit order and writes the resulting
// events and the new position in one transaction. Exactly once, even if a process is killed.
import { findPosition, readPresent } from '../changes/positions.ts';
import { redactPeople } from '../../records/properties/redact.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { recordEvents, type NewEvent } from '../../base/events/events.ts';
import { PROPERTY_KINDS, type PropertyKind } from '../../base/events/kinds.ts';
import { isVisibleMarket, type Catalog } from '../../records/markets/catalog.ts';
import { readFilter, type FilterInput } from '../../records/properties/filter.ts';
import { keepMatching } from '../../records/properties/matches.ts';
import { listPropertyRows } from '../../records/properties/properties.ts';
import { presentChange } from '../../records/properties/record.ts';
import { type FeedRow, listAfter } from '../changes/sql.ts';
import * as sql from './sql.ts';
import { entryOf, lastOf } from '../../base/lib/must.ts';

const NAME = 'watchlists';
const PORTION = 1_000;
// Keeps a payload under the documented 20 kB.
const MAX_CHANGE_BYTES = 12_000;

type Member = Awaited<ReturnType<typeof sql.listMembersOf>>[number];

/** Relays one chunk of changes; true if there may be more. */
export const relayChanges = async (deps: Deps): Promise<boolean> =>
  inTransaction(deps.control, async (client) => {
    const taken = await sql.takePosition(client, NAME);
    if (taken === undefined) return false;
    // Without watchlists there is no one to notify, so these changes need not be read later.
    if (taken === 'new' || (await sql.countWatchlists(client)) === 0) {
      await sql.writePosition(client, NAME, await readPresent(deps.data), deps.clock());
      return false;
    }
    const found = await findPosition(deps.data, taken);
    // A change sent before a restore may be read again but is not sent again: its events carry its id.
    const start = 'lost' in found ? found.restart : found.position;
    const changes = await listAfter(deps.data, start, undefined, PORTION);
    if (changes.length === 0) {
      if ('lost' in found) await sql.writePosition(client, NAME, start, deps.clock());
      return false;
    }
    const facts = { 'platbook.changes': changes.length };
    await deps.telemetry.span('relay changes', { facts }, () => tellWatchlists(deps, client, changes));
    const { xid, seq } = lastOf(changes);
    await sql.writePosition(client, NAME, { epoch: start.epoch, xid, seq }, deps.clock());
    return true;
  });

async function tellWatchlists(deps: Deps, client: Client, changes: FeedRow[]): Promise<void> {
  const ids = [...new Set(changes.map((change) => change.property_id))];
  const [members, filters, catalog] = [
    await sql.listMembersOf(client, ids),
    await sql.listFilters(client),
    await deps.catalog.read(),
  ];
  const membersOf = Map.groupBy(members, (member) => member.property_id);
  const moved: sql.MemberRow[] = [];
  const events: NewEvent[] = [];
  for (const change of changes) {
    for (const member of membersOf.get(change.property_id) ?? []) {
      if (!isWanted(member, change) || !isVisible(catalog, change, member)) continue;
      if (change.kind === 'valuation.changed') {
        if (!hasMoved(member, change)) continue;
        member.value = valueOf(change.after) ?? member.value;
        moved.push(member);
      }
      events.push(eventOf(member, change));
    }
  }
  if (moved.length > 0) await sql.updateMemberValues(client, [...new Set(moved)]);
  if (filters.length > 0) events.push(...(await moveMembers(deps, client, { lists: filters, changes, catalog })));
  await recordEvents(client, events);
}

const isWanted = (member: Member, change: FeedRow): boolean =>
  PROPERTY_KINDS.includes(change.kind as PropertyKind) &&
  (member.events.includes('*') ||
    member.events.includes(change.kind) ||
    member.events.includes(`${change.kind.split('.')[0]}.*`));

const isVisible = (catalog: Catalog, change: FeedRow, { mode }: Pick<Member, 'mode'>): boolean =>
  isVisibleMarket(catalog, change.market, mode);

/** Measured from the last notification, so many small changes are eventually reported. */
function hasMoved(member: Member, change: FeedRow): boolean {
  const from = member.value ?? valueOf(change.before);
  const to = valueOf(change.after);
  if (from === null || to === null || from === 0) return to !== null;
  return (100 * Math.abs(to - from)) / from >= member.valuation_change_percent;
}

function valueOf(side: unknown): number | null {
  const value = (side as { value?: unknown } | null)?.value;
  return typeof value === 'number' ? value : null;
}

function eventOf(member: Member, row: FeedRow): NewEvent<PropertyKind> {
  const { id, property_id, op, changed_fields, occurred_at, ...change } = presentChange(row);
  const [before, after] = [redactPeople(change.before), redactPeople(change.after)];
  const isSmall = JSON.stringify([before, after]).length <= MAX_CHANGE_BYTES;
  return {
    accountId: member.account_id,
    mode: member.mode,
    type: row.kind as PropertyKind,
    data: {
      watchlist_id: member.watchlist_id,
      property_id,
      change_id: id,
      op,
      changed_fields,
      ...(isSmall ? { before, after } : { before: null, after: null, truncated: true as const }),
      occurred_at,
    },
    sourceKey: `${id}:${member.watchlist_id}`,
    occurredAt: row.occurred_at,
  };
}

/** Compares filters with the current records: adds properties that now match, removes those that no longer do. */
async function moveMembers(
  deps: Deps,
  client: Client,
  { lists, changes, catalog }: { lists: sql.WatchlistRow[]; changes: FeedRow[]; catalog: Catalog },
): Promise<NewEvent[]> {
  const latest = new Map(changes.map((change) => [change.property_id, change]));
  const rows = await listPropertyRows(deps, [...latest.keys()]);
  const events: NewEvent[] = [];
  for (const list of lists) {
    const filter = readFilter(list.filter as FilterInput);
    const visible = rows.filter((row) => isVisibleMarket(catalog, row.market, list.mode));
    const inside = await keepMatching(deps, filter, visible);
    const fitting = new Set(inside);
    const outside = rows.filter((row) => !fitting.has(row));
    const now = deps.clock();
    const added = await sql.insertMembers(client, list.id, inside, now);
    const removed = await sql.deleteMembers(
      client,
      list.id,
      outside.map((row) => row.id),
    );
    const emit = (type: MembershipKind) => (id: string) =>
      events.push(membershipEvent(list, type, id, entryOf(latest, id)));
    added.forEach(emit('watchlist.property_added'));
    removed.forEach(emit('watchlist.property_removed'));
  }
  return events;
}

type MembershipKind = 'watchlist.property_added' | 'watchlist.property_removed';

const membershipEvent = (
  list: sql.WatchlistRow,
  type: MembershipKind,
  propertyId: string,
  cause: FeedRow,
): NewEvent<MembershipKind> => ({
  accountId: list.account_id,
  mode: list.mode,
  type,
  data: { watchlist_id: list.id, property_id: propertyId, change_id: presentChange(cause).id },
  sourceKey: `${presentChange(cause).id}:${list.id}:${type}`,
  occurredAt: cause.occurred_at,
});
