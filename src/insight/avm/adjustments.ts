// The lines of the adjustment grid: the worth of a difference between two homes, each read from one shown attribute.
import type { Attributes } from './attributes.ts';
import { categoryReaders, positionOf, readGrade, type FeatureSet } from './features.ts';

const orNaN = (value: number | null | undefined): number => value ?? NaN;
const extra =
  (name: string) =>
  (a: Attributes): number =>
    orNaN(a.extras[name]);
const logOf = (value: number | null): number => (value === null || value <= 0 ? NaN : Math.log(value));

/** Attributes with a monotone effect: other things equal, more never lowers a price. Areas are read as logarithms. */
export const risingReaders = {
  living_area: (a) => logOf(a.sqft),
  basement: extra('basement_sqft'),
  lot_size: (a) => logOf(a.lotSqft),
  bedrooms: (a) => orNaN(a.bedrooms),
  bathrooms: (a) => orNaN(a.bathrooms),
  garage: (a) => orNaN(a.garageSpaces),
  age: (a) => orNaN(a.yearBuilt),
  renovation: renovatedIn,
  condition: (a) => readGrade(a.condition),
  quality: (a) => readGrade(a.quality),
  waterfront: extra('waterfront'),
  view: extra('view'),
  fireplaces: extra('fireplaces'),
} satisfies Record<string, (a: Attributes) => number>;

/** The year of the renovation that made the home effectively newer; 0 where there was none. */
function renovatedIn({ yearBuilt, effectiveYearBuilt }: Attributes): number {
  if (yearBuilt === null) return NaN;
  return effectiveYearBuilt !== null && effectiveYearBuilt > yearBuilt ? effectiveYearBuilt : 0;
}

/** A category in words, with normalized spelling. Null for codes such as "R1" or "4420", which readers cannot judge. */
function inWords(text: string | null): string | null {
  if (text === null || !/\p{L}{3}/u.test(text)) return null;
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .trim();
}

/** Categories without an order: each value has its own effect. */
export const namedReaders = {
  property_type: (a) => a.propertyType,
  units: (a) => (a.units === null ? null : String(a.units)),
  style: (a) => inWords(a.style),
  exterior: (a) => inWords(a.exterior),
} satisfies Record<string, (a: Attributes) => string | null>;

/** From wide to narrow. Codes are allowed here, because the grid shows only one line for the location. */
export const placeReaders = {
  city: categoryReaders.city,
  zip: categoryReaders.zip,
  census_tract: categoryReaders.census_tract,
  neighborhood: categoryReaders.neighborhood,
  neighborhood_code: (a) => (a.extras.neighborhood_code === undefined ? null : String(a.extras.neighborhood_code)),
  subdivision: categoryReaders.subdivision,
} satisfies Record<string, (a: Attributes) => string | null>;

/** Log worth at knots, linear in between and constant beyond the first and the last. */
export type Curve = { name: keyof typeof risingReaders; at: Float64Array; worth: Float64Array };
/** Log worth by name. A name not seen in training is unknown. */
export type Names<Reader> = { name: Reader; worth: Record<string, number> };
/** Log worth at the corners of square cells, row by row from the southwest. */
export type Surface = {
  left: number;
  bottom: number;
  width: number;
  height: number;
  cellKm: number;
  worth: Float32Array;
};

export type Adjustments = {
  places: Names<keyof typeof placeReaders>[];
  /** Null in a market without coordinates. */
  surface: Surface | null;
  curves: Curve[];
  names: Names<keyof typeof namedReaders>[];
  /**
   * Share of the worth that applies between comparables: homes that sold near each other also share unrecorded
   * attributes, so a difference between them is worth less than across the market.
   */
  share: number;
  /** Largest log difference attributed to the location. */
  mostByLocation: number;
};

export type GridModel = { features: Pick<FeatureSet, 'origin' | 'places'>; adjustments: Adjustments };

const LOCATION = 'location';

