// Queries of a preview, on a database that holds nothing else.
import type { Queryable } from '../../base/db/postgres.ts';
import { getRow, listRows, raw } from '../../base/db/statements.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';

/** The fields that valuations depend on most. */
const COUNTED = 'address_line1 latitude sqft lot_sqft bedrooms bathrooms year_built last_sale_price'.split(' ');

export function listBestDescribed(db: Queryable, limit: number): Promise<PropertyRow[]> {
  const stated = COUNTED.map((name) => `(${name} is not null)::int`).join(' + ');
  return listRows<PropertyRow>(db)`select * from properties order by ${raw(stated)} desc, id limit ${limit}`;
}

export async function countFilled(db: Queryable): Promise<{ total: number; filled: Record<string, number> }> {
  const { total, ...filled } = await getRow<Record<string, number>>(db)`
    select count(*) as total, ${raw(COUNTED.map((name) => `count(${name}) as ${name}`).join(', '))} from properties`;
  return { total, filled };
}

export const listPoints = (db: Queryable, limit: number) =>
  listRows<{ latitude: number; longitude: number }>(db)`
    select latitude, longitude from properties where latitude is not null order by md5(id) limit ${limit}`;
