// Upgrades: a database of each release, with data in it, migrates to the current schema and to an invented next one, and is
// served. Migrations apply beside traffic and resume after an interruption; a database from before 1.0 is refused.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { digestOfKey } from '../../src/customers/accounts/accounts.ts';
import { generateKey } from '../../src/customers/accounts/key-format.ts';
import { buildApp } from '../../src/app.ts';
import { describeSchema } from '../../tools/schema.ts';
import { readConfig } from '../../src/base/config.ts';
import { openDatabase } from '../../src/base/db/database.ts';
import { listPending, migrate, MIGRATIONS_FOLDER } from '../../src/base/db/migrate.ts';
import { openPool, type Plane } from '../../src/base/db/postgres.ts';
import { encodeCursor } from '../../src/base/lib/cursors.ts';
import { deriveSecrets } from '../../src/base/lib/secrets.ts';
import { getReceipt } from '../../src/insight/valuations/receipts.ts';
import { urlOfDatabase, withServer } from '../template.ts';
import { untilFinal } from '../final.ts';
import { until } from '../until.ts';
import { fixturesOf, IDS, insertFixture, PROPERTY } from '../upgrade-rows.ts';
import { createPlainDeps } from '../plain-deps.ts';

const PLANES: Plane[] = ['control', 'data'];
const server = process.env.PLATBOOK_TEST_SERVER!;
const folder = mkdtempSync(join(tmpdir(), 'platbook-upgrade-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Release {
  version: string;
  migrations: Record<string, string>;
}
const RELEASES = fileURLToPath(new URL('../../db/releases', import.meta.url));
const releases = readdirSync(RELEASES).map((name) => JSON.parse(readFileSync(join(RELEASES, name), 'utf8')) as Release);

/** The migrations of a released version. */
function folderOf({ version, migrations }: Release): string {
  const path = join(folder, version);
  for (const plane of PLANES) mkdirSync(join(path, plane), { recursive: true });
  for (const name of Object.keys(migrations)) copyFileSync(join(MIGRATIONS_FOLDER, name), join(path, name));
  return path;
}

/** All migrations, and further ones as the next version would bring them. */
function folderWith(further: Record<string, string>): string {
  const path = mkdtempSync(join(folder, 'next-'));
  cpSync(MIGRATIONS_FOLDER, path, { recursive: true });
  for (const [name, text] of Object.entries(further)) writeFileSync(join(path, name), text);
  return path;
}

/** Every kind of step that the rules in CONTRIBUTING.md allow, on tables with rows in them. */
const NEXT_VERSION = {
  'control/9001_next.sql': `create table notes (id text primary key, account_id text not null references accounts (id));
alter table accounts add column note text, add column tier text not null default 'usual';
alter table valuations add column source text not null default 'api';
`,
  'data/9001_next.sql': `alter table properties add column color text not null default 'unknown';\n`,
  'data/9002_next.sql': `-- no transaction
create index concurrently if not exists properties_color on properties (color, id);
create index concurrently if not exists changes_kind on changes (kind);
`,
};

let serial = 0;
async function makeDatabase() {
  const name = `platbook_test_${process.pid}_upgrade${++serial}`;
  await withServer(server, (client) => client.query(`create database ${name} template template1`));
  const url = urlOfDatabase(server, name);
  const open = (plane: Plane) => openPool(url, plane, { size: 3, statementTimeoutMs: 120_000 });
  const pools = { data: open('data'), control: open('control') };
  const drop = async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
    await withServer(server, (client) => client.query(`drop database ${name} with (force)`));
  };
  return { url, pools, drop };
}

const config = readConfig({ PLATBOOK_SECRET: randomBytes(32).toString('hex'), LOG_LEVEL: 'silent' });
const secrets = deriveSecrets(config.secret!);
const key = generateKey('test');
const fixtures = fixturesOf(
  digestOfKey(secrets, key),
  secrets.encrypt('stored-secrets', JSON.stringify([{ secret: 'whsec_x', expires_at: null }])),
);

