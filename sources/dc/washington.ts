// Washington, District of Columbia: special flood hazard areas.
import { derive } from '../../src/ingest/map/fields.ts';
import type { Source } from '../../src/ingest/source.ts';
import { floodZones } from '../us/nfhl.ts';

export const washington: Source = {
  id: 'washington-dc',
  market: {
    id: 'washington-dc',
    name: 'Washington, DC',
    state: 'DC',
    description: 'Flood zones of the District; no parcels yet',
  },
  counties: [{ fips: 11001, name: 'District of Columbia', state: 'DC' }],
  datasets: [
    floodZones({
      id: 'washington-dc/flood',
      name: 'Special flood hazard areas of the District',
      publisher: 'District of Columbia, Department of Energy and Environment',
      landingPage: 'https://opendata.dc.gov/',
      licence: 'CC BY 4.0',
      fips: 11001,
      area: derive(['OBJECTID_1', 'FLD_AR_ID'], (...parts) => parts.join('-')),
      files: [{ path: 'dc/flood_sfha.geojson.gz' }],
      publishedOn: '2010-09-27',
    }),
  ],
};
