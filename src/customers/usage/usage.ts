// The usage of an account: admission, the journal of sent responses, its booking, holds for batches,
// and the numbers shown by the API.
import { createTurns } from '../../base/lib/turns.ts';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../../base/lib/clock.ts';
import { retentionCutoffs, includedIn, termsOf, type MeterName } from '../accounts/plans.ts';
import type { Caller } from '../accounts/accounts.ts';
import { isMetered, nowOf, readNow } from '../accounts/clock-sql.ts';
import { limitsOf } from '../accounts/limits.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { randomId } from '../../base/lib/ids.ts';
import { type AccountRow } from '../accounts/sql.ts';
import { allHeld, createAdmissions, describeRefusal, holdFor, type Admissions } from './admission.ts';
import { bookEvents, bookNextLines, closeBooked, endHolds } from './booking.ts';
import { journalPath, openJournal, removeJournal, type Journal, type JournalLine } from './journal.ts';
import { usagePeriod } from './periods.ts';
import { rateMonth } from './rating.ts';
import { readStretches } from './stretches.ts';
import * as journals from './journal-sql.ts';
import * as sql from './sql.ts';
import { lastOf } from '../../base/lib/must.ts';

const FLUSH_MS = 100;
const HEARTBEAT_MS = 10_000;
// A process on another machine that has been silent for this long is considered gone.
const LOST_AFTER_MS = 15 * 60_000;
const FORGOTTEN_AFTER_MS = 30 * DAY_MS;
const SEGMENT_BYTES = 32 * 1024 * 1024;

export interface Usage extends Admissions {
  /** Before a charged response is sent: from here on it is charged, even if this process is killed. Throws if the disk is
      full. Returns the promise that the line of the finished request keeps or takes back. */
  promise(line: JournalLine): number;
  /** Writes a finished request to the journal; its charge is booked within moments. */
  record(line: JournalLine): void;
  /** Releases a hold whose caller has disconnected. */
  release(holdId: string): Promise<void>;
  /** Books everything written so far. */
  flush(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Owners that write a journal in this process. */
const liveOwners = new Set<string>();

type UsageDeps = Pick<Deps, 'control' | 'clock' | 'config' | 'log'>;

export function createUsage(deps: UsageDeps): Usage {
  const owner = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const folder = journalFolder(deps);
  const admissions = createAdmissions(deps, owner);
  let journal: Journal | undefined;
  let booked = 0;
  let segments = 0;
  let timer: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  const inTurn = createTurns();
  let promises = 0;
  const promised = new Map<number, JournalLine>();
  /** Lines that found the disk full. */
  const waiting: JournalLine[] = [];

  async function openSegment(): Promise<Journal> {
    const id = `${owner}-${(segments += 1)}`;
    const journal = { id, owner, host: hostname(), pid: process.pid, heartbeat_at: deps.clock() };
    await journals.insertJournal(deps.control, journal);
    return openJournal(folder, id);
  }

  async function closeSegment(segment: Journal): Promise<void> {
    segment.close();
    await journals.closeJournal(deps.control, segment.id, deps.clock());
    removeJournal(folder, segment.id);
  }

  async function bookAll(): Promise<void> {
    if (!journal) return;
    for (; waiting.length > 0; waiting.shift()) journal.append(waiting[0]);
    journal.settle();
    const target = journal.size();
    while (booked < target) booked = await bookNextLines(deps, folder, journal.id, booked);
    if (booked < SEGMENT_BYTES) return;
    const next = await openSegment();
    // Lines may have arrived while the new segment was registered; they stay in the old one and are booked first.
    for (journal.settle(); booked < journal.size(); journal.settle())
      booked = await bookNextLines(deps, folder, journal.id, booked);
    const full = journal;
    for (const [n, line] of promised) next.append({ n, o: line });
    journal = next;
    booked = 0;
    await closeSegment(full);
  }

  function scheduleFlush(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush().catch((error: Error) => {
        deps.log.warn({ err: error }, 'booking usage failed; it stays in the journal and will be retried');
        scheduleFlush();
      });
    }, FLUSH_MS).unref();
  }

  /** One at a time: a flush requested during another runs after it, so that it covers what was written since. */
  const flush = () => inTurn(bookAll);