async function upgradeFrom(release: Release): Promise<void> {
  const { url, pools, drop } = await makeDatabase();
  const closing: (() => Promise<unknown>)[] = [];
  try {
    for (const plane of PLANES) await migrate(pools[plane], plane, folderOf(release));
    for (const fixture of fixtures) await insertFixture(pools[fixture.plane], fixture);
    for (const plane of PLANES) await migrate(pools[plane], plane);
    assert.equal(
      await describeSchema(pools.data, pools.control),
      readFileSync(new URL('../../db/schema.sql', import.meta.url), 'utf8'),
    );
    const next = folderWith(NEXT_VERSION);
    assert.deepEqual(await migrate(pools.control, 'control', next), ['9001_next.sql']);
    assert.deepEqual(await migrate(pools.data, 'data', next), ['9001_next.sql', '9002_next.sql']);

    const deps = createPlainDeps(config, url, pools);
    const { app } = await buildApp(deps);
    closing.push(() => app.close());
    const get = async (path: string) => {
      const { statusCode, payload } = await app.inject({ url: `/api/v1${path}`, headers: { 'x-api-key': key } });
      assert.equal(statusCode, 200, `${path}: ${payload}`);
      return JSON.parse(payload);
    };
    assert.equal((await get('/keys')).data[0].id, IDS.key);
    assert.equal((await get('/account')).name, 'Upgrade');
    await get('/usage');
    const { result } = await getReceipt(deps, { mode: 'test', accountId: IDS.account }, IDS.receipt);
    assert.deepEqual(result, { estimated_value: 123_456 });
    assert.equal((await get(`/batches/${IDS.batch}`)).status, 'completed');
    assert.equal((await get('/webhooks')).data[0].id, IDS.webhook);
    assert.equal((await get('/invoices')).data[0].id, IDS.invoice);
    assert.equal((await get('/watchlists')).data[0].id, IDS.watchlist);
    assert.equal((await get(`/properties/${PROPERTY}`)).id, PROPERTY);
    assert.equal((await get(`/properties/${PROPERTY}/transactions`)).data[0].price, 250_000);
    // A cursor that the release gave out.
    const cursor = encodeCursor(secrets, ['changes', 'test', null, null], ['0', 0, Date.now(), 'first']);
    await untilFinal(pools.data);
    assert.equal((await get(`/changes?cursor=${cursor}`)).data[0].property_id, PROPERTY);
    const { rows } = await pools.data.query('select color from properties where id = $1', [PROPERTY]);
    assert.deepEqual(rows, [{ color: 'unknown' }]);
  } finally {
    for (const close of closing) await close();
    await drop();
  }
}

describe('a database with data in it upgrades to the next version and is served', () => {
  for (const release of releases) it(`from ${release.version}`, () => upgradeFrom(release));
});

describe('a database from before 1.0', () => {
  it('is refused, whether or not the process may migrate', async () => {
    const { url, pools, drop } = await makeDatabase();
    try {
      await pools.control.query(`create schema control; create table control.migrations (
        name text primary key, sha256 text not null, applied_at timestamptz not null default now());
        insert into control.migrations (name, sha256) values ('0001_accounts.sql', 'abc')`);
      const refusal = /^Error: The control plane was made by a version before 1\.0, which cannot be upgraded/;
      await assert.rejects(migrate(pools.control, 'control'), refusal);
      for (const MIGRATE_ON_START of ['true', 'false'])
        await assert.rejects(openDatabase(readConfig({ DATABASE_URL: url, MIGRATE_ON_START })), refusal);
      const { rows } = await pools.control.query('select name from control.migrations');
      assert.deepEqual(rows, [{ name: '0001_accounts.sql' }]);
    } finally {
      await drop();
    }
  });
});

