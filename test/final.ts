// A change is final once no older transaction is running in any database of the server, where other tests run too.
import { FINAL_BELOW } from '../src/base/db/epochs.ts';
import type { Queryable } from '../src/base/db/postgres.ts';
import { until } from './until.ts';

const IS_FINAL = `select ${FINAL_BELOW} > $1::xid8 as is_final`;

export async function untilFinal(data: Queryable): Promise<void> {
  const { rows } = await data.query('select xid::text as xid from changes order by changes.xid desc limit 1');
  await until(async () => (await data.query(IS_FINAL, [rows[0].xid])).rows[0].is_final);
}
