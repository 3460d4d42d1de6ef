// Suggestions while typing: addresses once there is a number, streets before that, by word prefixes in any order.
import type { Pool } from '../db/postgres.ts';
import { type AddressMode, countyRange } from './store/postgres.ts';
import type { Suggestion } from './schema.ts';
import * as sql from './store/sql.ts';
import { type Typed, fitsTyped, readTyped } from './parse/typeahead.ts';

const MAX_SUGGESTIONS = 10;
/** Rows read for each anchor word, to be checked against the other words; fewer if there are none. */
const MAX_READ = 300;
const readLimit = ({ words }: Typed): number => (words.length > 1 ? MAX_READ : 3 * MAX_SUGGESTIONS);

/** Addresses, or streets until a number is typed, whose words start with the words typed, in any order. */
export async function autocomplete(
  deps: { data: Pool },
  query: string,
  options: { mode: AddressMode; limit?: number },
): Promise<Suggestion[]> {
  const typed = readTyped(query);
  const limit = Math.min(options.limit ?? MAX_SUGGESTIONS, MAX_SUGGESTIONS);
  if (typed.anchors.length === 0) return [];
  const list = typed.number ? suggestAddresses : suggestStreets;
  return (await list(deps.data, typed, options.mode)).slice(0, limit);
}

async function suggestAddresses(data: Pool, typed: Typed, mode: AddressMode): Promise<Suggestion[]> {
  const { number, anchors, words } = typed;
  const range = countyRange(mode);
  const limit = readLimit(typed);
  const found = new Map<string, Suggestion>();
  const keep = (rows: readonly sql.TypedAddress[]): void => {
    for (const { property_id, line } of rows) {
      if (found.size >= MAX_SUGGESTIONS) return;
      if (fitsTyped(line, words)) found.set(`${property_id}|${line}`, suggestion('address', line, property_id));
    }
  };
  for (const prefix of anchors) {
    keep(await sql.listTypedAddresses(data, range, { number, prefix }, limit));
    if (found.size > 0) return [...found.values()];
  }
  for (const prefix of anchors) {
    keep(await sql.listTypedAddressesByWord(data, range, { number, prefix }, limit));
    if (found.size > 0) break;
  }
  return [...found.values()];
}

async function suggestStreets(data: Pool, { anchors, words }: Typed, mode: AddressMode): Promise<Suggestion[]> {
  const range = countyRange(mode);
  const found = new Map<string, sql.TypedStreet>();
  const keep = (rows: readonly sql.TypedStreet[]): void => {
    for (const row of rows) if (fitsTyped(textOf(row), words)) found.set(textOf(row), row);
  };
  for (const anchor of anchors) {
    keep(await sql.listTypedStreets(data, range, anchor, MAX_READ));
    if (found.size > 0) break;
  }
  if (found.size === 0) {
    for (const anchor of anchors) keep(await sql.listTypedStreetsByWord(data, range, anchor, MAX_READ));
  }
  return [...found.values()]
    .sort((a, b) => b.address_count - a.address_count)
    .map((row) => suggestion('street', textOf(row), null));
}

const textOf = ({ label, city_label, state, zip }: sql.TypedStreet): string =>
  `${label}, ${city_label}, ${state} ${zip}`.trim();

function suggestion(type: Suggestion['type'], address: string, propertyId: string | null): Suggestion {
  return { object: 'suggestion', type, address, property_id: propertyId };
}
