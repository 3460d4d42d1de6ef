// Reads roles.yaml: usual column names in public records, and tests of their cells.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Profile } from './profile.ts';

interface Role {
  name: string;
  /** How a recipe reads the field of this name from the column, and its limits; undefined if not simple. */
  reads?: string;
  limits?: object;
  /** Its position in a street line. */
  street?: number;
  /** The field computed by multiplying the column. */
  of?: string;
  by?: number;
  /** The column's name in lowercase words separated by spaces; earlier patterns are better. */
  names: RegExp[];
  /** A name that rules the role out. */
  not?: RegExp;
  /** Whether the cells fit. */
  fits(column: Profile): boolean;
}

/** Reads a data file next to this one. */
export const readYaml = <Data>(name: string) =>
  parse(readFileSync(new URL(`./${name}.yaml`, import.meta.url), 'utf8')) as Data;

const texts = (column: Profile) => column.filled > 0 && column.numeric < 0.6;
/** Days since 1900, as spreadsheets store a date: 1954 to 2064. Dates written as MDDYY go beyond. */
export const isSerial = ({ whole, min, max }: Profile) => whole > 0.95 && min > 20_000 && max < 60_000;

const KINDS: Record<string, (column: Profile) => boolean> = {
  anything: (column) => column.filled > 0,
  texts,
  few: (column) => column.hasAll,
  dates: (column) => column.dated > 0.8 || isSerial(column),
  projected: (column) => column.numeric > 0.9 && Math.abs(column.median) > 1000,
  repeated: (column) => column.distinct < 0.2 || column.values.length < 50,
};
const OWNER = '\\b(own|owner|owners|mail|mailing|tax ?payer|billing|grantor|grantee|buyer|seller|contact)\\b';

/** One condition: a kind from above, `all`, or `top 5` of the values, with a pattern, `numbers 17 to 72` (the median), or a
    measure of the profile such as `distinct < 0.3`. */
function readTest(text: string): (column: Profile) => boolean {
  if (KINDS[text]) return KINDS[text];
  const [, most = Infinity, form] = /^(?:all|top (\d+)) \/(.*)\/$/.exec(text) ?? [];
  if (form !== undefined) {
    const pattern = new RegExp(form, 'is');
    return ({ values }) => values.slice(0, Number(most)).every(([value]) => pattern.test(value));
  }
  const [, low, high] = /^numbers (\S+) to (\S+)$/.exec(text) ?? [];
  if (low !== undefined)
    return ({ numeric, median }) => numeric > 0.9 && median >= Number(low) && median <= Number(high);
  const [name, sign, limit] = text.split(' ');
  const measure = ({ values, ...column }: Profile) =>
    name === 'choices' ? values.length : (column[name as keyof typeof column] as number);
  return (column) => (sign === '<' ? measure(column) < Number(limit) : measure(column) > Number(limit));
}

interface WrittenRole extends Pick<Role, 'reads' | 'limits' | 'street' | 'of' | 'by'> {
  role: string;
  fits: string;
  names: string[];
  not?: string;
}

export const ROLES = readYaml<WrittenRole[]>('roles').map(({ role, fits, names, not, ...field }): Role => {
  const tests = fits.split(/, (?![^/]*\/$)/).map(readTest);
  return {
    ...field,
    name: role,
    names: names.map((name) => new RegExp(name)),
    ...(not && { not: new RegExp(not === 'owner' ? OWNER : not) }),
    fits: (column) => tests.every((test) => test(column)),
  };
});

/** Any other column with such a name contains people's names or addresses. */
export const PERSONAL_NAME =
  /\b(own|owner|owners|ownership|mail|mailing|tax ?payer|grantor|grantee|buyer|seller|co ?owner|care of|contact|phone|email|address1|address2|addr?[12])\b/;
