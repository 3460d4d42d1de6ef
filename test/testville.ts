// An invented county with its own roll, sales and code orders, for the ingest tests.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  constant,
  date,
  dollars,
  latitude,
  longitude,
  names,
  positive,
  precision,
  present,
  text,
  upper,
  whole,
} from '../src/supply/ingest/map/fields.ts';
import type { Dataset, Source } from '../src/supply/ingest/source.ts';
import { readSources } from '../sources/sources.ts';

export const FIPS = 99_777;

const COMMON = {
  publisher: 'Testville',
  landingPage: 'https://testville.example',
  licence: 'CC0',
  attribution: 'Testville',
  cadence: 'daily',
  publishedOn: '2026-01-31',
  format: { type: 'csv' as const },
};

const roll: Dataset = {
  ...COMMON,
  id: 'testville/roll',
  name: 'Roll',
  files: [{ path: 'roll.csv' }],
  personal: ['owner'],
  key: { fips: FIPS, apn: text('pin') },
  records: [
    {
      into: 'properties',
      complete: true,
      fields: {
        address_line1: upper('address'),
        city: constant('TESTVILLE'),
        latitude: latitude('lat'),
        longitude: longitude('lon'),
        property_type: constant('single_family'),
        sqft: positive('sqft'),
      },
    },
    { into: 'owners', when: present('owner'), fields: { names: names('owner') } },
    { into: 'assessments', fields: { year: whole('year', 1900, 2100), total: dollars('value') } },
  ],
  layers: [{ layer: 'properties' }, { layer: 'owners' }, { layer: 'assessments' }],
  checks: { maxVanishedShare: 0.6 },
};

const sales: Dataset = {
  ...COMMON,
  id: 'testville/sales',
  name: 'Sales',
  files: [{ path: 'sales*.csv', optional: true }],
  key: { fips: FIPS, apn: text('pin') },
  records: [
    { into: 'properties', creates: false, fields: { sqft: positive('sqft'), known_on: date('sold') } },
    {
      into: 'transactions',
      attributes: true,
      required: ['price'],
      fields: { sale_date: date('sold'), date_precision: precision('sold'), price: dollars('price') },
    },
  ],
  layers: [{ layer: 'transactions' }],
  checks: { minRows: 0, maxQuarantinedShare: 0.8 },
};

const orders: Dataset = {
  ...COMMON,
  id: 'testville/orders',
  name: 'Orders',
  files: [{ path: 'orders.csv', optional: true }],
  key: { fips: FIPS, apn: text('pin') },
  records: [
    {
      into: 'code_violations',
      fields: { id: text('number'), case_number: text('number'), status: text('status'), opened_date: date('opened') },
    },
  ],
  layers: [{ layer: 'code_violations' }],
  checks: { minRows: 0, maxQuarantinedShare: 1 },
};

export const testville: Source = {
  id: 'testville',
  market: { id: 'testville', name: 'Testville', state: 'ZY', description: 'Invented' },
  counties: [{ fips: FIPS, name: 'Test County', state: 'ZY' }],
  datasets: [roll, sales, orders],
};

/** Flood zones of the county, read as FEMA's own. */
export function floodZones(area: string, publishedOn: string): Dataset {
  const [counties] = readSources().find(({ id }) => id === 'us-nfhl')!.datasets;
  return {
    ...counties,
    id: 'testville/flood',
    publishedOn,
    onRequest: false,
    format: { type: 'geojson' },
    files: [{ path: 'flood.geojson' }],
    records: counties.records.map((record) => ({
      ...record,
      fields: { ...record.fields, fips: constant(FIPS), id: text(area) },
    })),
  };
}

export interface RollRow {
  pin: string;
  address: string;
  sqft: number | string;
  owner: string;
  value: number | string;
}

export function rollRow(number: number, changes: Partial<RollRow> = {}): RollRow {
  return {
    pin: `T-${String(number).padStart(6, '0')}`,
    address: `${number} Elm St`,
    sqft: 1000 + (number % 100),
    owner: `Owner ${number}`,
    value: 100_000 + number,
    ...changes,
  };
}

export function writeRoll(folder: string, rows: RollRow[]): void {
  const lines = rows.map(
    ({ pin, address, sqft, owner, value }, i) =>
      `${pin},${address},${43 + (i % 100) / 1000},${-88 - (i % 77) / 1000},${sqft},${owner},2025,${value}`,
  );
  writeFileSync(join(folder, 'roll.csv'), `pin,address,lat,lon,sqft,owner,year,value\n${lines.join('\n')}\n`);
}
