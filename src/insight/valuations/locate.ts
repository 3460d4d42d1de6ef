// Finds the property that a request refers to, from exactly one locator: a record or, with coordinates and
// attributes, a place.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { requireMatch, resolveAddress } from '../../records/address/address.ts';
import type { Deps } from '../../base/deps.ts';
import { fail, failForLackOf } from '../../base/lib/errors.ts';
import { boxAround, cellsOfBox, distanceMiles, FINE_DEGREES, METERS_PER_MILE } from '../../base/lib/geo.ts';
import { countiesIn, isVisibleMarket } from '../../records/markets/catalog.ts';
import { getProperty } from '../../records/properties/properties.ts';
import { listParcelsAt } from '../../records/properties/shapes.ts';
import { type PropertyRow } from '../../records/properties/sql.ts';
import type { EstimateRequest, Resolution, Warning } from './schema.ts';
import * as sql from './sql.ts';

export type Located = {
  row: PropertyRow | null;
  market: string;
  method: Resolution['method'];
  quality: Resolution['match_quality'];
  score: number | null;
  address: string | null;
  warnings: Warning[];
};

type Wanted = EstimateRequest['property'];
type LocateDeps = Pick<Deps, 'data' | 'catalog' | 'records' | 'places'>;

/** Within this distance a point refers to the nearest parcel. */
const PARCEL_METERS = 60;
/** Within this distance a home that is not on record belongs to the market of the nearest property. */
const MARKET_MILES = 1;

export async function locate(
  deps: LocateDeps,
  mode: KeyMode,
  wanted: Wanted,
  match: 'standard' | 'strict',
): Promise<Located> {
  const locators = listLocators(wanted);
  if (locators.length === 0) {
    fail(
      'invalid_request',
      'Identify the property by `address`, `id`, `fips` and `apn`, or `latitude` and `longitude`.',
      {
        errors: [{ pointer: '/property', code: 'missing_locator', detail: 'One locator is required.' }],
      },
    );
  }
  const found: Located[] = [];
  for (const locator of locators) found.push(await FINDERS[locator](deps, mode, wanted, match));
  const ids = new Set(found.map(({ row }) => row?.id ?? null));
  if (ids.size > 1)
    fail('locator_conflict', `The locators (${locators.join(', ')}) refer to different properties. Send only one.`);
  return found[0];
}

type Locator = 'address' | 'id' | 'apn' | 'coordinates';

function listLocators(wanted: Wanted): Locator[] {
  const half = (a: unknown, b: unknown): boolean => (a === undefined) !== (b === undefined);
  if (half(wanted.latitude, wanted.longitude))
    fail('invalid_request', '`latitude` and `longitude` must be sent together.');
  if (half(wanted.fips, wanted.apn)) fail('invalid_request', '`fips` and `apn` must be sent together.');
  return [
    ...(wanted.id !== undefined ? (['id'] as const) : []),
    ...(wanted.address !== undefined ? (['address'] as const) : []),
    ...(wanted.apn !== undefined ? (['apn'] as const) : []),
    ...(wanted.latitude !== undefined ? (['coordinates'] as const) : []),
  ];
}

const FINDERS: Record<
  Locator,
  (deps: LocateDeps, mode: KeyMode, wanted: Wanted, match: 'standard' | 'strict') => Promise<Located>
> = {
  id: async (deps, mode, wanted) => byReference(deps, mode, wanted.id!, 'property_id'),
  apn: async (deps, mode, wanted) => byReference(deps, mode, `${wanted.fips}:${wanted.apn}`, 'apn'),
  address: async (deps, mode, wanted, match) => {
    const resolution = requireMatch(await resolveAddress(deps, wanted.address!, { mode, match }));
    const located = await byReference(deps, mode, resolution.property_id, 'address');
    const warnings: Warning[] =
      resolution.match_quality === 'corrected'
        ? [{ code: 'address_corrected', detail: `Interpreted as ${located.address}.`, field: 'address' }]
        : resolution.match_quality === 'unit_dropped'
          ? [
              {
                code: 'unit_dropped',
                detail: 'The unit is not on record. The building was valued instead.',
                field: 'address',
              },
            ]
          : [];
    return { ...located, quality: resolution.match_quality, score: resolution.match_score, warnings };
  },
  coordinates: byCoordinates,
};

async function byReference(
  deps: LocateDeps,
  mode: KeyMode,
  reference: string,
  method: 'property_id' | 'apn' | 'address',
): Promise<Located> {
  const { row, movedTo } = await getProperty(deps, mode, reference);
  const current = movedTo === undefined ? row : (await getProperty(deps, mode, movedTo)).row;
  return {
    row: current,
    market: current.market,
    method,
    quality: 'exact',
    score: 1,
    address: addressOf(current),
    warnings: [],
  };
}

async function byCoordinates(deps: LocateDeps, mode: KeyMode, wanted: Wanted): Promise<Located> {
  const point = { latitude: wanted.latitude!, longitude: wanted.longitude! };
  const around = boxAround(point, MARKET_MILES);
  const catalog = await deps.catalog.read();
  const near = (await sql.listAround(deps.data, countiesIn(catalog, mode, around), cellsOfBox(around, FINE_DEGREES)))
    .filter(({ market }) => isVisibleMarket(catalog, market, mode))
    .map((row) => ({ ...row, miles: distanceMiles(point, row) }))
    .toSorted((a, b) => a.miles - b.miles || (a.id < b.id ? -1 : 1));
  if (near.length === 0 || near[0].miles > MARKET_MILES) {
    fail('out_of_coverage', 'No property on record lies within a mile of this point.');
  }
  // A caller who gives size and type describes a home of their own; without them, the nearest parcel is meant.
  const isDescribed = wanted.sqft !== undefined && wanted.property_type !== undefined;
  if (isDescribed) {
    return {
      row: null,
      market: near[0].market,
      method: 'attributes',
      quality: 'none',
      score: null,
      address: null,
      warnings: [],
    };
  }
  const [inside] = await listParcelsAt(deps, mode, point);
  if (inside) return { ...(await byReference(deps, mode, inside.id, 'property_id')), method: 'coordinates' };
  const meters = near[0].miles * METERS_PER_MILE;
  if (meters > PARCEL_METERS) {
    failForLackOf(
      'no_property_at_point',
      `The nearest property on record is ${Math.round(meters)} m away. ` +
        'To value a home that is not on record, send `sqft` and `property_type` with the coordinates.',
    );
  }
  const located = await byReference(deps, mode, near[0].id, 'property_id');
  return {
    ...located,
    method: 'coordinates',
    quality: 'nearest_parcel',
    score: Math.round(100 * (1 - meters / (2 * PARCEL_METERS))) / 100,
  };
}

function addressOf(row: PropertyRow): string | null {
  if (row.address_line1 === null) return null;
  const line = row.address_unit ? `${row.address_line1} ${row.address_unit}` : row.address_line1;
  return [line, row.city, [row.state, row.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
}
