// A pooler in transaction mode, such as pgbouncer, shares sessions between clients: session settings are made where the
// pooler opens them, not by us. We therefore check, and refuse to serve from misconfigured sessions.
import { CommandError } from '../lib/command-error.ts';
import type { Plane, Pool } from './postgres.ts';

export async function refuseWrongSession(pool: Pool, plane: Plane): Promise<void> {
  const { rows } = await pool.query<{ path: string; zone: string; timeout: string }>(
    `select current_setting('search_path') as path, current_setting('TimeZone') as zone,
       current_setting('statement_timeout') as timeout`,
  );
  const { path, zone, timeout } = rows[0];
  if (path === plane && zone === 'UTC' && timeout !== '0') return;
  throw new CommandError(
    `Sessions of the ${plane} plane come from the pooler with search_path ${path}, time zone ${zone} and statement_timeout ` +
      `${timeout}. They need search_path ${plane} (in pgbouncer.ini, give the database of this plane ` +
      `connect_query='set search_path = ${plane}'), time zone UTC and a statement_timeout (alter database ... set ...).`,
  );
}
