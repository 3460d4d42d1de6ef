// Indexes the addresses of properties: canonical rows by COPY, and counts of streets, spellings, words and localities.
import type { CopyValue } from '../../../base/db/copy.ts';
import type { Client } from '../../../base/db/postgres.ts';
import { titleCase } from '../../../base/lib/title-case.ts';
import { type AddressRecord, type SitusAddress, canonicalKey, canonicalRecord } from '../parse/canonical.ts';
import { formatLine } from '../parse/format.ts';
import { cityKey } from '../parse/names.ts';
import { numbersOfRecord } from '../parse/numbers.ts';
import { indexedSpellings } from '../../../base/lib/spelling.ts';
import * as sql from './index-sql.ts';
import type { AddressWords } from '../../../supply/ingest/source.ts';
import { type Street, isSameStreet, readStreet } from '../parse/streets.ts';
import { readWords } from '../parse/text.ts';

interface IndexedAddress {
  record: AddressRecord;
  line: string;
  cityLabel: string;
}

const BATCH = 5000;

/** Indexes the addresses of one county's properties, replacing what was indexed for them; running it again changes
    nothing. An address without a house number removes the property from the index. Runs inside the caller's
    transaction, and the addresses come over its connection: none is read while others are written. An empty county skips
    the search for rows to replace. */
export async function indexAddresses(
  client: Client,
  fips: number,
  addresses: Iterable<SitusAddress> | AsyncIterable<SitusAddress>,
  { words = {}, isEmpty = false }: { words?: AddressWords; isEmpty?: boolean } = {},
): Promise<number> {
  const tally = new StreetTally();
  const states = new Set<string>();
  for await (const batch of inBatches(addresses)) {
    const doors = numberDoors(batch.flatMap((situs) => listDoors(situs, words)));
    tally.addDoors(doors);
    for (const { state } of batch) states.add(state);
    await replaceAddresses(client, fips, { batch, doors, tally: isEmpty ? undefined : tally });
  }
  await writeStreets(client, fips, tally);
  const aliases = (words.cityAliases ?? []).flatMap(({ alias, city }) =>
    [...states].map((state) => ({ fips, state, alias: cityKey(readWords(alias)), city: cityKey(readWords(city)) })),
  );
  await sql.insertCityAliases(client, aliases);
  const suffixWords = Object.entries(words.suffixes ?? {}).map(([spelling, suffix]) => ({ fips, spelling, suffix }));
  await sql.insertSuffixWords(client, suffixWords);
  await sql.markIndexed(client, fips);
  return tally.count;
}

/** Keeps all addresses of a property in one batch, because they replace the indexed ones together. */
async function* inBatches(
  addresses: Iterable<SitusAddress> | AsyncIterable<SitusAddress>,
): AsyncGenerator<SitusAddress[]> {
  let batch: SitusAddress[] = [];
  for await (const address of addresses) {
    if (batch.length >= BATCH && address.propertyId !== batch[batch.length - 1].propertyId) {
      yield batch;
      batch = [];
    }
    batch.push(address);
  }
  if (batch.length > 0) yield batch;
}

interface Replacement {
  batch: readonly SitusAddress[];
  doors: readonly IndexedAddress[];
  /** Counts what the replaced addresses took away; undefined if there is nothing to replace. */
  tally: StreetTally | undefined;
}

async function replaceAddresses(client: Client, fips: number, { batch, doors, tally }: Replacement): Promise<void> {
  if (tally) {
    const properties = [...new Set(batch.map(({ propertyId }) => propertyId))];
    tally.addLost(await sql.deleteAddresses(client, fips, properties));
  }
  await sql.copyAddresses(client, doors.flatMap(rowsOf));
}

async function writeStreets(client: Client, fips: number, tally: StreetTally): Promise<void> {
  for (const streets of chunked(tally.listStreets())) {
    const texts = new Map(streets.map(({ name }) => [name, tally.textOf(name)]));
    const known = new Set(await sql.listIndexedNames(client, fips, [...texts.keys()]));
    const fresh = [...texts].filter(([name]) => !known.has(name));
    await sql.addToStreets(client, streets);
    const spellings = fresh.flatMap(([name]) => indexedSpellings(name).map((key) => [key, name]));
    await sql.insertSpellings(client, fips, column(spellings, 0), column(spellings, 1));
    const laterWords = fresh.flatMap(([name, text]) => laterWordsOf(text).map((word) => [word, name]));
    await sql.insertWords(client, fips, column(laterWords, 0), column(laterWords, 1));
  }
  await sql.addToLocalities(client, countLocalities(tally.listStreets()));
}

