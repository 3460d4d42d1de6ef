// The catalog: the sources available for each county, by name. Its data is in files under sources/catalog; a newer list
// of layers under the program's home overrides the shipped one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { formatFips } from '../../base/lib/ids.ts';
import { must } from '../../base/lib/must.ts';
import { keyOf } from '../../base/lib/place-name.ts';
import { stateOfCounty, STATES } from '../../base/lib/states.ts';
import { readLayers, type Layer, type LayerList } from './layers.ts';

export const FACTS = ['shapes', 'addresses', 'owners', 'assessments', 'attributes', 'sales'] as const;
export type Fact = (typeof FACTS)[number];

export interface County {
  fips: number;
  /** `Dane County` */
  name: string;
  state: string;
}

export interface Entry extends Omit<Layer, 'kind'> {
  kind: Layer['kind'] | 'roll' | 'sales';
  brings: readonly Fact[];
  note?: string;
}

export interface Catalog {
  /** The day of the list of layers. */
  day: string;
  counties: Map<number, County>;
  /** The county's entries first, then its state's; the largest area first. */
  entriesOf(fips: number): Entry[];
  /** The counties of a city with its own layer, by the key of its name. */
  countiesOfCity(key: string): number[];
}

const inSources = (name: string): URL => new URL(`../../../sources/catalog/${name}`, import.meta.url);
export const SHIPPED_LAYERS = inSources('layers.tsv');
/** Where `platbook catalog update` writes. */
export const ownLayers = (home: string): string => join(home, 'catalog', 'layers.tsv');

let held: { key: string; catalog: Catalog } | undefined;

export function readCatalog(home: string): Catalog {
  const lists = [SHIPPED_LAYERS, ownLayers(home)].filter((path) => existsSync(path)).map(readList);
  const newest = lists.reduce((best, list) => (list.day >= best.day ? list : best));
  const key = `${home} ${newest.day} ${newest.layers.length}`;
  if (held?.key !== key) held = { key, catalog: buildCatalog(newest, readKnown()) };
  return held.catalog;
}

const readList = (path: URL | string): LayerList => readLayers(readFileSync(path, 'utf8'));

/** Facts that a layer of a kind certainly has; owners, values and sales are known only once it is read. */
const BRINGS: Record<string, Fact[]> = { parcels: ['shapes'], addresses: ['addresses'], buildings: ['attributes'] };

interface Known extends Pick<Entry, 'kind' | 'name' | 'url' | 'format' | 'brings' | 'note'> {
  state: string;
  /** FIPS codes; all counties of the state without. */
  counties?: string[];
  parcel_field?: string;
  license?: string;
}

const readKnown = (): Known[] => parse(readFileSync(inSources('statewide.yaml'), 'utf8')) as Known[];

function buildCatalog({ day, layers }: LayerList, known: Known[]): Catalog {
  const listed = layers.map((layer): Entry => ({ ...layer, brings: BRINGS[layer.kind] ?? [] }));
  const said = known.flatMap((item) => entriesOfKnown(item));
  // A service listed twice uses the more detailed entry.
  const urls = new Set(said.map(({ url }) => url));
  const entries = [...said, ...listed.filter(({ url }) => !urls.has(url))];
  const byArea = Map.groupBy(entries, ({ area }) => area);
  const byCity = Map.groupBy(
    layers.filter(({ name }) => name !== ''),
    ({ name }) => keyOf(name),
  );
  return {
    day,
    counties: readCounties(),
    countiesOfCity: (key) => (byCity.get(key) ?? []).map(({ area }) => Number(area)),
    entriesOf(fips) {
      const code = formatFips(fips);
      const own = byArea.get(code) ?? [];
      return [...own.filter(isWhole), ...(byArea.get(code.slice(0, 2)) ?? []), ...own.filter((item) => !isWhole(item))];
    },
  };
}

const isWhole = ({ name, kind }: Entry): boolean => name === '' || kind === 'roll' || kind === 'sales';

function entriesOfKnown({ state, counties, parcel_field, license, ...rest }: Known): Entry[] {
  const { fips } = must(
    STATES.find(({ code }) => code === state),
    state,
  );
  return (counties ?? [fips]).map((area) => ({
    ...rest,
    area,
    parcelField: parcel_field ?? '',
    license: license ?? '',
  }));
}

export function readCounties(): Map<number, County> {
  const lines = readFileSync(inSources('counties.tsv'), 'utf8').trim().split('\n');
  const rows = lines.filter((line) => !line.startsWith('#')).slice(1);
  return new Map(
    rows.map((line) => {
      const [code, name] = line.split('\t');
      const fips = Number(code);
      return [fips, { fips, name, state: must(stateOfCounty(fips), `state of county ${code}`) }];
    }),
  );
}
