// Guesses the meaning of each column from its name and its cells.
import type { FileProfile, Profile } from './profile.ts';
import { PERSONAL_NAME, readYaml, ROLES } from './roles.ts';
import { lastOf } from '../../../base/lib/must.ts';

interface Guess {
  role: string;
  column: Profile;
  /** Name and cells agree, and the name is the usual one or no other column matches. */
  isSure: boolean;
}

export interface Guesses {
  byRole: Map<string, Guess>;
  /** Columns named like an unassigned role but with cells that do not fit. */
  misfits: Map<string, string>;
  personal: string[];
}

/** Column meanings stated by a person: a role, `personal`, or null to ignore the column. */
export type Meanings = Record<string, string | null>;

/** `SALE_DATE`, `saleDate` and `Sale date` are the same words. */
export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('#', ' number ')
    .replace(/[^A-Za-z\d]+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(/ ((in )?(000s?|thousands?)|decode)$/, '')
    // Prefixes of an assessing program used by many towns.
    .replace(/^((rem|vns|cns) )+/, '');
  return name.length === SHAPEFILE_NAME ? completed(words) : words;
}

/** Shapefiles truncate names to this length: NUMBER_BEDROOMS is NUMBER_BED. */
const SHAPEFILE_NAME = 10;
const CUT_WORDS = readYaml<string[]>('cut-words');

/** Completes a truncated last word, if only one word starts with it. */
function completed(words: string): string {
  const last = lastOf(words.split(' '));
  const whole = last.length < 3 ? [] : CUT_WORDS.filter((word) => word.startsWith(last));
  return whole.length === 1 ? words.slice(0, -last.length) + whole[0] : words;
}

