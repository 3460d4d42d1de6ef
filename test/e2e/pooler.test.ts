// The service behind pgbouncer in transaction mode, with far fewer sessions than clients. Skipped where it is not installed.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createAccount, createKey, revokeKey } from '../../src/customers/accounts/accounts.ts';
import { findFreePort } from '../../src/base/db/embedded.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { BARE_ENVIRONMENT } from '../bare-environment.ts';
import { testDeps } from '../harness.ts';
import { TEST_PROPERTIES } from '../template.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOBODY = 65_534;
const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
const isRoot = process.getuid?.() === 0;

const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'platbook-pooler-'));
after(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** pgbouncer in front of a database, as docs/internals/operations.md says. */
async function startPooler(databaseUrl: string) {
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const port = await findFreePort();
  const server = `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)}`;
  chmodSync(folder, 0o755);
  const [ini, users, log] = ['pgbouncer.ini', 'users.txt', 'pgbouncer.log'].map((name) => join(folder, name));
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    ini,
    `[databases]
control = ${server} connect_query='set search_path = control'
data = ${server} connect_query='set search_path = data'
bare = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 3
max_client_conn = 500
logfile = ${log}
`,
  );
  writeFileSync(log, '');
  if (isRoot) for (const path of [ini, users, log]) chownSync(path, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(PGBOUNCER!, [ini], { stdio: 'ignore', ...user });
  children.push(child);
  await until(() => readFileSync(log, 'utf8').includes('process up'));
  return (name: string) => `postgres://${username}:${password}@127.0.0.1:${port}/${name}`;
}

function startService(settings: Record<string, string>) {
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'start'], {
    cwd: ROOT,
    env: {
      ...BARE_ENVIRONMENT,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SANDBOX_PROPERTIES: String(TEST_PROPERTIES),
      PORT: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

describe('behind pgbouncer in transaction mode', { skip: !PGBOUNCER && 'pgbouncer is not installed' }, async () => {
  if (!PGBOUNCER) return;
  const home = join(folder, 'home');
  mkdirSync(home);
  const deps = await testDeps({ PLATBOOK_HOME: home });
  const database = new URL(deps.controlUrl).pathname.slice(1);
  for (const setting of [`timezone = 'UTC'`, `statement_timeout = '120s'`])
    await deps.control.query(`alter database ${database} set ${setting}`);
  const pooled = await startPooler(deps.controlUrl);
  const settings = {
    PLATBOOK_HOME: home,
    PLATBOOK_SECRET: deps.config.secret!,
    DATABASE_URL: pooled('control'),
    DATA_DATABASE_URL: pooled('data'),
    DATABASE_DIRECT_URL: deps.controlUrl,
    DATA_DATABASE_DIRECT_URL: deps.controlUrl,
  };

  it('refuses sessions that are not set up for their plane, and says how they are', async () => {
    const { child, output } = startService({ ...settings, DATA_DATABASE_URL: pooled('bare'), PROCESSES: '2' });
    await until(() => child.exitCode !== null);
    assert.equal(child.exitCode, 1);
    assert.match(output(), /data plane .*connect_query='set search_path = data'/);
  });

  it('serves, limits, hears of revocations and does background work', async () => {
    const { child, output } = startService({ ...settings, PROCESSES: '2', LOG_LEVEL: 'error' });
    await until(() => output().includes('Ctrl-C stops it') || child.exitCode !== null);
    assert.equal(child.exitCode, null, output());
    const url = /API +(http:\S+)/.exec(output())![1];
    const contract = { sandboxRateLimitPerHour: 1_000_000, rateLimitPerHour: 40 };
    const account = await createAccount(deps.control, deps.clock(), 'Test', 'pro', { contract });
    const make = async (mode: 'test' | 'live') => createKey(deps, account.id, { name: mode, mode });
    const [test, live] = [await make('test'), await make('live')];
    await make('live');
    const call = async (path: string, key = test.secret, body?: unknown) => {
      const response = await fetch(`${url}${path}`, {
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, any> };
    };

    const paths = [
      '/properties/search?state=ZZ&limit=2',
      `/properties/${DEMO.property_id}`,
      `/properties/${DEMO.property_id}/risk`,
      `/properties/lookup?address=${encodeURIComponent(DEMO.address)}`,
      '/properties/count?state=ZZ',
    ];
    // Many more at once than there are sessions.
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => call(paths[n % paths.length])));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const valued = await call('/avm/estimate', test.secret, { property: { id: DEMO.property_id } });
    assert.equal(valued.status, 200);

    const limited = await Promise.all(
      Array.from({ length: 60 }, () => call('/properties/search?state=WI&limit=1', live.secret)),
    );
    assert.equal(limited.filter(({ status }) => status === 200).length, 40, 'the hourly limit is exact');
    await revokeKey(deps, { accountId: account.id, id: live.key.id });
    await until(async () => (await call('/usage', live.secret)).status === 401);

    const batch = await call('/batches?wait=30', test.secret, { items: [{ address: DEMO.address }] });
    assert.equal(batch.status, 200, JSON.stringify(batch.body));
    assert.equal(batch.body.status, 'completed');
  });

  it('lets commands past it', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'src/main.ts'), 'markets'], {
      env: { ...BARE_ENVIRONMENT, ...settings },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
});
