// Every query that resolves, suggests or looks up addresses; index-sql.ts has those that write them.
import type { Queryable } from '../../../base/db/postgres.ts';
import { findRow, findValue, getValue, listRows, listValues, part, raw } from '../../../base/db/statements.ts';
import type { Box, Point } from '../../../base/lib/geo.ts';
import type { CityAlias, Locality, SuffixWord } from '../parse/gazetteer.ts';
import type { PropertyRow } from '../../properties/sql.ts';
import type { LocalStreet, StreetAnswer, StreetQuestion } from '../match/store.ts';

/** The counties a caller may see, as a range: the sandbox has its own numbers. */
export interface CountyRange {
  from: number;
  to: number;
}

export interface AddressRow {
  fips: number;
  property_id: string;
  ordinal: number;
  full_number: string;
  low: number | null;
  high: number | null;
  pre: string;
  name: string;
  suffix: string;
  post: string;
  unit: string;
  unit_in_number: boolean;
  city: string;
  state: string;
  zip: string;
}

const inRange = ({ from, to }: CountyRange) => part`fips between ${from} and ${to}`;
/** The first text, in byte order, that does not start with the prefix. */
const afterPrefix = (prefix: string) => `${prefix}\u{10ffff}`;
const beginsWith = (column: string, prefix: string) =>
  part`${raw(column)} >= ${prefix} and ${raw(column)} < ${afterPrefix(prefix)}`;

const COLUMNS = `fips, property_id, ordinal, full_number, low, high, pre, name, suffix, post, unit, unit_in_number, city, state, zip`;

// Lookups of one county are passed as one JSON value: the planner cannot see into it, so it keeps one generic plan.
// With arrays it would replan each lookup, which takes four times as long as running it. `offset 0` keeps each lookup a
// separate step. The county is a separate parameter, because it selects the shard.

/** A house number in a county's ZIP or city. */
interface House {
  fips: number;
  place: string;
  number: string;
}

export async function listAddressesIn(db: Queryable, kind: 'zip' | 'city', houses: readonly House[]) {
  const list = listRows<AddressRow>(db, `addresses-in-${kind}`);
  const lists = [...Map.groupBy(houses, ({ fips }) => fips)].map(
    ([fips, asked]) => list`
      select found.* from jsonb_to_recordset(${JSON.stringify(asked)}) as house (place text, number text)
      cross join lateral (
        select ${raw(COLUMNS)} from addresses where fips = ${fips} and ${raw(kind)} = house.place and number = house.number offset 0
      ) found`,
  );
  return (await Promise.all(lists)).flat();
}

export async function listAddressesByName(
  db: Queryable,
  range: CountyRange,
  { state, name, number }: { state: string; name: string; number: string },
  limit: number,
): Promise<AddressRow[]> {
  const counties = await listCountiesOfStreets(db, range, [name]);
  if (counties.length === 0) return [];
  return listRows<AddressRow>(db, 'addresses-by-name')`
    select ${raw(COLUMNS)} from addresses
    where number = ${number} and name = ${name} and fips = any(${counties}) and (${state} = '' or state = ${state})
    limit ${limit}`;
}

export async function listLines(
  db: Queryable,
  doors: readonly { fips: number; property_id: string; ordinal: number }[],
): Promise<{ property_id: string; ordinal: number; line: string }[]> {
  const list = listRows<{ property_id: string; ordinal: number; line: string }>(db, 'address-lines');
  const lists = [...Map.groupBy(doors, ({ fips }) => fips)].map(
    ([fips, asked]) => list`
      select found.* from jsonb_to_recordset(${JSON.stringify(asked)}) as door (property_id text, ordinal smallint)
      cross join lateral (
        select property_id, ordinal, line from addresses
        where fips = ${fips} and property_id = door.property_id and ordinal = door.ordinal
        limit 1
      ) found`,
  );
  return (await Promise.all(lists)).flat();
}

type StreetRow = LocalStreet & { is_known: boolean };

