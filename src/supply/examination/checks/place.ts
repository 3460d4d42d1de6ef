// Checks against the place: its county and state, and how its homes lie.
import { STATES } from '../../../base/lib/states.ts';
import { median } from '../../../base/math/quantiles.ts';
import type { Examined } from '../examined.ts';
import type { Found, WholeCheck } from '../check.ts';

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
const OF_PROPERTY = { warn: 0.0001, stop: 0.02 };

/** How many homes have such points; none where few points are known. */
function amongPoints(
  { points: { values, seen } }: Examined,
  limits: Found['limits'],
  find: (points: Examined['points']['values']) => { length: number; examples?: string[] },
): Found[] {
  if (values.length < FEW) return [];
  const { length, examples } = find(values);
  return [{ count: Math.round((length / values.length) * seen), total: seen, examples, limits }];
}

const hasDecimals = (digits: number) => (point: number[]) =>
  point.every((value) => Number.isInteger(Math.round(value * 1e7) / 10 ** (7 - digits)));

export const PLACE_CHECKS: WholeCheck[] = [
  {
    id: 'foreign-county',
    find: ({ placeColumns, subject: { counties } }) =>
      placeColumns.flatMap(({ name, kind, values }) => {
        if (kind !== 'county' || counties.length === 0 || values.size === 0) return [];
        const foreign = foreignCounties(values, counties);
        const total = sum([...values]);
        return [{ about: name, count: sum(foreign), total, examples: most(foreign), limits: OF_PROPERTY }];
      }),
  },
  {
    id: 'foreign-state',
    find: ({ placeColumns, subject: { state } }) =>
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
  },
  {
    id: 'outside-tracts',
    find: ({ fields }) => {
      const [points, tracts] = [fields.get('properties.latitude'), fields.get('properties.census_tract')];
      if (!points || !tracts || tracts.filled === 0) return [];
      return [{ count: points.filled - tracts.filled, total: points.filled, limits: { warn: 0.02, stop: 0.3 } }];
    },
  },
  {
    id: 'far-apart',
    find: (exam) =>
      amongPoints(exam, { warn: 0.001, stop: 0.1 }, (points) => {
        const [y, x] = [0, 1].map((at) => median(points.map((point) => point[at])));
        const squeeze = Math.cos((y * Math.PI) / 180);
        const away = ([latitude, longitude]: [number, number]) => Math.hypot(latitude - y, (longitude - x) * squeeze);
        const near = Math.max(NEAR_DEGREES, FAR_TIMES * median(points.map(away)));
        const far = points.filter((point) => away(point) > Math.min(COUNTY_DEGREES, near));
        return { length: far.length, examples: far.slice(0, 3).map((point) => point.join(', ')) };
      }),
  },
  {
    id: 'one-point',
    find: (exam) =>
      amongPoints(exam, { warn: 0.1, stop: 0.7 }, (points) => {
        const [[point, { length }]] = [...Map.groupBy(points, String)].toSorted((a, b) => b[1].length - a[1].length);
        return { length, examples: [point] };
      }),
  },
  {
    id: 'coarse-points',
    find: (exam) => amongPoints(exam, { warn: 0.2, stop: 0.9 }, (points) => points.filter(hasDecimals(2))),
  },
  {
    id: 'rounded-points',
    find: (exam) => amongPoints(exam, { warn: 0.5 }, (points) => points.filter(hasDecimals(3))),
  },
  {
    id: 'zip-all-over',
    find: ({ neighbors: { first } }) => {
      const placed = first.filter(({ zip, point: [latitude] }) => zip !== null && latitude !== null);
      const spreadOf = (homes: typeof placed) => {
        const [y, x] = [0, 1].map((at) => median(homes.map(({ point }) => point[at])));
        return median(homes.map(({ point }) => Math.hypot(point[0] - y, point[1] - x)));
      };
      const [, ...others] = [...Map.groupBy(placed, ({ zip }) => zip)].toSorted((a, b) => b[1].length - a[1].length);
      const wide = others.filter(([, homes]) => homes.length > 7 && spreadOf(homes) > 0.8 * spreadOf(placed));
      if (wide.length < 3) return [];
      const count = wide.flatMap(([, homes]) => homes).length;
      return [{ count, total: placed.length, examples: wide.map(([zip]) => String(zip)), limits: { warn: 0.05 } }];
    },
  },
];
