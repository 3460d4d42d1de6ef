// Markets that changed since some work was last done for them: a trigger marks each in the transaction that changes it.
import type { Queryable } from './postgres.ts';
import { changeRows, listRows } from './statements.ts';

/** Does the work for each marked market, and for all markets after the rules change. A market that changes meanwhile or
    whose work fails stays marked. Failures do not affect other markets; they are thrown at the end. */
export async function eachDue(
  db: Queryable,
  { work, rules }: { work: 'figures' | 'names' | 'quality'; rules: string | number },
  perform: (market: string) => Promise<unknown>,
): Promise<void> {
  await changeRows(db)`
    with changed as (
      insert into due_rules as r (work, rules) values (${work}, ${rules})
      on conflict (work) do update set rules = excluded.rules where r.rules <> excluded.rules returning work
    )
    insert into due_markets (work, market) select distinct work, market from changed, property_counts
    on conflict (work, market) do update set mark = excluded.mark`;
  const due = await listRows<{ market: string; mark: string }>(db)`
    select market, mark from due_markets where work = ${work} order by market`;
  const failures: unknown[] = [];
  for (const { market, mark } of due) {
    try {
      await perform(market);
      await changeRows(db)`
        delete from due_markets where work = ${work} and market = ${market} and mark = ${mark}::xid8`;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${work} of ${failures.length} of ${due.length} markets`);
}
