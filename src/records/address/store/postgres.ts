// The PostgreSQL implementation of the address store.
import type { Queryable } from '../../../base/db/postgres.ts';
import type { AddressRecord } from '../parse/canonical.ts';
import type { Gazetteer } from '../parse/gazetteer.ts';
import * as sql from './sql.ts';
import type { AddressStore, Spot } from '../match/store.ts';

/** Test keys see the sandbox counties; live keys see all others. */
export type AddressMode = 'test' | 'live';

const FIRST_SANDBOX_COUNTY = 99_000;
const MAX_BY_NAME = 50;

export const modeOfCounty = (fips: number): AddressMode => (fips >= FIRST_SANDBOX_COUNTY ? 'test' : 'live');

export const countyRange = (mode: AddressMode): sql.CountyRange =>
  mode === 'test' ? { from: FIRST_SANDBOX_COUNTY, to: 99_999 } : { from: 0, to: FIRST_SANDBOX_COUNTY - 1 };

export function openStore(data: Queryable, mode: AddressMode, gazetteer: Gazetteer): AddressStore {
  const range = countyRange(mode);
  return {
    gazetteer,
    listAt: (spots) => listAt(data, range, spots),
    askStreets: (question) => sql.askStreets(data, range, question),
    listLines: async (records) => {
      const doors = records.map(({ fips, propertyId, ordinal }) => ({ fips, property_id: propertyId, ordinal }));
      const lines = await sql.listLines(data, doors);
      const byDoor = new Map(lines.map((row) => [`${row.property_id}|${row.ordinal}`, row.line]));
      return records.map(({ propertyId, ordinal }) => byDoor.get(`${propertyId}|${ordinal}`) ?? '');
    },
  };
}

/** One round trip for all houses by ZIP and one for those by city; a ZIP or city in two counties counts as two. */
async function listAt(data: Queryable, range: sql.CountyRange, spots: readonly Spot[]): Promise<AddressRecord[]> {
  const inZip = spots
    .filter((spot) => spot.by === 'zip')
    .flatMap(({ fips, zip, number }) => fips.map((each) => ({ fips: each, place: zip, number })));
  const inCity = spots
    .filter((spot) => spot.by === 'city')
    .flatMap(({ fips, city, number }) => fips.map((each) => ({ fips: each, place: city, number })));
  const byName = spots.filter((spot) => spot.by === 'name');
  const lists = await Promise.all([
    sql.listAddressesIn(data, 'zip', inZip),
    sql.listAddressesIn(data, 'city', inCity),
    ...byName.map((spot) => sql.listAddressesByName(data, range, spot, MAX_BY_NAME)),
  ]);
  return lists.flat().map(recordOf);
}

const recordOf = (row: sql.AddressRow): AddressRecord => ({
  fips: row.fips,
  propertyId: row.property_id,
  ordinal: row.ordinal,
  number: { key: row.full_number, low: row.low, high: row.high },
  street: { pre: row.pre, name: row.name, suffix: row.suffix, post: row.post },
  streetText: '',
  unit: row.unit,
  unitInNumber: row.unit_in_number,
  city: row.city,
  state: row.state,
  zip: row.zip,
});
