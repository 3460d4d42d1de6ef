// A change is final when no older transaction runs any more, in any database of the server: other tests run there too.
import type { Queryable } from '../src/db/postgres.ts';

export async function untilFinal(data: Queryable): Promise<void> {
  const { rows } = await data.query('select xid::text as xid from changes order by changes.xid desc limit 1');
  for (let i = 0; i < 3_000; i++) {
    const {
      rows: [{ is_final: isFinal }],
    } = await data.query('select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as is_final', [rows[0].xid]);
    if (isFinal) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
