// Every kind of event, fired by its real cause: a load, a valuation, a batch, an export, usage, keys, invoices.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import Value from 'typebox/value';
import { createAccount, createKey } from '../../src/customers/accounts/accounts.ts';
import { SCOPES } from '../../src/customers/accounts/scopes.ts';
import * as billing from '../../src/customers/billing/billing.ts';
import * as cards from '../../src/customers/billing/cards.ts';
import * as planChanges from '../../src/customers/billing/plan-changes.ts';
import { EVENT_KINDS } from '../../src/base/events/kinds.ts';
import { KIND_NAMES, type EventKind } from '../../src/base/events/names.ts';
import { listInvoices } from '../../src/customers/billing/sql.ts';
import { constant, date, text } from '../../src/supply/ingest/map/fields.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import type { Dataset, RecordMap } from '../../src/supply/ingest/source.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { insertModels } from '../../src/insight/valuations/model-sql.ts';
import { valueMarket } from '../../src/insight/valuations/bulk.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { drain, runSchedule } from '../../src/worker.ts';
import { untilFinal } from '../final.ts';
import { testClient } from '../harness.ts';
import { startReceiver } from '../receiver.ts';
import { FIPS, floodZones, rollRow, testville, writeRoll } from '../testville.ts';

const folder = mkdtempSync(join(tmpdir(), 'platbook-causes-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const api = await testClient({
  plan: 'enterprise',
  settings: { EXPORT_FOLDER: join(folder, 'exports'), WEBHOOK_ALLOW_PRIVATE: 'true' },
});
const { deps } = api;
const live = { key: api.liveKey };
const travel = (ms: number) => deps.travel(new Date(deps.clock().getTime() + ms).toISOString());
const DAY = 86_400_000;

/** What `/events` shows of a kind, once everything is settled, relayed to watchlists and recorded. */
async function told(type: EventKind, key = api.testKey): Promise<Record<string, any>[]> {
  await untilFinal(deps.data);
  await drain(deps, ['watchlists']);
  const { body } = await api.get(`/events?type=${type}&limit=100`, { key });
  const list = body.data.map((event: { data: object }) => event.data);
  // Shapes refuse members that they do not name.
  for (const data of list) assert.deepEqual([...Value.Errors(EVENT_KINDS[type].data, data)], [], JSON.stringify(data));
  return list;
}

/** In the second load, the home to which exactly this happens. */
const BY_LOAD = {
  'property.updated': 1,
  'property.sale_recorded': 2,
  'property.owner_changed': 3,
  'property.assessment_updated': 4,
  'property.permit_issued': 5,
  'property.violation_opened': 6,
  'property.violation_closed': 7,
  'property.tax_lien_recorded': 8,
  'property.tax_lien_released': 9,
  'property.flood_zone_changed': 10,
  'property.superseded': 11,
  'watchlist.property_added': 12,
  'watchlist.property_removed': 13,
} satisfies Partial<Record<EventKind, number>>;
const HOMES = 20;
const idOf = (number: number) => propertyId(FIPS, rollRow(number).pin);

const csv = (name: string, into: RecordMap['into'], fields: RecordMap['fields']): Dataset => ({
  ...testville.datasets[2],
  id: `testville/${name}`,
  files: [{ path: `${name}.csv` }],
  records: [{ into, fields }],
  layers: [{ layer: into }],
});
const source = {
  ...testville,
  datasets: [
    ...testville.datasets,
    csv('permits', 'permits', { id: text('number'), number: text('number'), issue_date: date('issued') }),
    csv('liens', 'tax_liens', {
      id: text('number'),
      type: constant('property_tax'),
      status: text('status'),
      filing_date: date('filed'),
    }),
    floodZones('ID', '2026-01-31'),
  ],
};

const write = (name: string, head: string, lines: string[]) =>
  writeFileSync(join(folder, name), `${[head, ...lines].join('\n')}\n`);
const pin = (number: number) => rollRow(number).pin;

