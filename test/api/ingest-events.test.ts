// A corrected publication, from its files to a customer's webhook: every kind of property event, exactly once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { constant, date, dollars, text } from '../../src/supply/ingest/map/fields.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import type { Dataset, Source } from '../../src/supply/ingest/source.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { drain } from '../../src/worker.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';
import { startReceiver } from '../receiver.ts';
import { FIPS, floodZones, rollRow, testville, writeRoll } from '../testville.ts';
import { until } from '../until.ts';

const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' };
const api = await testClient({ plan: 'enterprise', settings });
const live = { key: api.liveKey };
const folder = mkdtempSync(join(tmpdir(), 'platbook-events-'));

const [roll, sales, orders] = testville.datasets;
const permits: Dataset = {
  ...orders,
  id: 'testville/permits',
  files: [{ path: 'permits.csv' }],
  records: [{ into: 'permits', fields: { id: text('number'), number: text('number'), issue_date: date('issued') } }],
  layers: [{ layer: 'permits' }],
};
const liens: Dataset = {
  ...orders,
  id: 'testville/liens',
  files: [{ path: 'liens.csv' }],
  records: [
    {
      into: 'tax_liens',
      fields: { id: text('number'), type: constant('property_tax'), amount: dollars('amount'), status: text('status') },
    },
  ],
  layers: [{ layer: 'tax_liens' }],
};
const flood = floodZones('AREA', '2026-01-01');
/** A later publication of the roll; an owner counts as known from its date. */
const town = (publishedOn: string): Source => ({
  ...testville,
  datasets: [{ ...roll, publishedOn }, sales, orders, permits, liens, flood],
});

const lines = (name: string, ...rows: string[]) => writeFileSync(join(folder, name), `${rows.join('\n')}\n`);
const zone = (area: number, name: string, west: number, east: number) => ({
  type: 'Feature',
  properties: { AREA: String(area), FLD_ZONE: name, SFHA_TF: name === 'AE' ? 'T' : 'F', STATIC_BFE: '-9999' },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [west, 42],
        [east, 42],
        [east, 44],
        [west, 44],
        [west, 42],
      ],
    ],
  },
});
const writeFlood = (...features: object[]) =>
  lines('flood.geojson', JSON.stringify({ type: 'FeatureCollection', features }));

const load = (publishedOn: string) =>
  ingest(
    { data: api.deps.data, clock: api.deps.clock, cacheFolder: folder },
    [town(publishedOn)],
    [town(publishedOn)],
    {
      from: folder,
    },
  );

const idOf = (number: number) => propertyId(FIPS, rollRow(number).pin);
const [watched, replaced, unwatched] = [idOf(1), idOf(2), idOf(3)];
const rows = Array.from({ length: 10 }, (_, i) => rollRow(i + 1));

it('reaches the watcher’s webhook and the change feed, exactly once', async () => {
  writeRoll(folder, rows);
  lines('sales.csv', 'pin,sold,price,sqft', 'T-000001,2020-01-02,200000,');
  lines('orders.csv', 'pin,number,status,opened', 'T-000001,O-1,open,2025-01-01');
  lines('permits.csv', 'pin,number,issued', 'T-000001,P-1,2025-01-01');
  lines('liens.csv', 'pin,number,amount,status', 'T-000001,L-1,100,open');
  writeFlood(zone(1, 'X', -89, -87));
  await load('2026-01-31');
  // A new watcher is told about changes that are not final yet.
  await untilFinal(api.deps.data);

  const receiver = await startReceiver();
  assert.equal((await api.post('/webhooks', { url: receiver.url }, live)).status, 201);
  const list = await api.post('/watchlists', { name: 'two homes', property_ids: [watched, replaced] }, live);
  assert.equal(list.status, 201, list.text);
  const { body: before } = await api.get('/changes?from=now', live);
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
  await once(createInterface({ input: child.stdout }), 'line');

  // One home gets a new area, owner and value; one is replaced by two at its address; one changes that nobody watches.
  writeRoll(folder, [
    rollRow(1, { sqft: 2222, owner: 'NEW OWNER LLC', value: 7 }),
    rollRow(101, { address: '2 Elm St' }),
    rollRow(3, { sqft: 3333 }),
    ...rows.slice(3),
    rollRow(102, { address: '2 Elm St' }),
  ]);
  lines('sales.csv', 'pin,sold,price,sqft', 'T-000001,2020-01-02,200000,', 'T-000001,2025-12-01,250000,');
  lines('orders.csv', 'pin,number,status,opened', 'T-000001,O-1,closed,2025-01-01', 'T-000001,O-2,open,2025-12-01');
  lines('permits.csv', 'pin,number,issued', 'T-000001,P-1,2025-01-01', 'T-000001,P-2,2025-12-01');
  lines('liens.csv', 'pin,number,amount,status', 'T-000001,L-1,100,released', 'T-000001,L-2,50,open');
  writeFlood(zone(1, 'AE', -89, -87));
  await load('2026-02-01');

  const expected = [
    `property.assessment_updated ${watched}`,
    `property.flood_zone_changed ${watched}`,
    `property.owner_changed ${watched}`,
    `property.permit_issued ${watched}`,
    `property.sale_recorded ${watched}`,
    `property.superseded ${replaced}`,
    `property.tax_lien_recorded ${watched}`,
    `property.tax_lien_released ${watched}`,
    `property.updated ${replaced}`,
    `property.updated ${watched}`,
    `property.violation_closed ${watched}`,
    `property.violation_opened ${watched}`,
  ].toSorted();
  await until(() => receiver.received.length >= expected.length);
  child.kill('SIGTERM');
  await ended;
  // Nothing is left over, and loading the same files again makes no events.
  await load('2026-02-01');
  await untilFinal(api.deps.data);
  await drain(api.deps);
  const told = receiver.received.map(({ event }) => `${event.type} ${event.data.property_id}`);
  assert.deepEqual(told.toSorted(), expected);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, expected.length);
  assert.ok(!receiver.received.some(({ body }) => body.includes('NEW OWNER')), 'no names');
  const area = receiver.received.find(({ event }) => event.data.changed_fields?.includes('sqft'))!;
  assert.deepEqual([area.event.data.before, area.event.data.after], [{ sqft: 1001 }, { sqft: 2222 }]);

  const { body: feed } = await api.get(`/changes?cursor=${before.next_cursor ?? before.pagination.next_cursor}`, live);
  const changes = feed.data as { type: string; property_id: string; op: string }[];
  const of = (id: string) => changes.filter((change) => change.property_id === id).map(({ type }) => type);
  assert.deepEqual(
    [
      ...of(watched).map((kind) => `${kind} ${watched}`),
      ...of(replaced).map((kind) => `${kind} ${replaced}`),
    ].toSorted(),
    expected,
  );
  assert.deepEqual(of(unwatched).toSorted(), ['property.flood_zone_changed', 'property.updated']);
  assert.deepEqual(
    changes
      .filter(({ op, type }) => op === 'insert' && type === 'property.updated')
      .map((change) => change.property_id)
      .toSorted(),
    [idOf(101), idOf(102)].toSorted(),
  );
});
