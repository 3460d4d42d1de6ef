// Lyme, New Hampshire: parcels, owners and yearly assessments from the town; deeds, mortgages and discharges from the
// registry.
import {
  constant,
  date,
  derive,
  dollars,
  names,
  present,
  scaled,
  text,
  upper,
  whole,
} from '../../src/ingest/map/fields.ts';
import type { Dataset, Source } from '../../src/ingest/source.ts';
import { recordId } from '../../src/lib/ids.ts';

const FIPS = 33009;
const SQFT_PER_ACRE = 43_560;
const TOWN = {
  publisher: 'Town of Lyme, Board of Assessors',
  licence: 'Public record of the town; collected by the Lyme property project. Check before resale.',
  attribution: 'Town of Lyme, New Hampshire',
  cadence: 'yearly',
  landingPage: 'https://gis.vgsi.com/lymenh/',
};

function landUseType(code: string, description: string): string {
  if (/CONDO/i.test(description)) return /OFF/i.test(description) ? 'commercial' : 'condo';
  if (/MOBILE/i.test(description)) return 'manufactured';
  if (/^(SINGLE FAM|SFR)/i.test(description)) return 'single_family';
  if (/^(TWO FAM|THREE FAM|MULTI HSES|MLTI HS)/i.test(description)) return 'multi_family';
  if (/^APT/i.test(description)) return 'apartment';
  if (/LND|LAND|UNR?-|MR?-|FARM|UNPRODUCTIVE/i.test(description)) return 'land';
  if (/^9|TOWN|GOVT|STATE|CHURCH|NON PROFIT|MUNIC|SCHOOL|FIRE/i.test(code + description)) return 'other';
  return /^[34]/.test(code) ? 'commercial' : 'other';
}

const padded = (cell: string, length: number) => (cell ? cell.padStart(length, '0') : '');
/** Map, lot and unit with their zeros: without them 20-11 and 201-1 would be the same parcel. */
const mapLot = (map: string, lot: string, unit: string, subunit = '') =>
  map && lot ? [padded(map, 3), padded(lot, 4), padded(unit, 4), subunit].filter(Boolean).join('-') : null;

const bookPage = (book: string, page: string) =>
  /^\d+$/.test(book) && Number(page) > 0 ? `${Number(book)}/${Number(page)}` : null;

const parcels: Dataset = {
  id: 'lyme-nh/parcels',
  name: 'Assessor’s parcels',
  ...TOWN,
  publishedOn: '2023-03-01',
  format: { type: 'csv' },
  files: [{ path: 'lyme/parcels.csv.gz' }],
  personal: ['SD_Owner'],
  // The second line repeats the column names in words.
  where: derive(['SD_PID'], (pid) => /^\d+$/.test(pid)),
  key: { fips: FIPS, apn: derive(['SD_Map', 'SD_Lot', 'SD_Unit', 'SD_Subunit'], mapLot) },
  records: [
    {
      into: 'properties',
      complete: true,
      fields: {
        address_line1: upper('SD_Street_Address'),
        city: constant('LYME'),
        zip: constant('03768'),
        property_type: derive(['SD_Land_Use_Code', 'SD_Description'], landUseType),
        land_use_code: text('SD_Land_Use_Code'),
        land_use: text('SD_Description'),
        zoning: text('SD_Zoning_District'),
        lot_sqft: scaled('SD_Lot_Size', SQFT_PER_ACRE),
      },
    },
    { into: 'property_keys', fields: { kind: constant('pid'), key: text('SD_PID') } },
    {
      into: 'owners',
      when: present('SD_Owner'),
      fields: {
        names: names('SD_Owner'),
        owned_since: date('SD_Recent_Sale_Date'),
        known_on: date('SD_Recent_Sale_Date'),
      },
    },
  ],
  layers: [{ layer: 'properties' }, { layer: 'owners' }],
  checks: { minRows: 500 },
};

const otherNames: Dataset = {
  id: 'lyme-nh/parcel-keys',
  name: 'Assessor’s parcels: map and lot, book and page',
  ...TOWN,
  publishedOn: '2023-03-01',
  format: { type: 'csv' },
  files: [{ path: 'lyme/parcels.csv.gz' }],
  where: derive(['SD_PID'], (pid) => /^\d+$/.test(pid)),
  key: { fips: FIPS, by: { kind: 'pid', key: text('SD_PID') } },
  records: [
    {
      into: 'property_keys',
      fields: { kind: constant('map-lot'), key: derive(['SD_Map', 'SD_Lot', 'SD_Unit'], mapLot) },
    },
  ],
  layers: [],
};

