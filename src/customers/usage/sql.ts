// Every query of limits, holds, counters and usage events; journals and the request log are in journal-sql.ts.
import type { Limit } from '../accounts/limits.ts';
import type { Contract, MeterName, PlanId } from '../accounts/plans.ts';
import type { Queryable } from '../../base/db/postgres.ts';

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

export async function admit(
  db: Queryable,
  now: Date,
  requests: (AdmissionRequest & { n: number })[],
): Promise<AdmissionRow[]> {
  const { rows } = await db.query<AdmissionRow>({
    name: 'admit',
    // As floats, because the driver reads arrays of bigint as text.
    text: 'select n, verdict, refused_by, used, reset_seconds::float8[] as reset_seconds from admit($1, $2, $3)',
    values: [now, Math.floor(now.getTime() / 1000), JSON.stringify(requests.map(toRow))],
  });
  return rows;
}

function toRow({ n, limits, hold }: AdmissionRequest & { n: number }) {
  return {
    n,
    subjects: limits.map(({ subject }) => subject),
    amounts: limits.map(({ amount }) => amount),
    seconds: limits.map(({ windowSeconds }) => windowSeconds),
    costs: limits.map(({ cost }) => cost),
    hold,
  };
}

/** How much of a limit is used, without counting as a call. */
export async function readUsed(db: Queryable, { subject, windowSeconds }: Limit, now: Date): Promise<number> {
  const { rows } = await db.query<{ used: number }>(
    `select coalesce(sum(calls), 0)::int as used from rate_cells where subject = $1 and second > $2`,
    [subject, Math.floor(now.getTime() / 1000) - windowSeconds],
  );
  return rows[0].used;
}

/** Null, or the reason the units cannot be held. */
export async function holdUnits(
  db: Queryable,
  hold: HoldRequest,
  now: Date,
): Promise<'held' | 'quota_exhausted' | 'spend_cap_reached' | null> {
  const { rows } = await db.query('select hold_units($1, $2) as refusal', [JSON.stringify(hold), now]);
  return rows[0].refusal;
}

export interface HoldRow {
  id: string;
  account_id: string;
  key_id: string | null;
  meter: MeterName;
  period_start: Date;
  units: number;
  overage_units: number;
  overage_cents: number;
}

const HOLD_COLUMNS = 'id, account_id, key_id, meter, period_start, units, overage_units, overage_cents';

export async function lockHold(db: Queryable, id: string): Promise<HoldRow | undefined> {
  const { rows } = await db.query<HoldRow>(`select ${HOLD_COLUMNS} from usage_holds where id = $1 for update`, [id]);
  return rows[0];
}

export async function updateHold(db: Queryable, id: string, units: number, overageUnits: number): Promise<void> {
  await db.query('update usage_holds set units = $2, overage_units = $3 where id = $1', [id, units, overageUnits]);
}

export async function deleteHolds(db: Queryable, ids: string[]): Promise<HoldRow[]> {
  const { rows } = await db.query<HoldRow>(`delete from usage_holds where id = any ($1) returning ${HOLD_COLUMNS}`, [
    ids,
  ]);
  return rows;
}

export async function deleteHoldsOfOwner(db: Queryable, owner: string): Promise<HoldRow[]> {
  const { rows } = await db.query<HoldRow>(`delete from usage_holds where owner = $1 returning ${HOLD_COLUMNS}`, [
    owner,
  ]);
  return rows;
}

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
export async function addUsage(db: Queryable, sums: (CounterKey & { units: number })[]): Promise<CounterRow[]> {
  const { rows } = await db.query<CounterRow>(
    `insert into usage_counters as c (account_id, meter, period_start, used)
     select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::bigint[]) as s (account_id, meter, period_start, units)
     order by 1, 2, 3
     on conflict (account_id, meter, period_start) do update set used = c.used + excluded.used
     returning account_id, meter, period_start, used, reserved, alerted_percent, closed_at`,
    [
      sums.map((sum) => sum.account_id),
      sums.map((sum) => sum.meter),
      sums.map((sum) => sum.period_start),
      sums.map((sum) => sum.units),
    ],
  );
  return rows;
}

export async function lockCounters(db: Queryable, accountId: string, periodStart: Date): Promise<void> {
  await db.query(
    `insert into usage_counters (account_id, meter, period_start) values ($1, 'avm', $2), ($1, 'standard', $2)
     on conflict do nothing`,
    [accountId, periodStart],
  );
  await db.query('select 1 from usage_counters where account_id = $1 and period_start = $2 order by meter for update', [
    accountId,
    periodStart,
  ]);
}

export async function unreserve(db: Queryable, sums: (CounterKey & { units: number })[]): Promise<void> {
  await db.query(
    `update usage_counters c set reserved = c.reserved - s.units
     from unnest($1::text[], $2::text[], $3::timestamptz[], $4::bigint[]) as s (account_id, meter, period_start, units)
     where c.account_id = s.account_id and c.meter = s.meter and c.period_start = s.period_start`,
    [
      sums.map((sum) => sum.account_id),
      sums.map((sum) => sum.meter),
      sums.map((sum) => sum.period_start),
      sums.map((sum) => sum.units),
    ],
  );
}

