// The loaded places, in memory: which cities a state has, and which state and counties a ZIP is in.
import { readPostalCities } from '../facts/postal-cities.ts';
import { SpellingIndex, tolerance } from '../../../base/lib/spelling.ts';
import { SUFFIXES } from './suffixes.ts';
import { CITY_NICKNAMES, firstZipOf, stateOfZipArea } from './tables.ts';

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

/** A county's own abbreviation of a suffix. */
export interface SuffixWord {
  fips: number;
  spelling: string;
  suffix: string;
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
  /** `state|city` → ZIP codes of that postal city filed under another city's name. */
  readonly #postalZips = new Map<string, Set<string>>();
  readonly #ownSuffixes = new Map<string, { suffix: string; fips: Set<number> }[]>();
  readonly #spellings = new Map<string, SpellingIndex>();

  constructor(
    localities: Iterable<Locality>,
    { aliases = [], suffixWords = [] }: { aliases?: Iterable<CityAlias>; suffixWords?: Iterable<SuffixWord> } = {},
  ) {
    const postalCities = readPostalCities();
    for (const { fips, state, city, zip } of localities) {
      if (zip) {
        this.#stateOfZip.set(zip, state);
        add(this.#fipsOfZip, zip, fips);
        for (const name of postalCities.get(zip) ?? []) if (name !== city) this.#addPostal(state, name, zip);
      }
      add(this.#fipsOfCity, `${state}|${city}`, fips);
      add(this.#citiesOfState, state, city);
      add(this.#statesOfCity, city, state);
    }
    const nicknames = CITY_NICKNAMES.filter(({ state, city }) => this.#citiesOfState.get(state)?.has(city));
    for (const { state, alias, city } of [...aliases, ...nicknames]) {
      add(this.#aliases, `${state}|${alias}`, city);
      add(this.#statesOfCity, alias, state);
    }
    for (const { fips, spelling, suffix } of suffixWords) this.#addOwnSuffix(spelling, suffix, fips);
  }

  #addPostal(state: string, city: string, zip: string): void {
    add(this.#postalZips, `${state}|${city}`, zip);
    add(this.#statesOfCity, city, state);
  }

  #addOwnSuffix(spelling: string, suffix: string, fips: number): void {
    if (SUFFIXES.get(spelling) === suffix) return;
    const meanings = this.#ownSuffixes.get(spelling) ?? [];
    const known = meanings.find((each) => each.suffix === suffix);
    if (known) known.fips.add(fips);
    else this.#ownSuffixes.set(spelling, [...meanings, { suffix, fips: new Set([fips]) }]);
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

  /** The ZIP codes whose mail goes to this city, as far as their records are filed under another name. */
  listPostalZips(state: string, city: string): string[] {
    return [...(this.#postalZips.get(`${state}|${city}`) ?? [])];
  }

  /** Whether the name is a city in the state or, without a state, anywhere. */
  isCity(city: string, state: string): boolean {
    if (!state) return this.#statesOfCity.has(city);
    return this.listCities(state, city).length > 0 || this.#postalZips.has(`${state}|${city}`);
  }

  /** The meaning in these counties of an abbreviation that others read differently or not at all. */
  listOwnSuffixes(spelling: string): readonly { suffix: string; fips: ReadonlySet<number> }[] {
    return this.#ownSuffixes.get(spelling) ?? [];
  }

  #listCitiesFrom(state: string, start: string): string[] {
    return [...(this.#citiesOfState.get(state) ?? [])].filter((city) => city.startsWith(start));
  }

  /** The one city in the state that begins so (Milw., Phila.), or has nearly this spelling. */
  findSimilarCity(city: string, state: string): string | undefined {
    const begun = city.length < MIN_CITY_START ? [] : this.#listCitiesFrom(state, city);
    if (begun.length === 1) return begun[0];
    const edits = tolerance(city);
    if (!state || city.length < MIN_CITY_LETTERS || edits === 0) return undefined;
    let index = this.#spellings.get(state);
    if (!index) this.#spellings.set(state, (index = new SpellingIndex(this.#citiesOfState.get(state) ?? [])));
    const near = index.listNear(city, edits);
    return near.length === 1 ? near[0] : undefined;
  }
}

/** Fewer letters are the beginning of too many names. */
const MIN_CITY_START = 4;

function add<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}
