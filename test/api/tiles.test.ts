// The map in tiles: filters and figures on the homes, the ground under them, and roads and water from TIGER files.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { readSources } from '../../sources/sources.ts';
import { ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { inStates, readStates } from '../../src/supply/ingest/states.ts';
import { inTransaction } from '../../src/base/db/postgres.ts';
import { DEMO } from '../../src/supply/sandbox/fixtures.ts';
import { rollUpCounties } from '../../src/supply/map-aggregates/squares.ts';
import { createTileCaches } from '../../src/records/tiles/tile-cache.ts';
import { dbf, shp, zip } from '../archives.ts';
import { testClient, type CallOptions } from '../harness.ts';
import { ANYWAY } from '../anyway.ts';

const api = await testClient({ plan: 'enterprise' });
const live: CallOptions = { key: api.liveKey };
const demo = (await api.get(`/properties/${DEMO.property_id}`)).body;

const tileAt = (longitude: number, latitude: number, z: number): string => {
  const sine = Math.sin((latitude * Math.PI) / 180);
  const x = Math.floor(((longitude + 180) / 360) * 2 ** z);
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
  return `${z}/${x}/${y}.mvt`;
};

/** West, south, east and north of a tile. */
function boundsOf(tile: string): number[] {
  const [z, x, y] = tile.replace('.mvt', '').split('/').map(Number);
  const longitude = (column: number) => (column / 2 ** z) * 360 - 180;
  const latitude = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / 2 ** z))) * 180) / Math.PI;
  return [longitude(x), latitude(y + 1), longitude(x + 1), latitude(y)];
}

const FIGURES = ['value', 'value_per_sqft', 'last_sale_price', 'growth', 'assessed_value', 'year_built', 'uncertainty'];

type Features = Record<string, { properties: Record<string, any>; type: number }[]>;

/** Every layer of a tile as its features. */
async function read(path: string, options?: CallOptions): Promise<Features> {
  const { headers } = options ?? {};
  const answer = await api.app.inject({
    url: `/api/v1/tiles/${path}`,
    headers: { 'x-api-key': options?.key ?? api.testKey, ...headers },
  });
  assert.equal(answer.statusCode, 200, answer.payload);
  const tile = new VectorTile(new PbfReader(answer.rawPayload));
  return Object.fromEntries(
    Object.entries(tile.layers).map(([name, layer]) => [
      name,
      Array.from({ length: layer.length }, (_, index) => {
        const { properties, type } = layer.feature(index);
        return { properties, type };
      }),
    ]),
  );
}

