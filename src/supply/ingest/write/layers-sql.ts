// Queries for layers by recipe: their definitions, the stamps of homes, what changed, and which counties they cover.
import { copyRows } from '../../../base/db/copy.ts';
import { createStageTable } from '../../../base/db/distribution.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import { changeRows, getRow, getValue, joined, listRows, part, raw, type Part } from '../../../base/db/statements.ts';
import { replaceRow } from '../../../base/db/rows.ts';
import { NO_COUNTY, type Box } from '../../../base/lib/geo.ts';
import { must } from '../../../base/lib/must.ts';
import type { Area } from '../../layers/layer.ts';
import { parseFieldCondition } from '../../layers/condition.ts';
import * as definitions from '../../layers/definition.ts';
import { conditionSql } from '../../layers/sql.ts';
import type { LoadContext } from '../load-context.ts';
import type { StampScope } from './stamp-sql.ts';
import type { MarketRow } from './coverage-sql.ts';

export const upsertDefinition = (
  { client, dataset, loadId, at }: LoadContext,
  { name, ...definition }: definitions.LayerDefinition,
) =>
  replaceRow(client, 'layer_definitions', 'name', {
    name,
    definition,
    source_id: dataset.id,
    load_id: loadId,
    loaded_at: at,
  });

/** Aggregates the numbers of an area's rows; other fields come from the last row. */
export async function summarizeValues(client: Client, layer: definitions.LayerDefinition): Promise<void> {
  const summaries = definitions.storedFields(layer).map((name): Part => {
    const { summarize, type } = layer.fields[name];
    const number = part`(v.vals->>${name})::float8`;
    const round = (figure: Part) =>
      part`round((${figure})::numeric, ${type === 'share' ? 4 : type === 'decimal' ? 2 : 0})`;
    if (!summarize) return part`${name}::text, (array_agg(v.vals->${name} order by v.rank desc, v.line desc))[1]`;
    if (summarize === 'count') return part`${name}::text, count(${number})`;
    if (summarize !== 'median')
      return part`${name}::text, ${round(part`${raw(summarize === 'mean' ? 'avg' : 'sum')}(${number})`)}`;
    return part`${name}::text, ${round(part`percentile_cont(0.5) within group (order by ${number})`)}`;
  });
  await changeRows(client)`
    update stage_layer_values s set vals = g.vals from (
      select v.fips, v.kind, v.key, jsonb_build_object(${joined(summaries, ', ')}) as vals
      from stage_layer_values v where v.layer = ${layer.name} group by v.fips, v.kind, v.key
    ) g where s.layer = ${layer.name} and s.fips = g.fips and s.kind = g.kind and s.key = g.key`;
  const levels = (layer.levels ?? []).map(({ if: condition, reads }) => {
    const parsed = must(parseFieldCondition(condition), 'condition');
    return part`when ${conditionSql(parsed)} then ${reads}::text`;
  });
  const level = levels.length === 0 ? part`null::text` : part`case ${joined(levels, ' ')} end`;
  await changeRows(client)`
    update stage_layer_values v set vals = v.vals || jsonb_build_object('level', ${level}) where v.layer = ${layer.name}`;
}

/** The value of a home `p` in a layer of areas, or by its parcel: rows of `layer_values v`, or like them. */
const ofHome = ({ name, join }: Pick<definitions.LayerDefinition, 'name' | 'join'>): Part => {
  if (join === 'parcel') return part`v.fips = p.fips and v.key = p.id`;
  const layer = part`v.layer = ${name} and v.kind = ${join}`;
  if (join === 'county') return part`${layer} and v.fips = p.fips`;
  if (join === 'zip') return part`${layer} and v.fips = ${NO_COUNTY} and v.key = p.zip`;
  return part`${layer} and v.fips = p.fips and v.key = p.${raw(definitions.AREA_COLUMNS[join as 'tract'])}`;
};

/** Whether a home `p` has a value in the layer. Area values are on the cluster's coordinator and are queried once. */
const hasValue = ({ name, join }: Pick<definitions.LayerDefinition, 'name' | 'join'>): Part =>
  definitions.isAreaJoin(join)
    ? part`p.${raw(definitions.AREA_COLUMNS[join])} in (select ${raw(join === 'county' ? 'v.fips' : 'v.key')} from layer_values v
        where v.layer = ${name} and v.kind = ${join})`
    : part`exists (select 1 from layer_stamps s where s.fips = p.fips and s.property_id = p.id and s.layer = ${name})`;

/** Creates events for all homes with a changed headline, or with a record added or, for a complete list, removed. Call
    before the values are written. */