  return {
    ...admissions,
    promise(line) {
      if (!journal) throw new Error('The usage journal is not open.');
      const n = (promises += 1);
      journal.append({ n, o: line });
      promised.set(n, line);
      return n;
    },
    record(line) {
      if (!journal) throw new Error('The usage journal is not open.');
      if (line.n !== undefined) promised.delete(line.n);
      try {
        // A process killed before it writes the line is taken to have kept its promise, which is what the line says.
        if (line.n !== undefined && line.c !== undefined) journal.appendLater(line);
        else journal.append(line);
      } catch (error) {
        deps.log.warn({ err: error }, 'writing the usage journal failed; the line waits in memory');
        waiting.push(line);
      }
      scheduleFlush();
    },
    release: (holdId) =>
      inTransaction(deps.control, async (client) => endHolds(client, await sql.deleteHolds(client, [holdId]))),
    flush,
    async start() {
      liveOwners.add(owner);
      journal = await openSegment();
      await adoptJournals(deps);
      heartbeat = setInterval(() => {
        void journals.touchJournal(deps.control, journal!.id, deps.clock()).catch(() => {});
        void adoptJournals(deps).catch(() => {});
      }, HEARTBEAT_MS);
      heartbeat.unref();
    },
    async stop() {
      clearInterval(heartbeat);
      await flush();
      clearTimeout(timer);
      if (journal) await closeSegment(journal);
      journal = undefined;
      liveOwners.delete(owner);
      await releaseAllOf(deps, owner);
    },
  };
}

const journalFolder = (deps: Pick<Deps, 'config'>): string => join(deps.config.home, 'journal');

/** Books what killed processes on this machine left behind, then releases what they held. */
export async function adoptJournals(deps: UsageDeps): Promise<void> {
  for (const row of await journals.listOpenJournals(deps.control)) {
    if (isRunning(row, deps.clock())) continue;
    try {
      await adoptJournal(deps, row);
    } catch (error) {
      // Another process may have been quicker; anything left is found again on the next heartbeat.
      deps.log.warn({ err: error, journal: row.id }, 'adopting a journal failed');
    }
  }
}

async function adoptJournal(deps: UsageDeps, row: journals.JournalRow): Promise<void> {
  const folder = journalFolder(deps);
  const isHere = existsSync(journalPath(folder, row.id));
  const silentMs = deps.clock().getTime() - row.heartbeat_at.getTime();
  // Another machine may come back with its file, so its holds end now but its journal is kept open for a month.
  if (!isHere && silentMs < LOST_AFTER_MS) return;
  if (isHere) {
    for (let from = -1, to = row.booked_bytes; to !== from;) {
      from = to;
      to = await bookNextLines(deps, folder, row.id, from);
    }
  }
  if (isHere) await closeBooked(deps, folder, row.id);
  else if (silentMs > FORGOTTEN_AFTER_MS) await journals.closeJournal(deps.control, row.id, deps.clock());
  if (isHere) removeJournal(folder, row.id);
  await releaseAllOf(deps, row.owner);
}

const releaseAllOf = ({ control }: UsageDeps, owner: string) =>
  inTransaction(control, async (client) => endHolds(client, await sql.deleteHoldsOfOwner(client, owner)));

