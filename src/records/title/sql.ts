// The query behind the difference between a chain of deeds and a list of sales.
import type { Queryable } from '../../base/db/postgres.ts';

/** Whether the deeds of a market name their parties, judged by a few hundred of them. */
export async function namesParties(db: Queryable, fips: number, market: string): Promise<boolean> {
  const { rows } = await db.query<{ named: boolean }>({
    name: 'names_parties',
    text: `select coalesce(bool_or(named), false) as named from (
             select buyers <> '{}' or sellers <> '{}' as named from transactions
             where fips = $1 and market = $2 and type = 'deed' limit 500
           ) t`,
    values: [fips, market],
  });
  return rows[0].named;
}
