// Milwaukee, Wisconsin: parcels, validated sales since 2002, code orders, neighborhoods.
import {
  code,
  constant,
  date,
  derive,
  digits,
  dollars,
  latitude,
  longitude,
  names,
  object,
  positive,
  precision,
  present,
  shape,
  text,
  upper,
  whole,
  yearBuilt,
  zip,
} from '../../src/ingest/map/fields.ts';
import type { Dataset, FileSpec, Source } from '../../src/ingest/source.ts';

const FIPS = 55079;
const PUBLISHER = 'City of Milwaukee';
const LICENCE =
  'Public record; the City of Milwaukee open data portal publishes under CC BY 4.0. Check its terms before resale.';
const PORTAL = 'https://data.milwaukee.gov/dataset';

/** The assessor's class: 1 residential, 5 condominium, 7 apartments; if blank, the land use decides. */
function parcelType(assessorClass: string, landUse: string, units: string): string {
  const count = Number(units) || 0;
  if (assessorClass.startsWith('1')) return count > 1 ? 'multi_family' : 'single_family';
  if (assessorClass.startsWith('5') || landUse === '8811') return 'condo';
  if (assessorClass.startsWith('7') || landUse === '8830') return 'apartment';
  if (landUse === '8810') return 'single_family';
  if (landUse === '8820') return 'multi_family';
  if (landUse === '8880') return 'land';
  return landUse === '' ? 'other' : 'commercial';
}

const parcels: Dataset = {
  id: 'milwaukee-wi/parcels',
  name: 'Address index, parcel centroids, dwelling units and registered owners of rented homes',
  publisher: PUBLISHER,
  landingPage: `${PORTAL}/mai`,
  licence: LICENCE,
  attribution: 'City of Milwaukee, Master Address Index and property recording',
  cadence: 'weekly',
  note: 'Compiled from the address index (2016), parcel centroids (2021) and the property registration (2026).',
  publishedOn: '2026-01-01',
  format: { type: 'csv' },
  files: [{ path: 'milwaukee/parcels.csv.gz' }],
  personal: ['owner_name_2026', 'owner_mailing_2026'],
  key: { fips: FIPS, apn: digits('taxkey', 10) },
  records: [
    {
      into: 'properties',
      complete: true,
      fields: {
        address_line1: upper('address'),
        city: constant('MILWAUKEE'),
        zip: zip('zip'),
        zip4: text('zip4'),
        latitude: latitude('lat'),
        longitude: longitude('lon'),
        property_type: derive(['c_a_class', 'land_use', 'nr_units'], parcelType),
        land_use_code: text('land_use'),
        units: positive('nr_units', 5000),
        bedrooms: positive('bedrooms', 200),
        extras: object({ residential_units: whole('residential_units'), commercial_units: whole('commercial_units') }),
        // The address index, where most of a row comes from.
        known_on: constant('2016-12-31'),
      },
    },
    {
      into: 'owners',
      when: present('owner_name_2026'),
      fields: { names: names('owner_name_2026'), mailing_address: text('owner_mailing_2026') },
    },
  ],
  layers: [{ layer: 'properties' }, { layer: 'owners' }],
  checks: { minRows: 100_000, maxQuarantinedShare: 0.01, maxVanishedShare: 0.02 },
};

function saleType(kind: string, units: string, style: string): string {
  if (kind === 'Residential') return (Number(units.replaceAll(',', '')) || 1) > 1 ? 'multi_family' : 'single_family';
  if (kind === 'Condominium') return 'condo';
  if (kind === 'Lg Apartment') return 'apartment';
  if (kind === 'Vacant Land' || style === 'Commercial Land') return 'land';
  return kind === 'Commercial' || kind === 'Manufacturing' ? 'commercial' : 'other';
}

const baths = (full: string, half: string) => (Number(full) || 0) + (Number(half) || 0) / 2 || null;

/** The city wrote `Aluminum / Vinyl` until 2018 and `Aluminum/Vinyl` since, and misspelled some. */
const spelling = (wall: string) =>
  wall
    .replaceAll(' / ', '/')
    .replace('Alum/Vynyl Siding', 'Aluminum/Vinyl')
    .replace('Masonary Frame', 'Masonry/Frame')
    .replace('Fiber Cement/Hardiplank', 'Fiber-Cement')
    .replace(/^(\*\*|UNKWN|NULL)$/, '') || null;

function yearFile(year: number, name: string): FileSpec {
  return {
    path: `milwaukee/sales/${name}.csv.gz`,
    url: `${PORTAL}/property-sales-data/${name}.csv`,
    publishedOn: `${year + 1}-04-30`,
  };
}

