// Finds loaded places by colloquial names.
import { titleCase } from '../../base/lib/title-case.ts';
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { formatFips } from '../../base/lib/ids.ts';
import { nearestWord } from '../../base/lib/suggest.ts';
import { type Catalog } from '../markets/catalog.ts';
import { keyOf, readPlaceName, type PlaceName } from '../../base/lib/place-name.ts';
import type { Place } from './schema.ts';
import * as sql from './sql.ts';
import { entryOf } from '../../base/lib/must.ts';

type PlaceDeps = Pick<Deps, 'dataReplica' | 'catalog'>;

const SUGGESTED = 5;

interface Atlas {
  catalog: Catalog;
  /** Counties that the key can see, with their markets. */
  counties: Map<number, string[]>;
  markets: string[];
}

/** All places with that name, likeliest first; fails with the nearest names if there is none. */
export async function findPlaces(deps: PlaceDeps, mode: KeyMode, text: string): Promise<Place[]> {
  const atlas = await openAtlas(deps, mode);
  const said = readPlaceName(text);
  const { zip, tract } = said;
  if (zip !== undefined) return findZip(deps, atlas, { ...said, zip }, text);
  if (tract !== undefined) return findCoded(deps, atlas, { kind: 'tract', area: tract }, { census_tract: tract });
  const areas =
    said.isCounty || said.name === ''
      ? []
      : await sql.listAreas(deps.dataReplica, atlas.markets, ['city', 'neighborhood']);
  const found = [
    ...(said.isCounty ? [] : placesOf(atlas, said, areas, 'city')),
    ...findCounties(atlas, said),
    ...(said.isCounty ? [] : [...findMarkets(atlas, said, text), ...placesOf(atlas, said, areas, 'neighborhood')]),
    ...findState(atlas, said),
  ];
  return found.length > 0 ? found : failWithNearest(deps, atlas, said, text);
}

async function openAtlas(deps: PlaceDeps, mode: KeyMode): Promise<Atlas> {
  const catalog = await deps.catalog.read();
  const counts = catalog.visible[mode];
  const byCounty = Map.groupBy(counts, ({ fips }) => fips);
  return {
    catalog,
    counties: new Map([...byCounty].map(([fips, rows]) => [fips, [...new Set(rows.map(({ market }) => market))]])),
    markets: [...new Set(counts.map(({ market }) => market))],
  };
}

async function findCoded(
  deps: PlaceDeps,
  { markets, catalog }: Atlas,
  key: Pick<sql.AreaRow, 'kind' | 'area'>,
  filter: Place['filter'],
): Promise<Place[]> {
  const rows = await sql.listAreasNamed(deps.dataReplica, markets, key);
  const place = {
    object: 'place' as const,
    kind: key.kind,
    id: key.area,
    name: key.area,
    state: rows.length > 0 ? stateOf(catalog, rows[0].market) : null,
    markets: rows.map(({ market }) => market),
    sales: rows.reduce((sum, { n }) => sum + n, 0),
    filter,
  };
  return rows.length > 0 ? [place] : fail('resource_not_found', `No sales are on record for ${key.kind} ${key.area}.`);
}

async function findZip(
  deps: PlaceDeps,
  atlas: Atlas,
  { zip, fips, isCounty }: PlaceName & { zip: string },
  text: string,
): Promise<Place[]> {
  const isLoaded = atlas.counties.has(Number(fips));
  const known = await sql.listAreasNamed(deps.dataReplica, atlas.markets, { kind: 'zip', area: zip });
  if (isLoaded && (isCounty || known.length === 0)) return [countyPlace(atlas, Number(fips))];
  if (known.length > 0) return findCoded(deps, atlas, { kind: 'zip', area: zip }, { zip });
  const zips = (await sql.listAreas(deps.dataReplica, atlas.markets, ['zip'])).map(({ area }) => area);
  return failNamed(text, nearestWord(zip, zips), zips);
}