export async function insertValueChanges(load: LoadContext, layer: definitions.LayerDefinition): Promise<void> {
  const { client, dataset, isReplay, loadId, at } = load;
  const { name, headline, join } = layer;
  if (!definitions.isAreaJoin(join) && join !== 'parcel') return;
  const table = join === 'parcel' ? 'layer_stamps' : 'layer_values';
  const columns = join === 'parcel' ? 'fips, property_id as key, vals' : 'fips, kind, key, vals';
  const using = join === 'parcel' ? 'fips, key' : 'fips, kind, key';
  const isWhole = !isReplay && dataset.records.some(({ layer: of, complete }) => of === name && complete);
  await changeRows(client)`
    with news as (
      select ${raw(using)}, ${name}::text as layer, t.vals as before, v.vals as after
      from (select ${raw(columns)} from ${raw(`stage_${table}`)} where layer = ${name}) v
      full join (select ${raw(columns)}, source_id from ${raw(table)} where layer = ${name}) t using (${raw(using)})
      where t.vals->${headline} is distinct from v.vals->${headline}
        and (v.vals is not null or (${isWhole} and t.source_id = ${dataset.id}))
    ), homes as (
      update properties p set updated_at = ${at} from news v where ${ofHome(layer)} and p.status = 'active'
      returning p.fips, p.id, p.market, v.before, v.after
    )
    insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
    select fips, id, market, 'property.updated', 'update', ${[name]}::text[], jsonb_build_object(${name}::text, before),
      jsonb_build_object(${name}::text, after), ${loadId}, ${at} from homes`;
}

export async function createStampStage(client: Client): Promise<void> {
  const columns = 'fips, property_id, layer, vals, source_id';
  await createStageTable(client, 'stage_stamped', `select ${columns} from layer_stamps with no data`);
}

type StampRow = { fips: number; id: string; layer: string; vals: definitions.LayerVals; sourceId: string };

export const copyStamps = (client: Client, rows: StampRow[]): Promise<number> =>
  copyRows(
    client,
    'stage_stamped',
    ['fips', 'property_id', 'layer', 'vals', 'source_id'],
    rows.map(({ fips, id, layer, vals, sourceId }) => [fips, id, layer, vals, sourceId]),
  );

/** Writes changed stamps and removes those of homes in scope without one. Returns how many homes changed. `news` are
    the layers whose headline changes create events. */
export async function applyStamps(
  { client, loadId, at }: LoadContext,
  scope: StampScope,
  { layers, news }: { layers: string[]; news: definitions.LayerDefinition[] },
): Promise<number> {
  for (const { name, headline } of news) {
    await changeRows(client)`
      insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
      select p.fips, p.id, p.market, 'property.updated', 'update', ${[name]}::text[], jsonb_build_object(${name}::text, t.vals),
        jsonb_build_object(${name}::text, s.vals), ${loadId}, ${at}
      from properties p
      left join stage_stamped s on s.fips = p.fips and s.property_id = p.id and s.layer = ${name}
      left join layer_stamps t on t.fips = p.fips and t.property_id = p.id and t.layer = ${name}
      where p.fips = any(${scope.counties}) and p.status = 'active' and t.vals->${headline} is distinct from s.vals->${headline}`;
  }
  const written = await changeRows(client)`
    insert into layer_stamps (fips, property_id, layer, vals, source_id, load_id, loaded_at)
    select fips, property_id, layer, vals, source_id, ${loadId}::bigint, ${at}::timestamptz from stage_stamped
    on conflict (fips, property_id, layer) do update set vals = excluded.vals, source_id = excluded.source_id,
      load_id = excluded.load_id, loaded_at = excluded.loaded_at
    where layer_stamps.vals is distinct from excluded.vals`;
  const removed = await changeRows(client)`
    delete from layer_stamps t using properties p
    where p.fips = t.fips and p.id = t.property_id and t.fips = any(${scope.counties}) and t.layer = any(${layers}::text[])
      and (${scope.loadId}::bigint is null or p.load_id = ${scope.loadId}::bigint)
      and not exists (select 1 from stage_stamped s
        where s.fips = t.fips and s.property_id = t.property_id and s.layer = t.layer)`;
  return written + removed;
}

export interface Site {
  layer: string;
  latitude: number;
  longitude: number;
  vals: definitions.LayerVals;
  sourceId: string;
}

export const listSites = (client: Queryable, layers: string[], box: Box) =>
  listRows<Site>(client)`
    select layer, latitude, longitude, vals, source_id as "sourceId" from layer_values
    where fips = ${NO_COUNTY} and kind = 'site' and layer = any(${layers}::text[])
      and latitude between ${box.minLatitude} and ${box.maxLatitude}
      and longitude between ${box.minLongitude} and ${box.maxLongitude}
    order by layer, key`;

