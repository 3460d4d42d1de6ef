// What resolving needs to know of the records; answered by PostgreSQL in service and from memory in tests and benchmarks.
import type { AddressRecord } from './canonical.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { Street } from './streets.ts';

/** Where candidates are looked up: always a house number, and a ZIP, a city, or (without either) the street's name. */
export type Spot =
  | { by: 'zip'; fips: number[]; number: string; zip: string }
  | { by: 'city'; fips: number[]; number: string; state: string; city: string }
  | { by: 'name'; state: string; number: string; name: string };

/** A street as the records have it in one ZIP, and how many records it has there. */
export interface LocalStreet extends Street {
  zip: string;
  state: string;
  city: string;
  records: number;
}

export interface AddressStore {
  gazetteer: Gazetteer;
  listAt(spots: readonly Spot[]): Promise<AddressRecord[]>;
  /** The streets of these names in these counties. */
  listStreets(fips: readonly number[], names: readonly string[]): Promise<LocalStreet[]>;
  /** Which of the names belong to a street anywhere in the records. */
  listKnownNames(names: readonly string[]): Promise<string[]>;
  /** The streets of these counties that share a spelling key (spelling.ts). */
  listStreetsBySpelling(fips: readonly number[], keys: readonly string[]): Promise<LocalStreet[]>;
  /** The addresses as a person would write them, in the order asked. */
  listLines(records: readonly AddressRecord[]): Promise<string[]>;
}
