// Finds one property by address, parcel number or point; two locators that disagree are an error.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { boxAround, cellsOfBox, distanceMiles, FINE_DEGREES, METERS_PER_MILE } from '../../base/lib/geo.ts';
import { getProperty } from '../properties/properties.ts';
import { countiesIn } from '../markets/catalog.ts';
import { listParcelsAt, type ParcelAt } from '../properties/shapes.ts';
import { type PropertyRow } from '../properties/sql.ts';
import { resolveAddress } from './address.ts';
import { requireMatch } from './match/explain.ts';
import { formatLine } from './parse/format.ts';
import type { LookupQuery, LookupResolution } from './schema.ts';
import * as sql from './store/sql.ts';

type LookupDeps = Pick<Deps, 'data' | 'catalog' | 'records' | 'places'>;

interface Found {
  row: PropertyRow;
  resolution: LookupResolution;
}

type Locator = (deps: LookupDeps, mode: KeyMode, query: LookupQuery) => Promise<Found>;

/** A point refers to the nearest parcel within this distance. */
const PARCEL_METERS = 60;
/** With nothing on record within this distance, the place is not covered. */
const MARKET_MILES = 1;
const MAX_SUGGESTIONS = 5;

export async function lookUpProperty(deps: LookupDeps, mode: KeyMode, query: LookupQuery): Promise<Found> {
  const found: Found[] = [];
  for (const locator of locatorsOf(query)) found.push(await locator(deps, mode, query));
  if (new Set(found.map(({ row }) => row.id)).size > 1) {
    fail('locator_conflict', 'The locators refer to different properties; send only one of them.');
  }
  return found[0];
}

function locatorsOf(query: LookupQuery): Locator[] {
  requireBoth(query.fips, query.apn, 'fips', 'apn');
  requireBoth(query.latitude, query.longitude, 'latitude', 'longitude');
  const locators: Locator[] = [
    ...(query.address === undefined ? [] : [byAddress]),
    ...(query.apn === undefined ? [] : [byParcel]),
    ...(query.latitude === undefined ? [] : [byPoint]),
  ];
  if (locators.length === 0) {
    const detail = 'Identify the property by `address`, by `fips` and `apn`, or by `latitude` and `longitude`.';
    fail('invalid_request', detail, { errors: [{ pointer: '/address', code: 'missing_locator', detail }] });
  }
  return locators;
}

function requireBoth(first: unknown, second: unknown, ...names: [string, string]): void {
  if ((first === undefined) === (second === undefined)) return;
  const detail = `\`${names[0]}\` and \`${names[1]}\` must be sent together.`;
  const missing = first === undefined ? names[0] : names[1];
  fail('invalid_request', detail, { errors: [{ pointer: `/${missing}`, code: 'required', detail }] });
}

const byAddress: Locator = async (deps, mode, query) => {
  const match = requireMatch(await resolveAddress(deps, query.address!, { mode, match: query.match }));
  const row = await getCurrent(deps, mode, match.property_id);
  const resolution: LookupResolution = {
    method: 'address',
    match_quality: match.match_quality,
    match_score: match.match_score,
    matched_address: match.address ?? lineOf(row),
    flags: match.flags,
    distance_meters: null,
  };
  return { row, resolution };
};

const byParcel: Locator = async (deps, mode, query) => {
  const row = await getCurrent(deps, mode, `${query.fips}:${query.apn}`);
  return {
    row,
    resolution: {
      method: 'apn',
      match_quality: 'exact',
      match_score: 1,
      matched_address: null,
      flags: [],
      distance_meters: null,
    },
  };
};

const byPoint: Locator = async (deps, mode, query) => {
  const point = { latitude: query.latitude!, longitude: query.longitude! };
  const inside = await listParcelsAt(deps, mode, point);
  if (inside.length > 0) return foundInside(deps, mode, inside);
  const box = boxAround(point, (2 * PARCEL_METERS) / METERS_PER_MILE);
  const around = boxAround(point, MARKET_MILES);
  const counties = countiesIn(await deps.catalog.read(), mode, around);
  const near = (await sql.listPropertiesInBox(deps.data, counties, cellsOfBox(box, FINE_DEGREES), box))
    .map((row) => ({ ...row, meters: distanceMiles(point, row) * METERS_PER_MILE }))
    .sort((a, b) => a.meters - b.meters || (a.id < b.id ? -1 : 1));
  const [nearest] = near;
  if (!nearest) {
    if (!(await sql.hasPropertyInCells(deps.data, counties, cellsOfBox(around, FINE_DEGREES))))
      fail('out_of_coverage', 'No property on record lies within a mile of this point. See /coverage.', {
        reason: 'not_covered',
      });
  }
  if (!nearest || nearest.meters > PARCEL_METERS) {
    fail('address_not_resolved', `No property is within ${PARCEL_METERS} m of the point.`, {
      reason: 'no_property_near',
      suggestions: near
        .slice(0, MAX_SUGGESTIONS)
        .map(({ id, address_line1 }) => ({ property_id: id, address: address_line1 })),
    });
  }
  refuseShared(near);
  const distance = Math.round(nearest.meters * 10) / 10;
  const score = Math.round((1 - nearest.meters / (2 * PARCEL_METERS)) * 100) / 100;
  return {
    row: await getCurrent(deps, mode, nearest.id),
    resolution: {
      method: 'coordinates',
      match_quality: 'nearest_parcel',
      match_score: score,
      matched_address: null,
      flags: [],
      distance_meters: distance,
    },
  };
};

/** The parcel whose shape holds the point. Of shapes that overlap, the one with the nearest point of its own. */
async function foundInside(deps: LookupDeps, mode: KeyMode, inside: ParcelAt[]): Promise<Found> {
  refuseShared(inside);
  return {
    row: await getCurrent(deps, mode, inside[0].id),
    resolution: {
      method: 'coordinates',
      match_quality: 'exact',
      match_score: 1,
      matched_address: null,
      flags: [],
      distance_meters: 0,
    },
  };
}

type Near = Pick<ParcelAt, 'id' | 'address_line1' | 'address_unit' | 'meters'>;

/** Units of one building are at the same point: which of them is meant, it does not say. */
function refuseShared(near: Near[]): void {
  const shared = near.filter(({ meters }) => meters === near[0].meters);
  if (shared.length === 1) return;
  fail(
    'address_ambiguous',
    'Several properties are at this point. Use the id of a candidate, or its address with the unit.',
    {
      reason: 'several_properties',
      candidates: shared.slice(0, 10).map(({ id, address_line1, address_unit }) => ({
        property_id: id,
        address: [address_line1, address_unit].filter(Boolean).join(' '),
      })),
    },
  );
}

function lineOf({ address_line1, address_unit, city, state, zip }: PropertyRow): string | null {
  return address_line1 === null
    ? null
    : formatLine({ line1: address_line1, unit: address_unit, city: city ?? '', state, zip });
}

/** A merged property is looked up as its successor. */
async function getCurrent(deps: LookupDeps, mode: KeyMode, reference: string): Promise<PropertyRow> {
  const { row, movedTo } = await getProperty(deps, mode, reference);
  return movedTo === undefined ? row : (await getProperty(deps, mode, movedTo)).row;
}
