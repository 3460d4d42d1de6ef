// A rolling upgrade under traffic: one process keeps serving while migrations of the next version are applied and a second
// process starts; then the first is stopped. Nobody gets a 5xx, and no call is lost.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { migrate, MIGRATIONS_FOLDER } from '../../src/base/db/migrate.ts';
import { testDeps } from '../harness.ts';
import { until } from '../until.ts';

const secret = randomBytes(32).toString('hex');
const folder = mkdtempSync(join(tmpdir(), 'platbook-rolling-'));
const deps = await testDeps({ PLATBOOK_SECRET: secret, PLATBOOK_HOME: folder });
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function serve(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../serve.ts', import.meta.url))], {
    env: {
      ...process.env,
      DATABASE_URL: deps.controlUrl,
      PLATBOOK_SECRET: secret,
      PLATBOOK_HOME: folder,
      PORT: '0',
      LOG_LEVEL: 'silent',
      MIGRATE_ON_START: 'false',
      STATEMENT_TIMEOUT_MS: '120000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, url: `http://127.0.0.1:${line.split('=')[1]}/api/v1` };
}

/** Migrations of an invented next version: columns with defaults, a table, and indexes on the largest tables. */
function nextVersion(): string {
  const path = join(folder, 'migrations');
  cpSync(MIGRATIONS_FOLDER, path, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(path, name), text);
  write('data/9001_columns.sql', `alter table properties add column color text not null default 'unknown';\n`);
  write(
    'data/9002_indexes.sql',
    `-- no transaction
create index concurrently if not exists properties_color on properties (color, id);
create index concurrently if not exists changes_kind on changes (kind);
`,
  );
  write(
    'control/9001_notes.sql',
    `create table notes (id text primary key);\nalter table accounts add column note text;\n`,
  );
  write(
    'control/9002_indexes.sql',
    `-- no transaction\ncreate index concurrently if not exists usage_events_route on usage_events (route);\n`,
  );
  return path;
}

it('answers every call while the next version migrates, starts and takes over', async () => {
  const contract = { sandboxRateLimitPerHour: 1_000_000 };
  const account = await createAccount(deps.control, deps.clock(), 'Rolling', 'pro', { contract });
  const { secret: key } = await createKey(deps, account.id, { name: 'test', mode: 'test', scopes: [...SCOPES] });
  const old = await serve();
  let base = old.url;
  const ending = new AbortController();
  const statuses = new Map<string, number>();
  const count = (status: string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const answered = () => [...statuses.values()].reduce((sum, each) => sum + each, 0);
  const paths = ['/properties/search?state=ZZ&limit=3', '/changes?limit=5', '/usage', '/account', '/watchlists'];
  const callers = paths.map(async (path) => {
    while (!ending.signal.aborted) {
      try {
        const response = await fetch(base + path, { headers: { 'x-api-key': key } });
        await response.arrayBuffer();
        count(String(response.status));
      } catch (error) {
        count((error as Error).message);
      }
      // Free calls have a limit per minute, which a fast machine would meet.
      await sleep(100);
    }
  });
  const more = async (calls: number) => {
    const target = answered() + calls;
    await until(() => answered() >= target);
  };
  await more(50);
  const next = nextVersion();
  assert.deepEqual(await migrate(deps.control, 'control', next), ['9001_notes.sql', '9002_indexes.sql']);
  assert.deepEqual(await migrate(deps.data, 'data', next), ['9001_columns.sql', '9002_indexes.sql']);
  await more(50);
  const fresh = await serve();
  base = fresh.url;
  // As a load balancer does: calls in flight end where they began.
  await more(50);
  old.child.kill('SIGTERM');
  const [code] = (await once(old.child, 'exit')) as [number | null];
  assert.equal(code, 0);
  await more(50);
  ending.abort();
  await Promise.all(callers);
  assert.deepEqual([...statuses.keys()], ['200']);
});