function placesOf(atlas: Atlas, said: PlaceName, areas: sql.AreaRow[], kind: 'city' | 'neighborhood'): Place[] {
  const key = keyOf(said.name);
  const rows = areas.filter(
    (row) =>
      row.kind === kind &&
      keyOf(row.area) === key &&
      (said.state === undefined || stateOf(atlas.catalog, row.market) === said.state),
  );
  // One city may be in several markets, and a name in several states.
  return [...Map.groupBy(rows, ({ market, area }) => `${stateOf(atlas.catalog, market)} ${area}`).values()].map(
    (group) => {
      const state = stateOf(atlas.catalog, group[0].market);
      const city = group[0].area;
      return {
        object: 'place',
        kind,
        id: city,
        name: state === null ? titleCase(city.toUpperCase()) : `${titleCase(city.toUpperCase())}, ${state}`,
        state,
        markets: group.map(({ market }) => market),
        sales: group.reduce((sum, { n }) => sum + n, 0),
        filter: kind === 'city' ? { city, ...(state !== null && { state }) } : {},
      };
    },
  );
}

function findCounties(atlas: Atlas, said: PlaceName): Place[] {
  if (said.name === '') return [];
  const key = keyOf(said.name);
  return [...atlas.counties.keys()]
    .filter((fips) => {
      const county = atlas.catalog.counties.get(fips);
      const isNamed = county !== undefined && keyOf(bareCounty(county.name)) === key;
      return isNamed && (said.state === undefined || county.state === said.state);
    })
    .map((fips) => countyPlace(atlas, fips));
}

function countyPlace({ catalog, counties }: Atlas, fips: number): Place {
  const county = entryOf(catalog.counties, fips);
  return {
    object: 'place',
    kind: 'county',
    id: formatFips(fips),
    name: `${county.name}, ${county.state}`,
    state: county.state,
    markets: counties.get(fips) ?? [],
    sales: null,
    filter: { fips: formatFips(fips) },
  };
}

function findMarkets(atlas: Atlas, said: PlaceName, text: string): Place[] {
  const keys = new Set([keyOf(text), keyOf(said.name)]);
  keys.delete('');
  return atlas.markets
    .map((id) => entryOf(atlas.catalog.markets, id))
    .filter(({ id, name, state }) => {
      const isNamed = keys.has(keyOf(id)) || keys.has(keyOf(name)) || keys.has(keyOf(name.split(',')[0]));
      return isNamed && (said.state === undefined || state === said.state);
    })
    .map(({ id, name, state }) => ({
      object: 'place',
      kind: 'market',
      id,
      name,
      state,
      markets: [id],
      sales: null,
      filter: { market: id },
    }));
}

function findState({ catalog, markets }: Atlas, said: PlaceName): Place[] {
  if (said.name !== '' || said.state === undefined) return [];
  const own = markets.filter((market) => stateOf(catalog, market) === said.state);
  if (own.length === 0) return [];
  const { state } = said;
  return [
    { object: 'place', kind: 'state', id: state, name: state, state, markets: own, sales: null, filter: { state } },
  ];
}

async function failWithNearest(deps: PlaceDeps, atlas: Atlas, said: PlaceName, text: string): Promise<never> {
  const cities = (await sql.listAreas(deps.dataReplica, atlas.markets, ['city'])).map(({ area }) =>
    titleCase(area.toUpperCase()),
  );
  const counties = [...atlas.counties.keys()].flatMap((fips) => atlas.catalog.counties.get(fips)?.name ?? []);
  const names = [...new Set(said.isCounty ? counties : [...cities, ...counties])];
  return failNamed(text, nearestWord(said.isCounty ? `${said.name} County` : said.name, names), names);
}

function failNamed(text: string, near: string | undefined, names: string[]): never {
  const others = names.filter((name) => name !== near).slice(0, near ? SUGGESTED - 1 : SUGGESTED);
  const suggestions = near ? [near, ...others] : others;
  const meant = near ? ` Did you mean \`${near}\`?` : '';
  const some = suggestions.length > 0 ? ` Loaded, among others: ${suggestions.join(', ')}.` : '';
  return fail('resource_not_found', `No loaded place is called \`${text}\`.${meant}${some}`, { suggestions });
}

const stateOf = (catalog: Catalog, market: string): string | null => catalog.markets.get(market)?.state ?? null;

const bareCounty = (name: string): string => name.replace(/ (?:county|parish|borough)$/i, '');
