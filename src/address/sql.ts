// Every query on addresses, streets and localities.
import { type CopyValue, copyRows } from '../db/copy.ts';
import type { Client, Queryable } from '../db/postgres.ts';
import type { Box } from '../lib/geo.ts';
import type { AddressRecord } from './canonical.ts';
import type { CityAlias, Locality } from './gazetteer.ts';
import type { LocalStreet, StreetAnswer, StreetQuestion } from './store.ts';

/** The counties a caller may see, as a range: the sandbox has numbers of its own. */
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

const COLUMNS = `fips, property_id, ordinal, full_number, low, high, pre, name, suffix, post, unit, unit_in_number, city, state, zip`;

export async function listAddressesInZip(
  db: Queryable,
  fips: readonly number[],
  zip: string,
  numbers: readonly string[],
): Promise<AddressRow[]> {
  const { rows } = await db.query<AddressRow>({
    name: 'addresses-in-zip',
    text: `select ${COLUMNS} from addresses where fips = any($1) and zip = $2 and number = any($3)`,
    values: [fips, zip, numbers],
  });
  return rows;
}

export async function listAddressesInCity(
  db: Queryable,
  fips: readonly number[],
  city: string,
  numbers: readonly string[],
): Promise<AddressRow[]> {
  const { rows } = await db.query<AddressRow>({
    name: 'addresses-in-city',
    text: `select ${COLUMNS} from addresses where fips = any($1) and city = $2 and number = any($3)`,
    values: [fips, city, numbers],
  });
  return rows;
}

export async function listAddressesByName(
  db: Queryable,
  range: CountyRange,
  state: string,
  name: string,
  number: string,
  limit: number,
): Promise<AddressRow[]> {
  const { rows } = await db.query<AddressRow>({
    name: 'addresses-by-name',
    text: `select ${COLUMNS} from addresses
      where number = $1 and name = $2 and fips between $3 and $4 and ($5 = '' or state = $5)
      limit $6`,
    values: [number, name, range.from, range.to, state, limit],
  });
  return rows;
}

export async function listLines(
  db: Queryable,
  records: readonly Pick<AddressRecord, 'fips' | 'propertyId' | 'ordinal'>[],
): Promise<{ property_id: string; ordinal: number; line: string }[]> {
  const { rows } = await db.query({
    name: 'address-lines',
    text: `select a.property_id, a.ordinal, a.line
      from unnest($1::integer[], $2::text[], $3::smallint[]) as asked (fips, property_id, ordinal)
      cross join lateral (
        select property_id, ordinal, line from addresses
        where fips = asked.fips and property_id = asked.property_id and ordinal = asked.ordinal
        limit 1
      ) a`,
    values: [
      records.map(({ fips }) => fips),
      records.map(({ propertyId }) => propertyId),
      records.map(({ ordinal }) => ordinal),
    ],
  });
  return rows;
}

type StreetRow = LocalStreet & { is_known: boolean };

/** One round trip: the streets of the place under their names and spellings, then the typed names that exist anywhere. */
export async function askStreets(db: Queryable, range: CountyRange, question: StreetQuestion): Promise<StreetAnswer> {
  const { rows } = await db.query<StreetRow>({
    name: 'streets-around',
    text: `with near (name) as materialized (
        select unnest($2::text[])
        union
        select name from street_spellings where fips = any($1) and key = any($3)
      )
      select s.name, zip, state, city, pre, suffix, post, address_count as records, false as is_known
      from near join streets s on s.fips = any($1) and s.name = near.name
      where address_count > 0 and (zip = any($4) or city = any($5))
      union all
      select asked.name, '', '', '', '', '', '', 0, true
      from unnest($6::text[]) as asked (name)
      where exists (select 1 from streets k where k.name = asked.name and k.fips between $7 and $8)`,
    values: [
      question.fips,
      question.names,
      question.keys,
      question.zips,
      question.cities,
      question.typed,
      range.from,
      range.to,
    ],
  });
  return {
    streets: rows.filter((row) => !row.is_known),
    known: rows.filter((row) => row.is_known).map(({ name }) => name),
  };
}

export async function listLocalities(db: Queryable, range: CountyRange): Promise<Locality[]> {
  const { rows } = await db.query<Locality>(
    `select fips, state, city, zip from localities where fips between $1 and $2 and address_count > 0`,
    [range.from, range.to],
  );
  return rows;
}

export async function listCityAliases(db: Queryable, range: CountyRange): Promise<CityAlias[]> {
  const { rows } = await db.query<CityAlias>(
    `select distinct state, alias, city from city_aliases where fips between $1 and $2`,
    [range.from, range.to],
  );
  return rows;
}

