// Checks against the place: its county and state, and how its homes lie.
import { mapValues } from '../../../base/lib/pick.ts';
import { STATES } from '../../../base/lib/states.ts';
import { median } from '../../../base/math/quantiles.ts';
import type { Examined } from '../examined.ts';
import type { WholeChecks } from '../check.ts';

const bareCounty = (name: string) =>
  name
    .toUpperCase()
    .replace(/\b(?:COUNTY|PARISH|BOROUGH|CITY AND|CITY OF|CENSUS AREA|CO)\b/g, '')
    .replace(/[^A-Z]/g, '');

/** Rows by whether they name the counties of the recipe; undefined where the column holds a code of its own. */
function foreignCounties(values: Map<string, number>, counties: Examined['subject']['counties']) {
  const names = new Set(counties.map(({ name }) => bareCounty(name)));
  const codes = new Set(counties.flatMap(({ fips }) => [String(fips), String(fips).padStart(5, '0')]));
  const foreign = [...values].filter(([value]) => !names.has(bareCounty(value)) && !codes.has(value));
  const isCode = [...values.keys()].every((value) => !/[A-Z]{3}/.test(value) && !/^\d{5}$/.test(value));
  return isCode ? [] : foreign;
}

const sum = (entries: [string, number][]) => entries.reduce((total, [, count]) => total + count, 0);
const most = (entries: [string, number][]) =>
  entries
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([value, count]) => `${value.slice(0, 40)}: ${count.toLocaleString('en')}`);

/** Degrees from the middle within which a county lies; San Bernardino, the largest, reaches 1.8. In a place where most
    homes are near the middle, ten times their distance is far. */
const COUNTY_DEGREES = 1.8;
const NEAR_DEGREES = 0.7;
const FAR_TIMES = 10;
const FEW = 50;
const GONE = /^(?:D|DEL|DELETED?|RETIRED?|INACTIVE|VOID(?:ED)?|CANCELL?ED|HISTORIC(?:AL)?)$/;
const OF_PROPERTY = { warn: 0.0001, stop: 0.02 };

const hasDecimals = (digits: number) => (point: number[]) =>
  point.every((value) => Number.isInteger(Math.round(value * 1e7) / 10 ** (7 - digits)));

/** Those of the points that are wrong. */
const POINT_CHECKS: Record<string, (points: Examined['points']['values']) => number[][]> = {
  'far-apart': (points) => {
    const [y, x] = [0, 1].map((at) => median(points.map((point) => point[at])));
    const squeeze = Math.cos((y * Math.PI) / 180);
    const away = ([latitude, longitude]: [number, number]) => Math.hypot(latitude - y, (longitude - x) * squeeze);
    const near = Math.max(NEAR_DEGREES, FAR_TIMES * median(points.map(away)));
    return points.filter((point) => away(point) > Math.min(COUNTY_DEGREES, near));
  },
  'one-point': (points) => [...Map.groupBy(points, String).values()].toSorted((a, b) => b.length - a.length)[0],
  'coarse-points': (points) =>
    points.filter((point) => hasDecimals(2)(point) || point.some((value) => hasDecimals(1)([value]))),
  'rounded-points': (points) => points.filter(hasDecimals(3)),
};

export const PLACE_CHECKS: WholeChecks = {
  'foreign-county': ({ placeColumns, subject: { counties } }) =>
    placeColumns.flatMap(({ name, kind, values }) => {
      if (kind !== 'county' || counties.length === 0 || values.size === 0) return [];
      const foreign = foreignCounties(values, counties);
      const total = sum([...values]);
      return [{ about: name, count: sum(foreign), total, examples: most(foreign) }];
    }),
  'foreign-state': ({ placeColumns, subject: { state } }) =>
    placeColumns.flatMap(({ name, kind, values }) => {
      const own = STATES.find(({ code }) => code === state);
      if (kind !== 'state' || !own) return [];
      const known = new Set(STATES.flatMap((each) => [each.code, each.name.toUpperCase(), each.fips]));
      const stated = [...values].filter(([value]) => known.has(value));
      const foreign = stated.filter(([value]) => ![own.code, own.name.toUpperCase(), own.fips].includes(value));
      // Some assessors’ own codes look like those of states.
      const total = sum(stated);
      if (total < sum([...values]) / 2) return [];
      const isOfProperty = /situs|site|prop|loc|phy|parcel/i.test(name);
      const limits = isOfProperty ? OF_PROPERTY : { warn: 0.01, stop: 0.6 };
      return [{ about: name, count: sum(foreign), total, examples: most(foreign), limits }];
    }),
  'deleted-rows': ({ placeColumns, subject: { fields } }) =>
    placeColumns.flatMap(({ name: about, kind, values }) => {
      const gone = [...values].filter(([value]) => GONE.test(value));
      const isOfHomes = fields.some(({ target }) => target === 'properties');
      const found = { about, count: sum(gone), total: sum([...values]), examples: most(gone) };
      return kind === 'mark' && isOfHomes ? [found] : [];
    }),
  'outside-tracts': ({ fields }) => {
    const [points, tracts] = [fields.get('properties.latitude'), fields.get('properties.census_tract')];
    if (!points || !tracts || tracts.filled === 0) return [];
    return [{ count: points.filled - tracts.filled, total: points.filled }];
  },
  ...mapValues(POINT_CHECKS, (pick) => ({ points: { values, seen } }: Examined) => {
    const found = values.length < FEW ? [] : pick(values);
    const examples = found.slice(0, 3).map((point) => point.join(', '));
    return [{ count: Math.round((found.length / values.length) * seen), total: seen, examples }];
  }),
  'zip-all-over': ({ neighbors: { first } }) => {
    const placed = first.filter(({ zip, point: [latitude] }) => zip !== null && latitude !== null);
    const spreadOf = (homes: typeof placed) => {
      const [y, x] = [0, 1].map((at) => median(homes.map(({ point }) => point[at])));
      return median(homes.map(({ point }) => Math.hypot(point[0] - y, point[1] - x)));
    };
    const [, ...others] = [...Map.groupBy(placed, ({ zip }) => zip)].toSorted((a, b) => b[1].length - a[1].length);
    const wide = others.filter(([, homes]) => homes.length > 7 && spreadOf(homes) > 0.8 * spreadOf(placed));
    if (wide.length < 3) return [];
    const count = wide.flatMap(([, homes]) => homes).length;
    return [{ count, total: placed.length, examples: wide.map(([zip]) => String(zip)) }];
  },
};
