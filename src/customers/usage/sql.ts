// Every query of limits, holds, counters and usage events; journals and the request log are in journal-sql.ts.
import type { Limit } from '../accounts/limits.ts';
import type { Contract, MeterName, PlanId } from '../accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getValue, listRows, raw } from '../../base/db/statements.ts';
import { insertRow } from '../../base/db/rows.ts';

export interface HoldRequest {
  id: string;
  account: string;
  key: string;
  meter: MeterName;
  period: Date;
  units: number;
  included: number | null;
  capped: boolean;
  overage_cents: number | null;
  spend_cap: number | null;
  owner: string | null;
}

export interface AdmissionRequest {
  limits: Limit[];
  hold: HoldRequest | null;
}

export interface AdmissionRow {
  n: number;
  /** `held`: it does not fit because of calls in progress, some of which may give their units back. */
  verdict: 'admitted' | 'held' | 'rate_limited' | 'quota_exhausted' | 'spend_cap_reached';
  /** The position of the limit that refused it, from 1. */
  refused_by: number | null;
  /** For each limit of the request, how much is used and the second at which the next call leaves its window. */
  used: number[];
  reset_seconds: (number | null)[];
}

export async function admit(db: Queryable, now: Date, requests: (AdmissionRequest & { n: number })[]) {
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit',
    // As floats, because the driver reads arrays of bigint as text.
    text: 'select n, verdict, refused_by, used, reset_seconds::float8[] as reset_seconds from admit($1, $2, $3)',
    values: [now, Math.floor(now.getTime() / 1000), JSON.stringify(requests.map(toRow))],
  });
  return rows;
}

const toRow = ({ n, limits, hold }: AdmissionRequest & { n: number }) => ({
  n,
  subjects: limits.map(({ subject }) => subject),
  amounts: limits.map(({ amount }) => amount),
  seconds: limits.map(({ windowSeconds }) => windowSeconds),
  costs: limits.map(() => 1),
  hold,
});

/** How much of a limit is used, without counting as a call. */
export const readUsed = (db: Queryable, { subject, windowSeconds }: Limit, now: Date) =>
  getValue<number>(db)`
    select coalesce(sum(calls), 0)::int as used from rate_cells where subject = ${subject} and second > ${Math.floor(now.getTime() / 1000) - windowSeconds}`;

/** Null, or the reason the units cannot be held. */
export const holdUnits = (db: Queryable, hold: HoldRequest, now: Date) =>
  getValue<'held' | 'quota_exhausted' | 'spend_cap_reached' | null>(db)`
     select hold_units(${JSON.stringify(hold)}, ${now}) as refusal`;

interface BookedUnits extends CounterKey {
  id: string;
  key_id: string | null;
  units: number;
}

export interface HoldRow extends BookedUnits {
  overage_units: number;
  overage_cents: number;
}

const HOLD_COLUMNS = 'id, account_id, key_id, meter, period_start, units, overage_units, overage_cents';

export const lockHold = (db: Queryable, id: string) =>
  findRow<HoldRow>(db)`select ${raw(HOLD_COLUMNS)} from usage_holds where id = ${id} for update`;

export const updateHold = (db: Queryable, id: string, units: number, overageUnits: number) =>
  changeRows(db)`update usage_holds set units = ${units}, overage_units = ${overageUnits} where id = ${id}`;

export const deleteHolds = (db: Queryable, ids: string[]) =>
  listRows<HoldRow>(db)`delete from usage_holds where id = any (${ids}) returning ${raw(HOLD_COLUMNS)}`;

export const deleteHoldsOfOwner = (db: Queryable, owner: string) =>
  listRows<HoldRow>(db)`delete from usage_holds where owner = ${owner} returning ${raw(HOLD_COLUMNS)}`;

export interface CounterKey {
  account_id: string;
  meter: MeterName;
  period_start: Date;
}

export interface CounterRow extends CounterKey {
  used: number;
  reserved: number;
  alerted_percent: number;
  closed_at: Date | null;
}

/** Adds to counters, in one order everywhere. */
export const addUsage = (db: Queryable, sums: (CounterKey & { units: number })[]) =>
  listRows<CounterRow>(db)`insert into usage_counters as c (account_id, meter, period_start, used)
    select * from unnest(${sums.map((sum) => sum.account_id)}::text[], ${sums.map((sum) => sum.meter)}::text[], ${sums.map((sum) => sum.period_start)}::timestamptz[], ${sums.map((sum) => sum.units)}::bigint[]) as s (account_id, meter, period_start, units)
    order by 1, 2, 3
    on conflict (account_id, meter, period_start) do update set used = c.used + excluded.used
    returning account_id, meter, period_start, used, reserved, alerted_percent, closed_at`;

export async function lockCounters(db: Queryable, accountId: string, periodStart: Date): Promise<void> {
  await changeRows(db)`
     insert into usage_counters (account_id, meter, period_start) values (${accountId}, 'avm', ${periodStart}),
       (${accountId}, 'standard', ${periodStart})
     on conflict do nothing`;
  await changeRows(db)`
    select 1 from usage_counters where account_id = ${accountId} and period_start = ${periodStart} order by meter for update`;
}

