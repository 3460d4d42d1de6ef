// Conditions and deletes based on the plan's retention.
import type { Queryable } from '../../base/db/postgres.ts';
import { changeRows, part, raw } from '../../base/db/statements.ts';
import { DAY_MS, type Clock } from '../../base/lib/clock.ts';
import { retentionCutoffs, type RetentionCutoffs } from './plans.ts';

/** Whether a row is past its plan's retention; `row` is its table or alias, `at` its timestamp column. */
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

/** Deletes expired rows in batches, and in the sandbox all but the newest few of each account. */
export async function forgetOldDocuments(
  { control, clock }: { control: Queryable; clock: Clock },
  documents: Documents,
): Promise<void> {
  const cuts = retentionCutoffs('receiptDays', clock());
  const since = new Date(clock().getTime() - DAY_MS);
  while ((await deleteLot(control, cuts, since, documents)) > 0);
}

/** Only accounts that created rows since an instant can exceed the sandbox's cap. */
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
