// Whether two statements about a parcel describe the same building: attributes of a house that was torn down say nothing
// about the one that stands in its place.

/** The fields that change when a home is rebuilt; place and lot stay. */
export const BUILDING_FIELDS: ReadonlySet<string> = new Set(
  `sqft bedrooms bathrooms baths_full baths_half year_built effective_year_built stories units rooms garage_spaces pool
  heating cooling exterior foundation condition quality style footprint_sqft`.split(/\s+/),
);

type Stated = Record<string, unknown>;

/** Publishers who give an age instead of a year are off by one. */
const YEARS = 1;
/** Areas of one building that differ by more were not measured of the same walls. */
const AREA_SHARE = 0.02;

const differBy = (a: Stated, b: Stated, name: string): number =>
  typeof a[name] === 'number' && typeof b[name] === 'number' ? Math.abs(a[name] - b[name]) : 0;

/** Where either does not say when it was built, they are taken to be the same. */
export const isOtherBuilding = (a: Stated, b: Stated): boolean => differBy(a, b, 'year_built') > YEARS;

/** Whether the later statement is of a building that did not stand when the earlier one became known. */
export const isRebuilt = (earlier: Stated, knownOn: string, later: Stated): boolean =>
  isOtherBuilding(earlier, later) && (later.year_built as number) >= Number(knownOn.slice(0, 4)) - YEARS;

/** A floor or a basement is a part of one living area, and contradicts another. */
const isPartOfArea = (name: string): boolean => /(^|_)(sqft|area)(_|$)/.test(name) && !/neighbor|lot|land/.test(name);

/** The extras of a record that also hold for what a later or better statement says about the home. */
export function extrasThatFit(extras: Stated | null | undefined, of: Stated, other: Stated): Stated {
  if (isOtherBuilding(of, other)) return {};
  const most = AREA_SHARE * ((other.sqft as number | undefined) ?? 0);
  if (differBy(of, other, 'sqft') <= most) return extras ?? {};
  return Object.fromEntries(Object.entries(extras ?? {}).filter(([name]) => !isPartOfArea(name)));
}