/** Zones around the homes at these positions of the roll. */
function writeFlood(...places: number[]): void {
  const features = places.map((place) => {
    const [longitude, latitude] = [-88 - place / 1000, 43 + place / 1000];
    const corner = (east: number, north: number) => [longitude + east * 0.0003, latitude + north * 0.0003];
    const ring = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)];
    return {
      type: 'Feature',
      properties: { ID: `zone ${place}`, FLD_ZONE: 'AE', ZONE_SUBTY: '', SFHA_TF: 'T', STATIC_BFE: '-9999' },
      geometry: { type: 'Polygon', coordinates: [ring] },
    };
  });
  writeFileSync(join(folder, 'flood.geojson'), JSON.stringify({ type: 'FeatureCollection', features }));
}

async function load(): Promise<void> {
  await ingest({ data: deps.data, clock: deps.clock, cacheFolder: folder }, [source], [source], { from: folder });
}

async function loadTwice(): Promise<void> {
  const first = Array.from({ length: HOMES }, (_, i) => rollRow(i + 1, i === 12 ? { sqft: 3_500 } : {}));
  writeRoll(folder, first);
  write('sales-1.csv', 'pin,sqft,sold,price', [`${pin(19)},1019,2020-01-02,100000`]);
  write('orders.csv', 'pin,number,status,opened', [`${pin(7)},V-7,open,2025-01-02`]);
  write('permits.csv', 'pin,number,issued', [`${pin(19)},P-19,2025-01-02`]);
  write('liens.csv', 'pin,number,status,filed', [`${pin(9)},L-9,open,2025-01-02`]);
  writeFlood(18);
  await load();
  // A new watcher also hears about what is not final yet.
  await untilFinal(deps.data);
  const every = { name: 'every home', property_ids: first.map((_, i) => idOf(i + 1)) };
  const large = { name: 'large homes', filter: { market: ['testville'], min_sqft: 3_000 } };
  for (const list of [every, large]) assert.equal((await api.post('/watchlists', list, live)).status, 201);
  await told('ping', api.liveKey);

  const changed = new Map([
    [1, rollRow(1, { sqft: 1_234 })],
    [3, rollRow(3, { owner: 'NEW OWNER LLC' })],
    [4, rollRow(4, { value: 7 })],
    [12, rollRow(12, { sqft: 3_200 })],
    [13, rollRow(13, { sqft: 1_300 })],
  ]);
  const second = first.map((row, i) => changed.get(i + 1) ?? row);
  second.splice(10, 1, rollRow(101, { address: '11 Elm St' }), rollRow(102, { address: '11 Elm St' }));
  travel(DAY);
  writeRoll(folder, second);
  write('sales-1.csv', 'pin,sqft,sold,price', [
    `${pin(19)},1019,2020-01-02,100000`,
    `${pin(2)},1002,2026-01-02,250000`,
  ]);
  write('orders.csv', 'pin,number,status,opened', [`${pin(7)},V-7,closed,2025-01-02`, `${pin(6)},V-6,open,2026-01-02`]);
  write('permits.csv', 'pin,number,issued', [`${pin(19)},P-19,2025-01-02`, `${pin(5)},P-5,2026-01-02`]);
  write('liens.csv', 'pin,number,status,filed', [`${pin(9)},L-9,released,2025-01-02`, `${pin(8)},L-8,open,2026-01-02`]);
  writeFlood(18, 9);
  await load();
}

