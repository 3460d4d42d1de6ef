// Finds the one property that a request refers to, by id, address, parcel number or point, for lookups, valuations,
// batches, reports and agents alike. Ambiguity is refused with candidates, never guessed.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { boxAround, cellsOfBox, distanceMiles, FINE_DEGREES, METERS_PER_MILE, type Point } from '../../base/lib/geo.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { placesIn } from '../markets/catalog.ts';
import { getCurrentProperty } from '../properties/properties.ts';
import type { PropertyRow } from '../properties/sql.ts';
import { listParcelsAt } from '../properties/shapes.ts';
import { resolveAddress } from './address.ts';
import type { MatchPolicy } from './match/decide.ts';
import { requireMatch } from './match/explain.ts';
import { formatLine } from './parse/format.ts';
import type { Locators, LookupResolution } from './schema.ts';
import * as sql from './store/sql.ts';

type LocateDeps = Pick<Deps, 'data' | 'catalog' | 'records' | 'places'>;

export interface Located {
  row: PropertyRow;
  resolution: LookupResolution;
}

/** `county` and `state` may stand in for the `fips` of a parcel number. */
export type WantedProperty = Locators & { county?: string; state?: string };

interface LocateOptions {
  match?: MatchPolicy;
  /** A hint for the caller where no property is near the point. */
  advice?: string;
  /** Where in the request the locators are, as a JSON pointer; by default at its top. */
  at?: string;
}

type Finder = (deps: LocateDeps, mode: KeyMode, wanted: WantedProperty, options: LocateOptions) => Promise<Located>;

/** A point in no parcel's outline refers to the nearest parcel within this distance. */
const PARCEL_METERS = 60;
/** With nothing on record within this distance, the place is not covered. */
const MARKET_MILES = 1;
const MAX_SUGGESTIONS = 5;
const MAX_CANDIDATES = 10;

/** Every locator sent must lead to the same property. */
export async function locate(
  deps: LocateDeps,
  mode: KeyMode,
  wanted: WantedProperty,
  options: LocateOptions = {},
): Promise<Located> {
  const found: Located[] = [];
  for (const find of findersFor(wanted, options.at)) found.push(await find(deps, mode, wanted, options));
  if (new Set(found.map(({ row }) => row.id)).size > 1) {
    fail('locator_conflict', 'The locators refer to different properties; send only one of them.');
  }
  return found[0];
}

function findersFor(wanted: WantedProperty, at = ''): Finder[] {
  requireBoth(at, [wanted.fips ?? wanted.county, wanted.apn], ['fips', 'apn']);
  requireBoth(at, [wanted.latitude, wanted.longitude], ['latitude', 'longitude']);
  const finders: Finder[] = [
    ...(wanted.id === undefined ? [] : [byId]),
    ...(wanted.address === undefined ? [] : [byAddress]),
    ...(wanted.apn === undefined ? [] : [byParcel]),
    ...(wanted.latitude === undefined ? [] : [byPoint]),
  ];
  if (finders.length === 0) {
    const detail = 'Identify the property by `address`, `id`, `fips` and `apn`, or `latitude` and `longitude`.';
    fail('invalid_request', detail, { errors: [{ pointer: at || '/address', code: 'missing_locator', detail }] });
  }
  return finders;
}

function requireBoth(at: string, [first, second]: [unknown, unknown], names: [string, string]): void {
  if ((first === undefined) === (second === undefined)) return;
  const detail = `\`${names[0]}\` and \`${names[1]}\` must be sent together.`;
  const missing = first === undefined ? names[0] : names[1];
  fail('invalid_request', detail, { errors: [{ pointer: `${at}/${missing}`, code: 'required', detail }] });
}

const byId: Finder = async (deps, mode, { id }) =>
  located(await getCurrentProperty(deps, mode, id!), { method: 'property_id' });

const byParcel: Finder = async (deps, mode, wanted) => {
  const fips = wanted.fips ?? (await findCounty(deps, mode, wanted));
  return located(await getCurrentProperty(deps, mode, `${fips}:${wanted.apn}`), { method: 'apn' });
};

const byAddress: Finder = async (deps, mode, { address }, { match: policy }) => {
  const match = requireMatch(await resolveAddress(deps, address!, { mode, match: policy }));
  const row = await getCurrentProperty(deps, mode, match.property_id);
  return located(row, {
    method: 'address',
    match_quality: match.match_quality,
    match_score: match.match_score,
    flags: match.flags,
    ...(match.address && { matched_address: match.address }),
  });
};

