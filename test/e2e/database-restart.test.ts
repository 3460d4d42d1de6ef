// Stops and starts PostgreSQL under load, once by a crash and once cleanly: callers get 503 and nothing else, the
// service and its worker recover on their own, and every response is counted once.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fillSynthetic } from '../../bench/synthetic.ts';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { readConfig } from '../../src/base/config.ts';
import { startEmbedded } from '../../src/base/db/embedded.ts';
import { open } from '../../src/operate/open.ts';
import { startReceiver } from '../receiver.ts';
import { until } from '../until.ts';

const home = mkdtempSync(join(tmpdir(), 'platbook-restart-'));
chmodSync(home, 0o755);
let server = await startEmbedded(home);
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

/** One fixed port for a server that comes back on another. */
const door = createServer((client) => {
  const upstream = connect(Number(new URL(server.url).port), '127.0.0.1');
  for (const socket of [client, upstream]) socket.on('error', () => {});
  client.pipe(upstream).pipe(client);
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
});
await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
after(() => void door.close());
const url = new URL(server.url);
url.port = String((door.address() as AddressInfo).port);
const environment = {
  DATABASE_URL: url.toString(),
  PLATBOOK_SECRET: randomBytes(32).toString('hex'),
  PLATBOOK_HOME: home,
  PORT: '0',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  IP_LIMIT_PER_MINUTE: '1000000',
  LOG_LEVEL: 'silent',
};

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Away until callers have met it. */
async function restart(signal: 'SIGINT' | 'SIGQUIT', isMet: () => boolean): Promise<void> {
  const pid = Number(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, signal);
  await until(() => isMet() && !isRunning(pid));
  server = await startEmbedded(home);
}

async function start(file: string, ...args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, line };
}

it('callers get 503 while it is down; nothing is lost or doubled, and no process needs a restart', async () => {
  const receiver = await startReceiver();
  const { deps, close } = await open(readConfig(environment));
  await fillSynthetic(deps.data, 400);
  const contract = { rateLimitPerHour: 1_000_000, batchAddresses: 1_000 };
  const { id } = await createAccount(deps.control, deps.clock(), 'Customer', 'enterprise', { contract });
  const { secret } = await createKey(deps, id, { name: 'live', mode: 'live', scopes: [...SCOPES] });
  const { rows: homes } = await deps.data.query<{ id: string }>(
    `select id from properties where status = 'active' order by id limit 400`,
  );
  await close();

  const service = await start('../serve.ts');
  const worker = await start('../../src/main.ts', 'worker');
  const base = `http://127.0.0.1:${service.line.split('=')[1]}/api/v1`;
  const call = (path: string, body?: object) =>
    fetch(base + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': secret, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const made = await call('/webhooks', { url: receiver.url, events: ['batch.completed'] });
  assert.equal(made.status, 201, await made.text());

  const answers = { ok: 0, away: 0 };
  const calling = new AbortController();
  const callers = Array.from({ length: 4 }, async (_, n) => {
    for (let i = n; !calling.signal.aborted; i++) {
      const response = await call(`/properties/${homes[i % homes.length].id}`);
      const text = await response.text();
      if (response.status === 200) answers.ok++;
      else {
        assert.equal(response.status, 503, text);
        assert.equal(JSON.parse(text).code, 'unavailable');
        assert.ok(Number(response.headers.get('retry-after')) > 0);
        answers.away++;
      }
      await sleep(5);
    }
  });
  const untilMore = async (count: number) => {
    for (const from = answers.ok; answers.ok < from + count;) await Promise.race([sleep(20), ...callers]);
  };

  let batchUnits = 0;
  const batches: string[] = [];
  for (const signal of ['SIGQUIT', 'SIGINT'] as const) {
    await untilMore(50);
    const items = homes.map((each) => ({ property_id: each.id }));
    const submitted = await call('/batches', { items, include: ['property'] });
    const batch = (await submitted.json()) as { id: string };
    assert.equal(submitted.status, 202);
    batches.push(batch.id);
    batchUnits += items.length;
    const before = answers.away;
    await restart(signal, () => answers.away > before);
    await untilMore(50);
  }
  for (const batch of batches) {
    let done = { status: '', counts: {} };
    await until(async () => {
      done = (await (await call(`/batches/${batch}?wait=30`)).json()) as typeof done;
      return done.status === 'completed';
    });
    assert.deepEqual([done.status, done.counts], ['completed', { total: 400, succeeded: 400, failed: 0 }]);
  }
  await until(() => new Set(receiver.received.map((got) => got.event.id)).size >= 2);
  calling.abort();
  await Promise.all(callers);
  assert.deepEqual(receiver.received.map((got) => got.event.data.batch_id).sort(), [...batches].sort());

  assert.deepEqual([service.child.exitCode, worker.child.exitCode], [null, null], 'the same processes');
  for (const { child } of [worker, service]) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  const opened = await open(readConfig(environment));
  const { rows } = await opened.deps.control.query(
    `select (select sum(units)::int from usage_events where account_id = $1) as events,
       (select sum(used)::int from usage_counters where account_id = $1) as used,
       (select sum(reserved)::int from usage_counters where account_id = $1) as reserved,
       (select count(*)::int from usage_holds where account_id = $1) as holds`,
    [id],
  );
  await opened.close();
  const units = answers.ok + batchUnits;
  assert.deepEqual(rows, [{ events: units, used: units, reserved: 0, holds: 0 }]);
});