type Kind = Exclude<EventKind, keyof typeof BY_LOAD>;
/** Triggers the cause and says what the event must contain. Those that let time pass come last. */
const CAUSES: Record<Kind, () => Promise<{ data: Record<string, unknown>; key?: string }>> = {
  'valuation.changed': async () => {
    const { body } = await api.get('/properties/search?limit=1&property_type=single_family&min_value=1');
    const { id } = body.data[0];
    await api.post('/watchlists', { name: 'value', property_ids: [id] });
    await told('ping');
    await deps.data.query('update properties set sqft = sqft * 2 where id = $1', [id]);
    await valueMarket(deps, 'sandbox');
    return { data: { property_id: id } };
  },
  'watchlist.value_changed': async () => {
    const { body } = await api.get('/properties/search?limit=2&property_type=condo&min_value=1');
    const property_ids = body.data.map(({ id }: { id: string }) => id);
    const list = await api.post('/watchlists', { name: 'total', property_ids, total_change_percent: 5 });
    await runSchedule(deps, 'check-totals');
    await deps.data.query('update properties set value = round(value * 1.1) where id = any($1)', [property_ids]);
    travel(3_600_000);
    await runSchedule(deps, 'check-totals');
    return { data: { watchlist_id: list.body.id } };
  },
  'loan.changed': async () => {
    const { body } = await api.get('/properties/search?limit=1&property_type=townhouse&min_value=1');
    const { id } = body.data[0];
    const loan = await api.post('/loans', { property: { id }, amount: 1_000, closed_on: '2024-01-02', max_ltv: 0.5 });
    await deps.data.query('update properties set value = 1000 where id = $1', [id]);
    travel(DAY + 3_600_000);
    await runSchedule(deps, 'check-loans');
    return { data: { loan_id: loan.body.id } };
  },
  'receipts.anchored': async () => {
    await api.post('/avm/estimate', { property: { id: DEMO.property_id } });
    await runSchedule(deps, 'anchor-receipts');
    return { data: { account_id: api.accountId } };
  },
  'model.released': async () => {
    await api.post('/webhooks', { url: 'https://example.com/hook', events: ['model.*'] });
    const { rows } = await deps.control.query(
      `select version, market, trained_on, hash, card, bytes from models where market = 'sandbox' and state = 'current'`,
    );
    const version = 'sandbox-released-by-a-test';
    await insertModels(deps.control, [{ ...rows[0], version, state: 'current', createdAt: deps.clock() }]);
    await runSchedule(deps, 'announce-models');
    return { data: { model_version: version } };
  },
  'batch.completed': async () => {
    const { body } = await api.post('/batches', { items: [{ address: 'nowhere' }] });
    await drain(deps, ['batches']);
    return { data: { batch_id: body.id } };
  },
  'export.delivered': async () => {
    const { body } = await api.post('/exports', { dataset: 'valuations', destination: { type: 'folder' } });
    await drain(deps, ['exports']);
    return { data: { run_id: body.run.id } };
  },
  'usage.threshold_reached': async () => {
    const { key, call } = await customer();
    await call();
    return { data: { meter: 'standard', percent: 50, used: 1, included: 2 }, key };
  },
  'usage.quota_exhausted': async () => {
    const { key, call } = await customer();
    await call();
    await call();
    return { data: { meter: 'standard', used: 2, included: 2 }, key };
  },
  'api_key.rotated': async () => {
    const made = await api.post('/keys', { name: 'rotated', mode: 'test' });
    const { body } = await api.post(`/keys/${made.body.id}/rotate`, { overlap_hours: 1 });
    return { data: { key_id: made.body.id, successor_id: body.id } };
  },
  'api_key.expiring': async () => {
    const expires_at = new Date(deps.clock().getTime() + 6 * DAY).toISOString();
    const { body } = await api.post('/keys', { name: 'expiring', mode: 'test', expires_at });
    await runSchedule(deps, 'tidy-accounts');
    return { data: { key_id: body.id, expires_at } };
  },
  'invoice.finalized': async () => {
    const provider = await billing.createProvider(deps);
    const account = await createAccount(deps.control, deps.clock(), 'Customer', 'trial', { anchorAt: null });
    await cards.addCard(deps, provider, { account, token: 'tok_test_one', by: { actor: 'test' } });
    await planChanges.choosePlan(deps, provider, {
      accountId: account.id,
      plan: 'builder',
      interval: 'month',
      by: { actor: 'test' },
    });
    const [invoice] = await listInvoices(deps.control, account.id, undefined, 1);
    const { secret: key } = await createKey(deps, account.id, { name: 'x', mode: 'live', scopes: [...SCOPES] });
    return { data: { invoice_id: invoice.id, number: invoice.number, total_cents: invoice.total_cents }, key };
  },
  ping: async () => {
    const receiver = await startReceiver();
    const { body } = await api.post('/webhooks', { url: receiver.url });
    await api.post(`/webhooks/${body.id}/test`);
    assert.equal(receiver.received.length, 1);
    await api.call('DELETE', `/webhooks/${body.id}`);
    return { data: { message: 'This is a test of your webhook.' } };
  },
  'batch.failed': async () => {
    const { body } = await api.post('/batches', { items: [{ address: 'nowhere' }] });
    travel(DAY + 1);
    await runSchedule(deps, 'tidy-batches');
    return { data: { batch_id: body.id, reason: 'expired' } };
  },
  'export.failed': async () => {
    const storage = createServer((_request, response) => response.writeHead(403).end());
    await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
    const keys = { access_key_id: 'x', secret_access_key: 'y' };
    const destination = { type: 's3', bucket: 'customer', endpoint, ...keys };
    const { body } = await api.post('/exports', { dataset: 'valuations', destination });
    for (let attempt = 1; attempt <= 3; attempt++) {
      await drain(deps, ['exports']);
      travel(3_600_000);
    }
    storage.closeAllConnections();
    storage.close();
    return { data: { run_id: body.run.id } };
  },
  'webhook.failing': async () => {
    const webhook_id = await failFor(DAY + 1, 500);
    return { data: { webhook_id, warning: 1 } };
  },
  'webhook.disabled': async () => {
    const webhook_id = await failFor(1_000, 410);
    return { data: { webhook_id, reason: 'gone' } };
  },
};

