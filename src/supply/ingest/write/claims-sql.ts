// Queries that write the properties of a load: new, changed, vanished, superseded; and those that keep parcels apart.
import { copyRows, type CopyValue } from '../../../base/db/copy.ts';
import { createStageTable } from '../../../base/db/distribution.ts';
import type { Client } from '../../../base/db/postgres.ts';
import { changeRows, findRow, listRows, raw } from '../../../base/db/statements.ts';
import type { LoadContext } from '../load-context.ts';
import { columnTypeOf } from '../../layers/layer.ts';
import { EVENT_LAYERS } from '../../layers/layers.ts';
import { PROPERTY_FIELDS, STAMP_FIELDS } from '../map/targets.ts';
import { must } from '../../../base/lib/must.ts';

const INSERTED = ['apn_normalized', 'unit_key', ...PROPERTY_FIELDS, ...STAMP_FIELDS];

export async function createTouched(client: Client): Promise<void> {
  await createStageTable(client, 'touched', 'select fips, id as property_id from properties with no data');
}

/** Inserts properties seen for the first time, and their change rows. Uses ON CONFLICT rather than an anti-join, which,
    planned on an empty table, scans the rows it has just written once per row (ten minutes for 163,000). Ordered by id
    because every index ends with it: an index whose other columns are still empty then receives its rows sorted. */
export async function insertNewProperties(load: LoadContext, isRebuilt: boolean): Promise<number> {
  const { client, market, loadId, at, counties } = load;
  const willCover = load.options.willCover ?? [];
  // Layers that this run will load start as "none"; filling them in later would rewrite every row.
  const zeros = EVENT_LAYERS.filter(({ name }) => willCover.includes(name)).flatMap(({ columns }) =>
    Object.keys(columns).filter((column) => columnTypeOf(columns[column]) === 'integer'),
  );
  const isNew = isRebuilt
    ? 'and not exists (select 1 from data.properties p where p.fips = s.fips and p.id = s.property_id)'
    : '';
  const inserted = await changeRows(client)`
    insert into properties (fips, id, market, state, ${raw([...INSERTED, ...zeros].join(', '))}, provenance, load_id, created_at, updated_at)
    select s.fips, s.property_id, ${must(market, 'market').id}, ${must(market, 'market').state}, ${raw(INSERTED.map((name) => (name === 'property_type' ? `coalesce(s.property_type, 'other')` : `s.${name}`)).join(', '))},${raw(zeros.map(() => ' 0,').join(''))}
      ${{ default: load.dataset.id }}::jsonb, ${loadId}::bigint, ${at}::timestamptz, ${at}::timestamptz
    from stage_properties s
    where s.creates and s.property_id is not null ${raw(isNew)}
    order by s.property_id
    ${raw(isRebuilt ? '' : 'on conflict (fips, id) do nothing')}`;
  if (inserted === 0) return 0;
  await changeRows(client)`insert into changes (fips, property_id, market, kind, op, load_id, occurred_at)
    select fips, id, market, 'property.updated', 'insert', load_id, created_at from properties
    where fips = any(${counties}) and load_id = ${loadId} and created_at = ${at} order by id`;
  return inserted;
}

interface ClaimRow {
  property: Record<string, unknown>;
  claim: Record<string, unknown>;
  default_known_on: string | null;
}

/** Staged rows of existing properties with a changed claim by this source. */
export async function* readChangedClaims(load: LoadContext): AsyncGenerator<ClaimRow[]> {
  const { client, dataset, loadId } = load;
  await changeRows(client)`declare changed_claims no scroll cursor for
    select row_to_json(p) as property, row_to_json(s) as claim,
      (select d.known_on from property_claims d
       where d.fips = p.fips and d.property_id = p.id and d.source_id = p.provenance->>'default') as default_known_on
    from stage_properties s
    join properties p on p.fips = s.fips and p.id = s.property_id
    left join property_claims c on c.fips = s.fips and c.property_id = s.property_id and c.source_id = '${raw(dataset.id.replaceAll("'", "''"))}'
    where p.load_id <> ${raw(String(loadId))} and (c.row_hash is distinct from s.row_hash or p.status = 'retired' or c.gone_at is not null)`;
  for (;;) {
    const rows = await listRows<ClaimRow>(client)`fetch 1000 from changed_claims`;
    if (rows.length === 0) break;
    yield rows;
  }
  await changeRows(client)`close changed_claims`;
}