export async function moveSpend(
  db: Queryable,
  moves: { key_id: string; period_start: Date; spent: number; unreserved: number }[],
): Promise<void> {
  await db.query(
    `update key_spends k set spent_cents = k.spent_cents + m.spent, reserved_cents = k.reserved_cents - m.unreserved
     from (
       select a.first_id, m.period_start, sum(m.spent) as spent, sum(m.unreserved) as unreserved
       from unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::bigint[]) as m (key_id, period_start, spent, unreserved)
       join api_keys a on a.id = m.key_id group by 1, 2
     ) m
     where k.key_id = m.first_id and k.period_start = m.period_start`,
    [
      moves.map((move) => move.key_id),
      moves.map((move) => move.period_start),
      moves.map((move) => move.spent),
      moves.map((move) => move.unreserved),
    ],
  );
}

export async function markAlerted(db: Queryable, counter: CounterKey, percent: number): Promise<void> {
  await db.query(
    'update usage_counters set alerted_percent = $4 where account_id = $1 and meter = $2 and period_start = $3',
    [counter.account_id, counter.meter, counter.period_start, percent],
  );
}

/** From now on the usage counted so far is accounted for; whatever is booked later makes the period late. */
export async function closeCounters(
  db: Queryable,
  accountId: string,
  period: { start: Date; end: Date },
  now: Date,
): Promise<void> {
  await lockCounters(db, accountId, period.start);
  await db.query(
    `update usage_counters set closed_at = coalesce(closed_at, $4), closed_used = used, period_end = $3
     where account_id = $1 and period_start = $2`,
    [accountId, period.start, period.end, now],
  );
}

export interface LatePeriod {
  start: Date;
  end: Date;
}

/** Closed periods with usage that was booked after their closing. */
export async function listLatePeriods(db: Queryable, accountId: string): Promise<LatePeriod[]> {
  const { rows } = await db.query<LatePeriod>(
    `select period_start as start, max(period_end) as "end" from usage_counters
     where account_id = $1 and used <> closed_used group by period_start order by period_start`,
    [accountId],
  );
  return rows;
}

export async function listCounters(db: Queryable, accountId: string, periodStart: Date): Promise<CounterRow[]> {
  const { rows } = await db.query<CounterRow>(
    `select account_id, meter, period_start, used, reserved, alerted_percent, closed_at from usage_counters
     where account_id = $1 and period_start = $2`,
    [accountId, periodStart],
  );
  return rows;
}

export interface EventRow {
  id: string;
  account_id: string;
  key_id: string | null;
  meter: MeterName;
  units: number;
  period_start: Date;
  happened_at: Date;
  request_id: string;
  route: string;
}

/** Returns how many were new. */
export async function insertEvents(db: Queryable, events: EventRow[]): Promise<number> {
  const { rowCount } = await db.query(
    `insert into usage_events (id, account_id, key_id, meter, units, period_start, happened_at, request_id, route)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::timestamptz[],
       $8::text[], $9::text[])
     on conflict (id) do nothing`,
    [
      events.map((event) => event.id),
      events.map((event) => event.account_id),
      events.map((event) => event.key_id),
      events.map((event) => event.meter),
      events.map((event) => event.units),
      events.map((event) => event.period_start),
      events.map((event) => event.happened_at),
      events.map((event) => event.request_id),
      events.map((event) => event.route),
    ],
  );
  return rowCount ?? 0;
}

interface DayRow {
  day: string;
  meter: MeterName;
  key_id: string | null;
  route: string;
  units: number;
}

export async function listDays(db: Queryable, accountId: string, from: Date, to: Date): Promise<DayRow[]> {
  const { rows } = await db.query<DayRow>(
    `select (happened_at at time zone 'UTC')::date as day, meter, key_id, route, sum(units)::bigint as units
     from usage_events where account_id = $1 and happened_at >= $2 and happened_at < $3
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    [accountId, from, to],
  );
  return rows;
}

interface StretchRow {
  account_id: string;
  month_start: Date;
  ended_at: Date;
  plan: PlanId;
  contract: Contract | null;
}

export async function insertStretch(db: Queryable, row: StretchRow): Promise<void> {
  await db.query(
    `insert into plan_stretches (account_id, month_start, ended_at, plan, contract) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [row.account_id, row.month_start, row.ended_at, row.plan, row.contract],
  );
}

export async function listStretches(db: Queryable, accountId: string, monthStart: Date): Promise<StretchRow[]> {
  const { rows } = await db.query<StretchRow>(
    `select account_id, month_start, ended_at, plan, contract from plan_stretches
     where account_id = $1 and month_start = $2 order by ended_at`,
    [accountId, monthStart],
  );
  return rows;
}

/** Units of a month by the stretch they were used in: the first ends at `ends[0]`, the last has no end. */
export async function sumEventsByStretch(
  db: Queryable,
  accountId: string,
  monthStart: Date,
  ends: Date[],
): Promise<{ meter: MeterName; stretch: number; units: number }[]> {
  const { rows } = await db.query<{ meter: MeterName; stretch: number; units: number }>(
    `select meter, (select count(*) from unnest($3::timestamptz[]) as stop where stop <= happened_at)::int as stretch,
       sum(units)::bigint as units
     from usage_events where account_id = $1 and period_start = $2 group by 1, 2`,
    [accountId, monthStart, ends],
  );
  return rows;
}
