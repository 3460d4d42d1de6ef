// `npm run bench -- train`: `platbook train --all` by itself, and with a worker that takes part. Each process has a core of
// its own (taskset), as if it had a machine of its own; training alone would otherwise take both cores.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../src/config.ts';
import { startEmbedded } from '../src/db/embedded.ts';
import type { Pool } from '../src/db/postgres.ts';
import { buildSandbox } from '../src/sandbox/sandbox.ts';
import { MARKET } from '../src/sandbox/geography.ts';
import { printTable } from './measure.ts';
import { openService } from './service.ts';

const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const MARKETS = 3;
const PROPERTIES = 2_000;
/** Keeps the counties of the copies apart from each other and from those of the sandbox. */
const FIPS_STEP = 100;
const COPIED = ['counties', 'properties', 'property_counts', 'transactions', 'assessments'];

export async function run(_args: string[], config: Config): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'platbook-bench-train-'));
  const server = await startEmbedded(home);
  try {
    const { deps, close } = await openService(server.url);
    await buildSandbox(deps.data, { properties: PROPERTIES });
    for (let copy = 1; copy <= MARKETS; copy++) await copySandbox(deps.data, copy);
    await deps.data.query('vacuum analyze');
    await close();
    const start = (core: number, ...args: string[]) =>
      spawn('taskset', ['--cpu-list', String(core), process.execPath, PROGRAM, ...args], {
        env: { ...process.env, PLATBOOK_HOME: home, DATABASE_URL: server.url, PLATBOOK_SECRET: config.secret },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    const trainAll = async (): Promise<number> => {
      const startedAt = performance.now();
      const [code] = (await once(start(0, 'train', '--all', '--force').on('error', fail), 'exit')) as [number];
      if (code !== 0) throw new Error(`train --all ended with ${code}`);
      return (performance.now() - startedAt) / 1000;
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
      `Training ${MARKETS + 1} markets of ${PROPERTIES.toLocaleString('en')} homes`,
      ['processes, a core each', 'seconds', 'to one'],
      [
        [1, alone.toFixed(0), ''],
        [2, together.toFixed(0), (together / alone).toFixed(2)],
      ],
    );
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function fail(error: Error): never {
  throw error;
}

async function saidReady(worker: ChildProcess): Promise<void> {
  for await (const chunk of worker.stdout!) if (String(chunk).includes('ready')) return;
}

/** The sandbox once more, as a market that is none. */
async function copySandbox(data: Pool, copy: number): Promise<void> {
  const market = `copy-${copy}`;
  await data.query(
    `insert into markets (id, name, state, sandbox) select $1, $1, state, false from markets where id = $2`,
    [market, MARKET],
  );
  for (const table of COPIED) {
    const changed = `jsonb_build_object('fips', fips - ${FIPS_STEP * copy}) || case when to_jsonb(t) ? 'market'
      then jsonb_build_object('market', '${market}') else '{}' end`;
    await data.query(
      `insert into ${table} select (jsonb_populate_record(t, ${changed})).* from ${table} t
       where fips in (select fips from property_counts where market = '${MARKET}')`,
    );
  }
}
