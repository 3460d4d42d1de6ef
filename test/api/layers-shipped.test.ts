// The layers whose recipes come with the program, each on a small file in its publisher's format, and mortgage rates.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readSources } from '../../sources/sources.ts';
import { propertyId } from '../../src/base/lib/ids.ts';
import { findSources, ingest } from '../../src/supply/ingest/ingest.ts';
import { chooseStates, readStates } from '../../src/supply/ingest/states.ts';
import { parseRecipe } from '../../src/supply/ingest/recipes.ts';
import { dbf, shp, zip } from '../archives.ts';
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
  leases:
    publisher: Baltimore Homes
    license: For its customers
    published_on: 2026-01-01
    on_request: true
    format: { type: csv }
    files: [leases.csv]
    key: { parcel: { text: pin } }
    records:
      - into: rents
        fields:
          leased_on: { date: signed }
          rent: { dollars: rent }
          bedrooms: { whole: beds }
          unit: { text: unit }
    layers: []
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

/** A workbook of one sheet, with the lines that stand above its header. */
function xlsx(name: string, sheet: string, rows: string[][]): void {
  const cells = (row: string[]) => row.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('');
  writeFileSync(
    join(folder, name),
    zip({
      'xl/workbook.xml': `<workbook><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows
        .map((row, at) => `<row r="${at + 1}">${cells(row)}</row>`)
        .join('')}</sheetData></worksheet>`,
    }),
  );
}

