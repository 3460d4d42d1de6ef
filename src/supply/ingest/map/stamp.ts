// Stamps a point with its tract, neighborhood and risk layers: polygons in a packed R-tree, then a ray cast.
import Flatbush from 'flatbush';
import { makeShapeTest, type Point } from '../../../base/lib/geo.ts';
import type { Area } from '../../layers/layer.ts';
import { POLYGON_LAYERS, TRACT_LAYERS, type LayerColumns, type LayerName } from '../../layers/layers.ts';

/** Columns of a property derived from its point; layer columns are null if the layer is not loaded. */
interface StampedColumns extends Partial<LayerColumns> {
  census_tract: string | null;
  census_tract_vintage: number | null;
  census_tract_2010: string | null;
  neighborhood: string | null;
}

interface Stamps {
  columns: StampedColumns & Record<string, unknown>;
  /** The areas of each layer that contain the point, worst first. */
  areas: Partial<Record<LayerName, Area[]>>;
}

export type Stamper = (fips: number, point: Point) => Stamps;

/** Tract numbers from the 2010 census were in use until the 2020 census. */
const NEXT_TRACTS = 2020;

interface Index {
  areas: (Area & { holds: (point: Point) => boolean })[];
  tree: Flatbush;
}

interface StampData {
  areas: Area[];
  /** GEOIDs of each layer's listed tracts; undefined if no list is loaded. */
  listedTracts: Partial<Record<LayerName, Set<string>>>;
}

export function makeStamper({ areas, listedTracts }: StampData): Stamper | undefined {
  if (areas.length === 0) return undefined;
  const byKind = Map.groupBy(areas, ({ kind }) => kind);
  const tracts = [...Map.groupBy(byKind.get('tract') ?? [], ({ vintage }) => vintage)]
    .map(([vintage, list]) => ({ vintage, index: indexOf(list) }))
    .sort((a, b) => b.vintage - a.vintage);
  const neighborhoods = indexOf(byKind.get('neighborhood'));
  const layers = POLYGON_LAYERS.map(({ name, polygons, columns }) => ({
    name,
    polygons,
    empty: Object.fromEntries(Object.keys(columns).map((column) => [column, null])),
    index: indexOf(byKind.get(name)),
    counties: new Set(byKind.get(name)?.map(({ fips }) => fips)),
  }));

  return (fips, point) => {
    const stamps: Stamps = {
      columns: {
        census_tract: null,
        census_tract_vintage: null,
        census_tract_2010: null,
        neighborhood: findAreas(neighborhoods, point)[0]?.name ?? null,
      },
      areas: {},
    };
    const { columns } = stamps;
    for (const { vintage, index } of tracts) {
      const tract = findAreas(index, point)[0]?.id;
      if (!tract) continue;
      if (!columns.census_tract) {
        columns.census_tract = tract;
        columns.census_tract_vintage = vintage;
      }
      // Designations refer to 2010 tracts. If only a later map of the same census is loaded, its numbers are the same.
      if (vintage < NEXT_TRACTS) columns.census_tract_2010 = tract;
    }
    for (const { name, tracts: stamp } of TRACT_LAYERS) {
      const [tract, listed] = [columns[stamp.tract], listedTracts[name]];
      Object.assign(columns, { [stamp.column]: tract && listed ? listed.has(tract) : null });
    }
    for (const { name, polygons, empty, index, counties } of layers) {
      const held = counties.has(fips) ? findAreas(index, point).sort(polygons.compare) : undefined;
      Object.assign(columns, held ? polygons.columns(held) : empty);
      if (held) stamps.areas[name] = held;
    }
    return stamps;
  };
}

export function indexOf(areas: Area[] = []): Index | undefined {
  if (areas.length === 0) return undefined;
  const tree = new Flatbush(areas.length);
  for (const { box } of areas) tree.add(...box);
  tree.finish();
  return { areas: areas.map((area) => ({ ...area, holds: makeShapeTest(area.rings) })), tree };
}

export function findAreas(index: Index | undefined, point: Point): Area[] {
  if (!index) return [];
  const { longitude, latitude } = point;
  return index.tree
    .search(longitude, latitude, longitude, latitude)
    .map((position) => index.areas[position])
    .filter((area) => area.holds(point))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
