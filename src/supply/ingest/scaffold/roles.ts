// Reads roles.yaml: how columns of public records are usually named, and how their cells must look.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Profile } from './profile.ts';

interface Role {
  name: string;
  /** How a recipe reads the field of this name from the column, and within which limits; undefined if none is plain. */
  reads?: string;
  limits?: object;
  /** The column's name in lowercase words separated by spaces; earlier patterns are better. */
  names: RegExp[];
  /** A name that rules the role out. */
  not?: RegExp;
  /** Whether the cells fit. */
  fits(column: Profile): boolean;
}

/** The data of a file next to this one. */
export const readYaml = <Data>(name: string) =>
  parse(readFileSync(new URL(`./${name}.yaml`, import.meta.url), 'utf8')) as Data;

const all = (pattern: RegExp, most: number) => (column: Profile) =>
  column.values.slice(0, most).every(([value]) => pattern.test(value));
const texts = (column: Profile) => column.filled > 0 && column.numeric < 0.6;
/** Days since 1900, as spreadsheets store a date: 1954 to 2064. Dates written as MDDYY go beyond. */
export const isSerial = ({ whole, min, max }: Profile) => whole > 0.95 && min > 20_000 && max < 60_000;

const KINDS: Record<string, (column: Profile) => boolean> = {
  anything: (column) => column.filled > 0,
  texts,
  few: (column) => column.hasAll,
  'short texts': (column) => texts(column) && all(/^.{0,9}$/s, Infinity)(column),
  'usually short': all(/^.{0,9}$/s, 5),
  dates: (column) => column.dated > 0.8 || isSerial(column),
  projected: (column) => column.numeric > 0.9 && Math.abs(column.median) > 1000,
  /** `2F 1H` and `2/1`. */
  'bath counts': (column) =>
    column.values.length > 0 && all(/^\d+ ?F\w*[ ,/]+\d+ ?H\w*$|^\d+ ?\/ ?\d+$/i, Infinity)(column),
  'city names': (column) =>
    texts(column) && (column.distinct < 0.2 || column.values.length < 50) && all(/^\D*$/, Infinity)(column),
  zips: all(/^\d{4,5}/, 10),
  places: all(/^[MF]_\d+_\d+$|^POINT ?\(|^\(?-?\d+\.\d+, ?-?\d+\.\d+\)?$/i, 20),
  'widths by depths': all(/^\d+(\.\d+)? ?x ?\d/i, 20),
};
const OWNER = '\\b(own|owner|owners|mail|mailing|tax ?payer|billing|grantor|grantee|buyer|seller|contact)\\b';

/** One condition: a kind from above, `numbers 17 to 72` (the median), or a measure of the profile such as `distinct < 0.3`. */
function readTest(text: string): (column: Profile) => boolean {
  if (KINDS[text]) return KINDS[text];
  const [, low, high] = /^numbers (\S+) to (\S+)$/.exec(text) ?? [];
  if (low !== undefined)
    return ({ numeric, median }) => numeric > 0.9 && median >= Number(low) && median <= Number(high);
  const [name, sign, limit] = text.split(' ');
  const measure = ({ values, ...column }: Profile) =>
    name === 'choices' ? values.length : (column[name as keyof typeof column] as number);
  return (column) => (sign === '<' ? measure(column) < Number(limit) : measure(column) > Number(limit));
}

interface WrittenRole extends Pick<Role, 'reads' | 'limits'> {
  role: string;
  fits: string;
  names: string[];
  not?: string;
}

export const ROLES = readYaml<WrittenRole[]>('roles').map(({ role, fits, names, not, ...field }): Role => {
  const tests = fits.split(', ').map(readTest);
  return {
    ...field,
    name: role,
    names: names.map((name) => new RegExp(name)),
    ...(not && { not: new RegExp(not === 'owner' ? OWNER : not) }),
    fits: (column) => tests.every((test) => test(column)),
  };
});

/** Any other column of this kind names people or where they live. */
export const PERSONAL_NAME =
  /\b(own|owner|owners|ownership|mail|mailing|tax ?payer|grantor|grantee|buyer|seller|co ?owner|care of|contact|phone|email|address1|address2|addr?[12])\b/;
