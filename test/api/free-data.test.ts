// What live mode shows without a charge: only to accounts that can pay, coarse, within a budget, and nothing about people.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../properties.ts';
import { createAccount, createKey, getAccount, updateAccount } from '../../src/customers/accounts/accounts.ts';
import type { Contract, PlanId } from '../../src/customers/accounts/plans.ts';
import { SCOPES, type Scope } from '../../src/customers/accounts/scopes.ts';
import { buildApp } from '../../src/app.ts';
import { createDeps } from '../../src/operate/open.ts';
import { bandOf, middleOfBand, stepOf } from '../../src/base/lib/bands.ts';
import { createTileCaches } from '../../src/records/tiles/tile-cache.ts';
import { testClient } from '../harness.ts';
import { openBrowser, PASSWORD, signUp, startMailbox } from '../people.ts';

const mailbox = await startMailbox();
const api = await testClient({ settings: { SMTP_URL: mailbox.url } });
const { app, deps } = api;

// The invented market, shown to live keys as if it were a real one.
await deps.data.query('update markets set sandbox = false');
deps.catalog.forget();

interface Home {
  id: string;
  value: number;
  latitude: number;
  longitude: number;
  zip: string;
}

async function customer(plan: PlanId, options: { contract?: Contract; anchorAt?: Date | null; scopes?: Scope[] } = {}) {
  const { scopes = [...SCOPES], ...rest } = options;
  const account = await createAccount(deps.control, deps.clock(), 'Customer', plan, rest);
  const { secret: key } = await createKey(deps, account.id, { name: 'live', mode: 'live', scopes });
  const { secret: test } = await createKey(deps, account.id, { name: 'test', mode: 'test', scopes });
  return { account, key, test };
}

const LOTS = { freeReadsPerHour: 1_000_000, tilesPerHour: 1_000_000 };
const FREE = [
  '/properties/count?state=ZZ',
  '/properties/autocomplete?q=main',
  '/tiles',
  '/tiles/14/5000/6000.mvt',
  '/tiles/boundaries/14/5000/6000.mvt',
  '/markets',
  '/markets/sandbox',
  '/coverage',
  '/watchlists',
];

function tileOf({ latitude, longitude }: { latitude: number; longitude: number }, z: number): string {
  const sine = Math.sin((latitude * Math.PI) / 180);
  const x = Math.floor(((longitude + 180) / 360) * 2 ** z);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
  return `/tiles/${z}/${x}/${y}.mvt`;
}

async function readUsed(accountId: string): Promise<number> {
  await api.usage.flush();
  const { rows } = await deps.control.query(
    'select coalesce(sum(units), 0)::int as n from usage_events where account_id = $1',
    [accountId],
  );
  return rows[0].n;
}

describe('live data without a charge', () => {
  it('is refused to a trial without a card and to one that has ended; the sandbox stays open to both', async () => {
    const cardless = await customer('trial', { anchorAt: null });
    const ended = await customer('trial', { anchorAt: new Date(deps.clock().getTime() - 15 * 86_400_000) });
    for (const path of FREE) {
      assert.equal((await api.get(path, { key: cardless.key })).body?.code, 'payment_required', path);
      assert.equal((await api.get(path, { key: ended.key })).body?.code, 'trial_expired', path);
      assert.notEqual((await api.get(path, { key: cardless.test })).status, 402, path);
    }
    const watch = { name: 'x', filter: { state: 'ZZ' } };
    assert.equal((await api.post('/watchlists', watch, { key: cardless.key })).body.code, 'payment_required');
  });

  it('is refused to the same account with a cookie', async () => {
    const { browser } = await signUp(app, mailbox, 'cardless@example.com');
    for (const path of FREE) {
      const answer = await browser.send('GET', `/api/v1${path}`, undefined, { 'x-platbook-mode': 'live' });
      assert.equal(answer.body?.code, 'payment_required', path);
    }
  });

  it('is shown to a trial with a card and to a paid plan', async () => {
    for (const plan of ['trial', 'builder'] as const) {
      const { key } = await customer(plan);
      for (const path of FREE) assert.equal((await api.get(path, { key })).status, 200, path);
    }
  });
});

