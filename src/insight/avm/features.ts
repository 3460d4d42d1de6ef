// Turns a property into a row of features. Training and serving share it, so they cannot differ.
import type { Attributes } from './attributes.ts';
import gradeWords from './grade-words.json' with { type: 'json' };

type Origin = { latitude: number; longitude: number };

/** The features of a market's model, chosen in training by what the market records. */
export type FeatureSet = {
  origin: Origin;
  numbers: NumberFeature[];
  extras: string[];
  categories: CategoryFeature[];
  /** In a market whose records have no coordinates, the number of each neighborhood; otherwise null. */
  places: Record<string, number> | null;
  /** Whether the day is a column: over years, parts of a market drift away from the common index. */
  hasDay: boolean;
};

/**
 * Mean log price of a category relative to the market, shrunk toward 0 where sales are few. '' means "not recorded"; an
 * unseen category reads 0.
 */
export type Encoding = Record<string, number>;

const KM_PER_DEGREE = 110.57;
const KM_PER_DEGREE_EAST = 111.32;

/** Kilometers east and north of the market's origin. A flat map is accurate to 0.1% over a metropolitan area. */
export function toKilometers(origin: Origin, latitude: number | null, longitude: number | null) {
  if (latitude === null || longitude === null) return { x: NaN, y: NaN };
  const east = KM_PER_DEGREE_EAST * Math.cos((origin.latitude * Math.PI) / 180);
  return { x: (longitude - origin.longitude) * east, y: (latitude - origin.latitude) * KM_PER_DEGREE };
}

/** Neighborhoods lie farther apart than comparables may; the blocks of each lie in the order of their numbers. */
const PLACE_KM = 20;
const BLOCK_KM = 0.01;

/**
 * Where a home lies, in kilometers. Without coordinates the map is synthetic: neighborhoods side by side, and the
 * blocks of each in order, because counties give adjacent blocks adjacent numbers. Distances then rank, but do not
 * measure.
 */
export function positionOf(set: Pick<FeatureSet, 'origin' | 'places'>, a: Attributes): { x: number; y: number } {
  if (set.places === null) return toKilometers(set.origin, a.latitude, a.longitude);
  const place = set.places[placeOf(a)];
  const block = Number(/(\d+)\D*$/.exec(a.subdivision ?? '')?.[1] ?? NaN);
  return {
    x: place === undefined ? NaN : place * PLACE_KM,
    y: Number.isFinite(block) ? Math.min(block, 50_000) * BLOCK_KM : 0,
  };
}

export const placeOf = (a: Attributes): string => `${a.city ?? ''}|${a.neighborhood ?? a.zip ?? ''}`;

const orNaN = (value: number | null): number => value ?? NaN;
const isType = (a: Attributes, type: string): number =>
  a.propertyType === null ? NaN : a.propertyType === type ? 1 : 0;

type Reader = (a: Attributes, origin: Origin) => number;

export const numberReaders = {
  sqft: (a) => orNaN(a.sqft),
  lot_sqft: (a) => orNaN(a.lotSqft),
  bedrooms: (a) => orNaN(a.bedrooms),
  bathrooms: (a) => orNaN(a.bathrooms),
  baths_full: (a) => orNaN(a.bathsFull),
  baths_half: (a) => orNaN(a.bathsHalf),
  year_built: (a) => orNaN(a.yearBuilt),
  effective_year_built: (a) => orNaN(a.effectiveYearBuilt),
  stories: (a) => orNaN(a.stories),
  units: (a) => orNaN(a.units),
  rooms: (a) => orNaN(a.rooms),
  garage_spaces: (a) => orNaN(a.garageSpaces),
  condition: (a) => readGrade(a.condition),
  quality: (a) => readGrade(a.quality),
  is_condo: (a) => isType(a, 'condo'),
  is_townhouse: (a) => isType(a, 'townhouse'),
  is_multi_family: (a) => isType(a, 'multi_family'),
  east: (a, o) => toKilometers(o, a.latitude, a.longitude).x,
  north: (a, o) => toKilometers(o, a.latitude, a.longitude).y,
  // Trees split parallel to the axes; two rotated axes let them follow a diagonal coast or avenue.
  northeast: rotated(1),
  southeast: rotated(-1),
  lot_per_sqft: (a) => orNaN(a.lotSqft) / orNaN(a.sqft),
  baths_per_bedroom: (a) => orNaN(a.bathrooms) / Math.max(1, orNaN(a.bedrooms)),
  sqft_per_bedroom: (a) => orNaN(a.sqft) / Math.max(1, orNaN(a.bedrooms)),
  sqft_per_unit: (a) => orNaN(a.sqft) / Math.max(1, a.units ?? 1),
} satisfies Record<string, Reader>;

type NumberFeature = keyof typeof numberReaders;
export const numberFeatures = Object.keys(numberReaders) as NumberFeature[];

export const categoryReaders = {
  neighborhood: (a) => a.neighborhood,
  zip: (a) => a.zip,
  city: (a) => a.city,
  census_tract: (a) => a.censusTract,
  subdivision: (a) => a.subdivision,
  style: (a) => a.style,
  exterior: (a) => a.exterior,
} satisfies Record<string, (a: Attributes) => string | null>;

export type CategoryFeature = keyof typeof categoryReaders;
export const categoryFeatures = Object.keys(categoryReaders) as CategoryFeature[];

function rotated(sign: 1 | -1): Reader {
  return ({ latitude, longitude }, origin) => {
    const { x, y } = toKilometers(origin, latitude, longitude);
    return x + sign * y;
  };
}

const GRADE_WORDS: Record<string, number> = gradeWords;

/** A grade as a number: "7", "good" and "B+" all have an order; an unknown word counts as missing. */
export function readGrade(text: string | null): number {
  if (text === null || text === '') return NaN;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  const letter = /^([A-FX])([+-]?)$/i.exec(text.trim());
  if (letter)
    return 5 - 'ABCDEF'.indexOf(letter[1].toUpperCase()) + (letter[2] === '+' ? 0.3 : letter[2] === '-' ? -0.3 : 0);
  const word = text.trim().toLowerCase();
  return GRADE_WORDS[word.replaceAll(/[\s-]+/g, '_')] ?? NaN;
}

/** Columns of the base row, in order: numbers, extras, the day, encoded categories. */
export const columnNames = (set: FeatureSet): string[] => [
  ...set.numbers,
  ...set.extras,
  ...(set.hasDay ? ['day'] : []),
  ...set.categories,
];

export const countNumbers = (set: FeatureSet): number => set.numbers.length + set.extras.length + (set.hasDay ? 1 : 0);

/** Writes the numbers of one property on a day; the encoded categories follow them in the row. */
export function writeNumbers(set: FeatureSet, a: Attributes, day: number, row: Float32Array, offset: number): void {
  let at = offset;
  for (const name of set.numbers) row[at++] = numberReaders[name](a, set.origin);
  for (const name of set.extras) row[at++] = a.extras[name] ?? NaN;
  if (set.hasDay) row[at] = day;
}

/** The whole base row of one property on a day. */
export function writeRow(
  set: FeatureSet,
  encodings: Encoding[],
  a: Attributes,
  day: number,
  row: Float32Array,
  offset: number,
): void {
  writeNumbers(set, a, day, row, offset);
  let at = offset + countNumbers(set);
  set.categories.forEach((name, k) => {
    row[at++] = encodings[k][categoryReaders[name](a) ?? ''] ?? 0;
  });
}
