// Counts per minute that all processes share.
import { changeRows, listRows } from './statements.ts';
import type { Queryable } from './postgres.ts';
import { entryOf } from '../lib/must.ts';

export interface MinuteCount {
  subject: string;
  minute: number;
  calls: number;
}

/** Adds to counts, each named once, and returns their totals in the same order. */
export async function addMinuteCounts(db: Queryable, counts: MinuteCount[]): Promise<number[]> {
  const rows = await listRows<MinuteCount>(db)`
    insert into minute_counts as c (subject, minute, calls)
    select * from unnest(${counts.map(({ subject }) => subject)}::text[], ${counts.map(({ minute }) => minute)}::bigint[], ${counts.map(({ calls }) => calls)}::integer[]) as n (subject, minute, calls) order by 1, 2
    on conflict (subject, minute) do update set calls = c.calls + excluded.calls
    returning subject, minute, calls`;
  const totals = new Map(rows.map(({ subject, minute, calls }) => [`${subject} ${minute}`, calls]));
  return counts.map(({ subject, minute }) => entryOf(totals, `${subject} ${minute}`));
}

export const deleteMinuteCountsBefore = (db: Queryable, minute: number) =>
  changeRows(db)`delete from minute_counts where minute < ${minute}`;