describe('values', () => {
  const count = (key: string, query: string) => api.get(`/properties/count?${query}`, { key });

  async function someHomes(): Promise<Home[]> {
    const { rows } = await deps.data.query<Home>(
      `select id, value::float8 as value, latitude, longitude, zip from properties
       where value > 0 and status = 'active' and latitude is not null order by md5(id) limit 12`,
    );
    return rows;
  }

  it('are not found by bisecting a count around one home', async () => {
    const { key } = await customer('pro', { contract: LOTS });
    for (const home of (await someHomes()).slice(0, 3)) {
      const near = `latitude=${home.latitude}&longitude=${home.longitude}&radius_miles=0.001`;
      let [low, high] = [0, 100_000_000];
      for (let n = 0; n < 30 && high - low > 1; n++) {
        const middle = Math.floor((low + high) / 2);
        if ((await count(key, `${near}&max_value=${middle}`)).body.count > 0) high = middle;
        else low = middle;
      }
      assert.ok(Math.abs(low - home.value) / home.value > 0.1, `${low} is too near to ${home.value}`);
    }
  });

  it('give the same responses to every free call while they stay in their band, which is wider than 10% each way', async () => {
    const { key } = await customer('pro', { contract: LOTS });
    const homes = await someHomes();
    for (const home of homes.slice(0, 4)) {
      const [from, to] = bandOf(home.value);
      assert.ok((to - from) / (to + from) > 0.1, 'no guess is within 10% of both ends');
      const reach = 0.004;
      const box = [home.longitude - reach, home.latitude - reach, home.longitude + reach, home.latitude + reach];
      const places = [`bbox=${box.join(',')}`, `zip=${home.zip}`, 'state=ZZ'];
      const bounds = fc.sample(fc.integer({ min: Math.floor(from * 0.7), max: Math.ceil(to * 1.3) }), 15);
      const queries = bounds.flatMap((bound, n) => [
        `${places[n % 3]}&max_value=${bound}`,
        `${places[(n + 1) % 3]}&min_value=${bound}`,
        `${places[n % 3]}&min_value=${Math.min(bound, home.value)}&max_value=${Math.max(bound, home.value)}`,
        `${places[n % 3]}&min_value_per_sqft=${Math.round(bound / 1_500)}`,
        `${places[(n + 1) % 3]}&max_growth=${(bound / home.value - 1) / 10}`,
      ]);
      const colors = ['value', 'value_per_sqft', 'growth'];
      const tiles = [14, 15, 16].flatMap((z) => colors.map((color) => `${tileOf(home, z)}?color=${color}`));
      const readAll = async () => {
        deps.tiles = createTileCaches();
        const counts = [];
        for (const query of queries) counts.push((await count(key, query)).body);
        const drawn = [];
        for (const tile of tiles) drawn.push((await api.get(tile, { key })).text);
        return JSON.stringify([counts, drawn]);
      };
      const seen = await readAll();
      for (const value of [from, to - 1]) {
        await deps.data.query('update properties set value = $2 where id = $1', [home.id, value]);
        assert.equal(await readAll(), seen, `a value of ${value} shows`);
      }
      await deps.data.query('update properties set value = $2 where id = $1', [home.id, home.value]);
    }
  });

  it('are exact in a paid search, with the exact total', async () => {
    const { account, key } = await customer('pro');
    const query = 'state=ZZ&max_value=333333';
    const rough = (await count(key, query)).body;
    assert.deepEqual([rough.is_exact, rough.widened], [false, ['max_value']]);
    assert.equal(rough.count, stepOf(rough.count));
    assert.equal(await readUsed(account.id), 0);
    const { body } = await api.get(`/properties/search?${query}&limit=1&include_total=true`, { key });
    const { rows } = await deps.data.query(
      `select count(*)::int as n from properties where value <= 333333 and status = 'active'`,
    );
    assert.equal(body.pagination.total, rows[0].n);
    assert.equal(await readUsed(account.id), 1);
  });

  it('are counted exactly for whole places and types, as the market page does', async () => {
    const { key } = await customer('pro');
    const { body } = await count(key, 'state=ZZ&property_type=condo');
    assert.equal(body.is_exact, true);
  });

  it('fewer than 10 matches are not told from none', async () => {
    const { key } = await customer('pro');
    const [home] = await someHomes();
    const near = `latitude=${home.latitude}&longitude=${home.longitude}&radius_miles=0.001`;
    assert.deepEqual((await count(key, near)).body.count, 0);
    assert.deepEqual((await count(key, 'latitude=1&longitude=1&radius_miles=0.001')).body.count, 0);
  });
});

