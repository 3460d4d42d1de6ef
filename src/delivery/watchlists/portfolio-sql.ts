// Queries of a portfolio on the data plane: its homes, their values on a day, and the changes since.
import type { Queryable } from '../../base/db/postgres.ts';
import { listRows, part, raw } from '../../base/db/statements.ts';
import { LAYER_COLUMNS, type LayerColumns } from '../../supply/layers/layers.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';

interface Key {
  fips: number;
  id: string;
}

const COLUMNS_OF_LAYERS = Object.keys(LAYER_COLUMNS)
  .map((name) => `p.${name}`)
  .join(', ');
const countiesOf = (keys: readonly Key[]) => keys.map(({ fips }) => fips);
const tableOf = (keys: readonly Key[]) =>
  part`unnest(${countiesOf(keys)}::int[], ${keys.map(({ id }) => id)}::text[]) as k (fips, id)`;

export type HoldingRow = Pick<
  PropertyRow,
  | (keyof LayerColumns | 'fips' | 'id' | 'market' | 'state' | 'city' | 'zip' | 'neighborhood' | 'census_tract')
  | ('census_tract_2010' | 'block_group' | 'property_type' | 'status')
  | ('value' | 'value_low' | 'value_high' | 'value_model' | 'valued_on')
>;

/** Serializing ten thousand keys into one statement blocks the event loop for 25 ms. */
const KEYS_AT_ONCE = 500;

async function inLots<Row>(
  keys: readonly Key[],
  read: (lot: readonly Key[], counties: number[]) => Promise<Row[]>,
): Promise<Row[]> {
  const lots: Row[][] = [];
  for (let n = 0; n < keys.length; n += KEYS_AT_ONCE) {
    const lot = keys.slice(n, n + KEYS_AT_ONCE);
    lots.push(await read(lot, countiesOf(lot)));
  }
  return lots.flat();
}

export const listHoldings = (db: Queryable, keys: readonly Key[]) =>
  inLots(
    keys,
    (lot, counties) => listRows<HoldingRow>(db)`
    select p.fips, p.id, p.market, p.state, p.city, p.zip, p.neighborhood, p.census_tract, p.census_tract_2010, p.block_group, p.property_type, p.status, p.value,
      p.value_low, p.value_high, p.value_model, p.valued_on, ${raw(COLUMNS_OF_LAYERS)}
    from properties p join ${tableOf(lot)} on p.fips = k.fips and p.id = k.id
    where p.fips = any(${counties}) order by p.id`,
  );

/** The last value stored up to a day, for properties that have one. */
export async function listValuesOn(db: Queryable, keys: readonly Key[], day: string): Promise<Map<string, number>> {
  const rows = await inLots(
    keys,
    (lot, counties) => listRows<{ id: string; value: number }>(db)`
    select distinct on (v.fips, v.property_id) v.property_id as id, v.value
    from property_values v join ${tableOf(lot)} on v.fips = k.fips and v.property_id = k.id
    where v.fips = any(${counties}) and v.valued_on <= ${day} order by v.fips, v.property_id, v.valued_on desc`,
  );
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/** The number of changes of each kind between two instants, and of properties with them. */
export async function countChanges(
  db: Queryable,
  keys: readonly Key[],
  since: Date,
  until: Date | 'infinity' = 'infinity',
) {
  const rows = await inLots(
    keys,
    (lot, counties) => listRows<{ type: string; changes: number; properties: number }>(db)`
    select c.kind as type, count(*)::int as changes, count(distinct c.property_id)::int as properties
    from changes c join ${tableOf(lot)} on c.fips = k.fips and c.property_id = k.id
    where c.fips = any(${counties}) and c.occurred_at >= ${since} and c.occurred_at < ${until}
    group by c.kind order by c.kind`,
  );
  const sums = new Map<string, (typeof rows)[number]>();
  for (const { type, changes, properties } of rows) {
    const sum = sums.get(type) ?? { type, changes: 0, properties: 0 };
    sums.set(type, { type, changes: sum.changes + changes, properties: sum.properties + properties });
  }
  return [...sums.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1));
}
