// Addresses: file them at load, resolve free text to exactly one property or say why not, suggest while typing.
import { type Client, type Pool, inTransaction } from '../db/postgres.ts';
import type { SitusAddress } from './canonical.ts';
import type { MatchPolicy } from './decide.ts';
import { requireMatch } from './explain.ts';
import { type SourceWords, indexAddresses } from './index-addresses.ts';
import { type AddressMode, forgetPlaces, openStore } from './postgres-store.ts';
import { type Resolution, resolve } from './resolve.ts';
import type { Suggestion } from './schema.ts';
import { autocomplete } from './suggest.ts';
import * as sql from './index-sql.ts';

export { autocomplete, indexAddresses, requireMatch };
export type { AddressMode, MatchPolicy, Resolution, SitusAddress, SourceWords, Suggestion };

export interface AddressDeps {
  data: Pool;
}

const PAGE = 5000;

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
