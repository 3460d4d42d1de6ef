// Designated opportunity zones: the CDFI Fund's list, by 2010 census tract.
import { constant, derive, digits, text } from '../../src/ingest/map/fields.ts';
import type { Source } from '../../src/ingest/source.ts';

export const opportunityZones: Source = {
  id: 'us-opportunity-zones',
  counties: [],
  datasets: [
    {
      id: 'us-opportunity-zones/designated',
      name: 'Designated qualified opportunity zones',
      publisher: 'Community Development Financial Institutions Fund, U.S. Department of the Treasury',
      landingPage: 'https://www.cdfifund.gov/opportunity-zones',
      licence: 'Public domain (United States government work)',
      attribution: 'CDFI Fund, U.S. Department of the Treasury',
      cadence: 'once',
      note: 'Not the official list, which is IRS Notice 2018-48 with 2019-42; tracts are from the 2010 census.',
      publishedOn: '2018-12-14',
      // The Fund offers a workbook; saved as CSV, it has the same four lines above its header.
      format: { type: 'csv', skipLines: 4 },
      files: [
        {
          path: 'us/opportunity_zones_2018.csv.gz',
          alternatives: ['designated-qozs.12.14.18.xlsx', 'Designated QOZs.12.14.18.xlsx'],
          url: 'https://www.cdfifund.gov/sites/cdfi/files/documents/designated-qozs.12.14.18.xlsx',
        },
      ],
      columns: { tract: ['Census Tract Number'], type: ['Tract Type'] },
      records: [
        {
          into: 'opportunity_zones',
          complete: false,
          fields: {
            fips: derive(['tract'], (geoid) => Number(geoid.padStart(11, '0').slice(0, 5)) || null),
            tract_geoid: digits('tract', 11),
            tract_vintage: constant(2010),
            tract_type: text('type'),
            designated_on: constant('2018-12-14'),
          },
        },
      ],
      layers: [{ layer: 'opportunity_zone' }],
      checks: { minRows: 8000, maxQuarantinedShare: 0.01 },
    },
  ],
};
