// Queries that write parcel shapes: the winning source, and the changes from moved boundaries.
import { createStageTable } from '../../../base/db/distribution.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import { changeRows, getRow, listRows, listValues, raw } from '../../../base/db/statements.ts';
import type { Box } from '../../../base/lib/geo.ts';
import type { StoredShape } from '../map/parcel-shape.ts';
import { TARGETS } from '../map/targets.ts';
import type { LoadContext } from '../load-context.ts';

/** Bounds of the counties whose tracts are loaded. */
export async function listCountyBoxes(client: Queryable, counties: number[]): Promise<Map<number, Box>> {
  const rows = await listRows<Box & { fips: number }>(client)`
    select fips, min(min_longitude) as "minLongitude", min(min_latitude) as "minLatitude",
      max(max_longitude) as "maxLongitude", max(max_latitude) as "maxLatitude"
    from areas where fips = any(${counties}) and kind = 'tract' group by fips`;
  return new Map(rows.map(({ fips, ...box }) => [fips, box]));
}

export interface StagedPart {
  fips: number;
  property_id: string;
  file: string;
  line: number;
  shape: Buffer;
}

/** Shapes of parcels that one file lists in several rows, together. */
export const listStagedParts = (client: Client) =>
  listRows<StagedPart>(client)`select s.fips, s.property_id, s.file, s.line, s.shape
    from stage_parcel_shapes s join (
      select fips, property_id, max(rank) as rank from stage_parcel_shapes
      where property_id is not null group by fips, property_id having count(*) > 1
    ) m using (fips, property_id, rank)
    order by s.fips, s.property_id, s.line`;

/** The last row of a parcel's parts is the one that duplicates are removed in favor of. */
export async function updateStagedShape(client: Client, part: StagedPart, whole: StoredShape): Promise<void> {
  const columns = Object.keys(whole);
  await client.query(
    `update stage_parcel_shapes set ${columns.map((name, i) => `${name} = $${i + 4}`).join(', ')}
     where fips = $1 and property_id = $2 and line = $3`,
    [part.fips, part.property_id, part.line, ...Object.values(whole)],
  );
}

export const listShapeSources = (client: Client, counties: number[]) =>
  listValues<string>(client)`select distinct source_id from parcel_shapes where fips = any(${counties})`;

const { columns: COLUMNS } = TARGETS.parcel_shapes;

/** `weaker` sources lose to this one, `equals` where they are older. The previous shape is described by its area, not
    its vertices. */
export async function applyShapes(
  load: LoadContext,
  { weaker, equals }: { weaker: string[]; equals: string[] },
): Promise<{ inserted: number; updated: number }> {
  const { client, dataset, loadId, at, makesEvents } = load;
  await createStageTable(
    client,
    'changed_shapes',
    `select s.fips, s.property_id, s.area_sqft, t.area_sqft as area_before
     from stage_parcel_shapes s left join parcel_shapes t on t.fips = s.fips and t.property_id = s.property_id
     where t.property_id is null or (t.shape <> s.shape and (t.source_id = $1 or t.source_id = any($2)
       or (t.source_id = any($3) and t.known_on < s.known_on)))`,
    { values: [dataset.id, weaker, equals] },
  );
  await changeRows(client)`
    insert into parcel_shapes (fips, property_id, ${raw(COLUMNS.join(', '))}, source_id, load_id, loaded_at)
    select s.fips, s.property_id, ${raw(COLUMNS.map((name) => `s.${name}`).join(', '))}, ${dataset.id}, ${loadId}, ${at}
    from stage_parcel_shapes s join changed_shapes c using (fips, property_id)
    on conflict (fips, property_id) do update set ${raw(COLUMNS.map((name) => `${name} = excluded.${name}`).join(', '))},
      source_id = excluded.source_id, load_id = excluded.load_id, loaded_at = excluded.loaded_at`;
  // The first shapes of a place are history; a moved boundary is news in any load.
  await changeRows(client)`
    with news as (
      insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
      select c.fips, c.property_id, p.market, 'property.updated', 'update', '{geometry}',
        case when c.area_before is not null
          then jsonb_build_object('geometry', jsonb_build_object('area_sqft', c.area_before)) end,
        jsonb_build_object('geometry', jsonb_build_object('area_sqft', c.area_sqft)), ${loadId}, ${at}
      from changed_shapes c join properties p on p.fips = c.fips and p.id = c.property_id
      where (c.area_before is not null or ${makesEvents}) and p.created_at <> ${at}
      returning fips, property_id
    )
    update properties p set updated_at = ${at} from news where p.fips = news.fips and p.id = news.property_id`;
  return getRow<{ inserted: number; updated: number }>(client)`
    select count(*) filter (where area_before is null)::integer as inserted, count(area_before)::integer as updated
    from changed_shapes`;
}
