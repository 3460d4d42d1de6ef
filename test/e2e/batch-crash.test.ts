// Kills workers six times in the middle of a batch: every item is processed exactly once and charged exactly once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { drain } from '../../src/worker.ts';
import { testClient } from '../harness.ts';
import { runAndKill } from '../kill.ts';

/** `npm run chaos` kills more of them, at moments nobody chose. */
const KILLS = 6;
const ITEMS = 1_000;

const api = await testClient();
const { control, data } = api.deps;
const environment = {
  DATABASE_URL: api.deps.config.databaseUrl!,
  PLATBOOK_SECRET: api.deps.config.secret!,
  LOG_LEVEL: 'silent',
};

it('a batch survives its workers being killed six times', async () => {
  // Only live calls are charged, and live keys do not see sandbox markets, so the sandbox poses as a real one here.
  await data.query('update markets set sandbox = false');
  api.deps.catalog.forget();
  const { rows: homes } = await data.query<{ id: string }>(
    `select id from properties where status = 'active' order by id limit $1`,
    [ITEMS - 5],
  );
  const items = [
    ...homes.map(({ id }) => ({ property_id: id })),
    ...Array.from({ length: 5 }, () => ({ property_id: 'prop_00000000000000000000' })),
  ];
  const submitted = await api.post('/batches', { items, include: ['property'] }, { key: api.liveKey });
  assert.equal(submitted.status, 202, submitted.text);
  const { id } = submitted.body;
  const isOver = async () => (await api.get(`/batches/${id}`, { key: api.liveKey })).body.status === 'completed';

  let kills = 0;
  const lane = async (number: number) => {
    while (kills < KILLS && !(await isOver())) {
      if (await runAndKill(['batches'], environment, 1, (number * 13 + kills * 7) % 60, isOver)) kills++;
    }
  };
  await Promise.all([lane(0), lane(1)]);
  assert.ok(kills >= KILLS, `killed ${kills} times before the batch was done`);
  const { body: before } = await api.get(`/batches/${id}`, { key: api.liveKey });
  assert.equal(before.status, 'running', 'still running after the last kill');
  await drain(api.deps, ['batches']);

  const { body: batch } = await api.get(`/batches/${id}`, { key: api.liveKey });
  assert.equal(batch.status, 'completed');
  assert.deepEqual(batch.counts, { total: ITEMS, succeeded: ITEMS - 5, failed: 5 });
  const results = (await api.get(`/batches/${id}/results?format=ndjson`, { key: api.liveKey })).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    results.map((result) => result.index),
    items.map((_, index) => index),
  );
  assert.deepEqual(
    results.slice(0, homes.length).map((result) => result.property_id),
    homes.map((home) => home.id),
  );
  assert.ok(results.slice(-5).every((result) => result.error.code === 'property_not_found'));

  const charged = await control.query(
    `select coalesce(sum(units), 0)::int as n from usage_events where request_id = $1`,
    [id],
  );
  assert.equal(charged.rows[0].n, ITEMS - 5);
  const counters = await control.query(
    `select used, reserved from usage_counters where account_id = $1 and meter = 'standard'`,
    [api.accountId],
  );
  assert.deepEqual(counters.rows, [{ used: ITEMS - 5, reserved: 0 }]);
  assert.deepEqual(batch.usage, { standard: ITEMS - 5, avm: 0 });
  const events = await control.query(
    `select count(*)::int as n from events where type = 'batch.completed' and data ->> 'batch_id' = $1`,
    [id],
  );
  assert.equal(events.rows[0].n, 1);
});
