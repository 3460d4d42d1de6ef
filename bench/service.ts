// The service on a database of a bench: its schema up to date, without limits by address, silent.
import { randomBytes } from 'node:crypto';
import { readConfig } from '../src/base/config.ts';
import { migrate } from '../src/base/db/migrate.ts';
import { openPool } from '../src/base/db/postgres.ts';
import type { Deps } from '../src/base/deps.ts';
import { createPlainDeps } from '../test/plain-deps.ts';

/** Filling a database takes longer than any request may. */
const STATEMENT_TIMEOUT_MS = 600_000;

export async function openService(url: string): Promise<{ deps: Deps; close(): Promise<void> }> {
  const config = readConfig({
    DATABASE_URL: url,
    PLATBOOK_SECRET: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'silent',
    PORT: '0',
    IP_LIMIT_PER_MINUTE: '10000000',
  });
  const options = { size: 8, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const [data, control] = [openPool(url, 'data', options), openPool(url, 'control', options)];
  await migrate(control, 'control');
  await migrate(data, 'data');
  const deps = createPlainDeps(config, url, { data, control });
  const close = async () => {
    await Promise.all([data.end(), control.end()]);
  };
  return { deps, close };
}
