// Queries for verdicts on sales, and for the last sale that they change.
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { changeRow, changeRows, findRow, hasRow, listRows, part, raw } from '../../base/db/statements.ts';
import { listCountiesOf } from '../markets/sql.ts';
import type { Verdict } from './market-price.ts';

export interface SaleKey {
  fips: number;
  property_id: string;
  transaction_id: string;
}

export const findDeed = (db: Queryable, fips: number, propertyId: string, id: string) =>
  findRow<{ market: string; price: number | null }>(db)`
    select market, price from transactions where fips = ${fips} and property_id = ${propertyId} and id = ${id} and type = 'deed'`;

export const upsertOperatorVerdict = (
  client: Client,
  { fips, property_id, transaction_id }: SaleKey,
  verdict: Omit<Verdict, 'decided_by'> & { market: string; at: Date },
) =>
  changeRows(client)`
    insert into sale_verdicts (fips, property_id, transaction_id, market, market_price, reason, note, decided_by, decided_at)
    values (${fips}, ${property_id}, ${transaction_id}, ${verdict.market}, ${verdict.market_price}, ${verdict.reason}, ${verdict.note}, 'operator', ${verdict.at})
    on conflict (fips, property_id, transaction_id) do update set market_price = excluded.market_price,
      reason = excluded.reason, note = excluded.note, decided_by = 'operator', decided_at = excluded.decided_at`;

export const deleteOperatorVerdict = (client: Client, { fips, property_id, transaction_id }: SaleKey) =>
  changeRow(client)`
    delete from sale_verdicts where fips = ${fips} and property_id = ${property_id} and transaction_id = ${transaction_id} and decided_by = 'operator'`;

/** A verdict is part of the record, so the change feed reports it. */
export const insertVerdictChange = (client: Client, { fips, property_id, transaction_id }: SaleKey, at: Date) =>
  changeRows(client)`
    insert into changes (fips, property_id, market, kind, op, changed_fields, after, occurred_at)
    select t.fips, t.property_id, t.market, 'property.updated', 'update', '{transactions}',
      jsonb_build_object('id', t.id, 'market_price', coalesce(v.market_price, t.arms_length)), ${at}
    from transactions t left join sale_verdicts v
      on v.fips = ${fips} and v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
    where t.fips = ${fips} and t.property_id = ${property_id} and t.id = ${transaction_id}`;

export const hasModelVerdicts = async (client: Client, market: string) =>
  hasRow(client)`
    select 1 from sale_verdicts where fips = any(${await listCountiesOf(client, market)}) and market = ${market} and decided_by = 'model' limit 1`;

type ModelVerdict = SaleKey & { reason: string };

/** Replaces the model's verdicts on a market's sales and returns the properties with changed verdicts. */
export async function replaceModelVerdicts(client: Client, market: string, verdicts: ModelVerdict[], at: Date) {
  const counties = [...new Set([...(await listCountiesOf(client, market)), ...verdicts.map(({ fips }) => fips)])];
  const column = (name: keyof ModelVerdict) => verdicts.map((each) => each[name]);
  const decided = part`
    unnest(${column('fips')}::int[], ${column('property_id')}::text[], ${column('transaction_id')}::text[], ${column('reason')}::text[])
      as n (fips, property_id, transaction_id, reason)`;
  const same = raw('n.fips = v.fips and n.property_id = v.property_id and n.transaction_id = v.transaction_id');
  const isOfModel = part`v.fips = any(${counties}) and v.market = ${market} and v.decided_by = 'model'`;
  const gone = await listRows<SaleKey>(client)`
    delete from sale_verdicts v where ${isOfModel} and not exists (select 1 from ${decided} where ${same})
    returning v.fips, v.property_id, v.transaction_id`;
  await changeRows(client)`
    update sale_verdicts v set reason = n.reason, decided_at = ${at} from ${decided}
    where ${isOfModel} and ${same} and v.reason is distinct from n.reason`;
  const fresh = await listRows<SaleKey>(client)`
    insert into sale_verdicts (fips, property_id, transaction_id, market, market_price, reason, decided_by, decided_at)
    select n.fips, n.property_id, n.transaction_id, ${market}, false, n.reason, 'model', ${at} from ${decided}
    on conflict (fips, property_id, transaction_id) do nothing
    returning fips, property_id, transaction_id`;
  return [...gone, ...fresh];
}

/** Recomputes the properties' last sale from sales not known to be non-market; `at` is null if this is not a record
    change. */
export function refreshLastSales(client: Client, keys: SaleKey[], at: Date | null): Promise<number> {
  const counties = [...new Set(keys.map(({ fips }) => fips))];
  const ids = keys.map(({ property_id }) => property_id);
  return changeRows(client)`
    update properties p set last_sale_date = n.sale_date, last_sale_price = n.price, last_sale_id = n.id,
      updated_at = coalesce(${at}, p.updated_at)
    from (
      select distinct on (k.fips, k.id) k.fips, k.id as property_id, t.sale_date, t.price, t.id
      from properties k
      left join (
        select t.* from transactions t
        left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
        where t.fips = any(${counties}::int[]) and t.property_id = any(${ids}::text[]) and t.type = 'deed' and t.price > 0
          and coalesce(v.market_price, t.arms_length) is not false and t.retired_at is null and t.sale_date is not null
      ) t on t.fips = k.fips and t.property_id = k.id
      where k.fips = any(${counties}::int[]) and k.id = any(${ids}::text[])
      order by k.fips, k.id, t.sale_date desc nulls last, t.id
    ) n
    where p.fips = any(${counties}::int[]) and p.fips = n.fips and p.id = n.property_id
      and (p.last_sale_date, p.last_sale_price, p.last_sale_id) is distinct from (n.sale_date, n.price, n.id)`;
}