describe('homes in a tile', () => {
  const here = tileAt(demo.longitude, demo.latitude, 15);

  it('are those that a search with the same filters finds', async () => {
    const all = (await read(here)).properties;
    for (const [filter, fits] of [
      ['property_type=condo', (home: any) => home.property_type === 'condo'],
      ['min_value=400000&max_value=600000', (home: any) => home.value >= 400_000 && home.value <= 600_000],
      ['has_open_violation=true', (home: any) => home.has_open_violation === true],
      ['flood_sfha=true', (home: any) => home.flood_sfha === true],
    ] as const) {
      const drawn = (await read(`${here}?${filter}`)).properties ?? [];
      const ids = (list: Features['x']) => list.map(({ properties }) => properties.id).sort();
      assert.deepEqual(ids(drawn), ids(all.filter(({ properties }) => fits(properties))), filter);
    }
    assert.ok(all.length > 50);
  });

  it('carry the figure they are colored by, and their groups its median', async () => {
    for (const color of FIGURES) {
      const homes = (await read(`${here}?color=${color}`)).properties.map(({ properties }) => properties);
      const known = homes.filter(({ figure }) => figure !== undefined);
      assert.ok(known.length > homes.length / 4, `${color}: ${known.length} of ${homes.length}`);
      const cells = (await read(`${tileAt(demo.longitude, demo.latitude, 11)}?color=${color}`)).cells;
      assert.ok(
        cells.some(({ properties }) => Number.isFinite(properties.median)),
        color,
      );
    }
    const built = (await read(`${here}?color=year_built`)).properties.find(
      ({ properties }) => properties.id === demo.id,
    )!;
    assert.equal(built.properties.figure, demo.structure.year_built);
    const { estimated_value: value } = demo.valuation;
    const perSqft = (await read(`${here}?color=value_per_sqft`)).properties.find(
      ({ properties }) => properties.id === demo.id,
    )!;
    assert.ok(Math.abs(perSqft.properties.figure - value / demo.sqft) < 1);
  });

  it('are those inside a drawn area, with their parcels and as groups', async () => {
    const { longitude: x, latitude: y } = demo;
    const corners = [
      [x - 0.0012, y - 0.0012],
      [x + 0.0012, y - 0.0012],
      [x, y + 0.0016],
    ];
    const area = corners.map((corner) => corner.join(',')).join(';');
    const geometry = { type: 'Polygon', coordinates: [[...corners, corners[0]]] };
    const { data } = (await api.post('/properties/search', { geometry, limit: 100, fields: 'id' })).body;
    const found = data.map(({ id }: { id: string }) => id).sort();
    const inside = await read(`${tileAt(x, y, 14)}?area=${area}`);
    assert.deepEqual(inside.properties.map(({ properties }) => properties.id).sort(), found);
    assert.ok(found.length > 3);
    const [cell, ...others] = (await read(`${tileAt(x, y, 11)}?area=${area}`)).cells;
    assert.equal(
      [cell, ...others].reduce((sum, { properties }) => sum + properties.count, 0),
      found.length,
    );
    assert.deepEqual(await read(`${tileAt(x + 5, y, 12)}?area=${area}`), {});
    for (const wrong of ['1,2', '0,0;1,1', '0,0;1,1;0,', '0,0;1,1;0,1;1,0', '0,0;1,1;0,100'])
      assert.equal((await api.get(`/tiles/${here}?area=${wrong}`)).body.code, 'geometry_invalid', wrong);
  });

  it('do not exist beyond the edge of the world', async () => {
    for (const beyond of ['3/8/0', '3/0/8', '0/1/1'])
      assert.equal((await api.get(`/tiles/${beyond}.mvt`)).status, 404, beyond);
    assert.equal((await api.get('/tiles/3/7/7.mvt')).status, 200);
  });

  it('can be filtered by every figure they can be colored by, as a search can', async () => {
    for (const name of FIGURES) {
      const known = (await read(`${here}?color=${name}`)).properties
        .map(({ properties }) => properties)
        .filter(({ figure }) => figure !== undefined)
        .toSorted((a, b) => a.figure - b.figure);
      const [low, high] = [0.25, 0.75].map((share) => known[Math.floor(share * known.length)].figure as number);
      const range = `min_${name}=${low}&max_${name}=${high}`;
      const drawn = (await read(`${here}?${range}&color=${name}`)).properties.map(({ properties }) => properties);
      assert.ok(drawn.length > known.length / 3 && drawn.length < known.length, `${name}: ${drawn.length}`);
      // Figures in tiles have four digits.
      for (const { figure } of drawn)
        assert.ok(figure >= low * 0.999 - 1e-6 && figure <= high * 1.001 + 1e-6, `${name}: ${figure}`);
      const [west, south, east, north] = boundsOf(here);
      const count = await api.get(`/properties/count?${range}&bbox=${west},${south},${east},${north}`);
      assert.ok(Math.abs(count.body.count - drawn.length) <= 2, `${name}: ${count.body.count} and ${drawn.length}`);
    }
  });

  it('are counted by permits, violations and liens, in live mode in steps of ten and more', async () => {
    const wide = tileAt(demo.longitude, demo.latitude, 11);
    const total = (cells: Features['x'], name: string) =>
      cells.reduce((sum, { properties }) => sum + (properties[name] ?? 0), 0);
    const { cells } = await read(wide);
    // Groups at the edge of a tile are whole, so only those of a place with its neighbors are the homes of a box.
    const [z, x, y] = wide.replace('.mvt', '').split('/').map(Number);
    const around = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => `${z}/${x + dx}/${y + dy}.mvt`));
    const all = (await Promise.all(around.map((tile) => read(tile)))).flatMap((tile) => tile.cells ?? []);
    for (const [name, filter] of [
      ['violations', 'has_open_violation=true'],
      ['liens', 'has_open_tax_lien=true'],
    ]) {
      const { count } = (await api.get(`/properties/count?${filter}`)).body;
      assert.equal(total(all, name), count, name);
    }
    assert.ok(total(cells, 'permits') > 0);
    assert.equal((await read(here)).flags, undefined);
  });

  it('400: an unknown figure or filter is named', async () => {
    assert.equal((await api.get(`/tiles/${here}?color=beauty`)).status, 400);
    assert.equal((await api.get(`/tiles/${here}?bedroms=3`)).body.code, 'unknown_parameter');
  });
});

