// The groups of a home or sale: its type, all residential homes, and segments of those. Pure.

/** All residential types combined. */
export const RESIDENTIAL = 'residential';
export const HOME_TYPES = ['single_family', 'condo', 'townhouse', 'multi_family', 'manufactured'] as const;
const HOMES: ReadonlySet<string> = new Set(HOME_TYPES);

/** Segments of residential homes, by lower bounds in ascending order. */
const BEDROOMS = classes({ bedrooms_0_1: 0, bedrooms_2: 2, bedrooms_3: 3, bedrooms_4: 4, bedrooms_5_plus: 5 });
const SIZES = classes({
  sqft_under_1000: 100,
  sqft_1000_1499: 1_000,
  sqft_1500_1999: 1_500,
  sqft_2000_2999: 2_000,
  sqft_3000_plus: 3_000,
});
const ERAS = classes({ built_before_1940: 1, built_1940_1969: 1940, built_1970_1999: 1970, built_2000_plus: 2000 });

export const BEDROOM_SEGMENTS = BEDROOMS.map(([name]) => name);
export const SIZE_SEGMENTS = SIZES.map(([name]) => name);
export const ERA_SEGMENTS = ERAS.map(([name]) => name);
/** For sales only: whether the home was new when it sold. */
const AGES = ['new', 'existing'] as const;
export const SEGMENTS = [...BEDROOM_SEGMENTS, ...SIZE_SEGMENTS, ...ERA_SEGMENTS, ...AGES];
export type Segment = (typeof SEGMENTS)[number];

export interface HomeTraits {
  propertyType: string;
  sqft: number | null;
  bedrooms: number | null;
  yearBuilt: number | null;
}

function classes<Name extends string>(bounds: Record<Name, number>): [name: Name, from: number][] {
  return Object.entries(bounds) as [Name, number][];
}

function classOf<Name extends string>(value: number | null, bounds: [Name, number][]): Name[] {
  const found = value === null ? undefined : bounds.findLast(([, from]) => value >= from);
  return found ? [found[0]] : [];
}

export const isSegment = (group: string): boolean => SEGMENTS.some((segment) => segment === group);
export const isHome = (propertyType: string): boolean => HOMES.has(propertyType);

/** The segments of a residential home; a year of sale adds whether it was new then. */
export function segmentsOf({ propertyType, sqft, bedrooms, yearBuilt }: HomeTraits, soldIn?: number): Segment[] {
  if (!isHome(propertyType)) return [];
  return [
    ...classOf(bedrooms, BEDROOMS),
    ...classOf(sqft, SIZES),
    ...classOf(yearBuilt, ERAS),
    ...(soldIn === undefined || yearBuilt === null ? [] : ageAtSale(yearBuilt, soldIn)),
  ];
}

/** A home built well after the sale replaced the one that sold. */
function ageAtSale(yearBuilt: number, soldIn: number): Segment[] {
  if (yearBuilt > soldIn + 1) return [];
  return [yearBuilt >= soldIn - 1 ? 'new' : 'existing'];
}
