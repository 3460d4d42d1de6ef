// The template database that every test file clones: both schemas and a small sandbox market.
import { createHash } from 'node:crypto';
import { readConfig } from '../src/base/config.ts';
import pg from 'pg';
import { distributeTables } from '../src/base/db/distribution.ts';
import { migrate } from '../src/base/db/migrate.ts';
import { openPool } from '../src/base/db/postgres.ts';
import { prepareSandbox } from '../src/operate/prepare-sandbox.ts';
import { closeForCloning, createCitusDatabase } from './citus.ts';
import { createPlainDeps } from './plain-deps.ts';

export const TEST_PROPERTIES = 4_000;
/** Shared by the template and its clones, so the template's signatures stay valid. */
export const TEST_SECRET = 'the secret of every test database';

export function urlOfDatabase(serverUrl: string, name: string): string {
  return serverUrl.replace(/\/[^/]*$/, `/${name}`);
}

export async function withServer<Result>(
  serverUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: urlOfDatabase(serverUrl, 'postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Copies files, which takes half the work of copying through the WAL. */
export async function copyDatabase(serverUrl: string, name: string, template: string): Promise<void> {
  await withServer(serverUrl, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
}

/** On Citus, the fewest shards with two on each of two workers. */
const SHARDS = 4;

/** With `citusUrl` both planes are on the cluster and the data plane is distributed over its workers. */
export async function buildTemplate(serverUrl: string, citusUrl?: string): Promise<string> {
  const name = `platbook_template_${createHash('sha256').update(`${process.pid}-${Date.now()}`).digest('hex').slice(0, 8)}`;
  if (citusUrl) await createCitusDatabase(citusUrl, name);
  else await withServer(serverUrl, (client) => client.query(`create database ${name}`));
  const url = urlOfDatabase(citusUrl ?? serverUrl, name);
  const options = { size: 4, statementTimeoutMs: 120_000 };
  const data = openPool(url, 'data', options);
  const control = openPool(url, 'control', options);
  await migrate(control, 'control');
  await migrate(data, 'data');
  if (citusUrl) await distributeTables(data, SHARDS);
  const config = readConfig({ PLATBOOK_SECRET: TEST_SECRET, LOG_LEVEL: 'silent' });
  const deps = createPlainDeps(config, url, { data, control });
  await prepareSandbox(deps, undefined, TEST_PROPERTIES);
  await data.query('vacuum analyze');
  await Promise.all([data.end(), control.end()]);
  if (citusUrl) await closeForCloning(citusUrl, name);
  return name;
}