const hasSale = derive(['OH_PID', 'OH_Sale_Date'], (pid, on) => /^\d+$/.test(pid) && /^\d{4}-/.test(on));

const ownerHistory: Dataset = {
  id: 'lyme-nh/owner-history',
  name: 'Assessor’s ownership history',
  ...TOWN,
  publishedOn: '2023-03-01',
  format: { type: 'csv' },
  files: [{ path: 'lyme/owner_history.csv.gz' }],
  personal: ['OH_Owner'],
  where: hasSale,
  publicationLagDays: 0,
  key: { fips: FIPS, by: { kind: 'pid', key: text('OH_PID') } },
  records: [
    {
      into: 'transactions',
      fields: {
        id: derive(
          ['OH_Book', 'OH_Page', 'OH_Sale_Date', 'OH_PID'],
          (book, page, on, pid) => bookPage(book, page) ?? `${pid}|${on}`,
        ),
        sale_date: date('OH_Sale_Date'),
        price: dollars('OH_Sale_Price'),
        book: text('OH_Book'),
        page: derive(['OH_Page'], (page) => (Number(page) > 0 ? page : null)),
        document_type: derive(['OH_Instrument'], (cell) => (/^\w+$/.test(cell) ? cell : null)),
        buyers: names('OH_Owner'),
      },
    },
    {
      into: 'property_keys',
      when: derive(['OH_Book', 'OH_Page'], (book, page) => bookPage(book, page) !== null),
      fields: { kind: constant('book-page'), key: derive(['OH_Book', 'OH_Page'], bookPage) },
    },
    {
      into: 'owners',
      fields: { names: names('OH_Owner'), owned_since: date('OH_Sale_Date'), known_on: date('OH_Sale_Date') },
    },
  ],
  layers: [{ layer: 'transactions', to: '2023-02-28' }],
};

const assessments: Dataset = {
  id: 'lyme-nh/assessments',
  name: 'Assessments by year',
  ...TOWN,
  publishedOn: '2023-03-01',
  format: { type: 'csv' },
  files: [{ path: 'lyme/assessment_history.csv.gz' }],
  where: derive(['AS_PID', 'AS_Year'], (pid, year) => /^\d+$/.test(pid) && /^\d{4}$/.test(year)),
  key: { fips: FIPS, by: { kind: 'pid', key: text('AS_PID') } },
  records: [
    {
      into: 'assessments',
      fields: {
        year: whole('AS_Year', 1900, 2100),
        land: dollars('AS_Land'),
        improvements: dollars('AS_Improv'),
        total: dollars('AS_Total'),
        known_on: derive(['AS_Year'], (year) => `${year}-12-31`),
      },
    },
  ],
  layers: [{ layer: 'assessments', from: '2020-01-01', to: '2022-12-31' }],
};

const REGISTRY = {
  publisher: 'Grafton County Registry of Deeds',
  landingPage: 'https://www.nhdeeds.org/grafton-county-nh/',
  licence: 'Public record of the county; the registry charges for copies. Check before resale.',
  attribution: 'Grafton County Registry of Deeds',
  cadence: 'daily',
  publishedOn: '2023-03-31',
  format: { type: 'csv' as const },
  files: [{ path: 'lyme/recorded_documents.csv.gz' }],
  personal: ['GC_Party1', 'GC_Party2'],
};

/** A name used as a key would put names in a table without a scope; its hash joins just as well. */
const party = (on: string, name: string) => (name ? recordId('party', on, name.toUpperCase()) : null);
const money = (cell: string) => (/\d/.test(cell) ? Math.round(Number(cell.replace(/[$,]/g, ''))) : null);

const deeds: Dataset = {
  id: 'lyme-nh/recorded-deeds',
  name: 'Recorded deeds',
  ...REGISTRY,
  note: 'Joined by book and page to the assessor’s ownership history.',
  where: derive(['GC_Type', 'GC_Book'], (type, book) => type.endsWith('DEED') && book !== ''),
  key: { fips: FIPS, by: { kind: 'book-page', key: derive(['GC_Book', 'GC_Page'], bookPage) } },
  records: [
    {
      into: 'transactions',
      fields: {
        id: derive(['GC_Book', 'GC_Page'], bookPage),
        document_type: text('GC_Type'),
        document_number: text('GC_ID'),
        book: text('GC_Book'),
        page: text('GC_Page'),
        recording_date: date('GC_Date'),
        price: derive(['GC_Consideration'], money),
        sellers: names('GC_Party1'),
        buyers: names('GC_Party2'),
      },
    },
    {
      into: 'property_keys',
      when: present('GC_Party2'),
      fields: { kind: constant('grantee'), key: derive(['GC_Date', 'GC_Party2'], party) },
    },
  ],
  layers: [{ layer: 'transactions', from: '2019-04-01', to: '2023-02-28' }],
};

