// Queries that keep parcels apart: numbers that would fold into one, or belong to another market.
import type { Client } from '../../../base/db/postgres.ts';
import { findRow } from '../../../base/db/statements.ts';
import type { LoadContext } from '../load-context.ts';
import { must } from '../../../base/lib/must.ts';

interface Fold {
  total: number;
  spellings: string[];
  lines: string[];
}

/** Properties to which rows with different parcel numbers lead: how many, and the first of them. */
export const findFold = (client: Client) =>
  findRow<Fold>(client)`with folded as (
      select fips, property_id from stage_properties where property_id is not null
      group by fips, property_id having min(source_key) < max(source_key)
    ), first as (
      select * from folded order by fips, property_id limit 1
    )
    select (select count(*) from folded) as total,
      array_agg(s.source_key order by s.source_key) as spellings,
      array_agg(s.place order by s.source_key) as lines
    from (
      select source_key, min(file || ':' || line) as place
      from stage_properties join first using (fips, property_id)
      where source_key is not null group by source_key
    ) s
    having count(*) > 0`;

/** A staged property that another market of the county already has: towns that number their parcels alike. */
export async function findForeignProperty({ client, counties, market }: LoadContext) {
  const { id } = must(market, 'market');
  if (!(await findRow(client)`select 1 from coverage where fips = any(${counties}) and market <> ${id} limit 1`))
    return undefined;
  return findRow<{ apn: string; market: string }>(client)`
    select p.apn, p.market
    from stage_properties s join properties p on p.fips = s.fips and p.id = s.property_id
    where p.market <> ${id} and p.status = 'active' order by p.id limit 1`;
}
