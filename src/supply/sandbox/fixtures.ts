// The sandbox's magic inputs as data: addresses and properties with a fixed outcome, and what to expect from each.
import { compactApn, propertyId } from '../../base/lib/ids.ts';
import { ERRORS, type ErrorCode, type NoValueReason } from '../../base/lib/errors.ts';
import type { LayerName } from '../layers/layers.ts';
import { QUILLMOOR, WENDEMERE } from './geography.ts';

/** What the HTTP layer does before or instead of the real work, for calls of these kinds. */
export type MagicOutcome =
  | { kind: 'error'; code: ErrorCode; calls: 'all' | 'valuation'; retryAfterSeconds?: number; reason?: NoValueReason }
  | { kind: 'delay'; delayMs: number; calls: 'all' | 'valuation' }
  | { kind: 'layer_unavailable'; layer: LayerName };

type Fixture = {
  name: string;
  what: string;
  /** The call that demonstrates it, and its locator. */
  endpoint: string;
  request: { address?: string; property_id?: string };
  expect: { status: number; code: ErrorCode | null };
};

/** Parcel numbers reserved for magic properties; their ids derive from them and never change. */
export const MAGIC_APN = {
  demo: '900-0001-001',
  noData: '900-0002-001',
  rateLimited: '900-0002-002',
  quotaExhausted: '900-0002-003',
  slow: '900-0002-004',
  serverError: '900-0002-005',
  unavailable: '900-0002-006',
  layerAway: '900-0002-007',
  split: '900-0002-008',
  splitFirst: '900-0002-009',
  splitSecond: '900-0002-010',
  merged: '900-0002-011',
  mergedInto: '900-0002-012',
  commercial: '900-0002-013',
  disagreement: '900-0002-014',
  ownerHidden: '900-0002-015',
  titleGap: '900-0002-016',
  titleNames: '900-0002-017',
  titleOrder: '900-0002-018',
  titleLoans: '900-0002-019',
  titleStrays: '900-0002-020',
  mergedToo: '900-0002-021',
  coastal: '900-0006-001',
  northLighthouse: '900-0003-001',
  southLighthouse: '900-0003-002',
  marketPort: '900-0004-001',
  marketQuillmoor: '90-04-301-001',
  condo: '900-0005-001',
} as const;

/** The invented counties number their parcels in parts of fixed width. */
export const sandboxId = (fips: number, apn: string, unit = ''): string => propertyId(fips, compactApn(apn), unit);
const idOf = (apn: string, fips = WENDEMERE): string => sandboxId(fips, apn);

export const CONDO_UNITS = ['Unit 101', 'Unit 102', 'Unit 201', 'Unit 202', 'PH 1'] as const;
export const condoApn = (index: number): string => `${MAGIC_APN.condo}-U${String(index + 1).padStart(3, '0')}`;

/** A showcase home for the first call: three sales, permits, and comparables all around. */
export const DEMO = { address: '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103', property_id: idOf(MAGIC_APN.demo) };

type Call = Pick<Fixture, 'endpoint' | 'request'>;

const callTo =
  (endpoint: string) =>
  (request: Fixture['request']): Call => ({ endpoint, request });

const estimate = callTo('POST /api/v1/avm/estimate');
const lookup = callTo('GET /api/v1/properties/lookup');
const property = callTo('GET /api/v1/properties/{id}');
const risk = callTo('GET /api/v1/properties/{id}/risk');
const title = callTo('GET /api/v1/properties/{id}/title');
const OLD_TOWN = 'Port Ellowby, ZZ 00101';

