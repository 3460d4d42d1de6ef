// Filing the addresses of properties: canonical rows by COPY, and the street, spelling, word and locality counts beside them.
import type { CopyValue } from '../db/copy.ts';
import type { Client } from '../db/postgres.ts';
import { type AddressRecord, type SitusAddress, type SuffixMap, canonicalKey, canonicalRecord } from './canonical.ts';
import { formatLine, titleCase } from './format.ts';
import { cityKey } from './names.ts';
import { numbersOfRecord } from './numbers.ts';
import { filedSpellings } from './spelling.ts';
import * as sql from './index-sql.ts';
import { type Street, readStreet } from './streets.ts';
import { readWords } from './text.ts';

/** What only the source of the addresses can know. */
export interface SourceWords {
  /** Its own abbreviations: `{ TR: 'TER' }`. */
  suffixes?: SuffixMap;
  /** Streets with two names, old and new: an address is found under both. */
  streetAliases?: readonly { from: string; to: string }[];
  /** City names that mean another: `{ alias: 'Flushing', city: 'Queens' }`. */
  cityAliases?: readonly { alias: string; city: string }[];
}

interface Filed {
  record: AddressRecord;
  line: string;
  cityLabel: string;
}

const BATCH = 5000;

/**
 * Files the addresses of one county's properties in place of what was filed for them: running it again changes nothing.
 * An address without a house number takes the property out of the index. Runs inside the caller's transaction.
 */
export async function indexAddresses(
  client: Client,
  fips: number,
  addresses: Iterable<SitusAddress> | AsyncIterable<SitusAddress>,
  words: SourceWords = {},
): Promise<number> {
  let count = 0;
  let states = new Set<string>();
  let batch: SitusAddress[] = [];
  for await (const address of addresses) {
    // all addresses of a property must be in one batch: they replace the filed ones together
    if (batch.length >= BATCH && address.propertyId !== batch[batch.length - 1].propertyId) {
      count += await indexBatch(client, fips, batch, words);
      batch = [];
    }
    batch.push(address);
    states = states.add(address.state);
  }
  if (batch.length > 0) count += await indexBatch(client, fips, batch, words);
  const aliases = (words.cityAliases ?? []).flatMap(({ alias, city }) =>
    [...states].map((state) => ({ fips, state, alias: cityKey(readWords(alias)), city: cityKey(readWords(city)) })),
  );
  if (aliases.length > 0) await sql.insertCityAliases(client, aliases);
  await sql.markIndexed(client, fips);
  return count;
}

async function indexBatch(
  client: Client,
  fips: number,
  batch: readonly SitusAddress[],
  words: SourceWords,
): Promise<number> {
  const filed = numberDoors(batch.flatMap((situs) => fileAddress(situs, words)));
  const lost = await sql.deleteAddresses(client, fips, [...new Set(batch.map(({ propertyId }) => propertyId))]);
  await sql.copyAddresses(client, filed.flatMap(rowsOf));

  const streets = countStreets(filed, lost);
  const names = new Map(filed.map(({ record }) => [record.street.name, record.streetText]));
  const known = new Set(await sql.listNamesFiled(client, fips, [...names.keys()]));
  const fresh = [...names].filter(([name]) => !known.has(name));
  await sql.addToStreets(client, streets);
  await sql.addToLocalities(client, countLocalities(streets));
  const spellings = fresh.flatMap(([name]) => filedSpellings(name).map((key) => [key, name]));
  await sql.insertSpellings(
    client,
    fips,
    spellings.map(([key]) => key),
    spellings.map(([, name]) => name),
  );
  const laterWords = fresh.flatMap(([name, text]) => laterWordsOf(text).map((word) => [word, name]));
  await sql.insertWords(
    client,
    fips,
    laterWords.map(([word]) => word),
    laterWords.map(([, name]) => name),
  );
  return filed.length;
}

function fileAddress(situs: SitusAddress, { suffixes, streetAliases }: SourceWords): Filed[] {
  const record = canonicalRecord(situs, suffixes);
  if (!record) return [];
  const filed: Filed = { record, line: formatLine(situs), cityLabel: situs.city };
  const others = aliasesOf(record.street, streetAliases ?? []).map((text): Filed => {
    const street = readStreet(readWords(text));
    return { ...filed, record: { ...record, street, streetText: readWords(text).join(' ') } };
  });
  return [filed, ...others];
}

/** The addresses of a property in order, each door once. */
function numberDoors(filed: readonly Filed[]): Filed[] {
  const doors = new Map<string, Set<string>>();
  return filed.flatMap((each) => {
    const known = doors.get(each.record.propertyId) ?? new Set();
    const key = canonicalKey(each.record);
    if (known.has(key)) return [];
    doors.set(each.record.propertyId, known.add(key));
    return [{ ...each, record: { ...each.record, ordinal: known.size - 1 } }];
  });
}

function aliasesOf(street: Street, aliases: readonly { from: string; to: string }[]): string[] {
  const isSame = (text: string): boolean => {
    const other = readStreet(readWords(text));
    return (
      other.name === street.name &&
      other.pre === street.pre &&
      other.suffix === street.suffix &&
      other.post === street.post
    );
  };
  return aliases.flatMap(({ from, to }) => [...(isSame(from) ? [to] : []), ...(isSame(to) ? [from] : [])]);
}

function rowsOf({ record, line }: Filed): CopyValue[][] {
  const { fips, propertyId, ordinal, number, street, unit, unitInNumber, city, state, zip } = record;
  return numbersOfRecord(number).map((each) => [
    fips, propertyId, ordinal, each, number.key, number.low, number.high, street.pre, street.name, street.suffix, street.post,
    unit, unitInNumber, city, state, zip, line,
  ]); // prettier-ignore
}

function countStreets(
  filed: readonly Filed[],
  lost: readonly Omit<sql.CountedStreet, 'label' | 'cityLabel'>[],
): sql.CountedStreet[] {
  const counts = new Map<string, sql.CountedStreet>();
  const add = (street: sql.CountedStreet): void => {
    const key = [
      street.fips,
      street.name,
      street.zip,
      street.state,
      street.city,
      street.pre,
      street.suffix,
      street.post,
    ].join('|');
    const known = counts.get(key);
    if (known) known.records += street.records;
    else counts.set(key, street);
  };
  for (const { record, cityLabel } of filed) {
    const { fips, zip, state, city, street, streetText } = record;
    add({
      ...street,
      fips,
      zip,
      state,
      city,
      label: titleCase(streetText),
      cityLabel: titleCase(cityLabel),
      records: 1,
    });
  }
  for (const street of lost) add({ ...street, label: '', cityLabel: '' });
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, street]) => street)
    .filter(({ records }) => records !== 0);
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

function laterWordsOf(streetText: string): string[] {
  return [
    ...new Set(
      streetText
        .split(' ')
        .slice(1)
        .filter((word) => word.length > 1),
    ),
  ];
}
