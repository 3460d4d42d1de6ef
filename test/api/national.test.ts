// Nationwide layers, loaded by state from servers that behave like the publishers', and what they add to properties.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { readSources } from '../../sources/sources.ts';
import { addresses } from '../../src/records/address/filing.ts';
import { findSources, ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import type { Source } from '../../src/supply/ingest/source.ts';
import { chooseStates, findDataset, readStates } from '../../src/supply/ingest/states.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { followLoad } from '../../src/operate/refresh.ts';
import { dbf, shp, zip } from '../archives.ts';
import { testClient } from '../harness.ts';
import { startPublisher } from '../publisher.ts';
import { ANYWAY } from '../anyway.ts';

const FIPS = 55_001;
const publisher = await startPublisher();
const folder = mkdtempSync(join(tmpdir(), 'platbook-national-'));
const client = await testClient();
const { deps } = client;
deps.travel('2026-03-01T00:00:00Z');

const adams = parseRecipe(
  `
id: adams-wi
market: { name: Adams, state: WI, description: Invented }
counties: [{ fips: ${FIPS}, name: Adams County, state: WI }]
datasets:
  parcels:
    publisher: Adams
    license: CC0
    published_on: 2026-01-01
    format: { type: csv }
    files: [parcels.csv]
    key: { parcel: { text: pin } }
    records:
      - into: properties
        complete: true
        fields:
          address_line1: { upper: address }
          city: { constant: ADAMS }
          zip: { zip: zip }
          latitude: { latitude: lat }
          longitude: { longitude: lon }
          property_type: { constant: single_family }
    layers: [properties]
`,
  'adams-wi',
);
const all: Source[] = [...readSources(), adams];
const idOf = (pin: string) => propertyId(FIPS, pin);

const PARCELS = [
  'pin,address,zip,lat,lon',
  '1,1 N Main St,53910,,',
  '2,,,44.001,-89.801',
  '3,3 N Main St,53910,44.002,-89.802',
  '4,4 N Main St,53910,,',
  '5,,,,',
];

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** From the publisher, the recipe's own addresses are asked for, on this machine. */
async function load(name: string, options: { from?: string; accept?: typeof ANYWAY; state?: string } = {}) {
  const chosen = chooseStates(findSources(all, [name]), readStates(options.state ?? 'WI'));
  const sources = chosen.sources.map((source) => ({
    ...source,
    datasets: source.datasets.map((dataset) => ({
      ...dataset,
      checks: { ...dataset.checks, minRows: 1 },
      files: dataset.files.map((file) => ({ ...file, url: file.url?.replace(/^https:\/\/[^/]+/, publisher.url) })),
    })),
  }));
  return ingest(
    { data: deps.data, clock: deps.clock, cacheFolder: join(folder, 'downloads'), addresses },
    sources,
    all,
    {
      from: options.from ?? 'publisher',
      datasets: chosen.datasets,
      accept: options.accept,
      download: { attempts: 2, waitMs: 5 },
      afterLoad: (market) => followLoad(deps, all, market),
    },
  );
}

async function query(text: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  return (await deps.data.query(text, values)).rows;
}

const homeOf = async (pin: string) => (await query('select * from properties where id = $1', [idOf(pin)]))[0];

const square = (longitude: number, latitude: number, size: number): number[][] => [
  [longitude, latitude],
  [longitude, latitude + size],
  [longitude + size, latitude + size],
  [longitude + size, latitude],
  [longitude, latitude],
];

describe('states', () => {
  it('are read by their codes, and a dataset by state is found again by its id', () => {
    assert.deepEqual(
      readStates('wi, IL').map(({ code, fips, name }) => [code, fips, name]),
      [
        ['WI', '55', 'Wisconsin'],
        ['IL', '17', 'Illinois'],
      ],
    );
    assert.equal(readStates('all').length, 51);
    assert.throws(() => readStates('Wisconsin'), /--state takes codes such as WI/);
    const { dataset } = findDataset(readSources(), 'us-buildings/microsoft-nh')!;
    assert.match(dataset.files[0].url!, /\/NewHampshire\.geojson\.zip$/);
    assert.equal(findDataset(readSources(), 'us-buildings/microsoft-zz'), undefined);
  });

  it('have to be named for a dataset by state', async () => {
    const deps2 = { data: deps.data, clock: deps.clock, cacheFolder: folder };
    const { sources, datasets } = findSources(all, ['us-nfhl/states']);
    await assert.rejects(ingest(deps2, sources, all, { from: folder, datasets }), /comes by state: add --state WI/);
  });
});

describe('a layer loaded after the properties', () => {
  it('stamps tracts from the newest boundary file there is', async () => {
    put('parcels.csv', `${PARCELS.join('\n')}\n`);
    await load('adams-wi', { from: folder });
    const market = (await client.get('/markets/adams-wi', { key: client.liveKey })).body;
    assert.equal(market.property_count, PARCELS.length - 1, 'without those of the sandbox');
    const tract = (geoid: string) =>
      zip({
        [`cb_tract.shp`]: shp([[square(-89.9, 43.9, 0.2)]]),
        [`cb_tract.dbf`]: dbf(['GEOID', 'NAME'], [[geoid, '9501']], 12),
      });
    publisher.put('geo/tiger/GENZ2023/shp/cb_2023_55_tract_500k.zip', tract('55001950100'));
    publisher.put('geo/tiger/GENZ2024/shp/cb_2024_55_tract_500k.zip', tract('55001950200'));
    const [report] = await load('us-census/tracts');
    assert.deepEqual([report.sourceId, report.files, report.stamped], ['us-census/tracts-wi', 1, 2]);
    const home = await homeOf('3');
    assert.deepEqual([home.census_tract, home.census_tract_vintage], ['55001950200', 2020]);
  });

  it('brings county lines for the country in one file', async () => {
    publisher.put(
      'geo/tiger/GENZ2023/shp/cb_2023_us_county_500k.zip',
      zip({
        'cb.shp': shp([[square(-90, 43.8, 0.5)], [square(-88, 42, 0.5)]]),
        'cb.dbf': dbf(
          ['GEOID', 'NAME'],
          [
            ['55001', 'Adams'],
            ['17001', 'Adams'],
          ],
        ),
      }),
    );
    const [report] = await load('us-census/counties');
    assert.equal(report.targets.areas?.inserted, 2);
  });

  it('reads the survey of the newest year from the interface of the Bureau', async () => {
    const asked: string[] = [];
    const names =
      'NAME B01003_001E B19013_001E B19301_001E B25077_001E B25003_001E B25003_002E B25002_001E B25002_003E';
    const header = [
      ...`${names} B17001_001E B17001_002E B23025_003E B23025_005E B03002_001E B03002_003E B03002_004E B03002_006E B03002_012E`.split(
        ' ',
      ),
      'state',
      'county',
      'tract',
    ];
    publisher.serve('data/2023/acs/acs5', (parameters) => {
      asked.push(`${parameters.get('for')} ${parameters.get('in')} ${parameters.get('get')!.split(',').length}`);
      const figures = [
        '4000',
        '61000',
        '-666666666',
        '180000',
        '1000',
        '600',
        '1100',
        '110',
        '4000',
        '400',
        '2000',
        '100',
        '4000',
        '2600',
        '600',
        '200',
        '500',
      ];
      return JSON.stringify([header, ['Tract 9502', ...figures, '55', '001', '950200']]);
    });
    const [report] = await load('us-census/acs-api');
    assert.deepEqual(asked, ['tract:* state:55 18']);
    assert.equal(report.targets.census_tracts?.inserted, 1);
    const { body } = await client.get(`/properties/${idOf('3')}/risk`, { key: client.liveKey });
    const { census } = body.layers;
    assert.deepEqual(
      [census.status, census.vintage, census.median_household_income, census.per_capita_income, census.poverty_rate],
      ['found', 2023, 61_000, null, 0.1],
    );
    const [shares] = await query(`select white_share, hispanic_share from census_tracts where geoid = '55001950200'`);
    assert.deepEqual([Number(shares.white_share), Number(shares.hispanic_share)], [0.65, 0.125]);
    assert.ok(!JSON.stringify(census).includes('share'), 'not in the layer');
    const [covered] = await query(`select covers_to from coverage where source_id = 'us-census/acs-api-wi'`);
    assert.equal(covered.covers_to, '2023-12-31');
  });

  it('asks an ArcGIS server page by page, and a changed zone is an event', async () => {
    const zone = (id: number, name: string, ring: number[][]) => ({
      attributes: {
        OBJECTID: id,
        DFIRM_ID: '55001C',
        FLD_AR_ID: `55001C_${id}`,
        FLD_ZONE: name,
        ZONE_SUBTY: null,
        SFHA_TF: name === 'X' ? 'F' : 'T',
        STATIC_BFE: -9999,
      },
      geometry: { rings: [ring] },
    });
    const zones = Array.from({ length: 2300 }, (_, i) => zone(i + 2, 'X', square(-89.9 + i / 1e5, 43.9, 0.00001)));
    const serve = (name: string) => {
      const features = [zone(1, name, square(-89.8025, 44.0015, 0.001)), ...zones];
      publisher.serve('arcgis/rest/services/public/NFHL/MapServer/28/query', (parameters) => {
        const [, from = '0', to = '9999'] =
          /^\(?DFIRM_ID LIKE '55%'(?:\) AND \(OBJECTID >= (\d+) AND OBJECTID <= (\d+)\))?$/.exec(
            parameters.get('where')!,
          )!;
        if (parameters.get('returnCountOnly') === 'true') return JSON.stringify({ count: features.length });
        const ids = features.map(({ attributes }) => attributes.OBJECTID);
        if (parameters.get('returnIdsOnly') === 'true') return JSON.stringify({ objectIds: ids });
        const page = features.filter(({ attributes: { OBJECTID: id } }) => id >= Number(from) && id <= Number(to));
        return JSON.stringify({ features: page.slice(0, 1000) });
      });
    };
    serve('A');
    const start = publisher.requests.length;
    const [report] = await load('us-nfhl/states');
    assert.deepEqual([report.rowsRead, publisher.requests.length - start], [2301, 7]);
    assert.deepEqual(
      [(await homeOf('3')).flood_zone, (await homeOf('3')).flood_sfha, (await homeOf('2')).flood_sfha],
      ['A', true, false],
    );
    const [covered] = await query(`select record_count from coverage where fips = $1 and layer = 'flood'`, [FIPS]);
    assert.equal(covered.record_count, 2301);
    serve('AE');
    const [next] = await load('us-nfhl/states');
    assert.equal(next.targets.areas?.updated, 1);
    const events = await query('select kind, property_id from changes where load_id = $1', [next.loadId]);
    assert.deepEqual(events, [{ kind: 'property.flood_zone_changed', property_id: idOf('3') }]);
    zones.length = 0;
    serve('AE');
    await assert.rejects(
      load('us-nfhl/states'),
      /areas: fewer records than in the load before \(2,300 of 2,301, 100%\)/,
    );
    publisher.serve('arcgis/rest/services/public/NFHL/MapServer/28/query', () =>
      JSON.stringify({ error: { code: 400, message: 'Unable to complete operation.', details: [] } }),
    );
    await assert.rejects(load('us-nfhl/states'), /answered 400: Unable to complete operation/);
  });

  it('says which homes are in a zone of the second round', async () => {
    const zoneOf = async (pin: string) =>
      (await client.get(`/properties/${idOf(pin)}/risk`, { key: client.liveKey })).body.layers.opportunity_zone;
    assert.equal((await zoneOf('3')).is_zone_from_2027, null);
    put('opportunity_zones_2027.csv', 'State,Census Tract Number,Rural\nWisconsin,55001950200,Yes\n');
    await load('us-opportunity-zones/designated-2027', { from: folder });
    assert.equal((await zoneOf('3')).is_zone_from_2027, true);
    assert.equal((await zoneOf('1')).is_zone_from_2027, null, 'a home without a tract');
  });
});

describe('a property loaded after the layers', () => {
  it('is stamped as it comes', async () => {
    put('parcels.csv', `${[...PARCELS, '6,6 N Main St,53910,44.0018,-89.8018'].join('\n')}\n`);
    await load('adams-wi', { from: folder });
    const home = await homeOf('6');
    assert.deepEqual([home.census_tract, home.flood_zone], ['55001950200', 'AE']);
  });
});

describe('addresses of the country', () => {
  const COLUMNS = 'AddNo_Full,StNam_Full,County,Inc_Muni,Post_City,State,Zip_Code,Longitude,Latitude,Parcel_ID';
  const write = (rows: string[]) => put('NAD_r17.txt', `\uFEFF${COLUMNS}\n${rows.join('\n')}\n`);
  const ROWS = [
    '1,North Main Street,Adams,Adams,Adams,WI,53910,-89.8005,44.0005,',
    '2,North Main Street,Adams,Adams,Not stated,WI,53910,-89.8010,44.0010,2',
    '3,North Main Street,Adams,Adams,Adams,WI,53910,-89.7000,44.1000,3',
    '4,North Main Street,Adams,Adams,Adams,WI,53910,-89.8004,44.0004,',
    '4,North Main Street,Adams,Adams,Adams,WI,53910,-89.9004,44.0904,',
    '5,Elm Street,Dane,Madison,Madison,WI,53703,-89.4,43.07,5',
    '1,North Main Street,Adams,Quincy,Quincy,IL,53910,-91.4,39.9,1',
  ];

  it('give a point by street address, an address by parcel number, and nothing where that is not certain', async () => {
    write(ROWS);
    const [report] = await load('us-addresses/nad', { from: folder });
    assert.deepEqual([report.rowsRead, report.rowsQuarantined], [7, 0]);
    const [one, two, three, four, five] = await Promise.all(['1', '2', '3', '4', '5'].map(homeOf));
    assert.deepEqual(
      [one.latitude, one.longitude, one.geo_precision, one.address_line1, one.census_tract, one.flood_sfha],
      [44.0005, -89.8005, 'address', '1 N MAIN ST', '55001950200', false],
    );
    assert.equal(one.provenance.fields.latitude.source, 'us-addresses/nad-wi');
    assert.equal(one.provenance.fields.address_line1, undefined);
    assert.deepEqual(
      [two.address_line1, two.city, two.latitude, two.provenance.fields.address_line1.source],
      ['2 NORTH MAIN STREET', 'ADAMS', 44.001, 'us-addresses/nad-wi'],
    );
    assert.deepEqual([three.latitude, three.provenance], [44.002, { default: 'adams-wi/parcels' }]);
    assert.deepEqual([four.latitude, five.latitude, five.address_line1], [null, null, null]);
    const found = await query('select line from addresses where property_id = $1', [idOf('2')]);
    assert.equal(found.length, 1, 'the address index follows');
  });

  it('correct what they gave, and yield to what the county says later', async () => {
    write(ROWS.with(0, ROWS[0].replace('44.0005', '44.0006')));
    await load('us-addresses/nad', { from: folder });
    assert.equal((await homeOf('1')).latitude, 44.0006);
    put('parcels.csv', `${PARCELS.with(1, '1,1 N Main St,53910,44.0007,-89.8007').join('\n')}\n`);
    await load('adams-wi', { from: folder, accept: ANYWAY });
    const home = await homeOf('1');
    assert.deepEqual([home.latitude, home.provenance.fields.latitude.source], [44.0007, 'adams-wi/parcels']);
    await load('us-addresses/nad', { from: folder, accept: ANYWAY });
    assert.equal((await homeOf('1')).latitude, 44.0007);
  });

  it('come as a feature per line, too', async () => {
    const feature = (number: string, street: string, longitude: number, latitude: number) =>
      JSON.stringify({
        type: 'Feature',
        properties: {
          hash: 'a',
          number,
          street,
          unit: '',
          city: 'Adams',
          district: '',
          region: 'WI',
          postcode: '53910',
          id: '',
        },
        geometry: { type: 'Point', coordinates: [longitude, latitude] },
      });
    put(
      'us/wi/adams-addresses-county.geojson',
      `${feature('4', 'N MAIN ST', -89.8004, 44.0004)}\n${feature('9', 'OAK ST', -89.8, 44)}\n`,
    );
    await load('us-addresses/openaddresses', { from: folder });
    const home = await homeOf('4');
    assert.deepEqual(
      [home.latitude, home.longitude, home.provenance.fields.latitude.source],
      [44.0004, -89.8004, 'us-addresses/openaddresses-wi'],
    );
  });
});

describe('buildings of the country', () => {
  const feature = (ring: number[][]) => ({
    type: 'Feature',
    properties: { release: 2, capture_dates_range: '' },
    geometry: { type: 'Polygon', coordinates: [ring] },
  });
  // 0.0001° of latitude are 36.5 ft and of longitude, here, 26.2 ft.
  const around = (latitude: number, longitude: number, size: number) =>
    feature(square(longitude - size / 2, latitude - size / 2, size));

  it('give the ground area to the one home inside, with its source', async () => {
    const features = [
      around(44.002, -89.802, 0.0001),
      around(44.05, -89.85, 0.0001),
      // Holds the points of two homes.
      around(44.00055, -89.80055, 0.001),
    ];
    publisher.put(
      'legacy/usbuildings-v2/Wisconsin.geojson.zip',
      zip({ 'Wisconsin.geojson': JSON.stringify({ type: 'FeatureCollection', features }) }),
    );
    const [report] = await load('us-buildings/microsoft');
    assert.deepEqual([report.rowsRead, report.targets.properties?.updated], [3, 1]);
    const { body } = await client.get(`/properties/${idOf('3')}?include=provenance`, { key: client.liveKey });
    assert.equal(body.structure.footprint_sqft, 956);
    assert.match(JSON.stringify(body.provenance), /us-buildings\/microsoft-wi/);
    assert.deepEqual([(await homeOf('1')).footprint_sqft, (await homeOf('4')).footprint_sqft], [null, null]);
  });
});