/** Lines on Sandbox Way with a fixed outcome, whatever city and ZIP follow. */
const MAGIC_LINES: { line1: string; apn: string; outcome: MagicOutcome }[] = [
  {
    line1: '402 Sandbox Way',
    apn: MAGIC_APN.quotaExhausted,
    outcome: { kind: 'error', code: 'quota_exhausted', calls: 'all' },
  },
  {
    line1: '429 Sandbox Way',
    apn: MAGIC_APN.rateLimited,
    outcome: { kind: 'error', code: 'rate_limited', calls: 'all', retryAfterSeconds: 30 },
  },
  {
    line1: '500 Sandbox Way',
    apn: MAGIC_APN.serverError,
    outcome: { kind: 'error', code: 'internal_error', calls: 'all' },
  },
  {
    line1: '503 Sandbox Way',
    apn: MAGIC_APN.unavailable,
    outcome: { kind: 'error', code: 'unavailable', calls: 'all', retryAfterSeconds: 5 },
  },
  { line1: '2000 Sandbox Way', apn: MAGIC_APN.slow, outcome: { kind: 'delay', delayMs: 2000, calls: 'all' } },
  {
    line1: '422 Sandbox Way',
    apn: MAGIC_APN.noData,
    outcome: { kind: 'error', code: 'insufficient_data', calls: 'valuation', reason: 'few_sales_nearby' },
  },
  { line1: '207 Sandbox Way', apn: MAGIC_APN.layerAway, outcome: { kind: 'layer_unavailable', layer: 'permits' } },
];

const OUTCOME_OF_ID = new Map(MAGIC_LINES.map(({ apn, outcome }) => [idOf(apn), outcome]));
const OUTCOME_OF_APN = new Map(MAGIC_LINES.map(({ apn, outcome }) => [`${WENDEMERE}:${apn}`, outcome]));
const OUTCOME_OF_LINE = new Map(MAGIC_LINES.map(({ line1, outcome }) => [line1.toUpperCase(), outcome]));

