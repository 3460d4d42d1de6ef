// Conditions and deletes by the time that an account's plan keeps its rows.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, part, raw } from '../../base/db/statements.ts';
import { DAY_MS, type Clock } from '../../base/lib/clock.ts';
import { retentionCutoffs, type RetentionCutoffs } from './plans.ts';

/** Whether the plan of a row's account keeps it no longer; `row` is its table or alias, `at` the column of its age. */
export const isPastRetention = (cuts: RetentionCutoffs, row: string, at = 'created_at') =>
  part`${raw(`${row}.${at}`)} < ${cuts.latest} and exists (
    select from accounts a
    join unnest(${cuts.plans}::text[], ${cuts.modes}::text[], ${cuts.befores}::timestamptz[]) as k (plan, mode, before)
      on k.plan = a.plan
    where ${raw(`a.id = ${row}.account_id and k.mode = ${row}.mode and ${row}.${at} < k.before`)})`;

interface Documents {
  table: 'valuations' | 'reports' | 'reviews';
  /** What the sandbox keeps for an account. */
  sandboxMost: number;
  /** How many are deleted in one statement. */
  limit: number;
}

/** Deletes what is past its time, lot by lot, and in the sandbox what is beyond the newest few of each account. */
export async function forgetOldDocuments(
  { control, clock }: { control: Queryable; clock: Clock },
  documents: Documents,
): Promise<void> {
  const cuts = retentionCutoffs('receiptDays', clock());
  const since = new Date(clock().getTime() - DAY_MS);
  while ((await deleteLot(control, cuts, since, documents)) > 0);
}

/** Only accounts that made some since an instant can have grown beyond what the sandbox keeps. */
async function deleteLot(db: Queryable, cuts: RetentionCutoffs, since: Date, { table, sandboxMost, limit }: Documents) {
  const old = await changeRows(db)`delete from ${raw(table)} where id in (
    select id from ${raw(table)} v where ${isPastRetention(cuts, 'v')} limit ${limit})`;
  const beyond = await changeRows(db)`delete from ${raw(table)} where id in (
    select beyond.id from (
      select distinct account_id from ${raw(table)} where mode = 'test' and created_at >= ${since}) busy
    cross join lateral (
      select id from ${raw(table)} v where v.account_id = busy.account_id and v.mode = 'test'
      order by v.created_at desc, v.id desc offset ${sandboxMost} limit ${limit}) beyond
    limit ${limit})`;
  return old + beyond;
}
