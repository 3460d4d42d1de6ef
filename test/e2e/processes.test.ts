// `platbook start` with three processes on one port: limits, revocation and charges are as exact as with one, and whoever
// dies is replaced.
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createAccount, createKey, revokeKey } from '../../src/customers/accounts/accounts.ts';
import type { Contract, PlanId } from '../../src/customers/accounts/plans.ts';
import { adoptJournals } from '../../src/customers/usage/usage.ts';
import { BARE_ENVIRONMENT } from '../bare-environment.ts';
import { testDeps } from '../harness.ts';
import { TEST_PROPERTIES } from '../template.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROCESSES = ['api-1', 'api-2', 'api-3'];
const home = mkdtempSync(join(tmpdir(), 'platbook-processes-'));
const deps = await testDeps({ PLATBOOK_HOME: home });

/** A connection for every call, so that the calls reach all processes. */
const freshConnections = new Agent({ keepAlive: false });

interface Answer {
  status: number;
  text: string;
}

const service = await startService();
after(async () => {
  await service.stop();
  rmSync(home, { recursive: true, force: true });
});

async function startService() {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'start'], {
    cwd: ROOT,
    env: {
      ...BARE_ENVIRONMENT,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: deps.controlUrl,
      PLATBOOK_SECRET: deps.config.secret,
      PLATBOOK_HOME: home,
      PROCESSES: String(PROCESSES.length),
      PORT: '0',
      IP_LIMIT_PER_MINUTE: '10000000',
      SANDBOX_PROPERTIES: String(TEST_PROPERTIES),
      STATEMENT_TIMEOUT_MS: '120000',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('Ctrl-C stops it') || child.exitCode !== null);
  assert.equal(child.exitCode, null, output);
  const url = /API +(http:\S+)\/api\/v1/.exec(output)![1];
  const exit = once(child, 'exit');
  return {
    child,
    url,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      return ((await exit) as [number | null])[0];
    },
  };
}

/** Calls in lanes while something happens, and stops when it has, well or not. */
async function underLoad(lanes: number, once: () => Promise<void>, work: () => Promise<void>): Promise<void> {
  const load = { isOn: true };
  const lane = async () => {
    while (load.isOn) await once();
  };
  const running = Array.from({ length: lanes }, lane);
  try {
    await work();
  } finally {
    load.isOn = false;
    await Promise.all(running);
  }
}

/** Undefined if the connection broke. */
function call(path: string, key?: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const headers = key ? { 'x-api-key': key } : {};
    const request = get(`${service.url}${path}`, { agent: freshConnections, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode!, text }));
      response.on('error', () => resolve(undefined));
    });
    request.on('error', () => resolve(undefined));
  });
}

const CHARGED = '/api/v1/properties/search?state=WI&limit=1';

async function customer(plan: PlanId, contract: Contract) {
  const account = await createAccount(deps.control, deps.clock(), plan, plan, { contract });
  const { key, secret } = await createKey(deps, account.id, { name: 'live', mode: 'live' });
  // The last usable key of a plan cannot be revoked.
  await createKey(deps, account.id, { name: 'spare', mode: 'live' });
  return { id: account.id, keyId: key.id, secret };
}

async function scrape(): Promise<string> {
  return (await call('/metrics'))?.text ?? '';
}

/** Calls answered by each process, by their routes' histogram. */
function callsByProcess(metrics: string, route: string): Map<string, number> {
  const calls = new Map<string, number>();
  for (const [, labels, value] of metrics.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)) {
    if (!labels.includes(`route="${route}"`)) continue;
    const name = /process="([\w-]+)"/.exec(labels)![1];
    calls.set(name, (calls.get(name) ?? 0) + Number(value));
  }
  return calls;
}

const namesIn = (metrics: string) =>
  [...metrics.matchAll(/^process_resident_memory_bytes\{process="([\w-]+)"\}/gm)].map(([, name]) => name).sort();
const restartsIn = (metrics: string) =>
  [...metrics.matchAll(/^platbook_process_restarts_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);

const allUp = () => until(async () => namesIn(await scrape()).join() === [...PROCESSES, 'worker'].join());

function childrenOf({ pid }: ChildProcess): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [own, parent] = line.trim().split(/\s+/).map(Number);
    return parent === pid && line.includes('member.ts') ? own : [];
  });
}

/** Processes that serve have a journal, the worker has none. */
const servingPids = () =>
  childrenOf(service.child).filter((pid) =>
    readdirSync(join(home, 'journal')).some((name) => name.startsWith(`${pid}-`)),
  );

