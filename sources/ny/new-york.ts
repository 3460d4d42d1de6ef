// New York City: sales in all five boroughs as published by the Department of Finance, rolling and by year.
import { date, derive, dollars, object, positive, text, upper, yearBuilt, zip } from '../../src/ingest/map/fields.ts';
import type { Dataset, Source } from '../../src/ingest/source.ts';

const BOROUGHS: Record<string, { fips: number; city: string; name: string }> = {
  '1': { fips: 36061, city: 'NEW YORK', name: 'New York County' },
  '2': { fips: 36005, city: 'BRONX', name: 'Bronx County' },
  '3': { fips: 36047, city: 'BROOKLYN', name: 'Kings County' },
  '4': { fips: 36081, city: 'QUEENS', name: 'Queens County' },
  '5': { fips: 36085, city: 'STATEN ISLAND', name: 'Richmond County' },
};

/** By the number at the start of the building class category. */
const TYPES: Record<string, string> = {
  '01': 'single_family',
  '02': 'multi_family',
  '03': 'multi_family',
  '04': 'condo',
  '05': 'land',
  '06': 'other',
  '07': 'apartment',
  '08': 'apartment',
  '09': 'condo',
  '10': 'condo',
  '11': 'other',
  '12': 'condo',
  '13': 'condo',
  '14': 'apartment',
  '15': 'condo',
  '16': 'condo',
  '17': 'condo',
  '31': 'land',
  '44': 'other',
  '47': 'other',
  '48': 'other',
};
const COOPERATIVE = /^(09|10|17)/;

const category = (cell: string) => cell.trim().slice(0, 2);
const street = (address: string) => address.split(',')[0].replace(/\s+/g, ' ').trim().toUpperCase() || null;
const door = (address: string, apartment: string) =>
  (apartment || address.split(',')[1] || '').trim().toUpperCase() || null;

/** Cooperative apartments share the lot of their building; condominiums have their own lots. */
const unitOfLot = derive(['address', 'apartment_number', 'building_class_category'], (address, apartment, kind) =>
  COOPERATIVE.test(kind) ? door(address, apartment) : null,
);

const sales: Dataset = {
  id: 'new-york-ny/sales',
  name: 'Annualized and rolling sales',
  publisher: 'New York City Department of Finance',
  landingPage: 'https://www.nyc.gov/site/finance/property/property-rolling-sales-data.page',
  licence: 'NYC Open Data terms of use: free use, no warranty. Check before resale.',
  attribution: 'New York City Department of Finance',
  cadence: 'monthly',
  note: 'A price of 0 is a transfer without cash consideration. No coordinates.',
  publishedOn: '2023-02-28',
  format: { type: 'csv' },
  files: [{ path: 'nyc/rolling_sales.csv.gz' }],
  columns: {
    building_class_category: ['BUILDING CLASS CATEGORY'],
    apartment_number: ['APARTMENT NUMBER'],
    zip_code: ['ZIP CODE'],
    total_units: ['TOTAL UNITS'],
    residential_units: ['RESIDENTIAL UNITS'],
    commercial_units: ['COMMERCIAL UNITS'],
    land_square_feet: ['LAND SQUARE FEET'],
    gross_square_feet: ['GROSS SQUARE FEET'],
    year_built: ['YEAR BUILT'],
    building_class_at_time_of_sale: ['BUILDING CLASS AT TIME OF SALE'],
    sale_price: ['SALE PRICE'],
    sale_date: ['SALE DATE'],
  },
  publicationLagDays: 30,
  key: {
    fips: derive(['borough'], (borough) => BOROUGHS[borough]?.fips ?? null),
    apn: derive(
      ['borough', 'block', 'lot'],
      (borough, block, lot) => borough + block.padStart(5, '0') + lot.padStart(4, '0'),
    ),
    unit: unitOfLot,
  },
  records: [
    {
      into: 'properties',
      fields: {
        address_line1: derive(['address'], street),
        address_unit: derive(['address', 'apartment_number'], door),
        city: derive(['borough'], (borough) => BOROUGHS[borough]?.city ?? null),
        zip: zip('zip_code'),
        property_type: derive(
          ['building_class_category'],
          (cell) => TYPES[category(cell)] ?? (cell ? 'commercial' : 'other'),
        ),
        land_use: text('building_class_category'),
        land_use_code: text('building_class_at_time_of_sale'),
        neighborhood: upper('neighborhood'),
        sqft: positive('gross_square_feet', 10_000_000),
        lot_sqft: positive('land_square_feet'),
        units: positive('total_units', 20_000),
        year_built: yearBuilt('year_built'),
        subdivision: derive(['borough', 'block'], (borough, block) => `${borough}-${block}`),
        extras: object({
          cooperative: derive(['building_class_category'], (cell) => (COOPERATIVE.test(cell) ? 1 : null)),
          residential_units: positive('residential_units'),
          commercial_units: positive('commercial_units'),
        }),
        known_on: date('sale_date'),
      },
    },
    {
      into: 'transactions',
      attributes: true,
      required: ['price'],
      bulkParcels: 3,
      fields: {
        sale_date: date('sale_date'),
        price: dollars('sale_price'),
        // Three parcels in one neighborhood on one day at one price were sold together.
        bulk_key: derive(['sale_date', 'sale_price', 'borough', 'neighborhood'], (...parts) => parts.join('|')),
      },
    },
  ],
  layers: [{ layer: 'properties' }, { layer: 'transactions', from: '2021-01-01', to: '2022-12-31' }],
  checks: { minRows: 1000, maxQuarantinedShare: 0.02 },
};

/** The workbooks themselves, one per borough; a few title lines precede the header. */
const rolling: Dataset = {
  ...sales,
  id: 'new-york-ny/rolling-workbooks',
  name: 'Rolling sales, workbooks of the Department',
  onRequest: true,
  publishedOn: '2026-10-31',
  format: { type: 'xlsx', skipLines: 4 },
  files: ['manhattan', 'bronx', 'brooklyn', 'queens', 'statenisland'].map((borough) => ({
    path: `rollingsales_${borough}.xlsx`,
    url: `https://www.nyc.gov/assets/finance/downloads/pdf/rolling_sales/rollingsales_${borough}.xlsx`,
  })),
};

export const newYork: Source = {
  id: 'new-york-ny',
  market: {
    id: 'new-york-ny',
    name: 'New York, New York',
    state: 'NY',
    description: 'Five boroughs, properties sold since 2021',
  },
  counties: Object.values(BOROUGHS).map(({ fips, name }) => ({ fips, name, state: 'NY' })),
  datasets: [sales, rolling],
};
