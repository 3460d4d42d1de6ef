// Exports of growing size, from the database to Parquet on disk: memory must not grow with the rows. The baseline is
// a plain COPY of the same columns that only counts bytes. `npm run bench -- exports [--full]`: up to 1 million rows,
// or 10 million.
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { to as copyTo } from 'pg-copy-streams';
import { readPresent } from '../src/delivery/changes/positions.ts';
import type { Config } from '../src/base/config.ts';
import type { Client, Pool } from '../src/base/db/postgres.ts';
import type { Deps } from '../src/base/deps.ts';
import { COLUMNS, type ExportRow } from '../src/delivery/exports/columns.ts';
import { writeParts } from '../src/delivery/exports/parts.ts';
import { readRows } from '../src/delivery/exports/rows.ts';
import { open } from '../src/operate/open.ts';
import { printTable } from './measure.ts';
import { fillSynthetic } from './synthetic.ts';

// A separate database, kept for the next run, because filling it would empty any other.
const HOME = join(tmpdir(), 'platbook-bench-exports');
const MILLION = 1_000_000;

async function fill(data: Pool, isFull: boolean): Promise<void> {
  const { rows } = await data.query<{ n: number }>('select coalesce(sum(property_count), 0) as n from property_counts');
  if (rows[0].n >= (isFull ? 10 * MILLION : MILLION)) return;
  await fillSynthetic(data, MILLION);
  if (!isFull) return;
  const client = await data.connect();
  await client.query('set statement_timeout = 0');
  await growTenfold(client);
  client.release(true);
}

/** Adds nine copies of every row; each moves the last letter of the id by another three places. */
async function growTenfold(client: Client): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string }>(
    `select indexname as name from pg_indexes
     where schemaname = 'data' and tablename = 'properties' and indexname <> 'properties_pkey'`,
  );
  // An export reads by the primary key, so the other indexes are not needed.
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'properties'::regclass and attnum > 0 and not attisdropped`,
  );
  const letters = '0123456789abcdefghjkmnpqrstvwxyz';
  const id = `left(id, 24) || substr('${letters}${letters}', strpos('${letters}', right(id, 1)) + 3 * copy, 1)`;
  const names = columns.map(({ name }) => name);
  await client.query(
    `insert into properties (${names.join(', ')})
     select ${names.map((name) => (name === 'id' ? id : name)).join(', ')} from properties cross join generate_series(1, 9) as copy`,
  );
  await client.query('update property_counts set property_count = property_count * 10');
  await client.query('vacuum analyze properties');
}

async function* readFirst(deps: Deps, count: number): AsyncGenerator<ExportRow[]> {
  const to = await readPresent(deps.data);
  const query = {
    dataset: 'properties',
    mode: 'live',
    filter: null,
    mayReadOwners: true,
    from: undefined,
    to,
  } as const;
  let left = count;
  for await (const page of readRows(deps, query)) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

async function measureExport(deps: Deps, count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-bench-'));
  const start = performance.now();
  const cpu = process.cpuUsage();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  let rows = 0;
  let bytes = 0;
  try {
    for await (const part of writeParts(readFirst(deps, count), { folder, dataset: 'properties', format: 'parquet' })) {
      rows += part.rows;
      bytes += part.bytes;
      await rm(part.path);
    }
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true });
  }
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  return { rows, bytes, seconds, cpuSeconds: (user + system) / 1e6, peakMb: peak / 1e6 };
}

async function measureCopy(data: Pool, count: number): Promise<number> {
  const names = COLUMNS.properties.map(([name]) => ({ _op: `'upsert'`, property_id: 'id' })[name] ?? name);
  const client = await data.connect();
  await client.query('set statement_timeout = 0');
  const start = performance.now();
  const copy = client.query(
    copyTo(`copy (select ${names.join(', ')} from properties order by fips, id limit ${count}) to stdout (format csv)`),
  );
  for await (const _chunk of copy);
  client.release(true);
  return (performance.now() - start) / 1000;
}

export async function run(args: string[], config: Config): Promise<void> {
  const isFull = args.includes('--full');
  const { deps, close } = await open({ ...config, home: HOME, databaseUrl: undefined, dataDatabaseUrl: undefined });
  try {
    await fill(deps.data, isFull);
    const results = [];
    for (const size of [MILLION / 10, MILLION, ...(isFull ? [10 * MILLION] : [])])
      results.push({ ...(await measureExport(deps, size)), copySeconds: await measureCopy(deps.data, size) });
    printTable(
      'Parquet exports of properties: memory stays flat as rows grow',
      ['rows', 'seconds', 'CPU seconds', 'rows/s', 'plain COPY rows/s', 'MB out', 'process peak MB'],
      results.map((r) => [
        r.rows,
        r.seconds.toFixed(1),
        r.cpuSeconds.toFixed(1),
        Math.round(r.rows / r.seconds),
        Math.round(r.rows / r.copySeconds),
        (r.bytes / 1e6).toFixed(1),
        Math.round(r.peakMb),
      ]),
    );
    const [small, big] = [results[0], results.at(-1)!];
    console.log(
      `\n${big.rows / small.rows} times the rows took ${(big.peakMb / small.peakMb).toFixed(2)} times the memory. The database is kept in ${HOME}`,
    );
  } finally {
    await close();
  }
}
