// Federal Housing Finance Agency: house-price index by metropolitan area and quarter.
import { derive, text, whole } from '../../src/ingest/map/fields.ts';
import type { Source } from '../../src/ingest/source.ts';

/** The agency writes a dash where there were too few sales, and the standard error in parentheses. */
const number = (cell: string) => (/\d/.test(cell) ? Number(cell.replace(/[()\s]/g, '')) : null);

export const fhfa: Source = {
  id: 'us-fhfa',
  counties: [],
  datasets: [
    {
      id: 'us-fhfa/metro-index',
      name: 'House Price Index, all transactions, metropolitan areas',
      publisher: 'Federal Housing Finance Agency',
      landingPage: 'https://www.fhfa.gov/data/hpi',
      licence: 'Public domain (United States government work)',
      attribution: 'FHFA House Price Index',
      cadence: 'quarterly',
      publishedOn: '2022-11-29',
      format: { type: 'csv', header: ['metro', 'code', 'year', 'quarter', 'index', 'error'] },
      files: [
        {
          path: 'us/fhfa_hpi_metro.csv.gz',
          url: 'https://www.fhfa.gov/hpi/download/quarterly_datasets/hpi_at_metro.csv',
        },
      ],
      records: [
        {
          into: 'price_indexes',
          fields: {
            fips: derive([], () => 0),
            place_code: text('code'),
            place_name: text('metro'),
            year: whole('year', 1900, 2100),
            quarter: whole('quarter', 1, 4),
            index_value: derive(['index'], number),
            standard_error: derive(['error'], number),
          },
        },
      ],
      layers: [],
      checks: { minRows: 10_000 },
    },
  ],
};
