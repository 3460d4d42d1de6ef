// Cambridge, Massachusetts: tax roll 2014, property database 2025, parcel shapes, flood zones, special permits.
import {
  centroid,
  constant,
  dateAfter,
  decimal,
  derive,
  dollars,
  names,
  positive,
  present,
  text,
  upper,
  whole,
  yearBuilt,
} from '../../src/ingest/map/fields.ts';
import type { Dataset, Source } from '../../src/ingest/source.ts';
import { floodZones } from '../us/nfhl.ts';

const FIPS = 25017;
const COMMON = {
  publisher: 'City of Cambridge, Assessing Department',
  licence: 'Open Data Commons Public Domain Dedication and License (PDDL)',
  attribution: 'City of Cambridge Open Data',
};

/** Property type by Massachusetts class code; Cambridge writes four digits with a leading 0 for mixed use. */
function classType(code: string): string {
  if (/^(101|1014)$/.test(code)) return 'single_family';
  if (/^(102|1021)$/.test(code)) return 'condo';
  if (/^(104|105|109\d*)$/.test(code)) return 'multi_family';
  if (/^(111|112|113|114|115|121|125)$/.test(code)) return 'apartment';
  if (/^(103)$/.test(code)) return 'manufactured';
  if (/^(13\d|1322|106\d?|39\d|44\d)$/.test(code)) return 'land';
  if (/^(1028|199|9\d+)$/.test(code)) return 'other';
  return /^(0|3|4|13$|31$|14)/.test(code) ? 'commercial' : 'other';
}

/** `140/65` is book and page; registered land has a document number instead. */
const bookPage = (index: 0 | 1) => (cell: string) => {
  const [book, page] = cell.split('/').map((piece) => piece.trim());
  return page && Number(page) > 0 && book ? (index === 0 ? book : page) : null;
};
const documentNumber = (cell: string) => (cell.includes('/') || !/[1-9]/.test(cell) ? null : cell);
const deedKey = (cell: string, on: string) => (/[1-9]/.test(cell) ? cell.replaceAll(' ', '') : on);

const EMPTY_DATE = '1900-01-02';

const roll2014: Dataset = {
  id: 'cambridge-ma/tax-roll-2014',
  name: 'Assessing tax roll, fiscal year 2014',
  ...COMMON,
  landingPage: 'https://github.com/cambridgegis/cambridgegis_data_assessing',
  cadence: 'once',
  publishedOn: '2014-01-01',
  format: { type: 'csv' },
  files: [{ path: 'cambridge/tax_fy2014.csv.gz' }],
  // Condominium units have the lot of their building and a number after #.
  key: {
    fips: FIPS,
    apn: text('ML'),
    unit: derive(['Location'], (place) => place.split('#')[1]?.trim().toUpperCase() || null),
  },
  records: [
    {
      into: 'properties',
      fields: {
        address_line1: derive(['Location'], (place) => place.split('#')[0].trim().toUpperCase() || null),
        address_unit: derive(['Location'], (place) => place.split('#')[1]?.trim().toUpperCase() || null),
        city: constant('CAMBRIDGE'),
        property_type: derive(['UseCode'], classType),
        land_use_code: text('UseCode'),
        land_use: text('UseDescription'),
        lot_sqft: positive('LandArea'),
        sqft: positive('GrossArea', 20_000_000),
        year_built: yearBuilt('AYBYrBuilt'),
        stories: decimal('BldgStories', 0.5, 100),
        style: text('StyleDesc'),
      },
    },
    { into: 'property_keys', fields: { kind: constant('map-lot'), key: text('ML') } },
    {
      into: 'assessments',
      fields: {
        year: constant(2014),
        land: dollars('TotalAppraisedLandValue'),
        // Some are negative: corrections, not values.
        improvements: whole('TotalAppraisedImprovements'),
        total: dollars('TotalAppraisedParcelValue'),
      },
    },
    {
      into: 'transactions',
      when: derive(['SaleDate'], (cell) => cell !== '' && cell !== '1/1/1900'),
      fields: {
        id: derive(['BookPage', 'SaleDate'], deedKey),
        sale_date: dateAfter('SaleDate', EMPTY_DATE),
        book: derive(['BookPage'], bookPage(0)),
        page: derive(['BookPage'], bookPage(1)),
        document_number: derive(['BookPage'], documentNumber),
      },
    },
  ],
  layers: [
    { layer: 'properties' },
    { layer: 'assessments', from: '2014-01-01', to: '2014-12-31' },
    { layer: 'transactions', to: '2013-12-31' },
  ],
  checks: { minRows: 10_000, maxQuarantinedShare: 0.02 },
};

