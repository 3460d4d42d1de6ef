// How fresh each loaded dataset is: when it was last current, and when to look for new data again.
import type { Queryable } from '../../base/db/postgres.ts';
import type { Clock } from '../../base/lib/clock.ts';
import { freshnessOf, type Freshness } from './cadence.ts';
import * as sql from './write/refresh-sql.ts';

export { type LookRow, listLooks } from './write/refresh-sql.ts';

export interface DatasetFreshness extends Freshness {
  sourceId: string;
  cadence: string | null;
  /** Why the last look failed; null if it did not. */
  error: string | null;
}

export async function listFreshness(deps: { data: Queryable; clock: Clock }): Promise<DatasetFreshness[]> {
  const now = deps.clock();
  return (await sql.listLooks(deps.data)).map((look) => ({
    sourceId: look.sourceId,
    cadence: look.cadence,
    error: look.error,
    ...freshnessOf(look, now),
  }));
}
