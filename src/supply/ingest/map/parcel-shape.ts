// Repairs a published parcel shape, or reports why it cannot: rings closed, simple, wound as GeoJSON requires. Pure.
import * as geo from '../../../base/lib/geo.ts';
import * as shapes from '../../../base/lib/shapes.ts';
import { BadValue } from './values.ts';

/** Columns of a stored shape. */
export type StoredShape = ReturnType<typeof describeShape>;

/** Everything between Hawaii, Alaska and Puerto Rico, for counties whose own bounds are not loaded. */
const COUNTRY: geo.Box = { minLongitude: -180, minLatitude: 17, maxLongitude: -64, maxLatitude: 72 };
/** Census boundaries are generalized; a parcel on the shore or the county line may extend this far beyond them. */
const COUNTY_MARGIN_DEGREES = 0.05;
/** Anything smaller is a digitizing error, not land. */
const SMALLEST_SQFT = 1;
/** A part this small relative to its ring is an accidental crossing. */
const SLIVER_SHARE = 0.01;
const COMPARED_CORNERS = 9;
/** A ring with more self-intersections is not a parcel with a digitizing error. */
const MOST_CROSSINGS = 12;

export const storeShape = (published: geo.MultiPolygon, county: geo.Box | undefined): StoredShape =>
  describeShape(repairShape(published), county);

export function describeShape(polygons: geo.MultiPolygon, county: geo.Box | undefined) {
  const box = geo.boxOfPolygon(polygons);
  checkPlace(box, county);
  return {
    shape: `\\x${shapes.encodeShape(polygons).toString('hex')}`,
    cell: shapes.shapeCellOf(box),
    ...columnsOfBox(box),
    area_sqft: Math.round(shapes.areaSqftOf(polygons)),
  };
}

/** A table's bounding-box columns. */
export const columnsOfBox = (box: geo.Box) => ({
  min_longitude: box.minLongitude,
  min_latitude: box.minLatitude,
  max_longitude: box.maxLongitude,
  max_latitude: box.maxLatitude,
});

function checkPlace(box: geo.Box, county: geo.Box | undefined): void {
  const bounds = county && geo.widenBox(county, COUNTY_MARGIN_DEGREES);
  if (!geo.boxHolds(bounds ?? COUNTRY, geo.middleOf(box))) throw new BadValue('shape_outside_county');
  if (!shapes.isFiled(box)) throw new BadValue('shape_too_large');
}

export function repairShape(published: geo.MultiPolygon): geo.MultiPolygon {
  const repaired: geo.MultiPolygon = [];
  for (const [outer, ...holes] of published) {
    const outers = simpleRings(outer);
    const inner = holes.flatMap(simpleRings);
    const parts: geo.Polygon[] = outers.map((ring) => [wind(ring, true)]);
    for (const hole of inner) {
      const around = parts.find(([ring]) => holds(ring, hole));
      // Some writers list a parcel's parts as holes of the first one.
      if (around) around.push(wind(hole, false));
      else parts.push([wind(hole, true)]);
    }
    repaired.push(...parts);
  }
  if (repaired.length === 0) throw new BadValue('shape_without_area');
  return repaired;
}

const isSame = (a: geo.Ring[number], b: geo.Ring[number]): boolean => a[0] === b[0] && a[1] === b[1];

const wind = (ring: geo.Ring, counterclockwise: boolean): geo.Ring =>
  shapes.signedSqftOf(ring) > 0 === counterclockwise ? ring : ring.toReversed();

/** Tests several vertices: a hole may touch the ring around it, but is mostly inside. */
function holds(outer: geo.Ring, inner: geo.Ring): boolean {
  const step = Math.ceil(inner.length / COMPARED_CORNERS);
  const asked = inner.filter((_, i) => i % step === 0);
  const inside = asked.filter(([longitude, latitude]) => geo.ringHolds(outer, { longitude, latitude })).length;
  return inside * 2 > asked.length;
}

/** The ring as simple closed rings with area: usually one, none for a line or a point, two for a bow tie. */
function simpleRings(published: geo.Ring): geo.Ring[] {
  const corners = cleanCorners(published);
  if (corners.length < 3) return [];
  const loops = untangle(corners).map((loop) => [...loop, loop[0]] as geo.Ring);
  const sizes = loops.map((loop) => Math.abs(shapes.signedSqftOf(loop)));
  const largest = Math.max(...sizes);
  const kept = loops.filter((_, i) => sizes[i] >= SMALLEST_SQFT && sizes[i] >= SLIVER_SHARE * largest);
  // A loop inside another of the same ring would be double-counted in area sums.
  return kept.filter((loop) => !kept.some((other) => other !== loop && holds(other, loop)));
}

/** Rounds to storage precision, and removes repeated vertices and spikes. */
function cleanCorners(published: geo.Ring): geo.Ring {
  const corners: geo.Ring = [];
  for (const [x, y] of published) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) throw new BadValue('shape_without_numbers');
    const corner: geo.Ring[number] = [shapes.stepOf(x) / 1e7, shapes.stepOf(y) / 1e7];
    if (corners.length > 0 && isSame(corners[corners.length - 1], corner)) continue;
    corners.push(corner);
    while (corners.length >= 3 && isSame(corners[corners.length - 3], corner)) corners.splice(-2);
  }
  for (let isChanged = true; isChanged && corners.length > 1;) {
    isChanged = true;
    if (isSame(corners[0], corners[corners.length - 1])) corners.pop();
    else if (corners.length > 2 && isSame(corners[1], corners[corners.length - 1])) corners.splice(0, 1);
    else if (corners.length > 2 && isSame(corners[0], corners[corners.length - 2])) corners.pop();
    else isChanged = false;
  }
  return corners;
}

/** Cuts a ring where it crosses or touches itself, until every loop is simple. */
function untangle(corners: geo.Ring): geo.Ring[] {
  const simple: geo.Ring[] = [];
  const open = [corners];
  for (let cuts = 0; open.length > 0;) {
    const loop = open.pop()!;
    const cut = shapes.findCrossing(loop);
    if (!cut) {
      if (loop.length >= 3) simple.push(loop);
      continue;
    }
    if (++cuts > MOST_CROSSINGS) throw new BadValue('shape_crosses_itself');
    const [i, j, at] = cut;
    open.push([at, ...loop.slice(i + 1, j + 1)], [...loop.slice(0, i + 1), at, ...loop.slice(j + 1)]);
  }
  return simple;
}
