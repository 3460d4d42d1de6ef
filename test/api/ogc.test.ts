// OGC API – Features: CQL2 against the rows it describes, paging, coordinate systems, charges, and GDAL as the client.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient } from '../harness.ts';

const port = await freePort();
const api = await testClient({ settings: { BASE_URL: `http://127.0.0.1:${port}` } });
await api.deps.data.query(
  `update properties set value = 100 * sqft where sqft is not null and property_type in ('single_family', 'condo')`,
);
const { rows } = await api.deps.data.query(`select * from properties where status = 'active' order by id`);
type Row = Record<string, any>;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const items = (collection: string, query: Record<string, string> = {}) =>
  api.get(`/ogc/collections/${collection}/items?${new URLSearchParams(query)}`);

async function idsOf(collection: string, query: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  let next: string | undefined =
    `/ogc/collections/${collection}/items?${new URLSearchParams({ limit: '500', ...query })}`;
  while (next !== undefined) {
    const { status, body } = await api.get(next);
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(...body.features.map((feature: Row) => feature.id));
    const link: Row | undefined = body.links.find(({ rel }: Row) => rel === 'next');
    next = link && link.href.split('/api/v1')[1];
  }
  return ids.sort();
}

describe('CQL2 finds exactly the rows it describes', () => {
  const demo = rows.find(({ id }) => id === DEMO.property_id)!;
  const [west, south, east, north] = [-0.01, -0.01, 0.01, 0.01].map(
    (by, i) => Math.round((by + (i % 2 === 0 ? demo.longitude : demo.latitude)) * 1e6) / 1e6,
  );
  const isNear = ({ longitude: x, latitude: y }: Row) => x >= west && x <= east && y >= south && y <= north;
  const corners = [`${west} ${south}`, `${east} ${south}`, `${east} ${north}`, `${west} ${north}`, `${west} ${south}`];
  const cases: [filter: string, keep: (row: Row) => boolean][] = [
    [`bedrooms = 3`, (row) => row.bedrooms === 3],
    [`4 < bedrooms`, (row) => row.bedrooms !== null && row.bedrooms > 4],
    [`bedrooms <> 3`, (row) => row.bedrooms !== null && row.bedrooms !== 3],
    [`NOT (bedrooms = 3)`, (row) => row.bedrooms !== null && row.bedrooms !== 3],
    [`sqft BETWEEN 1500 AND 1600`, (row) => row.sqft !== null && row.sqft >= 1500 && row.sqft <= 1600],
    [`sqft NOT BETWEEN 1000 AND 2600`, (row) => row.sqft !== null && (row.sqft < 1000 || row.sqft > 2600)],
    [`bathrooms >= 2.5 and bathrooms <= 2.5`, (row) => row.bathrooms === 2.5],
    [`property_type IN ('condo', 'land')`, (row) => ['condo', 'land'].includes(row.property_type)],
    [`value IS NULL`, (row) => row.value === null],
    [`value IS NOT NULL AND zip = '00101'`, (row) => row.value !== null && row.zip === '00101'],
    [
      `zip = '00101' OR zip = '00103' AND bedrooms = 2`,
      (row) => row.zip === '00101' || (row.zip === '00103' && row.bedrooms === 2),
    ],
    [
      `(zip = '00101' OR zip = '00103') AND bedrooms = 2`,
      (row) => ['00101', '00103'].includes(row.zip) && row.bedrooms === 2,
    ],
    [`"city" LIKE 'Port%'`, (row) => row.city?.startsWith('Port')],
    [
      `last_sale_date >= DATE('2026-01-01')`,
      (row) => row.last_sale_date !== null && row.last_sale_date >= '2026-01-01',
    ],
    [`fips = '99003'`, (row) => row.fips === 99003],
    [`opportunity_zone = TRUE`, (row) => row.opportunity_zone === true],
    [`owner_occupied = FALSE`, (row) => row.owner_occupied === false],
    [`TRUE = opportunity_zone`, (row) => row.opportunity_zone === true],
    [`updated_at < TIMESTAMP('2000-01-01T00:00:00Z') OR units = 2`, (row) => row.units === 2],
    [`address = 'No ''such'' street'`, () => false],
    [
      `S_INTERSECTS(geometry, BBOX(${west}, ${south}, ${east}, ${north})) AND bedrooms = 3`,
      (row) => isNear(row) && row.bedrooms === 3,
    ],
    [`S_INTERSECTS(geometry, POLYGON((${corners.join(', ')})))`, isNear],
  ];
  for (const [filter, keep] of cases) {
    it(filter, async () => {
      const expected = rows.filter(keep).map((row) => row.id);
      assert.ok(expected.length > 0 || filter.includes('such'), 'the case selects something');
      assert.ok(expected.length < rows.length, 'and not everything');
      assert.deepEqual(await idsOf('properties', { filter }), expected);
    });
  }
});

