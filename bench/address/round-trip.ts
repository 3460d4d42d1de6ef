// Every address on file must resolve to itself, or say honestly that others share it.
import { resolve, type Resolution } from '../../src/records/address/match/resolve.ts';
import type { AddressStore } from '../../src/records/address/match/store.ts';
import { formatLine } from '../../src/records/address/parse/format.ts';
import type { Situs } from './situs.ts';

export interface RoundTrip {
  asked: number;
  /** Resolved to the property it was taken from. */
  itself: number;
  /** Ambiguous, with the property among those that share the address. */
  shared: number;
  failures: { text: string; answer: string }[];
}

/** Asks for each address as the records write it. */
export async function askRoundTrip(store: AddressStore, all: Iterable<Situs>): Promise<RoundTrip> {
  const result: RoundTrip = { asked: 0, itself: 0, shared: 0, failures: [] };
  for (const situs of all) {
    const text = formatLine(situs);
    const found = await resolve(store, text);
    result.asked++;
    if (found.outcome === 'match' && found.property_id === situs.propertyId) result.itself++;
    else if (found.outcome === 'ambiguous' && SHARED.has(found.reason)) result.shared++;
    else result.failures.push({ text, answer: describe(found) });
  }
  return result;
}

const SHARED: ReadonlySet<string> = new Set(['several_properties', 'unit_required']);

const describe = (found: Resolution): string =>
  found.outcome === 'match' ? `${found.property_id} ${found.match_quality}` : `${found.outcome} ${found.reason}`;