/** Moves whenever a county is indexed. */
export async function readVersion(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ version: number }>(
    `select coalesce(sum(runs), 0)::bigint as version from address_loads`,
  );
  return rows[0].version;
}

export interface PlacedProperty {
  id: string;
  latitude: number;
  longitude: number;
  address_line1: string | null;
  address_unit: string | null;
}

/** The properties with coordinates in a small box, by the grid cells it touches. */
export async function listPropertiesInBox(
  db: Queryable,
  range: CountyRange,
  cells: readonly number[],
  box: Box,
): Promise<PlacedProperty[]> {
  const { rows } = await db.query<PlacedProperty>(
    `select id, latitude, longitude, address_line1, address_unit from properties
     where cell_fine = any($1) and latitude between $2 and $3 and longitude between $4 and $5
       and fips between $6 and $7 and status = 'active'`,
    [cells, box.minLatitude, box.maxLatitude, box.minLongitude, box.maxLongitude, range.from, range.to],
  );
  return rows;
}

export interface TypedAddress {
  property_id: string;
  line: string;
  name: string;
}

/** Addresses with this number whose street name begins so. */
export async function listTypedAddresses(
  db: Queryable,
  range: CountyRange,
  number: string,
  prefix: string,
  limit: number,
): Promise<TypedAddress[]> {
  const { rows } = await db.query<TypedAddress>(
    `select property_id, line, name from addresses
     where number = $1 and name >= $2 and name < $3 and fips between $4 and $5
     order by name limit $6`,
    [number, prefix, afterPrefix(prefix), range.from, range.to, limit],
  );
  return rows;
}

/** Addresses with this number whose street name has a later word that begins so. */
export async function listTypedAddressesByWord(
  db: Queryable,
  range: CountyRange,
  fips: readonly number[],
  number: string,
  prefix: string,
  limit: number,
): Promise<TypedAddress[]> {
  const { rows } = await db.query<TypedAddress>(
    `select a.property_id, a.line, a.name
     from (select distinct name from street_words where fips = any($1) and word >= $2 and word < $3 limit 500) w
     cross join lateral (
       select property_id, line, name from addresses
       where number = $4 and name = w.name and fips between $5 and $6 limit 20
     ) a
     limit $7`,
    [fips, prefix, afterPrefix(prefix), number, range.from, range.to, limit],
  );
  return rows;
}

export interface TypedStreet {
  label: string;
  city_label: string;
  state: string;
  zip: string;
  address_count: number;
}

export async function listTypedStreets(
  db: Queryable,
  range: CountyRange,
  prefix: string,
  limit: number,
): Promise<TypedStreet[]> {
  const { rows } = await db.query<TypedStreet>(
    `select label, city_label, state, zip, address_count from streets
     where name >= $1 and name < $2 and fips between $3 and $4 and address_count > 0
     order by name limit $5`,
    [prefix, afterPrefix(prefix), range.from, range.to, limit],
  );
  return rows;
}

export async function listTypedStreetsByWord(
  db: Queryable,
  fips: readonly number[],
  prefix: string,
  limit: number,
): Promise<TypedStreet[]> {
  const { rows } = await db.query<TypedStreet>(
    `select label, city_label, state, zip, address_count
     from (select fips, name from street_words where fips = any($1) and word >= $2 and word < $3 limit $4) w
     join streets using (fips, name)
     where address_count > 0
     limit $4`,
    [fips, prefix, afterPrefix(prefix), limit],
  );
  return rows;
}

/** The first text that no longer begins with the prefix, in byte order. */
function afterPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}

export interface CountedStreet extends LocalStreet {
  fips: number;
  label: string;
  cityLabel: string;
}

/** The streets lost with the addresses of these properties: to be subtracted before the new ones are counted. */
export async function deleteAddresses(
  client: Client,
  fips: number,
  propertyIds: readonly string[],
): Promise<Omit<CountedStreet, 'label' | 'cityLabel'>[]> {
  const { rows } = await client.query(
    `with gone as (delete from addresses where fips = $1 and property_id = any($2) returning *)
     select fips, name, zip, state, city, pre, suffix, post, -count(*)::integer as records
     from (select distinct fips, property_id, ordinal, name, zip, state, city, pre, suffix, post from gone) door
     group by fips, name, zip, state, city, pre, suffix, post`,
    [fips, propertyIds],
  );
  return rows;
}

export async function copyAddresses(client: Client, rows: Iterable<CopyValue[]>): Promise<number> {
  const columns = [
    'fips',
    'property_id',
    'ordinal',
    'number',
    'full_number',
    'low',
    'high',
    'pre',
    'name',
    'suffix',
    'post',
  ];
  return copyRows(client, 'addresses', [...columns, 'unit', 'unit_in_number', 'city', 'state', 'zip', 'line'], rows);
}

