// The query behind the difference between a chain of deeds and a list of sales.
import type { Queryable } from '../../base/db/postgres.ts';
import { getValue } from '../../base/db/statements.ts';

/** Whether the deeds of a market name their parties, judged by a few hundred of them. */
export const namesParties = (db: Queryable, fips: number, market: string) =>
  getValue<boolean>(db, 'names_parties')`
    select coalesce(bool_or(named), false) as named from (
            select buyers <> '{}' or sellers <> '{}' as named from transactions
            where fips = ${fips} and market = ${market} and type = 'deed' limit 500
          ) t`;
