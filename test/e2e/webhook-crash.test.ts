// Kills processes while they record and deliver facts: each fact has its event, each arrives, none is invented.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDispatcher } from '../../src/delivery/webhooks/deliveries.ts';
import { relayChanges } from '../../src/delivery/watchlists/relay.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';
import { runAndKill } from '../kill.ts';
import { startReceiver } from '../receiver.ts';

// A short deadline makes short leases: what a killed worker had claimed is free again after 5.5 seconds.
const settings = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_TIMEOUT_MS: '500' };
const api = await testClient({ settings });
const { control, data } = api.deps;
const environment = {
  ...settings,
  DATABASE_URL: api.deps.config.databaseUrl!,
  PLATBOOK_SECRET: api.deps.config.secret!,
  LOG_LEVEL: 'silent',
};

async function deliverAll() {
  const dispatcher = createDispatcher(api.deps);
  const open = `select 1 from events where fanned_out_at is null union all select 1 from webhook_deliveries where status = 'pending' limit 1`;
  for (let i = 0; i < 600; i++) {
    while (await relayChanges(api.deps));
    while (await dispatcher.work());
    await dispatcher.settle();
    if ((await control.query(open)).rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('facts and events are committed together, and every event arrives', async () => {
  const receiver = await startReceiver();
  receiver.answer = (response) => setTimeout(() => response.writeHead(200).end(), 30);
  await control.query('create table control.facts (name text primary key)');
  assert.equal((await api.post('/webhooks', { url: receiver.url, events: ['ping', 'property.*'] })).status, 201);
  for (let i = 0; i < 2; i++) assert.ok(await runAndKill(['facts', api.accountId], environment, 25 + i, i));

  const { rows: homes } = await data.query(
    `select id from properties where market = 'sandbox' and status = 'active' order by id limit 40`,
  );
  await api.post('/watchlists', { name: 'crash', property_ids: homes.map((home) => home.id) });
  while (await relayChanges(api.deps));
  await data.query(
    `insert into changes (fips, property_id, market, kind, op, occurred_at)
     select fips, id, market, 'property.updated', 'update', now() from properties where id = any($1)`,
    [homes.map((home) => home.id)],
  );
  await untilFinal(data);
  for (let i = 0; i < 4; i++) assert.ok(await runAndKill(['webhooks'], environment, 1 + (i % 3), i * 9));
  await deliverAll();

  const { rows: facts } = await control.query<{ name: string }>('select name from facts order by name');
  assert.ok(facts.length >= 45);
  const pings = receiver.received.filter((got) => got.event.type === 'ping');
  assert.deepEqual(
    [...new Set(pings.map((got) => got.event.data.message as string))].sort(),
    facts.map((fact) => fact.name).sort(),
  );
  const { rows: events } = await control.query<{ id: string }>(
    `select id from events where type in ('ping', 'property.updated')`,
  );
  const arrived = new Set(receiver.received.map((got) => String(got.headers['webhook-id'])));
  assert.deepEqual([...arrived].sort(), events.map((event) => event.id).sort());
  const changed = receiver.received.filter((got) => got.event.type === 'property.updated');
  assert.equal(new Set(changed.map((got) => got.event.data.property_id)).size, homes.length);
  assert.equal(
    new Set(changed.map((got) => got.event.id)).size,
    homes.length,
    'one event per change, however often it was sent',
  );
  const { rows: states } = await control.query('select distinct status from webhook_deliveries');
  assert.deepEqual(states, [{ status: 'succeeded' }]);
});