/** Sorted by the caller, so that two loads lock the rows in the same order. */
export async function addToStreets(client: Client, streets: readonly CountedStreet[]): Promise<void> {
  const column = <K extends keyof CountedStreet>(key: K) => streets.map((street) => street[key]);
  await client.query(
    `insert into streets (fips, name, zip, state, city, pre, suffix, post, label, city_label, address_count)
     select * from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::integer[])
     on conflict (fips, name, zip, state, city, pre, suffix, post)
     do update set address_count = streets.address_count + excluded.address_count`,
    [
      column('fips'),
      column('name'),
      column('zip'),
      column('state'),
      column('city'),
      column('pre'),
      column('suffix'),
      column('post'),
      column('label'),
      column('cityLabel'),
      column('records'),
    ],
  );
}

export interface CountedLocality extends Locality {
  records: number;
}

export async function addToLocalities(client: Client, localities: readonly CountedLocality[]): Promise<void> {
  const column = <K extends keyof CountedLocality>(key: K) => localities.map((locality) => locality[key]);
  await client.query(
    `insert into localities (fips, state, city, zip, address_count)
     select * from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::integer[])
     on conflict (fips, state, city, zip) do update set address_count = localities.address_count + excluded.address_count`,
    [column('fips'), column('state'), column('city'), column('zip'), column('records')],
  );
}

export async function insertSpellings(
  client: Client,
  fips: number,
  keys: readonly string[],
  names: readonly string[],
): Promise<void> {
  await client.query(
    `insert into street_spellings (fips, key, name)
     select $1, key, name from unnest($2::text[], $3::text[]) as filed (key, name) on conflict do nothing`,
    [fips, keys, names],
  );
}

export async function insertWords(
  client: Client,
  fips: number,
  words: readonly string[],
  names: readonly string[],
): Promise<void> {
  await client.query(
    `insert into street_words (fips, word, name)
     select $1, word, name from unnest($2::text[], $3::text[]) as filed (word, name) on conflict do nothing`,
    [fips, words, names],
  );
}

export async function listNamesFiled(client: Client, fips: number, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct name from streets where fips = $1 and name = any($2)`,
    [fips, names],
  );
  return rows.map(({ name }) => name);
}

export async function insertCityAliases(
  client: Client,
  aliases: readonly (CityAlias & { fips: number })[],
): Promise<void> {
  await client.query(
    `insert into city_aliases (fips, state, alias, city)
     select * from unnest($1::integer[], $2::text[], $3::text[], $4::text[]) on conflict do nothing`,
    [
      aliases.map(({ fips }) => fips),
      aliases.map(({ state }) => state),
      aliases.map(({ alias }) => alias),
      aliases.map(({ city }) => city),
    ],
  );
}

export async function markIndexed(client: Client, fips: number): Promise<void> {
  await client.query(
    `insert into address_loads (fips, runs) values ($1, 1)
     on conflict (fips) do update set runs = address_loads.runs + 1`,
    [fips],
  );
}

/** Empties a county before it is filed anew. */
export async function deleteCounty(client: Client, fips: number): Promise<void> {
  for (const table of ['addresses', 'streets', 'street_spellings', 'street_words', 'localities', 'city_aliases']) {
    await client.query(`delete from ${table} where fips = $1`, [fips]);
  }
}

export async function markCounty(client: Client, fips: number): Promise<void> {
  await client.query(
    `update address_loads set load_id = (select coalesce(max(load_id), 0) from properties where fips = $1) where fips = $1`,
    [fips],
  );
}

/** Whether every load of the county's properties is filed. */
export async function isCountyFiled(db: Queryable, fips: number): Promise<boolean> {
  const { rows } = await db.query<{ is_filed: boolean | null }>(
    `select (select load_id from address_loads where fips = $1) >= (select max(load_id) from properties where fips = $1) as is_filed`,
    [fips],
  );
  return rows[0].is_filed === true;
}

export interface SitusRow {
  id: string;
  address_line1: string | null;
  address_unit: string | null;
  city: string | null;
  state: string;
  zip: string | null;
  status: string;
}

/** The situs addresses of a county's properties, a page at a time. */
export async function listSitus(db: Queryable, fips: number, afterId: string, limit: number): Promise<SitusRow[]> {
  const { rows } = await db.query<SitusRow>(
    `select id, address_line1, address_unit, city, state, zip, status from properties
     where fips = $1 and id > $2 order by id limit $3`,
    [fips, afterId, limit],
  );
  return rows;
}
