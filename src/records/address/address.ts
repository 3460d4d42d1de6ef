// Street addresses: resolves free text to exactly one property or says why it cannot.
// One room because a query must be parsed exactly as the index was, down to the abbreviation.
import type { Deps } from '../../base/deps.ts';
import { canonicalKey, canonicalRecord } from './parse/canonical.ts';
import type { MatchPolicy } from './match/decide.ts';
import { type AddressMode, openStore } from './store/postgres.ts';
import { resolve } from './match/resolve.ts';
import type { Explained } from './match/explain.ts';
import { findCityOfZip } from './store/sql.ts';

type AddressDeps = Pick<Deps, 'data' | 'places'>;

/** The one property an address refers to, or the candidates, or the reason there is none. */
export async function resolveAddress(
  deps: AddressDeps,
  text: string,
  options: { mode: AddressMode; match?: MatchPolicy },
): Promise<Explained> {
  const gazetteer = await deps.places.read(options.mode);
  const store = openStore(deps.data, options.mode, gazetteer);
  const resolution = await resolve(store, text, options.match ?? 'standard');
  if (resolution.outcome !== 'not_resolved' || resolution.nearestZip === undefined) return resolution;
  const zip = resolution.nearestZip;
  const city = await findCityOfZip(deps.data, gazetteer.fipsOfZip(zip), zip);
  return { ...resolution, nearest: { city, state: gazetteer.stateOfZip(zip), zip } };
}

/** The index key of a line without a unit: `number|pre|name|suffix|post`. */
export function addressKeyOf(line: string): string | undefined {
  const record = canonicalRecord({ fips: 0, propertyId: '', line1: line, city: '', state: '', zip: null });
  if (!record) return undefined;
  const { pre, name, suffix, post } = record.street;
  return [record.number.key, pre, name, suffix, post].join('|');
}

const POST_BOX = /\bP\W*O\W*BOX\W*(\w+)/i;

/** The key shared by spellings of a mailing address: house and unit, and the ZIP code; undefined without a house number
    or post office box. */
export function mailingKeyOf(text: string): string | undefined {
  const zip = /\b(\d{5})(?:-?\d{4})?\W*$/.exec(text)?.[1] ?? '';
  const box = POST_BOX.exec(text)?.[1];
  if (box !== undefined) return `BOX ${box.toUpperCase()}|${zip}`;
  for (const line1 of text.split(',').map((part) => part.trim())) {
    const record = canonicalRecord({ fips: 0, propertyId: '', line1, city: '', state: '', zip });
    if (record) return canonicalKey(record);
  }
  return undefined;
}
