// How fresh each loaded dataset is: when it was last current, and when to look for new data again.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Clock } from '../../base/lib/clock.ts';
import { freshnessOf, type Freshness } from './cadence.ts';
import * as sql from './write/refresh-sql.ts';

export { type LookRow, listLooks } from './write/refresh-sql.ts';

export type DatasetFreshness = Freshness & sql.LookRow;

export async function listFreshness(deps: { data: Queryable; clock: Clock }): Promise<DatasetFreshness[]> {
  const now = deps.clock();
  return (await sql.listLooks(deps.data)).map((look) => ({ ...look, ...freshnessOf(look, now) }));
}
