// Queries on the tables of layers, each for many properties at once.
import type { Queryable } from '../../base/db/postgres.ts';

interface PropertyKey {
  fips: number;
  id: string;
}

/** A table's rows by property. */
export async function listOfProperties<Row extends object>(
  db: Queryable,
  properties: readonly PropertyKey[],
  { table, columns, order }: { table: string; columns: readonly string[]; order: string },
): Promise<(Row & { property_id: string })[]> {
  const { rows } = await db.query<Row & { property_id: string }>({
    name: `list_${table}`,
    text: `select t.property_id, ${columns.map((name) => `t.${name}`).join(', ')} from ${table} t
           join unnest($1::int[], $2::text[]) as p (fips, id) on t.fips = p.fips and t.property_id = p.id
           where t.fips = any($1) order by ${order}`,
    values: [properties.map((p) => p.fips), properties.map((p) => p.id)],
  });
  return rows;
}

export interface Tract {
  fips: number;
  geoid: string;
}

const tractValues = (tracts: Tract[]) => [tracts.map((tract) => tract.fips), tracts.map((tract) => tract.geoid)];

/** A table's rows by tract, each once: of several, the first in the order. */
export async function listOfTracts<Row extends object>(
  db: Queryable,
  tracts: Tract[],
  { table, key, columns, order }: { table: string; key: string; columns: readonly string[]; order?: string },
): Promise<Map<string, Row>> {
  const { rows } = await db.query<Row & { tract_key: string }>({
    name: `list_${table}`,
    text: `select distinct on (t.fips, t.${key}) t.${key} as tract_key, ${columns.map((name) => `t.${name}`).join(', ')}
           from ${table} t join unnest($1::int[], $2::text[]) as w (fips, geoid) on t.fips = w.fips and t.${key} = w.geoid
           order by t.fips, t.${key}${order ? `, ${order}` : ''}`,
    values: tractValues(tracts),
  });
  return new Map(rows.map(({ tract_key, ...row }) => [tract_key, row as Row]));
}

/** Which of the tracts are zones of the second round; undefined while its list is not loaded. */
export async function listZonesOf2027(db: Queryable, tracts: Tract[]): Promise<Set<string> | undefined> {
  const { rows } = await db.query<{ is_loaded: boolean; zones: string[] }>({
    name: 'list_zones_2027',
    text: `select exists (select 1 from opportunity_zones_2027) as is_loaded, array(
             select z.tract_geoid from opportunity_zones_2027 z
             join unnest($1::int[], $2::text[]) as w (fips, geoid) on z.fips = w.fips and z.tract_geoid = w.geoid
           ) as zones`,
    values: tractValues(tracts),
  });
  return rows[0].is_loaded ? new Set(rows[0].zones) : undefined;
}