const sales: Dataset = {
  id: 'milwaukee-wi/sales',
  name: 'Property sales data, arm’s-length sales validated by the Assessor',
  publisher: `${PUBLISHER}, Assessor’s Office`,
  landingPage: `${PORTAL}/property-sales-data`,
  licence: LICENCE,
  attribution: 'City of Milwaukee, Assessor’s Office',
  cadence: 'yearly',
  note: 'Month only before 2019; 2002–2008 is mostly commercial; the 2002–2018 file and the yearly ones overlap.',
  publishedOn: '2024-04-30',
  format: { type: 'csv' },
  files: [
    { ...yearFile(2018, '2002-2018-property-sales-data') },
    ...[2004, 2005, 2006, 2007, 2008, 2009, 2010, 2011, 2012, 2013, 2014, 2015, 2016, 2017, 2018, 2019].map((year) =>
      yearFile(year, `${year}-property-sales-data`),
    ),
    yearFile(2020, 'armslengthsales_2020_valid'),
    yearFile(2021, 'armslengthsales_2021_valid'),
    yearFile(2022, 'armslengthsales_2022_valid_20230404'),
    yearFile(2023, 'armslengthsales_2023_valid'),
  ],
  columns: { rooms: ['Nr_of_rms'], FinishedSqft: ['Fin_sqft'] },
  publicationLagDays: 14,
  // The files end with lines that contain only commas.
  where: present('taxkey'),
  key: { fips: FIPS, apn: digits('taxkey', 10) },
  records: [
    {
      into: 'properties',
      fields: {
        address_line1: upper('Address'),
        city: constant('MILWAUKEE'),
        property_type: derive(['PropType', 'Units', 'Style'], saleType),
        sqft: positive('FinishedSqft', 5_000_000),
        bedrooms: positive('Bdrms', 200),
        bathrooms: derive(['Fbath', 'Hbath'], baths),
        baths_full: positive('Fbath', 200),
        baths_half: whole('Hbath', 0, 200),
        lot_sqft: positive('Lotsize'),
        year_built: yearBuilt('Year_Built'),
        stories: derive(['Stories'], (cell) => Number(cell) || null),
        units: positive('Units', 5000),
        rooms: positive('rooms', 500),
        style: derive(['Style'], spelling),
        exterior: derive(['Extwall'], spelling),
        subdivision: text('CondoProject'),
        extras: object({ neighborhood_code: positive('nbhd'), council_district: positive('District') }),
        known_on: date('Sale_date'),
      },
    },
    {
      into: 'transactions',
      attributes: true,
      required: ['price'],
      fields: {
        sale_date: date('Sale_date'),
        date_precision: precision('Sale_date'),
        price: dollars('Sale_price'),
        stated_valid: constant(true),
      },
    },
  ],
  layers: [{ layer: 'transactions', from: '2002-01-01', to: '2023-12-31' }],
  checks: { minRows: 50_000, maxQuarantinedShare: 0.01 },
};

const orders: Dataset = {
  id: 'milwaukee-wi/code-orders',
  name: 'Orders of the Department of Neighborhood Services',
  publisher: `${PUBLISHER}, Department of Neighborhood Services`,
  landingPage: 'https://data.milwaukee.gov/organization/department-of-neighborhood-services',
  licence: LICENCE,
  attribution: 'City of Milwaukee, Department of Neighborhood Services',
  cadence: 'monthly',
  note: 'States how many violations an order has, not whether they were fixed; the status is unknown.',
  publishedOn: '2024-06-30',
  format: { type: 'csv' },
  files: [{ path: 'milwaukee/code_orders.csv.gz' }],
  key: { fips: FIPS, apn: digits('taxkey', 10) },
  records: [
    {
      into: 'code_violations',
      fields: {
        id: derive(['record_id', 'date_inspection', 'taxkey'], (...parts) => parts.join('|')),
        case_number: text('record_id'),
        description: derive(
          ['violations'],
          (count) => `${Math.round(Number(count)) || 'unknown number of'} violation${Number(count) === 1 ? '' : 's'}`,
        ),
        status: constant('unknown'),
        opened_date: date('date_inspection'),
      },
    },
  ],
  layers: [{ layer: 'code_violations', from: '2017-01-01', to: '2024-06-30' }],
  checks: { minRows: 50_000 },
};

const neighborhoods: Dataset = {
  id: 'milwaukee-wi/neighborhoods',
  name: 'City neighborhoods',
  publisher: PUBLISHER,
  landingPage: `${PORTAL}/neighborhoods-map`,
  licence: LICENCE,
  attribution: 'City of Milwaukee, Department of City Development',
  cadence: 'rarely',
  publishedOn: '2018-01-01',
  format: { type: 'geojson', projection: 'EPSG:32054' },
  files: [{ path: 'milwaukee/neighborhoods.geojson.gz' }],
  records: [
    {
      into: 'areas',
      complete: true,
      fields: {
        fips: constant(FIPS),
        kind: constant('neighborhood'),
        id: text('neighborhood'),
        vintage: constant(2018),
        name: derive(['neighborhood'], titleCase),
        rings: shape(),
      },
    },
  ],
  layers: [],
};

function titleCase(name: string): string {
  return name.toLowerCase().replace(/(^|[\s-/])[a-z]/g, (letter) => letter.toUpperCase());
}

