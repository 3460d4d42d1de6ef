// No harm by volume: what an account may store is capped, and what is past its time is deleted.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SANDBOX_RETENTION, type Contract, type PlanId } from '../../src/customers/accounts/plans.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import { recordEvent } from '../../src/base/events/events.ts';
import { EVENT_KINDS } from '../../src/base/events/kinds.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { testClient } from '../harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-volume-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const api = await testClient({ settings: { EXPORT_FOLDER: folder } });
const { deps } = api;
const START = Date.UTC(2026, 5, 1, 12);
const at = (hours: number) => deps.travel(new Date(START + hours * 3_600_000).toISOString());
at(0);

const filter = { state: 'ZZ', property_type: 'condo' };
const definition = { dataset: 'valuations', format: 'csv', filter, destination: { type: 'folder' } };

async function newcomer(contract: Contract | null = null, plan: PlanId = 'trial') {
  const options = { anchorAt: null, contract: { sandboxRateLimitPerHour: 100_000, ...contract } };
  const account = await createAccount(deps.control, deps.clock(), 'Newcomer', plan, options);
  const { secret: key } = await createKey(deps, account.id, { name: 'x', mode: 'test', scopes: [...SCOPES] });
  const create = (more: object = {}) => api.post('/exports', { ...definition, ...more }, { key });
  return { account, key, create };
}

function bytesBelow(path: string): number {
  if (!existsSync(path)) return 0;
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

describe('sandbox exports of an account without a card', () => {
  test('are few, also when they are made at the same time', async () => {
    const { create } = await newcomer();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create()));
    const made = answers.filter(({ status }) => status === 202);
    assert.equal(made.length, SANDBOX_RETENTION.exports);
    for (const { status, body } of answers.filter((answer) => answer.status !== 202)) {
      assert.ok([403, 429].includes(status), String(status));
      assert.ok(body.limit === SANDBOX_RETENTION.exports || body.limit === SANDBOX_RETENTION.exportRunsPerDay);
    }
    await drain(deps, ['exports']);
  });

  test('run a few times a day; neither a schedule nor deleting them gives more', async () => {
    const { key, account, create } = await newcomer();
    const ids: string[] = [];
    for (let n = 0; n < SANDBOX_RETENTION.exportRunsPerDay; n++) {
      const { status, body } = await create({ schedule: 'hourly' });
      assert.equal(status, 202, JSON.stringify(body));
      ids.push(body.id);
      if (n >= SANDBOX_RETENTION.exports - 1) await api.call('DELETE', `/exports/${ids.shift()}`, { key });
    }
    const refused = await create();
    assert.equal(refused.status, 429);
    assert.equal(refused.body.limit, SANDBOX_RETENTION.exportRunsPerDay);
    assert.equal(Number(refused.headers['retry-after']), 12 * 3_600, 'until the day is over');
    assert.equal((await api.post(`/exports/${ids[0]}/runs`, {}, { key })).status, 429);
    await drain(deps, ['exports']);
    const runsOfDay = async () => {
      const { rows } = await deps.control.query(
        'select day::text, runs from export_days where account_id = $1 order by day',
        [account.id],
      );
      return rows.map(({ runs }) => runs as number);
    };
    for (let hour = 1; hour <= 48; hour++) {
      at(hour);
      await runSchedule(deps, 'start-exports');
      await drain(deps, ['exports']);
    }
    assert.deepEqual(await runsOfDay(), [10, 10, 10]);
    at(0);
  });

  test('keep no more bytes than allowed: the oldest files go first, and a run that is too large leaves none', async () => {
    const first = await newcomer();
    await first.create();
    await drain(deps, ['exports']);
    const home = join(folder, first.account.id);
    const one = bytesBelow(home);
    assert.ok(one > 1_000);

    const { account, key, create } = await newcomer({ sandboxExportBytes: Math.round(one * 2.5) });
    const { body: made } = await create();
    await drain(deps, ['exports']);
    for (let n = 1; n <= 5; n++) {
      at(n);
      assert.equal((await api.post(`/exports/${made.id}/runs`, {}, { key })).status, 202);
      await drain(deps, ['exports']);
    }
    at(0);
    assert.ok(bytesBelow(join(folder, account.id)) <= one * 2.5, 'two runs with their manifests');
    const { data } = (await api.get(`/exports/${made.id}/runs`, { key })).body;
    assert.equal(data.length, 6);
    const file = (run: { id: string }) => api.get(`/exports/${made.id}/runs/${run.id}/files/_manifest.json`, { key });
    assert.equal((await file(data[0])).status, 200, 'the newest is there');
    const gone = await file(data[5]);
    assert.equal(gone.status, 404);
    assert.match(gone.body.detail, /no longer kept/);

    const small = await newcomer({ sandboxExportBytes: 100 });
    const { body: large } = await small.create();
    await drain(deps, ['exports']);
    const { body: run } = await api.get(`/exports/${large.id}/runs/${large.run.id}`, { key: small.key });
    assert.equal(run.status, 'failed');
    assert.equal(run.attempt_count, 1, 'trying again would end the same way');
    assert.match(run.error, /larger than 100 bytes/);
    assert.equal(bytesBelow(join(folder, small.account.id)), 0);
  });

  test('are deleted after their days, with their export, and when they belong to nothing', async () => {
    const { account, key, create } = await newcomer();
    const home = join(folder, account.id);
    const { body: kept } = await create();
    const { body: deleted } = await create();
    await drain(deps, ['exports']);
    const both = bytesBelow(home);
    assert.equal((await api.call('DELETE', `/exports/${deleted.id}`, { key })).status, 204);
    assert.equal(bytesBelow(home), both / 2);

    const orphan = join(home, 'dataset=valuations/version=1/date=2026-05-01/run=run_orphan');
    const work = join(folder, '.work-run_orphan-1');
    for (const path of [orphan, work]) {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'part-00000.csv'), 'left behind');
    }
    writeFileSync(join(folder, 'operator.txt'), 'not ours');
    await runSchedule(deps, 'tidy-exports');
    assert.ok(!existsSync(orphan) && !existsSync(work));
    assert.ok(existsSync(join(folder, 'operator.txt')));
    assert.equal(bytesBelow(home), both / 2, 'what is within its days stays');

    at(SANDBOX_RETENTION.exportDays * 24 + 1);
    await runSchedule(deps, 'tidy-exports');
    assert.equal(bytesBelow(home), 0);
    const { body } = await api.get(`/exports/${kept.id}/runs`, { key });
    assert.equal(body.data[0].status, 'delivered', 'the run is still listed');
    at(91 * 24);
    await runSchedule(deps, 'tidy-exports');
    assert.equal(
      (await api.get(`/exports/${kept.id}/runs`, { key })).body.data.length,
      1,
      'a delta begins at the last run',
    );
    at(0);
  });
});

