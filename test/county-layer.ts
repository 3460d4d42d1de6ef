// A layer of parcels as a county's ArcGIS server has it: codes with labels, and rows of two counties.
import type { ServedFeature } from './arcgis-server.ts';

const USES = { 1: 'Single family residence', 2: 'Condominium', 3: 'Vacant land' };
const home0 = { x: -90.2, y: 43.2 };
const STREETS = ['Oak St', 'Elm St', 'Maple Ave', 'Cedar Ln'];

export function parcelOf(i: number): ServedFeature {
  const [x, y] = [home0.x + (i % 40) * 0.002, home0.y + Math.floor(i / 40) * 0.002];
  return {
    attributes: {
      OBJECTID: 10 + i * 2,
      PARCELNO: `${String(100 + Math.floor(i / 40))}-${String(1000 + i)}`,
      SITUS: `${100 + i * 2} ${STREETS[i % 4]}`,
      CITY: 'Richland Center',
      ZIP: '53581',
      USE_CD: (i % 3) + 1,
      YEARBUILT: 1920 + (i % 90),
      COUNTY: i % 2 ? 'RICHLAND' : 'SAUK',
    },
    geometry: {
      rings: [
        [
          [x, y],
          [x, y + 0.001],
          [x + 0.001, y + 0.001],
          [x + 0.001, y],
          [x, y],
        ],
      ],
    },
  };
}

export const COUNTY_FIELDS = [
  { name: 'OBJECTID', type: 'esriFieldTypeOID' },
  { name: 'PARCELNO', type: 'esriFieldTypeString' },
  { name: 'SITUS', type: 'esriFieldTypeString' },
  { name: 'CITY', type: 'esriFieldTypeString' },
  { name: 'ZIP', type: 'esriFieldTypeString' },
  {
    name: 'USE_CD',
    alias: 'Use',
    type: 'esriFieldTypeInteger',
    domain: {
      type: 'codedValue',
      codedValues: Object.entries(USES).map(([code, name]) => ({ code: Number(code), name })),
    },
  },
  { name: 'YEARBUILT', type: 'esriFieldTypeInteger' },
  { name: 'COUNTY', type: 'esriFieldTypeString' },
];