/** The fixed outcome of a sandbox address, property id or `fips:apn`; undefined for any other input. */
export function findMagicOutcome(addressOrPropertyId: string): MagicOutcome | undefined {
  const text = addressOrPropertyId.trim();
  const byKey = OUTCOME_OF_ID.get(text) ?? OUTCOME_OF_APN.get(text);
  if (byKey) return byKey;
  const words = text
    .slice(0, 200)
    .toUpperCase()
    .replace(/[.,#\s]+/g, ' ')
    .trim();
  const line = /^(\d+ SANDBOX WAY)(?: |$)/.exec(words);
  return line ? OUTCOME_OF_LINE.get(line[1]) : undefined;
}

/** One sandbox property has a layer that is never available, so that callers can see what that looks like. */
export function isLayerAway(propertyId: string, layer: string): boolean {
  const outcome = findMagicOutcome(propertyId);
  return outcome?.kind === 'layer_unavailable' && outcome.layer === layer;
}

function failing(name: string, what: string, call: Call, code: ErrorCode): Fixture {
  return { name, what, ...call, expect: { status: ERRORS[code][0], code } };
}

function answering(name: string, what: string, call: Call, status = 200): Fixture {
  return { name, what, ...call, expect: { status, code: null } };
}

export const FIXTURES: readonly Fixture[] = [
  answering(
    'demo_home',
    'A single-family home with sales, permits and comparables around it.',
    estimate({ address: DEMO.address }),
  ),
  failing(
    'ambiguous_unit',
    'A condo building requested without a unit.',
    lookup({ address: '20 Fogbell Ln, Port Ellowby, ZZ 00102' }),
    'address_ambiguous',
  ),
  failing(
    'ambiguous_direction',
    'A street with a north and a south half, requested without the direction.',
    lookup({ address: `350 Lighthouse Ave, ${OLD_TOWN}` }),
    'address_ambiguous',
  ),
  failing(
    'ambiguous_city',
    'The same street line in two towns, requested without city and ZIP.',
    lookup({ address: '77 Market St, ZZ' }),
    'address_ambiguous',
  ),
  answering(
    'condo_unit',
    'One unit in a five-unit condo building.',
    lookup({ address: '20 Fogbell Ln Unit 201, Port Ellowby, ZZ 00102' }),
  ),
  failing(
    'unknown_unit',
    'A unit the building does not have.',
    lookup({ address: '20 Fogbell Ln Unit 909, Port Ellowby, ZZ 00102' }),
    'address_not_resolved',
  ),
  failing(
    'not_resolved',
    'A house number that does not exist.',
    lookup({ address: `404 Sandbox Way, ${OLD_TOWN}` }),
    'address_not_resolved',
  ),
  failing(
    'po_box',
    'A post office box, which is not a property.',
    lookup({ address: `PO Box 123, ${OLD_TOWN}` }),
    'address_not_resolved',
  ),
  failing(
    'other_country',
    'An address outside the United States.',
    lookup({ address: '12 Rue Imaginaire, 99999 Nulleville, France' }),
    'address_not_resolved',
  ),
  failing(
    'no_data',
    'A record with too little data to value; it can still be read.',
    estimate({ address: `422 Sandbox Way, ${OLD_TOWN}` }),
    'insufficient_data',
  ),
  failing(
    'unsupported_type',
    'A commercial building, which is not valued.',
    estimate({ address: `600 Sandbox Way, ${OLD_TOWN}` }),
    'unsupported_property_type',
  ),
  failing(
    'rate_limited',
    'Always over the hourly limit, with Retry-After.',
    estimate({ address: `429 Sandbox Way, ${OLD_TOWN}` }),
    'rate_limited',
  ),
  failing(
    'quota_exhausted',
    'Always over the plan’s quota.',
    estimate({ address: `402 Sandbox Way, ${OLD_TOWN}` }),
    'quota_exhausted',
  ),
  failing(
    'server_error',
    'Always an internal error.',
    estimate({ address: `500 Sandbox Way, ${OLD_TOWN}` }),
    'internal_error',
  ),
  failing(
    'unavailable',
    'Always temporarily unavailable, with Retry-After.',
    estimate({ address: `503 Sandbox Way, ${OLD_TOWN}` }),
    'unavailable',
  ),
  answering('slow_answer', 'Responds after two seconds.', estimate({ address: `2000 Sandbox Way, ${OLD_TOWN}` })),
  answering(
    'layer_unavailable',
    'The permits layer is temporarily_unavailable; the others respond.',
    risk({ property_id: idOf(MAGIC_APN.layerAway) }),
  ),
  answering(
    'layer_not_covered',
    'Code violations are not_covered in this county.',
    risk({ property_id: idOf(MAGIC_APN.marketQuillmoor, QUILLMOOR) }),
  ),
  answering(
    'flood_zone',
    'A beach house in a coastal flood zone (VE) with a base flood elevation.',
    risk({ property_id: idOf(MAGIC_APN.coastal) }),
  ),
  failing(
    'superseded',
    'A parcel that was split in two; its successors are listed.',
    property({ property_id: idOf(MAGIC_APN.split) }),
    'property_superseded',
  ),
  answering(
    'merged',
    'A parcel that was merged into its neighbor: a redirect.',
    property({ property_id: idOf(MAGIC_APN.merged) }),
    301,
  ),
  answering(
    'sources_disagree',
    'Two sources report different areas; provenance shows both.',
    property({ property_id: idOf(MAGIC_APN.disagreement) }),
  ),
  answering(
    'owner_suppressed',
    'The owner asked not to be shown.',
    property({ property_id: idOf(MAGIC_APN.ownerHidden) }),
  ),
  answering(
    'title_missing_link',
    'A seller who never took title on record, and another owner on the roll: missing_link, owner_differs.',
    title({ property_id: idOf(MAGIC_APN.titleGap) }),
  ),
  answering(
    'title_names',
    'A quitclaim to a family trust, its correction, and a sale by a relative: party_name_differs, quitclaim, ' +
      'non_arms_length, correction.',
    title({ property_id: idOf(MAGIC_APN.titleNames) }),
  ),
  answering(
    'title_out_of_order',
    'A deed from someone who took title later, and one recorded before the deed it rests on: out_of_order.',
    title({ property_id: idOf(MAGIC_APN.titleOrder) }),
  ),
  answering(
    'title_mortgages',
    'Loans assigned, released, released by another, never released and made to another: released_by_another, ' +
      'open_after_sale, borrower_not_owner.',
    title({ property_id: idOf(MAGIC_APN.titleLoans) }),
  ),
  answering(
    'title_strays',
    'A release and an assignment of loans from before the records, an open lien and a released one, an easement, and ' +
      'a pending foreclosure: release_without_mortgage, assignment_without_mortgage, foreclosure_pending.',
    title({ property_id: idOf(MAGIC_APN.titleStrays) }),
  ),
];
