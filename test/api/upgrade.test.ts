// Upgrades: databases of earlier versions, with data in them, migrate to the newest schema and keep what they
// had; some are served. Migrations apply beside traffic, and one that was interrupted goes on.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { digestOfKey } from '../../src/customers/accounts/accounts.ts';
import { generateKey } from '../../src/customers/accounts/key-format.ts';
import { buildApp } from '../../src/app.ts';
import { describeSchema } from '../../src/operate/commands/schema.ts';
import { readConfig } from '../../src/base/config.ts';
import { openDatabase } from '../../src/base/db/database.ts';
import { listPending, migrate, MIGRATIONS_FOLDER, readMigrations } from '../../src/base/db/migrate.ts';
import { openPool, type Plane } from '../../src/base/db/postgres.ts';
import { encodeCursor } from '../../src/base/lib/cursors.ts';
import { deriveSecrets } from '../../src/base/lib/secrets.ts';
import { getReceipt } from '../../src/insight/valuations/receipts.ts';
import { urlOfDatabase, withServer } from '../template.ts';
import { untilFinal } from '../final.ts';
import { until } from '../until.ts';
import { countFixture, fixturesOf, IDS, insertFixture, PROPERTY, type Fixture } from '../upgrade-rows.ts';
import { createPlainDeps } from '../plain-deps.ts';

