// The search grammar: every filter checked against the rows, sort orders, cursors, formats, and the exact error for bad
// input.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  COARSE_DEGREES,
  distanceMiles,
  FINE_DEGREES,
  polygonsHold,
  type MultiPolygon,
  type Point,
} from '../../src/base/lib/geo.ts';
import type { Queryable } from '../../src/base/db/postgres.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { decodeShape } from '../../src/base/lib/shapes.ts';
import { readFilter } from '../../src/records/properties/filter.ts';
import { listPage } from '../../src/records/properties/search-sql.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { testClient, type CallOptions } from '../harness.ts';

const api = await testClient();
// Values normally come from a model; a plain formula stands in, so that filters and sorts on value have data.
await api.deps.data.query(
  `update properties set value = 100 * sqft + 1000 * bedrooms where sqft is not null and property_type in ('single_family', 'condo', 'townhouse')`,
);
const { rows } = await api.deps.data.query(`select * from properties where status = 'active' order by id`);
const demo = (await api.get(`/properties/${DEMO.property_id}`)).body;

type Row = Record<string, any>;

async function listAll(query: string, options?: CallOptions, limit = 500): Promise<Row[]> {
  const found: Row[] = [];
  let cursor: string | null = null;
  do {
    const path = `/properties/search?limit=${limit}&${query}${cursor ? `&cursor=${cursor}` : ''}`;
    const { status, body } = await api.get(path, options);
    assert.equal(status, 200, JSON.stringify(body));
    found.push(...body.data);
    cursor = body.pagination.next_cursor;
  } while (cursor);
  return found;
}

const idsWhere = (keep: (row: Row) => boolean) => rows.filter(keep).map((row) => row.id);