const column = (rows: readonly string[][], index: number): string[] => rows.map((row) => row[index]);

function* chunked<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}

function listDoors(situs: SitusAddress, { suffixes, streetAliases }: AddressWords): IndexedAddress[] {
  const record = canonicalRecord(situs, suffixes);
  if (!record) return [];
  const door: IndexedAddress = { record, line: formatLine(situs), cityLabel: situs.city };
  const names = [...aliasesOf(record.street, streetAliases ?? []), ...withoutInitials(record.streetText)];
  const others = names.map((text): IndexedAddress => {
    const street = readStreet(readWords(text));
    return { ...door, record: { ...record, street, streetText: readWords(text).join(' ') } };
  });
  return [door, ...others];
}

/** The addresses of a property in order, each door once. */
function numberDoors(doors: readonly IndexedAddress[]): IndexedAddress[] {
  const keysByProperty = new Map<string, Set<string>>();
  return doors.flatMap((door) => {
    const known = keysByProperty.get(door.record.propertyId) ?? new Set();
    const key = canonicalKey(door.record);
    if (known.has(key)) return [];
    keysByProperty.set(door.record.propertyId, known.add(key));
    return [{ ...door, record: { ...door.record, ordinal: known.size - 1 } }];
  });
}

/** S Cesar E Chavez Dr is also searched as S Cesar Chavez Dr; Malcolm X Blvd has no surname after its initial. */
function withoutInitials(streetText: string): string[] {
  const shorter = streetText.replace(/\b([A-Z]{3,}) [A-Z] (?=[A-Z]{3,} [A-Z])/, '$1 ');
  return shorter === streetText ? [] : [shorter];
}

function aliasesOf(street: Street, aliases: readonly { from: string; to: string }[]): string[] {
  const isSame = (text: string): boolean => isSameStreet(readStreet(readWords(text)), street);
  return aliases.flatMap(({ from, to }) => [...(isSame(from) ? [to] : []), ...(isSame(to) ? [from] : [])]);
}

function rowsOf({ record, line }: IndexedAddress): CopyValue[][] {
  const { fips, propertyId, ordinal, number, street, unit, unitInNumber, city, state, zip } = record;
  return numbersOfRecord(number).map((each) => [
    fips, propertyId, ordinal, each, number.key, number.low, number.high, street.pre, street.name, street.suffix, street.post,
    unit, unitInNumber, city, state, zip, line,
  ]); // prettier-ignore
}

type StreetCount = Omit<sql.CountedStreet, 'label' | 'cityLabel'>;

/** How many addresses each street of the county gained and lost. */
class StreetTally {
  count = 0;
  readonly #counts = new Map<string, sql.CountedStreet>();
  readonly #texts = new Map<string, string>();

  addDoors(doors: readonly IndexedAddress[]): void {
    this.count += doors.length;
    for (const { record, cityLabel } of doors) {
      const { fips, zip, state, city, street, streetText } = record;
      this.#texts.set(street.name, streetText);
      this.#add({ ...street, fips, zip, state, city, records: 1 }, streetText, cityLabel);
    }
  }

  addLost(lost: readonly StreetCount[]): void {
    for (const street of lost) this.#add(street, '', '');
  }

  textOf(name: string): string {
    return this.#texts.get(name) ?? '';
  }

  /** Always in the same order, so concurrent loads lock rows consistently. */
  listStreets(): sql.CountedStreet[] {
    return [...this.#counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, street]) => street)
      .filter(({ records }) => records !== 0);
  }

  #add(street: StreetCount, text: string, cityText: string): void {
    const { fips, name, zip, state, city, pre, suffix, post, records } = street;
    const key = `${fips}|${name}|${zip}|${state}|${city}|${pre}|${suffix}|${post}`;
    const known = this.#counts.get(key);
    if (known) known.records += records;
    else
      this.#counts.set(key, {
        ...street,
        label: titleCase(text.toUpperCase()),
        cityLabel: titleCase(cityText.toUpperCase()),
      });
  }
}

function countLocalities(streets: readonly sql.CountedStreet[]): sql.CountedLocality[] {
  const counts = new Map<string, sql.CountedLocality>();
  for (const { fips, state, city, zip, records } of streets) {
    const key = `${fips}|${state}|${city}|${zip}`;
    const known = counts.get(key);
    if (known) known.records += records;
    else counts.set(key, { fips, state, city, zip, records });
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, locality]) => locality);
}

const laterWordsOf = (streetText: string): string[] => [
  ...new Set(
    streetText
      .split(' ')
      .slice(1)
      .filter((word) => word.length > 1),
  ),
];