async function ledger(id: string) {
  const { rows } = await deps.control.query(
    `select (select coalesce(sum(units), 0)::int from usage_events where account_id = $1) as events,
       (select coalesce(sum(used), 0)::int from usage_counters where account_id = $1) as used,
       (select coalesce(sum(reserved), 0)::int from usage_counters where account_id = $1) as reserved`,
    [id],
  );
  return rows[0] as { events: number; used: number; reserved: number };
}

describe('three processes on one port', () => {
  it('come up with one set of messages, and make no account on a server of the operator', async () => {
    await allUp();
    assert.equal(service.output().match(/Platbook is ready/g)?.length, 1);
    assert.doesNotMatch(service.output(), /sk_(test|live)_/);
    assert.equal(existsSync(join(home, 'credentials.json')), false);
    const { rows } = await deps.control.query(`select 1 from accounts where name = 'Demo'`);
    assert.deepEqual(rows, []);
    assert.equal((await call('/readyz'))?.status, 200);
  });

  it('share the calls, and admit exactly the hourly limit together', async () => {
    const limit = 90;
    const { id, secret } = await customer('pro', { rateLimitPerHour: limit });
    const lane = async () => {
      const seen: (number | undefined)[] = [];
      for (let n = 0; n < 25; n++) seen.push((await call(CHARGED, secret))?.status);
      return seen;
    };
    const seen = (await Promise.all(Array.from({ length: 6 }, lane))).flat();
    assert.equal(seen.filter((status) => status === 200).length, limit);
    assert.equal(seen.filter((status) => status === 429).length, seen.length - limit);
    await until(async () => (await ledger(id)).used === limit);
    assert.deepEqual(await ledger(id), { events: limit, used: limit, reserved: 0 });
    const calls = callsByProcess(await scrape(), '/api/v1/properties/search');
    assert.deepEqual([...calls.keys()].sort(), PROCESSES);
  });

  it('all hear of a revoked key', async () => {
    const { id, keyId, secret } = await customer('pro', { rateLimitPerHour: 10_000 });
    const nine = () => Promise.all(Array.from({ length: 9 }, async () => (await call(CHARGED, secret))?.status));
    assert.deepEqual(new Set(await nine()), new Set([200]), 'all of them know the key');
    await revokeKey(deps, { accountId: id, id: keyId });
    await until(async () => (await nine()).every((status) => status === 401));
    assert.deepEqual(new Set(await nine()), new Set([401]));
  });

  it('replace one that is killed; no charge is lost', async () => {
    const { id, secret } = await customer('enterprise', { rateLimitPerHour: 1_000_000 });
    const seen = { answered: 0, lost: 0 };
    const callOnce = async () => {
      const answer = await call(CHARGED, secret);
      if (answer?.status === 200) seen.answered += 1;
      else seen.lost += 1;
    };
    await underLoad(4, callOnce, async () => {
      await until(() => seen.answered >= 30);
      const restarts = restartsIn(await scrape());
      const pids = servingPids();
      assert.equal(pids.length, PROCESSES.length);
      process.kill(pids[0], 'SIGKILL');
      await until(async () => restartsIn(await scrape()) === restarts + 1);
      await allUp();
    });
    await until(async () => {
      await adoptJournals(deps);
      const { used, reserved } = await ledger(id);
      return reserved === 0 && used >= seen.answered;
    });
    const booked = await ledger(id);
    assert.equal(booked.events, booked.used);
    // A response on its way when its process was killed may be charged, too.
    assert.ok(booked.used <= seen.answered + seen.lost, `${booked.used} booked, ${JSON.stringify(seen)}`);
  });

  it('are replaced one by one on SIGUSR2, while calls go on', async () => {
    const before = new Set(childrenOf(service.child));
    const statuses: (number | undefined)[] = [];
    // Not /readyz: a process that is about to go says there that it is.
    const callOnce = async () => void statuses.push((await call('/api/v1/plans'))?.status);
    await underLoad(2, callOnce, async () => {
      service.child.kill('SIGUSR2');
      // One after the other, each of which may take long on a busy machine.
      for (let left = before.size - 1; left >= 0; left--)
        await until(() => childrenOf(service.child).filter((pid) => before.has(pid)).length <= left);
      await allUp();
    });
    assert.deepEqual(new Set(statuses), new Set([200]), 'not one call failed');
  });

  it('stop together', async () => {
    const pids = childrenOf(service.child);
    assert.equal(await service.stop(), 0);
    for (const pid of pids) assert.throws(() => process.kill(pid, 0));
    assert.deepEqual(readdirSync(join(home, 'journal')), []);
  });
});
