// Every query that writes the address index, and the counts of streets and localities in it.
import { type CopyValue, copyRows } from '../../../base/db/copy.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import type { CityAlias, Locality, SuffixWord } from '../parse/gazetteer.ts';
import type { LocalStreet } from '../match/store.ts';

export interface CountedStreet extends LocalStreet {
  fips: number;
  label: string;
  cityLabel: string;
}

/** Deletes these properties' addresses and returns their streets, to be subtracted before the new ones are counted. */
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

export async function listIndexedNames(client: Client, fips: number, names: readonly string[]): Promise<string[]> {
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

export async function insertSuffixWords(client: Client, words: readonly SuffixWord[]): Promise<void> {
  await client.query(
    `insert into suffix_words (fips, spelling, suffix)
     select * from unnest($1::integer[], $2::text[], $3::text[]) on conflict do nothing`,
    [words.map(({ fips }) => fips), words.map(({ spelling }) => spelling), words.map(({ suffix }) => suffix)],
  );
}

export async function markIndexed(client: Client, fips: number): Promise<void> {
  await client.query(
    `insert into address_loads (fips, runs) values ($1, 1)
     on conflict (fips) do update set runs = address_loads.runs + 1`,
    [fips],
  );
}

/** Empties a county before it is reindexed. */
export async function deleteCounty(client: Client, fips: number): Promise<void> {
  const places = ['localities', 'city_aliases', 'suffix_words'];
  for (const table of ['addresses', 'streets', 'street_spellings', 'street_words', ...places]) {
    await client.query(`delete from ${table} where fips = $1`, [fips]);
  }
}

export async function markCounty(client: Client, fips: number, loadId: number, rules: string): Promise<void> {
  await client.query(`update address_loads set load_id = $2, rules = $3 where fips = $1`, [fips, loadId, rules]);
}

/** The load up to which the county is indexed, the rules used, and the newest load of its properties. */
export async function readIndexState(
  db: Queryable,
  fips: number,
): Promise<{ load_id: number; rules: string; newest_load_id: number }> {
  const { rows } = await db.query(
    `select coalesce(filed.load_id, -1) as load_id, coalesce(filed.rules, '') as rules,
       (select coalesce(max(load_id), -1) from properties where fips = $1) as newest_load_id
     from (select $1::integer as fips) county left join address_loads filed using (fips)`,
    [fips],
  );
  return rows[0];
}

export async function countSitus(db: Queryable, fips: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*) from properties where fips = $1', [fips]);
  return rows[0].count;
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

/** One page of the situs addresses of a county's properties that later loads touched. */
export async function listSitus(
  db: Queryable,
  fips: number,
  { afterLoad, afterId, limit }: { afterLoad: number; afterId: string; limit: number },
): Promise<SitusRow[]> {
  const { rows } = await db.query<SitusRow>(
    `select id, address_line1, address_unit, city, state, zip, status from properties
     where fips = $1 and id > $2 and load_id > $3 order by id limit $4`,
    [fips, afterId, afterLoad, limit],
  );
  return rows;
}
