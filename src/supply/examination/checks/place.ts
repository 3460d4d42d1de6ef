// Checks against the place: its county and state, and how its homes lie.
import { STATES } from '../../../base/lib/states.ts';
import { median } from '../../../base/math/quantiles.ts';
import type { Examined } from '../examined.ts';
import type { WholeCheck } from '../check.ts';

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

export const PLACE_CHECKS: WholeCheck[] = [
  {
    id: 'foreign-county',
    find: ({ placeColumns, subject: { counties } }) =>
      placeColumns.flatMap(({ name, kind, values }) => {
        if (kind !== 'county' || counties.length === 0 || values.size === 0) return [];
        const foreign = foreignCounties(values, counties);
        const total = sum([...values]);
        return [
          { about: name, count: sum(foreign), total, examples: most(foreign), limits: { warn: 0.0001, stop: 0.02 } },
        ];
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
        if (sum(stated) < sum([...values]) / 2) return [];
        const isOfProperty = /situs|site|prop|loc|phy|parcel/i.test(name);
        return [
          {
            about: name,
            count: sum(foreign),
            total: sum(stated),
            examples: most(foreign),
            limits: { warn: isOfProperty ? 0.0001 : 0.01, stop: isOfProperty ? 0.02 : 0.6 },
          },
        ];
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
    find: ({ points: { values, seen } }) => {
      if (values.length < FEW) return [];
      const [y, x] = [median(values.map(([latitude]) => latitude)), median(values.map(([, longitude]) => longitude))];
      const squeeze = Math.cos((y * Math.PI) / 180);
      const away = ([latitude, longitude]: [number, number]) => Math.hypot(latitude - y, (longitude - x) * squeeze);
      const near = Math.max(NEAR_DEGREES, FAR_TIMES * median(values.map(away)));
      const far = values.filter((point) => away(point) > Math.min(COUNTY_DEGREES, near));
      const count = Math.round((far.length / values.length) * seen);
      return [
        {
          count,
          total: seen,
          examples: far.slice(0, 3).map((point) => point.join(', ')),
          limits: { warn: 0.001, stop: 0.1 },
        },
      ];
    },
  },
  {
    id: 'one-point',
    find: ({ points: { values, seen } }) => {
      if (values.length < FEW) return [];
      const counts = new Map<string, number>();
      for (const point of values) counts.set(point.join(), (counts.get(point.join()) ?? 0) + 1);
      const [point, top] = [...counts].toSorted((a, b) => b[1] - a[1])[0];
      const count = Math.round((top / values.length) * seen);
      return [{ count, total: seen, examples: [point], limits: { warn: 0.1, stop: 0.7 } }];
    },
  },
  {
    id: 'coarse-points',
    find: ({ points: { values, seen } }) => {
      if (values.length < FEW) return [];
      const isCoarse = (value: number) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-7;
      const coarse = values.filter(([latitude, longitude]) => isCoarse(latitude) && isCoarse(longitude)).length;
      return [{ count: Math.round((coarse / values.length) * seen), total: seen, limits: { warn: 0.2, stop: 0.9 } }];
    },
  },
];
