// Queries of availability.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, findValue, getValue, listRows, raw } from '../../base/db/statements.ts';

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
export const listMinutes = (db: Queryable, from: Date, to: Date) =>
  listRows<{ minute: Date; component: string; is_down: boolean }>(db)`
    select minute, component, ${raw(IS_DOWN)} as is_down from status_minutes
    where minute >= ${from} and minute < ${to} order by minute, component`;

const BY_DAY = `(minute at time zone 'UTC')::date as day, component, min(minute) as first_minute,
  count(*)::int as measured, (count(*) filter (where ${IS_DOWN}))::int as down`;

/** Summarized days, and days since then computed from their minutes, up to an instant. */
export const listDays = (db: Queryable, fromDay: string, to: Date) =>
  listRows<DayRow>(db)`select day, component, first_minute, measured, down from status_days where day >= ${fromDay}
    union all
    select ${raw(BY_DAY)} from status_minutes
    where minute < ${to} and minute >= coalesce((select (max(day) + 1)::timestamp at time zone 'UTC' from status_days), '-infinity')
    group by 1, 2 order by 1, 2`;

/** Null before the first. */
export const findFirstMinute = (db: Queryable) =>
  getValue<Date | null>(db)`
    select least((select min(first_minute) from status_days), (select min(minute) from status_minutes))`;

export const findLastMinute = (db: Queryable, before: Date) =>
  getValue<Date | null>(db)`select max(minute) from status_minutes where minute < ${before}`;

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
export const findOpenStart = (db: Queryable, at: Date) =>
  getValue<Date | null>(db)`
    select min(started_at) from status_incidents where ended_at is null or ended_at > ${at}`;

export const listIncidents = (db: Queryable, since: Date) =>
  listRows<IncidentRow>(db)`select component, started_at, ended_at, cause from status_incidents
    where ended_at is null or ended_at > ${since} order by started_at desc, component`;

export const findProbeKey = (db: Queryable) => findValue<Buffer>(db)`select key from status_probe`;

/** Does nothing if another process was first. */
export const insertProbe = (db: Queryable, accountId: string, key: Buffer) =>
  changeRows(db)`insert into status_probe (account_id, key) values (${accountId}, ${key}) on conflict do nothing`;
