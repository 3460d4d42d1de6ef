// Chicago, Illinois: part of the city by parcel and building, with violations, permits and tax sales, and the county's
// files.
import {
  code,
  constant,
  date,
  decimal,
  derive,
  digits,
  dollars,
  latitude,
  longitude,
  names,
  object,
  positive,
  text,
  upper,
  whole,
  yearBuilt,
  zip,
} from '../../src/ingest/map/fields.ts';
import type { Dataset, Source } from '../../src/ingest/source.ts';

const FIPS = 17031;
const CITY = {
  publisher: 'City of Chicago',
  licence: 'MIT (repository of the City); the City’s portal terms apply to newer copies.',
  attribution: 'City of Chicago',
  cadence: 'daily',
};
const PORTAL = 'https://data.cityofchicago.org';

const parcels: Dataset = {
  id: 'chicago-il/parcels',
  name: 'Parcels 2017',
  publisher: 'Cook County Government',
  landingPage: 'https://datacatalog.cookcountyil.gov/',
  licence: 'Cook County open data terms: free use. Check before resale.',
  attribution: 'Cook County Government',
  cadence: 'yearly',
  publishedOn: '2017-01-01',
  format: { type: 'csv' },
  files: [{ path: 'chicago/parcels.csv.gz' }],
  key: { fips: FIPS, apn: digits('pin14', 14) },
  records: [
    {
      into: 'properties',
      complete: true,
      fields: {
        city: constant('CHICAGO'),
        latitude: latitude('lat'),
        longitude: longitude('lon'),
        lot_sqft: positive('area_sqft'),
      },
    },
    { into: 'property_keys', fields: { kind: constant('pin10'), key: digits('pin10', 10) } },
  ],
  layers: [{ layer: 'properties' }],
  checks: { minRows: 10_000, maxQuarantinedShare: 0.01 },
};

const streetOf = (direction: string, name: string, type: string) =>
  [direction, name, type].filter(Boolean).join(' ').toUpperCase();

function unitsType(units: string): string | null {
  const count = Number(units);
  if (!count) return null;
  return count === 1 ? 'single_family' : count <= 6 ? 'multi_family' : 'apartment';
}

const buildings: Dataset = {
  id: 'chicago-il/buildings',
  name: 'Building footprints with address ranges',
  ...CITY,
  landingPage: `${PORTAL}/Buildings/Building-Footprints-current-/hz9b-7nh8`,
  note: 'A building passes its street numbers and attributes to the parcels it stands on; if there are several, the largest counts.',
  publishedOn: '2017-06-01',
  format: { type: 'csv' },
  files: [{ path: 'chicago/buildings.csv.gz' }],
  lookup: {
    name: 'pin10s',
    file: { path: 'chicago/building_to_pin10.csv.gz' },
    key: 'bldg_id',
    value: 'pin10s',
    on: 'bldg_id',
  },
  where: derive(['pin10s', 'bldg_statu'], (pins, status) => pins !== '' && status !== 'PROPOSED'),
  key: { fips: FIPS, by: { kind: 'pin10', key: text('.value') } },
  records: [
    {
      into: 'properties',
      creates: false,
      each: 'pin10s',
      fields: {
        rank: derive(
          ['st_name1', 'bldg_sq_fo', 'shape_area'],
          (street, area, footprint) => (street ? 1e9 : 0) + (Number(area) || 0) * 10 + (Number(footprint) || 0) / 1000,
        ),
        address_line1: derive(['f_add1', 'pre_dir1', 'st_name1', 'st_type1'], (number, direction, name, type) =>
          name && Number(number) ? `${Number(number)} ${streetOf(direction, name, type)}` : null,
        ),
        property_type: derive(['no_of_unit'], unitsType),
        sqft: positive('bldg_sq_fo', 20_000_000),
        units: positive('no_of_unit', 5000),
        stories: positive('stories', 150),
        year_built: yearBuilt('year_built'),
        condition: derive(['bldg_condi'], (cell) => cell.toLowerCase() || null),
        extras: object({ footprint_sqft: positive('shape_area') }),
      },
    },
    {
      into: 'property_keys',
      when: derive(['st_name1', 'f_add1'], (street, from) => street !== '' && Number(from) > 0),
      key: { fips: FIPS, by: { kind: 'pin10', key: derive(['pin10s'], (pins) => pins.split('|')[0]) } },
      fields: {
        kind: constant('address'),
        key: derive(['pre_dir1', 'st_name1', 'st_type1'], streetOf),
        number_from: derive(['f_add1', 't_add1'], (from, to) => Math.min(Number(from), Number(to) || Number(from))),
        number_to: derive(['f_add1', 't_add1'], (from, to) => Math.max(Number(from), Number(to))),
      },
    },
  ],
  layers: [],
  checks: { minRows: 10_000 },
};

