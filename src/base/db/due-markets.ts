// Markets that changed since some work was last done for them: a trigger marks each in the transaction that changes it.
import type { Queryable } from './postgres.ts';
import { changeRows, listRows } from './statements.ts';

/** Does the work for each marked market, and for all once the rules have changed; one that changes meanwhile stays marked. */
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
  for (const { market, mark } of due) {
    await perform(market);
    await changeRows(db)`
      delete from due_markets where work = ${work} and market = ${market} and mark = ${mark}::xid8`;
  }
}
