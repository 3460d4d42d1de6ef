// Whether two records name the same party. Tolerates the order of names, initials, trustees, "et al", spouses and the
// forms of a company; a name the publisher withholds can be equal to another, but never found to differ.

/**
 * `same`: one of the parties is the same person or company. `similar`: probably the same, but written otherwise, or a
 * family, its trust or its company. `unknown`: a side is not stated or withheld.
 */
export type Likeness = 'same' | 'similar' | 'different' | 'unknown';

/** In place of a name that is not published. */
const WITHHELD =
  /^(PRIVATE OWNER|REDACTED|CONFIDENTIAL|NAME WITHHELD|WITHHELD|NOT AVAILABLE|UNKNOWN|OWNER OF RECORD)\b/;

/** Words that say in what role, with whom or how a party holds, not who it is. */
const ROLES =
  /\b(ET ?AL|ETA|ET ?UX|ET ?VIR|ETUX|ETVIR|TRUSTEES?|TTEES?|TRS?|CO-?TRUSTEES?|ATTY|ATTORNEY|AKA|A\/K\/A|FKA|NKA|ESTATE OF|EST|DECEASED|DECD|HEIRS? OF|EXECUT(?:OR|RIX)|ADMINISTRAT(?:OR|RIX)|LIFE ESTATE|LE|JT|JTRS|TIC|TBE|H ?& ?W|HUSBAND|WIFE|SPOUSE|UNMARRIED|MARRIED|SINGLE|OF|THE)\b/g;
const GENERATIONS = new Set(['JR', 'SR', 'II', 'III', 'IV', 'V', 'MR', 'MRS', 'MS', 'DR']);

/** Forms of companies, and what they are written for. */
const FORMS = new Set(
  'LLC INC INCORPORATED CORP CORPORATION CO COMPANY LP LLP LTD LIMITED PC PLLC NA FSB ISAOA ATIMA PA ASSOC ASSN ASSOCIATION'.split(
    ' ',
  ),
);
const TRUST_WORDS = new Set(
  'TRUST REVOCABLE IRREVOCABLE LIVING FAMILY FAMIL REV IRREV REALTY NOMINEE DATED UTD UDT U/T/D U/D/T INDENTURE'.split(
    ' ',
  ),
);
const COMPANY =
  /\b(LLC|INC|INCORPORATED|CORP|CORPORATION|COMPANY|LLP|LTD|LIMITED|PLLC|BANK|MORTGAGE|LENDING|LOANS?|CREDIT UNION|FUNDING|FINANCIAL|SYSTEMS|SAVINGS|FEDERAL|NATIONAL|HOUSING|HOMES|PROPERTIES|HOLDINGS|INVESTMENTS|REALTY|PARTNERS|BUILDERS|ASSOC|ASSOCIATION|CHURCH|SCHOOL|COLLEGE|ACADEMY|SOCIETY|FOUNDATION|TOWN|CITY|COUNTY|STATE|UNITED STATES|SECRETARY|AUTHORITY|DISTRICT|SERVICES?|CLUB|LIBRARY|CONDO(?:MINIUM)?)\b/;

interface Party {
  kind: 'person' | 'company' | 'trust';
  /** Full words of the name; for a person without initials. */
  words: Set<string>;
  initials: Set<string>;
}

/** Whether a name is that of a company, a public body or a trust rather than of a person. */
export function isOrganization(name: string): boolean {
  const party = readParty(clean(name));
  return party !== undefined && party.kind !== 'person';
}

export function compareParties(left: readonly string[], right: readonly string[]): Likeness {
  const [cleanLeft, cleanRight] = [left, right].map((names) => names.map(clean).filter((name) => name !== ''));
  if (cleanLeft.length === 0 || cleanRight.length === 0) return 'unknown';
  if (cleanLeft.some((name) => cleanRight.includes(name))) return 'same';
  const isOpen = (name: string) => !WITHHELD.test(name);
  const [a, b] = [cleanLeft, cleanRight].map((names) => names.filter(isOpen).flatMap(readParties));
  const found = a.flatMap((one) => b.map((other) => compare(one, other)));
  if (found.includes('same')) return 'same';
  if (found.includes('similar')) return 'similar';
  const isPartlyWithheld = [...cleanLeft, ...cleanRight].some((name) => !isOpen(name));
  return found.length === 0 || isPartlyWithheld ? 'unknown' : 'different';
}

