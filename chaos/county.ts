// An invented county that changes with every load. Forty of its homes get a new lot size and assessment each time, all the
// same figure, so that half a load would be seen at once.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  constant,
  date,
  decimal,
  dollars,
  latitude,
  longitude,
  positive,
  text,
  upper,
  whole,
  yearBuilt,
} from '../src/supply/ingest/map/fields.ts';
import type { Dataset, Source } from '../src/supply/ingest/source.ts';
import { createRandom } from './random.ts';

export const MARKET = 'tumult';
export const FIPS = 99_801;
export const HOMES = 1_200;
export const MARKERS = 40;
/** Markers, and nothing else, have this ZIP code. */
export const MARKER_ZIP = '99801';
const OTHER_ZIPS = ['99802', '99803', '99804'];
const YEARS = 5;

const COMMON = {
  publisher: 'Tumult County',
  landingPage: 'https://tumult.example',
  licence: 'CC0',
  attribution: 'Tumult County',
  cadence: 'daily',
  format: { type: 'csv' as const },
};

export function countyPublishedOn(publishedOn: string): Source {
  const roll: Dataset = {
    ...COMMON,
    id: `${MARKET}/roll`,
    name: 'Roll',
    publishedOn,
    files: [{ path: 'roll.csv' }],
    key: { fips: FIPS, apn: text('pin') },
    records: [
      {
        into: 'properties',
        complete: true,
        fields: {
          address_line1: upper('address'),
          city: constant('TUMULT'),
          zip: text('zip'),
          latitude: latitude('lat'),
          longitude: longitude('lon'),
          property_type: constant('single_family'),
          sqft: positive('sqft'),
          bedrooms: whole('beds', 0, 20),
          bathrooms: decimal('baths', 0, 20),
          lot_sqft: positive('lot'),
          year_built: yearBuilt('built'),
        },
      },
      { into: 'assessments', fields: { year: whole('year', 1900, 2100), total: dollars('value') } },
    ],
    layers: [{ layer: 'properties' }, { layer: 'assessments' }],
  };
  const sales: Dataset = {
    ...COMMON,
    id: `${MARKET}/sales`,
    name: 'Sales',
    publishedOn,
    files: [{ path: 'sales.csv' }],
    key: { fips: FIPS, apn: text('pin') },
    records: [
      {
        into: 'transactions',
        attributes: true,
        required: ['price'],
        fields: { sale_date: date('sold'), price: dollars('price') },
      },
    ],
    layers: [{ layer: 'transactions' }],
  };
  return {
    id: MARKET,
    market: { id: MARKET, name: 'Tumult', state: 'ZY', description: 'Invented for the campaign' },
    counties: [{ fips: FIPS, name: 'Tumult County', state: 'ZY' }],
    datasets: [roll, sales],
  };
}

interface Home {
  pin: string;
  lot: number;
  rowAround: (lot: number) => string;
  price: number;
}

/** The same homes every time; only what is assessed changes. */
function inventHomes(): Home[] {
  const random = createRandom(11);
  return Array.from({ length: HOMES }, (_, n) => {
    const [x, y] = [random.next(), random.next()];
    const sqft = Math.round(random.between(700, 3_800));
    const beds = Math.max(1, Math.round(sqft / 650));
    const baths = Math.max(1, Math.round(sqft / 900));
    const lot = Math.round(random.between(3_000, 15_000));
    const built = Math.round(random.between(1920, 2020));
    const zip = n < MARKERS ? MARKER_ZIP : random.pick(OTHER_ZIPS);
    const street = `${100 + (n % 60) * 4} ${1 + Math.floor(n / 60)}th St`;
    const price = Math.round((120_000 + sqft * (110 + 90 * x) + lot * 4 + (built - 1920) * 600) * (0.9 + 0.2 * y));
    const place = [street, zip, 43 + x / 10, -88 - y / 10, sqft, beds, baths].join(',');
    const rowAround = (size: number) => `${place},${size},${built}`;
    return { pin: `R-${String(n).padStart(5, '0')}`, lot, rowAround, price };
  });
}

const HOME_LIST = inventHomes();

/** What every marker's lot measures, and what it is assessed at, once this version of the roll has been loaded. */
export const markerLot = (version: number) => 5_000 + version;
export const markerValue = (version: number) => 100_000 + version * 10;

export function writeRoll(folder: string, version: number): void {
  const lines = HOME_LIST.map(({ pin, lot, rowAround, price }, n) =>
    n < MARKERS
      ? `${pin},${rowAround(markerLot(version))},2025,${markerValue(version)}`
      : `${pin},${rowAround(lot)},2025,${price}`,
  );
  replace(join(folder, 'roll.csv'), ['pin,address,zip,lat,lon,sqft,beds,baths,lot,built,year,value', ...lines]);
}

/** As few as a model can be trained on, because it is trained again and again. */
const SALES = 480;

/** Sales in the years before `until`. */
export function writeSales(folder: string, until: Date): void {
  const random = createRandom(12);
  const lines = HOME_LIST.slice(0, SALES).map(({ pin, price }) => {
    const ago = random.between(20, YEARS * 365);
    const sold = new Date(until.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
    return `${pin},${sold},${Math.round(price * (1 - (ago / 365) * 0.04) * random.between(0.93, 1.07))}`;
  });
  replace(join(folder, 'sales.csv'), ['pin,sold,price', ...lines]);
}

/** In one step: a process that reads the file never meets half of it. */
function replace(file: string, lines: string[]): void {
  writeFileSync(`${file}.new`, `${lines.join('\n')}\n`);
  renameSync(`${file}.new`, file);
}
