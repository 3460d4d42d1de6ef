// Whether two records of a parcel describe the same building: attributes of a demolished house do not apply to its
// replacement.

/** The fields that change when a home is rebuilt; place and lot stay. */
export const BUILDING_FIELDS: ReadonlySet<string> = new Set(
  `sqft bedrooms bathrooms baths_full baths_half year_built effective_year_built stories units rooms garage_spaces pool
  heating cooling exterior foundation condition quality style footprint_sqft`.split(/\s+/),
);

type Stated = Record<string, unknown>;

/** Publishers that state an age instead of a year are off by one. */
const YEARS = 1;
/** Areas that differ by more are not measurements of the same building. */
const AREA_SHARE = 0.02;

const differBy = (a: Stated, b: Stated, name: string): number =>
  typeof a[name] === 'number' && typeof b[name] === 'number' ? Math.abs(a[name] - b[name]) : 0;

/** If either has no year built, they are assumed to be the same. */
export const isOtherBuilding = (a: Stated, b: Stated): boolean => differBy(a, b, 'year_built') > YEARS;

/** Whether the later record describes a building erected after the earlier one became known. */
export const isRebuilt = (earlier: Stated, knownOn: string, later: Stated): boolean =>
  isOtherBuilding(earlier, later) && (later.year_built as number) >= Number(knownOn.slice(0, 4)) - YEARS;

/** A floor or basement area is part of one living area, and inconsistent with another. */
const isPartOfArea = (name: string): boolean => /(^|_)(sqft|area)(_|$)/.test(name) && !/neighbor|lot|land/.test(name);

/** The extras of a record that are still consistent with a later or better record of the home. */
export function extrasThatFit(extras: Stated | null | undefined, of: Stated, other: Stated): Stated {
  if (isOtherBuilding(of, other)) return {};
  const most = AREA_SHARE * ((other.sqft as number | undefined) ?? 0);
  if (differBy(of, other, 'sqft') <= most) return extras ?? {};
  return Object.fromEntries(Object.entries(extras ?? {}).filter(([name]) => !isPartOfArea(name)));
}
