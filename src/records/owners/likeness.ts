// Scores how well a party's name matches the query. Pure.
import { nearestOf, type PartyName } from './party-name.ts';

/** `exact`: every word matches. `initials`: an initial matches a word on either side. `spelling`: a word is a typo
    away. `partial`: a word of the query is missing in the record. */
export const FITS = ['exact', 'initials', 'spelling', 'partial'] as const;
export type Fit = (typeof FITS)[number];

export interface Likeness {
  fit: Fit;
  /** Letters by which the spelling differs. */
  slips: number;
  /** 1: the same words and no others. */
  score: number;
  /** The record's words that match the query. */
  meant: string;
  /** Query words such as TRUST that are not in the record. */
  unsaid: number;
  /** An initial in the record matches a query word. */
  isShortened: boolean;
}

const WEIGHTS: Record<Fit, number> = { exact: 1, initials: 0.9, spelling: 0.8, partial: 0.7 };
/** Penalty per additional word of the record, and per word such as JR or LLC that only one of them has. */
const PER_FURTHER_WORD = 0.02;
const PER_SOFT_WORD = 0.01;

/** Undefined where they are different names. */
export function likenessOf(asked: PartyName, found: PartyName): Likeness | undefined {
  const rest = new Set(found.words);
  const exact = asked.words.filter((word) => rest.delete(word));
  const missing = asked.words.filter((word) => !exact.includes(word));
  // R E Investments is not Rcw Real Estate Investments: an initial matches only one word.
  const letters = new Set(found.initials);
  const shortened = missing.filter((word) => exact.length > 0 && letters.delete(word[0]));
  const unread = missing.filter((word) => !shortened.includes(word));
  const meant = [...exact];
  let slips = 0;
  const respelled = unread.filter((word) => {
    // A couple's family name may occur twice, misspelled once.
    const near = nearestOf(word, rest) ?? nearestOf(word, exact);
    if (!near) return false;
    slips += near.edits;
    rest.delete(near.word);
    meant.push(near.word);
    return true;
  });
  const absent = unread.filter((word) => !respelled.includes(word));
  const standing = new Set([...found.initials, ...[...rest].map((word) => word[0])]);
  const unmet = asked.initials.filter((letter) => !standing.has(letter));
  if (!isOneParty(asked, found, { exact, respelled, absent, rest: [...rest], unmet })) return undefined;
  const isShortened = shortened.length > 0;
  const isShort = isShortened || asked.initials.some((letter) => !found.initials.includes(letter));
  const fit: Fit = absent.length > 0 ? 'partial' : respelled.length > 0 ? 'spelling' : isShort ? 'initials' : 'exact';
  const unsaid = asked.soft.filter((word) => !found.soft.includes(word)).length;
  const further = Math.min(5, rest.size + unmet.length);
  const score = WEIGHTS[fit] - further * PER_FURTHER_WORD - Math.min(3, unsaid) * PER_SOFT_WORD;
  return { fit, slips, score: Math.round(score * 1000) / 1000, meant: meant.sort().join(' '), unsaid, isShortened };
}

interface Compared {
  exact: string[];
  respelled: string[];
  absent: string[];
  rest: string[];
  /** Query initials without a match in the record. */
  unmet: string[];
}

/** Allows one typo or one extra query word, never both; and an extra word only if the record has no unmatched word that
    could contradict it. */
function isOneParty(asked: PartyName, found: PartyName, { exact, respelled, absent, rest, unmet }: Compared): boolean {
  if (exact.length + respelled.length === 0) return false;
  // First LLC is not part of First Church; Orrin is part of Ada Orrin.
  const isForm = asked.words.length + asked.initials.length === 1 && asked.soft.length > 0 && rest.length > 0;
  if (isForm && !asked.soft.some((word) => found.soft.includes(word))) return false;
  if (unmet.length > 0 && (found.initials.length > 0 || asked.words.length < 2)) return false;
  if (respelled.length > 0) return absent.length === 0 && respelled.length <= Math.max(1, exact.length);
  if (absent.length === 0) return true;
  return absent.length === 1 && exact.length >= 2 && rest.length === 0 && unmet.length === 0;
}