describe('the ground in a tile', () => {
  const ground = (z: number, longitude = demo.longitude, latitude = demo.latitude, options?: CallOptions) =>
    read(`boundaries/${tileAt(longitude, latitude, z)}`, options);

  it('of the sandbox has the streets its homes lie on, tracts with census figures, water and zones', async () => {
    const near = await ground(15);
    const streets = new Set(near.roads.map(({ properties }) => properties.name));
    assert.ok(streets.size > 3, [...streets].join(', '));
    assert.ok(near.roads.every(({ type }) => type === 2));
    assert.ok(near.tracts.every(({ properties }) => properties.median_household_income > 0));
    const whole = await ground(11);
    assert.ok(whole.water.some(({ properties }) => properties.name === 'Ellow River'));
    assert.ok(whole.zones.length > 0);
  });

  it('opens on the homes of the largest market, all but a few strays, however large their county is', async () => {
    const { rows } = await api.deps.data.query<{ longitude: number }>(
      `select longitude from properties where status = 'active' and latitude is not null and market = (
         select market from properties group by market order by count(*) desc limit 1) order by 1`,
    );
    const [west, east] = [0.01, 0.99].map((share) => rows[Math.floor(share * rows.length)].longitude);
    const [longitude, , zoom] = (await api.get('/tiles')).body.center;
    // A map of the suggested zoom is 0.7 of the world's width at that zoom, doubled by each step.
    const half = 360 / 2 ** (zoom - 0.7) / 2;
    assert.ok(longitude - half < west && longitude + half > east, `${longitude} ± ${half}, homes ${west} to ${east}`);
    const { rows: squares } = await api.deps.data.query(
      `insert into map_squares (fips, market, zoom, y, x, homes, latitude, longitude, valued)
       select fips, market, zoom, -1, -1, 1, 10, 10, 0 from map_squares where zoom = 11 order by homes desc limit 1 returning y`,
    );
    assert.equal(squares.length, 1);
    await api.deps.data.query(
      `insert into areas select (jsonb_populate_record(a, '{"id": "far", "max_longitude": 10}')).* from areas a where kind = 'tract' limit 1`,
    );
    assert.deepEqual((await api.get('/tiles')).body.center[0], longitude, 'a stray and an empty tract are left out');
    await api.deps.data.query(`delete from map_squares where y = -1; delete from areas where id = 'far'`);
  });

  it('of the country has land, borders and names, also where nothing is loaded', async () => {
    const usa = await ground(4, -95, 39);
    assert.ok(usa.land.length > 5);
    assert.ok(usa.borders.every(({ properties }) => properties.state));
    assert.ok(usa.places.some(({ properties }) => properties.kind === 'state'));
    const milwaukee = await ground(8, -88, 43.05, live);
    assert.ok(milwaukee.places.some(({ properties }) => properties.name === 'Waukesha County'));
    assert.equal(
      milwaukee.borders.some(({ properties }) => properties.state === false),
      true,
    );
  });
});

const FIPS = 55_079;
const [X, Y] = [-88, 43.05];
const folder = mkdtempSync(join(tmpdir(), 'platbook-tiles-'));
const recipe = parseRecipe(
  `
id: roadville
market: { name: Roadville, state: WI, description: Invented }
counties: [{ fips: ${FIPS}, name: Milwaukee County, state: WI }]
datasets:
  roll:
    publisher: Roadville
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
          city: { constant: ROADVILLE }
          zip: { constant: '53299' }
          latitude: { latitude: LAT }
          longitude: { longitude: LON }
          property_type: { constant: single_family }
    layers: [properties]
`,
  'roadville.yaml',
);
const census = readSources().find(({ id }) => id === 'us-census')!;
const tiger = inStates(
  readSources().find(({ id }) => id === 'us-tiger')!,
  readStates('WI'),
);

