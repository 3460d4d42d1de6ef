// Forward-only migrations: plain SQL files per plane, applied once, one process at a time. Each is a transaction, unless it
// begins with `-- no transaction`: then its statements run one by one, and can be run again after an interruption.
import { changeRows, getValue, listRows, raw } from './statements.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../lib/command-error.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import type { Client, Plane, Pool, Queryable } from './postgres.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../db/migrations', import.meta.url));
/** The schema of 1.0.0, where upgrades begin. */
const BASELINE = '0001_baseline.sql';
const LOCK = ADVISORY_LOCKS.migration;
const LOCK_POLL_MS = 200;
/** A migration waits this long for a table lock, then lets others pass and retries. */
const LOCK_TIMEOUT = '5s';
const MOST_TRIES = 60;
const PAUSE_MS = 200;
const LOCK_NOT_AVAILABLE = '55P03';
const UNDEFINED_TABLE = '42P01';

interface Migration {
  name: string;
  text: string;
  sha256: string;
}

/** Migrates a plane to the newest schema and returns the names of the files applied. */
export async function migrate(pool: Pool, plane: Plane, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const client = await pool.connect();
  try {
    // Requests have a short time limit; migrations have none.
    await client.query('set statement_timeout = 0');
    await takeLock(client);
    await changeRows(client)`create schema if not exists ${raw(plane)}`;
    await changeRows(client)`
      create table if not exists ${raw(plane)}.migrations (
      name text primary key, sha256 text not null, applied_at timestamptz not null default now())`;
    const fresh = await listPending(client, plane, folder);
    for (const migration of fresh) {
      if (isWithoutTransaction(migration)) await applyStatements(client, plane, migration);
      else await applyWhole(client, plane, migration);
      await changeRows(client)`reset lock_timeout`;
    }
    return fresh.map(({ name }) => name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {});
    // Not returned to the pool: its timeout is disabled.
    client.release(true);
  }
}

/** Migrations in the folder that the database lacks. Additional ones in the database belong to a newer version and may
    stay. */
export async function listPending(db: Queryable, plane: Plane, folder = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const applied = await listApplied(db, plane);
  if (applied.size > 0 && !applied.has(BASELINE))
    throw new CommandError(
      `The ${plane} plane was made by a version before 1.0, which cannot be upgraded; start with an empty database.`,
    );
  return readMigrations(plane, folder).filter(({ name, sha256 }) => {
    const known = applied.get(name);
    if (known !== undefined && known !== sha256)
      throw new CommandError(`Migration ${plane}/${name} was changed after it was applied.`);
    return known === undefined;
  });
}

async function listApplied(db: Queryable, plane: Plane): Promise<Map<string, string>> {
  try {
    const rows = await listRows<{ name: string; sha256: string }>(
      db,
    )`select name, sha256 from ${raw(plane)}.migrations`;
    return new Map(rows.map((row) => [row.name, row.sha256]));
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return new Map();
    throw error;
  }
}

export const readMigrations = (plane: Plane, folder = MIGRATIONS_FOLDER): Migration[] =>
  readdirSync(`${folder}/${plane}`)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(`${folder}/${plane}/${name}`, 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    });

export const isWithoutTransaction = ({ text }: Pick<Migration, 'text'>): boolean =>
  text.startsWith('-- no transaction');

/** Polls: a session that waits for the lock holds a snapshot, and `create index concurrently` waits for all snapshots
    to end. */
async function takeLock(client: Client): Promise<void> {
  for (;;) {
    if (await getValue<boolean>(client)`select pg_try_advisory_lock(${LOCK})`) return;
    await sleep(LOCK_POLL_MS);
  }
}

/** Serving continues while a migration waits: it yields to the table's lock holders and retries. */
async function applyWhole(client: Client, plane: Plane, migration: Migration): Promise<void> {
  await changeRows(client)`set lock_timeout = '${raw(LOCK_TIMEOUT)}'`;
  for (let tries = 1; ; tries++) {
    try {
      await client.query('begin');
      await client.query(migration.text);
      await recordApplied(client, plane, migration);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || tries >= MOST_TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** No lock timeout: a concurrent build blocks no one while it waits. */
async function applyStatements(client: Client, plane: Plane, migration: Migration): Promise<void> {
  await client.query('set lock_timeout = 0');
  for (const statement of splitStatements(migration.text)) {
    const index = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)/i.exec(statement)?.[1];
    if (index) await dropInvalid(client, plane, index);
    await client.query(statement);
  }
  await recordApplied(client, plane, migration);
}

/** Statements end with a semicolon at the end of a line; comment lines between them are left out. */
export const splitStatements = (text: string): string[] =>
  text
    .replace(/^\s*--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/** An interrupted `create index concurrently` leaves an index that is kept up to date and never used. */
async function dropInvalid(client: Client, plane: Plane, index: string): Promise<void> {
  const rows = await listRows(client)`
    select 1 from pg_index where indexrelid = to_regclass(${`${plane}.${index}`}) and not (indisvalid and indisready)`;
  if (rows.length > 0) await changeRows(client)`drop index concurrently ${raw(plane)}.${raw(index)}`;
}

const recordApplied = (client: Client, plane: Plane, { name, sha256 }: Migration) =>
  changeRows(client)`
    insert into ${raw(plane)}.migrations (name, sha256) values (${name}, ${sha256})`;
