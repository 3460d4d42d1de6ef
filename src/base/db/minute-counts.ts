// Counts per minute that all processes share.
import type { Queryable } from './postgres.ts';
import { entryOf } from '../lib/must.ts';

interface MinuteCount {
  subject: string;
  minute: number;
  calls: number;
}

/** Adds to counts, each named once, and returns their totals in the same order. */
export async function addMinuteCounts(db: Queryable, counts: MinuteCount[]): Promise<number[]> {
  const { rows } = await db.query<MinuteCount>(
    `insert into minute_counts as c (subject, minute, calls)
     select * from unnest($1::text[], $2::bigint[], $3::integer[]) as n (subject, minute, calls) order by 1, 2
     on conflict (subject, minute) do update set calls = c.calls + excluded.calls
     returning subject, minute, calls`,
    [counts.map(({ subject }) => subject), counts.map(({ minute }) => minute), counts.map(({ calls }) => calls)],
  );
  const totals = new Map(rows.map(({ subject, minute, calls }) => [`${subject} ${minute}`, calls]));
  return counts.map(({ subject, minute }) => entryOf(totals, `${subject} ${minute}`));
}

export async function deleteMinuteCountsBefore(db: Queryable, minute: number): Promise<void> {
  await db.query('delete from minute_counts where minute < $1', [minute]);
}
