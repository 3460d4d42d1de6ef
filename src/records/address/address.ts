// Street addresses: indexes them after a load, and resolves free text to exactly one property or says why it cannot.
// One room because a query must be parsed exactly as the index was, down to the abbreviation.
import { createHash } from 'node:crypto';
import { beginRebuild, endRebuild, tablesToRebuild } from '../../base/db/rebuild.ts';
import { type Pool, inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { canonicalKey, canonicalRecord, type SitusAddress } from './parse/canonical.ts';
import type { MatchPolicy } from './match/decide.ts';
import { indexAddresses } from './store/index-addresses.ts';
import type { AddressWords } from '../../supply/ingest/source.ts';
import { type AddressMode, openStore } from './store/postgres.ts';
import { resolve } from './match/resolve.ts';
import { findCityOfZip } from './store/sql.ts';
import * as sql from './store/index-sql.ts';

import type { Explained } from './match/explain.ts';

export { type Explained, requireMatch } from './match/explain.ts';

type AddressDeps = Pick<Deps, 'data' | 'places'>;

const PAGE = 5000;
/** Increment when addresses are parsed or stored differently; the next load then reindexes every county. */
const FILING_RULES = 3;

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

/** The key under which a line without a unit is filed: `number|pre|name|suffix|post`. */
export function addressKeyOf(line: string): string | undefined {
  const record = canonicalRecord({ fips: 0, propertyId: '', line1: line, city: '', state: '', zip: null });
  if (!record) return undefined;
  const { pre, name, suffix, post } = record.street;
  return [record.number.key, pre, name, suffix, post].join('|');
}

const POST_BOX = /\bP\W*O\W*BOX\W*(\w+)/i;

/** What two spellings of a mailing address have in common: the door, unit included, and the ZIP code; undefined where it names
    neither a door nor a post office box. */
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

/** Brings a county's address index up to date with its records: what loads changed since, or everything if the county
    is not indexed yet or the indexing rules changed. Readers never see a half-indexed county. */
export async function indexCounty(deps: AddressDeps, fips: number, words: AddressWords = {}): Promise<number> {
  const rules = createHash('sha256').update(JSON.stringify({ FILING_RULES, words })).digest('hex');
  const state = await sql.readIndexState(deps.data, fips);
  if (state.rules === rules && state.load_id >= state.newest_load_id) return 0;
  const isRebuild = state.rules !== rules;
  const count = await inTransaction(deps.data, async (client) => {
    if (isRebuild) await sql.deleteCounty(client, fips);
    const rebuilt = isRebuild ? await tablesToRebuild(client, ['addresses'], await sql.countSitus(client, fips)) : [];
    await beginRebuild(client, rebuilt);
    const situs = situsOfCounty(deps.data, fips, isRebuild ? -1 : state.load_id);
    const indexed = await indexAddresses(client, fips, situs, { words, isEmpty: isRebuild });
    await endRebuild(client, rebuilt);
    await sql.markCounty(client, fips, state.newest_load_id, rules);
    return indexed;
  });
  deps.places.forget();
  return count;
}

async function* situsOfCounty(data: Pool, fips: number, afterLoad: number): AsyncGenerator<SitusAddress> {
  for (let after = ''; ;) {
    const rows = await sql.listSitus(data, fips, { afterLoad, afterId: after, limit: PAGE });
    if (rows.length === 0) return;
    after = rows[rows.length - 1].id;
    for (const row of rows) yield* listSitusOf(fips, row);
  }
}

/** The address of the record first, then those that other sources give the property: each of them is asked for by somebody.
    A retired property keeps its record but is no longer found by its address. */
function* listSitusOf(fips: number, row: sql.SitusRow): Generator<SitusAddress> {
  const { id: propertyId, address_line1, address_unit: unit, city, state, zip, status, others } = row;
  const situs = { fips, propertyId, line1: address_line1 ?? '', unit, city: city ?? '', state, zip };
  if (status !== 'active') return yield { ...situs, line1: '' };
  yield situs;
  for (const { source, value } of others?.address_line1 ?? []) {
    const own = (field: 'address_unit' | 'city' | 'zip') =>
      others?.[field]?.find((other) => other.source === source)?.value;
    yield {
      ...situs,
      line1: value,
      unit: own('address_unit') ?? unit,
      city: own('city') ?? situs.city,
      zip: own('zip') ?? zip,
    };
  }
}