/** The parcel whose outline contains the point, or else the nearest one. */
const byPoint: Finder = async (deps, mode, { latitude, longitude }, { advice }) => {
  const point = { latitude: latitude!, longitude: longitude! };
  const inside = await listParcelsAt(deps, mode, point);
  if (inside.length > 0) {
    refuseShared(inside);
    return located(await getCurrentProperty(deps, mode, inside[0].id), { method: 'coordinates', distance_meters: 0 });
  }
  const near = await listNear(deps, mode, point);
  const [nearest] = near;
  if (!nearest || nearest.meters > PARCEL_METERS) {
    if (!nearest) await findMarketAt(deps, mode, point);
    fail('address_not_resolved', [`No property is within ${PARCEL_METERS} m of the point.`, advice].join(' ').trim(), {
      reason: 'no_property_near',
      suggestions: near.slice(0, MAX_SUGGESTIONS).map(candidateOf),
    });
  }
  refuseShared(near);
  return located(await getCurrentProperty(deps, mode, nearest.id), {
    method: 'coordinates',
    match_quality: 'nearest_parcel',
    match_score: Math.round((1 - nearest.meters / (2 * PARCEL_METERS)) * 100) / 100,
    distance_meters: Math.round(nearest.meters * 10) / 10,
  });
};

function located(row: PropertyRow, how: Pick<LookupResolution, 'method'> & Partial<LookupResolution>): Located {
  const exact = { match_quality: 'exact', match_score: 1, distance_meters: null } as const;
  return { row, resolution: { ...exact, flags: [], matched_address: candidateOf(row).address, ...how } };
}

/** Properties within twice the matching distance of the point, nearest first: those beyond it are suggestions. */
async function listNear(deps: LocateDeps, mode: KeyMode, point: Point) {
  const box = boxAround(point, (2 * PARCEL_METERS) / METERS_PER_MILE);
  const { counties } = placesIn(await deps.catalog.read(), mode, box);
  return (await sql.listPropertiesInBox(deps.data, counties, cellsOfBox(box, FINE_DEGREES), box))
    .map((row) => ({ ...row, meters: distanceMiles(point, row) * METERS_PER_MILE }))
    .sort((a, b) => a.meters - b.meters || (a.id < b.id ? -1 : 1));
}

/** The market of the property nearest to a point. Boxes grow from 160 m: a mile of a city holds ten thousands of homes. */
export async function findMarketAt(deps: Pick<Deps, 'data' | 'catalog'>, mode: KeyMode, point: Point): Promise<string> {
  const catalog = await deps.catalog.read();
  for (const miles of [0.1, 0.3, MARKET_MILES]) {
    const box = boxAround(point, miles);
    const nearest = await sql.findNearest(
      deps.data,
      placesIn(catalog, mode, box).counties,
      cellsOfBox(box, FINE_DEGREES),
      point,
    );
    if (nearest && distanceMiles(point, nearest) <= miles) return nearest.market;
  }
  return fail('out_of_coverage', 'No property on record lies within a mile of this point. See /coverage.', {
    reason: 'not_covered',
  });
}

type Addressed = Pick<PropertyRow, 'id' | 'address_line1' | 'address_unit' | 'city' | 'state' | 'zip'>;

/** Units of one building share a point, so the point is ambiguous. */
function refuseShared(near: (Addressed & { meters: number })[]): void {
  const shared = near.filter(({ meters }) => meters === near[0].meters);
  if (shared.length === 1) return;
  fail(
    'address_ambiguous',
    'Several properties are at this point. Use the id of a candidate, or its address with the unit.',
    { reason: 'several_properties', candidates: shared.slice(0, MAX_CANDIDATES).map(candidateOf) },
  );
}

const candidateOf = ({ id, address_line1: line1, address_unit: unit, city, state, zip }: Addressed) => ({
  property_id: id,
  address: line1 === null ? null : formatLine({ line1, unit, city: city ?? '', state, zip }),
});

/** The FIPS code of a loaded county by its name. */
async function findCounty(deps: LocateDeps, mode: KeyMode, wanted: WantedProperty): Promise<string> {
  const catalog = await deps.catalog.read();
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replace(/ (county|parish|borough)$/, '')
      .trim();
  const [state, county] = [(wanted.state ?? '').toUpperCase(), plain(wanted.county ?? '')];
  const loaded = new Set(catalog.visible[mode].map(({ fips }) => fips));
  const found = [...catalog.counties.values()].find(
    (row) => loaded.has(row.fips) && row.state === state && plain(row.name) === county,
  );
  return found
    ? formatFips(found.fips)
    : fail('out_of_coverage', `No county named ${wanted.county} is loaded in ${state}. See /coverage.`);
}
