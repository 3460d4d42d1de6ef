// Whether two records name the same party. Tolerates the order of names, initials, trustees, "et al", spouses and the
// forms of a company; a name the publisher withholds can be equal to another, but never found to differ.

/** `same`: a party is the same person or company. `similar`: probably the same, but written differently, or a relative,
    trust or company. `unknown`: a side is not stated or withheld. */
export type Likeness = 'same' | 'similar' | 'different' | 'unknown';

/** Placeholders for unpublished names. */
const WITHHELD =
  /^(PRIVATE OWNER|REDACTED|CONFIDENTIAL|NAME WITHHELD|WITHHELD|NOT AVAILABLE|UNKNOWN|OWNER OF RECORD)\b/;

/** Words for a party's role or form of tenure, which do not identify it. */
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
  isTrustee: boolean;
  /** Full words of the name; for a person without initials. */
  words: Set<string>;
  initials: Set<string>;
}

/** Whether a name is a company, public body or trust rather than a person. All of several names must be: a trust is
    often written after its trustees. */
export function isOrganization(name: string): boolean {
  const isForm = (part: string) => part.split(/[ ,]+/).every((word) => word.length < 2 || FORMS.has(word));
  const parties = clean(name)
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => !isForm(part))
    .map(readParty);
  return parties.length > 0 && parties.every((party) => party !== undefined && party.kind !== 'person');
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

const clean = (name: string): string =>
  name
    .toUpperCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f.’'`"]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

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

/** A comma may separate parties where several words stand on each side; it may still be part of one name. */
function splitCommas(name: string): string[] {
  const parts = name.split(',').map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => part.split(' ').length > 1) ? [name, ...parts] : [name];
}

function readParty(text: string): Party | undefined {
  const isTrustee = /\b(TRS?|TRUSTEES?|TTEES?)\b/.test(text);
  const plain = text.replace(/[,-]/g, ' ').replace(ROLES, ' ').replace(/\s+/g, ' ').trim();
  // Clerks write L L C and N A for the letters of a company's form.
  const spelled = plain.replace(/ (L L C|L L P|N A|F S B|L P|P C|P A)$/, (form) => ` ${form.replaceAll(' ', '')}`);
  const words = spelled
    .replace(/[^A-Z0-9 ]/g, ' ')
    .split(' ')
    .filter((word) => word !== '' && !GENERATIONS.has(word));
  if (words.length === 0) return undefined;
  const isTrust = words.includes('TRUST');
  // A bank or company may have Trust in its name; the rest of the name decides.
  if (COMPANY.test(spelled) && !(isTrust && !/\b(BANK|LLC|INC|CORP|CO|COMPANY|NA)\b/.test(spelled)))
    return { kind: 'company', isTrustee, words: wordsBut(words, FORMS), initials: new Set() };
  if (isTrust)
    return {
      kind: 'trust',
      isTrustee,
      ...namesIn(words.filter((word) => !TRUST_WORDS.has(word) && !/\d/.test(word))),
    };
  return { kind: 'person', isTrustee, ...namesIn(words) };
}

const wordsBut = (words: string[], without: Set<string>) => {
  const kept = words.filter((word) => !without.has(word));
  return new Set(kept.length > 0 ? kept : words);
};

const namesIn = (words: string[]): Pick<Party, 'words' | 'initials'> => ({
  words: new Set(words.filter((word) => word.length > 1)),
  initials: new Set(words.filter((word) => word.length === 1)),
});

function compare(a: Party, b: Party): Likeness {
  if (a.kind === 'person' && b.kind === 'person') return comparePeople(a, b);
  if (a.kind === 'company' && b.kind === 'company') return compareCompanies(a.words, b.words);
  if (a.kind === 'trust' && b.kind === 'trust' && (sharedOf(a, b) >= 2 || isEqual(a.words, b.words))) return 'same';
  // A trust is the same party as its trustee, who bears its name.
  const [trust, trustee] = a.kind === 'trust' ? [a, b] : [b, a];
  if (trust.kind === 'trust' && trustee.isTrustee && sharedOf(a, b) >= 1) return 'same';
  return sharesWord(a.words, b.words, 3) ? 'similar' : 'different';
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
    return isShort(a, b) || isShort(b, a) ? 'same' : 'similar';
  }
  return sharesWord(a.words, b.words, 5) ? 'similar' : 'different';
}

/** A shared family name, allowing for a typo. */
const sharesWord = (a: Set<string>, b: Set<string>, leastLetters: number) =>
  [...a].some((word) => word.length >= leastLetters && [...b].some((other) => isSpelledLike(word, other)));
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
  const alike = [...a].filter((word) => [...b].some((other) => isSpelledLike(word, other))).length;
  return alike >= 2 || (alike === 1 && least === 1) ? 'similar' : 'different';
}

/** Equal, or one letter apart in a word long enough for that to be a typo. */
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
