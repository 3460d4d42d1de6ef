// Finds counties by typed names: "dane wi", "Dane County, Wisconsin", "St Louis city", a FIPS code, or a misspelling.
import { keyOf, readPlaceName } from '../../base/lib/place-name.ts';
import { editDistance } from '../../base/lib/suggest.ts';
import type { Catalog, County } from './catalog.ts';

export interface Found {
  /** The only matching county. */
  county?: County;
  /** The matches, or the nearest names if there are none; best first. */
  candidates: County[];
}

const MOST_CANDIDATES = 8;
const KIND = / (County|Parish|City and Borough|Borough|Census Area|Municipality|Planning Region|city)$/;

export function findCounties({ counties, countiesOfCity }: Catalog, text: string): Found {
  const all = [...counties.values()];
  const code = /^\s*(\d{5})\s*$/.exec(text)?.[1];
  if (code !== undefined) return settled(all.filter(({ fips }) => fips === Number(code)));
  const { name, state, isCounty } = readPlaceName(text);
  const key = keyOf(name);
  if (key === '') return { candidates: [] };
  const here = state === undefined ? all : all.filter((county) => county.state === state);
  const whole = here.filter((county) => keyOf(county.name) === key);
  const named = here.filter((county) => keyOf(county.name.replace(KIND, '')) === key);
  const fitting = whole.length > 0 && !isCounty ? whole : isCounty && named.length > 1 ? named.filter(isNoCity) : named;
  if (fitting.length > 0) return settled(fitting);
  // The District of Columbia is also Washington.
  if (here.length === 1) return settled(here);
  const ofCity = here.filter(({ fips }) => countiesOfCity(key).includes(fips));
  const begins = here.filter((county) => keyOf(county.name).startsWith(key));
  const found = [ofCity, begins, nearest(here, key)].find((list) => list.length > 0) ?? [];
  return { candidates: found.slice(0, MOST_CANDIDATES) };
}

const settled = (candidates: County[]): Found =>
  candidates.length === 1 ? { county: candidates[0], candidates } : { candidates };

const isNoCity = ({ name }: County): boolean => !name.endsWith(' city');

/** By edit distance: two, or a third of a long name; less than half of a short one. */
function nearest(counties: County[], key: string): County[] {
  const most = Math.min(Math.max(2, Math.floor(key.length / 3)), Math.floor(key.length / 2));
  return counties
    .map((county) => ({ county, distance: editDistance(keyOf(county.name.replace(KIND, '')), key) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance || a.county.fips - b.county.fips)
    .map(({ county }) => county);
}
