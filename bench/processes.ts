// `npm run bench -- processes [1 2 4 …]`: valuations a second of `platbook start` with one process and with more, on the
// sandbox of a home of its own. The client is part of the machine's load.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAccount, createKey } from '../src/accounts/accounts.ts';
import type { Config } from '../src/config.ts';
import { open } from '../src/open.ts';
import { ms, printTable } from './measure.ts';

const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const CONNECTIONS = 16;
const WARM_UP_CALLS = 400;
const SECONDS = 10;
const HOMES = 100;

export async function run(args: string[], config: Config): Promise<void> {
  const counts = args.length > 0 ? args.map(Number) : [...new Set([1, 2, availableParallelism()])];
  const home = mkdtempSync(join(tmpdir(), 'platbook-bench-processes-'));
  const { deps, close } = await open({ ...config, home, databaseUrl: undefined });
  try {
    const contract = { sandboxRateLimitPerHour: 100_000_000 };
    const account = await createAccount(deps.control, deps.clock(), 'Bench', 'enterprise', { contract });
    const { secret } = await createKey(deps, account.id, { name: 'bench', mode: 'test' });
    const rows: (string | number)[][] = [];
    let alone: number | undefined;
    for (const count of counts) {
      const { perSecond, p50Ms, p99Ms } = await measureStart(home, secret, count);
      alone ??= perSecond;
      rows.push([count, perSecond.toFixed(0), ms(p50Ms), ms(p99Ms), (perSecond / alone).toFixed(2)]);
    }
    const cores = availableParallelism();
    printTable(
      `Valuations over ${CONNECTIONS} connections, on ${cores} cores`,
      ['processes', 'a second', 'p50 ms', 'p99 ms', `to ${counts[0]}`],
      rows,
    );
  } finally {
    await close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureStart(home: string, key: string, count: number) {
  const child = spawn(process.execPath, ['--max-semi-space-size=64', PROGRAM, 'start'], {
    env: {
      ...process.env,
      PLATBOOK_HOME: home,
      PORT: '0',
      PROCESSES: String(count),
      WORKER: 'false',
      SANDBOX_PROPERTIES: '4000',
      IP_LIMIT_PER_MINUTE: '10000000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await readUrl(child, count);
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const found = await call(agent, `${url}/properties/search?state=ZZ&min_value=1&limit=${HOMES}`, key);
    const value = (id: string) => call(agent, `${url}/avm/estimate`, key, { property: { id } });
    const ids: string[] = [];
    for (const { id } of (JSON.parse(found) as { data: { id: string }[] }).data) {
      // Some homes of the sandbox always answer with an error.
      const isValued = await value(id).then(
        () => true,
        () => false,
      );
      if (isValued) ids.push(id);
    }
    const times: number[] = [];
    const estimate = async (n: number) => {
      const from = performance.now();
      await value(ids[n % ids.length]);
      times.push(performance.now() - from);
    };
    await inLanes((n) => n < WARM_UP_CALLS * count, estimate);
    times.length = 0;
    const from = performance.now();
    await inLanes(() => performance.now() - from < SECONDS * 1000, estimate);
    const perSecond = times.length / ((performance.now() - from) / 1000);
    times.sort((a, b) => a - b);
    agent.destroy();
    return {
      perSecond,
      p50Ms: times[Math.floor(times.length * 0.5)],
      p99Ms: times[Math.floor(times.length * 0.99)],
    };
  } finally {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
}

/** Once every process serves. */
async function readUrl(child: ChildProcess, count: number): Promise<string> {
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  while (!output.includes('Ctrl-C stops it')) {
    if (child.exitCode !== null) throw new Error(output);
    await sleep(50);
  }
  const url = /API +(http:\S+)/.exec(output)![1];
  for (;;) {
    const metrics = await (await fetch(`${new URL(url).origin}/metrics`)).text();
    if ([...metrics.matchAll(/^process_resident_memory_bytes/gm)].length === count) return url;
    await sleep(200);
  }
}

async function inLanes(goesOn: (n: number) => boolean, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let n = next++; goesOn(n); n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

function call(agent: Agent, url: string, key: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        agent,
        method: body ? 'POST' : 'GET',
        headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}
