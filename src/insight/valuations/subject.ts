// Finds the home to be valued: a property on record, or one that the caller describes, with the market around it.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { findMarketAt, locate } from '../../records/address/locate.ts';
import type { LookupResolution } from '../../records/address/schema.ts';
import type { PropertyRow } from '../../records/properties/sql.ts';
import type { EstimateRequest, Resolution, Warning } from './schema.ts';

export interface Subject {
  row: PropertyRow | null;
  market: string;
  resolution: Omit<Resolution, 'fields_from_database' | 'fields_from_request'>;
  warnings: Warning[];
}

/** A caller who sends size and type with nothing but a point describes a home of their own. */
export async function locateSubject(
  deps: Pick<Deps, 'data' | 'catalog' | 'records' | 'places'>,
  mode: KeyMode,
  { address, id, fips, apn, latitude, longitude, ...described }: EstimateRequest['property'],
  match: 'standard' | 'strict' | undefined,
): Promise<Subject> {
  const isOnlyPoint = address === undefined && id === undefined && fips === undefined && apn === undefined;
  const isDescribed = described.sqft !== undefined && described.property_type !== undefined;
  if (isOnlyPoint && isDescribed && latitude !== undefined && longitude !== undefined) {
    const market = await findMarketAt(deps, mode, { latitude, longitude });
    const resolution = { method: 'attributes', match_quality: 'none', match_score: null } as const;
    return { row: null, market, resolution, warnings: [] };
  }
  const advice = 'To value a home that is not on record, send `sqft` and `property_type` with the coordinates.';
  const { row, resolution } = await locate(
    deps,
    mode,
    { address, id, fips, apn, latitude, longitude },
    { match, advice },
  );
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
  if (match_quality === 'unit_dropped') {
    const detail = 'The unit is not on record. The building was valued instead.';
    return [{ code: 'unit_dropped', detail, field: 'address' }];
  }
  return [];
}
