// The sandbox's magic inputs as data: addresses and properties with a fixed outcome, and what to expect from each.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { compactApn, propertyId } from '../../base/lib/ids.ts';
import { ERRORS, type ErrorCode, type NoValueReason } from '../../base/lib/errors.ts';
import type { LayerName } from '../layers/layers.ts';
import MAGIC_APN from './magic-parcels.json' with { type: 'json' };
import { QUILLMOOR, WENDEMERE } from './geography.ts';

/** What the HTTP layer does before or instead of the real work, for calls of these kinds. */
export type MagicOutcome =
  | { kind: 'error'; code: ErrorCode; calls: 'all' | 'valuation'; retryAfterSeconds?: number; reason?: NoValueReason }
  | { kind: 'delay'; delayMs: number; calls: 'all' | 'valuation' }
  | { kind: 'layer_unavailable'; layer: LayerName };

/** Parcel numbers reserved for magic properties; their ids derive from them and never change. */
export { MAGIC_APN };

/** The sandbox counties use fixed-width parcel numbers. */
export const sandboxId = (fips: number, apn: string, unit = ''): string => propertyId(fips, compactApn(apn), unit);
const idOf = (apn: string, fips = WENDEMERE): string => sandboxId(fips, apn);

/** A showcase home for the first call: three sales, permits, and comparables all around. */
export const DEMO = { address: '1208 Lantern Hill Dr, Port Ellowby, ZZ 00103', property_id: idOf(MAGIC_APN.demo) };

/** Homes on Sandbox Way with a fixed outcome, by house number, whatever city and ZIP follow. */
const MAGIC_HOMES: Record<number, [apn: string, outcome: MagicOutcome]> = {
  402: [MAGIC_APN.quotaExhausted, { kind: 'error', code: 'quota_exhausted', calls: 'all' }],
  429: [MAGIC_APN.rateLimited, { kind: 'error', code: 'rate_limited', calls: 'all', retryAfterSeconds: 30 }],
  500: [MAGIC_APN.serverError, { kind: 'error', code: 'internal_error', calls: 'all' }],
  503: [MAGIC_APN.unavailable, { kind: 'error', code: 'unavailable', calls: 'all', retryAfterSeconds: 5 }],
  2000: [MAGIC_APN.slow, { kind: 'delay', delayMs: 2000, calls: 'all' }],
  422: [MAGIC_APN.noData, { kind: 'error', code: 'insufficient_data', calls: 'valuation', reason: 'few_sales_nearby' }],
  207: [MAGIC_APN.layerAway, { kind: 'layer_unavailable', layer: 'permits' }],
};

const OUTCOME_OF_KEY = new Map(
  Object.values(MAGIC_HOMES).flatMap(([apn, outcome]) => [
    [idOf(apn), outcome],
    [`${WENDEMERE}:${apn}`, outcome],
  ]),
);

/** The fixed outcome of a sandbox address, property id or `fips:apn`; undefined for any other input. */
export function findMagicOutcome(addressOrPropertyId: string): MagicOutcome | undefined {
  const text = addressOrPropertyId.trim();
  const byKey = OUTCOME_OF_KEY.get(text);
  if (byKey) return byKey;
  const words = text
    .slice(0, 200)
    .toUpperCase()
    .replace(/[.,#\s]+/g, ' ')
    .trim();
  const line = /^(\d+) SANDBOX WAY(?: |$)/.exec(words);
  return line ? MAGIC_HOMES[Number(line[1])]?.[1] : undefined;
}

/** One sandbox property has a layer that is never available, as a test case for callers. */
export function isLayerAway(propertyId: string, layer: string): boolean {
  const outcome = findMagicOutcome(propertyId);
  return outcome?.kind === 'layer_unavailable' && outcome.layer === layer;
}

const CALLS = {
  estimate: 'POST /api/v1/avm/estimate',
  lookup: 'GET /api/v1/properties/lookup',
  property: 'GET /api/v1/properties/{id}',
  rent: 'GET /api/v1/rents/estimate',
  risk: 'GET /api/v1/properties/{id}/risk',
  title: 'GET /api/v1/properties/{id}/title',
};

interface WrittenFixture {
  name: string;
  what: string;
  call: keyof typeof CALLS;
  address?: string;
  home?: keyof typeof MAGIC_APN;
  code?: ErrorCode;
  status?: number;
}

function requestOf({ call, address, home }: WrittenFixture): { address?: string; property_id?: string } {
  if (home === undefined) return { address };
  if (call === 'estimate') return { address: DEMO.address };
  return { property_id: idOf(MAGIC_APN[home], home === 'marketQuillmoor' ? QUILLMOOR : WENDEMERE) };
}

const written = parse(readFileSync(new URL('./fixtures.yaml', import.meta.url), 'utf8')) as WrittenFixture[];

/** Each with the call that demonstrates it, and its locator. */
export const FIXTURES = written.map((fixture) => {
  const { name, what, call, code, status = 200 } = fixture;
  const expect = code ? { status: ERRORS[code][0], code } : { status, code: null };
  return { name, what, endpoint: CALLS[call], request: requestOf(fixture), expect };
});
