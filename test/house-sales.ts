// King County's house sales, loaded once per run for all suites that need them: the first builds a template database,
// the others wait and clone it.
import { closeSync, existsSync, mkdtempSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSources } from '../sources/sources.ts';
import { readConfig } from '../src/base/config.ts';
import { openPool, type Pool } from '../src/base/db/postgres.ts';
import { systemClock } from '../src/base/lib/clock.ts';
import { findSources, ingest } from '../src/supply/ingest/ingest.ts';
import { testClient, type TestClient } from './harness.ts';
import { copyDatabase, urlOfDatabase } from './template.ts';
import { until } from './until.ts';

export const RECORDS = readConfig({ PLATBOOK_DATA: process.env.PLATBOOK_DATA }).recordsFolder;
export const HOUSE_SALES = join(RECORDS, 'king-county/kc_house_sales.csv.gz');
export const needsHouseSales = { skip: existsSync(HOUSE_SALES) ? false : `no public records in ${RECORDS}` };

export async function clientWithHouseSales(): Promise<TestClient> {
  const { TEST_CITUS_URL: citus, PLATBOOK_TEST_SERVER: server, PLATBOOK_TEST_TEMPLATE: template } = process.env;
  if (citus) {
    const client = await testClient({ plan: 'enterprise' });
    await load(client.deps.data);
    client.deps.catalog.forget();
    return client;
  }
  const name = `${template}_house_sales`;
  await oncePerRun(name, async () => {
    await copyDatabase(server!, name, template!);
    const data = openPool(urlOfDatabase(server!, name), 'data', { size: 4, statementTimeoutMs: 600_000 });
    await load(data);
    await data.end();
  });
  return testClient({ plan: 'enterprise', template: name });
}

async function load(data: Pool): Promise<void> {
  const { sources, datasets } = findSources(readSources(), ['king-county-wa/house-sales']);
  const cacheFolder = mkdtempSync(join(tmpdir(), 'platbook-house-sales-'));
  await ingest({ data, clock: systemClock, cacheFolder }, sources, readSources(), { from: RECORDS, datasets });
}

/** The temporary folder belongs to the run, and exclusive file creation elects the first process. */
async function oncePerRun(name: string, build: () => Promise<void>): Promise<void> {
  const [lock, ended] = [join(tmpdir(), `${name}.lock`), join(tmpdir(), `${name}.ended`)];
  try {
    closeSync(openSync(lock, 'wx'));
  } catch {
    await until(() => existsSync(ended));
    return;
  }
  try {
    await build();
  } finally {
    writeFileSync(`${ended}.new`, '');
    renameSync(`${ended}.new`, ended);
  }
}
