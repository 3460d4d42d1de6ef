// `npm run bench -- train`: `platbook train` of two markets by itself, and with a worker that takes part. Each process has
// a core of its own (taskset), as if it had a machine of its own; training alone would otherwise take both cores.
// `npm run bench -- train <markets> [homes]`: hundreds with small parameters, two side by side, and the memory that they take.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
const TENTHS = 10;
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

export async function run(args: string[], config: Config): Promise<void> {
  const [count = MARKETS.length, homes = PROPERTIES] = args.map(Number);
  const isMany = count > MARKETS.length;
  const markets = isMany ? Array.from({ length: count }, (_, i) => `copy-${i + 1}`) : MARKETS;
  const home = mkdtempSync(join(tmpdir(), 'platbook-bench-train-'));
  const server = await startEmbedded(home);
  try {
    const { deps, close } = await openService(server.url);
    await loadSandbox(deps.data, homes);
    for (const [at, market] of markets.entries()) await copySandbox(deps.data, market, at + 1);
    await deps.data.query('vacuum analyze');
    const env = { ...process.env, PLATBOOK_HOME: home, DATABASE_URL: server.url, PLATBOOK_SECRET: config.secret };
    const start = (core: number, ...words: string[]) =>
      spawn('taskset', ['--cpu-list', String(core), process.execPath, PROGRAM, ...words], {
        env: { ...env, ...(isMany && { TRAINING: 'tiny' }) },
        stdio: ['ignore', 'pipe', isMany ? 'ignore' : 'inherit'],
      });
    if (isMany) {
      console.log(`${markets.length} markets of ${homes} homes are there`);
      await trainMany(markets, { start, control: deps.control });
      return await close();
    }
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

/** Of each tenth of the markets, in the order in which they were done: how long they took, and the memory meanwhile. */
async function trainMany(
  markets: string[],
  { start, control }: { start(core: number, ...words: string[]): ChildProcess; control: Pool },
): Promise<void> {
  const worker = start(1, 'worker');
  await saidReady(worker);
  worker.stdout!.resume();
  const command = start(0, 'train', ...markets, '--force').on('error', fail);
  const parts = Array.from({ length: TENTHS }, () => ({ steadyMb: 0, peakMb: 0, ms: 0 }));
  let [done, since] = [0, performance.now()];
  for await (const line of createInterface(command.stdout!)) {
    if (!line.startsWith('copy-') || line.includes(' homes valued ')) continue;
    const part = parts[Math.floor((done++ * TENTHS) / markets.length)];
    const { steady, all } = await memoryOf([worker.pid!, command.pid!]);
    part.steadyMb = Math.max(part.steadyMb, steady);
    part.peakMb = Math.max(part.peakMb, all);
    part.ms += performance.now() - since;
    since = performance.now();
  }
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  const { rows } = await control.query<{ models: number }>('select count(distinct market)::int as models from models');
  const each = markets.length / TENTHS;
  printTable(
    `${rows[0].models} models of ${markets.length} markets (${await countUntrained(control)} not done at once), two side by side`,
    ['tenth', 'seconds a market', 'command and worker, MB', 'with their jobs, MB'],
    parts.map(({ steadyMb, peakMb, ms }, i) => [
      i + 1,
      (ms / 1000 / each).toFixed(1),
      steadyMb.toFixed(0),
      peakMb.toFixed(0),
    ]),
  );
}

/** Resident memory of some processes, and of those with everything that they started. */
async function memoryOf(roots: number[]): Promise<{ steady: number; all: number }> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,rss=']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const sum = (pids: number[]): number =>
    rows.filter(([pid]) => pids.includes(pid)).reduce((mb, [, , kb]) => mb + kb / 1000, 0);
  const below = (pids: number[]): number[] => {
    const children = rows.filter(([, parent]) => pids.includes(parent)).map(([pid]) => pid);
    return children.length === 0 ? pids : [...pids, ...below(children)];
  };
  return { steady: sum(roots), all: sum(below(roots)) };
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
       select r.* from ${table} t left join copied_ids i on i.id = ${ID_OF[table] ? `t.${ID_OF[table]}` : 'null'},
         jsonb_populate_record(t, to_jsonb(t) || jsonb_build_object('fips', t.fips - ${FIPS_STEP * copy})
         || case when to_jsonb(t) ? 'market' then jsonb_build_object('market', '${market}') else '{}' end
         || case when i.id is null then '{}' else jsonb_build_object('${ID_OF[table]}', i.copy_id) end) r
       where t.fips in (select fips from property_counts where market = '${MARKET}')`,
    );
  }
  await data.query('drop table copied_ids');
}
