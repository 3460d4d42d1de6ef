// Queries for the polygons that properties are stamped from, and for the stamps.
import { copyRows, type CopyValue } from '../../../base/db/copy.ts';
import { createStageTable } from '../../../base/db/distribution.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import { changeRows, findRow, listRows, listValues, raw } from '../../../base/db/statements.ts';
import type { LoadContext } from '../load-context.ts';
import type { Area } from '../../layers/layer.ts';
import { POLYGON_LAYERS, TRACT_LAYERS, type LayerName } from '../../layers/layers.ts';
import { MAP_FIELDS } from '../map/targets.ts';

export const listAreas = (client: Queryable, counties: number[]) =>
  listRows<Area>(client)`
    select fips, kind, id, vintage, name, array[min_longitude, min_latitude, max_longitude, max_latitude] as box, attributes,
      rings, source_id as "sourceId"
    from areas where fips = any(${counties})`;

/** The tracts that each layer's table lists; a layer whose table is empty has no entry. */
export async function listListedTracts(
  client: Queryable,
  counties: number[],
): Promise<Partial<Record<LayerName, Set<string>>>> {
  const listed: Partial<Record<LayerName, Set<string>>> = {};
  for (const { name, tracts } of TRACT_LAYERS) {
    if (!(await findRow(client)`select 1 from ${raw(tracts.table)} limit 1`)) continue;
    listed[name] = new Set(
      await listValues<string>(client)`select tract_geoid from ${raw(tracts.table)} where fips = any(${counties})`,
    );
  }
  return listed;
}

/** The layers that keep details beside the property, one row each. */
export const DETAILED_LAYERS = POLYGON_LAYERS.flatMap(({ name, polygons: { details } }) =>
  details ? [{ name, ...details, stage: `stage_${details.table}` }] : [],
);
export type DetailedLayer = (typeof DETAILED_LAYERS)[number];

export async function haveDetailedAreas(client: Queryable, counties: number[]): Promise<boolean> {
  const found = await findRow(client)`
    select 1 from areas where fips = any(${counties}) and kind = any(${DETAILED_LAYERS.map(({ name }) => name)}) limit 1`;
  return found !== undefined;
}

/** A property with the columns that are stamped from the map. */
export interface StampedProperty extends Record<string, unknown> {
  fips: number;
  id: string;
  latitude: number;
  longitude: number;
}

const RESTAMPED = ['neighborhood', ...MAP_FIELDS];

/** The properties to stamp. */
export interface StampScope {
  counties: number[];
  /** Only those that this load touched; null for every property in the counties. */
  loadId: number | null;
}

export async function* readLocated(client: Client, scope: StampScope): AsyncGenerator<StampedProperty[]> {
  await changeRows(client)`declare located no scroll cursor for
    select fips, id, latitude, longitude, ${raw(RESTAMPED.join(', '))}
    from properties
    where fips = any('{${raw(scope.counties.map(Number).join(','))}}') and latitude is not null
      ${raw(scope.loadId === null ? '' : `and load_id = ${Number(scope.loadId)}`)}`;
  for (;;) {
    const rows = await listRows<StampedProperty>(client)`fetch 5000 from located`;
    if (rows.length === 0) break;
    yield rows;
  }
  await changeRows(client)`close located`;
}

export async function createRestamped(client: Client): Promise<void> {
  const columns = `fips, id as property_id, ${RESTAMPED.join(', ')}`;
  await createStageTable(client, 'restamped', `select ${columns} from properties with no data`);
  for (const layer of DETAILED_LAYERS) {
    const stored = detailColumns(layer).join(', ');
    await createStageTable(client, layer.stage, `select ${stored} from ${layer.table} with no data`);
  }
}

export const copyRestamped = (client: Client, rows: StampedProperty[]): Promise<number> =>
  copyRows(
    client,
    'restamped',
    ['fips', 'property_id', ...RESTAMPED],
    rows.map((row) => [row.fips, row.id, ...RESTAMPED.map((name) => row[name] as CopyValue)]),
  );

const detailColumns = ({ columns }: DetailedLayer) => ['fips', 'property_id', ...columns, 'source_id'];

export const copyDetails = (
  client: Client,
  layer: DetailedLayer,
  rows: { fips: number; id: string; areas: Area[] }[],
): Promise<number> =>
  copyRows(
    client,
    layer.stage,
    detailColumns(layer),
    rows.map(({ fips, id, areas }) => [fips, id, ...(layer.row(areas) as CopyValue[]), areas[0].sourceId]),
  );

/** Writes stamps that differ. A changed layer of an active property is an event, except on the first map of the layer. */
export async function applyRestamped({ client, loadId, at }: LoadContext, isFirstMap: (layer: LayerName) => boolean) {
  for (const { name, columns, polygons } of POLYGON_LAYERS) {
    if (isFirstMap(name)) continue;
    const names = Object.keys(columns);
    const of = (table: string) => names.map((column) => `${table}.${column}`).join(', ');
    const objectOf = (table: string) =>
      `jsonb_build_object(${names.map((column) => `'${column}', ${table}.${column}`).join(', ')})`;
    await changeRows(client)`
      insert into changes (fips, property_id, market, kind, op, changed_fields, before, after, load_id, occurred_at)
      select p.fips, p.id, p.market, ${polygons.event}, 'update', ${names}::text[], ${raw(objectOf('p'))}, ${raw(objectOf('r'))}, ${loadId}, ${at}
      from restamped r join properties p on p.fips = r.fips and p.id = r.property_id
      where p.status = 'active' and (${raw(of('p'))}) is distinct from (${raw(of('r'))})`;
  }
  return changeRows(client)`
    update properties p set ${raw(RESTAMPED.map((name) => `${name} = r.${name}`).join(', '))}, updated_at = ${at}
    from restamped r where p.fips = r.fips and p.id = r.property_id`;
}

/** Writes, corrects or removes a layer's details of the properties in scope. */
export async function applyDetails(load: LoadContext, layer: DetailedLayer, scope: StampScope): Promise<void> {
  const { client, loadId, at } = load;
  const { table, stage } = layer;
  const columns = [...layer.columns, 'source_id'];
  const of = (prefix: string) => columns.map((name) => `${prefix}.${name}`).join(', ');
  await changeRows(client)`insert into ${raw(table)} (fips, property_id, ${raw(columns.join(', '))}, load_id, loaded_at)
    select fips, property_id, ${raw(columns.join(', '))}, ${loadId}, ${at} from ${raw(stage)}
    on conflict (fips, property_id) do update set ${raw(columns.map((name) => `${name} = excluded.${name}`).join(', '))},
      load_id = excluded.load_id, loaded_at = excluded.loaded_at
    where (${raw(of(table))}) is distinct from (${raw(of('excluded'))})`;
  await changeRows(client)`
    delete from ${raw(table)} f using properties p
    where p.fips = f.fips and p.id = f.property_id and f.fips = any(${scope.counties}) and (${scope.loadId}::bigint is null or p.load_id = ${scope.loadId}::bigint)
      and not exists (select 1 from ${raw(stage)} s where s.fips = f.fips and s.property_id = f.property_id)`;
}
