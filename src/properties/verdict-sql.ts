// Queries for verdicts on sales, and for the last sale that they change.
import { copyRows } from '../db/copy.ts';
import type { Client, Queryable } from '../db/postgres.ts';

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

export async function findDeed(
  db: Queryable,
  fips: number,
  propertyId: string,
  id: string,
): Promise<{ market: string; price: number | null } | undefined> {
  const { rows } = await db.query(
    `select market, price from transactions where fips = $1 and property_id = $2 and id = $3 and type = 'deed'`,
    [fips, propertyId, id],
  );
  return rows[0];
}

export async function upsertOperatorVerdict(
  client: Client,
  { fips, property_id, transaction_id }: SaleKey,
  verdict: Verdict & { market: string; at: Date },
): Promise<void> {
  await client.query(
    `insert into sale_verdicts (fips, property_id, transaction_id, market, market_price, reason, note, decided_by, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'operator', $8)
     on conflict (fips, property_id, transaction_id) do update set market_price = excluded.market_price,
       reason = excluded.reason, note = excluded.note, decided_by = 'operator', decided_at = excluded.decided_at`,
    [fips, property_id, transaction_id, verdict.market, verdict.market_price, verdict.reason, verdict.note, verdict.at],
  );
}

export async function deleteOperatorVerdict(
  client: Client,
  { fips, property_id, transaction_id }: SaleKey,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `delete from sale_verdicts where fips = $1 and property_id = $2 and transaction_id = $3 and decided_by = 'operator'`,
    [fips, property_id, transaction_id],
  );
  return rowCount === 1;
}

/** A verdict is part of the record: whoever keeps a copy hears of it. */
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
       on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
     where t.fips = $1 and t.property_id = $2 and t.id = $3`,
    [fips, property_id, transaction_id, at],
  );
}

export async function hasModelVerdicts(client: Client, market: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from sale_verdicts where market = $1 and decided_by = 'model' limit 1`,
    [market],
  );
  return rowCount === 1;
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
  await client.query(
    `create temp table new_verdicts (fips integer, property_id text collate "C", transaction_id text collate "C", reason text)
     on commit drop`,
  );
  await copyRows(
    client,
    'new_verdicts',
    ['fips', 'property_id', 'transaction_id', 'reason'],
    verdicts.map((each) => [each.fips, each.property_id, each.transaction_id, each.reason]),
  );
  const gone = await client.query<SaleKey>(
    `delete from sale_verdicts v where v.market = $1 and v.decided_by = 'model' and not exists (
       select 1 from new_verdicts n
       where n.fips = v.fips and n.property_id = v.property_id and n.transaction_id = v.transaction_id)
     returning v.fips, v.property_id, v.transaction_id`,
    [market],
  );
  await client.query(
    `update sale_verdicts v set reason = n.reason, decided_at = $2 from new_verdicts n
     where n.fips = v.fips and n.property_id = v.property_id and n.transaction_id = v.transaction_id
       and v.market = $1 and v.decided_by = 'model' and v.reason is distinct from n.reason`,
    [market, at],
  );
  const fresh = await client.query<SaleKey>(
    `insert into sale_verdicts (fips, property_id, transaction_id, market, market_price, reason, decided_by, decided_at)
     select fips, property_id, transaction_id, $1, false, reason, 'model', $2 from new_verdicts
     on conflict (fips, property_id, transaction_id) do nothing
     returning fips, property_id, transaction_id`,
    [market, at],
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
       select distinct on (k.fips, k.property_id) k.fips, k.property_id, t.sale_date, t.price, t.id
       from unnest($1::int[], $2::text[]) as k (fips, property_id)
       left join (
         select t.* from transactions t
         join unnest($1::int[], $2::text[]) as a (fips, property_id) on a.fips = t.fips and a.property_id = t.property_id
         left join sale_verdicts v on v.fips = t.fips and v.property_id = t.property_id and v.transaction_id = t.id
         where t.type = 'deed' and t.price > 0 and coalesce(v.market_price, t.arms_length) is not false
           and t.retired_at is null and t.sale_date is not null
       ) t on t.fips = k.fips and t.property_id = k.property_id
       order by k.fips, k.property_id, t.sale_date desc nulls last, t.id
     ) n
     where p.fips = n.fips and p.id = n.property_id
       and (p.last_sale_date, p.last_sale_price, p.last_sale_id) is distinct from (n.sale_date, n.price, n.id)`,
    [keys.map((key) => key.fips), keys.map((key) => key.property_id), at],
  );
}
