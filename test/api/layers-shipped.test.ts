// The layers whose recipes come with the program, each on a small file in its publisher's format, and mortgage rates.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readSources } from '../../sources/sources.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { findSources, ingest } from '../../src/supply/ingest/ingest.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { testClient } from '../harness.ts';

const api = await testClient();
const { deps } = api;
const folder = mkdtempSync(join(tmpdir(), 'platbook-shipped-'));
const FIPS = 24_510;
const id = propertyId(FIPS, '1');

const baltimore = parseRecipe(
  `
id: baltimore-md
market: { name: Baltimore, state: MD, description: Invented homes }
counties: [{ fips: ${FIPS}, name: Baltimore city, state: MD }]
datasets:
  tracts:
    publisher: Census
    license: CC0
    published_on: 2024-01-01
    format: { type: geojson }
    files: [tracts.geojson]
    records:
      - into: areas
        fields:
          fips: { constant: ${FIPS} }
          kind: { constant: tract }
          id: { text: GEOID }
          vintage: { constant: 2020 }
          rings: { shape: true }
    layers: []
  parcels:
    publisher: Baltimore
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
          zip: { zip: zip }
          latitude: { latitude: lat }
          longitude: { longitude: lon }
          block_group: { text: group }
          property_type: { constant: single_family }
    layers: [properties]
`,
  'baltimore-md',
);
const all = [...readSources(), baltimore];

/** A square around the home. */
const AROUND = [
  [
    [-76.6, 39.27],
    [-76.58, 39.27],
    [-76.58, 39.29],
    [-76.6, 39.29],
    [-76.6, 39.27],
  ],
];
const csv = (name: string, ...lines: string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
const geojson = (name: string, properties: object) =>
  writeFileSync(
    join(folder, name),
    JSON.stringify({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: AROUND } }],
    }),
  );

async function load(name: string) {
  const { sources, datasets } = findSources(all, [name]);
  const [report] = await ingest(
    { data: deps.data, clock: deps.clock, cacheFolder: join(folder, 'downloads') },
    sources,
    all,
    { from: folder, datasets },
  );
  deps.catalog.forget();
  return report;
}
const layerOf = async (name: string) =>
  (await api.get(`/properties/${id}/risk?layers=${name}`, { key: api.liveKey })).body.layers[name];

geojson('tracts.geojson', { GEOID: '24510010100' });
csv('parcels.csv', 'pin,address,zip,lat,lon,group', '1,1 S Main St,21231,39.28,-76.59,245100101001');
await load('baltimore-md');
await deps.data.query('update properties set value = 400000 where id = $1', [id]);

const HAZARDS = 'AVLN CFLD CWAV DRGT ERQK HAIL HWAV HRCN ISTM LNDS LTNG RFLD SWND TRND TSUN VLCN WFIR WNTW'.split(' ');