/** One round trip: the local streets with these names and spellings, then the typed names that several counties have. */
export async function askStreets(db: Queryable, range: CountyRange, question: StreetQuestion): Promise<StreetAnswer> {
  const rows = await listRows<StreetRow>(db, 'streets-around')`with question as materialized (
       select * from jsonb_to_record(${JSON.stringify({ ...question, ...range })}) as asked (
         fips integer[], names text[], keys text[], zips text[], cities text[], typed text[], "from" integer, "to" integer)
     )
     select street.name, zip, state, city, pre, suffix, post, address_count as records, false as is_known
     from question
     cross join unnest(question.fips) as county (fips)
     cross join lateral (
       select unnest(question.names) collate "C" as name
       union
       select spelled.name
       from unnest(question.keys) as asked (key)
       cross join lateral (
         select name from street_spellings where fips = county.fips and key = asked.key offset 0
       ) spelled
     ) near
     cross join lateral (
       select * from streets where fips = county.fips and name = near.name and address_count > 0 offset 0
     ) street
     where zip = any (question.zips) or city = any (question.cities)
     union all
     select asked.name, '', '', '', '', '', '', 0, true
     from question
     cross join unnest(question.typed) as asked (name)
     cross join lateral (
       select from (
         select distinct fips from streets where name = asked.name and fips between question."from" and question."to" limit 2
       ) county having count(*) = 2
     ) known`;
  return {
    streets: rows.filter((row) => !row.is_known),
    known: rows.filter((row) => row.is_known).map(({ name }) => name),
  };
}

export const listLocalities = (db: Queryable, range: CountyRange) =>
  listRows<Locality>(db)`
    select fips, state, city, zip from localities where ${inRange(range)} and address_count > 0`;

export const listCityAliases = (db: Queryable, range: CountyRange) =>
  listRows<CityAlias>(db)`
    select distinct state, alias, city from city_aliases where ${inRange(range)}`;

export const listSuffixWords = (db: Queryable, range: CountyRange) =>
  listRows<SuffixWord>(db)`
    select fips, spelling, suffix from suffix_words where ${inRange(range)}`;

/** Increases whenever a county is indexed. */
export const readVersion = (db: Queryable) =>
  getValue<number>(db)`select coalesce(sum(runs), 0)::bigint as version from address_loads`;

/** Properties with coordinates in a small box, by the grid cells it touches. */
export const listPropertiesInBox = (db: Queryable, counties: readonly number[], cells: readonly number[], box: Box) =>
  listRows<Point & Pick<PropertyRow, 'id' | 'address_line1' | 'address_unit' | 'city' | 'state' | 'zip'>>(db)`
    select id, latitude, longitude, address_line1, address_unit, city, state, zip from properties
    where cell_fine = any(${cells}) and latitude between ${box.minLatitude} and ${box.maxLatitude} and longitude between ${box.minLongitude} and ${box.maxLongitude}
      and fips = any(${counties}) and status = 'active'`;

/** The property of these cells that is nearest to the point. */
export const findNearest = (
  db: Queryable,
  counties: readonly number[],
  cells: readonly number[],
  { latitude, longitude }: Point,
) =>
  findRow<Point & { market: string }>(db)`
    select latitude, longitude, market from properties
    where cell_fine = any(${cells}) and fips = any(${counties}) and status = 'active' and latitude is not null
    order by (latitude - ${latitude}) ^ 2 + ((longitude - ${longitude}) * cosd(${latitude})) ^ 2, id
    limit 1`;

/** A city's name as its records write it. */
export const findCityOfZip = async (db: Queryable, fips: number[], zip: string): Promise<string | null> =>
  (await findValue<string>(db)`
    select city from properties where fips = any(${fips}) and zip = ${zip} and city is not null limit 1`) ?? null;

export interface TypedAddress {
  property_id: string;
  line: string;
  name: string;
}

/** Addresses with this number or, while it is being typed, with numbers that begin with it; the shortest first. */
export const listTypedNumbers = (
  db: Queryable,
  range: CountyRange,
  { number, isOpen, isWhole }: { number: string; isOpen: boolean; isWhole: boolean },
  limit: number,
) =>
  listRows<TypedAddress>(db)`select property_id, line, name from addresses
    where number >= ${number} and number <= ${isOpen ? afterPrefix(number) : number} and ${inRange(range)} and (number = full_number or not ${isWhole})
    order by number, name limit ${limit}`;