/** `3422 N KILPATRICK AVE` → the street as the buildings spell it, and the house number. */
const street = derive(
  ['address'],
  (address) => /^\d+\S*\s+(.+)$/.exec(address.toUpperCase())?.[1].replace(/\s+/g, ' ') ?? null,
);
const houseNumber = derive(['address'], (address) => Number(/^\d+/.exec(address)?.[0]) || null);
const byAddress = { fips: FIPS, by: { kind: 'address', key: street, number: houseNumber } };

const violations: Dataset = {
  id: 'chicago-il/building-violations',
  name: 'Building violations 2006 to 2017',
  ...CITY,
  landingPage: `${PORTAL}/Buildings/Building-Violations/22u3-xenr`,
  note: 'Joined by address through a building’s range of house numbers: the points lie in the street.',
  publishedOn: '2017-06-01',
  format: { type: 'csv' },
  files: [{ path: 'chicago/violations.csv.gz', url: `${PORTAL}/api/views/22u3-xenr/rows.csv?accessType=DOWNLOAD` }],
  columns: {
    id: ['ID'],
    violation_date: ['VIOLATION DATE'],
    violation_code: ['VIOLATION CODE'],
    violation_status: ['VIOLATION STATUS'],
    violation_status_date: ['VIOLATION STATUS DATE'],
    violation_description: ['VIOLATION DESCRIPTION'],
    inspection_number: ['INSPECTION NUMBER'],
    address: ['ADDRESS'],
  },
  key: byAddress,
  records: [
    {
      into: 'code_violations',
      fields: {
        id: text('id'),
        case_number: text('inspection_number'),
        code_section: text('violation_code'),
        description: text('violation_description'),
        status: code('violation_status', { OPEN: 'open', COMPLIED: 'closed' }, 'unknown'),
        opened_date: date('violation_date'),
        closed_date: derive(['violation_status', 'violation_status_date'], (status, on) => {
          const [month, day, year] = on.split('/');
          return status === 'COMPLIED' && year ? `${year}-${month}-${day}` : null;
        }),
      },
    },
  ],
  layers: [{ layer: 'code_violations', from: '2006-01-01', to: '2017-05-25' }],
  checks: { minRows: 10_000 },
};

const permits: Dataset = {
  id: 'chicago-il/building-permits',
  name: 'Building permits 2006 to 2026',
  ...CITY,
  landingPage: `${PORTAL}/Buildings/Building-Permits/ydr8-5enu`,
  publishedOn: '2026-07-31',
  format: { type: 'csv' },
  files: [{ path: 'chicago/permits.csv.gz' }],
  key: byAddress,
  records: [
    {
      into: 'permits',
      fields: {
        id: text('permit_number'),
        number: text('permit_number'),
        type: derive(['permit_type'], (cell) => cell.replace(/^PERMIT [-–] /, '') || null),
        description: derive(['description'], (cell) => cell.slice(0, 500) || null),
        status: text('status'),
        issue_date: date('issue_date'),
        job_value: dollars('reported_cost'),
      },
    },
  ],
  layers: [{ layer: 'permits', from: '2006-01-01', to: '2026-07-15' }],
  checks: { minRows: 10_000 },
};