const known = (cell: string) => (cell === '' || cell === 'NULL' ? null : cell);
const plain = (column: string) => derive([column], (cell) => known(cell)?.toLowerCase().replaceAll('-', ' ') ?? null);

const database2025: Dataset = {
  id: 'cambridge-ma/property-database-2025',
  name: 'Property database, fiscal years 2016 to 2025',
  ...COMMON,
  landingPage: 'https://data.cambridgema.gov/Assessing/Cambridge-Property-Database-FY16-FY25/eey2-rv59',
  cadence: 'yearly',
  publishedOn: '2025-01-15',
  format: { type: 'csv' },
  files: [
    {
      path: 'cambridge/property_database_fy2025.csv.gz',
      url: 'https://data.cambridgema.gov/api/views/eey2-rv59/rows.csv?accessType=DOWNLOAD',
    },
  ],
  personal: [
    'Owner_Name',
    'Owner_CoOwnerName',
    'Owner_Address',
    'Owner_Address2',
    'Owner_City',
    'Owner_State',
    'Owner_Zip',
  ],
  key: { fips: FIPS, apn: text('GISID'), unit: upper('Unit') },
  records: [
    {
      into: 'properties',
      fields: {
        // If a lot has several buildings, the first is the one described.
        rank: derive(['BldgNum'], (cell) => -Number(cell)),
        address_line1: upper('Address'),
        address_unit: upper('Unit'),
        city: constant('CAMBRIDGE'),
        property_type: derive(['StateClassCode'], classType),
        land_use_code: text('StateClassCode'),
        land_use: text('PropertyClass'),
        zoning: text('Zoning'),
        lot_sqft: positive('LandArea'),
        sqft: positive('Interior_LivingArea', 20_000_000),
        bedrooms: positive('Interior_Bedrooms', 500),
        bathrooms: derive(
          ['Interior_FullBaths', 'Interior_HalfBaths'],
          (full, half) => (Number(full) || 0) + (Number(half) || 0) / 2 || null,
        ),
        baths_full: positive('Interior_FullBaths', 500),
        baths_half: whole('Interior_HalfBaths', 0, 500),
        rooms: positive('Interior_TotalRooms', 2000),
        units: positive('Interior_NumUnits', 5000),
        stories: derive(['Exterior_NumStories'], (cell) => Number(cell) || null),
        garage_spaces: whole('Parking_Garage', 0, 500),
        year_built: yearBuilt('Condition_YearBuilt'),
        exterior: plain('Exterior_WallType'),
        heating: plain('Systems_HeatType'),
        cooling: derive(['Systems_CentralAir'], (cell) =>
          cell === 'True' ? 'central' : cell === 'False' ? 'none' : null,
        ),
        condition: plain('Condition_OverallCondition'),
        quality: plain('Condition_OverallGrade'),
        style: plain('Exterior_Style'),
      },
    },
    { into: 'property_keys', fields: { kind: constant('map-lot'), key: text('GISID') } },
    {
      into: 'owners',
      when: present('Owner_Name'),
      fields: {
        names: names('Owner_Name', 'Owner_CoOwnerName'),
        mailing_address: derive(
          ['Owner_Address', 'Owner_Address2', 'Owner_City', 'Owner_State', 'Owner_Zip'],
          (road, more, ...rest) => (road ? [road, more, ...rest].filter(Boolean).join(', ') : null),
        ),
        owner_occupied: derive(['ResidentialExemption'], (cell) => cell === 'True'),
      },
    },
    {
      into: 'assessments',
      when: derive(['AssessedValue'], (cell) => Number(cell) > 0),
      fields: {
        year: whole('YearOfAssessment', 1900, 2100),
        land: dollars('LandValue'),
        improvements: dollars('BuildingValue'),
        total: dollars('AssessedValue'),
      },
    },
    {
      into: 'taxes',
      // −1 stands for a record without a bill.
      when: derive(['PropertyTaxAmount'], (cell) => Number(cell) >= 0 && cell !== ''),
      fields: {
        year: whole('YearOfAssessment', 1900, 2100),
        amount_cents: derive(['PropertyTaxAmount'], (cell) => Math.round(Number(cell) * 100)),
        exemptions: derive(['ResidentialExemption'], (cell) => (cell === 'True' ? ['residential'] : [])),
      },
    },
    {
      into: 'transactions',
      when: derive(['SaleDate'], (cell) => cell !== '' && !cell.startsWith('1900-01-01')),
      attributes: true,
      fields: {
        id: derive(['BookPage', 'SaleDate'], deedKey),
        sale_date: dateAfter('SaleDate', EMPTY_DATE),
        price: dollars('SalePrice'),
        book: derive(['BookPage'], bookPage(0)),
        page: derive(['BookPage'], bookPage(1)),
      },
    },
  ],
  layers: [
    { layer: 'properties' },
    { layer: 'owners' },
    { layer: 'assessments', from: '2025-01-01', to: '2025-12-31' },
    { layer: 'taxes', from: '2025-01-01', to: '2025-12-31' },
    { layer: 'transactions', to: '2024-12-31' },
  ],
  checks: { minRows: 500, maxQuarantinedShare: 0.02 },
};