async function load(name: string) {
  const { sources, datasets } = chooseStates(findSources(all, [name]), readStates('MD'));
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

/** Thirteen ZIP codes of HUD's own workbook, fy2018_advisory_safmrs.xlsx: rents of zero to four bedrooms. */
const HUD: Record<string, number[]> = {
  '02138': [1740, 1970, 2420, 3030, 3290],
  '10025': [1660, 1710, 1960, 2500, 2670],
  '19147': [990, 1170, 1420, 1780, 2000],
  '21231': [980, 1200, 1510, 1940, 2250],
  '53202': [870, 1060, 1300, 1640, 1850],
  '53204': [550, 670, 830, 1050, 1180],
  '53207': [620, 750, 930, 1170, 1320],
  '53211': [730, 890, 1090, 1380, 1550],
  '60614': [1320, 1520, 1770, 2250, 2690],
  '80202': [1410, 1690, 2130, 3050, 3530],
  '98103': [1360, 1530, 1880, 2720, 3220],
  '98118': [980, 1120, 1390, 2020, 2390],
  '98125': [1130, 1270, 1560, 2260, 2680],
};
const SIZES = [0, 1, 2, 3, 4];
function putRents(): void {
  const head = ['ZIP\nCode', 'HUD Area Code', 'HUD Metro Fair Market Rent Area Name'];
  const columns = SIZES.flatMap((n) => [
    `SAFMR\n${n}BR`,
    `SAFMR\n${n}BR -\n90%\nPayment\nStandard`,
    `SAFMR\n${n}BR -\n110%\nPayment\nStandard`,
  ]);
  const rows = Object.entries(HUD).map(([code, rents]) => [
    code,
    'METRO',
    'MSA',
    ...rents.flatMap((rent) => [rent, 0.9 * rent, 1.1 * rent].map(String)),
  ]);
  xlsx('fy2018_advisory_safmrs.xlsx', 'Sheet1', [[...head, ...columns], ...rows]);
}

/** Dataset, file, and a field of the layer with the value that the home then has. */
const CASES: [dataset: string, put: () => void, layer: string, field: string, value: unknown][] = [
  [
    'us-hazards/wildfire-counties',
    () =>
      xlsx('wrc_download_20260415.xlsx', 'Counties', [
        ['GEOID', 'NAME', 'BP_NATIONAL_RANK', 'RISK_NATIONAL_RANK'],
        ['24510', 'Baltimore', '0.12', '0.31'],
      ]),
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
    'us-hazards/claims',
    () =>
      csv(
        'FimaNfipClaims.csv',
        'id,reportedZipCode,amountPaidOnBuildingClaim',
        ...Array.from({ length: 64 }, (_, k) => `c${k},21231,${k === 0 ? '' : '1000.5'}`),
        'd1,21201,700',
      ),
    'flood_claims',
    'paid',
    63_063,
  ],
  ['us-hazards/claims', () => {}, 'flood_claims', 'claims', 64],
  ['us-hazards/claims', () => {}, 'flood_claims', 'level', 'fair'],
  ['us-rents/small-area-rents', putRents, 'small_area_rents', 'bedrooms_3', 1_940],
  [
    'us-rents/tract-rents',
    () =>
      writeFileSync(
        join(folder, 'acs_2023_rents_24.json'),
        JSON.stringify([
          ['NAME', ...[1, 2, 3, 4, 5, 6, 7].map((n) => `B25031_00${n}E`), 'state', 'county', 'tract'],
          ['Tract 101', '1612', '-666666666', '1350', '1590', '1984', '2200', '-666666666', '24', '510', '010100'],
        ]),
      ),
    'tract_rents',
    'bedrooms_2',
    1_590,
  ],
  ['us-rents/tract-rents', () => {}, 'tract_rents', 'bedrooms_5', null],
  [
    'us-lending/loans',
    () =>
      csv(
        'state_MD.csv',
        'activity_year,census_tract,derived_dwelling_category,action_taken,loan_purpose,lien_status,loan_to_value_ratio,interest_rate,property_value',
        ...[
          '1,1,1,80,6.5,405000',
          '1,31,1,60,7,305000',
          '1,1,1,Exempt,NA,505000',
          '3,1,1,95,NA,255000',
          '4,1,1,95,NA,995000',
          '1,1,2,20,9,995000',
        ].map((row) => `2024,24510010100,Single Family (1-4 Units):Site-Built,${row}`),
        '2024,24510010100,Multifamily:Site-Built,1,1,1,80,6.5,9995000',
        '2024,NA,Single Family (1-4 Units):Site-Built,1,1,1,80,6.5,9995000',
      ),
    'lending',
    'median_value',
    405_000,
  ],
  ['us-lending/loans', () => {}, 'lending', 'loans', 3],
  ['us-lending/loans', () => {}, 'lending', 'median_ltv', 0.7],
  ['us-lending/loans', () => {}, 'lending', 'denial_share', 0.25],
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
    () =>
      writeFileSync(
        join(folder, 'EDGE_SCHOOLDISTRICT_TL24_SY2324.zip'),
        zip({
          'EDGE_SCHOOLDISTRICT_TL24_SY2324.shp': shp([AROUND.map((ring) => ring.toReversed())]),
          'EDGE_SCHOOLDISTRICT_TL24_SY2324.dbf': dbf(
            ['GEOID', 'NAME'],
            [['2400090', 'Baltimore City Public Schools']],
            40,
          ),
        }),
      ),
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
    it(`${layer}: a home has its ${field}`, async () => {
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
    const tried = [...new Set(['hazards', 'hazards_county', ...CASES.map(([, , layer]) => layer)])];
    assert.deepEqual(shipped.map(({ name }) => name).sort(), tried.sort());
  });

  it('cost a home two statements, all of them', async () => {
    const { data } = await deps.countStatements(() => api.get(`/properties/${id}/risk`, { key: api.liveKey }));
    assert.ok(data.length <= 10, data.join('\n'));
    const { body } = await api.get(`/properties/${id}/risk`, { key: api.liveKey });
    assert.equal(Object.keys(body.layers).length, 6 + 2 + new Set(CASES.map(([, , layer]) => layer)).size);
  });
});

describe('rents of a dozen areas', () => {
  it('are those that HUD published, to the dollar', async () => {
    const { rows } = await deps.data.query(
      `select key, vals from layer_values where layer = 'small_area_rents' and key = any($1) order by key`,
      [Object.keys(HUD)],
    );
    assert.deepEqual(
      Object.fromEntries(rows.map(({ key, vals }) => [key, SIZES.map((n) => vals[`bedrooms_${n}`])])),
      HUD,
    );
  });

  it('make the rent of a home, which says that it rests on areas alone', async () => {
    const { body } = await api.get(`/rents/estimate?id=${id}&bedrooms=2`, { key: api.liveKey });
    // Without homes of its size around it, it is not scaled: the geometric mean of 1,510 and 1,590.
    assert.deepEqual([body.rent, body.basis.relative_value, body.basis.kind], [1_549, null, 'areas']);
    assert.match(body.basis.statement, /rests on areas, not on leases/);
    assert.ok(body.interval.low < 1_250 && body.interval.high > 1_950, JSON.stringify(body.interval));
    const large = (await api.get(`/rents/estimate?id=${id}&bedrooms=6`, { key: api.liveKey })).body;
    assert.deepEqual(
      large.basis.areas.map(({ rent, bedrooms }: { rent: number; bedrooms: number | null }) => [rent, bedrooms]),
      [
        [2_250 * 1.3, 6],
        [1_612, null],
      ],
    );
  });
});

