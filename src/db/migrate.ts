// Forward-only migrations: plain SQL files per plane, each in its own transaction, serialized by a lock.
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inTransaction, type Plane, type Pool } from './postgres.ts';

const FOLDER = fileURLToPath(new URL('../../db/migrations', import.meta.url));
const LOCK = ADVISORY_LOCKS.migration;
/** A migration that needs a table others are using waits this long, lets them pass, and tries again. */
const LOCK_TIMEOUT = '5s';
const MOST_TRIES = 60;
const LOCK_NOT_AVAILABLE = '55P03';

/** Migrates a plane to the newest schema and returns the names of the files applied. */
export async function migrate(pool: Pool, plane: Plane): Promise<string[]> {
  const client = await pool.connect();
  try {
    // Requests have a short time limit; migrations, and waiting for another process's, have none.
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(`create schema if not exists ${plane}`);
    await client.query(`create table if not exists ${plane}.migrations (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`);
    const { rows } = await client.query<{ name: string; sha256: string }>(
      `select name, sha256 from ${plane}.migrations`,
    );
    const applied = new Map(rows.map((row) => [row.name, row.sha256]));

    const fresh: string[] = [];
    for (const { name, text, sha256 } of readMigrations(plane)) {
      const known = applied.get(name);
      if (known === sha256) continue;
      if (known) throw new Error(`Migration ${plane}/${name} was changed after it was applied.`);
      await retryLocked(() =>
        inTransaction(pool, async (transaction) => {
          await transaction.query(`set local statement_timeout = 0; set local lock_timeout = '${LOCK_TIMEOUT}'`);
          await transaction.query(text);
          await transaction.query(`insert into ${plane}.migrations (name, sha256) values ($1, $2)`, [name, sha256]);
        }),
      );
      fresh.push(name);
    }
    return fresh;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {});
    // Not back into the pool: its time limit is gone.
    client.release(true);
  }
}

/** Serving goes on while a migration waits: it gives way to whoever holds the table, and comes back. */
async function retryLocked(apply: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await apply();
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || tries >= MOST_TRIES) throw error;
    }
  }
}

function readMigrations(plane: Plane) {
  return readdirSync(`${FOLDER}/${plane}`)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(`${FOLDER}/${plane}/${name}`, 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    });
}