describe('FEMA’s National Risk Index', () => {
  it('by tract: eighteen hazards, and the expected annual loss of this home', async () => {
    const head = 'TRACTFIPS,RISK_SCORE,RISK_RATNG,ALR_VALB,EAL_VALT,EAL_RATNG,SOVI_RATNG,RESL_RATNG';
    const row =
      '24510010100,21.445559625172432,Very Low,0.000366096590269,322072.615,Relatively Low,Very Low,Relatively High';
    csv(
      'NRI_Table_CensusTracts.csv',
      `\uFEFF${head},${HAZARDS.map((name) => `${name}_RISKR`).join(',')}`,
      `${row},${HAZARDS.map((_, at) => (at === 0 ? 'Not Applicable' : 'Relatively Moderate')).join(',')}`,
    );
    await load('us-nri/tracts');
    const layer = await layerOf('hazards');
    assert.equal(layer.status, 'found');
    assert.deepEqual(
      [layer.risk_score, layer.risk_rating, layer.level, layer.building_loss_rate, layer.expected_annual_loss],
      [21.45, 'Very Low', 'good', 0.0003661, 146],
    );
    assert.deepEqual([layer.avalanche, layer.winter_weather], ['Not Applicable', 'Relatively Moderate']);
    assert.match(
      layer.summary,
      /\$146, which is the tract’s building loss rate of 0\.037% a year times the home’s value/,
    );
    const { components } = (await api.call('GET', '//openapi.json')).body;
    assert.match(components.schemas.HazardsLayer.properties.expected_annual_loss.description, /not an inspection/);
  });

  it('by county, with the zero that spreadsheets drop', async () => {
    const head = 'STCOFIPS,RISK_SCORE,RISK_RATNG,EAL_VALT,EAL_RATNG,SOVI_RATNG,RESL_RATNG';
    csv(
      'NRI_Table_Counties.csv',
      head,
      '24510,88.1,Relatively High,5000000,Relatively High,Very High,Very Low',
      '1001,9.28,Very Low,10,Very Low,Very Low,Very Low',
    );
    await load('us-nri/counties');
    assert.deepEqual((await layerOf('hazards_county')).level, 'bad');
    const { rows } = await deps.data.query(`select key from layer_values where layer = 'hazards_county' order by key`);
    assert.deepEqual(
      rows.map(({ key }) => key),
      ['01001', '24510'],
    );
  });
});

const SITES = [
  'REGISTRY_ID,PRIMARY_NAME,LATITUDE83,LONGITUDE83',
  '1100,OLD WORKS,39.281,-76.591',
  '1101,FAR WORKS,39.3,-76.7',
];

/** Dataset, file, and a field of the layer with the value that the home then has. */
const CASES: [dataset: string, put: () => void, layer: string, field: string, value: unknown][] = [
  [
    'us-hazards/wildfire-counties',
    () =>
      csv('wrc_download_counties.csv', 'GEOID,NAME,BP_NATIONAL_RANK,RPS_NATIONAL_RANK', '24510,Baltimore,0.12,0.31'),
    'wildfire',
    'risk_percentile',
    0.31,
  ],
  [
    'us-hazards/declarations',
    () =>
      csv(
        'DisasterDeclarationsSummaries.csv',
        'femaDeclarationString,disasterNumber,state,declarationDate,incidentType,declarationTitle,fipsStateCode,fipsCountyCode',
        'DR-1324-MD,1324,MD,2000-04-10T00:00:00.000Z,Severe Storm,WINTER STORM,24,510',
        'DR-4491-MD,4491,MD,2020-03-26T00:00:00.000Z,Biological,COVID-19 PANDEMIC,24,510',
        'DR-4491-MD,4491,MD,2020-03-26T00:00:00.000Z,Biological,COVID-19 PANDEMIC,24,000',
      ),
    'disasters',
    'declared_on',
    '2020-03-26',
  ],
  [
    'us-hazards/claims-by-zip',
    () => csv('nfip_claims_by_zip.csv', 'reportedZipCode,claims,amountPaidOnBuildingClaim', '21231,64,1250000.50'),
    'flood_claims',
    'level',
    'fair',
  ],
  ['us-ground/superfund', () => csv('FRS_INTERESTS_NPL.csv', ...SITES), 'superfund', 'name', 'Old Works'],
  ['us-ground/toxic-releases', () => csv('FRS_INTERESTS_TRI.csv', ...SITES), 'toxic_releases', 'distance_miles', 0.09],
  ['us-ground/brownfields', () => csv('FRS_INTERESTS_ACRES.csv', ...SITES), 'brownfields', 'registry_id', '1100'],
  [
    'us-ground/wetlands',
    () =>
      geojson('MD_Wetlands.geojson', {
        NWI_ID: 'w1',
        ATTRIBUTE: 'PEM1C',
        WETLAND_TYPE: 'Freshwater Emergent Wetland',
        ACRES: 2.25,
      }),
    'wetlands',
    'acres',
    2.25,
  ],
  [
    'us-ground/school-districts',
    () => geojson('EDGE_SCHOOLDISTRICT_TL24.geojson', { GEOID: '2400090', NAME: 'Baltimore City Public Schools' }),
    'school_district',
    'name',
    'Baltimore City Public Schools',
  ],
  [
    'us-ground/schools',
    () =>
      csv(
        'EDGE_GEOCODE_PUBLICSCH_2324.csv',
        'NCESSCH,NAME,CITY,LAT,LON',
        '240009001234,Main Street School,BALTIMORE,39.285,-76.595',
      ),
    'schools',
    'city',
    'Baltimore',
  ],
  [
    'us-ground/walkability',
    () =>
      csv('EPA_SmartLocationDatabase.csv', 'STATEFP,COUNTYFP,TRACTCE,BLKGRPCE,NatWalkInd', '24,510,10100,1,16.6666667'),
    'walkability',
    'index',
    16.67,
  ],
  ['us-ground/noise', () => geojson('noise.geojson', { id: 'n1', decibels: 61.5 }), 'noise', 'level', 'fair'],
  [
    'us-ground/transit',
    () =>
      csv(
        'stops.txt',
        'stop_id,stop_name,stop_lat,stop_lon,location_type',
        '7,Main St at 1st,39.2805,-76.5905,',
        '8,Entrance,39.28,-76.59,2',
      ),
    'transit',
    'name',
    'Main St at 1st',
  ],
];

