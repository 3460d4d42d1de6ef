// King County, Washington: the public benchmark of house sales 2014–2015, and sales in Seattle 2010–2015.
import {
  constant,
  date,
  decimal,
  derive,
  digits,
  dollars,
  latitude,
  longitude,
  object,
  positive,
  text,
  whole,
  yearBuilt,
  zip,
} from '../../src/ingest/map/fields.ts';
import type { Dataset, Source } from '../../src/ingest/source.ts';

const FIPS = 53033;
const LICENCE =
  'Public record of King County; its data may not be used for commercial mailing lists (RCW 42.56.070). Check before resale.';
const HOME = 'https://info.kingcounty.gov/assessor/DataDownload/default.aspx';

const bathroomParts = (part: 'full' | 'half') => (cell: string) => {
  const rooms = Number(cell) || 0;
  return part === 'full' ? Math.floor(rooms) || null : rooms % 1 >= 0.5 ? 1 : 0;
};

const houses: Dataset = {
  id: 'king-county-wa/house-sales',
  name: 'House sales May 2014 to May 2015',
  publisher: 'King County Department of Assessments',
  landingPage: HOME,
  licence: LICENCE,
  attribution: 'King County Department of Assessments',
  cadence: 'once',
  note: 'A benchmark file: no street address; attributes as of the sale.',
  publishedOn: '2015-06-30',
  format: { type: 'csv' },
  files: [{ path: 'king-county/kc_house_sales.csv.gz' }],
  publicationLagDays: 14,
  authority: 2,
  key: { fips: FIPS, apn: digits('id', 10) },
  records: [
    {
      into: 'properties',
      fields: {
        zip: zip('zipcode'),
        latitude: latitude('lat'),
        longitude: longitude('long'),
        property_type: constant('single_family'),
        sqft: positive('sqft_living', 100_000),
        lot_sqft: positive('sqft_lot'),
        bedrooms: whole('bedrooms', 0, 50),
        bathrooms: decimal('bathrooms', 0, 50),
        baths_full: derive(['bathrooms'], bathroomParts('full')),
        baths_half: derive(['bathrooms'], bathroomParts('half')),
        year_built: yearBuilt('yr_built'),
        effective_year_built: derive(['yr_renovated', 'yr_built', 'date'], (renovated, built, sold) =>
          Number(renovated) > 0 && Number(renovated) <= Number(sold.slice(0, 4))
            ? Number(renovated)
            : Number(built) || null,
        ),
        stories: decimal('floors', 0.5, 100),
        condition: text('condition'),
        quality: text('grade'),
        extras: object({
          waterfront: whole('waterfront'),
          view: whole('view'),
          sqft_above: whole('sqft_above'),
          sqft_basement: whole('sqft_basement'),
          neighbor_sqft: whole('sqft_living15'),
          neighbor_lot_sqft: whole('sqft_lot15'),
        }),
        known_on: date('date'),
      },
    },
    {
      into: 'transactions',
      attributes: true,
      required: ['price'],
      fields: { sale_date: date('date'), price: dollars('price') },
    },
  ],
  layers: [{ layer: 'properties' }, { layer: 'transactions', from: '2014-05-01', to: '2015-03-31' }],
  checks: { minRows: 10_000, maxQuarantinedShare: 0.01 },
};

/** Parcel and sale numbers were written with leading dots so that a spreadsheet would not drop their zeros. */
const undotted = (column: string) => derive([column], (cell) => cell.replaceAll('.', '').padStart(10, '0'));

const seattle: Dataset = {
  id: 'king-county-wa/seattle-sales',
  name: 'Sales of houses and townhouses in Seattle 2010 to 2015',
  publisher: 'King County Department of Assessments',
  landingPage: HOME,
  licence: LICENCE,
  attribution: 'King County Department of Assessments',
  cadence: 'once',
  note: 'Overlaps the benchmark file; a sale in both is kept once.',
  publishedOn: '2016-03-31',
  format: { type: 'csv' },
  files: [{ path: 'king-county/seattle_sales.csv.gz' }],
  publicationLagDays: 14,
  key: { fips: FIPS, apn: undotted('pinx') },
  records: [
    {
      into: 'properties',
      fields: {
        city: constant('SEATTLE'),
        latitude: latitude('latitude'),
        longitude: longitude('longitude'),
        property_type: derive(['use_type'], (kind) => (kind === 'townhouse' ? 'townhouse' : 'single_family')),
        sqft: positive('tot_sf', 100_000),
        lot_sqft: positive('lot_sf'),
        bedrooms: whole('beds', 0, 50),
        bathrooms: decimal('baths', 0, 50),
        year_built: derive(['sale_date', 'age'], (sold, age) => Number(sold.slice(0, 4)) - Number(age)),
        effective_year_built: derive(['sale_date', 'eff_age'], (sold, age) => Number(sold.slice(0, 4)) - Number(age)),
        quality: text('bldg_grade'),
        neighborhood: text('area'),
        extras: object({ waterfront: whole('wfnt') }),
        known_on: date('sale_date'),
      },
    },
    {
      into: 'transactions',
      attributes: true,
      required: ['price'],
      fields: {
        document_number: derive(['sale_id'], (cell) => cell.replace('..', '-')),
        sale_date: date('sale_date'),
        price: dollars('sale_price'),
      },
    },
  ],
  layers: [{ layer: 'properties' }, { layer: 'transactions', from: '2010-01-01', to: '2015-12-31' }],
  checks: { minRows: 10_000, maxQuarantinedShare: 0.01 },
};

export const kingCounty: Source = {
  id: 'king-county-wa',
  market: {
    id: 'king-county-wa',
    name: 'King County, Washington',
    state: 'WA',
    description: 'Houses and townhouses in Seattle and King County',
  },
  counties: [{ fips: FIPS, name: 'King County', state: 'WA' }],
  datasets: [houses, seattle],
};