describe('filters find exactly the rows they describe', () => {
  const near = { latitude: demo.latitude, longitude: demo.longitude };
  const cases: [query: string, keep: (row: Row) => boolean][] = [
    ['state=zz', () => true],
    ['market=SANDBOX', () => true],
    ['fips=99003', (row) => row.fips === 99003],
    ['city=port%20ellowby', (row) => row.city.toUpperCase() === 'PORT ELLOWBY'],
    ['zip=00101,00103', (row) => ['00101', '00103'].includes(row.zip)],
    [`census_tract=${rows[0].census_tract}`, (row) => row.census_tract === rows[0].census_tract],
    ['property_type=condo,land', (row) => ['condo', 'land'].includes(row.property_type)],
    ['min_value=200000&max_value=300000', (row) => row.value !== null && row.value >= 200_000 && row.value <= 300_000],
    ['min_sqft=1500&max_sqft=1600', (row) => row.sqft !== null && row.sqft >= 1500 && row.sqft <= 1600],
    ['min_lot_sqft=50000', (row) => row.lot_sqft !== null && row.lot_sqft >= 50_000],
    ['min_bedrooms=5', (row) => row.bedrooms !== null && row.bedrooms >= 5],
    ['min_bathrooms=2.5&max_bathrooms=2.5', (row) => row.bathrooms === 2.5],
    ['max_year_built=1900', (row) => row.year_built !== null && row.year_built <= 1900],
    ['min_assessed_value=1000000', (row) => row.assessed_value !== null && row.assessed_value >= 1_000_000],
    ['max_last_sale_price=100000', (row) => row.last_sale_price !== null && row.last_sale_price <= 100_000],
    ['min_last_sale_date=2026-01-01', (row) => row.last_sale_date !== null && row.last_sale_date >= '2026-01-01'],
    ['owner_occupied=true', (row) => row.owner_occupied === true],
    ['owner_occupied=false', (row) => row.owner_occupied === false],
    ['owner_type=company', (row) => row.owner_type === 'company'],
    ['flood_sfha=true', (row) => row.flood_sfha === true],
    ['opportunity_zone=true', (row) => row.opportunity_zone === true],
    ['has_open_tax_lien=true', (row) => row.open_tax_liens > 0],
    ['has_open_violation=true', (row) => row.open_violations > 0],
    ['permit_since=2025-06-01', (row) => row.last_permit_date !== null && row.last_permit_date >= '2025-06-01'],
    ['updated_since=2026-06-20', (row) => row.updated_at >= new Date('2026-06-20')],
    [
      `latitude=${near.latitude}&longitude=${near.longitude}&radius_miles=0.5`,
      (row) => distanceMiles(near, row as never) <= 0.5,
    ],
    [
      `bbox=${near.longitude - 0.01},${near.latitude - 0.01},${near.longitude + 0.01},${near.latitude + 0.01}`,
      (row) => Math.abs(row.longitude - near.longitude) <= 0.01 && Math.abs(row.latitude - near.latitude) <= 0.01,
    ],
    ['bbox=-180,-90,180,90', (row) => row.latitude !== null],
    [
      'zip=00101&property_type=single_family&min_sqft=2000',
      (row) => row.zip === '00101' && row.property_type === 'single_family' && row.sqft >= 2000,
    ],
    ['state=WI', () => false],
  ];
  for (const [query, keep] of cases) {
    it(query, async () => {
      const expected = idsWhere(keep);
      const found = (await listAll(query)).map((property) => property.id).sort();
      assert.deepEqual(found, expected);
      const { body } = await api.get(`/properties/count?${query}`);
      assert.equal(body.count, expected.length);
    });
  }

  it('POST with a polygon: a triangle with a hole', async () => {
    const { longitude: x, latitude: y } = near;
    const polygons: MultiPolygon = [
      [
        [
          [x - 0.02, y - 0.02],
          [x + 0.02, y - 0.02],
          [x, y + 0.02],
          [x - 0.02, y - 0.02],
        ],
        [
          [x - 0.004, y - 0.004],
          [x + 0.004, y - 0.004],
          [x + 0.004, y + 0.004],
          [x - 0.004, y + 0.004],
          [x - 0.004, y - 0.004],
        ],
      ],
    ];
    const expected = idsWhere((row) => polygonsHold(polygons, row as never));
    assert.ok(expected.length > 20);
    const body = { geometry: { type: 'Polygon', coordinates: polygons[0] }, limit: 500, include_total: true };
    const answer = await api.post('/properties/search', body);
    assert.equal(answer.status, 200);
    const firstPage = answer.body.data.map((property: Row) => property.id);
    assert.equal(firstPage.length, Math.min(500, expected.length));
    assert.deepEqual(
      firstPage.filter((id: string) => !expected.includes(id)),
      [],
    );
    assert.equal(answer.body.pagination.total, expected.length);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page: any = (await api.post('/properties/search', { ...body, limit: 7, cursor, include_total: false }))
        .body;
      paged.push(...page.data.map((property: Row) => property.id));
      cursor = page.pagination.next_cursor ?? undefined;
    } while (cursor);
    assert.deepEqual(paged.sort(), expected);
  });

  it('counts the homes of a wide polygon without reading them one by one', async () => {
    const placed = rows.filter((row) => row.latitude !== null);
    const [west, east] = [Math.min, Math.max].map((end) => end(...placed.map(({ longitude }) => Number(longitude))));
    const [south, north] = [Math.min, Math.max].map((end) => end(...placed.map(({ latitude }) => Number(latitude))));
    const ring = [
      [west - 0.1, south - 0.1],
      [east + 0.1, south - 0.1],
      [east + 0.1, north + 0.1],
      [west - 0.1, north + 0.1],
      [west - 0.1, south - 0.1],
    ];
    let mostRows = 0;
    const { query } = api.deps.dataReplica;
    api.deps.dataReplica.query = async function measured(...args: never[]) {
      const result = await (query as (...all: never[]) => Promise<{ rows: unknown[] }>).apply(
        api.deps.dataReplica,
        args,
      );
      mostRows = Math.max(mostRows, result.rows.length);
      return result;
    } as never;
    const body = { geometry: { type: 'Polygon', coordinates: [ring] }, limit: 1, include_total: true };
    const { pagination } = (await api.post('/properties/search', body)).body;
    api.deps.dataReplica.query = query;
    assert.equal(pagination.total, idsWhere((row) => row.latitude !== null).length);
    assert.ok(mostRows < pagination.total / 4, `${mostRows} rows in one answer`);
  });

  it('POST with a polygon that contains few of the many rows in its box', async () => {
    const placed = rows.filter((row) => row.latitude !== null);
    const [south, ...rest] = placed.toSorted((a, b) => Number(a.latitude) - Number(b.latitude));
    const corners = [south, rest.at(-1)!];
    const square = ({ longitude: x, latitude: y }: Row) => [
      [
        [x - 1e-5, y - 1e-5],
        [x + 1e-5, y - 1e-5],
        [x + 1e-5, y + 1e-5],
        [x - 1e-5, y + 1e-5],
        [x - 1e-5, y - 1e-5],
      ],
    ];
    const polygons = corners.map(square) as MultiPolygon;
    const expected = idsWhere((row) => polygonsHold(polygons, row as never));
    assert.ok(expected.length >= 2 && expected.length < 20);
    for (const sort of [undefined, '-value', 'year_built']) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const body = { geometry: { type: 'MultiPolygon', coordinates: polygons }, limit: 1, sort, cursor };
        const page = (await api.post('/properties/search', body)).body;
        found.push(...page.data.map((property: Row) => property.id));
        cursor = page.pagination.next_cursor ?? undefined;
      } while (cursor);
      assert.deepEqual(found.sort(), expected, `sort ${sort}`);
    }
  });

  it('POST accepts lists as arrays', async () => {
    const { body } = await api.post('/properties/search', { zip: ['00101'], property_type: ['condo'], limit: 500 });
    assert.deepEqual(
      body.data.map((property: Row) => property.id).sort(),
      idsWhere((row) => row.zip === '00101' && row.property_type === 'condo'),
    );
  });
});

