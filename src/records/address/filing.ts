// Indexes the addresses of a county that a load changed, in its transaction or afterward, and checks that a load's
// homes resolve by their own addresses.
import { createHash } from 'node:crypto';
import {
  beginRebuild,
  buildIndexes,
  endRebuild,
  tablesToRebuild,
  type RebuildableTable,
} from '../../base/db/rebuild.ts';
import { type Client, type Queryable, inTransaction } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import type { Addresses, FoundAgain, StagedAddress } from '../../supply/ingest/load-context.ts';
import type { AddressWords } from '../../supply/ingest/source.ts';
import { addressKeyOf } from './address.ts';
import { readPostalCities } from './facts/postal-cities.ts';
import { resolve } from './match/resolve.ts';
import { type SitusAddress } from './parse/canonical.ts';
import { formatLine } from './parse/format.ts';
import { cityKey } from './parse/names.ts';
import { SUFFIXES } from './parse/suffixes.ts';
import { DIRECTIONS, stateOfZipArea, UNIT_DESIGNATORS } from './parse/tables.ts';
import { readWords } from './parse/text.ts';
import { readGazetteer } from './places.ts';
import { indexAddresses } from './store/index-addresses.ts';
import { modeOfCounty, openStore } from './store/postgres.ts';
import * as sql from './store/index-sql.ts';

const PAGE = 5000;
/** Increment when addresses are parsed or stored differently; the next load then reindexes every county. */
const FILING_RULES = 4;

/** The interface of this room for loads. */
export const addresses: Addresses = {
  keyOf: addressKeyOf,
  mayHaveZip,
  isCityOfZip: (city, zip) =>
    readPostalCities()
      .get(zip)
      ?.includes(cityKey(readWords(city))) ?? false,
  file: async (client, fips, { words = {}, isRebuilt, onStep }) =>
    (await fileCounty(client, fips, { words, isRebuilt, onStep })).rebuilt,
  findAgain,
};

/** Brings a county's address index up to date with its records: what loads changed since, or everything if the county
    is not indexed yet or the indexing rules changed. Readers never see a half-indexed county. */
export async function indexCounty(deps: Pick<Deps, 'data' | 'places'>, fips: number, words: AddressWords = {}) {
  const count = await inTransaction(deps.data, async (client) => {
    const filed = await fileCounty(client, fips, { words });
    await buildIndexes(client, filed.rebuilt);
    await endRebuild(client, filed.rebuilt);
    return filed.count;
  });
  deps.places.forget();
  return count;
}

interface Filing {
  words: AddressWords;
  isRebuilt?: boolean;
  onStep?: (done: number, total: number) => void;
}

async function fileCounty(client: Client, fips: number, { words, isRebuilt = false, onStep }: Filing) {
  const rules = createHash('sha256').update(JSON.stringify({ FILING_RULES, words })).digest('hex');
  const state = await sql.readIndexState(client, fips);
  const rebuilt: RebuildableTable[] = [];
  if (state.rules === rules && state.load_id >= state.newest_load_id) return { count: 0, rebuilt };
  const isAnew = state.rules !== rules;
  const afterLoad = isAnew ? -1 : state.load_id;
  const total = await sql.countSitus(client, fips, afterLoad);
  if (isAnew) await sql.deleteCounty(client, fips);
  if (isAnew && !isRebuilt) rebuilt.push(...(await tablesToRebuild(client, ['addresses'], total)));
  await beginRebuild(client, rebuilt);
  const situs = situsOfCounty(client, fips, { afterLoad, onPage: (done) => onStep?.(done, total) });
  const count = await indexAddresses(client, fips, situs, { words, isEmpty: isAnew });
  await sql.markCounty(client, fips, state.newest_load_id, rules);
  return { count, rebuilt };
}

async function* situsOfCounty(
  client: Client,
  fips: number,
  { afterLoad, onPage }: { afterLoad: number; onPage: (done: number) => void },
): AsyncGenerator<SitusAddress> {
  for (let [after, done] = ['', 0]; ;) {
    const rows = await sql.listSitus(client, fips, { afterLoad, afterId: after, limit: PAGE });
    if (rows.length === 0) return;
    after = rows[rows.length - 1].id;
    for (const row of rows) yield* listSitusOf(fips, row);
    onPage((done += rows.length));
  }
}

/** The address on the record first, then those from other sources, since people search for any of them. A retired
    property keeps its record but is no longer found by address. */
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

/** False for GREEN BAY with ZIP 53202: the city's ZIP codes have other prefixes, and that one belongs to other cities. */
function mayHaveZip(city: string, zip: string): boolean {
  const name = cityKey(readWords(city));
  const isKnown = readPostalCities().has(zip.slice(0, 5));
  const areas = readZipAreas().get(`${stateOfZipArea(zip)}|${name}`);
  return !isKnown || areas === undefined || areas.has(zip.slice(0, 3));
}

let zipAreas: Map<string, Set<string>> | undefined;

/** The first three digits of the ZIP codes of each postal city, by `state|city`. */
function readZipAreas(): ReadonlyMap<string, ReadonlySet<string>> {
  if (zipAreas) return zipAreas;
  zipAreas = new Map();
  for (const [zip, names] of readPostalCities())
    for (const name of names) {
      const key = `${stateOfZipArea(zip)}|${name}`;
      zipAreas.set(key, (zipAreas.get(key) ?? new Set()).add(zip.slice(0, 3)));
    }
  return zipAreas;
}

/** Reads the load's uncommitted rows, one query at a time, since there is a single connection. */
async function findAgain(client: Client, homes: StagedAddress[]): Promise<FoundAgain[]> {
  if (homes.length === 0) return [];
  const db = inTurn(client);
  const mode = modeOfCounty(homes[0].fips);
  const store = openStore(db, mode, await readGazetteer(db, mode));
  const answers: FoundAgain[] = [];
  for (const home of homes) {
    const text = formatLine({ ...home, line1: asSaid(home.line1) });
    const found = await resolve(store, text);
    if (found.outcome === 'match') {
      const isItself = found.property_id === home.property_id;
      answers.push({ text, outcome: isItself ? 'itself' : 'another', reason: found.address ?? text });
    } else {
      const isShared = found.outcome === 'ambiguous';
      answers.push({ text, outcome: isShared ? 'shared' : 'none', reason: found.reason });
    }
  }
  return answers;
}

/** The line as residents write it: 10135 W MARIPOSA ST PHOENIX 85037 is 10135 W MARIPOSA ST. After the suffix, only a
    direction, a unit or a highway number belongs to the line. */
function asSaid(line1: string): string {
  const words = line1.toUpperCase().split(/[\s,]+/);
  const end = words.findLastIndex((word, i) => i > 1 && SUFFIXES.has(word));
  const rest = words.slice(end + 1);
  const isMore = rest.some((word) => /^\d{5}$|^[A-Z]{2,}$/.test(word) && !DIRECTIONS.has(word));
  const hasUnit = rest.some((word) => word.startsWith('#') || UNIT_DESIGNATORS.has(word));
  return end > 1 && isMore && !hasUnit ? words.slice(0, end + 1).join(' ') : line1;
}

/** Serializes queries on one connection for callers that treat it as a pool. */
function inTurn(client: Client): Queryable {
  let last: Promise<unknown> = Promise.resolve();
  const query = (...args: Parameters<Client['query']>) => (last = last.then(() => client.query(...args)));
  return { query: query as Queryable['query'] };
}