/** Pids are reused, in containers at every start, so within this process only its own owners count as alive. */
function isRunning(row: journals.JournalRow, now: Date): boolean {
  if (row.host !== hostname()) return now.getTime() - row.heartbeat_at.getTime() < LOST_AFTER_MS;
  return row.pid === process.pid ? liveOwners.has(row.owner) : isAlive(row.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

interface Units {
  standard: number;
  avm: number;
}

/** Meters in the order in which every transaction locks them. */
const METERS: MeterName[] = ['avm', 'standard'];

/** Refuses, with the appropriate 402, a live call by an account that has nothing to charge it to. */
export function refuseUnpaid(account: AccountRow, now: Date): void {
  if (account.status !== 'active') {
    fail('payment_required', `The account is ${account.status}. See the dashboard under Billing.`);
  }
  if (account.ends_at !== null && account.ends_at <= now) {
    fail('payment_required', 'The plan was canceled and has ended. Choose one in the dashboard under Billing.');
  }
  if (account.plan !== 'trial') return;
  if (account.anchor_at === null) {
    fail('payment_required', 'The trial starts when a card is on file. Add one in the dashboard under Billing.');
  }
  if (usagePeriod(account, now).end <= now) {
    fail('trial_expired', 'The 14-day trial has ended. Choose a plan in the dashboard under Billing.');
  }
}

/**
 * Holds units of both meters in the caller's transaction, or fails with 402. Returns the hold's id, or null for a
 * sandbox key, whose calls are not counted unless it is a test clock's.
 */
export async function holdUnits(client: Client, caller: Caller, units: Units, now: Date): Promise<string | null> {
  if (!isMetered(caller)) return null;
  const { account } = caller;
  refuseUnpaid(account, account.clock_at ?? now);
  const id = randomId('hold');
  const { start } = usagePeriod(account, account.clock_at ?? now);
  await sql.lockCounters(client, account.id, start);
  for (const meter of METERS) {
    if (units[meter] === 0) continue;
    const wanted = { id: `${id}:${meter}`, meter, units: units[meter], periodStart: start, owner: null };
    const hold = holdFor(caller, wanted);
    const refusal = await sql.holdUnits(client, hold, now);
    if (refusal === 'held') throw allHeld();
    if (refusal) fail(refusal, describeRefusal(refusal, meter), { limit: hold.included ?? undefined });
  }
  return id;
}

/**
 * Turns held units into used ones in the caller's transaction, so that they are committed with the work they pay for.
 */
export async function settleUnits(
  client: Client,
  holdId: string,
  units: Units,
  { requestId, route, now }: { requestId: string; route: string; now: Date },
): Promise<void> {
  const rows: sql.HoldRow[] = [];
  const events: sql.EventRow[] = [];
  for (const meter of METERS) {
    if (units[meter] === 0) continue;
    const hold =
      (await sql.lockHold(client, `${holdId}:${meter}`)) ?? fail('internal_error', `There is no hold ${holdId}.`);
    if (hold.units < units[meter]) fail('internal_error', `Hold ${holdId} has ${hold.units} units left.`);
    // Units within the allowance are settled first, those that cost overage last.
    const left = hold.units - units[meter];
    const overageLeft = Math.min(hold.overage_units, left);
    rows.push({ ...hold, units: units[meter], overage_units: hold.overage_units - overageLeft });
    events.push({
      id: randomId('use'),
      account_id: hold.account_id,
      key_id: hold.key_id,
      meter,
      units: units[meter],
      period_start: hold.period_start,
      happened_at: await readNow({ clock: () => now }, client, hold.account_id),
      request_id: requestId,
      route,
    });
    await sql.updateHold(client, hold.id, left, overageLeft);
  }
  await bookEvents(client, events, now);
  await endHolds(client, rows, new Set(rows.map((row) => row.id)));
}

/** Releases what is still held; repeating it changes nothing. */
export async function releaseUnits(client: Client, holdId: string): Promise<void> {
  const ids = METERS.map((meter) => `${holdId}:${meter}`);
  await endHolds(client, await sql.deleteHolds(client, ids));
}

export type MeterUsage = Awaited<ReturnType<typeof readUsage>>['standard'];

export async function readUsage(deps: Pick<Deps, 'control' | 'clock'>, account: AccountRow) {
  const now = deps.clock();
  const period = usagePeriod(account, nowOf(deps, account));
  const counters = await sql.listCounters(deps.control, account.id, period.start);
  // The month's events are read only if the plan changed within it.
  const changed = account.allowance?.month_start === period.start.toISOString();
  const stretches = changed ? await readStretches(deps.control, account, period) : undefined;
  const of = (meter: MeterName) => {
    const { used = 0, reserved = 0 } = counters.find((row) => row.meter === meter) ?? {};
    const whole = [{ ...period, terms: termsOf(account), used }];
    const rated = rateMonth(period, meter, stretches?.[meter] ?? whole);
    const allowance = includedIn(account, meter, period.start);
    const overageUnits = rated.reduce((sum, stretch) => sum + stretch.overageUnits, 0);
    const overageBefore = overageUnits - lastOf(rated).overageUnits;
    return {
      used,
      reserved,
      included: allowance === null ? null : allowance - overageBefore,
      remaining: allowance === null ? null : Math.max(0, allowance - used - reserved),
      overage_units: overageUnits,
      overage_cents: rated.reduce((sum, stretch) => sum + stretch.overageCents, 0),
    };
  };
  const [hourly] = limitsOf({ account, key: { mode: 'live', first_id: '', rate_limit_per_hour: null } }, 'calls');
  const hour = { limit: hourly.amount, used: await sql.readUsed(deps.control, hourly, now) };
  return { period, standard: of('standard'), avm: of('avm'), hour };
}

export const forgetOldRequests = async (deps: Pick<Deps, 'control' | 'clock'>): Promise<number> =>
  journals.deleteOldRequests(deps.control, retentionCutoffs('requestDays', deps.clock()));
