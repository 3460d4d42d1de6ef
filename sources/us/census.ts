// US Census Bureau: tract boundaries by vintage, and the American Community Survey by tract.
import { constant, derive, digits, optional, shape, text, whole } from '../../src/ingest/map/fields.ts';
import type { Dataset, Field, Source } from '../../src/ingest/source.ts';

const PUBLISHER = 'United States Census Bureau';
const LICENCE = 'Public domain (United States government work)';

const fipsOf = (column: string) =>
  derive([column], (geoid) => Number(geoid.replace(/^.*US/, '').padStart(11, '0').slice(0, 5)) || null);

function tracts(id: string, vintage: number, files: string[], geoid: string): Dataset {
  return {
    id: `us-census/${id}`,
    name: `Census tracts, cartographic boundaries ${vintage}`,
    publisher: PUBLISHER,
    landingPage: 'https://www.census.gov/geographies/mapping-files/time-series/geo/cartographic-boundary.html',
    licence: LICENCE,
    attribution: 'U.S. Census Bureau, cartographic boundary files',
    cadence: 'yearly',
    publishedOn: `${vintage + 1}-01-01`,
    format: { type: 'geojson' },
    files: files.map((file) => ({ path: `us/${file}` })),
    where: derive([geoid], (cell) => /US\d{11}$|^\d{11}$/.test(cell)),
    records: [
      {
        into: 'areas',
        fields: {
          fips: fipsOf(geoid),
          kind: constant('tract'),
          id: derive([geoid], (cell) => cell.replace(/^.*US/, '')),
          vintage: constant(vintage),
          name: optional(text('NAME')),
          rings: shape(),
        },
      },
    ],
    layers: [],
  };
}

/** The same boundaries as the Bureau offers them: one zipped shapefile per state. */
function tractShapes(vintage: number, states: string[]): Dataset {
  const base = tracts(`tracts-${vintage}-shapes`, vintage, [], 'GEOID');
  return {
    ...base,
    onRequest: true,
    format: { type: 'shapefile' },
    files: states.map((state) => ({
      path: `cb_${vintage}_${state}_tract_500k.zip`,
      url: `https://www2.census.gov/geo/tiger/GENZ${vintage}/shp/cb_${vintage}_${state}_tract_500k.zip`,
      optional: true,
    })),
  };
}

function acs(
  id: string,
  file: string,
  name: string,
  geoid: Field,
  fips: Field,
  fields: Record<string, Field>,
): Dataset {
  return {
    id: `us-census/${id}`,
    name,
    publisher: PUBLISHER,
    landingPage: 'https://www.census.gov/programs-surveys/acs',
    licence: LICENCE,
    attribution:
      'U.S. Census Bureau, American Community Survey 2014–2018, as tabulated by the Opioid Environment Policy Scan',
    cadence: 'yearly',
    publishedOn: '2019-12-19',
    format: { type: 'csv' },
    files: [{ path: `us/acs_2018_tract/${file}.csv.gz` }],
    records: [{ into: 'census_tracts', fields: { fips, geoid, vintage: constant(2018), ...fields } }],
    layers: [{ layer: 'census', from: '2014-01-01', to: '2018-12-31' }],
    checks: { minRows: 50_000 },
  };
}

const GEOID = digits('GEOID', 11);
const COUNTY = fipsOf('GEOID');
const share = (column: string) =>
  derive([column], (cell) => (cell === '' || cell === 'NA' ? null : Math.round(Number(cell) * 100) / 10_000));

const VARIABLES = [
  'B01003_001E',
  'B19013_001E',
  'B19301_001E',
  'B25077_001E',
  'B25003_001E',
  'B25003_002E',
  'B25002_001E',
  'B25002_003E',
  'B17001_001E',
  'B17001_002E',
  'B23025_003E',
  'B23025_005E',
];

/** The survey's API, one state per response: a list of lists, names first. Unknown is −666666666. */
const acsApi: Dataset = {
  ...acs('acs-api', '', 'American Community Survey five-year estimates, by the Bureau’s interface', GEOID, COUNTY, {}),
  attribution: 'U.S. Census Bureau, American Community Survey 2018–2022',
  onRequest: true,
  publishedOn: '2023-12-07',
  layers: [{ layer: 'census', from: '2018-01-01', to: '2022-12-31' }],
  note: 'The API requires a key for frequent use: save its responses in a folder and pass that.',
  format: { type: 'json' },
  files: ['55', '53', '25', '33', '17', '42', '36', '11'].map((state) => ({
    path: `acs_tracts_${state}.json`,
    url: `https://api.census.gov/data/2022/acs/acs5?get=NAME,${VARIABLES.join(',')}&for=tract:*&in=state:${state}`,
    optional: true,
  })),
  records: [
    {
      into: 'census_tracts',
      fields: {
        fips: derive(['state', 'county'], (state, county) => Number(state + county.padStart(3, '0'))),
        geoid: derive(
          ['state', 'county', 'tract'],
          (state, county, tract) => state.padStart(2, '0') + county.padStart(3, '0') + tract.padStart(6, '0'),
        ),
        vintage: constant(2022),
        population: whole('B01003_001E'),
        median_household_income: whole('B19013_001E'),
        per_capita_income: whole('B19301_001E'),
        median_home_value: whole('B25077_001E'),
        owner_occupied_rate: derive(['B25003_002E', 'B25003_001E'], rate),
        vacancy_rate: derive(['B25002_003E', 'B25002_001E'], rate),
        poverty_rate: derive(['B17001_002E', 'B17001_001E'], rate),
        unemployment_rate: derive(['B23025_005E', 'B23025_003E'], rate),
        housing_units: whole('B25002_001E'),
      },
    },
  ],
  checks: { minRows: 100 },
};

function rate(part: string, whole: string): number | null {
  return Number(whole) > 0 ? Math.round((Number(part) / Number(whole)) * 10_000) / 10_000 : null;
}

export const census: Source = {
  id: 'us-census',
  counties: [],
  datasets: [
    tracts('tracts-2010', 2010, ['tracts_2010/*.json.gz'], 'GEO_ID'),
    tracts('tracts-2018', 2018, ['tracts_2018/*.json.gz'], 'GEOID'),
    {
      ...tracts('tracts-2018-philadelphia', 2018, ['tracts_2018/42101.geojson.gz'], 'geoid'),
      note: 'As tabulated by Census Reporter.',
    },
    tracts('tracts-2019', 2019, ['tracts_2019/*.json.gz'], 'GEOID'),
    acs('acs-2018-housing', 'BE01_T', 'American Community Survey 2014–2018 by tract: housing units', GEOID, COUNTY, {
      housing_units: whole('totUnits'),
      vacancy_rate: share('vacantP'),
    }),
    acs('acs-2018-population', 'BE03_T', 'American Community Survey 2014–2018 by tract: population', GEOID, COUNTY, {
      population: whole('totPopE'),
    }),
    acs(
      'acs-2018-income',
      'EC03_2018_T',
      'American Community Survey 2014–2018 by tract: unemployment, poverty, income',
      GEOID,
      COUNTY,
      {
        unemployment_rate: share('unempP'),
        poverty_rate: share('povP'),
        per_capita_income: whole('pciE', 0, 1_000_000),
      },
    ),
    acs(
      'acs-2019-internet',
      'EC05_2019_T',
      'American Community Survey 2015–2019 by tract: internet access',
      GEOID,
      COUNTY,
      { internet_rate: share('IntSubPct') },
    ),
    acsApi,
    tractShapes(2010, []),
    tractShapes(2019, ['55', '53', '25', '33', '17', '42', '36']),
  ],
};