const shapes: Dataset = {
  id: 'cambridge-ma/parcel-shapes-2014',
  name: 'Parcel shapes, fiscal year 2014',
  ...COMMON,
  landingPage: 'https://github.com/cambridgegis/cambridgegis_data_assessing',
  cadence: 'yearly',
  note: 'A lot passes its centroid to every unit on it.',
  publishedOn: '2014-01-01',
  format: { type: 'topojson' },
  files: [{ path: 'cambridge/parcels_fy2014.topojson.gz' }],
  // Roads and water are shapes too, under ROAD, --MD and the like.
  where: derive(['ML'], (cell) => /^\d.*-\d/.test(cell)),
  key: { fips: FIPS, by: { kind: 'map-lot', key: text('ML') } },
  records: [
    {
      into: 'properties',
      creates: false,
      fields: { latitude: centroid('latitude'), longitude: centroid('longitude') },
    },
  ],
  layers: [],
};

const flood = floodZones({
  id: 'cambridge-ma/flood',
  name: 'Flood plains with 1 % and 0.2 % annual chance',
  fips: FIPS,
  area: derive(['dfirm_id', 'fld_ar_id'], (...parts) => parts.join('-')),
  files: [
    { path: 'cambridge/FEMA_FloodPlains500Year.geojson.gz' },
    { path: 'cambridge/FEMA_FloodPlains100Year.geojson.gz' },
  ],
  publishedOn: '2010-06-04',
});

const permits: Dataset = {
  id: 'cambridge-ma/special-permits',
  name: 'Planning Board special permits',
  ...COMMON,
  publisher: 'City of Cambridge, Community Development Department',
  landingPage: 'https://www.cambridgema.gov/GIS/gisdatadictionary/CDD/CDD_SpecialPermits',
  cadence: 'monthly',
  note: 'Special permits only, not building permits; without dates of issue.',
  publishedOn: '2025-09-22',
  format: { type: 'geojson' },
  files: [{ path: 'cambridge/special_permits.geojson.gz' }],
  key: { fips: FIPS, apn: derive(['MapLots'], (lots) => lots.split(/[,;]/)[0].trim() || null) },
  records: [
    {
      into: 'permits',
      fields: {
        id: text('CaseID'),
        number: text('CaseID'),
        type: text('CaseType'),
        description: derive(['ProjectName', 'ProjectAddress'], (...parts) => parts.filter(Boolean).join(', ') || null),
        status: text('CaseStatus'),
      },
    },
  ],
  layers: [{ layer: 'permits', to: '2025-09-22' }],
};

export const cambridge: Source = {
  id: 'cambridge-ma',
  market: { id: 'cambridge-ma', name: 'Cambridge, Massachusetts', state: 'MA', description: 'City of Cambridge' },
  counties: [{ fips: FIPS, name: 'Middlesex County', state: 'MA' }],
  datasets: [flood, roll2014, database2025, shapes, permits],
};
