// Finds the home to be valued, on record or described by the caller, and its market.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { findMarketAt, locate } from '../../records/address/locate.ts';
import { LocatorParameters, type Locators, type LookupResolution } from '../../records/address/schema.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import type { EstimateRequest, Resolution, Warning } from './schema.ts';

export interface Subject {
  row: PropertyRow | null;
  market: string;
  resolution: Omit<Resolution, 'fields_from_database' | 'fields_from_request'>;
  warnings: Warning[];
}

const LOCATORS = Object.keys(LocatorParameters) as (keyof Locators)[];

/** A request with only a point, size and type describes a home not on record. */
export async function locateSubject(
  deps: Pick<Deps, 'data' | 'catalog' | 'records' | 'places'>,
  mode: KeyMode,
  property: EstimateRequest['property'],
  match: 'standard' | 'strict' | undefined,
): Promise<Subject> {
  const { latitude, longitude, sqft, property_type } = property;
  const sent = LOCATORS.filter((name) => property[name] !== undefined);
  const isDescribed = sent.length === 2 && sqft !== undefined && property_type !== undefined;
  if (isDescribed && latitude !== undefined && longitude !== undefined) {
    const market = await findMarketAt(deps, mode, { latitude, longitude });
    const resolution = { method: 'attributes', match_quality: 'none', match_score: null } as const;
    return { row: null, market, resolution, warnings: [] };
  }
  const locators: Locators = Object.fromEntries(sent.map((name) => [name, property[name]]));
  const advice = 'To value a home that is not on record, send `sqft` and `property_type` with the coordinates.';
  const { row, resolution } = await locate(deps, mode, locators, { match, advice, at: '/property' });
  const { method, match_quality, match_score, matched_address } = resolution;
  return {
    row,
    market: row.market,
    resolution: { method, matched_address, match_quality, match_score },
    warnings: addressWarnings(resolution),
  };
}

function addressWarnings({ match_quality, matched_address }: LookupResolution): Warning[] {
  if (match_quality === 'corrected')
    return [{ code: 'address_corrected', detail: `Interpreted as ${matched_address}.`, field: 'address' }];
  if (match_quality !== 'unit_dropped') return [];
  const detail = 'The unit is not on record. The building was valued instead.';
  return [{ code: 'unit_dropped', detail, field: 'address' }];
}
