// Books journal lines in one transaction: offset, counters, events, holds, request log and alerts, all or none.
import { listAccounts } from '../accounts/accounts.ts';
import { includedIn, meterTerms, termsOf } from '../accounts/plans.ts';
import { inTransaction, type Client, type Queryable } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { type AccountRow } from '../accounts/sql.ts';
import { announceUsage, type UsageAlert } from './alerts.ts';
import { readJournal, readOpenPromises, type JournalEntry } from './journal.ts';
import { usagePeriod } from './periods.ts';
import * as journals from './journal-sql.ts';
import * as sql from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

type BookingDeps = Pick<Deps, 'control' | 'clock'>;

/** Returns the offset up to which the journal is now booked, whether by this process or by another before it. */
export async function bookNextLines(deps: BookingDeps, folder: string, id: string, from: number): Promise<number> {
  const { entries, to } = readJournal(folder, id, from);
  if (to === from) return from;
  const isOurs = await inTransaction(deps.control, async (client) => {
    if (!(await journals.advanceJournal(client, id, { from, to, now: deps.clock() }))) return false;
    await bookEntries(client, entries, deps.clock());
    return true;
  });
  return isOurs ? to : ((await journals.findJournal(deps.control, id))?.booked_bytes ?? to);
}

/** The last booking of a dead process's journal: what it promised and did not record. In one transaction with its end. */
export async function closeBooked(deps: BookingDeps, folder: string, id: string): Promise<void> {
  const promises = readOpenPromises(folder, id);
  await inTransaction(deps.control, async (client) => {
    const isOurs = await journals.closeJournal(client, id, deps.clock());
    if (isOurs && promises.length > 0) await bookEntries(client, promises, deps.clock());
  });
}

async function bookEntries(client: Client, entries: JournalEntry[], now: Date): Promise<void> {
  await bookEvents(client, entries.filter((entry) => entry.c !== undefined).map(eventOf), now);
  const holds = entries.flatMap((entry) => (entry.h === undefined ? [] : [entry.h]));
  if (holds.length > 0) {
    const charged = new Set(entries.flatMap((entry) => (entry.h !== undefined && entry.c ? [entry.h] : [])));
    await endHolds(client, await sql.deleteHolds(client, holds), charged);
  }
  await journals.insertRequests(client, entries.map(requestOf));
}

/** Records events and their counters. Usage of a month already invoiced stays in it and is billed as a correction. */
export async function bookEvents(client: Client, events: sql.EventRow[], now: Date): Promise<void> {
  if (events.length === 0) return;
  const accounts = new Map(
    (await listAccounts(client, [...new Set(events.map((event) => event.account_id))])).map((a) => [a.id, a]),
  );
  const booked = await sql.addUsage(client, sumByCounter(events));
  await sql.insertEvents(client, events);
  for (const counter of booked)
    if (counter.closed_at === null) await raiseAlert(client, entryOf(accounts, counter.account_id), counter, now);
}

/** Ends holds: what was charged becomes spent, the rest is released. */
export async function endHolds(client: Queryable, holds: sql.HoldRow[], charged: ReadonlySet<string> = new Set()) {
  if (holds.length === 0) return;
  await sql.unreserve(client, sumByCounter(holds));
  const moves = new Map<string, { key_id: string; period_start: Date; spent: number; unreserved: number }>();
  for (const hold of holds) {
    if (hold.key_id === null || hold.overage_units === 0) continue;
    const name = `${hold.key_id} ${hold.period_start.getTime()}`;
    const move = moves.get(name) ?? { key_id: hold.key_id, period_start: hold.period_start, spent: 0, unreserved: 0 };
    const cents = hold.overage_units * hold.overage_cents;
    move.unreserved += cents;
    if (charged.has(hold.id)) move.spent += cents;
    moves.set(name, move);
  }
  if (moves.size > 0) await sql.moveSpend(client, [...moves.values()]);
}

async function raiseAlert(client: Client, account: AccountRow, counter: sql.CounterRow, now: Date): Promise<void> {
  const { isHardCapped } = meterTerms(termsOf(account), counter.meter);
  const included = includedIn(account, counter.meter, counter.period_start);
  if (included === null) return;
  const percent = [100, 80, 50].find((step) => counter.used * 100 >= included * step) ?? 0;
  if (percent <= counter.alerted_percent) return;
  await sql.markAlerted(client, counter, percent);
  const alert: UsageAlert = { percent, meter: counter.meter, used: counter.used, included, isHardCapped };
  await announceUsage(client, account, alert, usagePeriod(account, account.clock_at ?? now));
}

function eventOf(entry: JournalEntry): sql.EventRow {
  const charge = entry.c!;
  return {
    id: entry.id,
    account_id: entry.a,
    key_id: entry.k,
    meter: charge.m,
    units: charge.u,
    period_start: new Date(charge.p),
    happened_at: new Date(entry.t),
    request_id: entry.r,
    route: entry.p,
  };
}

const requestOf = (entry: JournalEntry): journals.RequestRow => ({
  request_id: entry.r,
  account_id: entry.a,
  key_id: entry.k,
  mode: entry.m,
  at: new Date(entry.t),
  method: entry.v,
  route: entry.p,
  status: entry.s,
  duration_ms: entry.d,
  meter: entry.c?.m ?? 'none',
  units: entry.c?.u ?? 0,
  error_code: entry.e ?? null,
});

const nameOf = (key: sql.CounterKey): string => `${key.account_id} ${key.meter} ${key.period_start.getTime()}`;

function sumByCounter(rows: (sql.CounterKey & { units: number })[]): (sql.CounterKey & { units: number })[] {
  const sums = new Map<string, sql.CounterKey & { units: number }>();
  for (const row of rows) {
    const { account_id, meter, period_start } = row;
    const sum = sums.get(nameOf(row)) ?? { account_id, meter, period_start, units: 0 };
    sum.units += row.units;
    sums.set(nameOf(row), sum);
  }
  return [...sums.values()];
}
