// Finds the loaded properties of a nationwide file's row: by county and parcel number, by street address, or by the
// building around their point. Finds none if uncertain.
import Flatbush from 'flatbush';
import { boxOfPolygon, polygonsHold, type MultiPolygon } from '../../../base/lib/geo.ts';
import { compactApn } from '../../../base/lib/ids.ts';

interface FoundProperty {
  fips: number;
  id: string;
}

interface Hints {
  county: string | null;
  parcel: string | null;
  line: string | null;
  zip: string | null;
  polygons: MultiPolygon | undefined;
}

export type Finder = (hints: Hints) => FoundProperty[];

/** `number|pre|name|suffix|post` of a line, with the street's words in their usual short form. */
export type ReadAddress = (line: string) => string | undefined;

export interface FinderData {
  /** Stored county names: `Milwaukee County`. */
  counties: Map<number, string>;
  /** Properties that lack an address or a point. */
  parcels: { fips: number; id: string; apn: string }[];
  addresses: { fips: number; id: string; key: string; zip: string }[];
  /** Every property with a point. */
  points: { fips: number; id: string; latitude: number; longitude: number }[];
  readAddress: ReadAddress | undefined;
}

export function makeFinder(data: FinderData): Finder {
  const parcels = Map.groupBy(data.parcels, ({ fips, apn }) => `${countyKey(data.counties.get(fips) ?? '')}|${apn}`);
  const addresses = Map.groupBy(data.addresses, ({ key, zip }) => `${key}|${zip}`);
  const inside = makeInside(data.points);
  return ({ county, parcel, line, zip, polygons }) => {
    if (polygons) return inside(polygons);
    const byParcel = county && parcel ? parcels.get(`${countyKey(county)}|${compactApn(parcel)}`) : undefined;
    if (byParcel) return byParcel.length === 1 ? byParcel : [];
    const key = line && zip ? data.readAddress?.(line) : undefined;
    return key ? (addresses.get(`${key}|${zip}`) ?? []) : [];
  };
}

const countyKey = (name: string) =>
  name
    .toUpperCase()
    .replace(/\b(COUNTY|PARISH|BOROUGH|CITY AND|CENSUS AREA)\b/g, '')
    .replace(/[^A-Z]/g, '');

/** A building that contains several properties' points is shared, so its footprint belongs to none of them. */
function makeInside(points: FinderData['points']): (polygons: MultiPolygon) => FoundProperty[] {
  if (points.length === 0) return () => [];
  const tree = new Flatbush(points.length);
  for (const { longitude, latitude } of points) tree.add(longitude, latitude, longitude, latitude);
  tree.finish();
  return (polygons) => {
    const box = boxOfPolygon(polygons);
    const found = tree
      .search(box.minLongitude, box.minLatitude, box.maxLongitude, box.maxLatitude)
      .map((index) => points[index])
      .filter((point) => polygonsHold(polygons, point));
    return found.length === 1 ? found : [];
  };
}
