// The query that only training uses.
import type { Queryable } from '../db/postgres.ts';
import { CommandError } from '../lib/command-error.ts';

export async function isSandbox(data: Queryable, market: string): Promise<boolean> {
  const { rows } = await data.query('select sandbox from markets where id = $1', [market]);
  if (rows.length === 0) throw new CommandError(`No market has the id \`${market}\`.`);
  return rows[0].sandbox;
}