describe('order', () => {
  const keys: Record<string, (property: Row) => any> = {
    value: (property) => property.valuation?.estimated_value ?? null,
    sqft: (property) => property.sqft,
    year_built: (property) => property.structure.year_built,
    last_sale_date: (property) => property.last_sale?.date ?? null,
    last_sale_price: (property) => property.last_sale?.price ?? null,
    updated_at: (property) => property.updated_at,
  };
  for (const [key, valueOf] of Object.entries(keys)) {
    for (const sign of ['', '-']) {
      it(`sort=${sign}${key}: every row once, in order, rows without the key last`, async () => {
        const found = await listAll(`sort=${sign}${key}&zip=00101`);
        assert.deepEqual(
          found.map((property) => property.id).sort(),
          idsWhere((row) => row.zip === '00101'),
        );
        const values = found.map(valueOf);
        const known = values.filter((value) => value !== null);
        assert.deepEqual(values.slice(0, known.length), known, 'unknown last');
        assert.deepEqual(
          known,
          [...known].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0) * (sign ? -1 : 1)),
        );
      });
    }
  }

  it('sort=distance: nearest first, continued by cursor', async () => {
    const around = `latitude=${demo.latitude}&longitude=${demo.longitude}&radius_miles=2&sort=distance`;
    const first = (await api.get(`/properties/search?${around}&limit=10`)).body;
    assert.equal(first.data[0].id, DEMO.property_id);
    assert.equal(first.data[0].distance_miles, 0);
    const second = (await api.get(`/properties/search?${around}&limit=10&cursor=${first.pagination.next_cursor}`)).body;
    const distances = [...first.data, ...second.data].map((property: Row) => property.distance_miles);
    assert.deepEqual(
      distances,
      [...distances].sort((a, b) => a - b),
    );
    const expected = rows
      .map((row) => ({ id: row.id as string, miles: distanceMiles(demo, row) }))
      .sort((a, b) => a.miles - b.miles || (a.id < b.id ? -1 : 1))
      .slice(0, 20);
    assert.deepEqual(
      [...first.data, ...second.data].map((property: Row) => property.id),
      expected.map((item) => item.id),
    );
  });

  it('sort=distance finds the nearest from anywhere, even across the edge of a grid cell', async () => {
    const placed = rows.filter((row) => row.latitude !== null);
    // So far inside a cell that a search of the first quarter mile stays in it, yet nearer to homes beyond the edge than to
    // many within it.
    const INSIDE = 0.006;
    const edge = (value: number) => Math.floor(value / FINE_DEGREES) * FINE_DEGREES;
    const centers = placed
      .filter((_, i) => i % Math.ceil(placed.length / 40) === 0)
      .flatMap(({ latitude, longitude }) => [
        { latitude, longitude },
        { latitude: edge(latitude) + INSIDE, longitude: edge(longitude) + INSIDE },
        { latitude: edge(latitude) + FINE_DEGREES - INSIDE, longitude: edge(longitude) + FINE_DEGREES - INSIDE },
      ]);
    assert.ok(centers.length >= 60);
    const stored = await api.deps.data.query<{ property_id: string; shape: Buffer }>(
      'select property_id, shape from parcel_shapes',
    );
    const shapes = new Map(stored.rows.map((row) => [row.property_id, decodeShape(row.shape)]));
    const holds = (id: string, point: Point) => polygonsHold(shapes.get(id)!, point);
    for (const center of centers) {
      const at = `latitude=${center.latitude}&longitude=${center.longitude}`;
      const { body } = await api.get(`/properties/search?${at}&radius_miles=20&sort=distance&limit=30`);
      const expected = placed
        .map((row) => ({ id: row.id as string, miles: holds(row.id, center) ? 0 : distanceMiles(center, row) }))
        .sort((a, b) => a.miles - b.miles || (a.id < b.id ? -1 : 1))
        .filter(({ miles }) => miles <= 20)
        .slice(0, 30);
      assert.deepEqual(
        body.data.map((property: Row) => property.id),
        expected.map(({ id }) => id),
        at,
      );
    }
  });

  it('sort=value in boxes that a line of the grid divides, or that reach a hair over one', async () => {
    const homes = rows.filter((row) => row.latitude !== null);
    const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
    // The line next to the middle of all homes.
    const line = (values: number[]) => Math.round(middle(values) / COARSE_DEGREES) * COARSE_DEGREES;
    const x = line(homes.map(({ longitude }) => longitude));
    const y = line(homes.map(({ latitude }) => latitude));
    let seen = 0;
    for (const over of [0.2, 0.04, 0.004, 0.0004])
      for (const [west, south, east, north] of [
        [0.1, 0.1, over, 0.1],
        [over, 0.1, 0.1, 0.1],
        [0.1, 0.1, 0.1, over],
        [0.1, over, 0.1, 0.1],
        [over, over, over, over],
        // Thin as a street.
        [0.2, over, 0.2, 0],
        [0, 0.2, over, 0.2],
      ]) {
        const box = [x - west, y - south, x + east, y + north].map((edge) => Number(edge.toFixed(6)));
        const expected = homes
          .filter(({ longitude, latitude, value }) => {
            const isInside = longitude >= box[0] && longitude <= box[2] && latitude >= box[1] && latitude <= box[3];
            return isInside && value !== null;
          })
          .toSorted((a, b) => a.value - b.value || (a.id < b.id ? -1 : 1))
          .map(({ id }) => id);
        const found = await listAll(`bbox=${box.join(',')}&sort=value&min_value=1`);
        assert.deepEqual(
          found.map(({ id }) => id),
          expected,
          box.join(','),
        );
        seen += found.length;
      }
    assert.ok(seen > 1000, `${seen} homes seen`);
  });

  it('sort=-value inside a wide box uses the same order', async () => {
    const found = (await listAll('bbox=-180,-90,180,90&sort=-value')).map(
      (property) => property.valuation?.estimated_value ?? -1,
    );
    assert.deepEqual(
      found,
      [...found].sort((a, b) => b - a),
    );
  });
});