async function load(source: typeof recipe, datasets?: string[]) {
  const deps = { data: api.deps.data, clock: api.deps.clock, cacheFolder: folder };
  const reports = await ingest(deps, [source], [source], {
    from: folder,
    accept: ANYWAY,
    ...(datasets && { datasets }),
  });
  api.deps.tiles = createTileCaches();
  api.deps.catalog.forget();
  return reports;
}

describe('streets of a real place', () => {
  const here = () => read(`boundaries/${tileAt(X, Y, 15)}`, live);

  it('are named along the addresses we know, where no roads are loaded', async () => {
    const homes = Array.from({ length: 24 }, (_, index) => {
      const side = index % 2 === 0 ? 0.0002 : -0.0002;
      return `${index},${100 + 2 * index + (index % 2)} W ELM ST,${Y + side},${X + index * 0.0002}`;
    });
    writeFileSync(join(folder, 'roll.csv'), `PIN,ADDRESS,LAT,LON\n${homes.join('\n')}\n`);
    await load(recipe);
    const { streets, places, roads = [] } = await here();
    assert.deepEqual([...new Set(streets.map(({ properties }) => properties.name))], ['W Elm St']);
    assert.ok(streets.every(({ type }) => type === 2));
    assert.deepEqual(roads, []);
    assert.ok(places.some(({ properties }) => properties.kind === 'zip' && properties.name === '53299'));
    const town = await read(`boundaries/${tileAt(X, Y, 12)}`, live);
    assert.ok(town.places.some(({ properties }) => properties.kind === 'city' && properties.name === 'Roadville'));
  });

  it('show where ten or more flagged homes are, and neither which nor how many exactly', async () => {
    const flag = (column: string, most: number) =>
      api.deps.data.query(
        `update properties set ${column} = 1 where id in (select id from properties where fips = $1 order by id limit $2)`,
        [FIPS, most],
      );
    await api.deps.data.query('update properties set open_violations = 0, open_tax_liens = 0 where fips = $1', [FIPS]);
    await flag('open_violations', 24);
    await flag('open_tax_liens', 3);
    await inTransaction(api.deps.data, (client) =>
      rollUpCounties(client, { market: recipe.market!.id, counties: [FIPS], at: api.deps.clock() }),
    );
    const { flags, properties } = await read(tileAt(X, Y, 15), live);
    assert.deepEqual(
      // The street is where two squares meet, with twelve homes on either side.
      flags.map((square) => ({ ...square.properties })),
      Array.from({ length: 2 }, () => ({ violations: 10, liens: 0 })),
    );
    assert.ok(properties.every((home) => !('has_open_violation' in home.properties)));
    const [{ properties: cell }] = (await read(tileAt(X, Y, 11), live)).cells;
    assert.deepEqual([cell.violations, cell.liens], [20, 0]);
  });

  it('are those of TIGER’s files once they are loaded, with lakes and streams', async () => {
    const line = (dy: number) => [
      [X - 0.005, Y + dy],
      [X, Y + dy + 0.0002],
      [X + 0.005, Y + dy],
    ];
    const lake = [
      [X + 0.002, Y + 0.002],
      [X + 0.002, Y + 0.004],
      [X + 0.004, Y + 0.004],
      [X + 0.004, Y + 0.002],
      [X + 0.002, Y + 0.002],
    ];
    const put = (name: string, shapes: Buffer, table: Buffer) =>
      writeFileSync(join(folder, `${name}.zip`), zip({ [`${name}.shp`]: shapes, [`${name}.dbf`]: table }));
    put(
      `tl_2024_${FIPS}_roads`,
      shp([[line(0)], [line(0.001)], [line(0.0015)]], 3),
      dbf(
        ['LINEARID', 'FULLNAME', 'MTFCC'],
        [
          ['1', 'I- 94', 'S1100'],
          ['2', 'W Oak St', 'S1400'],
          ['3', '', 'S1500'],
        ],
      ),
    );
    put(`tl_2024_${FIPS}_areawater`, shp([[lake]]), dbf(['HYDROID', 'FULLNAME', 'MTFCC'], [['9', 'Mud Lk', 'H2030']]));
    put(
      `tl_2024_${FIPS}_linearwater`,
      shp([[line(-0.001)]], 3),
      dbf(['LINEARID', 'FULLNAME', 'MTFCC'], [['7', 'Mud Crk', 'H3010']]),
    );
    await load(tiger, ['us-tiger/roads-wi', 'us-tiger/water-wi', 'us-tiger/streams-wi']);
    const { roads, streams, water, streets = [] } = await here();
    assert.deepEqual(
      roads.map(({ properties }) => [properties.name, properties.rank]),
      [
        ['I- 94', 1],
        ['W Oak St', 3],
        [undefined, 4],
      ],
    );
    assert.deepEqual(
      streams.map(({ properties }) => properties.name),
      ['Mud Crk'],
    );
    assert.deepEqual(
      water.map(({ properties }) => properties.name),
      ['Mud Lk'],
    );
    assert.deepEqual(streets, [], 'names come from the roads now');
    const far = await read(`boundaries/${tileAt(X, Y, 10)}`, live);
    assert.deepEqual(
      far.roads.map(({ properties }) => properties.name),
      ['I- 94'],
      'highways alone from afar',
    );
  });

  it('lie in ZIP codes whose boundaries are drawn once they are loaded, where there are homes', async () => {
    assert.equal((await here()).zips, undefined);
    const square = (west: number) => [
      [west, Y - 0.02],
      [west, Y + 0.02],
      [west + 0.04, Y + 0.02],
      [west + 0.04, Y - 0.02],
      [west, Y - 0.02],
    ];
    writeFileSync(
      join(folder, 'cb_2020_us_zcta520_500k.zip'),
      zip({
        'cb_2020_us_zcta520_500k.shp': shp([[square(X - 0.02)], [square(X + 0.02)]]),
        'cb_2020_us_zcta520_500k.dbf': dbf(
          ['ZCTA5CE20', 'GEOID20'],
          [53_299, 53_298].map((zip) => Array(2).fill(`${zip}`)),
        ),
      }),
    );
    await load(census, ['us-census/zips']);
    for (const z of [15, 9]) {
      const { zips } = await read(`boundaries/${tileAt(X, Y, z)}`, live);
      assert.deepEqual(
        zips.map(({ type, properties }) => [type, { ...properties }]),
        [[3, { id: '53299' }]],
      );
    }
    assert.equal((await read(`boundaries/${tileAt(X, Y, 15)}`)).zips, undefined, 'with a key of the sandbox');
    assert.equal((await read(`boundaries/${tileAt(X, Y, 5)}`, live)).zips, undefined, 'from afar');
  });

  it('are not shown to sandbox keys', async () => {
    const { roads = [], water = [], streets = [] } = await read(`boundaries/${tileAt(X, Y, 15)}`);
    assert.deepEqual([...roads, ...water, ...streets], []);
  });
});