describe('bands and steps', () => {
  it('hold their amounts, meet without gaps, and are at least a third wide', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (amount) => {
        const [from, to] = bandOf(amount);
        assert.ok(from <= amount && amount < to, `${amount} in ${from}–${to}`);
        assert.ok(to / from > 1.33);
        assert.deepEqual(bandOf(from), [from, to]);
        assert.equal(bandOf(to)[0], to);
        const middle = middleOfBand(amount);
        assert.ok(from <= middle && middle <= to);
      }),
    );
  });

  it('go down to 10, 20, 50, 100 …, and to 0 below 10', () => {
    const cases = [0, 1, 9, 10, 19, 20, 49, 50, 99, 100, 101, 199, 200, 4_999, 5_000, 1_000_000];
    const steps = [0, 0, 0, 10, 10, 20, 20, 50, 50, 100, 100, 100, 200, 2_000, 5_000, 1_000_000];
    assert.deepEqual(cases.map(stepOf), steps);
  });
});

describe('tiles', () => {
  it('in live mode carry the type and the band, and no flags', async () => {
    const { key } = await customer('pro');
    const { rows } = await deps.data.query<Home>(
      'select id, value::float8 as value, latitude, longitude, zip from properties where open_tax_liens > 0 and value > 0 limit 1',
    );
    const live = await api.get(tileOf(rows[0], 15), { key });
    assert.match(live.text, /property_type/);
    assert.doesNotMatch(live.text, /has_open|flood|opportunity/);
    const { body } = await api.get('/tiles', { key });
    assert.deepEqual(Object.keys(body.vector_layers[0].fields), ['id', 'property_type', 'value', 'figure', 'sold']);
  });

  it('have a budget per hour, over all processes; the sandbox and the ground below have none', async () => {
    const { key, test } = await customer('builder', { contract: { tilesPerHour: 5 } });
    const second = await buildApp(createDeps(deps));
    await second.app.ready();
    deps.beforeClose(() => second.app.close());
    const get = async (process: typeof app, path: string, secret: string) =>
      process.inject({ url: `/api/v1${path}`, headers: { 'x-api-key': secret } });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => get(n % 2 ? app : second.app, `/tiles/14/${n}/6000.mvt`, key)),
    );
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 5);
    const refused = answers.find(({ statusCode }) => statusCode === 429)!;
    assert.equal(refused.json().code, 'rate_limited');
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await get(app, '/tiles/14/1/6000.mvt', test)).statusCode, 200);
    assert.equal((await get(app, '/tiles/boundaries/14/1/6000.mvt', key)).statusCode, 200);
    assert.equal((await get(app, '/properties/count?state=ZZ', key)).statusCode, 200);
  });

  it('counts and suggestions share a budget of their own', async () => {
    const { key } = await customer('builder', { contract: { freeReadsPerHour: 2 } });
    const statuses = [];
    for (const path of ['/properties/count', '/properties/autocomplete?q=main', '/properties/count'])
      statuses.push((await api.get(path, { key })).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });
});

describe('watchlists', () => {
  it('in live mode a filter costs what a search through its matches costs, and a list of ids is free', async () => {
    const { account, key } = await customer('pro');
    const { rows } = await deps.data.query<{ n: number; id: string }>(
      `select count(*)::int as n, min(id) as id from properties where value <= 400000 and status = 'active'`,
    );
    assert.ok(rows[0].n > 500);
    await api.post('/watchlists', { name: 'ids', property_ids: [rows[0].id] }, { key });
    assert.equal(await readUsed(account.id), 0);
    const { body } = await api.post('/watchlists', { name: 'filter', filter: { max_value: 400_000 } }, { key });
    const pages = Math.ceil(rows[0].n / 500);
    assert.equal(await readUsed(account.id), pages);
    await api.call('PATCH', `/watchlists/${body.id}`, { key, body: { name: 'renamed' } });
    assert.equal(await readUsed(account.id), pages);
    await api.call('PATCH', `/watchlists/${body.id}`, { key, body: { filter: { max_value: 1 } } });
    assert.equal(await readUsed(account.id), pages + 1);
  });

  it('are refused when the allowance does not cover the filter, and then nothing is created', async () => {
    const { account, key } = await customer('trial', { contract: { includedCalls: 0 } });
    const made = await api.post('/watchlists', { name: 'x', filter: { state: 'ZZ', max_value: 400_000 } }, { key });
    assert.equal(made.body.code, 'quota_exhausted');
    assert.equal((await api.get('/watchlists', { key })).body.data.length, 0);
    assert.equal(await readUsed(account.id), 0);
  });
});

