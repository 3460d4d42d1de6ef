// Coarsens live tiles, which are free, to location, type, and the bands of figures. Pure.
import { FEWEST, middleOfBand, stepOf } from '../../base/lib/bands.ts';
import { decodeShape } from '../../base/lib/shapes.ts';
import type { Figure } from '../../supply/map-aggregates/figures.ts';
import { type FlagCounts } from '../../supply/map-aggregates/sql.ts';
import type { TileGroup } from './groups.ts';
import type { TilePoint, TilePolygons } from './mvt.ts';
import type { TileRow, TileShapeRow } from './sql.ts';

export const LIVE_FIELDS = { id: 'String', property_type: 'String', value: 'Number', figure: 'Number' };

const toStep = (step: number) => (amount: number) => Math.round((Math.round(amount / step) * step + 0) * 1e4) / 1e4;
const ROUGH: Record<Figure, (amount: number) => number> = {
  value: middleOfBand,
  value_per_sqft: middleOfBand,
  last_sale_price: middleOfBand,
  assessed_value: middleOfBand,
  growth: toStep(0.05),
  year_built: toStep(10),
  uncertainty: toStep(0.05),
};

const roughly = (figure: Figure, amount: number | null): number | null =>
  amount === null ? null : ROUGH[figure](amount);

export const coarsePoint =
  (figure: Figure) =>
  ({ id, latitude, longitude, property_type, value, figure: amount, sold }: TileRow): TilePoint => ({
    latitude,
    longitude,
    properties: {
      id,
      property_type,
      value: roughly('value', value),
      figure: roughly(figure, amount),
      // The year alone.
      sold: sold === null ? null : Math.floor(sold / 100) * 100 + 1,
    },
  });

/** Outlines to about two meters: enough to see a lot on a map, not to measure it. The record has every corner. */
const COARSE_STEPS_PER_DEGREE = 50_000;

export function coarseShape(figure: Figure) {
  const near = (degrees: number): number => Math.round(degrees * COARSE_STEPS_PER_DEGREE) / COARSE_STEPS_PER_DEGREE;
  return ({ id, property_type, value, figure: amount, count, shape }: TileShapeRow): TilePolygons => {
    const polygons = decodeShape(shape).map((polygon) =>
      polygon.map((ring) => ring.map(([x, y]): [number, number] => [near(x), near(y)])),
    );
    const properties = { id, property_type, value: roughly('value', value), figure: roughly(figure, amount), count };
    return { polygons, properties };
  };
}

/** The average of a few homes would reveal the value of each. */
export const coarseCell =
  (figure: Figure) =>
  ({ latitude, longitude, count, read, average_value: average, median, ...flags }: TileGroup): TilePoint => {
    const isFew = read < FEWEST;
    const properties = {
      count,
      ...stepsOf(flags),
      average_value: isFew ? null : roughly('value', average),
      median: isFew ? null : roughly(figure, median),
    };
    return { latitude, longitude, properties };
  };

/** Flags are part of each record; a map shows where there are ten or more of them. */
const stepsOf = ({ permits, violations, liens }: FlagCounts): FlagCounts => {
  const step = (count: number | null) => (count === null ? null : stepOf(count));
  return { permits: step(permits), violations: step(violations), liens: step(liens) };
};

export function coarseFlags({
  latitude,
  longitude,
  ...flags
}: FlagCounts & { latitude: number; longitude: number }): TilePoint[] {
  const properties = { ...stepsOf(flags) };
  return Object.values(properties).some((count) => count !== null && count > 0)
    ? [{ latitude, longitude, properties }]
    : [];
}
