// Checks against the place: its county and state, and how its homes lie.
import Flatbush from 'flatbush';
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
/** Homes around one that may be of its ZIP code. */
const AROUND = 8;
/** House numbers of a block and its neighbor, and what lies between them at most. */
const [DOORS, DOORS_DEGREES] = [100, 0.006];
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
      return [{ about: name, count: sum(foreign), total: sum([...values]), examples: most(foreign) }];
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
  'mail-elsewhere': ({ mail, subject: { fields } }) =>
    // A column of its own may name the municipality, which mail does not go by.
    mail.filter(
      ({ about }) => about === 'zip' || fields.some(({ name, columns }) => name === 'city' && columns.length === 0),
    ),
  'among-others': ({ neighbors: { first } }) =>
    (['zip', 'city'] as const).flatMap((about) => {
      const named = first.filter((home) => home[about] !== null && home.point[0] !== null);
      const homesOf = Map.groupBy(named, (home) => home[about]);
      const asked = named.filter((home) => homesOf.get(home[about])!.length > AROUND);
      if (asked.length < FEW || homesOf.size < 2) return [];
      const tree = new Flatbush(named.length);
      for (const { point } of named) tree.add(point[1], point[0], point[1], point[0]);
      tree.finish();
      const alone = asked.filter(({ [about]: own, point: [y, x] }) => {
        return tree.neighbors(x, y, AROUND + 1).filter((at) => named[at][about] === own).length < 2;
      });
      return [{ about, count: alone.length, total: asked.length, examples: alone.map(({ line }) => `line ${line}`) }];
    }),
  'doors-apart': ({ neighbors: { first } }) => {
    const doors = first.flatMap(({ address, zip, city, point: [y, x], line }) => {
      const [, number, street] = /^(\d+) (.+)$/.exec(address ?? '') ?? [];
      return street && y !== null ? [{ number: Number(number), street: [street, zip, city].join(), y, x, line }] : [];
    });
    const sorted = doors.toSorted((a, b) => a.street.localeCompare(b.street) || a.number - b.number);
    const pairs = sorted.flatMap((door, i) => {
      const { street, number, y, x } = sorted[i - 1] ?? {};
      const isNext = street === door.street && number !== door.number && door.number - number <= DOORS;
      return isNext ? [{ line: door.line, away: Math.hypot(door.y - y, door.x - x) }] : [];
    });
    const far = pairs.filter(({ away }) => away > DOORS_DEGREES);
    const total = pairs.length < FEW ? 0 : pairs.length;
    return [{ count: far.length, total, examples: far.map(({ line }) => `line ${line}`) }];
  },
};