describe('further hazards and the ground', () => {
  for (const [dataset, put, layer, field, value] of CASES) {
    it(`${layer}: a home has its value`, async () => {
      put();
      const { rowsQuarantined } = await load(dataset);
      assert.equal(rowsQuarantined, 0);
      const found = await layerOf(layer);
      assert.deepEqual([found.status, found[field]], ['found', value], JSON.stringify(found));
      assert.ok(!/[{}]|–/.test(found.summary), found.summary);
    });
  }

  it('are all of the recipes’ layers', () => {
    const shipped = all.flatMap(({ id: source, layers = [] }) => (source.startsWith('us-') ? layers : []));
    const tried = ['hazards', 'hazards_county', ...CASES.map(([, , layer]) => layer)];
    assert.deepEqual(shipped.map(({ name }) => name).sort(), tried.sort());
  });

  it('cost a home two statements, all fifteen of them', async () => {
    const { data } = await deps.countStatements(() => api.get(`/properties/${id}/risk`, { key: api.liveKey }));
    assert.ok(data.length <= 10, data.join('\n'));
    const { body } = await api.get(`/properties/${id}/risk`, { key: api.liveKey });
    assert.equal(Object.keys(body.layers).length, 6 + 2 + CASES.length);
  });
});

describe('mortgage rates', () => {
  it('are loaded by month, and the title says which month it used and how old that is', async () => {
    csv(
      'MORTGAGE30US.csv',
      'observation_date,MORTGAGE30US',
      '2025-12-01,6.19',
      '2026-01-01,6.10',
      '2026-02-01,.',
      '2026-03-01,6.01',
    );
    const { targets } = await load('us-mortgage-rates');
    assert.equal(targets.mortgage_rates?.inserted, 3);
    const { mortgageRates } = await deps.catalog.read();
    assert.equal(mortgageRates.get('2026-03')?.toFixed(2), '6.01');
    await deps.data.query(
      `insert into transactions (fips, property_id, id, market, type, recording_date, sale_date, date_precision, loan_amount,
        lender, buyers, sellers, refers_to, source_id, load_id, loaded_at, known_on)
       values ($1, $2, 'txn_m', 'baltimore-md', 'mortgage', '2026-05-04', '2026-05-04', 'day', 300000, 'FIRST BANK', '{}', '{}',
        '{}', 'baltimore-md/parcels', 1, now(), '2026-05-04')`,
      [FIPS, id],
    );
    const { body } = await api.get(`/properties/${id}/title`, { key: api.liveKey });
    const { rate, rate_month, rate_months_old } = body.mortgages[0].estimated_balance;
    assert.deepEqual([rate, rate_month, rate_months_old], [0.0601, '2026-03', 2]);
  });
});