describe('owners', () => {
  it('are not filtered by without the scope, in search, count, watchlists, exports, the feed and for agents', async () => {
    const scopes = SCOPES.filter((scope) => scope !== 'owners:read');
    const { key, test } = await customer('enterprise', { scopes });
    for (const [name, value] of [
      ['owner_type', 'company'],
      ['owner_occupied', 'false'],
    ]) {
      const filter = { [name]: name === 'owner_type' ? value : false };
      for (const secret of [key, test]) {
        const answers = [
          await api.get(`/properties/search?${name}=${value}`, { key: secret }),
          await api.post('/properties/search', filter, { key: secret }),
          await api.get(`/properties/count?${name}=${value}`, { key: secret }),
          await api.post('/watchlists', { name: 'x', filter }, { key: secret }),
          await api.get(`/changes?${name}=${value}`, { key: secret }),
          await api.post(
            '/exports',
            { dataset: 'properties', filter, destination: { type: 'folder' } },
            { key: secret },
          ),
        ];
        for (const { body } of answers) {
          assert.deepEqual([body.code, body.required_scope], ['insufficient_scope', 'owners:read']);
        }
      }
      const params = { name: 'search_properties', arguments: { ...filter, count_only: true } };
      const agent = await api.call('POST', '//mcp', {
        key: test,
        headers: { accept: 'application/json, text/event-stream', host: 'localhost' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      });
      assert.match(agent.text, /insufficient_scope/);
    }
  });

  it('are left out of what changed in a record', async () => {
    const { rows } = await deps.data.query(
      `update changes set changed_fields = '{owner_occupied,owner_type}',
         after = '{"owner_occupied": true, "owner_type": "individual"}'
       where (fips, seq) = (select fips, seq from changes where kind = 'property.owner_changed' limit 1)
       returning property_id`,
    );
    const path = `/properties/${rows[0].property_id}/changes?limit=500`;
    const { key } = await customer('pro');
    const { key: blind } = await customer('pro', { scopes: ['properties:read'] });
    assert.match((await api.get(path, { key })).text, /"owner_occupied":/);
    assert.doesNotMatch((await api.get(path, { key: blind })).text, /"owner_(type|occupied)":/);
  });
});

describe('viewers', () => {
  it('read what the account has, and neither spend its allowance nor see owners', async () => {
    const { browser, verified } = await signUp(app, mailbox, 'owner@example.com');
    const account = await getAccount(deps, verified.body.account.id);
    await updateAccount(deps.control, { ...account, plan: 'pro', anchor_at: deps.clock() });
    await browser.send('POST', '/session/invitations', { email: 'viewer@example.com', role: 'viewer' });
    const viewer = openBrowser(app);
    const { token } = mailbox.last('viewer@example.com');
    await viewer.send('POST', '/session/invitations/accept', { token, name: 'Vi', password: PASSWORD });
    const live = { 'x-platbook-mode': 'live' };
    const get = (path: string) => viewer.send('GET', `/api/v1${path}`, undefined, live);
    for (const path of ['/properties/search?limit=1', '/properties/lookup?address=1', '/properties/x/risk']) {
      assert.equal((await get(path)).body.code, 'insufficient_role', path);
    }
    const batch = await viewer.send('POST', '/api/v1/batches', { items: [] }, live);
    assert.equal(batch.status, 403);
    assert.equal((await get('/properties/count?state=ZZ')).status, 200);
    assert.equal((await get('/properties/count?owner_type=company')).body.code, 'insufficient_scope');
    assert.equal((await get('/usage')).status, 200);
    assert.equal(await readUsed(account.id), 0);
    assert.equal((await browser.send('GET', '/api/v1/properties/search?limit=1', undefined, live)).status, 200);
    assert.equal(await readUsed(account.id), 1);
  });
});
