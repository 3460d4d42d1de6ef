// Forward-only migrations: plain SQL files per plane, each in its own transaction, serialized by a lock.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inTransaction, type Plane, type Pool } from './postgres.ts';

const FOLDER = fileURLToPath(new URL('../../db/migrations', import.meta.url));
const LOCK = 7_526_001;

/** Migrates a plane to the newest schema and returns the names of the files applied. */
export async function migrate(pool: Pool, plane: Plane): Promise<string[]> {
  const client = await pool.connect();
  try {
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
      await inTransaction(pool, async (transaction) => {
        await transaction.query(text);
        await transaction.query(`insert into ${plane}.migrations (name, sha256) values ($1, $2)`, [name, sha256]);
      });
      fresh.push(name);
    }
    return fresh;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {});
    client.release();
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
