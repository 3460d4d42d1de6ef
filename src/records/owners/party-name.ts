// Parses a party's name into its identifying words and builds its index keys. Pure; the index and the search parse
// names the same way.

import { editDistance, tolerance } from '../../base/lib/spelling.ts';

export interface PartyName {
  /** Words that identify the party, longest names first as written. */
  words: string[];
  /** Initials of given names. */
  initials: string[];
  /** JR, LLC, TRUST and the like: the same party is written with and without them. */
  soft: string[];
}

const listed = (words: string) => new Set(words.split(/\s+/));

/** Connectives that carry no information. */
const SILENT = listed('AND OF THE ET AL ETAL UX ETUX VIR ETVIR AKA FKA NKA DBA OR ATTN BY FOR');
/** The same party is written with and without these. */
const SOFT = listed(
  `JR SR II III IV MR MRS MS DR ESQ LLC INC INCORPORATED CORP CORPORATION CO COMPANY LP LLP LLLP LTD LIMITED PC PLLC NA FSB
   TRUST TRUSTS TRUSTEE TRUSTEES TTEE TTEES TR TRS COTRUSTEE COTRUSTEES REVOCABLE REV IRREVOCABLE IRREV LIVING LIV FAMILY FAM
   DATED DTD UTD UDT UA UTA AGREEMENT ESTATE EST DECEASED DECD HEIRS HEIR EXECUTOR EXECUTRIX ADMINISTRATOR LIFE TENANT TENANTS
   LE JT JTRS JTWROS TIC TBE ETC HUSBAND WIFE SPOUSE UNMARRIED MARRIED SINGLE PERSONAL REPRESENTATIVE ISAOA ATIMA`,
);
/** Beginnings of family names that are written apart or together: Mc Donald, De La Cruz. */
const PARTICLES = listed('MC MAC O D DE DEL DELA LA LE DI DA VAN VON DER DEN ST SAN EL AL BEN TEN TER');
/** A firm with many words is found by its first ones. */
const MOST_PAIRED = 6;

export function readPartyName(text: string): PartyName {
  const written = text
    .toUpperCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f.’'`"]/g, '')
    .replace(/\b(U\/[DTAW](?:\/[DTA])?|A\/K\/A|F\/K\/A|C\/O|D\/B\/A)\b/g, ' ')
    .replace(/\bL L C\b/g, 'LLC')
    .replace(/\bL L P\b/g, 'LLP')
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '' && !SILENT.has(word));
  const joined = joinParticles(written);
  const isSoft = (word: string) => SOFT.has(word);
  const hard = joined.filter((word) => !isSoft(word));
  // A firm's name may consist only of such words: The Family Trust Company.
  const kept = hard.some((word) => word.length > 1) ? hard : joined;
  return {
    words: [...new Set(kept.filter((word) => word.length > 1 || /\d/.test(word)))],
    initials: [...new Set(kept.filter((word) => /^[A-Z]$/.test(word)))],
    soft: [...new Set(joined.filter(isSoft))],
  };
}

function joinParticles(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < words.length; i++) {
    let word = words[i];
    while (PARTICLES.has(words[i]) && /^[A-Z]{2,}$/.test(words[i + 1] ?? '') && !SOFT.has(words[i + 1]))
      word += words[++i];
    joined.push(word);
  }
  return joined;
}

/** The name with typos of TRUST, TRUSTEE and the like corrected. */
export function withSoftSlips({ words, initials, soft }: PartyName): PartyName {
  const meant = (word: string) => (word.length >= 4 ? nearestOf(word, SOFT)?.word : undefined);
  const slips = words.flatMap((word) => meant(word) ?? []);
  return {
    initials,
    soft: [...new Set([...soft, ...slips])],
    words: words.filter((word) => meant(word) === undefined),
  };
}

/** The nearest in spelling. The first letter of a name is rarely mistyped. */
export function nearestOf(word: string, others: Iterable<string>): { word: string; edits: number } | undefined {
  let nearest: { word: string; edits: number } | undefined;
  for (const other of others) {
    const most = other[0] === word[0] ? Math.min(tolerance(word), tolerance(other), (nearest?.edits ?? 3) - 1) : 0;
    if (most === 0) continue;
    const edits = editDistance(word, other, most);
    if (edits <= most) nearest = { word: other, edits };
  }
  return nearest;
}

export const pairKey = (first: string, second: string): string => `${first} ${second}`;

/** Every ordered pair of words, so two words, or a word and a prefix, find the party in any order; a single word is
    indexed alone. */
export function keysOfName({ words, initials }: PartyName): string[] {
  const paired = words.slice(0, MOST_PAIRED);
  const keys = paired.flatMap((word) =>
    [...paired.filter((other) => other !== word), ...initials].map((other) => pairKey(word, other)),
  );
  return keys.length > 0 ? keys : paired.map((word) => pairKey(word, ''));
}