describe('pages and formats', () => {
  it('pages do not depend on the page size', async () => {
    const { body: one } = await api.get('/properties/search?sort=-value&limit=3');
    const { body: two } = await api.get(`/properties/search?sort=-value&limit=5&cursor=${one.pagination.next_cursor}`);
    const { body: whole } = await api.get('/properties/search?sort=-value&limit=8');
    assert.deepEqual([...one.data, ...two.data], whole.data);
  });

  it('include_total counts; a search without matches is a 200 with []', async () => {
    const { body } = await api.get('/properties/search?zip=00101&limit=1&include_total=true');
    assert.equal(body.pagination.total, idsWhere((row) => row.zip === '00101').length);
    const empty = await api.get('/properties/search?min_sqft=1000000000');
    assert.equal(empty.status, 200);
    assert.deepEqual(empty.body.data, []);
    assert.equal(empty.body.pagination.has_more, false);
  });

  it('geojson', async () => {
    const { headers, body } = await api.get('/properties/search?zip=00101&limit=5&format=geojson');
    assert.match(String(headers['content-type']), /application\/geo\+json/);
    assert.equal(body.type, 'FeatureCollection');
    assert.equal(body.features.length, 5);
    assert.deepEqual(body.features[0].geometry.coordinates, [
      body.features[0].properties.longitude,
      body.features[0].properties.latitude,
    ]);
    assert.equal(headers['x-next-cursor'], body.next_cursor);
  });

  it('geojson: a feature has its point though `fields` leaves the coordinates out', async () => {
    const { body } = await api.get('/properties/search?zip=00101&limit=5&format=geojson&fields=sqft');
    for (const { geometry, properties } of body.features) {
      assert.equal(geometry.type, 'Point');
      assert.equal('latitude' in properties, false);
    }
  });

  it('ndjson', async () => {
    const { headers, text } = await api.get('/properties/search?zip=00101&limit=5&format=ndjson');
    assert.match(String(headers['content-type']), /ndjson/);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.length, 5);
    assert.equal(lines[0].object, 'property');
  });

  it('csv: one row each, nested members with dots', async () => {
    const { headers, text } = await api.get('/properties/search?zip=00101&limit=5&format=csv&fields=address,sqft');
    assert.match(String(headers['content-type']), /text\/csv/);
    const lines = text.trim().split('\r\n');
    assert.equal(lines.length, 6);
    assert.match(lines[0], /address\.line1/);
  });

  it('csv: the columns are the same on every page, with and without the last sale, and without rows', async () => {
    const headerOf = async (query: string) => {
      const { text } = await api.get(`/properties/search?format=csv&limit=1&${query}`);
      return text.slice(0, text.indexOf('\r\n'));
    };
    const sold = await headerOf('zip=00101&sort=-last_sale_date');
    assert.equal(await headerOf('property_type=land&sort=last_sale_date&max_value=0'), sold);
    assert.equal(await headerOf('zip=00000'), sold);
    const unsold = await api.get('/properties/search?format=json&limit=500&zip=00101&fields=last_sale');
    const { id } = unsold.body.data.find((home: { last_sale: unknown }) => home.last_sale === null);
    const { text } = await api.get('/properties/search?format=csv&limit=500&zip=00101&fields=last_sale');
    assert.equal(text.split('\r\n')[0], 'object,id,last_sale.date,last_sale.price,last_sale.transaction_id');
    assert.match(text, new RegExp(`property,${id},,,\r\n`));
    assert.equal(await headerOf('zip=00000&fields=sqft,address'), await headerOf('zip=00101&fields=sqft,address'));
  });
});