const mortgages: Dataset = {
  id: 'lyme-nh/recorded-mortgages',
  name: 'Recorded mortgages',
  ...REGISTRY,
  note: 'A mortgage names no parcel; it is joined if its borrower took a deed on the same day.',
  where: derive(['GC_Type', 'GC_Book'], (type, book) => type.endsWith('MORTGAGE') && book !== ''),
  key: { fips: FIPS, by: { kind: 'grantee', key: derive(['GC_Date', 'GC_Party1'], party) } },
  records: [
    {
      into: 'transactions',
      fields: {
        type: constant('mortgage'),
        id: derive(['GC_Book', 'GC_Page'], bookPage),
        document_type: text('GC_Type'),
        document_number: text('GC_ID'),
        book: text('GC_Book'),
        page: text('GC_Page'),
        recording_date: date('GC_Date'),
        buyers: names('GC_Party1'),
        lender: text('GC_Party2'),
      },
    },
    { into: 'property_keys', fields: { kind: constant('mortgage'), key: derive(['GC_Book', 'GC_Page'], bookPage) } },
  ],
  layers: [],
  checks: { maxQuarantinedShare: 1 },
};

const discharges: Dataset = {
  id: 'lyme-nh/recorded-discharges',
  name: 'Recorded discharges of mortgages',
  ...REGISTRY,
  note: 'Joined through the mortgage it names, if that one is known.',
  where: derive(['GC_Type', 'GC_AssocDocs'], (type, others) => type === 'DISCHARGE' && /\d+-\d+/.test(others)),
  key: {
    fips: FIPS,
    by: {
      kind: 'mortgage',
      key: derive(['GC_AssocDocs'], (cell) => bookPage(...(cell.split(',')[0].split('-') as [string, string]))),
    },
  },
  records: [
    {
      into: 'transactions',
      fields: {
        type: constant('release'),
        id: derive(['GC_Book', 'GC_Page'], bookPage),
        document_type: text('GC_Type'),
        document_number: text('GC_ID'),
        book: text('GC_Book'),
        page: text('GC_Page'),
        recording_date: date('GC_Date'),
        lender: text('GC_Party2'),
      },
    },
  ],
  layers: [],
  checks: { maxQuarantinedShare: 1 },
};

const permits: Dataset = {
  id: 'lyme-nh/permits',
  name: 'Zoning permits',
  ...TOWN,
  publisher: 'Town of Lyme, Planning and Zoning',
  publishedOn: '2023-03-31',
  format: { type: 'csv' },
  files: [{ path: 'lyme/permits.csv.gz' }],
  where: derive(['ZP_PermitNumber'], (number) => /^\d{4}-/.test(number)),
  key: { fips: FIPS, by: { kind: 'map-lot', key: derive(['ZP_Map', 'ZP_Lot', 'ZP_Unit'], mapLot) } },
  records: [
    {
      into: 'permits',
      fields: {
        id: text('ZP_PermitNumber'),
        number: text('ZP_PermitNumber'),
        type: constant('zoning'),
        description: text('ZP_Description'),
        issue_date: derive(['ZP_DateIssued'], (cell) => (/^\d{4}-\d{2}-\d{2}$/.test(cell) ? cell : null)),
        job_value: derive(['ZP_EstCost'], money),
      },
    },
  ],
  layers: [{ layer: 'permits', from: '2016-01-01', to: '2022-12-31' }],
};

export const lyme: Source = {
  id: 'lyme-nh',
  market: { id: 'lyme-nh', name: 'Lyme, New Hampshire', state: 'NH', description: 'Town of Lyme, Grafton County' },
  counties: [{ fips: FIPS, name: 'Grafton County', state: 'NH' }],
  parcels: { fixedWidth: true },
  datasets: [parcels, otherNames, ownerHistory, assessments, deeds, mortgages, discharges, permits],
};
