// The standard layer readers: from a property's dated records, or from the details stored with its stamp.
import type { Static, TObject, TProperties } from 'typebox';
import { asNumber } from '../../base/lib/figures.ts';
import type { Body, LayerReader } from './layer.ts';
import { listOfProperties } from './sql.ts';

/** Records are ignored if no source covers the place, since there may be others. */
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

/** Null if any amount is unknown. */
export const sumOf = (amounts: (number | null)[]): number | null =>
  amounts.reduce<number | null>((total, amount) => (total === null || amount === null ? null : total + amount), 0);

/** How many records are known to be open. Null if none is known to be open but some have no status, since any of those
    may be. */
export function countOpen(items: readonly { status: string }[]) {
  const having = (wanted: string) => items.filter(({ status }) => status === wanted).length;
  const [open, unknown] = [having('open'), having('unknown')];
  return { open_count: open === 0 && unknown > 0 ? null : open, status_unknown: unknown };
}

/** The same as an SQL aggregate over the records `t`. */
export const OPEN_COUNT_SQL = `case when bool_or(t.status = 'unknown') and not bool_or(t.status = 'open') then null
  else count(*) filter (where t.status = 'open') end::integer`;

/** The start of a sentence in a lender's file. */
export function describeOpen({ open_count, status_unknown }: Record<'open_count' | 'status_unknown', number | null>) {
  if (!status_unknown) return `${asNumber(open_count)} open`;
  return `${open_count === null ? 'Not known how many are open' : `At least ${open_count} open`}; ${status_unknown} without a status`;
}
