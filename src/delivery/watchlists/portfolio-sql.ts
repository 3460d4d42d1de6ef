// Queries of a portfolio on the data plane: its homes, their values on a day, and the changes since.
import type { Queryable } from '../../base/db/postgres.ts';
import { LAYER_COLUMNS, type LayerColumns } from '../../supply/layers/layers.ts';

interface Key {
  fips: number;
  id: string;
}

const keysOf = (keys: readonly Key[]) => [keys.map(({ fips }) => fips), keys.map(({ id }) => id)];
const COLUMNS_OF_LAYERS = Object.keys(LAYER_COLUMNS)
  .map((name) => `p.${name}`)
  .join(', ');
const OF = 'join unnest($1::int[], $2::text[]) as k (fips, id) on';

export interface HoldingRow extends Key, LayerColumns {
  market: string;
  state: string;
  city: string | null;
  zip: string | null;
  neighborhood: string | null;
  property_type: string;
  status: 'active' | 'retired';
  value: number | null;
  value_low: number | null;
  value_high: number | null;
  value_model: string | null;
  valued_on: string | null;
}

export async function listHoldings(db: Queryable, keys: readonly Key[]): Promise<HoldingRow[]> {
  const { rows } = await db.query<HoldingRow>(
    `select p.fips, p.id, p.market, p.state, p.city, p.zip, p.neighborhood, p.property_type, p.status, p.value, p.value_low,
       p.value_high, p.value_model, p.valued_on, ${COLUMNS_OF_LAYERS}
     from properties p ${OF} p.fips = k.fips and p.id = k.id where p.fips = any($1) order by p.id`,
    keysOf(keys),
  );
  return rows;
}

/** The last value stored up to a day, of those that have one. */
export async function listValuesOn(db: Queryable, keys: readonly Key[], day: string): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; value: number }>(
    `select distinct on (v.fips, v.property_id) v.property_id as id, v.value
     from property_values v ${OF} v.fips = k.fips and v.property_id = k.id
     where v.fips = any($1) and v.valued_on <= $3 order by v.fips, v.property_id, v.valued_on desc`,
    [...keysOf(keys), day],
  );
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/** How many changes of each kind since an instant, and on how many properties. */
export async function countChanges(
  db: Queryable,
  keys: readonly Key[],
  since: Date,
): Promise<{ type: string; changes: number; properties: number }[]> {
  const { rows } = await db.query<{ type: string; changes: number; properties: number }>(
    `select c.kind as type, count(*)::int as changes, count(distinct c.property_id)::int as properties
     from changes c ${OF} c.fips = k.fips and c.property_id = k.id
     where c.occurred_at >= $3 group by c.kind order by c.kind`,
    [...keysOf(keys), since],
  );
  return rows;
}
