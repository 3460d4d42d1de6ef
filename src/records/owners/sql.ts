// Every query of the index of names: parties by the words of their names, and the words by their spelling.
import { copyRows, type CopyValue } from '../../base/db/copy.ts';
import type { Client, Queryable } from '../../base/db/postgres.ts';
import { changeRows, getRow, listRows, listValues, part, raw } from '../../base/db/statements.ts';
import { replaceRow } from '../../base/db/rows.ts';

export const ROLES = ['owner', 'grantee', 'grantor', 'borrower'] as const;
export type Role = (typeof ROLES)[number];

export interface PartyRow {
  fips: number;
  property_id: string;
  ordinal: number;
  role: Role;
  name: string;
  keys: string[];
  owner_id: string | null;
  mailing_key: string | null;
  transaction_id: string | null;
  dated_on: string | null;
}
export type PartyKey = Pick<PartyRow, 'fips' | 'property_id' | 'ordinal'>;

const COLUMNS = 'fips, property_id, ordinal, role, name, keys, owner_id, mailing_key, transaction_id, dated_on'.split(
  ', ',
);

export async function copyParties(client: Client, rows: readonly PartyRow[]): Promise<void> {
  const table = rows.map((row): CopyValue[] => COLUMNS.map((name) => row[name as keyof PartyRow]));
  await copyRows(client, 'parties', COLUMNS, table);
  const keys = rows.flatMap(({ fips, property_id, ordinal, keys: own }) =>
    own.map((key): CopyValue[] => [key, fips, property_id, ordinal]),
  );
  await copyRows(client, 'party_keys', ['key', 'fips', 'property_id', 'ordinal'], keys);
}

export async function deleteCounty(client: Client, fips: number): Promise<void> {
  for (const table of ['parties', 'party_keys', 'party_loads'])
    await changeRows(client)`delete from ${raw(table)} where fips = ${fips}`;
}

export const insertSpellings = (client: Client, keys: readonly string[], words: readonly string[]) =>
  changeRows(client)`
    insert into name_spellings (key, word) select * from unnest(${keys}::text[], ${words}::text[]) on conflict do nothing`;

export const getNewestAndFiled = (db: Queryable, fips: number, market: string) =>
  getRow<{ newest: number | null; filed: number; rules: number | null }>(db)`
    select max(l.id) as newest, coalesce(max(f.load_id), -1) as filed, max(f.rules) as rules
    from loads l left join party_loads f on f.fips = ${fips} where l.market = ${market} and l.state = 'completed'`;

export const saveFiledLoad = (client: Client, fips: number, loadId: number, rules: number) =>
  replaceRow(client, 'party_loads', 'fips', { fips, load_id: loadId, rules });

/** A page of the properties whose owners or documents came with later loads. */
export function listNamed(
  db: Queryable,
  fips: number,
  { afterLoad, afterId, limit }: { afterLoad: number; afterId: string; limit: number },
): Promise<string[]> {
  // The inner limit keeps a page from sorting the rest of the county.
  const named = (table: string) => part`(
    select distinct property_id from ${raw(table)}
    where fips = ${fips} and property_id > ${afterId} and load_id > ${afterLoad} order by property_id limit ${limit})`;
  return listValues<string>(db)`
    select property_id from (${named('owners')} union ${named('transactions')}) n order by property_id limit ${limit}`;
}

export interface FiledDocument {
  property_id: string;
  id: string;
  type: string;
  buyers: string[];
  sellers: string[];
  dated_on: string;
}

export const listFiledDocuments = (db: Queryable, fips: number, properties: readonly string[]) =>
  listRows<FiledDocument>(db)`
    select t.property_id, t.id, t.type, t.buyers, t.sellers, coalesce(t.recording_date, t.sale_date, t.known_on) as dated_on
    from transactions t where t.fips = ${fips} and t.property_id = any(${properties}) and t.retired_at is null
      and t.type in ('deed', 'mortgage') and (t.buyers <> '{}' or t.sellers <> '{}') order by t.property_id, dated_on desc`;

/** A range of keys in index order: a single key, or all with a prefix. */
export interface KeyRange {
  from: string;
  to: string;
}

/** The first parties in each key range; `at` is the range's position in the list. */
export const listByKeys = (db: Queryable, ranges: readonly KeyRange[], counties: number[], most: number) =>
  listRows<PartyKey & { at: number }>(db)`
    select q.at::int, k.fips, k.property_id, k.ordinal
    from unnest(${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ to }) => to)}::text[])
      with ordinality as q ("from", "to", at)
    cross join lateral (
      select k.fips, k.property_id, k.ordinal from party_keys k
      where k.key >= q."from" and k.key <= q."to" and k.fips = any(${counties}::int[])
      limit ${most}
    ) k`;

export const listParties = (db: Queryable, keys: readonly PartyKey[]) =>
  listRows<PartyRow>(db)`
    select t.* from parties t
    join unnest(${keys.map(({ fips }) => fips)}::int[], ${keys.map((key) => key.property_id)}::text[],
      ${keys.map(({ ordinal }) => ordinal)}::int[]) as k (fips, property_id, ordinal)
      on t.fips = k.fips and t.property_id = k.property_id and t.ordinal = k.ordinal
    where t.fips = any(${[...new Set(keys.map(({ fips }) => fips))]}::int[])`;

export const listSpelledLike = (db: Queryable, keys: readonly string[]) =>
  listValues<string>(db)`
    select distinct word from name_spellings where key = any(${keys}::text[])`;

type Owned = Pick<PartyRow, 'fips' | 'property_id' | 'name' | 'mailing_key'> & { owner_id: string };
const OWNED = raw('fips, property_id, name, owner_id, mailing_key');

/** The properties of owners, in the counties encoded in their ids. */
export const listOwned = (db: Queryable, owners: readonly string[], counties: readonly number[], most: number) =>
  listRows<Owned>(db)`
    select ${OWNED} from parties
    where fips = any(${counties}::int[]) and owner_id = any(${owners}::text[]) order by property_id limit ${most}`;

/** The properties of the owners at a mailing address. */
export const listMailed = (db: Queryable, key: string, counties: readonly number[], most: number) =>
  listRows<Owned>(db)`
    select p.fips, p.property_id, p.name, p.owner_id, p.mailing_key from party_keys k
    join parties p on p.fips = k.fips and p.property_id = k.property_id and p.ordinal = k.ordinal
    where k.fips = any(${counties}::int[]) and k.key = ${key} and p.owner_id is not null limit ${most}`;
