// National Flood Hazard Layer (FEMA): flood zones as polygons, with the column names of its S_FLD_HAZ_AR table.
import { constant, derive, object, shape, text } from '../../src/ingest/map/fields.ts';
import type { Dataset, Field, FileSpec, FileFormat, Source } from '../../src/ingest/source.ts';

export interface FloodLayer {
  id: string;
  name: string;
  fips: number | Field;
  files: FileSpec[];
  format?: FileFormat;
  publishedOn: string;
  /** What distinguishes one polygon from another. */
  area: Field;
  publisher?: string;
  licence?: string;
  landingPage?: string;
  note?: string;
  onRequest?: boolean;
}

/** Flood zones of one place: Cambridge writes the columns in lowercase, DC and FEMA in uppercase. */
export function floodZones(layer: FloodLayer): Dataset {
  return {
    id: layer.id,
    name: layer.name,
    publisher: layer.publisher ?? 'Federal Emergency Management Agency',
    landingPage: layer.landingPage ?? 'https://www.fema.gov/flood-maps/national-flood-hazard-layer',
    licence: layer.licence ?? 'Public domain (United States government work)',
    attribution: 'FEMA National Flood Hazard Layer',
    cadence: 'monthly',
    note: layer.note,
    onRequest: layer.onRequest,
    publishedOn: layer.publishedOn,
    format: layer.format ?? { type: 'geojson' },
    files: layer.files,
    records: [
      {
        into: 'areas',
        complete: true,
        required: ['name'],
        fields: {
          fips: typeof layer.fips === 'number' ? constant(layer.fips) : layer.fips,
          kind: constant('flood'),
          id: layer.area,
          vintage: constant(Number(layer.publishedOn.slice(0, 4))),
          name: text('FLD_ZONE'),
          attributes: object({
            zone: text('FLD_ZONE'),
            subtype: { ...derive(['ZONE_SUBTY'], (cell) => cell || null), optional: true },
            sfha: derive(['SFHA_TF'], (cell) => cell === 'T'),
            base_flood_elevation_ft: derive(['STATIC_BFE'], (cell) =>
              Number(cell) > -9999 && cell !== '' ? Number(cell) : null,
            ),
          }),
          rings: shape(),
        },
      },
    ],
    layers: [{ layer: 'flood' }],
  };
}

/** Whole counties as FEMA's Map Service Center offers them: a zipped shapefile named by its study. */
export const nfhl: Source = {
  id: 'us-nfhl',
  counties: [],
  datasets: [
    floodZones({
      id: 'us-nfhl/counties',
      name: 'National Flood Hazard Layer, flood hazard areas by county',
      fips: derive(['DFIRM_ID'], (study) => Number(study.slice(0, 5)) || null),
      area: derive(['DFIRM_ID', 'FLD_AR_ID'], (study, area) => (area ? `${study}-${area}` : null)),
      format: { type: 'shapefile' },
      files: [{ path: '*S_FLD_HAZ_AR.shp' }],
      publishedOn: '2026-01-01',
      onRequest: true,
      note: 'Download the county from https://msc.fema.gov/portal/advanceSearch and unpack it into the --from folder.',
    }),
  ],
};
