// The freshness of each loaded dataset: when it was last current, and when to check again.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Clock } from '../../base/lib/clock.ts';
import { freshnessOf, type Freshness } from './cadence.ts';
import * as sql from './write/refresh-sql.ts';

export { type LookRow, listLooks } from './write/refresh-sql.ts';

export type DatasetFreshness = Freshness & sql.LookRow;

/** For all datasets, or those that should have had a new edition: includes all that are due or stale, but few of the
    rest. */
export async function listFreshness(deps: { data: Queryable; clock: Clock }, which?: 'late') {
  const now = deps.clock();
  return (await sql.listLooks(deps.data, which && now)).map((look) => ({ ...look, ...freshnessOf(look, now) }));
}