/** Areas of layers that may hold homes of the county, those of no single county included. */
export const listLayerAreas = (client: Queryable, layers: string[], fips: number, box: Box) =>
  listRows<Area>(client)`
    select fips, kind, id, vintage, name, array[min_longitude, min_latitude, max_longitude, max_latitude] as box, attributes,
      rings, source_id as "sourceId"
    from areas where fips = any(${[fips, NO_COUNTY]}) and kind = any(${layers}::text[]) and max_latitude >= ${box.minLatitude}
      and min_latitude <= ${box.maxLatitude} and max_longitude >= ${box.minLongitude} and min_longitude <= ${box.maxLongitude}`;

/** The extent of a county's homes; undefined if none has a point. */
export async function findBoxOfHomes(client: Queryable, fips: number): Promise<Box | undefined> {
  const box = await getRow<{ [Edge in keyof Box]: Box[Edge] | null }>(client)`
    select min(longitude) as "minLongitude", min(latitude) as "minLatitude", max(longitude) as "maxLongitude",
      max(latitude) as "maxLatitude" from properties where fips = ${fips} and latitude is not null`;
  return box.minLongitude === null ? undefined : (box as Box);
}

/** How many of each county's homes have a value in the layer. Looks up each area once rather than per home: every load
    runs this for each layer, and it was a third of the database work of loading the sandbox. */
export async function countValued(
  client: Queryable,
  layer: Pick<definitions.LayerDefinition, 'name' | 'join'>,
  { market, counties }: { market: string; counties: number[] },
): Promise<Map<number, number>> {
  const key = definitions.isAreaJoin(layer.join) ? definitions.AREA_COLUMNS[layer.join] : 'id';
  const columns = raw([...new Set(['fips', key])].join(', '));
  const rows = await listRows<{ fips: number; valued: number }>(client)`
    select p.fips, sum(p.homes)::int as valued from (
      select ${columns}, count(*) as homes from properties
      where fips = any(${counties}) and market = ${market} and status = 'active' group by ${columns}
    ) p where ${hasValue(layer)} group by p.fips`;
  return new Map(rows.map(({ fips, valued }) => [fips, valued]));
}

/** How many records of a layer there are for a county. */
export async function countLayerRecords(
  client: Queryable,
  { name, join }: definitions.LayerDefinition,
  { fips, box }: { fips: number; box: Box | undefined },
): Promise<number> {
  if (join === 'inside') return box ? (await listLayerAreas(client, [name], fips, box)).length : 0;
  const counted =
    join === 'zip'
      ? part`layer_values v where v.layer = ${name} and v.fips = ${NO_COUNTY}
          and v.key in (select p.zip from properties p where p.fips = ${fips})`
      : definitions.isAreaJoin(join)
        ? part`layer_values v where v.layer = ${name} and v.kind = ${join} and v.fips = ${fips}`
        : part`layer_stamps s where s.layer = ${name} and s.fips = ${fips}`;
  return getValue<number>(client)`select count(*)::int from ${counted}`;
}

interface LayerSource extends Pick<
  MarketRow,
  'layer' | 'source_id' | 'covers_from' | 'covers_to' | 'published_on' | 'loaded_at'
> {
  market: string | null;
}

/** The datasets that provide values of loaded layers, including the one being loaded. */
export const listLayerSources = ({ client, loadId, dataset, at }: LoadContext, layers: string[]) =>
  listRows<LayerSource>(client)`
    select l.layer->>'layer' as layer, s.id as source_id, n.market, (l.layer->>'from')::date as covers_from,
      (l.layer->>'to')::date as covers_to, n.published_on, n.loaded_at
    from sources s cross join lateral jsonb_array_elements(s.definition->'layers') as l(layer)
    join lateral (
      select market, coalesce(published_on, ${dataset.publishedOn}) as published_on, coalesce(finished_at, ${at}) as loaded_at
      from loads where source_id = s.id and (state = 'completed' or id = ${loadId}) order by id desc limit 1
    ) n on true
    where jsonb_typeof(s.definition->'layers') = 'array' and l.layer->>'layer' = any(${layers}::text[])`;

export const deleteLayerCoverage = (
  { client }: LoadContext,
  { fips, market }: { fips: number; market: string },
  { layer, source_id }: LayerSource,
) =>
  changeRows(client)`
    delete from coverage where fips = ${fips} and market = ${market} and layer = ${layer} and source_id = ${source_id}`;
