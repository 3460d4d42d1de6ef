// Addresses in memory, for tests and benchmarks, with the same answers as PostgreSQL.
import type { AddressRecord, SitusAddress, SuffixMap } from '../src/records/address/parse/canonical.ts';
import { canonicalRecord } from '../src/records/address/parse/canonical.ts';
import { formatLine } from '../src/records/address/parse/format.ts';
import { type CityAlias, Gazetteer, type SuffixWord } from '../src/records/address/parse/gazetteer.ts';
import { numbersOfRecord } from '../src/records/address/parse/numbers.ts';
import { indexedSpellings } from '../src/base/lib/spelling.ts';
import type { AddressStore, LocalStreet, Spot } from '../src/records/address/match/store.ts';
import { entryOf } from '../src/base/lib/must.ts';

interface CountyStreet extends LocalStreet {
  fips: number;
}

export function createMemoryStore(
  addresses: Iterable<SitusAddress & { suffixes?: SuffixMap }>,
  aliases: Iterable<CityAlias> = [],
): AddressStore {
  const bySpot = new Map<string, AddressRecord[]>();
  const lines = new Map<string, string>();
  const streets = new Map<string, CountyStreet>();
  const localities: AddressRecord[] = [];
  const suffixWords = new Map<string, SuffixWord>();
  for (const situs of addresses) {
    const record = canonicalRecord(situs, situs.suffixes);
    if (!record) continue;
    localities.push(record);
    for (const [spelling, suffix] of Object.entries(situs.suffixes ?? {})) {
      suffixWords.set(`${situs.fips}|${spelling}`, { fips: situs.fips, spelling, suffix });
    }
    lines.set(lineKey(record), formatLine(situs));
    for (const number of numbersOfRecord(record.number)) {
      for (const key of keysOf(record, number)) push(bySpot, key, record);
    }
    countStreet(streets, record);
  }
  const byName = Map.groupBy(streets.values(), ({ name }) => name);
  const bySpelling = new Map<string, Set<string>>();
  for (const name of byName.keys()) {
    for (const key of indexedSpellings(name)) {
      const names = bySpelling.get(key);
      if (names) names.add(name);
      else bySpelling.set(key, new Set([name]));
    }
  }
  return {
    gazetteer: new Gazetteer(localities, { aliases, suffixWords: suffixWords.values() }),
    listAt: async (spots) => [...new Set(spots.flatMap((spot) => bySpot.get(keyOf(spot)) ?? []))],
    askStreets: async ({ fips, zips, cities, names, keys, typed }) => {
      const near = keys.flatMap((key) => [...(bySpelling.get(key) ?? [])]);
      const streets = [...new Set([...names, ...near])]
        .flatMap((name) => byName.get(name) ?? [])
        .filter((street) => fips.includes(street.fips) && (zips.includes(street.zip) || cities.includes(street.city)));
      return { streets, known: typed.filter((name) => new Set(byName.get(name)?.map(({ fips }) => fips)).size > 1) };
    },
    listLines: async (records) => records.map((record) => entryOf(lines, lineKey(record))),
  };
}

function keyOf(spot: Spot): string {
  if (spot.by === 'zip') return `zip|${spot.zip}|${spot.number}`;
  if (spot.by === 'city') return `city|${spot.state}|${spot.city}|${spot.number}`;
  return `name|${spot.state}|${spot.name}|${spot.number}`;
}

function keysOf({ zip, state, city, street }: AddressRecord, number: string): string[] {
  return [
    ...(zip ? [`zip|${zip}|${number}`] : []),
    `city|${state}|${city}|${number}`,
    `name|${state}|${street.name}|${number}`,
    `name||${street.name}|${number}`,
  ];
}

function countStreet(streets: Map<string, CountyStreet>, { fips, zip, state, city, street }: AddressRecord): void {
  const key = [fips, zip, state, city, street.pre, street.name, street.suffix, street.post].join('|');
  const known = streets.get(key);
  if (known) known.records++;
  else streets.set(key, { ...street, fips, zip, state, city, records: 1 });
}

const lineKey = ({ propertyId, ordinal, unit }: AddressRecord): string => `${propertyId}|${ordinal}|${unit}`;

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