/** The lines of a market's grid, in order. */
export const lineNames = ({ adjustments }: GridModel): string[] => [
  LOCATION,
  ...[...adjustments.curves, ...adjustments.names].map(({ name }) => name),
];

/** How many numbers `writeParts` writes. */
export const countParts = ({ adjustments: { places, curves, names } }: GridModel): number =>
  places.length + 1 + curves.length + names.length;

/** Log worth of a home's attributes relative to the market's typical home: places first, then lines. NaN: unknown. */
export function writeParts({ adjustments, features }: GridModel, a: Attributes, out: Float64Array, offset = 0): void {
  let at = offset;
  for (const { name, worth } of adjustments.places) out[at++] = worth[placeReaders[name](a) ?? ''] ?? NaN;
  out[at++] = adjustments.surface === null ? NaN : heightAt(adjustments.surface, positionOf(features, a));
  for (const curve of adjustments.curves) out[at++] = worthOn(curve, risingReaders[curve.name](a));
  for (const { name, worth } of adjustments.names) out[at++] = worth[namedReaders[name](a) ?? ''] ?? NaN;
}

export function partsOf(model: GridModel, attributes: Attributes): Float64Array {
  const parts = new Float64Array(countParts(model));
  writeParts(model, attributes, parts);
  return parts;
}

/** Contribution of each line to the log price, relative to the typical home. */
export function worthByLine({ adjustments }: GridModel, parts: Float64Array): Float64Array {
  const before = adjustments.places.length;
  const known = parts.map((value) => (value === value ? value : 0));
  const lines = known.slice(before);
  for (let k = 0; k < before; k++) lines[0] += known[k];
  return lines;
}

/** Below this distance, the location adjustment shrinks linearly to zero. */
const SAME_PLACE_KM = 0.15;

type Step = { from: ArrayLike<number>; to: ArrayLike<number>; km: number };

/** How many numbers `writeSteps` writes: one per line. */
export const countSteps = (model: GridModel): number => countParts(model) - model.adjustments.places.length;

/** Log adjustment by line between two homes `km` apart. A missing value on either side counts as no difference. */
export const stepsBetween = (model: GridModel, step: Step): Float64Array =>
  writeSteps(model, step, new Float64Array(countSteps(model)));

export function writeSteps({ adjustments }: GridModel, { from, to, km }: Step, steps: Float64Array): Float64Array {
  const before = adjustments.places.length;
  steps.fill(0);
  for (let k = 0; k < to.length; k++) {
    const difference = to[k] - from[k];
    if (difference === difference) steps[Math.max(0, k - before)] += difference;
  }
  const { share, mostByLocation } = adjustments;
  for (let k = 1; k < steps.length; k++) steps[k] *= share;
  steps[0] = Math.max(-mostByLocation, Math.min(mostByLocation, steps[0])) * Math.min(1, km / SAME_PLACE_KM);
  return steps;
}

export function worthOn({ at, worth }: Pick<Curve, 'at' | 'worth'>, value: number): number {
  if (value !== value) return NaN;
  const last = at.length - 1;
  if (value <= at[0]) return worth[0];
  if (value >= at[last]) return worth[last];
  let k = 1;
  while (at[k] < value) k++;
  return worth[k - 1] + ((value - at[k - 1]) / (at[k] - at[k - 1])) * (worth[k] - worth[k - 1]);
}

/** Bilinear interpolation, so that the worth changes little from one house to the next. */
export function heightAt({ left, bottom, width, height, cellKm, worth }: Surface, { x, y }: { x: number; y: number }) {
  if (x !== x || y !== y) return NaN;
  const across = Math.max(0, Math.min(width - 1.001, (x - left) / cellKm));
  const up = Math.max(0, Math.min(height - 1.001, (y - bottom) / cellKm));
  const [column, row] = [Math.floor(across), Math.floor(up)];
  const [u, v] = [across - column, up - row];
  const corner = row * width + column;
  return (
    (1 - v) * ((1 - u) * worth[corner] + u * worth[corner + 1]) +
    v * ((1 - u) * worth[corner + width] + u * worth[corner + width + 1])
  );
}
