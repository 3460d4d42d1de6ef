// When schedules run. A schedule is one row of the jobs table that returns to the queue for its next time when it ends,
// so it runs in one process at a time, and once after any downtime. Times are counted from midnight UTC and cannot drift.
import type { Queryable } from '../db/postgres.ts';
import type { Schedule } from './payloads.ts';
import { saveSchedules } from './sql.ts';

const MINUTE_MS = 60_000;

export const everyMinutes = (every: number): Schedule => ({ every, offset: 0 });
export const hourlyAt = (minute: number): Schedule => ({ every: 60, offset: minute });
export const dailyAt = (hour: number, minute: number): Schedule => ({ every: 1_440, offset: hour * 60 + minute });

/** The first time after an instant. The epoch was midnight UTC, and UTC days have 1,440 minutes in Unix time. */
export function nextRun({ every, offset }: Schedule, after: Date): Date {
  const [period, start] = [every * MINUTE_MS, offset * MINUTE_MS];
  return new Date((Math.floor((after.getTime() - start) / period) + 1) * period + start);
}

/** Call at the start of a worker. Schedules already due stay due. */
export async function registerSchedules(db: Queryable, schedules: Record<string, Schedule>, now: Date): Promise<void> {
  const rows = Object.entries(schedules).map(([subject, schedule]) => ({
    id: `schedule:${subject}`,
    subject,
    schedule,
    runAt: nextRun(schedule, now),
  }));
  await saveSchedules(db, rows, now);
}
