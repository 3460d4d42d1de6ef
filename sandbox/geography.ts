// The map: an invented island of two counties in the open Atlantic, with a coast, a river, a lake and a county line.
import { ringHolds, type Point, type Ring } from '../src/base/lib/geo.ts';
import { COUNTIES, WENDEMERE } from '../src/supply/sandbox/geography.ts';

/** Kilometers east and north of the island's southwest corner, in the market of 20,000 properties. */
export type Place = { x: number; y: number };

/** Halfway between Bermuda and the Azores: no real address is nearby, so nothing can be mistaken for a real place. */
const ORIGIN: Point = { latitude: 36.4, longitude: -57.2 };
const KM_PER_DEGREE = 111.2;
const KM_PER_DEGREE_LONGITUDE = KM_PER_DEGREE * Math.cos((36.45 * Math.PI) / 180);

export const ISLAND = { west: 0, south: 0, north: 12 };
const COUNTY_LINE_X = 7.6;
const RIVER_HALF_WIDTH = 0.05;
const LAKE = { x: 2.6, y: 7.1, radiusX: 1.15, radiusY: 0.8 };
/** Where the river leaves the lake. */
export const RIVER_START_X = 3.65;

/** Smaller and larger markets are the same island at another scale, so that density and shape stay the same. */
export function scaleFor(properties: number): number {
  return Math.sqrt(properties / 20_000);
}

export function pointOf(place: Place, scale: number): Point {
  return {
    latitude: roundTo6(ORIGIN.latitude + (place.y * scale) / KM_PER_DEGREE),
    longitude: roundTo6(ORIGIN.longitude + (place.x * scale) / KM_PER_DEGREE_LONGITUDE),
  };
}

export function ringOf(places: readonly Place[], scale: number): Ring {
  const ring: Ring = places.map((place) => {
    const { longitude, latitude } = pointOf(place, scale);
    return [longitude, latitude];
  });
  ring.push(ring[0]);
  return ring;
}

export function coastX(y: number): number {
  return 15.1 + 0.45 * Math.sin(y * 0.75 + 0.5) + 0.16 * Math.sin(y * 2.1);
}

export function riverY(x: number): number {
  return 6.05 + 0.85 * Math.sin(x * 0.52 + 0.9);
}

/** Wider toward the sea. */
export function riverHalfWidth(x: number): number {
  return RIVER_HALF_WIDTH * (0.7 + 0.5 * Math.max(0, Math.min(1, (x - RIVER_START_X) / 11)));
}

/** Positive on land, in kilometers. */
export function distanceToCoast(place: Place): number {
  return coastX(place.y) - place.x;
}

export function distanceToRiver(place: Place): number {
  if (place.x < RIVER_START_X) return Math.hypot(place.x - RIVER_START_X, place.y - riverY(RIVER_START_X));
  return Math.max(0, Math.abs(place.y - riverY(place.x)) - RIVER_HALF_WIDTH);
}

export function distanceToLake(place: Place): number {
  const ratio = Math.hypot((place.x - LAKE.x) / LAKE.radiusX, (place.y - LAKE.y) / LAKE.radiusY);
  return (ratio - 1) * ((LAKE.radiusX + LAKE.radiusY) / 2);
}

export function isWater(place: Place): boolean {
  return distanceToCoast(place) < 0.03 || distanceToRiver(place) < 0.015 || distanceToLake(place) < 0.02;
}

/** The lake's shore, pushed outward by `margin` kilometers. */
export function lakeShore(margin: number): Place[] {
  return Array.from({ length: 48 }, (_, step) => {
    const angle = (step / 48) * 2 * Math.PI;
    return {
      x: LAKE.x + (LAKE.radiusX + margin) * Math.cos(angle),
      y: LAKE.y + (LAKE.radiusY + margin) * Math.sin(angle),
    };
  });
}

/** Hand-drawn boundaries are never straight. Tracts and the county line share this bend, so they still fit together. */
function bend({ x, y }: Place): Place {
  return { x: x + 0.1 * Math.sin(1.7 * y + 0.4), y: y + 0.09 * Math.sin(1.3 * x + 1) };
}

/** A rectangle of the unbent map as a bent ring; its east side follows the coast where it reaches the sea. */
export function bentRectangle(west: number, south: number, east: number, north: number): Place[] {
  const steps = 24;
  const along = (from: Place, to: Place) =>
    Array.from({ length: steps }, (_, step) => ({
      x: from.x + ((to.x - from.x) * step) / steps,
      y: from.y + ((to.y - from.y) * step) / steps,
    }));
  const [sw, se, ne, nw] = [
    { x: west, y: south },
    { x: east, y: south },
    { x: east, y: north },
    { x: west, y: north },
  ];
  const ring = [...along(sw, se), ...along(se, ne), ...along(ne, nw), ...along(nw, sw)].map(bend);
  return ring.map((place) => ({ x: Math.min(place.x, coastX(place.y) + 0.02), y: place.y }));
}

const EAST_OF_THE_SEA = 17;

export function countyOutline(fips: number): Place[] {
  return fips === WENDEMERE
    ? bentRectangle(COUNTY_LINE_X, ISLAND.south, EAST_OF_THE_SEA, ISLAND.north)
    : bentRectangle(ISLAND.west, ISLAND.south, COUNTY_LINE_X, ISLAND.north);
}

/** Columns and rows of the unbent map along which tracts are cut. */
export function countyColumns(fips: number): [west: number, east: number] {
  return fips === WENDEMERE ? [COUNTY_LINE_X, EAST_OF_THE_SEA] : [ISLAND.west, COUNTY_LINE_X];
}

const outlines = new Map(COUNTIES.map(({ fips }) => [fips, ringOf(countyOutline(fips), 1)]));

export function isInCounty(fips: number, place: Place): boolean {
  return ringHolds(outlines.get(fips)!, pointOf(place, 1));
}

function roundTo6(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
