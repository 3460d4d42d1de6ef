// `npm run bench -- train`: `platbook train` of two markets by itself, and with a worker that takes part. Each process has
// a core of its own (taskset), as if it had a machine of its own; training alone would otherwise take both cores.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../src/base/config.ts';
import { startEmbedded } from '../src/base/db/embedded.ts';
import type { Pool } from '../src/base/db/postgres.ts';
import { propertyId } from '../src/base/lib/ids.ts';
import { loadSandbox } from '../src/operate/prepare-sandbox.ts';
import { MARKET } from '../src/supply/sandbox/geography.ts';
import { printTable } from './measure.ts';
import { openService } from './service.ts';

const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const MARKETS = ['copy-1', 'copy-2'];
const PROPERTIES = 2_000;
/** Keeps the counties of the copies apart from each other and from those of the sandbox. */
const FIPS_STEP = 100;
/** The tables to copy, with the column that names a home. */
const ID_OF: Record<string, string> = {
  counties: '',
  properties: 'id',
  property_counts: '',
  transactions: 'property_id',
  assessments: 'property_id',
};
const COPIED = Object.keys(ID_OF);

export async function run(_args: string[], config: Config): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'platbook-bench-train-'));
  const server = await startEmbedded(home);
  try {
    const { deps, close } = await openService(server.url);
    await loadSandbox(deps.data, PROPERTIES);
    for (const [at, market] of MARKETS.entries()) await copySandbox(deps.data, market, at + 1);
    await deps.data.query('vacuum analyze');
    const start = (core: number, ...args: string[]) =>
      spawn('taskset', ['--cpu-list', String(core), process.execPath, PROGRAM, ...args], {
        env: { ...process.env, PLATBOOK_HOME: home, DATABASE_URL: server.url, PLATBOOK_SECRET: config.secret },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    const trainAll = async (): Promise<number> => {
      const startedAt = performance.now();
      const [code] = (await once(start(0, 'train', ...MARKETS, '--force').on('error', fail), 'exit')) as [number];
      if (code !== 0) throw new Error(`train ended with ${code}`);
      const seconds = (performance.now() - startedAt) / 1000;
      if ((await countUntrained(deps.control)) > 0) throw new Error('Not every market was trained.');
      return seconds;
    };
    const withWorker = async (): Promise<number> => {
      const worker = start(1, 'worker');
      await saidReady(worker);
      const seconds = await trainAll();
      worker.kill('SIGTERM');
      await once(worker, 'exit');
      return seconds;
    };
    // The first training of a market also writes every value for the first time.
    await withWorker();
    const alone = await trainAll();
    const together = await withWorker();
    printTable(
      `Training ${MARKETS.length} markets of ${PROPERTIES.toLocaleString('en')} homes`,
      ['processes, a core each', 'seconds', 'to one'],
      [
        [1, alone.toFixed(0), ''],
        [2, together.toFixed(0), (together / alone).toFixed(2)],
      ],
    );
    await close();
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function countUntrained(control: Pool): Promise<number> {
  const { rows } = await control.query<{ count: number }>(
    `select count(*)::int as count from jobs where name = 'train' and (state <> 'done' or attempts > 1)`,
  );
  return rows[0].count;
}

function fail(error: Error): never {
  throw error;
}

async function saidReady(worker: ChildProcess): Promise<void> {
  for await (const chunk of worker.stdout!) if (String(chunk).includes('ready')) return;
}

/** The sandbox once more, as a market that is none. Ids tell their county, so the homes of a copy have ids of their own. */
async function copySandbox(data: Pool, market: string, copy: number): Promise<void> {
  await data.query(
    `insert into markets (id, name, state, sandbox) select $1, $1, state, false from markets where id = $2`,
    [market, MARKET],
  );
  const { rows } = await data.query<{ id: string; fips: number }>('select id, fips from properties where market = $1', [
    MARKET,
  ]);
  await data.query('create table copied_ids (id text primary key, copy_id text not null)');
  await data.query('insert into copied_ids select * from unnest($1::text[], $2::text[])', [
    rows.map(({ id }) => id),
    rows.map(({ id, fips }) => propertyId(fips - FIPS_STEP * copy, id)),
  ]);
  for (const table of COPIED) {
    await data.query(
      `insert into ${table}
       select (jsonb_populate_record(t, to_jsonb(t) || jsonb_build_object('fips', fips - ${FIPS_STEP * copy})
         || case when to_jsonb(t) ? 'market' then jsonb_build_object('market', '${market}') else '{}' end
         || case when i.id is null then '{}' else jsonb_build_object('${ID_OF[table]}', i.copy_id) end)).*
       from ${table} t left join copied_ids i on i.id = to_jsonb(t)->>'${ID_OF[table]}'
       where fips in (select fips from property_counts where market = '${MARKET}')`,
    );
  }
  await data.query('drop table copied_ids');
}
