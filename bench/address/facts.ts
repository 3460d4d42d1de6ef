// Rebuilds the facts in src/records/address/facts from public lists: names that streets have, and cities by ZIP code.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bitsOf } from '../../src/records/address/facts/street-names.ts';
import { canonicalRecord } from '../../src/records/address/parse/canonical.ts';
import { cityKey, streetNameKey } from '../../src/records/address/parse/names.ts';
import { SpellingIndex } from '../../src/base/lib/spelling.ts';
import { readStreet } from '../../src/records/address/parse/streets.ts';
import { readWords } from '../../src/records/address/parse/text.ts';
import { loadSitus } from './situs.ts';

/** A name on fewer addresses may be a clerk's slip. */
const MIN_ADDRESSES = 2;
const MAX_SURNAMES = 35_000;
const SLIP_RATIO = 100;
const BITS_PER_NAME = 15;

/** The folder holds `streets/` (files of street lines, one for each place), `surnames/` and `given/` (the Census Bureau's
    name frequencies, most frequent first) and `zips/` (`zip,city,state`). Names of cities and streets come from the
    public records too. */
export async function writeFacts(folder: string, dataDir: string): Promise<void> {
  const out = (name: string) => new URL(`../../src/records/address/facts/${name}`, import.meta.url);
  const names = new Set([
    ...(await listStreetNames(folder, dataDir)),
    ...listPersonNames(join(folder, 'surnames')).slice(0, MAX_SURNAMES),
    ...listPersonNames(join(folder, 'given')),
    ...listCityNames(dataDir),
  ]);
  const sorted = [...names].filter((name) => /^[A-Z]{4,}$/.test(name)).sort();
  writeFileSync(out('street-names.bin'), packNames(sorted));
  const common = await listCommonNames(dataDir);
  writeFileSync(out('common-names.bin'), packNames(common));
  const cities = readCitiesOfZips(join(folder, 'zips'));
  writeFileSync(out('postal-cities.txt.gz'), gzipSync(packPostalCities(cities), { level: 9 }));
  console.log(`${sorted.length} street names, ${common.length} common ones, ${cities.size} postal cities`);
}

/** The contents of a filter for these names. */
function packNames(names: readonly string[]): Uint8Array {
  const packed = new Uint8Array(Math.ceil((names.length * BITS_PER_NAME) / 8));
  for (const name of names) for (const bit of bitsOf(name, packed.length * 8)) packed[bit >> 3] |= 1 << (bit & 7);
  return packed;
}

/** Names of streets in at least two counties of the public records. */
export async function listCommonNames(dataDir: string): Promise<string[]> {
  const counties = new Map<string, Set<number>>();
  for (const situs of await loadSitus(dataDir)) {
    const name = canonicalRecord(situs, situs.suffixes)?.street.name ?? '';
    if (/^[A-Z]{3,}$/.test(name)) counties.set(name, (counties.get(name) ?? new Set()).add(situs.fips));
  }
  return [...counties]
    .filter(([, { size }]) => size > 1)
    .map(([name]) => name)
    .sort();
}

/** Whole names, and the words of names of several words. */
async function listStreetNames(folder: string, dataDir: string): Promise<string[]> {
  const places = readdirSync(join(folder, 'streets')).map((file) => linesOf(join(folder, 'streets', file)));
  const situs = (await loadSitus(dataDir)).map(({ line1 }) => line1);
  const counts = new Map<string, number>();
  for (const line of [...places.flat(), ...situs]) {
    const words = readWords(line.replace(/^\d\S*\s+/, '').replace(/,.*/, ''));
    for (const name of new Set([readStreet(words).name, ...words])) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= MIN_ADDRESSES).map(([name]) => name);
}

function listCityNames(dataDir: string): string[] {
  const file = gunzipSync(readFileSync(join(dataDir, 'address/usps/usps_state_city.tsv.gz'))).toString('latin1');
  return file.split('\n').flatMap((line) => {
    const words = readWords(line.split('\t')[1] ?? '');
    return [streetNameKey(words), ...words];
  });
}

function readCitiesOfZips(folder: string): Map<string, Set<string>> {
  const cities = new Map<string, Set<string>>();
  for (const line of readdirSync(folder).flatMap((file) => linesOf(join(folder, file)))) {
    const [zip, city, state] = line.split(',');
    const place = `${state} ${cityKey(readWords(city))}`;
    cities.set(place, (cities.get(place) ?? new Set()).add(zip));
  }
  return cities;
}

/** Without those that are one letter from a name a hundred times as frequent: MILER is more often a slip for MILLER. */
function listPersonNames(folder: string): string[] {
  const rows = readdirSync(folder).flatMap((file) => linesOf(join(folder, file)).map((line) => line.split(/\s+/)));
  const shares = new Map(rows.map(([name, share]): [string, number] => [name, Number(share)]));
  const index = new SpellingIndex([...shares.keys()].filter((name) => shares.get(name)! >= 0.02));
  return [...shares.keys()].filter(
    (name) => !index.listNear(name, 1).some((other) => shares.get(other)! >= SLIP_RATIO * shares.get(name)!),
  );
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean);

/** The contents of `postal-cities.txt.gz`. */
function packPostalCities(cities: ReadonlyMap<string, ReadonlySet<string>>): string {
  const lines = [...cities].map(([place, zips]) => {
    const numbers = [...zips].map(Number).sort((a, b) => a - b);
    return [place, ...numbers.map((zip, index) => zip - (numbers[index - 1] ?? 0))].join(' ');
  });
  return lines.sort().join('\n');
}
