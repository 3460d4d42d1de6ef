// Queries for verdicts on sales, and for the last sale that they change.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { changeRows, findRow } from '../../base/db/statements.ts';
import { listCountiesOf } from '../markets/sql.ts';

export interface SaleKey {
  fips: number;
  property_id: string;
  transaction_id: string;
}

export interface Verdict {
  market_price: boolean;
  reason: string | null;
  note: string | null;
}

export const findDeed = (db: Queryable, fips: number, propertyId: string, id: string) =>
  findRow<{ market: string; price: number | null }>(db)`
    select market, price from transactions where fips = ${fips} and property_id = ${propertyId} and id = ${id} and type = 'deed'`;

export const upsertOperatorVerdict = (
  client: Client,
  { fips, property_id, transaction_id }: SaleKey,
  verdict: Verdict & { market: string; at: Date },
) =>
  changeRows(client)`
    insert into sale_verdicts (fips, property_id, transaction_id, market, market_price, reason, note, decided_by, decided_at)
    values (${fips}, ${property_id}, ${transaction_id}, ${verdict.market}, ${verdict.market_price}, ${verdict.reason}, ${verdict.note}, 'operator', ${verdict.at})
    on conflict (fips, property_id, transaction_id) do update set market_price = excluded.market_price,
      reason = excluded.reason, note = excluded.note, decided_by = 'operator', decided_at = excluded.decided_at`;

export async function deleteOperatorVerdict(
  client: Client,
  { fips, property_id, transaction_id }: SaleKey,
): Promise<boolean> {
  const count = await changeRows(client)`
    delete from sale_verdicts where fips = ${fips} and property_id = ${property_id} and transaction_id = ${transaction_id} and decided_by = 'operator'`;
  return count === 1;
}

/** A verdict is part of the record, so the change feed reports it. */
export async function insertVerdictChange(
  client: Client,
  { fips, property_id, transaction_id }: SaleKey,
  at: Date,
): Promise<void> {
  await client.query(
    `insert into changes (fips, property_id, market, kind, op, changed_fields, after, occurred_at)
     select t.fips, t.property_id, t.market, 'property.updated', 'update', '{transactions}',
       jsonb_build_object('id', t.id, 'market_price', coalesce(v.market_price, t.arms_length)), $4
     from transactions t left join sale_verdicts v
       on v.fips = $1 and v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
     where t.fips = $1 and t.property_id = $2 and t.id = $3`,
    [fips, property_id, transaction_id, at],
  );
}

export async function hasModelVerdicts(client: Client, market: string): Promise<boolean> {
  const found = await findRow(client)`
    select 1 from sale_verdicts where fips = any(${await listCountiesOf(client, market)}) and market = ${market} and decided_by = 'model' limit 1`;
  return found !== undefined;
}

export interface ModelVerdict {
  property_id: string;
  fips: number;
  transaction_id: string;
  reason: string;
}

/** Replaces the model's verdicts on a market's sales and returns the properties whose sales changed sides. */
export async function replaceModelVerdicts(
  client: Client,
  market: string,
  verdicts: ModelVerdict[],
  at: Date,
): Promise<SaleKey[]> {
  const counties = [...new Set([...(await listCountiesOf(client, market)), ...verdicts.map(({ fips }) => fips)])];
  const values = [
    counties,
    verdicts.map((each) => each.fips),
    verdicts.map((each) => each.property_id),
    verdicts.map((each) => each.transaction_id),
    verdicts.map((each) => each.reason),
  ];
  const decided =
    'unnest($2::int[], $3::text[], $4::text[], $5::text[]) as n (fips, property_id, transaction_id, reason)';
  const same = 'n.fips = v.fips and n.property_id = v.property_id and n.transaction_id = v.transaction_id';
  const gone = await client.query<SaleKey>(
    `delete from sale_verdicts v
     where v.fips = any($1) and v.market = $6 and v.decided_by = 'model' and not exists (select 1 from ${decided} where ${same})
     returning v.fips, v.property_id, v.transaction_id`,
    [...values, market],
  );
  await client.query(
    `update sale_verdicts v set reason = n.reason, decided_at = $7 from ${decided}
     where v.fips = any($1) and ${same} and v.market = $6 and v.decided_by = 'model' and v.reason is distinct from n.reason`,
    [...values, market, at],
  );
  const fresh = await client.query<SaleKey>(
    `insert into sale_verdicts (fips, property_id, transaction_id, market, market_price, reason, decided_by, decided_at)
     select n.fips, n.property_id, n.transaction_id, $5, false, n.reason, 'model', $6
     from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as n (fips, property_id, transaction_id, reason)
     on conflict (fips, property_id, transaction_id) do nothing
     returning fips, property_id, transaction_id`,
    [...values.slice(1), market, at],
  );
  return [...gone.rows, ...fresh.rows];
}

/** Sets the last sale of these properties again, from the sales that are not known to be something else; `at` is null
    where that is no change of the record. */
export async function refreshLastSales(client: Client, keys: SaleKey[], at: Date | null): Promise<void> {
  await client.query(
    `update properties p set last_sale_date = n.sale_date, last_sale_price = n.price, last_sale_id = n.id,
       updated_at = coalesce($3, p.updated_at)
     from (
       select distinct on (k.fips, k.id) k.fips, k.id as property_id, t.sale_date, t.price, t.id
       from properties k
       left join (
         select t.* from transactions t
         left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
         where t.fips = any($1::int[]) and t.property_id = any($2::text[]) and t.type = 'deed' and t.price > 0
           and coalesce(v.market_price, t.arms_length) is not false and t.retired_at is null and t.sale_date is not null
       ) t on t.fips = k.fips and t.property_id = k.id
       where k.fips = any($1::int[]) and k.id = any($2::text[])
       order by k.fips, k.id, t.sale_date desc nulls last, t.id
     ) n
     where p.fips = any($1::int[]) and p.fips = n.fips and p.id = n.property_id
       and (p.last_sale_date, p.last_sale_price, p.last_sale_id) is distinct from (n.sale_date, n.price, n.id)`,
    [[...new Set(keys.map((key) => key.fips))], keys.map((key) => key.property_id), at],
  );
}