function clean(name: string): string {
  return name
    .toUpperCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f.’'`"]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** `SMITH JOHN A & MARY B` and `JOHN A SMITH, MARY B SMITH` are two people each. */
function readParties(name: string): Party[] {
  const pieces = name.split(/;|\//).flatMap(splitCommas);
  return pieces.flatMap((piece) => {
    const whole = readParty(piece);
    if (!whole) return [];
    if (whole.kind !== 'person' || !/&|\bAND\b/.test(piece)) return [whole];
    const people = piece.split(/&|\bAND\b/).flatMap((part) => readParty(part) ?? []);
    // One of a couple is written without the family name, which is then the first or the last word of the other.
    const full = people.filter(({ words }) => words.size > 1);
    return people.map((person) =>
      person.words.size > 1 || full.length === 0
        ? person
        : { ...person, words: new Set([...person.words, ...full.flatMap(({ words }) => edgesOf([...words]))]) },
    );
  });
}

const edgesOf = (words: string[]) => [words[0], words[words.length - 1]];

/** A comma separates parties if more than one word stands on both sides; otherwise it separates parts of one name. */
function splitCommas(name: string): string[] {
  const parts = name.split(',').map((part) => part.trim());
  return parts.every((part) => part.split(' ').length > 1) ? parts : [name];
}

function readParty(text: string): Party | undefined {
  // Clerks write L L C and N A for the letters of a company's form.
  const spelled = text
    .replace(/[,-]/g, ' ')
    .replace(/\b(L L C|L L P|N A|F S B|L P|P C|P A)\b/g, (form) => form.replaceAll(' ', ''));
  const words = spelled
    .replace(ROLES, ' ')
    .replace(/[^A-Z0-9 ]/g, ' ')
    .split(' ')
    .filter((word) => word !== '' && !GENERATIONS.has(word));
  if (words.length === 0) return undefined;
  const isTrust = words.includes('TRUST');
  // A bank or company may have Trust in its name: it is what else the name says that tells.
  if (COMPANY.test(spelled) && !(isTrust && !/\b(BANK|LLC|INC|CORP|CO|COMPANY|NA)\b/.test(spelled)))
    return { kind: 'company', words: wordsBut(words, FORMS), initials: new Set() };
  if (isTrust) return { kind: 'trust', ...namesIn(words.filter((word) => !TRUST_WORDS.has(word) && !/\d/.test(word))) };
  return { kind: 'person', ...namesIn(words) };
}

const wordsBut = (words: string[], without: Set<string>) => {
  const kept = words.filter((word) => !without.has(word));
  return new Set(kept.length > 0 ? kept : words);
};

function namesIn(words: string[]): Pick<Party, 'words' | 'initials'> {
  return {
    words: new Set(words.filter((word) => word.length > 1)),
    initials: new Set(words.filter((word) => word.length === 1)),
  };
}

function compare(a: Party, b: Party): Likeness {
  if (a.kind === 'person' && b.kind === 'person') return comparePeople(a, b);
  if (a.kind === 'company' && b.kind === 'company') return compareCompanies(a.words, b.words);
  // A trust or a company that bears the family name.
  const isNamesake = [...a.words].some(
    (word) => word.length > 2 && [...b.words].some((other) => isSpelledLike(word, other)),
  );
  if (a.kind === 'trust' && b.kind === 'trust')
    return sharedOf(a, b) >= 2 || isEqual(a.words, b.words) ? 'same' : isNamesake ? 'similar' : 'different';
  return isNamesake ? 'similar' : 'different';
}

/** Two names in common, or one name and an initial that stands for another, make the same person. */
function comparePeople(a: Party, b: Party): Likeness {
  const shared = sharedOf(a, b);
  if (shared >= 2) return conflicts(a, b) ? 'similar' : 'same';
  if (shared === 1) {
    const rest = (party: Party, other: Party) => [...party.words].filter((word) => !other.words.has(word));
    const isShort = (party: Party, other: Party) =>
      rest(other, party).length > 0 && rest(other, party).some((word) => party.initials.has(word[0]));
    if (rest(a, b).length === 0 && rest(b, a).length === 0) return 'same';
    if (isShort(a, b) || isShort(b, a)) return 'same';
    return 'similar';
  }
  const isClose = [...a.words].some(
    (word) => word.length > 4 && [...b.words].some((other) => isSpelledLike(word, other)),
  );
  return isClose ? 'similar' : 'different';
}

const sharedOf = (a: Party, b: Party) => [...a.words].filter((word) => b.words.has(word)).length;
const isEqual = (a: Set<string>, b: Set<string>) => a.size === b.size && [...a].every((word) => b.has(word));

/** JOHN A SMITH and JOHN B SMITH: same names, other initials. */
function conflicts(a: Party, b: Party): boolean {
  if (a.initials.size === 0 || b.initials.size === 0) return false;
  return ![...a.initials].some((letter) => b.initials.has(letter));
}

function compareCompanies(a: Set<string>, b: Set<string>): Likeness {
  if (isEqual(a, b) || [...a].join('') === [...b].join('')) return 'same';
  const shared = [...a].filter((word) => b.has(word)).length;
  const least = Math.min(a.size, b.size);
  if (shared === least && least >= 2) return 'same';
  return shared >= 2 || (shared === 1 && least === 1) ? 'similar' : 'different';
}

/** Equal, or one letter apart in a word long enough that this is a slip of the pen. */
function isSpelledLike(a: string, b: string): boolean {
  if (a === b) return true;
  if (Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let [i, j, slips] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) [i, j] = [i + 1, j + 1];
    else if (++slips > 1) return false;
    else if (a.length > b.length) i++;
    else if (b.length > a.length) j++;
    else [i, j] = [i + 1, j + 1];
  }
  return slips + (a.length - i) + (b.length - j) <= 1;
}