const LAND_USE_GROUPS: Record<string, string> = {
  '1': 'single_family',
  '2': 'multi_family',
  '3': 'apartment',
  '4': 'condo',
  '5': 'commercial',
  '6': 'commercial',
  '7': 'commercial',
  '8': 'commercial',
  '9': 'commercial',
  '10': 'other',
  '11': 'other',
  '12': 'other',
  '13': 'land',
};

/** The city's full master property file, as an operator downloads it. */
const mprop: Dataset = {
  id: 'milwaukee-wi/mprop',
  name: 'Master Property File (MPROP)',
  publisher: PUBLISHER,
  landingPage: `${PORTAL}/mprop`,
  licence: LICENCE,
  attribution: 'City of Milwaukee, Master Property File',
  cadence: 'daily',
  note: 'By its published column list; loaded only when named.',
  publishedOn: '2026-01-01',
  onRequest: true,
  authority: 2,
  format: { type: 'csv', encoding: 'windows-1252' },
  files: [
    {
      path: 'mprop.csv',
      url: 'https://data.milwaukee.gov/dataset/562ab824-48a5-42cd-b714-87e205e489ba/resource/0a2c7f31-cd15-4151-8222-09dd57d5f16d/download/mprop.csv',
    },
  ],
  personal: ['OWNER_NAME_1', 'OWNER_NAME_2', 'OWNER_NAME_3', 'OWNER_MAIL_ADDR', 'OWNER_CITY_STATE', 'OWNER_ZIP'],
  key: { fips: FIPS, apn: digits('TAXKEY', 10) },
  records: [
    {
      into: 'properties',
      complete: true,
      fields: {
        address_line1: derive(
          ['HOUSE_NR_LO', 'HOUSE_NR_HI', 'HOUSE_NR_SFX', 'SDIR', 'STREET', 'STTYPE'],
          (low, high, suffix, direction, street, type) => {
            const number = high && high !== low ? `${low}-${high}` : low;
            return Number(low)
              ? [number + suffix, direction, street, type].filter(Boolean).join(' ').toUpperCase()
              : null;
          },
        ),
        city: constant('MILWAUKEE'),
        zip: zip('GEO_ZIP_CODE'),
        property_type: code('LAND_USE_GP', LAND_USE_GROUPS, 'other'),
        land_use_code: text('LAND_USE'),
        zoning: text('ZONING'),
        sqft: positive('BLDG_AREA'),
        lot_sqft: positive('LOT_AREA'),
        bedrooms: positive('BEDROOMS', 200),
        bathrooms: derive(['BATHS', 'POWDER_ROOMS'], baths),
        baths_full: positive('BATHS', 200),
        baths_half: whole('POWDER_ROOMS', 0, 200),
        rooms: positive('NR_ROOMS', 500),
        stories: derive(['NR_STORIES'], (cell) => Number(cell) || null),
        units: positive('NR_UNITS', 5000),
        year_built: yearBuilt('YR_BUILT'),
        cooling: derive(['AIR_CONDITIONING'], (cell) => (cell === '1' ? 'central' : null)),
        extras: object({ neighborhood_code: positive('NEIGHBORHOOD'), council_district: positive('GEO_ALDER') }),
      },
    },
    {
      into: 'owners',
      when: present('OWNER_NAME_1'),
      fields: {
        names: names('OWNER_NAME_1', 'OWNER_NAME_2', 'OWNER_NAME_3'),
        mailing_address: derive(
          ['OWNER_MAIL_ADDR', 'OWNER_CITY_STATE', 'OWNER_ZIP'],
          (...parts) => parts.filter(Boolean).join(', ') || null,
        ),
        owner_occupied: derive(['OWN_OCPD'], (cell) => cell.trim() === 'O'),
        owned_since: date('CONVEY_DATE'),
      },
    },
    {
      into: 'assessments',
      when: present('YR_ASSMT'),
      fields: {
        year: whole('YR_ASSMT', 1900, 2100),
        land: dollars('C_A_LAND'),
        improvements: dollars('C_A_IMPRV'),
        total: dollars('C_A_TOTAL'),
        known_on: derive(['YR_ASSMT'], (year) => `${year}-04-30`),
      },
    },
  ],
  layers: [{ layer: 'properties' }, { layer: 'owners' }, { layer: 'assessments' }],
  checks: { minRows: 100_000, maxQuarantinedShare: 0.02 },
};

export const milwaukee: Source = {
  id: 'milwaukee-wi',
  market: { id: 'milwaukee-wi', name: 'Milwaukee, Wisconsin', state: 'WI', description: 'City of Milwaukee' },
  counties: [{ fips: FIPS, name: 'Milwaukee County', state: 'WI' }],
  datasets: [neighborhoods, parcels, sales, orders, mprop],
  addressWords: {
    suffixes: { TR: 'TER', CR: 'CIR', PK: 'PKWY', WA: 'WAY', BL: 'BLVD', AV: 'AVE', LA: 'LN' },
    // Renamed in 2018 and 2021; the city's own files still contain both names.
    streetAliases: [
      { from: 'N 4TH ST', to: 'N VEL R PHILLIPS AVE' },
      { from: 'N 5TH ST', to: 'N DR WILLIAM FINLAYSON ST' },
    ],
  },
};