describe('a filter that cannot be read is refused and not charged', () => {
  const cases: [filter: string, says: RegExp][] = [
    ['bedrooms ==', /compared with a number/],
    ['bedrooms = ', /ends where a value/],
    [`bedrooms = 'three'`, /compared with a number/],
    ['bedrooms = 2.5', /whole number/],
    [`nothing = 3`, /not a queryable/],
    [`__proto__ = 3`, /not a queryable/],
    [`zip = 12`, /text in single quotes/],
    [`last_sale_date > 'soon'`, /is a day/],
    [`last_sale_date > DATE('2026-02-30')`, /is a day/],
    [`updated_at > TIMESTAMP('2026-02-30T00:00:00Z')`, /is a time/],
    [`zip = '1' OR S_INTERSECTS(geometry, BBOX(0,0,1,1))`, /once, beside conditions/],
    [`S_INTERSECTS(geometry, BBOX(0,0,1,1)) OR zip = '1'`, /once, beside conditions/],
    [`S_INTERSECTS(geometry, BBOX(0,0,1))`, /four numbers/],
    [`zip = '1'; drop table properties`, /is not CQL2/],
    [`${'('.repeat(30)}zip = '1'${')'.repeat(30)}`, /nested/],
    [Array.from({ length: 120 }, () => `units = 1`).join(' OR '), /more than 100/],
    [`zip = '1' zip`, /not expected/],
    [`zip = 'it''s`, /is not CQL2|text/],
  ];
  for (const [filter, says] of cases) {
    it(filter.slice(0, 60), async () => {
      const { status, body, headers } = await items('properties', { filter });
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(body.detail, says);
      assert.equal(headers['x-usage-units'], '0');
    });
  }
  it('columns of owners need their scope', async () => {
    const key = await api.keyWith(['properties:read']);
    const at = (filter: string) => `/ogc/collections/properties/items?${new URLSearchParams({ filter, limit: '1' })}`;
    assert.equal((await api.get(at(`owner_type = 'bank'`), { key })).status, 403);
    const { body } = await api.get(at(`zip = '00101'`), { key });
    assert.ok(!('owner_type' in body.features[0].properties));
    const queryables = await api.get('/ogc/collections/properties/queryables', { key });
    assert.ok(!('owner_type' in queryables.body.properties) && 'sqft' in queryables.body.properties);
  });
});

