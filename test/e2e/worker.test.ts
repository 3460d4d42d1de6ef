// `platbook worker`: picks up what another process submits, immediately, and stops when asked.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';
import { startReceiver } from '../receiver.ts';
import { until } from '../until.ts';

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' };
const api = await testClient({ settings });

it('a worker next to the API processes a batch and its webhook', async () => {
  const receiver = await startReceiver();
  await api.post('/webhooks', { url: receiver.url, events: ['batch.completed'] });
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../src/main.ts', import.meta.url)), 'worker'], {
    env: {
      ...process.env,
      ...settings,
      DATABASE_URL: api.deps.config.databaseUrl!,
      PLATBOOK_SECRET: api.deps.config.secret!,
      PLATBOOK_HOME: api.deps.config.home,
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  assert.match(line, /ready/);
  const body = { items: [{ address: DEMO.address }], include: ['property', 'risk', 'valuation'] };
  const submitted = await api.post('/batches?wait=30', body);
  assert.equal(submitted.status, 200, submitted.text);
  assert.equal(submitted.body.results[0].valuation.object, 'valuation');
  await until(() => receiver.received.length > 0);
  assert.equal(receiver.received[0].event.data.batch_id, submitted.body.id);
  const { rows } = await api.deps.control.query(`select subject from jobs where name = 'schedule'`);
  assert.ok(
    rows.some(({ subject }) => subject === 'start-exports'),
    'its schedules are registered',
  );
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
