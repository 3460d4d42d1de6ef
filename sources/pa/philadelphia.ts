// Philadelphia, Pennsylvania: the assessment office's properties, and tax liens with permits and violations from 2014.
import {
  constant,
  date,
  derive,
  dollars,
  latitude,
  longitude,
  names,
  object,
  positive,
  present,
  text,
  upper,
  whole,
  yearBuilt,
  zip,
} from '../../src/ingest/map/fields.ts';
import type { Dataset, Source } from '../../src/ingest/source.ts';

const FIPS = 42101;
const LICENCE = 'City of Philadelphia open data terms: free use with attribution, no warranty. Check before resale.';

function propertyType(category: string, building: string): string {
  if (/CONDO/.test(building)) return 'condo';
  if (category.startsWith('SINGLE FAMILY')) return 'single_family';
  if (category.startsWith('MULTI FAMILY')) return 'multi_family';
  if (category.startsWith('APARTMENTS')) return 'apartment';
  if (category.startsWith('VACANT LAND')) return 'land';
  return category === '' || /GARAGE|SPECIAL/.test(category) ? 'other' : 'commercial';
}

const sum = (...cells: string[]) => {
  const known = cells.filter((cell) => cell !== '');
  return known.length === 0 ? null : Math.round(known.reduce((total, cell) => total + Number(cell), 0));
};

const CONDITIONS: Record<string, string> = {
  '1': 'newer',
  '2': 'rehabilitated',
  '3': 'above average',
  '4': 'average',
  '5': 'below average',
  '6': 'vacant',
  '7': 'sealed',
};
const HEATERS: Record<string, string> = {
  A: 'hot air',
  B: 'hot water',
  C: 'electric baseboard',
  D: 'heat pump',
  E: 'other',
  G: 'radiant',
  H: 'undetermined',
};

/** The document number from the register of deeds; blanks and zeros mean none. */
const document = (cell: string) => (/[1-9]/.test(cell) ? cell : null);

const opa: Dataset = {
  id: 'philadelphia-pa/opa-properties',
  name: 'Properties and assessments (opa_properties_public)',
  publisher: 'City of Philadelphia, Office of Property Assessment',
  landingPage: 'https://opendataphilly.org/datasets/philadelphia-properties-and-assessment-history/',
  licence: LICENCE,
  attribution: 'City of Philadelphia, Office of Property Assessment',
  cadence: 'daily',
  note: 'The full file and a sample of it have the same columns.',
  publishedOn: '2023-05-01',
  format: { type: 'csv' },
  files: [
    {
      path: 'philadelphia/opa_properties_public.csv.gz',
      url: 'https://phl.carto.com/api/v2/sql?filename=opa_properties_public&format=csv&skipfields=cartodb_id,the_geom,the_geom_webmercator&q=SELECT%20*,ST_Y(the_geom)%20AS%20lat,ST_X(the_geom)%20AS%20lng%20FROM%20opa_properties_public',
    },
  ],
  personal: [
    'owner_1',
    'owner_2',
    'mailing_address_1',
    'mailing_address_2',
    'mailing_care_of',
    'mailing_street',
    'mailing_city_state',
    'mailing_zip',
  ],
  authority: 2,
  key: { fips: FIPS, apn: derive(['parcel_number'], (cell) => cell.padStart(9, '0')) },
  records: [
    {
      into: 'properties',
      fields: {
        address_line1: upper('location'),
        address_unit: upper('unit'),
        city: constant('PHILADELPHIA'),
        zip: zip('zip_code'),
        latitude: latitude('lat'),
        longitude: longitude('lng'),
        property_type: derive(['category_code_description', 'building_code_description'], propertyType),
        sqft: positive('total_livable_area', 20_000_000),
        lot_sqft: positive('total_area'),
        bedrooms: whole('number_of_bedrooms', 0, 200),
        bathrooms: positive('number_of_bathrooms', 200),
        rooms: positive('number_of_rooms', 500),
        stories: positive('number_stories', 100),
        garage_spaces: whole('garage_spaces', 0, 500),
        year_built: yearBuilt('year_built'),
        zoning: text('zoning'),
        land_use_code: text('building_code'),
        land_use: text('category_code_description'),
        legal_description: text('beginning_point'),
        style: text('building_code_description'),
        quality: text('quality_grade'),
        condition: derive(['interior_condition'], (cell) => CONDITIONS[cell] ?? null),
        heating: derive(['type_heater'], (cell) => HEATERS[cell] ?? null),
        cooling: derive(['central_air'], (cell) =>
          /^[Y1]/.test(cell) ? 'central' : /^[N0]/.test(cell) ? 'none' : null,
        ),
        extras: object({
          exterior_condition: positive('exterior_condition'),
          fireplaces: whole('fireplaces'),
          ward: positive('geographic_ward'),
          frontage_ft: positive('frontage'),
        }),
        known_on: date('assessment_date'),
      },
    },
    {
      into: 'owners',
      when: present('owner_1'),
      fields: {
        names: names('owner_1', 'owner_2'),
        mailing_address: derive(['mailing_street', 'mailing_city_state', 'mailing_zip'], (road, city, code) =>
          road ? [road, city, code].filter(Boolean).join(', ') : null,
        ),
        owner_occupied: derive(['homestead_exemption'], (cell) => Number(cell) > 0),
      },
    },
    {
      into: 'assessments',
      when: present('market_value'),
      fields: {
        // Values certified in spring are for the next tax year.
        year: derive(['assessment_date'], (cell) => (cell ? Number(cell.slice(0, 4)) + 1 : null)),
        land: derive(['taxable_land', 'exempt_land'], sum),
        improvements: derive(['taxable_building', 'exempt_building'], sum),
        total: derive(['taxable_land', 'exempt_land', 'taxable_building', 'exempt_building'], sum),
        market_total: dollars('market_value'),
        known_on: date('assessment_date'),
      },
    },
    {
      into: 'transactions',
      when: present('sale_date'),
      attributes: true,
      bulkParcels: 2,
      fields: {
        document_number: derive(['book_and_page'], document),
        recording_date: date('recording_date'),
        sale_date: date('sale_date'),
        price: dollars('sale_price'),
        bulk_key: derive(['book_and_page', 'sale_price'], (book, price) =>
          document(book) ? `${book}|${price}` : null,
        ),
      },
    },
  ],
  layers: [
    { layer: 'properties' },
    { layer: 'owners' },
    { layer: 'assessments', from: '2023-01-01', to: '2024-12-31' },
    { layer: 'transactions', to: '2023-05-01' },
  ],
  checks: { minRows: 1000, maxQuarantinedShare: 0.1 },
};