describe('pages, places and coordinates', () => {
  it('a page is at most 500, links to the next, and leads through everything once', async () => {
    const { body } = await items('properties', { limit: '100000' });
    assert.equal(body.numberReturned, 500);
    assert.deepEqual(
      await idsOf('parcels', { limit: '400' }),
      rows.map((row) => row.id),
    );
  });
  it('a property in three coordinate systems', async () => {
    const in84 = (await api.get(`/ogc/collections/properties/items/${DEMO.property_id}`)).body;
    const [longitude, latitude] = in84.geometry.coordinates;
    const inSystem = async (code: number) => {
      const crs = `http://www.opengis.net/def/crs/EPSG/0/${code}`;
      const answer = await api.get(
        `/ogc/collections/properties/items/${DEMO.property_id}?crs=${encodeURIComponent(crs)}`,
      );
      assert.equal(answer.headers['content-crs'], `<${crs}>`);
      return answer.body.geometry.coordinates as [number, number];
    };
    assert.deepEqual(await inSystem(4326), [latitude, longitude]);
    const [x, y] = await inSystem(3857);
    assert.ok(Math.abs(x - longitude * 111_319.490793) < 0.01);
    const box = [x - 5, y - 5, x + 5, y + 5].join(',');
    const found = await idsOf('properties', { bbox: box, 'bbox-crs': 'http://www.opengis.net/def/crs/EPSG/0/3857' });
    assert.ok(found.includes(DEMO.property_id) && found.length < 200);
    assert.equal((await items('properties', { crs: 'EPSG:2285' })).status, 400);
  });
  it('sales have a date, and a span of days finds those within it', async () => {
    const expected = rows.filter(
      ({ last_sale_date: day }) => day !== null && day >= '2025-01-01' && day <= '2025-06-30',
    );
    assert.ok(expected.length > 0);
    assert.deepEqual(
      await idsOf('sales', { datetime: '2025-01-01/2025-06-30T23:59:59Z' }),
      expected.map(({ id }) => id),
    );
    const sold = rows.filter((row) => row.last_sale_date !== null);
    assert.deepEqual(
      await idsOf('sales', { datetime: '../..' }),
      sold.map(({ id }) => id),
    );
    assert.equal((await items('sales', { datetime: 'yesterday' })).status, 400);
  });
  it('areas are listed by kind and found by their id', async () => {
    const { body } = await items('areas', { filter: `kind = 'tract'`, limit: '5' });
    assert.ok(body.features.length > 0);
    for (const feature of body.features) {
      assert.equal(feature.properties.kind, 'tract');
      const one = await api.get(`/ogc/collections/areas/items/${feature.id}`);
      assert.deepEqual(one.body.geometry, feature.geometry);
    }
    const { rows: kept } = await api.deps.data.query(
      `select count(*)::int as n from areas where kind in ('tract', 'neighborhood', 'flood') and fips >= 99000`,
    );
    assert.equal((await idsOf('areas', { limit: '7' })).length, kept[0].n);
    assert.deepEqual((await items('areas', { filter: `kind = 'moon'` })).body.features, []);
    const named = await items('areas', { filter: `NOT kind = 'tract' AND name LIKE '%Flats%' OR vintage < 1900` });
    assert.ok(named.body.features.length > 0, JSON.stringify(named.body));
    for (const { properties } of named.body.features) {
      assert.notEqual(properties.kind, 'tract');
      assert.match(properties.name, /Flats/);
    }
    for (const filter of [`S_INTERSECTS(geometry, BBOX(0,0,1,1))`, `zip = '00101'`])
      assert.equal((await items('areas', { filter })).status, 400);
    assert.equal((await api.get('/ogc/collections/areas/items/99001.tract.2020.0')).status, 404);
  });
  it('a live key pays one unit for a page, and is shown nothing of the sandbox', async () => {
    const { status, headers, body } = await api.get('/ogc/collections/properties/items', { key: api.liveKey });
    assert.equal(status, 200);
    assert.deepEqual([headers['x-usage-meter'], headers['x-usage-units']], ['standard', '1']);
    assert.equal(body.numberReturned, 0);
    assert.equal((await api.get('/ogc/collections/nothing/items', { key: api.liveKey })).headers['x-usage-units'], '0');
  });
});

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0;

describe('GDAL reads it', { skip: hasGdal ? false : 'ogrinfo is not installed' }, () => {
  const run = async (command: string, ...args: string[]) => {
    if (!api.app.server.listening) await api.app.listen({ port, host: '127.0.0.1' });
    const env = { ...process.env, GDAL_HTTP_HEADERS: `x-api-key: ${api.testKey}` };
    return (await promisify(execFile)(command, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  };
  const source = `OAPIF:http://127.0.0.1:${port}/api/v1/ogc`;

  it('lists the layers', async () => {
    const listed = await run('ogrinfo', source);
    for (const layer of ['properties', 'parcels', 'sales', 'areas']) assert.match(listed, new RegExp(`: ${layer} `));
  });
  it('copies all properties of a filter, with types and places', async () => {
    const expected = rows.filter((row) => row.bedrooms === 4 && row.zip === '00101');
    const out = await run(
      ...([
        'ogr2ogr',
        '-f',
        'GeoJSON',
        '/vsistdout/',
        '-where',
        `bedrooms = 4 AND zip = '00101'`,
        source,
        'properties',
      ] as const),
    );
    const { features } = JSON.parse(out) as { features: Row[] };
    assert.equal(features.length, expected.length);
    const byApn = new Map(expected.map((row) => [row.apn, row]));
    for (const { properties, geometry } of features) {
      const row = byApn.get(properties.apn)!;
      assert.equal(properties.sqft, row.sqft);
      assert.ok(Math.abs(geometry.coordinates[0] - row.longitude) < 1e-6);
    }
  });
});
