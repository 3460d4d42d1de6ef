// Queries of outlooks.
import type { Queryable } from '../../base/db/postgres.ts';
import { getRow, raw } from '../../base/db/statements.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';

/** Land shares in assessments of nearby homes of the same type: their count, and the 10th, 50th and 90th percentile. */
export const readPeers = (db: Queryable, home: PropertyRow, year: number) => {
  const area = home.census_tract === null ? 'zip' : 'census_tract';
  return getRow<{ n: number; shares: number[] | null }>(db)`
    select count(*)::integer as n,
      percentile_cont(array[0.1, 0.5, 0.9]) within group (order by round(a.land::numeric / (a.land + a.improvements), 4)::float8) as shares
    from properties p join assessments a on a.fips = p.fips and a.property_id = p.id and a.year = ${year}
    where p.fips = ${home.fips} and p.market = ${home.market} and p.${raw(area)} = ${home[area]}
      and p.property_type = ${home.property_type} and p.id <> ${home.id} and p.status = 'active'
      and a.land > 0 and a.improvements >= 0`;
};
