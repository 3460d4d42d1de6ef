// Four processes on one database: limits and caps are exact, and nothing is lost or doubled when they are killed.
import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import type { Contract, PlanId } from '../../src/customers/accounts/plans.ts';
import { adoptJournals } from '../../src/customers/usage/usage.ts';
import { testDeps } from '../harness.ts';

const home = mkdtempSync(join(tmpdir(), 'platbook-crash-'));
const deps = await testDeps({ PLATBOOK_HOME: home });
const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

interface Process {
  child: ChildProcess;
  url: string;
}

async function start(): Promise<Process> {
  const child = fork(fileURLToPath(new URL('./metering-process.ts', import.meta.url)), {
    env: {
      ...process.env,
      DATABASE_URL: deps.config.databaseUrl,
      PLATBOOK_SECRET: deps.config.secret,
      PLATBOOK_HOME: home,
    },
  });
  running.add(child);
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return { child, url: `http://127.0.0.1:${message.port}` };
}

async function stop({ child }: Process): Promise<void> {
  child.send('stop');
  await once(child, 'exit');
  running.delete(child);
}

async function kill({ child }: Process): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
  running.delete(child);
}

async function customer(plan: PlanId, contract: Contract) {
  const account = await createAccount(deps.control, deps.clock(), plan, plan, { contract });
  const { secret } = await createKey(deps, account.id, { name: 'live', mode: 'live' });
  return { id: account.id, secret };
}

/** The status, or undefined if the process died before responding. */
async function call(url: string, secret: string, fails = false): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/call${fails ? '?fails=1' : ''}`, { headers: { 'x-api-key': secret } });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

async function ledger(id: string) {
  const { rows } = await deps.control.query(
    `select (select coalesce(sum(units), 0)::int from usage_events where account_id = $1) as events,
       (select coalesce(sum(units), 0)::int from request_log where account_id = $1) as logged,
       (select coalesce(sum(used), 0)::int from usage_counters where account_id = $1) as used,
       (select coalesce(sum(reserved), 0)::int from usage_counters where account_id = $1) as reserved,
       (select count(*)::int from usage_holds where account_id = $1) as holds`,
    [id],
  );
  return rows[0] as { events: number; logged: number; used: number; reserved: number; holds: number };
}

test('four processes under thousands of calls admit exactly the limit and refuse none early', async () => {
  const limit = 1_500;
  const { id, secret } = await customer('pro', { rateLimitPerHour: limit });
  const processes = await Promise.all([start(), start(), start(), start()]);
  let admitted = 0;
  let refused = 0;
  let lastAdmittedAt = 0;
  let firstRefusedAt = Infinity;
  const lane = async (url: string) => {
    for (let n = 0; n < 80; n++) {
      const askedAt = performance.now();
      const status = await call(url, secret);
      if (status === 200) {
        admitted += 1;
        lastAdmittedAt = Math.max(lastAdmittedAt, askedAt);
      } else {
        assert.equal(status, 429);
        refused += 1;
        firstRefusedAt = Math.min(firstRefusedAt, performance.now());
      }
    }
  };
  await Promise.all(processes.flatMap(({ url }) => Array.from({ length: 8 }, () => lane(url))));
  assert.equal(admitted, limit);
  assert.equal(refused, 4 * 8 * 80 - limit);
  assert.ok(firstRefusedAt >= lastAdmittedAt, 'no call was admitted after another had been refused');
  await Promise.all(processes.map(stop));
  assert.deepEqual(await ledger(id), { events: limit, logged: limit, used: limit, reserved: 0, holds: 0 });
});

test('processes killed under load leave events, counters and journal equal, and the cap neither exceeded nor unused', async () => {
  const cap = 900;
  const hourly = { rateLimitPerHour: 1_000_000 };
  const capped = await customer('trial', { ...hourly, includedCalls: cap });
  const free = await customer('enterprise', hourly);
  const processes = await Promise.all([start(), start(), start()]);
  const seen = { capped: 0, free: 0, lost: 0 };
  const load = { isOn: true };

  const lane = async (slot: number) => {
    for (let n = 0; load.isOn; n++) {
      const isCapped = n % 3 !== 0;
      const { secret } = isCapped ? capped : free;
      const status = await call(processes[slot].url, secret, n % 7 === 0);
      if (status === 200) seen[isCapped ? 'capped' : 'free'] += 1;
      if (status === undefined) {
        seen.lost += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const lanes = processes.flatMap((_, slot) => Array.from({ length: 4 }, () => lane(slot)));

  const journalled = new Map<string, number>();
  for (let n = 0; n < 6; n++) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    const victim = processes[n % processes.length];
    const files = journalsOf(victim.child.pid!);
    await kill(victim);
    for (const file of files) for (const [line, units] of chargedLines(file)) journalled.set(line, units);
    processes[n % processes.length] = await start();
    const { used, reserved } = await ledger(capped.id);
    assert.ok(used + reserved <= cap, `${used} + ${reserved} of ${cap}`);
  }
  load.isOn = false;
  await Promise.all(lanes);

  await adoptJournals(deps);
  const [first] = processes;
  for (let status = 200; status === 200;) status = (await call(first.url, capped.secret))!;
  await Promise.all(processes.map(stop));
  await adoptJournals(deps);

  const booked = await ledger(capped.id);
  assert.deepEqual(booked, { events: cap, logged: cap, used: cap, reserved: 0, holds: 0 });
  const open = await ledger(free.id);
  assert.deepEqual(open, { events: open.used, logged: open.used, used: open.used, reserved: 0, holds: 0 });

  assert.ok(journalled.size > 0, 'the killed processes had written entries');
  const { rows } = await deps.control.query('select id, units from usage_events where id = any ($1)', [
    [...journalled.keys()],
  ]);
  assert.deepEqual(
    new Map(rows.map((row) => [row.id, row.units])),
    journalled,
    'every line of a killed process is booked',
  );
  // Every response that arrived is charged; one that was on its way when its process was killed may be, too.
  assert.ok(
    open.used >= seen.free && open.used <= seen.free + seen.lost,
    `${open.used} booked, ${seen.free} seen, ${seen.lost} lost`,
  );
  assert.deepEqual(readdirSync(join(home, 'journal')), [], 'no journal is left behind');
});

function journalsOf(pid: number): string[] {
  const folder = join(home, 'journal');
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${pid}-`))
    .map((name) => join(folder, name));
}

/** Charged lines by the id they are booked under: journal and byte offset. */
function chargedLines(file: string): [string, number][] {
  const journal = file.split('/').at(-1)!.replace('.ndjson', '');
  let bytes: string;
  try {
    bytes = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const lines: [string, number][] = [];
  let offset = 0;
  for (const line of bytes.split('\n').slice(0, -1)) {
    const { c } = JSON.parse(line) as { c?: { u: number } };
    if (c) lines.push([`${journal}:${offset}`, c.u]);
    offset += Buffer.byteLength(line) + 1;
  }
  return lines;
}
