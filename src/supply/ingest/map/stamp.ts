// Finds the tract, flood zone, neighborhood and opportunity zone of a point: polygons in a packed R-tree, then a ray
// cast.
import Flatbush from 'flatbush';
import { polygonsHold, type MultiPolygon, type Point } from '../../../base/lib/geo.ts';

export interface Area {
  fips: number;
  kind: string;
  id: string;
  vintage: number;
  name: string | null;
  box: [minLongitude: number, minLatitude: number, maxLongitude: number, maxLatitude: number];
  attributes: Record<string, unknown>;
  rings: MultiPolygon;
  sourceId: string;
}

export interface FloodZone {
  zone: string;
  subtype: string | null;
  sfha: boolean;
  baseFloodElevationFt: number | null;
  firmPanel: string | null;
  effectiveDate: string | null;
  sourceId: string;
}

interface Stamps {
  cell_fine: number | null;
  cell_coarse: number | null;
  census_tract: string | null;
  census_tract_vintage: number | null;
  census_tract_2010: string | null;
  neighborhood: string | null;
  flood_zone: string | null;
  flood_sfha: boolean | null;
  opportunity_zone: boolean | null;
  floodZones: FloodZone[];
}

const NO_STAMPS: Stamps = {
  cell_fine: null,
  cell_coarse: null,
  census_tract: null,
  census_tract_vintage: null,
  census_tract_2010: null,
  neighborhood: null,
  flood_zone: null,
  flood_sfha: null,
  opportunity_zone: null,
  floodZones: [],
};

export type Stamper = (fips: number, point: Point) => Stamps;

/** Tract numbers from the 2010 census were in use until the 2020 census. */
const NEXT_TRACTS = 2020;

interface Layer {
  areas: Area[];
  tree: Flatbush;
}

interface StampData {
  areas: Area[];
  /** GEOIDs of designated tracts; undefined if no list is loaded. */
  opportunityZones: Set<string> | undefined;
  floodCounties: Set<number>;
}

export function makeStamper(data: StampData): Stamper | undefined {
  const { areas, opportunityZones, floodCounties } = data;
  if (areas.length === 0) return undefined;
  const vintages = [...new Set(areas.filter((area) => area.kind === 'tract').map((area) => area.vintage))].sort(
    (a, b) => b - a,
  );
  const tractLayers = vintages.map((vintage) => ({
    vintage,
    layer: makeLayer(areas.filter((area) => area.kind === 'tract' && area.vintage === vintage)),
  }));
  const neighborhoods = makeLayer(areas.filter((area) => area.kind === 'neighborhood'));
  const floods = makeLayer(areas.filter((area) => area.kind === 'flood'));

  return (fips, point) => {
    const stamps: Stamps = { ...NO_STAMPS, floodZones: [] };
    for (const { vintage, layer } of tractLayers) {
      const tract = findAreas(layer, point)[0]?.id;
      if (!tract) continue;
      if (!stamps.census_tract) {
        stamps.census_tract = tract;
        stamps.census_tract_vintage = vintage;
      }
      // Designations refer to 2010 tracts. Where only a later map from the same census is loaded, the numbers are the
      // same.
      if (vintage < NEXT_TRACTS) stamps.census_tract_2010 = tract;
    }
    if (stamps.census_tract_2010 && opportunityZones) {
      stamps.opportunity_zone = opportunityZones.has(stamps.census_tract_2010);
    }
    stamps.neighborhood = findAreas(neighborhoods, point)[0]?.name ?? null;
    if (floodCounties.has(fips)) {
      stamps.floodZones = findAreas(floods, point).map(readFloodZone).sort(bySeverity);
      stamps.flood_zone = stamps.floodZones[0]?.zone ?? null;
      stamps.flood_sfha = stamps.floodZones.some((zone) => zone.sfha);
    }
    return stamps;
  };
}

function makeLayer(areas: Area[]): Layer | undefined {
  if (areas.length === 0) return undefined;
  const tree = new Flatbush(areas.length);
  for (const { box } of areas) tree.add(...box);
  tree.finish();
  return { areas, tree };
}

function findAreas(layer: Layer | undefined, point: Point): Area[] {
  if (!layer) return [];
  const { longitude, latitude } = point;
  return layer.tree
    .search(longitude, latitude, longitude, latitude)
    .map((index) => layer.areas[index])
    .filter((area) => polygonsHold(area.rings, point))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The National Flood Hazard Layer writes −9999 for "no elevation". */
function readFloodZone({ attributes, sourceId }: Area): FloodZone {
  const elevation = Number(attributes.base_flood_elevation_ft ?? -9999);
  return {
    zone: String(attributes.zone),
    subtype: (attributes.subtype as string | null) ?? null,
    sfha: attributes.sfha === true,
    baseFloodElevationFt: elevation <= -9999 ? null : elevation,
    firmPanel: (attributes.firm_panel as string | null) ?? null,
    effectiveDate: (attributes.effective_date as string | null) ?? null,
    sourceId,
  };
}

/** The worst of several zones counts: special flood hazard areas first, and floodways before the rest. */
function bySeverity(a: FloodZone, b: FloodZone): number {
  const severity = (zone: FloodZone) => (zone.sfha ? 2 : 0) + (/FLOODWAY/i.test(zone.subtype ?? '') ? 1 : 0);
  return severity(b) - severity(a) || (a.zone < b.zone ? -1 : a.zone > b.zone ? 1 : 0);
}
