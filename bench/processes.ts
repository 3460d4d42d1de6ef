// `npm run bench -- processes [1 2 4 …]`: valuations a second of `platbook start` with one process and with more, on the
// sandbox of a home of its own, next to the bare statements that they need, sent by this process. The client is part of
// the machine's load in both.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAccount, createKey } from '../src/customers/accounts/accounts.ts';
import type { Config } from '../src/base/config.ts';
import type { Deps } from '../src/base/deps.ts';
import { open } from '../src/operate/open.ts';
import { ms, printTable } from './measure.ts';
import { sendBareSql, sendLoad } from './valuation-speed.ts';

const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const CONNECTIONS = 8;
/** Until the code has been compiled for good. */
const WARM_UP_CALLS = 3000;
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
      const { ids, ...service } = await measureStart(home, secret, count);
      const sql = await measureStatements(deps, ids, service.perSecond);
      alone ??= service.perSecond;
      const speed = ({ perSecond, p50Ms, p99Ms }: Speed) => [perSecond.toFixed(0), ms(p50Ms), ms(p99Ms)];
      const ratios = [service.perSecond / alone, service.perSecond / sql.perSecond, service.p99Ms / sql.p99Ms];
      rows.push([count, ...speed(service), ...speed(sql), ...ratios.map((ratio) => ratio.toFixed(2))]);
    }
    const cores = availableParallelism();
    printTable(
      `Valuations over ${CONNECTIONS} connections, on ${cores} cores`,
      [
        'processes',
        'a second',
        'p50 ms',
        'p99 ms',
        'SQL a second',
        'p50 ms',
        'p99 ms',
        `to ${counts[0]}`,
        'service ÷ SQL',
        'p99 ÷ SQL',
      ],
      rows,
    );
  } finally {
    await close();
    rmSync(home, { recursive: true, force: true });
  }
}

interface Speed {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

function speedOf(times: number[], seconds: number): Speed {
  const inOrder = times.toSorted((a, b) => a - b);
  const at = (share: number) => inOrder[Math.floor(inOrder.length * share)];
  return { perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** About as long as the service was measured; the first tenth warms up. */
async function measureStatements(deps: Deps, ids: string[], perSecond: number): Promise<Speed> {
  const some = (count: number) => Array.from({ length: Math.ceil(count) }, (_, i) => ids[i % ids.length]);
  await sendBareSql(deps, some(perSecond * (SECONDS / 10)), CONNECTIONS, { mode: 'test' });
  const { times, seconds } = await sendBareSql(deps, some(2 * perSecond * SECONDS), CONNECTIONS, { mode: 'test' });
  return speedOf([...times], seconds);
}

async function measureStart(home: string, key: string, count: number): Promise<Speed & { ids: string[] }> {
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
    agent.destroy();
    const load = (calls: number) =>
      sendLoad({
        url: `${url}/avm/estimate`,
        key,
        bodies: Array.from({ length: calls }, (_, n) => JSON.stringify({ property: { id: ids[n % ids.length] } })),
        connections: CONNECTIONS,
      });
    const { seconds } = await load(WARM_UP_CALLS * count);
    const measured = await load(Math.ceil((WARM_UP_CALLS * count * SECONDS) / seconds));
    if (measured.failures > 0) throw new Error(`${measured.failures} calls failed`);
    return { ...speedOf([...measured.times], measured.seconds), ids };
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