const MERGED = [...PROPERTY_FIELDS.filter((name) => name !== 'apn'), ...STAMP_FIELDS, 'provenance', 'status'];

export async function createMerged(client: Client): Promise<void> {
  await createStageTable(
    client,
    'merged',
    `select p.fips, p.id as property_id, ${MERGED.map((name) => `p.${name}`).join(', ')},
       null::text[] as changed_fields, null::jsonb as before, null::jsonb as after
     from properties p with no data`,
  );
}

export function copyMerged(client: Client, rows: Record<string, unknown>[]): Promise<number> {
  const columns = ['fips', 'property_id', ...MERGED, 'changed_fields', 'before', 'after'];
  return copyRows(
    client,
    'merged',
    columns,
    rows.map((row) => columns.map((name) => row[name] as CopyValue)),
  );
}

/** Writes the merged rows; those with changed fields also make an event. */
export async function applyMerged({ client, loadId, at }: LoadContext): Promise<number> {
  await changeRows(client)`update properties p set ${raw(MERGED.map((name) => `${name} = m.${name}`).join(', '))},
      load_id = ${loadId}, updated_at = case when m.changed_fields = '{}' then p.updated_at else ${at} end
    from merged m where p.fips = m.fips and p.id = m.property_id`;
  return changeRows(client)`
    insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
    select m.fips, m.property_id, p.market, 'property.updated', 'update', m.changed_fields, m.before, m.after, ${loadId}, ${at}
    from merged m join properties p on p.fips = m.fips and p.id = m.property_id
    where m.changed_fields <> '{}'`;
}

/** Records the source's claims, for the next load to compare. */
export async function writeClaims({ client, dataset, loadId, isFirst }: LoadContext): Promise<void> {
  // A source's first load has nothing to compare with; skipping the comparison halves the work.
  const changed = isFirst
    ? ''
    : `left join property_claims c on c.fips = s.fips and c.property_id = s.property_id and c.source_id = $1
       where c.row_hash is distinct from s.row_hash or c.gone_at is not null
       on conflict (fips, property_id, source_id)
       do update set row_hash = excluded.row_hash, known_on = excluded.known_on, gone_at = null, load_id = excluded.load_id`;
  await changeRows(client)`insert into property_claims (fips, property_id, source_id, row_hash, known_on, load_id)
    select s.fips, s.property_id, ${dataset.id}, s.row_hash, s.known_on, ${loadId} from stage_properties s ${raw(changed)}`;
}

/** A parcel that disappears from a complete list is retired, never deleted. */
export async function retireVanished(load: LoadContext): Promise<number> {
  const { client, dataset, loadId, at, counties } = load;
  await changeRows(client)`update property_claims c set gone_at = ${at}, load_id = ${loadId}
    where c.fips = any(${counties}) and c.source_id = ${dataset.id} and c.gone_at is null
      and not exists (select 1 from stage_properties s where s.fips = c.fips and s.property_id = c.property_id)`;
  return retireUnclaimed(load);
}

/** Retires the homes whose claim by this source has just ended. */
const retireUnclaimed = ({ client, loadId, at, counties }: LoadContext): Promise<number> =>
  changeRows(client)`
    with retired as (
      update properties p set status = 'retired', load_id = ${loadId}, updated_at = ${at}
      from property_claims c
      where c.fips = any(${counties}) and c.load_id = ${loadId} and c.gone_at = ${at} and c.fips = p.fips and c.property_id = p.id
        and p.fips = any(${counties}) and p.status = 'active'
      returning p.fips, p.id, p.market
    )
    insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
    select fips, id, market, 'property.updated', 'retire', '{status}', '{"status":"active"}', '{"status":"retired"}', ${loadId}, ${at}
    from retired`;

