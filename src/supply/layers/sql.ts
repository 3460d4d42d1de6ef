// Queries on the tables of layers, each for many properties at once.
import type { Queryable } from '../../base/db/postgres.ts';
import { getRow, listRows, part, raw } from '../../base/db/statements.ts';

interface PropertyKey {
  fips: number;
  id: string;
}

/** A table's rows by property. */
export const listOfProperties = <Row extends object>(
  db: Queryable,
  properties: readonly PropertyKey[],
  { table, columns, order }: { table: string; columns: readonly string[]; order: string },
) =>
  listRows<Row & { property_id: string }>(db, `list_${table}`)`
    select t.property_id, ${raw(columns.map((name) => `t.${name}`).join(', '))} from ${raw(table)} t
    join unnest(${properties.map(({ fips }) => fips)}::int[], ${properties.map(({ id }) => id)}::text[]) as p (fips, id)
      on t.fips = p.fips and t.property_id = p.id
    where t.fips = any(${properties.map(({ fips }) => fips)}) order by ${raw(order)}`;

export interface Tract {
  fips: number;
  geoid: string;
}

const wanted = (tracts: Tract[]) =>
  part`unnest(${tracts.map(({ fips }) => fips)}::int[], ${tracts.map(({ geoid }) => geoid)}::text[]) as w (fips, geoid)`;

/** A table's rows by tract, each once: of several, the first in the order. */
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