describe('a rent roll', () => {
  it('is a dataset: leases by parcel, without those that have no rent or no parcel', async () => {
    csv(
      'leases.csv',
      'pin,unit,signed,rent,beds,tenant',
      '1,,2025-08-01,"$1,650",2,A. Person',
      '1,B,2025-08-01,1580,2,B. Person',
      '1,,2025-02-01,0,2,C. Person',
      '9,,2025-03-01,1500,2,D. Person',
    );
    const { rowsQuarantined, targets } = await load('baltimore-md/leases');
    assert.deepEqual([targets.rents?.inserted, rowsQuarantined], [2, 2]);
    const answer = await api.get(`/rents/estimate?id=${id}&bedrooms=2`, { key: api.liveKey });
    assert.deepEqual(
      answer.body.comparables.map(({ rent, leased_on }: { rent: number; leased_on: string }) => [rent, leased_on]),
      [
        [1_650, '2025-08-01'],
        [1_580, '2025-08-01'],
      ],
    );
    assert.equal(answer.body.basis.kind, 'areas', 'two leases calibrate nothing');
    assert.doesNotMatch(answer.text, /Person/);
  });
});

describe('a summary of rows', () => {
  it('is refused for words', () => {
    const recipe = `
id: words
layers:
  words: { title: Words, description: Words., join: zip, headline: word, fields: { word: { type: text, label: W, summarize: mean } } }
datasets: { all: { publisher: P, license: L, published_on: 2026-01-01, format: { type: csv }, files: [w.csv], records: [{ into: layer_values, fields: { zip: { zip: z }, word: { text: w } } }], layers: [words] } }
`;
    assert.throws(() => parseRecipe(recipe, 'words'), /is for numbers/);
  });
});

describe('FHFA’s annual indexes', () => {
  it('are loaded by county, ZIP code and tract, without the years that have none', async () => {
    const above = [1, 2, 3, 4, 5, 6].map(() => ['House Price Index']);
    const bases = ['HPI', 'HPI with 1990 base', 'HPI with 2000 base'];
    xlsx('HPI_AT_BDL_county.xlsx', 'county', [
      ...above,
      ['State', 'County', 'FIPS code', 'Year', 'Annual Change (%)', ...bases],
      ['AL', 'Autauga', '01001', '1986', '.', '100', '96.79', '70.08'],
      ['AL', 'Autauga', '01001', '1987', '.', '.', '.', '.'],
    ]);
    xlsx('HPI_AT_BDL_ZIP5.xlsx', 'zip5', [
      ...above,
      ['Five-Digit ZIP Code', 'Year', 'Annual Change (%)', ...bases],
      ['02138', '1987', '.', '100', '.', '.'],
    ]);
    csv(
      'hpi_at_tract.csv',
      'tract,state_abbr,year,annual_change,hpi,hpi1990,hpi2000',
      '1001020100,AL,1998,,100,,100.82',
      '1001020100,AL,1999,-5.5999999,94.400002,,95.18',
    );
    for (const name of ['county-index', 'zip-index', 'tract-index']) await load(`us-fhfa/${name}`);
    const { rows } = await deps.data.query(
      `select place_code, year, quarter, round(index_value::numeric, 1)::float8 as index from price_indexes
       where source_id like 'us-fhfa/%' order by 1, 2`,
    );
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ['county:01001', 1986, 0, 100],
        ['tract:01001020100', 1998, 0, 100],
        ['tract:01001020100', 1999, 0, 94.4],
        ['zip:02138', 1987, 0, 100],
      ],
    );
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