describe('live tiles', () => {
  it('400: cannot be filtered by what they do not show, and the message says what to do', async () => {
    for (const filter of ['flood_sfha=true', 'has_open_tax_lien=true', 'owner_type=bank', 'permit_since=2024-01-01']) {
      const { status, body } = await api.get(`/tiles/${tileAt(X, Y, 15)}?${filter}`, live);
      assert.equal(status, 400, filter);
      assert.match(body.detail, /search/i);
    }
    assert.equal((await api.get(`/tiles/${tileAt(X, Y, 15)}?property_type=single_family`, live)).status, 200);
  });

  it('give no more than the band of a value, also by filtering', async () => {
    await api.deps.data.query('update properties set value = 412345 where fips = $1', [FIPS]);
    api.deps.tiles = createTileCaches();
    const ids = async (filter: string) =>
      ((await read(`${tileAt(X, Y, 15)}?${filter}`, live)).properties ?? []).map(({ properties }) => properties.value);
    const within = await ids('min_value=300000&max_value=500000');
    assert.ok(within.length > 5 && within.every((value) => value !== 412_345));
    // Any range inside the band draws the same homes.
    for (const filter of ['min_value=412345&max_value=412345', 'min_value=420000', 'max_value=310000'])
      assert.equal((await ids(filter)).length, within.length, filter);
    assert.equal((await ids('min_value=700000')).length, 0);
  });
});
