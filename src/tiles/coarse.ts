// What a live tile shows, since it costs nothing: where homes are, of which type, and in which band their value lies. Pure.
import { FEWEST, middleOfBand } from '../lib/bands.ts';
import { decodeShape } from '../lib/shapes.ts';
import type { TilePoint, TilePolygons } from './mvt.ts';
import type { TileCellRow, TileRow, TileShapeRow } from './sql.ts';

export const LIVE_FIELDS = { id: 'String', property_type: 'String', value: 'Number' };

export function coarsePoint({ id, latitude, longitude, property_type, value }: TileRow): TilePoint {
  return { latitude, longitude, properties: { id, property_type, value: value === null ? null : middleOfBand(value) } };
}

/** Outlines to about two meters: enough to see a lot on a map, not to measure it. The record has every corner. */
const COARSE_STEPS_PER_DEGREE = 50_000;

export function coarseShape({ id, property_type, value, count, shape }: TileShapeRow): TilePolygons {
  const near = (degrees: number): number => Math.round(degrees * COARSE_STEPS_PER_DEGREE) / COARSE_STEPS_PER_DEGREE;
  const polygons = decodeShape(shape).map((polygon) =>
    polygon.map((ring) => ring.map(([x, y]): [number, number] => [near(x), near(y)])),
  );
  return { polygons, properties: { id, property_type, value: value === null ? null : middleOfBand(value), count } };
}

/** The average of few homes says what each is worth. */
export function coarseCell({ latitude, longitude, count, average_value: average }: TileCellRow): TilePoint {
  const average_value = average === null || count < FEWEST ? null : middleOfBand(average);
  return { latitude, longitude, properties: { count, average_value } };
}
