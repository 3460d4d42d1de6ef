// The usual ways to read a layer: from the dated records of a property, or from the details stored with its stamp.
import type { Static, TObject, TProperties } from 'typebox';
import type { Body, LayerReader } from './layer.ts';
import { listOfProperties } from './sql.ts';

/** Records mean nothing where no source covers the place: there may be others. */
export function readEvents<Item extends TObject, Members extends TProperties>(
  { table, item, order }: { table: string; item: Item; order: string },
  summarize: (items: Static<Item>[]) => Body<Members>,
): LayerReader<Members> {
  const columns = Object.keys(item.properties);
  return async (db, homes) => {
    const rows = await listOfProperties<object>(db, homes, { table, columns, order });
    const groups = Map.groupBy(rows, ({ property_id }) => property_id);
    return ({ id }, isCovered) => {
      if (!isCovered) return {};
      const items = (groups.get(id) ?? []).map(({ property_id: _id, ...row }) => row as Static<Item>);
      return items.length > 0 ? { found: summarize(items) } : { none: summarize([]) };
    };
  };
}

/** `present` leaves out whatever of the stored row is not part of the layer. */
export const readDetails =
  <Row extends object, Members extends TProperties>(
    { table, columns }: { table: string; columns: readonly (string & keyof Row)[] },
    none: Partial<Body<Members>>,
    present: (row: Row) => Body<Members>,
  ): LayerReader<Members> =>
  async (db, homes) => {
    const rows = await listOfProperties<Row>(db, homes, { table, columns, order: 't.property_id' });
    const found = new Map(rows.map(({ property_id, ...row }) => [property_id, present(row as unknown as Row)]));
    return ({ id }) => ({ found: found.get(id), none });
  };

export const sumOf = (amounts: (number | null)[]): number =>
  amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0);