/** After a recipe's key was corrected: retires homes created only by the old key, with their sales. These are homes
    that the file still lists, by parcel number or address, but under another id. */
export async function retireRekeyed(load: LoadContext): Promise<number> {
  const { client, dataset, loadId, at, counties } = load;
  for (const field of ['apn_normalized', 'address_line1']) {
    await changeRows(client)`update property_claims c set gone_at = ${at}, load_id = ${loadId}
      from properties p
      where c.fips = any(${counties}) and c.source_id = ${dataset.id} and c.gone_at is null
        and p.fips = c.fips and p.id = c.property_id and p.fips = any(${counties})
        and not exists (select 1 from stage_properties s where s.fips = c.fips and s.property_id = c.property_id)
        and p.${raw(field)} in (select s.${raw(field)} from stage_properties s where s.fips = p.fips)
        and not exists (select 1 from property_claims o
          where o.fips = c.fips and o.property_id = c.property_id and o.source_id <> c.source_id and o.gone_at is null)`;
  }
  const retired = await retireUnclaimed(load);
  await changeRows(client)`update transactions t set retired_at = ${at}, load_id = ${loadId}
    from property_claims c
    where c.fips = any(${counties}) and c.load_id = ${loadId} and c.gone_at = ${at} and t.fips = c.fips
      and t.property_id = c.property_id and t.source_id = ${dataset.id} and t.retired_at is null`;
  return retired;
}

/** Links retired parcels to the ones that replaced them: new in this load, at the same street address. */
export const linkSuccessors = ({ client, loadId, at, counties }: LoadContext) =>
  changeRows(client)`
    with gone as materialized (
      select fips, id, market, address_line1 from properties
      where fips = any(${counties}) and load_id = ${loadId} and status = 'retired' and updated_at = ${at}
    ), fresh as materialized (
      select fips, id, market, address_line1 from properties
      where fips = any(${counties}) and load_id = ${loadId} and created_at = ${at}
    ), pairs as (
      select gone.fips, gone.id as property_id, fresh.id as successor_id
      from gone join fresh using (fips, market, address_line1)
    ), linked as (
      insert into lineage (fips, property_id, successor_id, kind, happened_on, load_id)
      select fips, property_id, successor_id,
        case when count(*) over (partition by fips, property_id) > 1 then 'split'
          when count(*) over (partition by fips, successor_id) > 1 then 'merged' else 'renumbered' end,
        ${at}::date, ${loadId}
      from pairs
      on conflict do nothing
      returning fips, property_id, kind, successor_id
    )
    insert into changes (fips, property_id, market, kind, op, changed_fields, after, load_id, occurred_at)
    select l.fips, l.property_id, p.market, 'property.superseded', 'retire', '{successors}',
      jsonb_build_object('kind', min(l.kind), 'successors', jsonb_agg(l.successor_id order by l.successor_id)), ${loadId}, ${at}
    from linked l join properties p on p.fips = l.fips and p.id = l.property_id and p.fips = any(${counties})
    group by l.fips, l.property_id, p.market`;

/** Properties matched by rows with different parcel numbers: their count, and the first one. */
export const findFold = (client: Client) =>
  findRow<{ total: number; spellings: string[]; lines: string[] }>(client)`with folded as (
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

/** A staged property that another market of the county already has: towns with overlapping parcel numbers. */
export async function findForeignProperty({ client, counties, market }: LoadContext) {
  const { id } = must(market, 'market');
  if (!(await findRow(client)`select 1 from coverage where fips = any(${counties}) and market <> ${id} limit 1`))
    return undefined;
  return findRow<{ apn: string; market: string }>(client)`
    select p.apn, p.market
    from stage_properties s join properties p on p.fips = s.fips and p.id = s.property_id
    where p.market <> ${id} and p.status = 'active' order by p.id limit 1`;
}