const taxSale: Dataset = {
  id: 'chicago-il/annual-tax-sale',
  name: 'Annual tax sale 2011 to 2014',
  publisher: 'Cook County Treasurer',
  landingPage: 'https://datacatalog.cookcountyil.gov/Property-Taxation/Treasurer-Annual-Tax-Sale/55ju-2fs9',
  licence: 'Cook County open data terms: free use. Check before resale.',
  attribution: 'Cook County Treasurer',
  cadence: 'yearly',
  note: 'Offered for unpaid taxes: sold to a buyer of the lien, or forfeited (open).',
  publishedOn: '2017-12-31',
  format: { type: 'csv' },
  files: [
    {
      path: 'chicago/annual_tax_sale.csv.gz',
      url: 'https://datacatalog.cookcountyil.gov/api/views/55ju-2fs9/rows.csv?accessType=DOWNLOAD',
    },
  ],
  personal: ['buyer_name'],
  key: { fips: FIPS, by: { kind: 'pin10', key: digits('pin', 10) } },
  records: [
    {
      into: 'tax_liens',
      fields: {
        id: derive(['pin', 'tax_sale_year', 'tax_amount_offered'], (...parts) => parts.join('|')),
        type: constant('tax_sale'),
        amount: dollars('total_tax_and_penalty_amount_offered'),
        tax_year: whole('tax_sale_year', 1990, 2100),
        status: derive(['sold_at_sale'], (cell) => (cell === 'TRUE' ? 'sold' : 'open')),
        // A year's taxes are offered in the summer of the second year after it.
        known_on: derive(['tax_sale_year'], (year) => `${Number(year) + 2}-09-01`),
      },
    },
  ],
  layers: [{ layer: 'tax_liens', from: '2011-01-01', to: '2014-12-31' }],
};

const CCAO = {
  publisher: 'Cook County Assessor’s Office',
  licence: 'Cook County open data terms: free use. Check before resale.',
  attribution: 'Cook County Assessor’s Office',
  cadence: 'monthly',
  publishedOn: '2026-10-01',
  onRequest: true,
  format: { type: 'csv' as const },
  authority: 2,
};
const cookData = (id: string) => `https://datacatalog.cookcountyil.gov/api/views/${id}/rows.csv?accessType=DOWNLOAD`;

const CLASSES: Record<string, string> = {
  '2': 'single_family',
  '3': 'apartment',
  '1': 'land',
  '5': 'commercial',
  '6': 'commercial',
  '8': 'commercial',
};
function cookType(cell: string): string {
  if (/^299|^399/.test(cell)) return 'condo';
  if (/^21[12]/.test(cell)) return 'multi_family';
  if (/^(210|295)/.test(cell)) return 'townhouse';
  return CLASSES[cell[0]] ?? 'other';
}

/** Every parcel in the county, by the Assessor's list of columns. */
const universe: Dataset = {
  id: 'chicago-il/cook-parcel-universe',
  name: 'Assessor, parcel universe (current year)',
  ...CCAO,
  landingPage:
    'https://datacatalog.cookcountyil.gov/Property-Taxation/Assessor-Parcel-Universe-Current-Year-Only-/pabr-t5kh',
  files: [{ path: 'cook_parcel_universe.csv', url: cookData('pabr-t5kh') }],
  columns: { zip_code: ['property_zip', 'zip'], nbhd_code: ['nbhd'], triad_name: ['triad'] },
  key: { fips: FIPS, apn: digits('pin', 14) },
  records: [
    {
      into: 'properties',
      fields: {
        latitude: latitude('lat'),
        longitude: longitude('lon'),
        property_type: derive(['class'], cookType),
        land_use_code: text('class'),
        extras: object({ neighborhood_code: positive('nbhd_code') }),
      },
    },
    {
      into: 'property_keys',
      fields: { kind: constant('pin10'), key: derive(['pin'], (pin) => pin.padStart(14, '0').slice(0, 10)) },
    },
  ],
  layers: [{ layer: 'properties' }],
};

const characteristics: Dataset = {
  id: 'chicago-il/cook-characteristics',
  name: 'Assessor, single and multi-family improvement characteristics',
  ...CCAO,
  landingPage:
    'https://datacatalog.cookcountyil.gov/Property-Taxation/Assessor-Single-and-Multi-Family-Improvement-Chara/x54s-btds',
  files: [{ path: 'cook_characteristics.csv', url: cookData('x54s-btds') }],
  columns: {
    year: ['tax_year'],
    year_built: ['char_yrblt'],
    building_sqft: ['char_bldg_sf'],
    land_sqft: ['char_land_sf'],
    num_bedrooms: ['char_beds'],
    num_rooms: ['char_rooms'],
    num_full_baths: ['char_fbath'],
    num_half_baths: ['char_hbath'],
  },
  key: { fips: FIPS, apn: digits('pin', 14) },
  records: [
    {
      into: 'properties',
      creates: false,
      fields: {
        // One row per building and year since 1999: the latest year counts, and the largest of its buildings.
        rank: derive(['year', 'building_sqft'], (year, area) => Number(year) * 1e8 + Number(area)),
        sqft: positive('building_sqft'),
        lot_sqft: positive('land_sqft'),
        bedrooms: positive('num_bedrooms', 200),
        rooms: positive('num_rooms', 500),
        baths_full: positive('num_full_baths', 200),
        baths_half: whole('num_half_baths', 0, 200),
        year_built: yearBuilt('year_built'),
      },
    },
  ],
  layers: [],
};

