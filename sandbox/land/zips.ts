// ZIP codes divide the land: a town has one, and farmland has what the towns of its county leave.
import { boxOfPolygon, type Box, type MultiPolygon } from '../../src/base/lib/geo.ts';
import { countyOutline, ringOf } from '../geography.ts';
import { DISTRICTS } from './districts.ts';
import { isFarmland, outlineOf } from './outlines.ts';

/** In small markets the last homes of a town stand outside it. */
const MARGIN = 0.06;

export type ZipArea = { id: string; polygons: MultiPolygon; box: Box };

export function drawZips(scale: number): ZipArea[] {
  const byZip = Map.groupBy(DISTRICTS, ({ zip }) => zip);
  return [...byZip].map(([id, districts]) => {
    const polygons = districts.map((district): MultiPolygon[number] => {
      if (!isFarmland(district)) return [ringOf(outlineOf(district, MARGIN), scale)];
      const towns = DISTRICTS.filter((other) => other.fips === district.fips && !isFarmland(other));
      return [countyOutline(district.fips), ...towns.map((town) => outlineOf(town, MARGIN))].map((outline) =>
        ringOf(outline, scale),
      );
    });
    return { id, polygons, box: boxOfPolygon(polygons) };
  });
}
