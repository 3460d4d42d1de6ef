// The queries that only training uses.
import { copyObjects } from '../../base/db/copy.ts';
import { inTransaction, type Pool, type Queryable } from '../../base/db/postgres.ts';
import { changeRows, getValue, listRows, listValues } from '../../base/db/statements.ts';
import { MODEL_HEADER } from '../avm/pack.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { listCountiesOf } from '../../records/markets/sql.ts';

export async function isSandbox(data: Queryable, market: string): Promise<boolean> {
  const { rows } = await data.query('select sandbox from markets where id = $1', [market]);
  if (rows.length === 0) throw new CommandError(`No market has the id \`${market}\`.`);
  return rows[0].sandbox;
}

export interface TestedRow {
  fips: number;
  property_id: string;
  sale_id: string;
  sold_on: string;
  price: number;
  value: number;
  confidence: string;
  is_covered: boolean;
  is_valued: boolean;
  property_type: string | null;
  census_tract: string | null;
}

/** Replaces the back-test of the previous serving model. */
export async function replaceTestedSales(
  data: Pool,
  { market, model }: { market: string; model: string },
  rows: TestedRow[],
): Promise<void> {
  const counties = [...new Set([...(await listCountiesOf(data, market)), ...rows.map(({ fips }) => fips)])];
  await inTransaction(data, async (client) => {
    await changeRows(client)`delete from tested_sales where fips = any(${counties}) and market = ${market}`;
    const ours = rows.map((row) => ({ ...row, market, model }));
    await copyObjects(client, 'tested_sales', ours);
  });
}

/**
 * The last training, even if refused, of each market whose serving model is not pinned. Leaves out markets with a
 * failed training since `failedSince`.
 */
export const listLastTrainings = (control: Queryable, failedSince: Date) =>
  listRows<{ market: string; trained_on: string; sales: number }>(control)`
    select distinct on (m.market) m.market, m.trained_on, (m.card->>'sales')::int as sales
    from models m
    where exists (select from models c where c.market = m.market and c.state = 'current' and not c.pinned
        and substring(c.bytes for ${MODEL_HEADER.length}) = ${MODEL_HEADER})
      and not exists (select from jobs j where j.name = 'train' and j.subject = m.market and j.state = 'failed'
        and j.finished_at > ${failedSince})
    order by m.market, m.trained_on desc`;

/** Priced deeds that became known after one day and by another. */
export const countSalesSince = async (data: Queryable, market: string, { after, to }: { after: string; to: string }) =>
  getValue<number>(data)`
    select count(*)::int from transactions
    where fips = any (${await listCountiesOf(data, market)}) and market = ${market} and type = 'deed' and price >= 5000
      and sale_date > ${after}::date - 366 and retired_at is null and arms_length is not false
      and greatest(sale_date + 14, known_on) > ${after}::date and greatest(sale_date + 14, known_on) <= ${to}::date`;

export const listOpenTrainings = (control: Queryable) =>
  listValues<string>(control)`
    select subject from jobs where name = 'train' and state in ('queued', 'running')`;
