// The queries that only training uses.
import type { Queryable } from '../db/postgres.ts';
import { CommandError } from '../lib/command-error.ts';

export async function isSandbox(data: Queryable, market: string): Promise<boolean> {
  const { rows } = await data.query('select sandbox from markets where id = $1', [market]);
  if (rows.length === 0) throw new CommandError(`No market has the id \`${market}\`.`);
  return rows[0].sandbox;
}

/** Markets with enough sales to train on. */
export async function listTrainable(data: Queryable, minSales: number): Promise<string[]> {
  const { rows } = await data.query(
    `select market from transactions
     where type = 'deed' and price is not null and arms_length is not false
     group by market
     having count(*) >= $1
     order by market`,
    [minSales],
  );
  return rows.map((row) => row.market);
}
