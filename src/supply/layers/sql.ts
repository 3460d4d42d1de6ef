// Queries on the tables of layers, each for many properties at once.
import type { Queryable } from '../../base/db/postgres.ts';
import { getRow, joined, listRows, part, raw, type Part } from '../../base/db/statements.ts';
import type { FieldCondition } from './condition.ts';
import type { AreaJoin, LayerDefinition, LayerSpec, LayerVals } from './definition.ts';

interface PropertyKey {
  fips: number;
  id: string;
}

const ofProperties = (properties: readonly PropertyKey[]) =>
  part`t.fips = any(${[...new Set(properties.map(({ fips }) => fips))]}) and t.property_id = any(${properties.map(({ id }) => id)})`;

/** A table's rows by property. */
export const listOfProperties = <Row extends object>(
  db: Queryable,
  properties: readonly PropertyKey[],
  { table, columns, order }: { table: string; columns: readonly string[]; order: string },
) =>
  listRows<Row & { property_id: string }>(db, `list_${table}`)`
    select t.property_id, ${raw(columns.map((name) => `t.${name}`).join(', '))} from ${raw(table)} t
    where ${ofProperties(properties)} order by ${raw(order)}`;

export interface Tract {
  fips: number;
  geoid: string;
}

const wanted = (tracts: Tract[]) =>
  part`unnest(${tracts.map(({ fips }) => fips)}::int[], ${tracts.map(({ geoid }) => geoid)}::text[]) as w (fips, geoid)`;

/** A table's rows by tract, deduplicated: the first in the order wins. */
export async function listOfTracts<Row extends object>(
  db: Queryable,
  tracts: Tract[],
  { table, key, columns, order }: { table: string; key: string; columns: readonly string[]; order?: string },
): Promise<Map<string, Row>> {
  const column = raw(`t.${key}`);
  const rows = await listRows<Row & { tract_key: string }>(db, `list_${table}`)`
    select distinct on (t.fips, ${column}) ${column} as tract_key, ${raw(columns.map((name) => `t.${name}`).join(', '))}
    from ${raw(table)} t join ${wanted(tracts)} on t.fips = w.fips and ${column} = w.geoid
    order by t.fips, ${column}${raw(order ? `, ${order}` : '')}`;
  return new Map(rows.map(({ tract_key, ...row }) => [tract_key, row as Row]));
}

/** Which of the tracts are zones of the second round; undefined while its list is not loaded. */
export async function listZonesOf2027(db: Queryable, tracts: Tract[]): Promise<Set<string> | undefined> {
  const { is_loaded, zones } = await getRow<{ is_loaded: boolean; zones: string[] }>(db, 'list_zones_2027')`
    select exists (select 1 from opportunity_zones_2027) as is_loaded, array(
      select z.tract_geoid from opportunity_zones_2027 z
      join ${wanted(tracts)} on z.fips = w.fips and z.tract_geoid = w.geoid
    ) as zones`;
  return is_loaded ? new Set(zones) : undefined;
}

export const listDefinitions = async (db: Queryable): Promise<LayerDefinition[]> =>
  (
    await listRows<{ name: string; definition: LayerSpec }>(db)`
      select name, definition from layer_definitions order by name`
  ).map(({ name, definition }) => ({ ...definition, name }));

export interface AreaKey {
  fips: number;
  layer: string;
  kind: AreaJoin;
  key: string;
}

/** The values of many areas in several layers. */
export const listAreaValues = (db: Queryable, keys: readonly AreaKey[]) =>
  listRows<{ layer: string; key: string; vals: LayerVals }>(db, 'list_area_values')`
    select v.layer, v.key, v.vals from layer_values v
    join unnest(${keys.map(({ fips }) => fips)}::int[], ${keys.map(({ layer }) => layer)}::text[],
      ${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ key }) => key)}::text[]) as w (fips, layer, kind, key)
      on v.fips = w.fips and v.layer = w.layer and v.kind = w.kind and v.key = w.key`;

/** The stamps of homes in several layers; homes with the same values share a row, which takes a third of the time. */
export const listStamps = (db: Queryable, homes: readonly PropertyKey[], layers: readonly string[]) =>
  listRows<{ layer: string; vals: LayerVals; ids: string }>(db, 'list_layer_stamps')`
    select t.layer, t.vals, string_agg(t.property_id, ' ') as ids from layer_stamps t
    where ${ofProperties(homes)} and t.layer = any(${layers}::text[]) group by t.fips, t.layer, t.vals`;

/** `isMet` over the stored values `v.vals`. */
export function conditionSql({ field, among, min, max }: FieldCondition): Part {
  const value = part`(v.vals->>${field})`;
  if (among) return part`lower${value} = any(${among}::text[])`;
  const [least, most] = [min, max].map((end) => (Number.isFinite(Number(end)) ? Number(end) : null));
  const numbers = [
    ...(min === undefined ? [] : [part`${value}::float8 >= ${least}::float8`]),
    ...(max === undefined ? [] : [part`${value}::float8 <= ${most}::float8`]),
  ];
  const texts = [
    ...(min === undefined ? [] : [part`${value} collate "C" >= ${min}`]),
    ...(max === undefined ? [] : [part`left(${value}, ${max.length}) collate "C" <= ${max}`]),
  ];
  return part`case when jsonb_typeof(v.vals->${field}) = 'number' then ${joined(numbers, ' and ')} else ${joined(texts, ' and ')} end`;
}
