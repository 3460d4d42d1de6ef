// Per-minute limits across all processes. A process counts in memory and flushes to the shared count in portions, so
// most calls cost no round trip. A call that fills a portion waits until it is written, so a process has admitted at
// most two unshared portions, and n processes together admit at most `limit + 2 * n * portion` calls.
import { LRUCache } from 'lru-cache';
import { addMinuteCounts, deleteMinuteCountsBefore, type MinuteCount } from '../../base/db/minute-counts.ts';
import type { Connections } from '../../base/deps.ts';
import { MINUTE_MS } from '../../base/lib/clock.ts';
import { gather } from '../../base/lib/gather.ts';
import { entryOf } from '../../base/lib/must.ts';
import type { LimitState } from '../../customers/usage/admission.ts';

const MAX_SUBJECTS = 100_000;
const MAX_LOT = 500;
const PORTIONS = 50;
// Unmetered calls do not count toward the hour; this keeps a loop from exhausting the machine.
const FREE_CALLS_PER_MINUTE = 3_000;

export interface MinuteLimit {
  limit: number;
  /** For the response headers, as far as this process knows. */
  state(subject: string): LimitState;
  /** Counts a call. Returns the seconds until the minute is over if the call exceeds the limit, otherwise undefined. */
  take(subject: string): Promise<number | undefined>;
  /** How many calls a process counts before it writes them. */
  portion: number;
}

declare module '../../base/deps.ts' {
  interface Deps {
    minuteLimits: ReturnType<typeof createMinuteLimits>;
  }
}

const REPORTS_PER_MINUTE = 60;
const SIGN_INS_PER_MINUTE = 60;
/** A page takes two requests, and a file occupies a thread briefly. */
const SHARED_PAGES_PER_MINUTE = 60;
/** As many calls as an hour of browsing property pages; a valuation is the most expensive of them. */
const GUEST_CALLS_PER_MINUTE = 120;
/** A screen of map is about twenty tiles from each source. */
const GUEST_TILES_PER_MINUTE = 1_500;

export function createMinuteLimits(connections: Connections) {
  const write = createWriter(connections);
  // One cache for all limits: room for 100,000 subjects takes 3 MB before the first call.
  const entries: Entries = new LRUCache({ max: MAX_SUBJECTS });
  const limit = (name: string, perMinute: number) =>
    createMinuteLimit({ ...connections, write, entries }, name, perMinute);
  return {
    /** Requests per IP, before a key is read. */
    perIp: limit('ip', connections.config.ipLimitPerMinute),
    /** Refused keys and passwords per IP. */
    refusals: limit('refused', connections.config.refusalLimitPerMinute),
    /** Unmetered calls per account. */
    freeCalls: limit('free', FREE_CALLS_PER_MINUTE),
    /** Reports of browsers per IP. */
    reports: limit('report', REPORTS_PER_MINUTE),
    /** Calls of visitors without an account per IP, and tiles of their maps. */
    guestCalls: limit('guest', GUEST_CALLS_PER_MINUTE),
    guestTiles: limit('guest-tiles', GUEST_TILES_PER_MINUTE),
    /** OAuth registrations and authorizations per IP: each creates rows before anyone has signed in. */
    signIns: limit('oauth', SIGN_INS_PER_MINUTE),
    sharedPages: limit('shared', SHARED_PAGES_PER_MINUTE),
  };
}

type Write = (portion: MinuteCount) => Promise<number>;

/** Concurrent portions are written together; past minutes are deleted along the way. */
function createWriter({ control }: Connections): Write {
  let latestMinute = 0;
  return gather(async (portions: MinuteCount[]) => {
    const sums = new Map<string, MinuteCount>();
    for (const { subject, minute, calls } of portions) {
      const name = `${subject} ${minute}`;
      sums.set(name, { subject, minute, calls: calls + (sums.get(name)?.calls ?? 0) });
    }
    const totals = await addMinuteCounts(control, [...sums.values()]);
    const totalOf = new Map([...sums.keys()].map((name, index) => [name, totals[index]]));
    const minute = Math.max(...portions.map((portion) => portion.minute));
    if (minute > latestMinute) {
      latestMinute = minute;
      await deleteMinuteCountsBefore(control, minute - 1);
    }
    return portions.map((portion) => entryOf(totalOf, `${portion.subject} ${portion.minute}`));
  }, MAX_LOT);
}

/** Calls counted here; `base` is the number of calls before them, known once they are written. */
interface Batch {
  calls: number;
  base?: number;
}

interface Entry {
  minute: number;
  /** The known total, without the open batch. */
  shared: number;
  open: Batch;
  writing?: Promise<void>;
}

type Entries = LRUCache<string, Entry>;

function createMinuteLimit(
  { clock, log, write, entries }: Pick<Connections, 'clock' | 'log'> & { write: Write; entries: Entries },
  name: string,
  limit: number,
): MinuteLimit {
  const portion = Math.max(1, Math.floor(limit / PORTIONS));
  const entryOf = (subject: string, minute: number): Entry => {
    const key = `${name} ${subject}`;
    const known = entries.get(key);
    if (known?.minute === minute) return known;
    const entry = { minute, shared: 0, open: { calls: 0 } };
    entries.set(key, entry);
    return entry;
  };

  async function share(entry: Entry, batch: Batch, subject: string): Promise<void> {
    while (entry.writing) await entry.writing;
    if (batch.base !== undefined) return;
    const { calls } = batch;
    entry.open = { calls: 0 };
    entry.shared += calls;
    const writing = async () => {
      try {
        const total = await write({ subject: `${name} ${subject}`, minute: entry.minute, calls });
        entry.shared = Math.max(entry.shared, total);
      } catch (error) {
        // Without the database the process counts locally.
        log.warn({ err: error }, 'minute counts were not shared');
      }
      batch.base = entry.shared - calls;
      entry.writing = undefined;
    };
    entry.writing = writing();
    await entry.writing;
  }

  return {
    limit,
    portion,
    async take(subject) {
      const now = clock().getTime();
      const minute = Math.floor(now / MINUTE_MS);
      const entry = entryOf(subject, minute);
      const batch = entry.open;
      const index = (batch.calls += 1);
      if (index >= portion && entry.shared + index <= limit) await share(entry, batch, subject);
      const isOver = (batch.base ?? entry.shared) + index > limit;
      return isOver ? Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000) : undefined;
    },
    state(subject) {
      const now = clock().getTime();
      const entry = entryOf(subject, Math.floor(now / MINUTE_MS));
      const remaining = Math.max(0, limit - entry.shared - entry.open.calls);
      const resetSeconds = Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000);
      return { name, limit, windowSeconds: MINUTE_MS / 1000, remaining, resetSeconds };
    },
  };
}
