// Finds parties by name or mailing address: exact first, then by initials, typos and an extra word.
import type { KeyMode } from '../../customers/accounts/key-format.ts';
import { groupByShard } from '../../base/db/distribution.ts';
import type { Deps } from '../../base/deps.ts';
import { fail } from '../../base/lib/errors.ts';
import { must } from '../../base/lib/must.ts';
import { spellingKeys, tolerance } from '../../base/lib/spelling.ts';
import { mailingKeyOf } from '../address/address.ts';
import type { Filter } from '../properties/filter.ts';
import { scopeOf } from '../properties/search.ts';
import { isOrganization } from '../title/names.ts';
import { mailingKeys } from './filing.ts';
import { likenessOf, type Likeness } from './likeness.ts';
import { nearestOf, pairKey, readPartyName, withSoftSlips, type PartyName } from './party-name.ts';
import * as sql from './sql.ts';

/** Maximum parties read per pair of words; a more common name requires a county or state. */
const MOST_UNDER_KEY = 300;
/** Maximum spellings tried per word. */
const MOST_SPELLINGS = 12;
const MOST_WORDS = 8;

export interface PartySearch {
  name?: string;
  mailingAddress?: string;
  roles: sql.Role[];
  filter: Filter;
  limit: number;
}

export interface FoundParty extends Likeness {
  party: sql.PartyRow;
}

type SearchDeps = Pick<Deps, 'data' | 'catalog'>;

/** Not complete if more parties match equally well. */
export async function searchParties(deps: SearchDeps, mode: KeyMode, search: PartySearch) {
  const catalog = await deps.catalog.read();
  const { counties } = scopeOf(catalog, mode, search.filter);
  const groups = counties.length === 0 ? [] : groupByShard(counties, catalog.shards);
  const lookUp = async (ranges: sql.KeyRange[]) =>
    (await Promise.all(groups.map((group) => sql.listByKeys(deps.data, ranges, group, MOST_UNDER_KEY)))).flat();
  const mailing = search.mailingAddress === undefined ? undefined : readMailing(search.mailingAddress);
  const isFirm = isOrganization(search.name?.toUpperCase() ?? '');
  const rank = async (keys: readonly sql.PartyKey[], asked: PartyName | undefined): Promise<FoundParty[]> => {
    const rows = keys.length === 0 ? [] : await sql.listParties(deps.data, keys);
    return rows
      .filter(({ role }) => search.roles.includes(role))
      .flatMap((party) => fitOf(party, asked, mailing, isFirm));
  };
  for (const { asked, rangesOf, isEach, isSoft } of passesOf(search, mailing)) {
    const ranges = await rangesOf(deps);
    const { keys, isComplete } = shortestLists(await lookUp(ranges), ranges.length, isEach);
    const likely = likeliest(await rank(keys, asked), isFirm);
    const fewest = isSoft ? Math.min(...likely.map(({ unsaid }) => unsaid)) : Infinity;
    const parties = likely.filter(({ unsaid }) => unsaid <= fewest).toSorted(inOrder);
    if (parties.length > 0)
      return { parties: parties.slice(0, search.limit), isComplete: isComplete && parties.length <= search.limit };
  }
  return { parties: [], isComplete: true };
}

interface Pass {
  asked?: PartyName;
  rangesOf(deps: SearchDeps): sql.KeyRange[] | Promise<sql.KeyRange[]>;
  /** Whether a party must occur in every range. */
  isEach: boolean;
  /** Whether a word was read as TRUST or the like, which matches must then have. */
  isSoft?: true;
}

/** The passes, tried in turn until one matches. */
function passesOf({ name }: PartySearch, mailing: string | undefined): Pass[] {
  if (name === undefined) return [{ rangesOf: () => [sameKey(must(mailing, 'mailing address'))], isEach: true }];
  const asked = readName(name);
  const plain = withSoftSlips(asked);
  const isSlip = plain.words.length > 0 && plain.words.length < asked.words.length;
  return [
    { asked, rangesOf: () => exactRanges(asked), isEach: true },
    { asked, rangesOf: (deps) => looseRanges(asked, deps), isEach: false },
    ...(isSlip ? [{ asked: plain, rangesOf: () => exactRanges(plain), isEach: true, isSoft: true as const }] : []),
  ];
}

function readName(text: string): PartyName {
  const name = readPartyName(text);
  if (name.words.length === 0)
    fail('invalid_request', 'The name has no word of two letters or more to search for.', {
      errors: [{ pointer: '/name', code: 'invalid', detail: 'needs a word of two letters or more' }],
    });
  return { ...name, words: name.words.slice(0, MOST_WORDS) };
}

function readMailing(text: string): string {
  const key = mailingKeyOf(text);
  if (key === undefined)
    fail('invalid_request', 'The mailing address names neither a door nor a post office box.', {
      errors: [{ pointer: '/mailing_address', code: 'invalid', detail: 'needs a house number or a PO box' }],
    });
  const [whole, anywhere] = mailingKeys(key);
  return /\|\d{5}$/.test(key) ? whole : anywhere;
}