describe('a migration', () => {
  it('without a transaction goes on after an interruption that left an invalid index', async () => {
    const { pools, drop } = await makeDatabase();
    try {
      for (const plane of PLANES) await migrate(pools[plane], plane);
      const own = folderWith({
        'data/9001_index.sql':
          '-- no transaction\n-- Why.\ncreate index concurrently if not exists changes_kind on changes (kind);\n',
      });
      // The build waits for a transaction that is older than it; then its session is ended, as by a crash.
      const blocker = await pools.data.connect();
      await blocker.query('begin');
      await blocker.query('select pg_current_xact_id(), count(*) from changes');
      await blocker.query('lock table changes in row exclusive mode');
      const interrupted = migrate(pools.data, 'data', own);
      interrupted.catch(() => {});
      const find = async () => {
        const { rows } = await pools.control.query(
          `select i.indisvalid as is_valid from pg_index i where i.indexrelid = to_regclass('data.changes_kind')`,
        );
        return rows[0]?.is_valid as boolean | undefined;
      };
      await until(async () => (await find()) === false);
      await pools.control.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like 'create index concurrently%' and datname = current_database()`,
      );
      await assert.rejects(interrupted);
      await blocker.query('rollback');
      blocker.release();
      assert.equal(await find(), false);
      assert.equal((await listPending(pools.data, 'data', own)).length, 1);

      assert.deepEqual(await migrate(pools.data, 'data', own), ['9001_index.sql']);
      assert.equal(await find(), true);
      assert.deepEqual(await migrate(pools.data, 'data', own), []);
    } finally {
      await drop();
    }
  });

  it('is applied once by processes that start together, also one that builds an index', async () => {
    const { pools, drop } = await makeDatabase();
    try {
      for (const plane of PLANES) await migrate(pools[plane], plane);
      const own = folderWith({
        'data/9002_index.sql':
          '-- no transaction\ncreate index concurrently if not exists changes_op on changes (op);\n',
      });
      const applied = await Promise.all([1, 2, 3].map(() => migrate(pools.data, 'data', own)));
      assert.deepEqual(applied.flat(), ['9002_index.sql']);
    } finally {
      await drop();
    }
  });

  it('gives way to who holds the table, and comes back', async () => {
    const { pools, drop } = await makeDatabase();
    try {
      for (const plane of PLANES) await migrate(pools[plane], plane);
      const own = folderWith({ 'control/9003_column.sql': 'alter table accounts add column note text;\n' });
      const holder = await pools.control.connect();
      await holder.query('begin');
      await holder.query('select count(*) from accounts');
      const waiting = migrate(pools.control, 'control', own);
      const isWaiting = async () => {
        const { rows } = await pools.data.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table accounts add column note%'`,
        );
        return rows.length > 0;
      };
      await until(isWaiting);
      // Gone from the queue for a moment: others pass.
      await until(async () => !(await isWaiting()));
      await holder.query('commit');
      holder.release();
      assert.deepEqual(await waiting, ['9003_column.sql']);
    } finally {
      await drop();
    }
  });

  it('that was changed after it was applied is refused, and one of a newer version is left alone', async () => {
    const { url, pools, drop } = await makeDatabase();
    try {
      for (const plane of PLANES) await migrate(pools[plane], plane);
      const newer = folderWith({ 'control/9004_note.sql': 'alter table accounts add column note text;\n' });
      await migrate(pools.control, 'control', newer);
      assert.deepEqual(await migrate(pools.control, 'control'), []);
      const changed = folderWith({ 'control/9004_note.sql': 'alter table accounts add column remark text;\n' });
      await assert.rejects(
        migrate(pools.control, 'control', changed),
        /9004_note\.sql was changed after it was applied/,
      );

      const apart = readConfig({ DATABASE_URL: url, MIGRATE_ON_START: 'false' });
      await (await openDatabase(apart)).close();
      await pools.control.query(`delete from migrations`);
      await assert.rejects(
        openDatabase(apart),
        /lacks \d+ migrations, from 0001_baseline.sql on. Run `platbook migrate`/,
      );
    } finally {
      await drop();
    }
  });
});