const addresses: Dataset = {
  id: 'chicago-il/cook-addresses',
  name: 'Assessor, parcel addresses',
  ...CCAO,
  landingPage: 'https://datacatalog.cookcountyil.gov/Property-Taxation/Assessor-Parcel-Addresses/3723-97qp',
  files: [{ path: 'cook_addresses.csv', url: cookData('3723-97qp') }],
  columns: { year: ['tax_year'] },
  key: { fips: FIPS, apn: digits('pin', 14) },
  records: [
    {
      into: 'properties',
      creates: false,
      fields: {
        rank: decimal('year'),
        address_line1: upper('prop_address_full'),
        city: upper('prop_address_city_name'),
        zip: zip('prop_address_zipcode_1'),
      },
    },
  ],
  layers: [],
};

/** Values are mailed, then certified by the Assessor, then by the Board of Review; the last of them counts. */
const lastOf = (part: 'land' | 'bldg' | 'tot') =>
  derive([`board_${part}`, `certified_${part}`, `mailed_${part}`], (board, certified, mailed) => {
    const value = board || certified || mailed;
    return value === '' ? null : Math.round(Number(value.replaceAll(',', '')));
  });

const assessedValues: Dataset = {
  id: 'chicago-il/cook-assessed-values',
  name: 'Assessor, assessed values',
  ...CCAO,
  landingPage: 'https://datacatalog.cookcountyil.gov/Property-Taxation/Assessor-Assessed-Values/uzyt-m557',
  files: [{ path: 'cook_assessed_values.csv', url: cookData('uzyt-m557') }],
  columns: { year: ['tax_year'] },
  note: 'Assessed values, a tenth of the market value of a home; not market values.',
  key: { fips: FIPS, apn: digits('pin', 14) },
  records: [
    {
      into: 'assessments',
      fields: {
        year: whole('year', 1999, 2100),
        land: lastOf('land'),
        improvements: lastOf('bldg'),
        total: lastOf('tot'),
        known_on: derive(['year'], (year) => `${Number(year) + 1}-06-30`),
      },
    },
  ],
  layers: [{ layer: 'assessments', from: '1999-01-01' }],
};

const cookSales: Dataset = {
  id: 'chicago-il/cook-sales',
  name: 'Assessor, parcel sales',
  ...CCAO,
  landingPage: 'https://datacatalog.cookcountyil.gov/Property-Taxation/Assessor-Parcel-Sales/wvhk-k5uv',
  files: [{ path: 'cook_sales.csv', url: cookData('wvhk-k5uv') }],
  columns: {
    doc_no: ['sale_document_num'],
    deed_type: ['sale_deed_type'],
    seller_name: ['sale_seller_name'],
    buyer_name: ['sale_buyer_name'],
  },
  personal: ['seller_name', 'buyer_name', 'sale_seller_name', 'sale_buyer_name'],
  key: { fips: FIPS, apn: digits('pin', 14) },
  records: [
    {
      into: 'transactions',
      required: ['price'],
      bulkParcels: 2,
      fields: {
        id: text('doc_no'),
        document_number: text('doc_no'),
        document_type: text('deed_type'),
        sale_date: date('sale_date'),
        price: dollars('sale_price'),
        sellers: names('seller_name'),
        buyers: names('buyer_name'),
        bulk_key: text('doc_no'),
      },
    },
  ],
  layers: [{ layer: 'transactions', from: '1999-01-01', to: '2026-09-30' }],
};

export const chicago: Source = {
  id: 'chicago-il',
  market: { id: 'chicago-il', name: 'Chicago, Illinois', state: 'IL', description: 'The northwest side of Chicago' },
  counties: [{ fips: FIPS, name: 'Cook County', state: 'IL' }],
  datasets: [
    parcels,
    buildings,
    violations,
    permits,
    taxSale,
    universe,
    addresses,
    characteristics,
    assessedValues,
    cookSales,
  ],
};