/** Addresses on streets whose name starts with the prefix, with numbers that begin with what is typed. */
export async function listTypedOnStreets(
  db: Queryable,
  range: CountyRange,
  { number, prefix }: { number: string; prefix: string },
  limit: number,
): Promise<TypedAddress[]> {
  const streets = await listRows<{ name: string; counties: number[] }>(db)`
    select name, array_agg(distinct fips) as counties from streets
    where ${beginsWith('name', prefix)} and ${inRange(range)} and address_count > 0 group by name order by name limit 20`;
  const lists = await Promise.all(
    streets.map(
      ({ name, counties }) => listRows<TypedAddress>(db)`
        select property_id, line, name from addresses
        where name = ${name} and ${beginsWith('number', number)} and fips = any(${counties}) order by number limit 30`,
    ),
  );
  return lists.flat().slice(0, limit);
}

/** The first addresses on a street, sorted by number. */
export async function listHousesOn(
  db: Queryable,
  { from, to }: CountyRange,
  { name, pre, suffix, post }: TypedStreet,
  limit: number,
): Promise<TypedAddress[]> {
  const counties = await listCountiesOfStreets(db, { from, to }, [name]);
  return listRows<TypedAddress>(db)`
    select property_id, line, name from addresses
    where name = ${name} and pre = ${pre} and suffix = ${suffix} and post = ${post} and fips = any(${counties})
    order by number, fips limit ${limit}`;
}

/** Street names are on one node and tell which counties to query for addresses. */
const listCountiesOfStreets = (db: Queryable, range: CountyRange, names: string[]) =>
  listValues<number>(db)`
    select distinct fips from streets where name = any(${names}) and ${inRange(range)}`;

/** Addresses with this number whose street name starts with the prefix; `isWhole` leaves out ranges that contain it. */
export const listTypedAddresses = (
  db: Queryable,
  range: CountyRange,
  { number, prefix, isWhole }: { number: string; prefix: string; isWhole: boolean },
  limit: number,
) =>
  listRows<TypedAddress>(db)`select property_id, line, name from addresses
    where number = ${number} and ${beginsWith('name', prefix)} and ${inRange(range)} and (number = full_number or not ${isWhole})
    order by name limit ${limit}`;

/** Addresses with this number whose street name has a later word starting with the prefix. */
export async function listTypedAddressesByWord(
  db: Queryable,
  range: CountyRange,
  { number, prefix }: { number: string; prefix: string },
  limit: number,
): Promise<TypedAddress[]> {
  const named = await listRows<{ name: string; fips: number }>(db)`
    select distinct name, fips from street_words where ${beginsWith('word', prefix)} and ${inRange(range)} limit 500`;
  if (named.length === 0) return [];
  const [names, counties] = [named.map(({ name }) => name), named.map(({ fips }) => fips)];
  return listRows<TypedAddress>(db)`
    select property_id, line, name from addresses
    where number = ${number} and name = any(${[...new Set(names)]}) and fips = any(${[...new Set(counties)]})
    order by name, fips limit ${limit}`;
}

export interface TypedStreet extends Pick<AddressRow, 'name' | 'pre' | 'suffix' | 'post' | 'state' | 'zip'> {
  label: string;
  city_label: string;
  address_count: number;
}

export const listTypedStreets = (db: Queryable, range: CountyRange, prefix: string, limit: number) =>
  listRows<TypedStreet>(db)`select name, pre, suffix, post, label, city_label, state, zip, address_count from streets
    where ${beginsWith('name', prefix)} and ${inRange(range)} and address_count > 0
    order by name limit ${limit}`;

export const listStreetNames = (db: Queryable, range: CountyRange, prefix: string, limit: number) =>
  listValues<string>(db)`select distinct name from streets
    where ${beginsWith('name', prefix)} and ${inRange(range)} and address_count > 0 order by name limit ${limit}`;

export const listTypedStreetsByWord = (db: Queryable, range: CountyRange, prefix: string, limit: number) =>
  listRows<TypedStreet>(db)`
    select name, pre, suffix, post, label, city_label, state, zip, address_count
    from (
      select fips, name from street_words where ${beginsWith('word', prefix)} and ${inRange(range)} order by word limit ${limit}
    ) w
    join streets using (fips, name)
    where address_count > 0
    limit ${limit}`;