function fitOf(
  party: sql.PartyRow,
  asked: PartyName | undefined,
  mailing: string | undefined,
  isFirm: boolean,
): FoundParty[] {
  if (mailing !== undefined && !(party.mailing_key !== null && mailingKeys(party.mailing_key).includes(mailing)))
    return [];
  const likeness: Likeness | undefined = asked
    ? likenessOf(asked, readPartyName(party.name))
    : { fit: 'exact', slips: 0, score: 1, meant: '', unsaid: 0, isShortened: false };
  // An extra middle name is the same person, and J may be John; but an extra word is another firm, and so is L for
  // Living.
  const isLess = likeness?.fit === 'partial' || likeness?.isShortened;
  if (!likeness || (isLess && (isFirm || isOrganization(party.name)))) return [];
  return [{ party, ...likeness }];
}

const sameKey = (key: string): sql.KeyRange => ({ from: key, to: key });
const beginningWith = (start: string): sql.KeyRange => ({ from: start, to: `${start}~` });

/** Every pair of the words asked for; a word with an initial; or a lone word with whatever follows it. */
function exactRanges({ words, initials }: PartyName): sql.KeyRange[] {
  if (words.length > 1) return pairsOf(words).map(([a, b]) => sameKey(pairKey(a, b)));
  const starts = initials.length > 0 ? initials : [''];
  return starts.map((letter) => beginningWith(pairKey(words[0], letter)));
}

const pairsOf = (words: readonly string[]): [string, string][] =>
  words.flatMap((a, i) => words.slice(i + 1).map((b): [string, string] => [a, b]));

/** Each word may be misspelled, or an initial in the record. */
async function looseRanges({ words, initials }: PartyName, { data }: SearchDeps): Promise<sql.KeyRange[]> {
  const near = await Promise.all(words.map((word) => listNear(data, word)));
  if (words.length === 1) {
    const starts = initials.length > 0 ? initials : [''];
    return near[0].flatMap((other) => starts.map((letter) => beginningWith(pairKey(other, letter))));
  }
  return words.flatMap((a, i) =>
    words.flatMap((b, j) => (i === j ? [] : [b, b[0], ...near[j]].map((other) => sameKey(pairKey(a, other))))),
  );
}

async function listNear(data: Deps['data'], word: string): Promise<string[]> {
  if (tolerance(word) === 0) return [];
  const others = (await sql.listSpelledLike(data, spellingKeys(word, 1))).filter((other) => other !== word);
  return others
    .flatMap((other) => nearestOf(word, [other]) ?? [])
    .toSorted((a, b) => a.edits - b.edits || (a.word < b.word ? -1 : 1))
    .slice(0, MOST_SPELLINGS)
    .map((near) => near.word);
}

/** Every pair of words finds a party that has all of them, so the shortest list is enough. */
function shortestLists(found: readonly (sql.PartyKey & { at: number })[], lists: number, isEach: boolean) {
  const byList = Map.groupBy(found, ({ at }) => at);
  const all = Array.from({ length: lists }, (_, i) => byList.get(i + 1) ?? []);
  const isWhole = (list: unknown[]) => list.length < MOST_UNDER_KEY;
  const shortest = all.toSorted((a, b) => a.length - b.length)[0] ?? [];
  const keys = isEach ? shortest : all.flat();
  const once = new Map(keys.map((key) => [`${key.property_id} ${key.ordinal}`, key]));
  return { keys: [...once.values()], isComplete: isEach ? isWhole(shortest) : all.every(isWhole) };
}

/** Likelihood order: all words with the fewest typos, then an initial for a word, then a missing word. */
function likeliest(found: FoundParty[], isFirm: boolean): FoundParty[] {
  const fit = (['exact', 'spelling', 'initials', 'partial'] as const).find((each) =>
    found.some((one) => one.fit === each),
  );
  const likely = found.filter((one) => one.fit === fit || (fit === 'exact' && one.fit === 'initials'));
  const fewest = Math.min(...likely.map(({ slips }) => slips));
  const nearest = likely.filter(({ slips }) => slips === fewest);
  // Among the possible corrections, prefers those of the best-matching name: Howler LLC rather than 2505 Howell LLC.
  const best = Math.max(...nearest.map(({ score }) => score));
  const meant = new Set(nearest.filter(({ score }) => score === best).map((one) => one.meant));
  const isMeant = (one: FoundParty) =>
    meant.has(one.meant) && (one.score === best || !(isFirm || isOrganization(one.party.name)));
  return fit === 'spelling' ? nearest.filter(isMeant) : nearest;
}

const inOrder = (a: FoundParty, b: FoundParty) =>
  b.score - a.score ||
  sql.ROLES.indexOf(a.party.role) - sql.ROLES.indexOf(b.party.role) ||
  (a.party.property_id < b.party.property_id ? -1 : 1);
