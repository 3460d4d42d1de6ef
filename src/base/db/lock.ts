// Mutual exclusion between processes for long operations. The lock is held by a connection, which ends with the
// process.
import { setTimeout as sleep } from 'node:timers/promises';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import type { Pool } from './postgres.ts';

const POLL_MS = 200;

/** Polls rather than waiting in a statement, which has a timeout and holds a snapshot. */
export async function holdLock<Result>(pool: Pool, name: keyof typeof ADVISORY_LOCKS, work: () => Promise<Result>) {
  const lock = ADVISORY_LOCKS[name];
  const client = await pool.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lock]);
      if (rows[0].locked) return await work();
      await sleep(POLL_MS);
    }
  } finally {
    // Ends the session, and with it the lock.
    client.release(true);
  }
}