export const unreserve = (db: Queryable, sums: (CounterKey & { units: number })[]) =>
  changeRows(db)`update usage_counters c set reserved = c.reserved - s.units
    from unnest(${sums.map((sum) => sum.account_id)}::text[], ${sums.map((sum) => sum.meter)}::text[], ${sums.map((sum) => sum.period_start)}::timestamptz[], ${sums.map((sum) => sum.units)}::bigint[]) as s (account_id, meter, period_start, units)
    where c.account_id = s.account_id and c.meter = s.meter and c.period_start = s.period_start`;

export const moveSpend = (
  db: Queryable,
  moves: { key_id: string; period_start: Date; spent: number; unreserved: number }[],
) =>
  changeRows(db)`
    update key_spends k set spent_cents = k.spent_cents + m.spent, reserved_cents = k.reserved_cents - m.unreserved
    from (
      select a.first_id, m.period_start, sum(m.spent) as spent, sum(m.unreserved) as unreserved
      from unnest(${moves.map((move) => move.key_id)}::text[], ${moves.map((move) => move.period_start)}::timestamptz[], ${moves.map((move) => move.spent)}::bigint[], ${moves.map((move) => move.unreserved)}::bigint[]) as m (key_id, period_start, spent, unreserved)
      join api_keys a on a.id = m.key_id group by 1, 2
    ) m
    where k.key_id = m.first_id and k.period_start = m.period_start`;

export const markAlerted = (db: Queryable, counter: CounterKey, percent: number) =>
  changeRows(db)`
    update usage_counters set alerted_percent = ${percent} where account_id = ${counter.account_id} and meter = ${counter.meter} and period_start = ${counter.period_start}`;

/** From now on the usage counted so far is accounted for; whatever is booked later makes the period late. */
export async function closeCounters(db: Queryable, accountId: string, period: { start: Date; end: Date }, now: Date) {
  await lockCounters(db, accountId, period.start);
  await changeRows(db)`
    update usage_counters set closed_at = coalesce(closed_at, ${now}), closed_used = used, period_end = ${period.end}
    where account_id = ${accountId} and period_start = ${period.start}`;
}

/** Closed periods with usage that was booked after their closing. */
export const listLatePeriods = (db: Queryable, accountId: string) =>
  listRows<{ start: Date; end: Date }>(db)`select period_start as start, max(period_end) as "end" from usage_counters
    where account_id = ${accountId} and used <> closed_used group by period_start order by period_start`;

export const listCounters = (db: Queryable, accountId: string, periodStart: Date) =>
  listRows<CounterRow>(db)`
    select account_id, meter, period_start, used, reserved, alerted_percent, closed_at from usage_counters
    where account_id = ${accountId} and period_start = ${periodStart}`;

export interface EventRow extends BookedUnits {
  happened_at: Date;
  request_id: string;
  route: string;
}

/** Returns how many were new. */
export const insertEvents = (db: Queryable, events: EventRow[]) =>
  changeRows(db)`
    insert into usage_events (id, account_id, key_id, meter, units, period_start, happened_at, request_id, route)
    select * from unnest(${events.map((event) => event.id)}::text[], ${events.map((event) => event.account_id)}::text[], ${events.map((event) => event.key_id)}::text[], ${events.map((event) => event.meter)}::text[], ${events.map((event) => event.units)}::int[], ${events.map((event) => event.period_start)}::timestamptz[], ${events.map((event) => event.happened_at)}::timestamptz[],
      ${events.map((event) => event.request_id)}::text[], ${events.map((event) => event.route)}::text[])
    on conflict (id) do nothing`;

export const listDays = (db: Queryable, accountId: string, from: Date, to: Date) =>
  listRows<{ day: string; meter: MeterName; key_id: string | null; route: string; units: number }>(db)`
    select (happened_at at time zone 'UTC')::date as day, meter, key_id, route, sum(units)::bigint as units
    from usage_events where account_id = ${accountId} and happened_at >= ${from} and happened_at < ${to}
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`;

interface StretchRow {
  account_id: string;
  month_start: Date;
  ended_at: Date;
  plan: PlanId;
  contract: Contract | null;
}

export const insertStretch = (db: Queryable, row: StretchRow) =>
  insertRow(db, 'plan_stretches', row, 'on conflict do nothing');

export const listStretches = (db: Queryable, accountId: string, monthStart: Date) =>
  listRows<StretchRow>(db)`select account_id, month_start, ended_at, plan, contract from plan_stretches
    where account_id = ${accountId} and month_start = ${monthStart} order by ended_at`;

/** Units of a month by the stretch they were used in: the first ends at `ends[0]`, the last has no end. */
export const sumEventsByStretch = (db: Queryable, accountId: string, monthStart: Date, ends: Date[]) =>
  listRows<{ meter: MeterName; stretch: number; units: number }>(db)`
    select meter, (select count(*) from unnest(${ends}::timestamptz[]) as stop where stop <= happened_at)::int as stretch,
      sum(units)::bigint as units
    from usage_events where account_id = ${accountId} and period_start = ${monthStart} group by 1, 2`;
