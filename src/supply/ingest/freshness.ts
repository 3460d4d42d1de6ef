// How fresh each loaded dataset is: when it was last current, and when to look for new data again.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Clock } from '../../base/lib/clock.ts';
import { freshnessOf, type Freshness } from './cadence.ts';
import * as sql from './write/refresh-sql.ts';

export { type LookRow, listLooks } from './write/refresh-sql.ts';

export type DatasetFreshness = Freshness & sql.LookRow;

/** Of all datasets, or of those that should have had a new edition: all that are due or stale, and few of very many. */
export async function listFreshness(deps: { data: Queryable; clock: Clock }, which?: 'late') {
  const now = deps.clock();
  return (await sql.listLooks(deps.data, which && now)).map((look) => ({ ...look, ...freshnessOf(look, now) }));
}
