// Allows one serving instance per data directory: a lock held by a connection, which ends with a killed process.
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import pg from 'pg';
import type { Database } from './database.ts';

const LOCK = ADVISORY_LOCKS.instance;

/** Undefined if another instance holds it. With the operator's own server, any number of instances may serve. */
export async function takeInstanceLock(database: Database): Promise<{ release(): Promise<void> } | undefined> {
  if (!database.isEmbedded) return { release: async () => {} };
  const client = new pg.Client({ connectionString: database.controlUrl, application_name: 'platbook-instance' });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK]);
  if (rows[0].locked) return { release: () => client.end() };
  await client.end();
  return undefined;
}
