// Queries that keep parcels apart: numbers that would fold into one, and properties whose id was made by an older rule.
import { createStageTable } from '../../../base/db/distribution.ts';
import type { Client } from '../../../base/db/postgres.ts';
import type { LoadContext } from '../load-context.ts';

interface Fold {
  total: number;
  spellings: string[];
  lines: string[];
}

/** Properties to which rows with different parcel numbers lead: how many, and the first of them. */
export async function findFold(client: Client): Promise<Fold | undefined> {
  const { rows } = await client.query<Fold>(
    `with folded as (
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
     having count(*) > 0`,
  );
  return rows[0];
}

/** A staged property that another market of the county already has: towns that number their parcels alike. */
export async function findForeignProperty({ client, counties, market }: LoadContext) {
  const others = await client.query('select 1 from coverage where fips = any($1) and market <> $2 limit 1', [
    counties,
    market!.id,
  ]);
  if (others.rowCount === 0) return undefined;
  const { rows } = await client.query<{ apn: string; market: string; total: number }>(
    `select p.apn, p.market, count(*) over () as total
     from stage_properties s join properties p on p.fips = s.fips and p.id = s.property_id
     where p.market <> $1 and p.status = 'active' order by p.id limit 1`,
    [market!.id],
  );
  return rows[0];
}

/** Retires properties whose ids were made before separators counted, in favor of the staged ones, and returns how many.
    One whose number stood for several parcels is split. A request not to be shown moves along. */
export async function renumber({ client, loadId, at }: LoadContext): Promise<number> {
  // Most files have none, and a table beside the shards takes longer to make than to find that out.
  const former = await client.query('select 1 from stage_properties where former_id is not null and creates limit 1');
  if (former.rowCount === 0) return 0;
  const rowCount = await createStageTable(
    client,
    'renumbered',
    `select distinct p.fips, p.id as property_id, p.market, s.property_id as successor_id
     from stage_properties s join properties p on p.fips = s.fips and p.id = s.former_id
     where s.creates and p.status = 'active' and p.apn <> p.apn_normalized`,
  );
  if (rowCount === 0) return 0;
  const old = '(select distinct fips, property_id from renumbered)';
  await client.query(
    `insert into owner_suppressions (fips, property_id, reason, suppressed_at)
     select r.fips, r.successor_id, o.reason, o.suppressed_at
     from owner_suppressions o join renumbered r on r.fips = o.fips and r.property_id = o.property_id
     on conflict do nothing`,
  );
  await client.query(
    `update property_claims c set gone_at = $2, load_id = $1 from ${old} r
     where c.fips = r.fips and c.property_id = r.property_id and c.gone_at is null`,
    [loadId, at],
  );
  await client.query(
    `delete from property_keys k using ${old} r where k.fips = r.fips and k.property_id = r.property_id`,
  );
  await client.query(
    `update properties p set status = 'retired', load_id = $1, updated_at = $2 from ${old} r
     where p.fips = r.fips and p.id = r.property_id`,
    [loadId, at],
  );
  await client.query(
    `insert into lineage (fips, property_id, successor_id, kind, happened_on, load_id)
     select fips, property_id, successor_id,
       case when count(*) over (partition by fips, property_id) > 1 then 'split' else 'renumbered' end, $2::date, $1
     from renumbered
     on conflict do nothing`,
    [loadId, at],
  );
  await client.query(
    `insert into changes (fips, property_id, market, kind, op, changed_fields, after, load_id, occurred_at)
     select fips, property_id, market, 'property.superseded', 'retire', '{successors}',
       jsonb_build_object('kind', case when count(*) > 1 then 'split' else 'renumbered' end,
         'successors', jsonb_agg(successor_id order by successor_id)), $1, $2
     from renumbered group by fips, property_id, market`,
    [loadId, at],
  );
  return rowCount;
}