describe('a time', () => {
  it('without a zone is in UTC, whatever the clock of the server says', () => {
    const zone = process.env.TZ;
    process.env.TZ = 'America/Chicago';
    try {
      const read = (updated_since: string) => readFilter({ updated_since }).updatedSince;
      assert.equal(read('2026-06-01'), '2026-06-01T00:00:00.000Z');
      assert.equal(read('2026-06-01T12:30:00'), '2026-06-01T12:30:00.000Z');
      assert.equal(read('2026-06-01 12:30'), '2026-06-01T12:30:00.000Z');
      assert.equal(read('2026-06-01T12:30:00.5+02:00'), '2026-06-01T10:30:00.500Z');
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});

describe('bad input gets its exact error', () => {
  const cases: [query: string, code: string, detail: RegExp][] = [
    ['limit=0', 'invalid_request', /limit/],
    ['limit=-1', 'invalid_request', /limit/],
    ['limit=1000000000', 'invalid_request', /limit/],
    ['limit=ten', 'invalid_request', /limit/],
    ['radius_miles=5', 'invalid_request', /latitude, longitude/],
    ['latitude=40&longitude=-70', 'invalid_request', /radius_miles/],
    ['latitude=91&longitude=0&radius_miles=1', 'invalid_request', /latitude/],
    ['latitude=1&longitude=1&radius_miles=101', 'invalid_request', /radius_miles/],
    ['bbox=1,2,3', 'invalid_request', /bbox/],
    ['bbox=a,b,c,d', 'invalid_request', /bbox/],
    ['bbox=10,0,-10,5', 'invalid_request', /antimeridian/],
    ['bbox=0,5,1,0', 'invalid_request', /minLat/],
    ['bbox=0,0,1,1&latitude=1&longitude=1&radius_miles=1', 'invalid_request', /one of/],
    ['sort=distance', 'invalid_request', /latitude/],
    ['sort=price', 'invalid_request', /sort/],
    ['min_sqft=5&max_sqft=4', 'invalid_request', /greater/],
    ['min_sqft=1e400', 'invalid_request', /min_sqft/],
    ['min_last_sale_date=yesterday', 'invalid_request', /min_last_sale_date/],
    ['min_last_sale_date=0000-01-01', 'invalid_request', /min_last_sale_date/],
    ['min_last_sale_date=2026-02-30', 'invalid_request', /min_last_sale_date/],
    ['updated_since=0000-01-01', 'invalid_request', /updated_since/],
    ['updated_since=2026-02-30', 'invalid_request', /updated_since/],
    ['updated_since=2026-06-01T25:00Z', 'invalid_request', /updated_since/],
    ['updated_since=2026-06-01%20(noon)', 'invalid_request', /updated_since/],
    ['updated_since=2026-06-01T12:00:00+02:00', 'invalid_request', /%2B/],
    ['zip=,', 'invalid_request', /zip names nothing/],
    ['city=%20&state=ZZ', 'invalid_request', /city names nothing/],
    ['state=Wisconsin', 'invalid_request', /`Wisconsin` is not a two-letter/],
    ['zip=1234', 'invalid_request', /zip|ZIP/],
    ['fips=abc', 'invalid_request', /county/],
    ['property_type=castle', 'invalid_request', /castle/],
    ['property_type=single_famly', 'invalid_request', /did you mean `single_family`/],
    ['cursor=abc', 'invalid_cursor', /next_cursor/],
    ['cursor=%00', 'invalid_request', /NUL/],
    ['city=%00', 'invalid_request', /NUL/],
    ['unknown=1', 'unknown_parameter', /unknown/],
    ['proprty_type=condo', 'unknown_parameter', /Did you mean `property_type`/],
    ['limit=1&limit=2', 'invalid_request', /limit/],
  ];
  for (const [query, code, detail] of cases) {
    it(query, async () => {
      const { status, body } = await api.get(`/properties/search?${query}`);
      assert.equal(status, 400);
      assert.equal(body.code, code);
      assert.match(body.detail, detail);
    });
  }

  it('an empty list in a body, which would match every home', async () => {
    for (const filter of [{ zip: [] }, { property_type: [' '] }, { city: '' }]) {
      const { status, body } = await api.post('/properties/search', filter);
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(filter));
      assert.match(body.detail, /names nothing/);
    }
    const destination = { type: 'folder' };
    const { status, body } = await api.post('/exports', { dataset: 'properties', filter: { zip: [] }, destination });
    assert.equal(status, 400);
    assert.match(body.detail, /zip names nothing/);
  });

  it('input that looks like an attack is just a place that does not exist', async () => {
    for (const city of [
      `'; drop table properties; --`,
      'x\r\nset-cookie: a=b',
      '💥'.repeat(20),
      'a'.repeat(1000),
      '%',
      '\\',
      '{}',
      '${7*7}',
    ]) {
      const { status, body } = await api.get(`/properties/search?city=${encodeURIComponent(city)}`);
      assert.equal(status, 200);
      assert.deepEqual(body.data, []);
    }
  });

  it('cursors: forged, from another filter, another sort order or another key mode', async () => {
    const { body } = await api.get('/properties/search?zip=00101&limit=1');
    const cursor: string = body.pagination.next_cursor;
    const flipped = cursor.slice(0, -2) + (cursor.at(-2) === 'A' ? 'B' : 'A') + cursor.at(-1);
    assert.equal((await api.get(`/properties/search?zip=00101&limit=1&cursor=${flipped}`)).body.code, 'invalid_cursor');
    assert.equal((await api.get(`/properties/search?zip=00103&cursor=${cursor}`)).body.code, 'cursor_mismatch');
    assert.equal(
      (await api.get(`/properties/search?zip=00101&sort=value&cursor=${cursor}`)).body.code,
      'cursor_mismatch',
    );
    assert.equal(
      (await api.get(`/properties/search?zip=00101&cursor=${cursor}`, { key: api.liveKey })).body.code,
      'cursor_mismatch',
    );
  });

  const ring = (points: [number, number][]) => ({ type: 'Polygon', coordinates: [points] });
  const circle = (n: number) =>
    Array.from({ length: n }, (_, i): [number, number] => [
      Math.cos((2 * Math.PI * i) / (n - 1)),
      Math.sin((2 * Math.PI * i) / (n - 1)),
    ]);
  const closed = (n: number) => {
    const points = circle(n);
    points[n - 1] = points[0];
    return points;
  };
  const geometries: [string, unknown, string, number][] = [
    [
      'a ring that intersects itself',
      ring([
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 0],
      ]),
      'geometry_invalid',
      422,
    ],
    [
      'a ring that is not closed',
      ring([
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ]),
      'geometry_invalid',
      422,
    ],
    [
      'too few positions',
      ring([
        [0, 0],
        [1, 0],
        [0, 0],
      ]),
      'geometry_invalid',
      422,
    ],
    [
      'the antimeridian',
      ring([
        [179, 0],
        [-179, 0],
        [-179, 1],
        [179, 1],
        [179, 0],
      ]),
      'geometry_invalid',
      422,
    ],
    [
      'off the map',
      ring([
        [200, 0],
        [201, 0],
        [201, 1],
        [200, 0],
      ]),
      'geometry_invalid',
      422,
    ],
    ['1,001 vertices', ring(closed(1_001)), 'geometry_too_large', 422],
    ['no polygon at all', { type: 'MultiPolygon', coordinates: [] }, 'geometry_invalid', 422],
    ['numbers where rings belong', { type: 'Polygon', coordinates: [1, 2] }, 'geometry_invalid', 422],
    ['a point', { type: 'Point', coordinates: [0, 0] }, 'invalid_request', 400],
    ['not an object', 'POLYGON((0 0))', 'invalid_request', 400],
  ];
  for (const [name, geometry, code, status] of geometries) {
    it(`geometry: ${name}`, async () => {
      const answer = await api.post('/properties/search', { geometry });
      assert.equal(answer.body.code, code, JSON.stringify(answer.body));
      assert.equal(answer.status, status);
    });
  }

  it('1,000 vertices are accepted', async () => {
    assert.equal((await api.post('/properties/search', { geometry: ring(closed(1_000)) })).status, 200);
  });

  it('bodies of the wrong type', async () => {
    for (const body of ['[]', '"x"', '1', 'null', '{"limit":"5"}', '{"state":5}', '{"min_sqft":"5"}']) {
      const answer = await api.post('/properties/search', body);
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'invalid_request', body);
    }
    for (const body of ['', '{', '{"limit": NaN}', '{"limit": Infinity}', '{"a":1}}']) {
      const answer = await api.call('POST', '/properties/search', {
        body,
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'invalid_json', body);
    }
    assert.equal((await api.post('/properties/search', { city: 'a\u0000b' })).body.code, 'invalid_request');
  });
});

describe('a search anywhere', () => {
  it('goes on from county to county, however many there are', async () => {
    const live = { key: api.liveKey };
    const counties = Array.from({ length: 45 }, (_, i) => ({
      fips: 55_001 + i * 2,
      market: `far-${i % 40}`,
      state: ['WI', 'WI', 'IL', 'MN', 'MI'][i % 5],
      // One state has the dearest homes, another the cheapest.
      value: [900_000, 900_000, 500_000, 100_000, 500_000][i % 5] + ((i * 7) % 45),
      // Some counties have none of what is asked for.
      types: i % 3 === 0 ? ['condo'] : ['condo', 'single_family'],
    }));
    const wanted: string[] = [];
    for (const { fips, market, state, value, types } of counties) {
      await api.deps.data.query(`insert into markets (id, name, state) values ($1, $1, 'WI') on conflict do nothing`, [
        market,
      ]);
      await api.deps.data.query(`insert into counties (fips, name, state) values ($1, 'Far', $2)`, [fips, state]);
      for (const [n, type] of types.entries()) {
        const id = propertyId(fips, String(n));
        const own = { fips, id, market, state, value, apn: String(n), apn_normalized: String(n), property_type: type };
        await api.deps.data.query(
          `insert into properties select (jsonb_populate_record(null::properties, to_jsonb(p) || $1::jsonb)).*
           from properties p where p.id = $2`,
          [JSON.stringify(own), DEMO.property_id],
        );
        await api.deps.data.query(
          `insert into property_counts (fips, market, property_type, property_count) values ($1, $2, $3, 1)`,
          [fips, market, type],
        );
        if (type === 'single_family') wanted.push(id);
      }
    }
    api.deps.catalog.forget();
    for (const limit of [7, 29]) {
      const found = (await listAll('property_type=single_family', live, limit)).map(({ id }) => id);
      assert.deepEqual(found, wanted.toSorted(), String(limit));
    }
    const { body } = await api.get('/properties/count?property_type=single_family', live);
    assert.equal(body.count, wanted.length);
    for (const limit of [7, 29]) {
      const found = await listAll('property_type=single_family&sort=-value', live, limit);
      assert.deepEqual(found.map(({ id }) => id).toSorted(), wanted.toSorted());
      const inOrder = found.map(({ valuation }): number => valuation.estimated_value);
      assert.deepEqual(
        inOrder,
        inOrder.toSorted((a, b) => b - a),
        String(limit),
      );
    }
  });

  const skip = process.env.TEST_CITUS_URL !== undefined && 'the statement of one server';
  it(
    'by value reads of each state its share of a page, and the page by its keys, with no list of counties',
    { skip },
    async () => {
      const states = Array.from({ length: 40 }, (_, i) => String.fromCharCode(65 + (i % 20), 65 + Math.floor(i / 20)));
      await api.deps.data.query(
        `insert into properties select r.*
         from properties p, unnest($2::text[]) with ordinality as s (state, at), generate_series(1, 50) n,
           jsonb_populate_record(null::properties, to_jsonb(p) || jsonb_build_object(
             'fips', 60000 + s.at, 'id', p.id || n, 'state', s.state, 'value', 2000000 + (s.at * 50 + n) * 7919 % 2003)) r
         where p.id = $1`,
        [DEMO.property_id, states],
      );
      await api.deps.data.query('vacuum analyze properties');
      const counties = Array.from({ length: 3_000 }, (_, i) => 60_000 + i);
      const scope = { rows: [], markets: [], hidden: [], counties, isNarrowed: false, layers: new Map() };
      const page = { sort: 'value', descending: true, nulls: false, after: undefined, limit: 21 } as const;
      let read = 0;
      const count = (node: Record<string, any>): void => {
        if (node['Relation Name'] === 'properties')
          read += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
        for (const child of node.Plans ?? []) count(child);
      };
      const explain = async ({ text, values }: { text: string; values: unknown[] }) => {
        assert.ok(!values.includes(counties));
        const { rows } = await api.deps.data.query(`explain (analyze, format json) ${text}`, values);
        count(rows[0]['QUERY PLAN'][0].Plan);
        return { rows: [] };
      };
      const scan = { ...page, filter: readFilter({}), scope, arms: { by: 'state' as const, states } };
      await listPage({ query: explain } as unknown as Queryable, scan);
      // One of each state, those up to the last of them on the page, and the page itself: a page of each would be 840.
      assert.ok(read > 40 && read < 150, `${read} rows`);
    },
  );
});
