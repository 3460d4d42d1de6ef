// Visitors without an account: the sandbox map and its property pages, nobody's name, and nothing else at all.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient, type CallOptions } from '../harness.ts';

const api = await testClient({ settings: { TRUST_PROXY: '1' } });
const guest: CallOptions = { key: null, headers: { 'x-platbook-mode': 'guest' } };
const guestFrom = (ip: string): CallOptions => ({
  key: null,
  headers: { 'x-platbook-mode': 'guest', 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' },
  from: '10.0.0.2',
});

const liveId = await loadLiveHome();

/** Everything a guest can call; a route that joins the list must be meant to. */
const OPEN = [
  'GET /api/v1/analytics/forecast',
  'GET /api/v1/analytics/index',
  'GET /api/v1/analytics/rankings',
  'GET /api/v1/analytics/series',
  'GET /api/v1/analytics/summary',
  'GET /api/v1/avm/accuracy',
  'GET /api/v1/coverage',
  'GET /api/v1/markets',
  'GET /api/v1/markets/:id',
  'GET /api/v1/properties/:id',
  'GET /api/v1/properties/:id/risk',
  'GET /api/v1/properties/:id/title',
  'GET /api/v1/properties/autocomplete',
  'GET /api/v1/properties/count',
  'GET /api/v1/properties/lookup',
  'GET /api/v1/rents/estimate',
  'GET /api/v1/tiles',
  'GET /api/v1/tiles/:z/:x/:y(^\\d+).mvt',
  'GET /api/v1/tiles/boundaries/:z/:x/:y(^\\d+).mvt',
  'POST /api/v1/avm/estimate',
  'POST /api/v1/properties/search',
];
/** These answer anyone, with or without a header. */
const FOR_ANYONE = new Set(['GET /api/v1/plans', 'GET /api/v1/coverage/fields', 'GET /api/v1/layers']);

describe('a visitor without an account', () => {
  it('reads the sandbox: search, record, risk, title, value, accuracy, coverage and tiles', async () => {
    const found = await api.post('/properties/search', { zip: '00103', limit: 3 }, guest);
    assert.equal(found.status, 200, found.text);
    assert.equal(found.body.data.length, 3);
    const paths = [
      `/properties/${DEMO.property_id}?include=assessments,taxes,transactions,provenance`,
      `/properties/${DEMO.property_id}/risk`,
      `/properties/${DEMO.property_id}/title`,
      '/properties/autocomplete?q=1208%20lantern',
      '/properties/count?zip=00103',
      '/avm/accuracy',
      '/coverage',
      '/tiles',
      '/tiles/0/0/0.mvt',
      '/tiles/boundaries/4/5/6.mvt',
    ];
    for (const path of paths) assert.equal((await api.get(path, guest)).status, 200, path);
    const markets = await api.get('/markets', guest);
    assert.deepEqual(
      markets.body.data.map((market: { id: string }) => market.id),
      ['sandbox'],
    );
    const value = await api.post('/avm/estimate', { property: { id: DEMO.property_id } }, guest);
    assert.equal(value.body.estimated_value, (await estimateWithKey()).body.estimated_value);
    assert.equal(value.headers['x-usage-meter'], 'none');
  });

  it('finds no other route open, by any method', async () => {
    const keyed = api.routes.filter(({ path, method }) => path.startsWith('/api/v1/') && method !== 'OPTIONS');
    assert.ok(keyed.length > 40, 'the routes are listed');
    const answered: string[] = [];
    for (const { method, path } of keyed) {
      const name = `${method} ${path}`;
      const url = path
        .replace('/api/v1', '')
        .replaceAll(/:(z|x|y)\(\^\\d\+\)|:(z|x|y)\b/g, '0')
        .replaceAll(/:\w+/g, DEMO.property_id);
      const { status, body } = await api.call(method, url, { ...guest, ...(method !== 'GET' && { body: {} }) });
      if (status !== 401) answered.push(name);
      else assert.equal(body.code, 'missing_api_key', name);
      if (status === 401) assert.match(body.detail, /Sign up free/, name);
    }
    assert.deepEqual(answered.filter((name) => !FOR_ANYONE.has(name)).sort(), OPEN);
  });

  it('is told to send a key where nothing says that it is a visitor of our pages', async () => {
    for (const headers of [
      {},
      { 'x-platbook-mode': 'live' },
      { 'x-platbook-mode': 'test' },
      { 'x-platbook-mode': '' },
    ]) {
      const { status, body } = await api.get('/markets', { key: null, headers: headers as Record<string, string> });
      assert.deepEqual([status, body.code], [401, 'missing_api_key'], JSON.stringify(headers));
    }
    // A key that was sent counts, also where it is wrong.
    const wrong = await api.get('/markets', { ...guest, key: 'sk_live_nonsense' });
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_api_key']);
  });

  it('sees nothing of live markets, however it asks', async () => {
    const id = liveId;
    assert.equal((await api.get(`/properties/${id}`, { key: api.liveKey })).status, 200, 'it is there');
    for (const path of [`/properties/${id}`, `/properties/${id}/risk`, `/properties/${id}/title`])
      assert.equal((await api.get(path, guest)).status, 404, path);
    assert.equal((await api.post('/avm/estimate', { property: { id } }, guest)).status, 404);
    const found = await api.post('/properties/search', { market: 'liveville' }, guest);
    assert.deepEqual(found.body.data ?? [], []);
    assert.equal((await api.get('/markets/liveville', guest)).status, 404);
    const { data } = (await api.get('/coverage', guest)).body;
    assert.ok(data.every((item: { market: string }) => item.market === 'sandbox'));
  });

  it('sees nobody’s name', async () => {
    const path = `/properties/${DEMO.property_id}`;
    const known = (await api.get(`${path}?include=owner,transactions`)).body;
    const names: string[] = [
      ...known.owner.names,
      ...known.transactions.flatMap((item: { buyers?: string[]; sellers?: string[] }) => [
        ...(item.buyers ?? []),
        ...(item.sellers ?? []),
      ]),
    ];
    assert.ok(names.length > 1);
    assert.equal((await api.get(`${path}?include=owner`, guest)).body.code, 'insufficient_scope');
    assert.equal((await api.post('/properties/search', { owner_type: 'bank' }, guest)).status, 403);
    const shown = [
      await api.get(`${path}?include=transactions,provenance,assessments`, guest),
      await api.get(`${path}/title`, guest),
      await api.post('/properties/search', { zip: '00103', include: 'transactions' }, guest),
      await api.post('/avm/estimate', { property: { id: DEMO.property_id } }, guest),
    ];
    const organizations = /\b(LLC|INC|BANK|TRUST|CORP|COUNTY|CITY|CREDIT UNION|MORTGAGE|LENDING)\b/i;
    for (const { status, text } of shown) {
      assert.equal(status, 200);
      for (const name of names.filter((one) => !organizations.test(one)))
        assert.ok(!text.includes(name), `${name} is shown`);
    }
  });

  it('leaves nothing behind: no usage, no receipt, no kept answer', async () => {
    const headers = { ...guest.headers, 'idempotency-key': 'guest-1' };
    const body = { property: { id: DEMO.property_id } };
    const [first, second] = [
      await api.post('/avm/estimate', body, { key: null, headers }),
      await api.post('/avm/estimate', body, { key: null, headers }),
    ];
    assert.equal(second.headers['idempotency-replayed'], undefined);
    await api.usage.flush();
    const { control } = api.deps;
    for (const [table, where] of [
      ['idempotent_requests', `key = 'guest-1'`],
      ['valuations', `id in ('${first.body.id}', '${second.body.id}') or account_id = 'guest'`],
      ['request_log', `account_id = 'guest'`],
    ]) {
      const { rows } = await control.query(`select count(*)::int as count from ${table} where ${where}`);
      assert.equal(rows[0].count, 0, table);
    }
  });

  it('may make so many calls a minute from one IP, and is told how to get more', async () => {
    api.deps.travel('2026-11-20T12:00:05Z');
    const { limit } = api.deps.minuteLimits.guestCalls;
    const here = guestFrom('198.51.100.20');
    const first = await api.get('/markets', here);
    assert.match(String(first.headers['ratelimit-policy']), new RegExp(`"guest";q=${limit};w=60`));
    for (let calls = 1; calls < limit; calls++) assert.equal((await api.get('/markets', here)).status, 200);
    const refused = await api.get('/markets', here);
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, 'rate_limited');
    assert.match(refused.body.detail, /sign up free at \/sign-up/i);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await api.get('/tiles/0/0/0.mvt', here)).status, 200, 'tiles are counted apart');
    assert.equal((await api.get('/markets', guestFrom('198.51.100.21'))).status, 200, 'others are not held up');
    api.deps.travel('2026-11-20T12:01:01Z');
    assert.equal((await api.get('/markets', here)).status, 200);
  });
});

async function loadLiveHome(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'platbook-guests-'));
  writeFileSync(join(folder, 'roll.csv'), 'PIN,ADDRESS,LAT,LON\n1,1 MAIN ST,43.0,-88.0\n');
  const recipe = parseRecipe(
    `
id: liveville
market: { name: Liveville, state: ZY, description: Invented }
counties: [{ fips: 55902, name: Live County, state: ZY }]
datasets:
  roll:
    publisher: Liveville
    license: CC0
    published_on: 2026-01-31
    format: { type: csv }
    files: [roll.csv]
    key: { parcel: { text: PIN } }
    records:
      - into: properties
        complete: true
        fields:
          address_line1: { upper: ADDRESS }
          latitude: { latitude: LAT }
          longitude: { longitude: LON }
          property_type: { constant: single_family }
    layers: [properties]
`,
    'liveville.yaml',
  );
  await ingest({ data: api.deps.data, clock: api.deps.clock, cacheFolder: folder }, [recipe], [recipe], {
    from: folder,
  });
  return propertyId(55_902, '1');
}

function estimateWithKey() {
  return api.post('/avm/estimate', { property: { id: DEMO.property_id } });
}
