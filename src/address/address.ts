// Addresses: file them at load, resolve free text to exactly one property or say why not, suggest while typing.
import { type Client, type Pool, inTransaction } from '../db/postgres.ts';
import type { SitusAddress } from './canonical.ts';
import type { MatchPolicy } from './decide.ts';
import { requireMatch } from './explain.ts';
import { type SourceWords, indexAddresses } from './index-addresses.ts';
import { type AddressMode, countyRange, forgetPlaces, openStore } from './postgres-store.ts';
import { type Resolution, resolve } from './resolve.ts';
import type { Suggestion } from './schema.ts';
import * as sql from './sql.ts';
import { fitsTyped, readTyped } from './typeahead.ts';

export { indexAddresses, requireMatch };
export type { AddressMode, MatchPolicy, Resolution, SitusAddress, SourceWords, Suggestion };

export interface AddressDeps {
  data: Pool;
}

const PAGE = 5000;
const MAX_SUGGESTIONS = 10;
/** Read for each anchor before the other words are checked. */
const MAX_READ = 200;

/** The one property an address means, or the candidates, or the reason why there is none. */
export async function resolveAddress(
  deps: AddressDeps,
  text: string,
  options: { mode: AddressMode; match?: MatchPolicy },
): Promise<Resolution> {
  return resolve(await openStore(deps.data, options.mode), text, options.match ?? 'standard');
}

/** Files the addresses of all properties of a county anew, as its records have them now; nobody sees a half-filed county. */
export async function indexCounty(deps: AddressDeps, fips: number, words: SourceWords = {}): Promise<number> {
  const count = await inTransaction(deps.data, async (client) => {
    await sql.deleteCounty(client, fips);
    const indexed = await indexAddresses(client, fips, situsOfCounty(client, fips), words);
    await sql.markCounty(client, fips);
    return indexed;
  });
  forgetPlaces(deps.data);
  return count;
}

/** The same, unless every load of the county is filed already. */
export async function indexCountyIfStale(deps: AddressDeps, fips: number, words: SourceWords = {}): Promise<void> {
  if (!(await sql.isCountyFiled(deps.data, fips))) await indexCounty(deps, fips, words);
}

async function* situsOfCounty(client: Client, fips: number): AsyncGenerator<SitusAddress> {
  for (let after = ''; ;) {
    const rows = await sql.listSitus(client, fips, after, PAGE);
    if (rows.length === 0) return;
    after = rows[rows.length - 1].id;
    for (const row of rows) yield situsOf(fips, row);
  }
}

/** A retired property keeps its record but is no longer found by its address. */
function situsOf(fips: number, row: sql.SitusRow): SitusAddress {
  const isActive = row.status === 'active';
  return {
    fips,
    propertyId: row.id,
    line1: isActive ? (row.address_line1 ?? '') : '',
    unit: row.address_unit,
    city: row.city ?? '',
    state: row.state,
    zip: row.zip,
  };
}

/** Addresses, or streets while no number is typed, that begin with the words typed, in any order of the words. */
export async function autocomplete(
  deps: AddressDeps,
  query: string,
  options: { mode: AddressMode; limit?: number },
): Promise<Suggestion[]> {
  const typed = readTyped(query);
  const limit = Math.min(options.limit ?? MAX_SUGGESTIONS, MAX_SUGGESTIONS);
  if (typed.anchors.length === 0) return [];
  const list = typed.number ? suggestAddresses : suggestStreets;
  return (await list(deps.data, typed, options.mode)).slice(0, limit);
}

type Typed = ReturnType<typeof readTyped>;

async function suggestAddresses(
  data: Pool,
  { number, anchors, words }: Typed,
  mode: AddressMode,
): Promise<Suggestion[]> {
  const range = countyRange(mode);
  const found = new Map<string, Suggestion>();
  const keep = (rows: readonly sql.TypedAddress[]): void => {
    for (const { property_id, line } of rows) {
      if (fitsTyped(line, words)) found.set(`${property_id}|${line}`, suggestion('address', line, property_id));
    }
  };
  for (const anchor of anchors) {
    keep(await sql.listTypedAddresses(data, range, number, anchor, MAX_READ));
    if (found.size > 0) return [...found.values()];
  }
  const { gazetteer } = await openStore(data, mode);
  for (const anchor of anchors) {
    keep(await sql.listTypedAddressesByWord(data, range, gazetteer.allFips(), number, anchor, MAX_READ));
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
    const { gazetteer } = await openStore(data, mode);
    for (const anchor of anchors) keep(await sql.listTypedStreetsByWord(data, gazetteer.allFips(), anchor, MAX_READ));
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