describe('what is past its time', () => {
  const count = async (table: string, accountId: string, mode: string) => {
    const { rows } = await deps.control.query(
      `select count(*)::int as n from ${table} where account_id = $1 and mode = $2`,
      [accountId, mode],
    );
    return rows[0].n as number;
  };

  test('is deleted by plan and mode: receipts, events and the request log', async () => {
    const { account, key } = await newcomer(null, 'builder');
    const other = await newcomer(null, 'pro');
    for (const { id } of [account, other.account]) {
      for (const mode of ['live', 'test'] as const) {
        await recordEvent(deps.control, {
          accountId: id,
          mode,
          type: 'batch.completed',
          data: EVENT_KINDS['batch.completed'].example,
          occurredAt: deps.clock(),
        });
        await deps.control.query(
          `insert into valuations (id, account_id, mode, market, model_version, model_hash, as_of, document, created_at)
           values ($1, $2, $3, 'x', 'x', 'x', '2026-06-01', '', $4)`,
          [`val_${mode}_${id}`, id, mode, deps.clock()],
        );
        await deps.control.query(
          `insert into request_log (request_id, account_id, mode, at, method, route, status, duration_ms, meter, units)
           values ('req_x', $1, $2, $3, 'GET', '/x', 200, 1, 'none', 0)`,
          [id, mode, deps.clock()],
        );
      }
    }
    await drain(deps, ['webhooks']);
    const left = async (days: number) => {
      at(days * 24 + 1);
      for (const name of ['forget-old-events', 'forget-old-receipts', 'tidy-accounts']) await runSchedule(deps, name);
      const of = async (id: string) => {
        const all = ['events', 'valuations', 'request_log'].map((table) =>
          Promise.all([count(table, id, 'live'), count(table, id, 'test')]),
        );
        return (await Promise.all(all)).map((pair) => pair.join('/')).join(' ');
      };
      return [await of(account.id), await of(other.account.id)];
    };
    assert.deepEqual(await left(6), ['1/1 1/1 1/1', '1/1 1/1 1/1']);
    assert.deepEqual(await left(7), ['1/0 1/0 1/0', '1/0 1/0 1/0']);
    assert.deepEqual(await left(30), ['0/0 1/0 0/0', '0/0 1/0 1/0']);
    assert.deepEqual(await left(90), ['0/0 1/0 0/0', '0/0 1/0 0/0']);
    assert.deepEqual(await left(365), ['0/0 0/0 0/0', '0/0 1/0 0/0']);
    assert.ok(key);
    at(0);
  });

  test('the sandbox keeps the newest receipts and results of an account, and no more', async () => {
    const { account } = await newcomer();
    await deps.control.query(
      `insert into valuations (id, account_id, mode, market, model_version, model_hash, as_of, document, created_at)
       select 'val_cap_' || n, $1, 'test', 'x', 'x', 'x', '2026-06-01', '', $2::timestamptz - n * interval '1 second'
       from generate_series(1, $3::int) n`,
      [account.id, deps.clock(), SANDBOX_RETENTION.receipts! + 50],
    );
    await runSchedule(deps, 'forget-old-receipts');
    assert.equal(await count('valuations', account.id, 'test'), SANDBOX_RETENTION.receipts);
    const { rowCount } = await deps.control.query(`select from valuations where id = 'val_cap_1'`);
    assert.equal(rowCount, 1, 'the newest stays');

    await deps.control.query(
      `insert into batches (id, account_id, key_id, mode, type, include, state, total, created_at, finished_at)
       select 'batch_cap_' || n, $1, 'key', 'test', 'enrich', '{property}', 'completed', 1,
         $2::timestamptz - n * interval '1 second', $2
       from generate_series(1, $3::int) n`,
      [account.id, deps.clock(), SANDBOX_RETENTION.batches + 5],
    );
    await deps.control.query(
      `insert into batch_items (batch_id, ordinal, custom_id, input, status)
       select id, 0, 'a', '{}', 'succeeded' from batches where account_id = $1`,
      [account.id],
    );
    await runSchedule(deps, 'tidy-batches');
    const { rows } = await deps.control.query(
      `select count(*)::int as n from batch_items i join batches b on b.id = i.batch_id where b.account_id = $1`,
      [account.id],
    );
    assert.equal(rows[0].n, SANDBOX_RETENTION.batches);
    at(91 * 24);
    await runSchedule(deps, 'tidy-batches');
    await runSchedule(deps, 'tidy-batches');
    assert.equal(await count('batches', account.id, 'test'), 0);
    at(0);
  });
});
