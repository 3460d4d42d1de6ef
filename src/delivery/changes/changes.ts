// The change feed: every change of every property in commit order, without gaps, from any point in the last 30 days.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { DAY_MS, dayNumber } from '../../base/lib/clock.ts';
import { decodeCursor, encodeCursor, type CursorPosition } from '../../base/lib/cursors.ts';
import { ApiError, fail } from '../../base/lib/errors.ts';
import { todayFor } from '../../records/markets/catalog.ts';
import type { Filter } from '../../records/properties/filter.ts';
import { keepMatching as keepMatchingRows } from '../../records/properties/matches.ts';
import { listPropertyRows, suppressedAmong } from '../../records/properties/properties.ts';
import { redactPeople } from '../../records/properties/redact.ts';
import { presentChange } from '../../records/properties/record.ts';
import { findPosition, readPresent, type Position } from './positions.ts';
import * as sql from './sql.ts';
import { lastOf } from '../../base/lib/must.ts';

const KEPT_DAYS = 30;
const KEPT_MS = KEPT_DAYS * DAY_MS;
const READ = 1_000;
// A narrow filter reads many rows to find few. After this many the caller gets the matches so far and a cursor.
const MAX_READ = 50_000;
const POLL_MS = 250;

type FeedDeps = Pick<Deps, 'data' | 'secrets' | 'clock' | 'config' | 'catalog'>;

interface FeedQuery {
  mode: KeyMode;
  mayReadOwners: boolean;
  /** undefined: every property. */
  filter: Filter | undefined;
  kinds: string[] | undefined;
  from: 'earliest' | 'now';
  cursor: string | undefined;
  limit: number;
  waitSeconds: number;
}

export async function readFeed(deps: FeedDeps, query: FeedQuery) {
  const identity = identityOf(query);
  let position = await startOf(deps, query, identity);
  const deadline = performance.now() + Math.min(query.waitSeconds, deps.config.longestWaitSeconds) * 1000;
  for (;;) {
    const page = await readPage(deps, query, position);
    ({ position } = page);
    const isOver = page.rows.length > 0 || !page.isAtEnd || performance.now() >= deadline;
    if (isOver) {
      const changes = await presentRows(deps, query, page.rows);
      return { changes, isAtEnd: page.isAtEnd, cursor: cursorAt(deps, identity, position) };
    }
    await sleep(POLL_MS);
  }
}

/** A cursor for a snapshot's manifest; a feed with any filter can continue from it. */
export const cursorOf = (deps: FeedDeps, mode: KeyMode, position: Position): string =>
  cursorAt(deps, snapshotOf(mode), position);

const snapshotOf = (mode: KeyMode) => ['changes', mode, 'snapshot'];

function readCursor(deps: FeedDeps, mode: KeyMode, identity: unknown, cursor: string): CursorPosition {
  try {
    return decodeCursor(deps.secrets, snapshotOf(mode), cursor);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'cursor_mismatch') throw error;
    return decodeCursor(deps.secrets, identity, cursor);
  }
}

const identityOf = ({ mode, filter, kinds }: Pick<FeedQuery, 'mode' | 'filter' | 'kinds'>) => [
  'changes',
  mode,
  filter ?? null,
  kinds ?? null,
];

const cursorAt = (deps: FeedDeps, identity: unknown, { epoch, xid, seq }: Position): string =>
  encodeCursor(deps.secrets, identity, [xid, seq, deps.clock().getTime(), epoch]);

async function startOf(deps: FeedDeps, query: FeedQuery, identity: unknown): Promise<Position> {
  const now = deps.clock().getTime();
  if (query.cursor !== undefined) {
    const [xid, seq, issuedAt, epoch] = readCursor(deps, query.mode, identity, query.cursor);
    if (now - Number(issuedAt) > KEPT_MS) {
      fail(
        'cursor_expired',
        `The feed keeps ${KEPT_DAYS} days. Run a new full export and continue from the cursor in its manifest.`,
      );
    }
    const found = await findPosition(deps.data, { epoch: String(epoch), xid: String(xid), seq: Number(seq) });
    if ('position' in found) return found.position;
    fail(
      'cursor_expired',
      'The data was restored to a moment before this cursor, so changes you have read may no longer hold. ' +
        'Run a new full export and continue from the cursor in its manifest.',
    );
  }
  const present = await readPresent(deps.data);
  if (query.from === 'now') return present;
  // The last 30 days of a frozen market end with its last day.
  const today = todayFor(await deps.catalog.read(), query.mode, deps.clock);
  const end = Math.min(now, (dayNumber(today) + 1) * DAY_MS);
  const markets = await visibleMarkets(deps, query.mode);
  return { ...present, ...(await sql.findStart(deps.data, new Date(end - KEPT_MS), markets)) };
}

interface Page {
  rows: sql.FeedRow[];
  /** After the last row read, whether it was returned or not. */
  position: Position;
  isAtEnd: boolean;
}

async function readPage(deps: FeedDeps, { mode, kinds, filter, limit }: FeedQuery, start: Position): Promise<Page> {
  const markets = await visibleMarkets(deps, mode);
  const rows: sql.FeedRow[] = [];
  let position = start;
  for (let read = 0; read < MAX_READ;) {
    const batch = await sql.listAfter(deps.data, position, markets, READ);
    const wanted = kinds ? batch.filter((row) => kinds.includes(row.kind)) : batch;
    const kept = filter ? await keepMatching(deps, filter, wanted) : wanted;
    const room = limit - rows.length;
    rows.push(...kept.slice(0, room));
    if (kept.length >= room && room > 0 && (kept.length > room || batch.at(-1) !== kept[room - 1])) {
      const last = lastOf(rows);
      return { rows, position: { epoch: start.epoch, xid: last.xid, seq: last.seq }, isAtEnd: false };
    }
    const last = batch.at(-1);
    if (last) position = { epoch: start.epoch, xid: last.xid, seq: last.seq };
    if (batch.length < READ) return { rows, position, isAtEnd: true };
    if (rows.length >= limit) break;
    read += batch.length;
  }
  return { rows, position, isAtEnd: false };
}

/** The markets whose changes a key of this mode may see. */
export const visibleMarkets = async (deps: Pick<Deps, 'catalog'>, mode: KeyMode): Promise<string[]> => [
  ...new Set((await deps.catalog.read()).visible[mode].map((row) => row.market)),
];

/** The changes of properties that match. A newly retired one still matches by its last state. */
export async function keepMatching(deps: Pick<Deps, 'data' | 'catalog'>, filter: Filter, changes: sql.FeedRow[]) {
  if (changes.length === 0) return changes;
  const properties = await listPropertyRows(deps, [...new Set(changes.map((change) => change.property_id))]);
  const active = properties.map((row) => ({ ...row, status: 'active' as const }));
  const matching = new Set((await keepMatchingRows(deps, filter, active)).map((row) => row.id));
  return changes.filter((change) => matching.has(change.property_id));
}

async function presentRows(deps: FeedDeps, query: FeedQuery, rows: sql.FeedRow[]) {
  const suppressed =
    query.mayReadOwners && rows.length > 0
      ? await suppressedAmong(
          deps,
          rows.map((row) => row.property_id),
        )
      : new Set<string>();
  return rows.map((row) => {
    const change = presentChange(row);
    const showsPeople = query.mayReadOwners && !suppressed.has(row.property_id);
    return {
      ...(showsPeople ? change : { ...change, before: redactPeople(change.before), after: redactPeople(change.after) }),
      market: row.market,
    };
  });
}