const PLANES: Plane[] = ['control', 'data'];
const server = process.env.PLATBOOK_TEST_SERVER!;
const folder = mkdtempSync(join(tmpdir(), 'platbook-upgrade-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const numberOf = (name: string) => Number(name.slice(0, 4));
const versions = [...new Set(PLANES.flatMap((plane) => readMigrations(plane).map(({ name }) => numberOf(name))))].sort(
  (a, b) => a - b,
);

/** The migrations as they were when the one of this number was the newest. */
function folderOf(version: number): string {
  const path = join(folder, `version-${version}`);
  for (const plane of PLANES) {
    mkdirSync(join(path, plane), { recursive: true });
    for (const { name } of readMigrations(plane)) {
      if (numberOf(name) <= version) copyFileSync(join(MIGRATIONS_FOLDER, plane, name), join(path, plane, name));
    }
  }
  return path;
}

let serial = 0;
async function makeDatabase(template = 'template1') {
  const name = `platbook_test_${process.pid}_upgrade${++serial}`;
  await withServer(server, (client) => client.query(`create database ${name} template ${template}`));
  return openDatabaseNamed(name);
}

function openDatabaseNamed(name: string) {
  const url = urlOfDatabase(server, name);
  const open = (plane: Plane) => openPool(url, plane, { size: 3, statementTimeoutMs: 120_000 });
  const pools = { data: open('data'), control: open('control') };
  const close = () => Promise.all(Object.values(pools).map((pool) => pool.end()));
  const drop = async () => {
    await close();
    await withServer(server, (client) => client.query(`drop database ${name} with (force)`));
  };
  return { name, url, pools, close, drop };
}

/** A database without data at the version asked for last. The next version is a few migrations away from it. */
let stem: string | undefined;
after(async () => {
  if (stem) await openDatabaseNamed(stem).drop();
});

async function makeDatabaseOf(version: number) {
  const { name, pools, close } = stem ? openDatabaseNamed(stem) : await makeDatabase();
  stem = name;
  for (const plane of PLANES) await migrate(pools[plane], plane, folderOf(version));
  await close();
  return makeDatabase(stem);
}

const config = readConfig({ PLATBOOK_SECRET: randomBytes(32).toString('hex'), LOG_LEVEL: 'silent' });
const secrets = deriveSecrets(config.secret!);
const key = generateKey('test');
const fixtures = fixturesOf(
  digestOfKey(secrets, key),
  secrets.encrypt('stored-secrets', JSON.stringify([{ secret: 'whsec_x', expires_at: null }])),
);

/** Every sixth version there has been, and each of the newest, whose way here nobody has gone yet. */
const NEWEST = 12;
const tried = versions.filter((_, i) => i % 6 === 0 || i >= versions.length - NEWEST);

/** Every upgrade ends with the same schema, so a few show that what each of the versions kept is served. */
const isServed = (version: number) => versions.indexOf(version) % 6 === 0 || version === versions.at(-1);

async function upgradeFrom(version: number): Promise<void> {
  const { url, pools, drop } = await makeDatabaseOf(version);
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const kept: Fixture[] = [];
    for (const fixture of fixtures) {
      if ((await insertFixture(pools[fixture.plane], fixture)) && !fixture.isDropped) kept.push(fixture);
    }
    for (const plane of PLANES) await migrate(pools[plane], plane);
    for (const fixture of kept) {
      assert.equal(await countFixture(pools[fixture.plane], fixture), 1, `${fixture.table} since ${version}`);
    }
    assert.equal(
      await describeSchema(pools.data, pools.control),
      readFileSync(new URL('../../db/schema.sql', import.meta.url), 'utf8'),
    );

    if (!isServed(version)) return;
    const { data } = pools;
    const deps = createPlainDeps(config, url, pools);
    const { app } = await buildApp(deps);
    closing.push(() => app.close());
    const has = (table: string) => kept.some((fixture) => fixture.table === table);
    const get = async (path: string) => {
      const { statusCode, payload } = await app.inject({ url: `/api/v1${path}`, headers: { 'x-api-key': key } });
      assert.equal(statusCode, 200, `${path} since ${version}: ${payload}`);
      return JSON.parse(payload);
    };
    assert.equal((await get('/keys')).data[0].id, IDS.key);
    assert.equal((await get('/account')).name, 'Upgrade');
    await get('/usage');
    if (has('valuations')) {
      const { result } = await getReceipt(deps, { mode: 'test', accountId: IDS.account }, IDS.receipt);
      assert.deepEqual(result, { estimated_value: 123_456 });
    }
    if (has('batches')) assert.equal((await get(`/batches/${IDS.batch}`)).state, 'completed');
    if (has('webhook_endpoints')) assert.equal((await get('/webhooks')).data[0].id, IDS.webhook);
    if (has('invoices')) assert.equal((await get('/invoices')).data[0].id, IDS.invoice);
    if (has('watchlists')) assert.equal((await get('/watchlists')).data[0].id, IDS.watchlist);
    if (has('properties')) {
      assert.equal((await get(`/properties/${PROPERTY}`)).id, PROPERTY);
      // A cursor that the version before epochs gave out.
      const cursor = encodeCursor(secrets, ['changes', 'test', null, null], ['0', 0, Date.now()]);
      await untilFinal(data);
      assert.equal((await get(`/changes?cursor=${cursor}`)).data[0].property_id, PROPERTY);
    }
    if (has('transactions')) assert.equal((await get(`/properties/${PROPERTY}/transactions`)).data[0].price, 250_000);
  } finally {
    for (const close of closing) await close();
    await drop();
  }
}

describe('a database with data in it upgrades and keeps what it had', () => {
  for (const version of tried)
    it(`from version ${version}${isServed(version) ? ', and is served' : ''}`, () => upgradeFrom(version));
});

/** The newest migrations and one more. */
function folderWith(plane: Plane, name: string, text: string): string {
  const path = folderOf(9_999);
  const own = join(folder, `with-${name}`);
  for (const each of PLANES) {
    mkdirSync(join(own, each), { recursive: true });
    for (const { name: file } of readMigrations(each, path))
      copyFileSync(join(path, each, file), join(own, each, file));
  }
  writeFileSync(join(own, plane, name), text);
  return own;
}

describe('a migration', () => {
  it('without a transaction goes on after an interruption that left an invalid index', async () => {
    const { pools, drop } = await makeDatabase();
    try {
      for (const plane of PLANES) await migrate(pools[plane], plane);
      const own = folderWith(
        'data',
        '9001_index.sql',
        '-- no transaction\n-- Why.\ncreate index concurrently if not exists changes_kind on changes (kind);\n',
      );
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
      const own = folderWith(
        'data',
        '9002_index.sql',
        '-- no transaction\ncreate index concurrently if not exists changes_op on changes (op);\n',
      );
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
      const own = folderWith('control', '9003_column.sql', 'alter table accounts add column note text;\n');
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
      const newer = folderWith('control', '9004_note.sql', 'alter table accounts add column note text;\n');
      await migrate(pools.control, 'control', newer);
      assert.deepEqual(await migrate(pools.control, 'control'), []);
      const changed = folderWith('control', '9004_note.sql', 'alter table accounts add column remark text;\n');
      await assert.rejects(
        migrate(pools.control, 'control', changed),
        /9004_note\.sql was changed after it was applied/,
      );

      const apart = readConfig({ DATABASE_URL: url, MIGRATE_ON_START: 'false' });
      await (await openDatabase(apart)).close();
      await pools.control.query(`delete from migrations where name = '0100_feed_epochs.sql'`);
      await assert.rejects(
        openDatabase(apart),
        /lacks 1 migrations, from 0100_feed_epochs.sql on. Run `platbook migrate`/,
      );
    } finally {
      await drop();
    }
  });
});