const part = (index: 0 | 1) => (cell: string) => {
  const number = Number(cell.replace(/[()]/g, '').split(',')[index]);
  return number === 0 || Number.isNaN(number) ? null : number;
};

const liens: Dataset = {
  id: 'philadelphia-pa/tax-liens-2014',
  name: 'Real estate tax balances with liens, permits and violations, 2014',
  publisher: 'City of Philadelphia, Department of Revenue and Department of Licenses and Inspections',
  landingPage: 'https://opendataphilly.org/datasets/real-estate-tax-balances/',
  licence: LICENCE,
  attribution: 'City of Philadelphia',
  cadence: 'once',
  note: 'Permits and violations are JSON in cells. Most of its parcels are not in the sample of properties and come from here.',
  publishedOn: '2016-01-15',
  format: { type: 'csv' },
  files: [{ path: 'philadelphia/tax_liens_permits_violations_2014.csv.gz' }],
  personal: ['Owner'],
  key: { fips: FIPS, apn: derive(['Parcel Number'], (cell) => cell.padStart(9, '0')) },
  records: [
    {
      into: 'properties',
      fields: {
        address_line1: upper('Location'),
        address_unit: upper('Unit'),
        city: constant('PHILADELPHIA'),
        latitude: derive(['Coordinates'], part(0)),
        longitude: derive(['Coordinates'], part(1)),
      },
    },
    {
      into: 'tax_liens',
      fields: {
        id: text('Lien Number'),
        type: constant('property_tax'),
        amount: dollars('Total'),
        tax_year: whole('Tax Period', 1900, 2100),
        status: constant('open'),
        document_number: text('Lien Number'),
      },
    },
    {
      into: 'permits',
      each: 'Permit Summary',
      fields: {
        id: text('.permit_number'),
        number: text('.permit_number'),
        type: text('.permit_type_name'),
        status: text('.status'),
        issue_date: date('.issued_datetime'),
        final_date: derive(['.status', '.updated_datetime'], (status, updated) =>
          status === 'COMPLETED' && updated
            ? new Date(Number(updated.replace(/\D/g, ''))).toISOString().slice(0, 10)
            : null,
        ),
      },
    },
    {
      into: 'code_violations',
      each: 'Violation Summary',
      fields: {
        id: text('.violation_details_id'),
        case_number: text('.case_number'),
        code_section: text('.violation_code'),
        description: text('.violation_code_description'),
        status: derive(['.violation_status'], (status) =>
          status === 'Complied' ? 'closed' : status === 'Not Complied' ? 'open' : 'unknown',
        ),
        opened_date: date('.violation_datetime'),
      },
    },
  ],
  layers: [
    { layer: 'tax_liens', from: '1990-01-01', to: '2014-12-31' },
    { layer: 'permits', to: '2015-12-31' },
    { layer: 'code_violations', to: '2015-12-31' },
  ],
  checks: { minRows: 100 },
};

export const philadelphia: Source = {
  id: 'philadelphia-pa',
  market: {
    id: 'philadelphia-pa',
    name: 'Philadelphia, Pennsylvania',
    state: 'PA',
    description: 'City and County of Philadelphia',
  },
  counties: [{ fips: FIPS, name: 'Philadelphia County', state: 'PA' }],
  datasets: [opa, liens],
};
