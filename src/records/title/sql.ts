// The query behind the difference between a chain of deeds and a list of sales.
import type { Queryable } from '../../base/db/postgres.ts';
import { getRow } from '../../base/db/statements.ts';

/** Whether the deeds of a market name their parties, judged by a few hundred of them. */
export async function namesParties(db: Queryable, fips: number, market: string): Promise<boolean> {
  const row = await getRow<{ named: boolean }>(db, 'names_parties')`
    select coalesce(bool_or(named), false) as named from (
            select buyers <> '{}' or sellers <> '{}' as named from transactions
            where fips = ${fips} and market = ${market} and type = 'deed' limit 500
          ) t`;
  return row.named;
}
