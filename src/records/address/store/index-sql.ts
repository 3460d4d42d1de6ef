// Every query that writes the address index, and the counts of streets and localities in it.
import { type CopyValue, copyRows } from '../../../base/db/copy.ts';
import type { Client, Queryable } from '../../../base/db/postgres.ts';
import { insertRows } from '../../../base/db/rows.ts';
import { changeRows, getRow, getValue, listRows, listValues, raw } from '../../../base/db/statements.ts';
import type { CityAlias, Locality, SuffixWord } from '../parse/gazetteer.ts';
import type { PropertyRow } from '../../properties/sql.ts';
import type { LocalStreet } from '../match/store.ts';

export interface CountedStreet extends LocalStreet {
  fips: number;
  label: string;
  cityLabel: string;
}

/** Deletes these properties' addresses and returns their streets, to be subtracted before the new ones are counted. */
export const deleteAddresses = (client: Client, fips: number, propertyIds: readonly string[]) =>
  listRows<Omit<CountedStreet, 'label' | 'cityLabel'>>(client)`
    with gone as (delete from addresses where fips = ${fips} and property_id = any(${propertyIds}) returning *)
    select fips, name, zip, state, city, pre, suffix, post, -count(*)::integer as records
    from (select distinct fips, property_id, ordinal, name, zip, state, city, pre, suffix, post from gone) door
    group by fips, name, zip, state, city, pre, suffix, post`;

const COPIED =
  `fips, property_id, ordinal, number, full_number, low, high, pre, name, suffix, post, unit, unit_in_number,
  city, state, zip, line`.split(/,\s+/);

export const copyAddresses = (client: Client, rows: Iterable<CopyValue[]>) =>
  copyRows(client, 'addresses', COPIED, rows);

/** Sorted by the caller, so that two loads lock the rows in the same order. */
export async function addToStreets(client: Client, streets: readonly CountedStreet[]): Promise<void> {
  const column = <K extends keyof CountedStreet>(key: K) => streets.map((street) => street[key]);
  await changeRows(client)`
    insert into streets (fips, name, zip, state, city, pre, suffix, post, label, city_label, address_count)
    select * from unnest(${column('fips')}::integer[], ${column('name')}::text[], ${column('zip')}::text[], ${column('state')}::text[], ${column('city')}::text[], ${column('pre')}::text[], ${column('suffix')}::text[], ${column('post')}::text[], ${column('label')}::text[],
      ${column('cityLabel')}::text[], ${column('records')}::integer[])
    on conflict (fips, name, zip, state, city, pre, suffix, post)
    do update set address_count = streets.address_count + excluded.address_count`;
}

export interface CountedLocality extends Locality {
  records: number;
}

export async function addToLocalities(client: Client, localities: readonly CountedLocality[]): Promise<void> {
  const column = <K extends keyof CountedLocality>(key: K) => localities.map((locality) => locality[key]);
  await changeRows(client)`insert into localities (fips, state, city, zip, address_count)
    select * from unnest(${column('fips')}::integer[], ${column('state')}::text[], ${column('city')}::text[], ${column('zip')}::text[], ${column('records')}::integer[])
    on conflict (fips, state, city, zip) do update set address_count = localities.address_count + excluded.address_count`;
}

export const insertSpellings = (client: Client, fips: number, keys: readonly string[], names: readonly string[]) =>
  changeRows(client)`insert into street_spellings (fips, key, name)
    select ${fips}, key, name from unnest(${keys}::text[], ${names}::text[]) as filed (key, name) on conflict do nothing`;

export const insertWords = (client: Client, fips: number, words: readonly string[], names: readonly string[]) =>
  changeRows(client)`insert into street_words (fips, word, name)
    select ${fips}, word, name from unnest(${words}::text[], ${names}::text[]) as filed (word, name) on conflict do nothing`;

export const listIndexedNames = (client: Client, fips: number, names: readonly string[]) =>
  listValues<string>(client)`select distinct name from streets where fips = ${fips} and name = any(${names})`;

export const insertCityAliases = (client: Client, aliases: (CityAlias & { fips: number })[]) =>
  insertRows(client, 'city_aliases', aliases, 'on conflict do nothing');

export const insertSuffixWords = (client: Client, words: SuffixWord[]) =>
  insertRows(client, 'suffix_words', words, 'on conflict do nothing');

export const markIndexed = (client: Client, fips: number) =>
  changeRows(client)`insert into address_loads (fips, runs) values (${fips}, 1)
    on conflict (fips) do update set runs = address_loads.runs + 1`;

/** Empties a county before it is reindexed. */
export async function deleteCounty(client: Client, fips: number): Promise<void> {
  const places = ['localities', 'city_aliases', 'suffix_words'];
  for (const table of ['addresses', 'streets', 'street_spellings', 'street_words', ...places]) {
    await changeRows(client)`delete from ${raw(table)} where fips = ${fips}`;
  }
}

export const markCounty = (client: Client, fips: number, loadId: number, rules: string) =>
  changeRows(client)`update address_loads set load_id = ${loadId}, rules = ${rules} where fips = ${fips}`;

/** The load up to which the county is indexed, the rules used, and the newest load of its properties. */
export const readIndexState = (db: Queryable, fips: number) =>
  getRow<{ load_id: number; rules: string; newest_load_id: number }>(db)`
    select coalesce(filed.load_id, -1) as load_id, coalesce(filed.rules, '') as rules,
      (select coalesce(max(load_id), -1) from properties where fips = ${fips}::integer) as newest_load_id
    from (select ${fips}::integer as fips) county left join address_loads filed using (fips)`;

export const countSitus = (db: Queryable, fips: number, afterLoad: number) =>
  getValue<number>(db)`select count(*) from properties where fips = ${fips} and load_id > ${afterLoad}`;

export type SitusRow = Pick<PropertyRow, SitusField | 'id' | 'state' | 'status'> & {
  /** Other sources' values of these fields, where they differ from the property's. */
  others: Record<SitusField, { source: string; value: string }[] | null> | null;
};
type SitusField = 'address_line1' | 'address_unit' | 'city' | 'zip';

/** One page of the situs addresses of a county's properties that later loads touched. */
export const listSitus = (
  db: Queryable,
  fips: number,
  { afterLoad, afterId, limit }: { afterLoad: number; afterId: string; limit: number },
) =>
  listRows<SitusRow>(db)`select id, address_line1, address_unit, city, state, zip, status,
      case when provenance->'fields'->'address_line1' ? 'others' then
        (select jsonb_object_agg(name, provenance->'fields'->name->'others')
         from unnest(array['address_line1', 'address_unit', 'city', 'zip']) as field (name)) end as others
    from properties
    where fips = ${fips} and id > ${afterId} and load_id > ${afterLoad} order by id limit ${limit}`;
