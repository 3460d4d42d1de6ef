// Indexes the names of owners and of the parties to deeds and mortgages after a load, for search.
import { eachDue } from '../../base/db/due-markets.ts';
import { inTransaction, type Client } from '../../base/db/postgres.ts';
import type { Deps } from '../../base/deps.ts';
import { countyId } from '../../base/lib/ids.ts';
import { spellingKeys } from '../../base/lib/spelling.ts';
import { mailingKeyOf } from '../address/address.ts';
import { listCountiesOf } from '../markets/sql.ts';
import { deleteParties, listOwners, type OwnerRow } from '../properties/sql.ts';
import { isOrganization } from '../title/names.ts';
import { keysOfName, readPartyName } from './party-name.ts';
import * as sql from './sql.ts';

const PAGE = 5000;
/** Increment when names are parsed or stored differently; every county is then reindexed. */
const FILING_RULES = 1;
/** Placeholders for unpublished names. */
const WITHHELD = /^(REDACTED|CONFIDENTIAL|NAME WITHHELD|WITHHELD|NOT AVAILABLE|UNKNOWN|OWNER OF RECORD)\b/i;

type FilingDeps = Pick<Deps, 'data'>;

/** Catches up after an upgrade or an interrupted load. */
export const fileNamesDue = (deps: FilingDeps): Promise<void> =>
  eachDue(deps.data, { work: 'names', rules: FILING_RULES }, async (market) => {
    for (const fips of await listCountiesOf(deps.data, market)) await fileNames(deps, fips, market);
  });

/** Updates a county's name index from its records: those of later loads, or all of them if the rules changed. Readers
    never see a partially indexed county. */
export async function fileNames(deps: FilingDeps, fips: number, market: string): Promise<number> {
  const { newest, filed, rules } = await sql.getNewestAndFiled(deps.data, fips, market);
  const isCurrent = rules === FILING_RULES;
  if (newest === null || (isCurrent && filed >= newest)) return 0;
  return inTransaction(deps.data, async (client) => {
    if (!isCurrent) await sql.deleteCounty(client, fips);
    const afterLoad = isCurrent ? filed : -1;
    const words = new Set<string>();
    let count = 0;
    for (let afterId = ''; ;) {
      const page = await sql.listNamed(client, fips, { afterLoad, afterId, limit: PAGE });
      if (isCurrent) await deleteParties(client, fips, page);
      const parties = await readParties(client, fips, page);
      await sql.copyParties(client, parties);
      for (const { keys } of parties) for (const key of keys) words.add(key.split(' ')[0]);
      count += parties.length;
      if (page.length < PAGE) break;
      afterId = page[PAGE - 1];
    }
    await fileSpellings(client, words);
    await sql.saveFiledLoad(client, fips, newest, FILING_RULES);
    return count;
  });
}

async function fileSpellings(client: Client, words: ReadonlySet<string>): Promise<void> {
  const filed = [...words].filter((word) => /^[A-Z]{3,}$/.test(word)).toSorted();
  for (let start = 0; start < filed.length; start += PAGE) {
    const pairs = filed.slice(start, start + PAGE).flatMap((word) => spellingKeys(word, 1).map((key) => [key, word]));
    await sql.insertSpellings(
      client,
      pairs.map(([key]) => key),
      pairs.map(([, word]) => word),
    );
  }
}

async function readParties(client: Client, fips: number, properties: string[]): Promise<sql.PartyRow[]> {
  if (properties.length === 0) return [];
  const owners = await listOwners(
    client,
    properties.map((id) => ({ fips, id })),
  );
  const documents = Map.groupBy(await sql.listFiledDocuments(client, fips, properties), (each) => each.property_id);
  const ownerOf = new Map(owners.toReversed().map((owner) => [owner.property_id, owner]));
  return properties.flatMap((property_id) => {
    const owner = ownerOf.get(property_id);
    const parties = [
      ...(owner ? partiesOfOwner(fips, owner) : []),
      ...(documents.get(property_id) ?? []).flatMap(partiesOfDocument),
    ];
    const once = new Map(parties.toReversed().map((each) => [`${each.role} ${each.name}`, each]));
    return [...once.values()].toReversed().map((each, ordinal) => ({ ...each, fips, property_id, ordinal }));
  });
}

type Party = Omit<sql.PartyRow, 'fips' | 'property_id' | 'ordinal'>;

function partiesOfOwner(fips: number, owner: OwnerRow): Party[] {
  const mailing = owner.mailing_address === null ? undefined : mailingKeyOf(owner.mailing_address);
  return owner.names.flatMap((name, at) => {
    const party = partyOf('owner', name, { transaction_id: null, dated_on: owner.owned_since });
    const mailed = mailing !== undefined && at === 0 ? mailingKeys(mailing) : [];
    return party.map((each) => ({
      ...each,
      keys: [...each.keys, ...mailed],
      owner_id: ownerIdOf(fips, name, mailing ?? owner.property_id),
      mailing_key: mailing ?? null,
    }));
  });
}

/** A mailing address is searched with or without its ZIP code. */
export const mailingKeys = (key: string): string[] => [`@${key}`, `@${key.replace(/\|\d*$/, '')}`];

/** A firm is identified by its name; a person by name and mailing address, since two may share a name. */
function ownerIdOf(fips: number, name: string, place: string): string {
  const { words, initials } = readPartyName(name);
  const called = [...words.toSorted(), ...initials.toSorted()].join(' ');
  return countyId('own', fips, isOrganization(name) ? called : `${called}|${place}`);
}

function partiesOfDocument(document: sql.FiledDocument): Party[] {
  const { id: transaction_id, dated_on } = document;
  const roles = document.type === 'deed' ? (['grantee', 'grantor'] as const) : (['borrower', 'borrower'] as const);
  const of = (names: string[], role: sql.Role) =>
    names.flatMap((name) => partyOf(role, name, { transaction_id, dated_on }));
  return [...of(document.buyers, roles[0]), ...(document.type === 'deed' ? of(document.sellers, roles[1]) : [])];
}

function partyOf(role: sql.Role, name: string, dated: Pick<Party, 'transaction_id' | 'dated_on'>): Party[] {
  if (WITHHELD.test(name)) return [];
  const keys = keysOfName(readPartyName(name));
  return keys.length === 0 ? [] : [{ role, name, keys, owner_id: null, mailing_key: null, ...dated }];
}
