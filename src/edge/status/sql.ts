// Every query on availability.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow, getRow, listRows, raw } from '../../base/db/statements.ts';

export interface MinuteRow {
  minute: Date;
  component: string;
  probes: number;
  probes_failed: number;
  requests: number;
  errors: number;
}

export interface DayRow {
  day: string;
  component: string;
  first_minute: Date;
  measured: number;
  down: number;
}

export interface IncidentRow {
  component: string;
  started_at: Date;
  ended_at: Date | null;
  cause: 'failures' | 'not_measured';
}

/** Down: more than half of the probes failed, or more than one and at least 5% of the callers' requests. */
const IS_DOWN = '(2 * probes_failed > probes or (errors > 1 and 20 * errors >= requests))';

/** Any number of processes add to the same minute. */
export const addMinutes = (db: Queryable, rows: MinuteRow[]) =>
  changeRows(db)`insert into status_minutes as m (minute, component, probes, probes_failed, requests, errors)
    select * from unnest(${rows.map((row) => row.minute)}::timestamptz[], ${rows.map((row) => row.component)}::text[], ${rows.map((row) => row.probes)}::int[], ${rows.map((row) => row.probes_failed)}::int[], ${rows.map((row) => row.requests)}::int[], ${rows.map((row) => row.errors)}::int[]) order by 1, 2
    on conflict (minute, component) do update set probes = m.probes + excluded.probes,
      probes_failed = m.probes_failed + excluded.probes_failed, requests = m.requests + excluded.requests,
      errors = m.errors + excluded.errors`;

/** Measured minutes between two instants, oldest first. */
export async function listMinutes(
  db: Queryable,
  from: Date,
  to: Date,
): Promise<{ minute: Date; component: string; is_down: boolean }[]> {
  const { rows } = await db.query(
    `select minute, component, ${IS_DOWN} as is_down from status_minutes
     where minute >= $1 and minute < $2 order by minute, component`,
    [from, to],
  );
  return rows as { minute: Date; component: string; is_down: boolean }[];
}

const BY_DAY = `(minute at time zone 'UTC')::date as day, component, min(minute) as first_minute,
  count(*)::int as measured, (count(*) filter (where ${IS_DOWN}))::int as down`;

/** Summarized days, and days since then computed from their minutes, up to an instant. */
export const listDays = (db: Queryable, fromDay: string, to: Date) =>
  listRows<DayRow>(db)`select day, component, first_minute, measured, down from status_days where day >= ${fromDay}
    union all
    select ${raw(BY_DAY)} from status_minutes
    where minute < ${to} and minute >= coalesce((select (max(day) + 1)::timestamp at time zone 'UTC' from status_days), '-infinity')
    group by 1, 2 order by 1, 2`;

export async function findFirstMinute(db: Queryable): Promise<Date | undefined> {
  const row = await getRow<{ first: Date | null }>(db)`
    select least((select min(first_minute) from status_days), (select min(minute) from status_minutes)) as first`;
  return row.first ?? undefined;
}

export async function findLastMinute(db: Queryable, before: Date): Promise<Date | undefined> {
  const row = await getRow<{ last: Date | null }>(db)`
    select max(minute) as last from status_minutes where minute < ${before}`;
  return row.last ?? undefined;
}

/** Summarizes the days that ended before an instant, and deletes minutes older than another. */
export async function sumUpDays(db: Queryable, endedBefore: Date, keepFrom: Date): Promise<void> {
  await changeRows(db)`insert into status_days (day, component, first_minute, measured, down)
    select ${raw(BY_DAY)} from status_minutes where minute < ${endedBefore} group by 1, 2
    on conflict (day, component) do nothing`;
  await changeRows(db)`delete from status_minutes where minute < ${keepFrom}`;
}

export async function deleteBefore(db: Queryable, day: Date): Promise<void> {
  await changeRows(db)`delete from status_days where day < ${day}`;
  await changeRows(db)`delete from status_incidents where ended_at < ${day}`;
}

/** Replaces the incidents of a period by those found now. */
export const replaceIncidents = (db: Queryable, from: Date, rows: IncidentRow[]) =>
  changeRows(db)`with fresh as (
      select * from unnest(${rows.map((row) => row.component)}::text[], ${rows.map((row) => row.started_at)}::timestamptz[], ${rows.map((row) => row.ended_at)}::timestamptz[], ${rows.map((row) => row.cause)}::text[])
        as f (component, started_at, ended_at, cause)
    ), gone as (
      delete from status_incidents i where (ended_at is null or ended_at > ${from})
        and not exists (select from fresh f where f.component = i.component and f.started_at = i.started_at)
    )
    insert into status_incidents (component, started_at, ended_at, cause) select * from fresh
    on conflict (component, started_at) do update set ended_at = excluded.ended_at, cause = excluded.cause`;

/** The start of the incidents still open at an instant, which a new search must include. */
export async function findOpenStart(db: Queryable, at: Date): Promise<Date | undefined> {
  const row = await getRow<{ start: Date | null }>(db)`
    select min(started_at) as start from status_incidents where ended_at is null or ended_at > ${at}`;
  return row.start ?? undefined;
}

export const listIncidents = (db: Queryable, since: Date) =>
  listRows<IncidentRow>(db)`select component, started_at, ended_at, cause from status_incidents
    where ended_at is null or ended_at > ${since} order by started_at desc, component`;

export const findProbe = (db: Queryable) => findRow<{ key: Buffer }>(db)`select key from status_probe`;

/** False if another process was first. */
export async function insertProbe(db: Queryable, accountId: string, key: Buffer): Promise<boolean> {
  const count = await changeRows(db)`
    insert into status_probe (account_id, key) values (${accountId}, ${key}) on conflict do nothing`;
  return count === 1;
}
