// Searches on a real streaming replica: how late it may be, what is said about it, and what happens when it is late or gone.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/base/config.ts';
import { open } from '../../src/operate/open.ts';
import { loadSandbox } from '../../src/operate/prepare-sandbox.ts';
import { startWithReplica } from '../postgres-server.ts';
import { until } from '../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-replica-'));
chmodSync(folder, 0o755);
const secret = 's'.repeat(32);
const settings = { PLATBOOK_SECRET: secret, LOG_LEVEL: 'silent', PLATBOOK_HOME: join(folder, 'home') };
const { primary, replica } = await startWithReplica(folder, async (DATABASE_URL) => {
  const { deps, close } = await open(readConfig({ ...settings, DATABASE_URL, STATEMENT_TIMEOUT_MS: '120000' }));
  await loadSandbox(deps.data, 2_000);
  await close();
});

/** A process that reads from the replica while it is at most this far behind. */
async function openService(REPLICA_MAX_LAG_MS: string) {
  const { deps, close } = await open(
    readConfig({ ...settings, DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replica.url, REPLICA_MAX_LAG_MS }),
  );
  const { app } = await buildApp(deps);
  await app.ready();
  return {
    deps,
    async get(url: string) {
      const answer = await app.inject({ url, headers: { 'x-api-key': key } });
      return { status: answer.statusCode, body: answer.json(), lag: answer.headers['x-data-lag-ms'] };
    },
    metrics: async () => (await app.inject({ url: '/metrics' })).payload,
    async close() {
      await app.close();
      await close();
    },
  };
}

let key = '';
const patient = await openService('600000');
const strict = await openService('400');
const { deps } = patient;
const account = await createAccount(deps.control, deps.clock(), 'Test', 'pro', {
  contract: { sandboxRateLimitPerHour: 1_000_000 },
});
key = (await createKey(deps, account.id, { name: 'test', mode: 'test' })).secret;
after(async () => {
  await patient.close();
  await strict.close();
  await replica.kill();
  await primary.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Moves a home into another ZIP, as a load might. */
/** To another city: which ZIP codes a county has is known from its loads. */
async function move(city: string): Promise<void> {
  await deps.data.query(
    `update properties set city = $1 where id = (select min(id) from properties where status = 'active')`,
    [city],
  );
}
const search = (city: string) => `/api/v1/properties/search?state=ZZ&city=${encodeURIComponent(city)}`;
const found = (answer: { body: { data: unknown[] } }) => answer.body.data.length;
const readiness = async (service: typeof patient) => (await service.get('/readyz')).body.replica;
const inUse = (service: typeof patient) => until(async () => (await readiness(service)).state === 'current');

describe('searches on a replica', () => {
  it('say how far it is behind, and so does /readyz', async () => {
    await inUse(patient);
    for (const path of [search('Port Ellowby'), '/api/v1/properties/count?state=ZZ']) {
      const { status, lag } = await patient.get(path);
      assert.equal(status, 200);
      assert.match(String(lag), /^\d+$/, path);
    }
    assert.match(await patient.metrics(), /^platbook_replica_in_use 1$/m);
    const { state, lag_ms: lag } = await readiness(patient);
    assert.equal(state, 'current');
    assert.ok(Number.isInteger(lag));
  });

  it('come from the primary once it is further behind than allowed', async () => {
    await inUse(patient);
    await replica.query('select pg_wal_replay_pause()');
    await move('First');
    const late = await patient.get(search('First'));
    assert.equal(found(late), 0, 'the patient one reads what the replica has');
    await until(async () => found(await strict.get(search('First'))) === 1);
    await until(async () => (await readiness(strict)).state === 'late');
    assert.equal((await strict.get(search('First'))).lag, undefined);
    assert.match(await strict.metrics(), /^platbook_replica_in_use 0$/m);
    assert.equal((await strict.get('/readyz')).status, 200);

    await replica.query('select pg_wal_replay_resume()');
    await until(async () => found(await patient.get(search('First'))) === 1);
    await inUse(strict);
  });

  it('notice that the replica follows nobody, though it sees nothing wrong itself', async () => {
    await inUse(strict);
    await replica.follow(false);
    await until(async () => {
      const { rows } = await deps.data.query('select 1 from pg_stat_replication');
      return rows.length === 0;
    });
    await move('Fourth');
    await until(async () => found(await strict.get(search('Fourth'))) === 1);
    await until(async () => (await readiness(strict)).state === 'late');
    await replica.follow(true);
    await inUse(strict);
  });

  it('see a write that was settled, whether the replica keeps up or not', async () => {
    await inUse(patient);
    await move('Second');
    await deps.replica!.settle();
    assert.equal(found(await patient.get(search('Second'))), 1);

    await replica.query('select pg_wal_replay_pause()');
    await move('Third');
    await strict.deps.replica!.settle();
    assert.equal(found(await strict.get(search('Third'))), 1, 'without it the replica is too late to be read');
    await replica.query('select pg_wal_replay_resume()');
  });

  it('go on without the replica, and return to it', async () => {
    await inUse(patient);
    await replica.kill();
    const { status, lag } = await patient.get(search('Port Ellowby'));
    assert.deepEqual([status, lag], [200, undefined]);
    await until(async () => (await readiness(patient)).state === 'away');
    assert.equal((await patient.get('/readyz')).status, 200);
    await replica.start();
    await inUse(patient);
    assert.match(String((await patient.get(search('Port Ellowby'))).lag), /^\d+$/);
  });
});
