// The records as address resolution reads them: from PostgreSQL in production, from memory in tests and benchmarks.
import type { AddressRecord } from '../parse/canonical.ts';
import type { Gazetteer } from '../parse/gazetteer.ts';
import type { Street } from '../parse/streets.ts';

/** Where to look up candidates: always a house number, plus a ZIP, a city or, without either, the street's name. */
export type Spot =
  | { by: 'zip'; fips: number[]; number: string; zip: string }
  | { by: 'city'; fips: number[]; number: string; state: string; city: string }
  | { by: 'name'; state: string; number: string; name: string };

/** A street as recorded in one ZIP, and how many records it has there. */
export interface LocalStreet extends Street {
  zip: string;
  state: string;
  city: string;
  records: number;
}

/** The facts needed about streets near a doubtful comparison. */
export interface StreetQuestion {
  fips: readonly number[];
  zips: readonly string[];
  cities: readonly string[];
  names: readonly string[];
  /** Spelling keys (see spelling.ts) of names that may be misspelled. */
  keys: readonly string[];
  /** Names that may be misspelled: are they streets in several counties? */
  typed: readonly string[];
}

export interface StreetAnswer {
  /** Streets with these names, or indexed under these keys, in one of the ZIPs or cities. */
  streets: LocalStreet[];
  /** Which of the typed names are streets in at least two counties. */
  known: string[];
}

export interface AddressStore {
  gazetteer: Gazetteer;
  listAt(spots: readonly Spot[]): Promise<AddressRecord[]>;
  askStreets(question: StreetQuestion): Promise<StreetAnswer>;
  /** The addresses as a person would write them, in the order requested. */
  listLines(records: readonly AddressRecord[]): Promise<string[]>;
}