/** A trial with two calls. */
async function customer() {
  const contract = { includedCalls: 2, rateLimitPerHour: 100 };
  const account = await createAccount(deps.control, deps.clock(), 'Customer', 'trial', { contract });
  const { secret: key } = await createKey(deps, account.id, { name: 'x', mode: 'live', scopes: [...SCOPES] });
  const call = async () => {
    assert.equal((await api.get('/properties/search?limit=1', { key })).status, 200);
    await api.usage.flush();
  };
  return { key, call };
}

async function failFor(ms: number, status: number): Promise<string> {
  const receiver = await startReceiver();
  receiver.answer = status;
  const { body } = await api.post('/webhooks', { url: receiver.url, events: ['batch.*'] });
  for (const pause of [0, ms]) {
    travel(pause);
    await api.post('/batches', { items: [{ address: 'nowhere' }] });
    await drain(deps, ['batches', 'webhooks']);
  }
  await api.call('DELETE', `/webhooks/${body.id}`);
  return body.id;
}

describe('a load', async () => {
  await loadTwice();
  for (const [kind, home] of Object.entries(BY_LOAD) as [keyof typeof BY_LOAD, number][]) {
    it(`fires ${kind} for the affected home`, async () => {
      const homes = (await told(kind, api.liveKey)).map((data) => data.property_id);
      assert.ok(homes.includes(idOf(home)), `told of ${homes.join()}`);
      if (kind !== 'property.updated') assert.equal(homes.length, 1);
    });
  }
});

describe('everything else', () => {
  for (const [kind, cause] of Object.entries(CAUSES) as [Kind, (typeof CAUSES)[Kind]][]) {
    it(`fires ${kind} when it happens`, async () => {
      deps.travel(new Date().toISOString());
      const { data, key } = await cause();
      const found = (await told(kind, key)).filter((event) =>
        Object.entries(data).every(([name, value]) => event[name] === value),
      );
      assert.equal(found.length, 1, JSON.stringify(await told(kind, key)));
    });
  }

  it('shows in the documented example the members it is sent with', async () => {
    const unlike: string[] = [];
    for (const kind of KIND_NAMES) {
      const { rows } = await deps.control.query('select data from events where type = $1', [kind]);
      const sent = new Set(rows.flatMap(({ data }) => Object.keys(data)));
      const { example } = EVENT_KINDS[kind];
      if (Object.keys(example).some((name) => !sent.has(name))) unlike.push(kind);
      assert.deepEqual([...Value.Errors(EVENT_KINDS[kind].data, example)], [], kind);
    }
    assert.deepEqual(unlike, []);
  });

  it('refuses a triggered event with data that its kind does not have', async () => {
    const trigger = (data: object) => api.post('/sandbox/events', { type: 'batch.completed', data });
    assert.equal((await trigger({ batch_id: 'batch_x' })).body.data.batch_id, 'batch_x');
    for (const data of [{ batch_id: 7 }, { counts: { total: 1 } }, { note: 'x' }]) {
      const { status, body } = await trigger(data);
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(data));
    }
  });

  it('covers every kind', () => {
    assert.deepEqual([...Object.keys(BY_LOAD), ...Object.keys(CAUSES)].sort(), [...KIND_NAMES].sort());
  });
});
