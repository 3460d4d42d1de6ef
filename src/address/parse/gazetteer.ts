// The loaded places, in memory: which cities a state has, and which state and counties a ZIP is in.
import { SpellingIndex, tolerance } from './spelling.ts';
import { firstZipOf, stateOfZipArea } from './tables.ts';

/** One city within one ZIP and county, with its number of addresses. */
export interface Locality {
  fips: number;
  state: string;
  city: string;
  zip: string;
}

/** Another name for a city: FLUSHING is also QUEENS. */
export interface CityAlias {
  state: string;
  alias: string;
  city: string;
}

/** City names shorter than this are not corrected: Dover and Rover differ by one letter. */
const MIN_CITY_LETTERS = 5;

export class Gazetteer {
  readonly #stateOfZip = new Map<string, string>();
  readonly #fipsOfZip = new Map<string, Set<number>>();
  /** `state|city` → counties. */
  readonly #fipsOfCity = new Map<string, Set<number>>();
  readonly #citiesOfState = new Map<string, Set<string>>();
  readonly #statesOfCity = new Map<string, Set<string>>();
  readonly #aliases = new Map<string, Set<string>>();
  readonly #spellings = new Map<string, SpellingIndex>();

  constructor(localities: Iterable<Locality>, aliases: Iterable<CityAlias> = []) {
    for (const { fips, state, city, zip } of localities) {
      if (zip) {
        this.#stateOfZip.set(zip, state);
        add(this.#fipsOfZip, zip, fips);
      }
      add(this.#fipsOfCity, `${state}|${city}`, fips);
      add(this.#citiesOfState, state, city);
      add(this.#statesOfCity, city, state);
    }
    for (const { state, alias, city } of aliases) {
      add(this.#aliases, `${state}|${alias}`, city);
      add(this.#statesOfCity, alias, state);
    }
  }

  isKnownZip(zip: string): boolean {
    return this.#stateOfZip.has(zip);
  }

  /** From the records, or else from the ZIP prefix; empty if neither says. */
  stateOfZip(zip: string): string {
    return this.#stateOfZip.get(zip) ?? stateOfZipArea(zip);
  }

  isKnownState(state: string): boolean {
    return this.#citiesOfState.has(state);
  }

  /** The covered ZIP closest by number, which follows geography roughly; in the same state if that is covered. */
  nearestZip(state: string, zip: string): string | undefined {
    const wanted = zip ? Number(zip) : firstZipOf(state);
    const home = state || this.stateOfZip(zip);
    const zips = [...this.#stateOfZip.keys()];
    const inState = zips.filter((each) => this.#stateOfZip.get(each) === home);
    if (wanted === undefined && inState.length === 0) return undefined;
    const distance = (each: string) => Math.abs(Number(each) - (wanted ?? 0));
    return (inState.length > 0 ? inState : zips).reduce<string | undefined>(
      (best, each) => (best === undefined || distance(each) < distance(best) ? each : best),
      undefined,
    );
  }

  fipsOfZip(zip: string): number[] {
    return [...(this.#fipsOfZip.get(zip) ?? [])];
  }

  fipsOfCity(state: string, city: string): number[] {
    return [...(this.#fipsOfCity.get(`${state}|${city}`) ?? [])];
  }

  statesOfCity(city: string): string[] {
    return [...(this.#statesOfCity.get(city) ?? [])];
  }

  /** The names under which this city's records are stored: its own, and any city it is an alias of. */
  listCities(state: string, city: string): string[] {
    const known = this.#citiesOfState.get(state)?.has(city) ? [city] : [];
    return [...known, ...(this.#aliases.get(`${state}|${city}`) ?? [])];
  }

  /** Whether the name is a city in the state or, without a state, anywhere. */
  isCity(city: string, state: string): boolean {
    return state ? this.listCities(state, city).length > 0 : this.#statesOfCity.has(city);
  }

  /** The one city in the state with nearly this spelling. */
  findSimilarCity(city: string, state: string): string | undefined {
    const edits = tolerance(city);
    if (!state || city.length < MIN_CITY_LETTERS || edits === 0) return undefined;
    let index = this.#spellings.get(state);
    if (!index) this.#spellings.set(state, (index = new SpellingIndex(this.#citiesOfState.get(state) ?? [])));
    const near = index.listNear(city, edits);
    return near.length === 1 ? near[0] : undefined;
  }
}

function add<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}