/** `PRICE_000` and `Value (in thousands)` say so in their names. */
export const isInThousands = (name: string): boolean => /(?:^|[^\dA-Za-z])(?:000'?s?|thousands?)\)?$/i.test(name);

const inOnes = (column: Profile): Profile =>
  isInThousands(column.name)
    ? { ...column, min: column.min * 1000, median: column.median * 1000, max: column.max * 1000 }
    : column;

/** Assigns each role to its best column, and each column to one role, in list order. Meanings stated by a person take
    precedence. */
export function guessColumns(file: FileProfile, meanings: Meanings = {}): Guesses {
  const stated = file.columns.filter(({ name }) => Object.hasOwn(meanings, name));
  const byRole = new Map<string, Guess>();
  for (const column of stated) {
    const role = meanings[column.name];
    if (role !== null && role !== 'personal') byRole.set(role, { role, column, isSure: true });
  }
  const taken = new Set(stated.map(({ name }) => name));
  const misfits = new Map<string, string>();
  const mail = mailColumns(file);
  const tellsOfHomes = file.columns.some(({ name }) => /bed|bath|built|room|stor(y|ies)|living/.test(wordsOf(name)));
  for (const role of ROLES) {
    if (byRole.has(role.name)) continue;
    let best: { column: Profile; score: number } | undefined;
    let fitting = 0;
    for (const column of file.columns) {
      if (taken.has(column.name) || column.filled === 0 || mail.has(column.name)) continue;
      const words = wordsOf(column.name);
      const rank = role.names.findIndex((pattern) => pattern.test(words));
      if (rank < 0 || role.not?.test(words)) continue;
      // A better name, then cells that fit, then a fuller column.
      const fits = role.fits(inOnes(column));
      if (fits) fitting++;
      else if (!misfits.has(column.name)) misfits.set(column.name, role.name);
      // Prefers TOTAL_VALUE_2024 to TOTAL_VALUE_2020.
      const year = Number(/\b20\d\d\b/.exec(words)?.[0] ?? 0) / 1000;
      const score = (fits ? 100 : 0) - rank * 10 + column.filled + year;
      if (!best || score > best.score) best = { column, score };
    }
    if (!best || best.score < 50) continue;
    const words = wordsOf(best.column.name);
    const isOther = ROLES.some((other) => other.name !== role.name && other.names[0].test(words));
    // A list without buildings may have lot square feet.
    const isBare =
      role.name === 'sqft' && !tellsOfHomes && !byRole.has('sale_price') && /^sq\w*( ft| feet)?$/.test(words);
    const isSure = !isBare && (best.score > 95 || (best.score > 50 && fitting === 1 && !isOther));
    byRole.set(role.name, { role: role.name, column: best.column, isSure });
    taken.add(best.column.name);
  }
  guessByContent(file, byRole, taken);
  const people = ['owner', 'owner2', 'buyer', 'seller'].flatMap((role) => byRole.get(role)?.column.name ?? []);
  const personal = file.columns
    .map(({ name }) => name)
    .filter(
      (name) =>
        people.includes(name) ||
        meanings[name] === 'personal' ||
        (!taken.has(name) && (mail.has(name) || PERSONAL_NAME.test(wordsOf(name)))),
    );
  for (const [name, role] of misfits)
    if (taken.has(name) || byRole.has(role) || personal.includes(name)) misfits.delete(name);
  return { byRole, misfits, personal };
}

const LINE = /^(street )?addr(ess)?( line)? ?\d$/;
/** Next to an owner, an unqualified address is the owner's mailing address. Unqualified city, state and ZIP code belong
    to the preceding address. */
function mailColumns({ columns }: FileProfile): Set<string> {
  const names = columns.map(({ name }) => wordsOf(name));
  const hasMail = names.some((name) => /\bown|^name ?1$/.test(name)) && names.some((name) => LINE.test(name));
  let follows = false;
  const isMail = ({ name: column }: Profile, at: number) => {
    const name = names[at];
    if (/ \(\d+\)$/.test(column) && /^(address|addr|street|city|state|zip)\b/.test(name)) return true;
    if (!/^(city|state|zip( ?code)?|zip ?[45]|postal ?code|country)$/.test(name))
      follows =
        (hasMail && LINE.test(name)) ||
        /^ma (street|addr|unit|city|state|zip|care|att)|\b(own\w*|mail\w*|tax ?payer|billing)\b.*\b(addr\w*|line|street)\b/.test(
          name,
        );
    return follows;
  };
  return new Set(columns.filter(isMail).map(({ name }) => name));
}

/** Even without a meaningful name, cells can reveal a parcel number or an address. */
function guessByContent(file: FileProfile, byRole: Map<string, Guess>, taken: Set<string>): void {
  const free = () => file.columns.filter(({ name }) => !taken.has(name) && !PERSONAL_NAME.test(wordsOf(name)));
  const add = (role: string, column: Profile | undefined) => {
    if (!column) return;
    byRole.set(role, { role, column, isSure: false });
    taken.add(column.name);
  };
  if (!byRole.has('parcel') && !(byRole.has('block') && byRole.has('lot'))) {
    add(
      'parcel',
      free().find(
        (column) =>
          column.filled > 0.95 &&
          column.distinct > 0.7 &&
          column.whole + (1 - column.numeric) > 0.95 &&
          !/^(object ?id|fid|oid|index|row|shape\b.*|.* id int)$|\b(book|page|assess(ed|ment)|value|price|amount)\b/.test(
            wordsOf(column.name),
          ) &&
          column.values
            .slice(0, 30)
            .every(([value]) => /\d{3}/.test(value) && /^[\dA-Z .-]{5,25}$/i.test(value) && !/[A-Z]{4}/i.test(value)),
      ),
    );
  }
  if (!byRole.has('address_line1') && !byRole.has('street_name')) {
    add(
      'address_line1',
      free().find(
        (column) =>
          column.values.length > 20 && column.values.slice(0, 40).every(([value]) => /^\d+ \S+ \S+/.test(value)),
      ),
    );
  }
  if (!byRole.has('land_use') && !tellsType(byRole.get('land_use_code')?.column)) {
    add(
      'land_use',
      free().find((column) => tellsType(column)),
    );
  }
}

/** Most rows have a description that names a type of property, and there is more than one. */
function tellsType(column: Profile | undefined): boolean {
  if (!column?.hasAll || column.values.length > 200 || column.numeric > 0.1) return false;
  const known = column.values.filter(([value]) => guessType(value) !== undefined);
  const sum = (values: Profile['values']) => values.reduce((total, [, count]) => total + count, 0);
  const types = new Set(known.map(([value]) => guessType(value)));
  return types.size > 1 && sum(known) > 0.6 * sum(column.values);
}

const TYPES = readYaml<{ pattern: string; type: string }[]>('property-types').map(({ pattern, type }) => ({
  pattern: new RegExp(pattern),
  type,
}));

/** Property types from words in land-use descriptions; undefined if none matches. */
export function guessType(description: string): string | undefined {
  const text = description.toUpperCase();
  return TYPES.find(({ pattern }) => pattern.test(text))?.type;
}
