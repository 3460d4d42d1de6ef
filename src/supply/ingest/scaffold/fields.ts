// Recipe fields of a property, its sales and its assessments, from the guessed roles of a file's columns.
import type { AddressFacts } from '../../examination/subject.ts';
import { guessType, isInThousands, type Guesses } from './guess.ts';
import { isSerial, readYaml, ROLES } from './roles.ts';
import type { FileProfile, Profile } from './profile.ts';
import { entryOf, must } from '../../../base/lib/must.ts';

export type Fields = Record<string, unknown>;

export interface Guessed {
  guesses: Guesses;
  profile: FileProfile;
  state: string;
  publishedOn: string;
  addresses?: AddressFacts;
  /** Aliases for columns that an expression cannot name; extended here. */
  aliases: Record<string, string[]>;
}

const MOST_CODES = 80;
const STREET_PARTS = ROLES.filter(({ street }) => street).toSorted((a, b) => a.street! - b.street!);
/** A `City of Madison` gets its mail in Madison, and so does the town around it. */
const FORM_OF_PLACE = /^(?:CITY|TOWN|TOWNSHIP|VILLAGE|BOROUGH) OF |, (?:CITY|TOWN|VILLAGE)$/i;

/** Fields of the file's properties; empty for a list of sales. */
export function propertyFields(guessed: Guessed): Fields {
  const { guesses, profile, publishedOn, aliases } = guessed;
  const { byRole } = guesses;
  const fields: Fields = {};
  const column = (role: string) => byRole.get(role)?.column.name;
  const cel = (role: string) => column(role) && celName(column(role)!, aliases);
  for (const { name: role, reads, limits } of ROLES) {
    const name = column(role);
    if (reads && name !== undefined) fields[role] = { [reads]: name, ...limits };
  }
  const city = byRole.get('city')?.column;
  if (city?.values.some(([value]) => FORM_OF_PLACE.test(value)))
    fields.city = { expression: `replace(upper(${celName(city.name, aliases)}), r"${FORM_OF_PLACE.source}", "")` };
  const street = STREET_PARTS.map(({ name }) => column(name)).filter((name) => name !== undefined);
  if (!fields.address_line1 && column('street_name') && street.length > 1)
    fields.address_line1 = { join: street, with: ' ' };
  const address = byRole.get('address_line1')?.column;
  if (address) Object.assign(fields, runOnParts(address, guessed, fields));
  if (address) Object.assign(fields, addressParts(address, aliases, fields));
  if (!fields.lot_sqft && column('lot_dimensions')) {
    const sides = `lower(${cel('lot_dimensions')})`;
    const side = (at: number) => `number(part(${sides}, "x", ${at}), 0)`;
    fields.lot_sqft = { expression: `nonzero(round(${side(0)} * ${side(1)}))` };
  }
  for (const { name, of: field, by } of ROLES)
    if (field && !fields[field] && column(name)) fields[field] = { times: column(name), by };
  const hasPoint = byRole.has('point') || (byRole.has('x') && byRole.has('y'));
  if (!fields.latitude && (hasPoint || profile.shapes.polygons + profile.shapes.points > 0)) {
    fields.latitude = { centroid: 'latitude' };
    fields.longitude = { centroid: 'longitude' };
  }
  const [full, half] = ['baths_full', 'baths_half'].map(cel);
  const bathrooms = (whole: string, part: string) => ({
    expression: `nonzero(number(${whole}, 0) + number(${part}, 0) / 2)`,
  });
  if (!fields.bathrooms && full && half) fields.bathrooms = bathrooms(full, half);
  if (!fields.bathrooms && column('baths_full_and_half')) {
    const [whole, part] = ['^\\d+', '(\\d+)\\D*$'].map((form) => `extract(${cel('baths_full_and_half')}, r"${form}")`);
    fields.baths_full = { expression: `number(${whole})` };
    fields.baths_half = { expression: `number(${part})` };
    fields.bathrooms = bathrooms(whole, part);
  }
  if (!fields.year_built && column('age')) {
    const age = `number(${cel('age')})`;
    fields.year_built = { expression: `${age} == null ? nothing : ${publishedOn.slice(0, 4)} - ${age}` };
  }
  return fields;
}

/** `1808 FOX CHASE DR, GOODLETTSVILLE`, `12 Elm St, Almo, KY 42020` and `12 Elm St, Almo KY 42020`: the street and what
    follows its comma. */
function addressParts({ name: column, values }: Profile, aliases: Record<string, string[]>, known: Fields): Fields {
  const some = values.slice(0, 100);
  const isMostly = (pattern: RegExp) => some.filter(([value]) => pattern.test(value)).length > some.length / 2;
  const isWhole = isMostly(/^[^,]+, *[A-Za-z .'-]{3,}, *[A-Z]{2}\b[ \d-]*$/);
  const isJoined = isMostly(/^[^,]+, *[A-Za-z .'-]{3,} [A-Z]{2} +\d{5}[\d-]*$/);
  // Without a city of its own, what follows a comma may be the city; next to one it may be the unit.
  if (!isWhole && !isJoined && (known.city || !isMostly(/^[^,]+, *[A-Za-z .]{3,}$/))) return {};
  const name = celName(column, aliases);
  const place = `part(${name}, ",", 1)`;
  return {
    address_line1: { expression: `upper(replace(part(${name}, ",", 0), r"\\s+", " "))` },
    city: known.city ?? { expression: `upper(${isJoined ? `replace(${place}, r" +[A-Z]{2} +[\\d-]+$", "")` : place})` },
    ...(isMostly(/ \d{5}[\d-]*$/) && { zip: known.zip ?? { expression: `extract(${name}, r" (\\d{5})[\\d-]*$")` } }),
  };
}

/** `12 ELM ST ALMO KY 42020`, where only the ZIP code's postal city names reveal where the street ends. */
function runOnParts({ name: column, values }: Profile, { aliases, addresses }: Guessed, known: Fields): Fields {
  const cities = values.flatMap(([value]) => {
    const [, line = '', zip = ''] = /^([^,]+),? +[A-Z]{2},? +(\d{5})[\d-]*$/i.exec(value) ?? [];
    const ends = [3, 2, 1].map((count) => line.toUpperCase().split(/ +/).slice(-count).join(' '));
    return ends.find((end) => /^[A-Z .'-]+$/.test(end) && addresses?.isCityOfZip(end, zip)) ?? [];
  });
  if (cities.length <= values.length / 2) return {};
  const name = `upper(${celName(column, aliases)})`;
  const end = ` (${[...new Set(cities)].join('|')})[ ,]+[A-Z][A-Z][ ,]+[\\d-]+$`;
  return {
    address_line1: { expression: `replace(${name}, r"${end}", "")` },
    city: known.city ?? { expression: `extract(${name}, r"${end}")` },
    zip: known.zip ?? { expression: `extract(${name}, r" (\\d{5})[\\d-]*$")` },
  };
}

const isName = (name: string) => /^[A-Za-z_]\w*$/.test(name);

/** The name of a column inside an expression; one that CEL cannot read gets a name of its own. */
function celName(name: string, aliases: Record<string, string[]>): string {
  if (isName(name)) return name;
  const alias = `c_${name.toLowerCase().replace(/[^a-z\d]+/g, '_')}`.replace(/_$/, '');
  aliases[alias] = [name];
  return alias;
}

/** Replaces a missing parcel number: an address identifies a home only with a house number. */
export function keyWithoutNumber({ guesses: { byRole }, aliases }: Guessed): Fields {
  const columns = (...roles: string[]) => roles.flatMap((role) => byRole.get(role)?.column.name ?? []);
  if (byRole.has('block') && byRole.has('lot')) return { join: columns('block', 'lot'), with: '-' };
  if (!byRole.has('address_line1')) return { text: 'FILL IN' };
  const names = columns('address_line1', 'city').map((name) => celName(name, aliases));
  return { expression: `extract(upper(${names.join(' + ", " + ')}), r"^\\d.*")` };
}

/** Classes that a state prescribes to its assessors. */
const STATE_CLASSES = readYaml<{ states: string[]; form: string; patterns: Record<string, string> }[]>('state-classes');

/** A few local codes do not invalidate the rest. */
function hasForm({ values }: Profile, form: string): boolean {
  const pattern = new RegExp(form);
  const count = (list: Profile['values']) => list.reduce((sum, [, rows]) => sum + rows, 0);
  return count(values.filter(([value]) => pattern.test(value))) > 0.9 * count(values);
}

/** Undefined if no column has the type. */
export function typeField({ guesses: { byRole }, state }: Guessed): Fields | undefined {
  for (const role of ['land_use', 'land_use_code']) {
    const column = byRole.get(role)?.column;
    if (!column) continue;
    const known = column.values.slice(0, MOST_CODES).map(([value]) => [value, guessType(value)] as const);
    const table = Object.fromEntries(known.filter(([, type]) => type !== undefined));
    if (Object.keys(table).length > 0) return { code: column.name, table, otherwise: 'other' };
    const classes = STATE_CLASSES.find(({ states, form }) => states.includes(state) && hasForm(column, form));
    if (classes) return { match: column.name, patterns: classes.patterns, otherwise: 'other' };
  }
  return undefined;
}

/** Publishers write January 1 of a distant year as a sentinel for an unknown date. */
const NO_DATE = /(^|[/ ])(1[0-8]\d\d|190[01])\b/;

/** Tests for a sale date; a year or month of 0 is null. */
export function hasSaleDate({ guesses: { byRole }, aliases }: Guessed): Fields | undefined {
  const column = byRole.get('sale_date')?.column;
  if (!column) {
    const part = (byRole.get('sale_year') ?? byRole.get('sale_month'))?.column;
    return part && part.min <= 0 ? { expression: `number(${celName(part.name, aliases)}, 0) > 0` } : undefined;
  }
  const stands = column.values.filter(([value, count]) => count > 1 && NO_DATE.test(value)).map(([value]) => value);
  if (stands.length === 0) return { present: column.name };
  const name = celName(column.name, aliases);
  return { expression: ['', ...stands].map((value) => `${name} != ${JSON.stringify(value)}`).join(' && ') };
}

export function dateField(column: Profile, aliases: Record<string, string[]>): Fields {
  if (!isSerial(column)) return { date: column.name };
  const days = `number(${celName(column.name, aliases)})`;
  return { expression: `${days} == null ? nothing : day_of_milliseconds((${days} - 25569) * 86400000)` };
}

/** Sales before the last one, in separate columns. */
export const earlierSales = ({ guesses: { byRole }, aliases }: Guessed): { only_if: Fields; fields: Fields }[] =>
  [2, 3].flatMap((n) => {
    const [date, price] = [byRole.get(`sale_date_${n}`)?.column, byRole.get(`sale_price_${n}`)?.column];
    if (!date || !price) return [];
    const fields = { sale_date: dateField(date, aliases), price: { dollars: price.name } };
    return [{ only_if: { present: date.name }, fields }];
  });

export function saleFields({ guesses: { byRole }, publishedOn, aliases }: Guessed): Fields | undefined {
  const column = (role: string) => byRole.get(role)?.column.name;
  const [date, price, year, month] = ['sale_date', 'sale_price', 'sale_year', 'sale_month'].map(column);
  if (!price || (!date && !year && !month)) return undefined;
  const fields: Fields = {};
  if (date) fields.sale_date = dateField(entryOf(byRole, 'sale_date').column, aliases);
  else if (month) {
    const inYear = year ? celName(year, aliases) : `"${publishedOn.slice(0, 4)}"`;
    fields.sale_date = { expression: `${inYear} + "-" + pad(${celName(month, aliases)}, 2) + "-01"` };
    fields.date_precision = { constant: 'month' };
  } else fields.sale_date = { date: year };
  fields.price = amountField(must(price, 'column'));
  // A book without a page refers to an assessor's map.
  const filed = column('book') && column('page') ? ['book', 'page'] : [];
  for (const role of ['document_number', 'document_type', ...filed])
    if (column(role)) fields[role] = { text: column(role) };
  const validity = byRole.get('sale_validity')?.column;
  const distress = byRole.get('sale_distress')?.column;
  if (validity) fields.stated_valid = { code: validity.name, table: validities(validity) };
  else if (distress) fields.stated_valid = codesOf(distress, /^(Y|YES|TRUE|T|1)$/i, false);
  const several = byRole.get('sale_several_parcels')?.column;
  if (several) fields.several_parcels = codesOf(several, /^(?!(N|NO|FALSE|F|0|1|S|SINGLE)$)/i, true);
  if (column('buyer')) fields.buyers = { names: [column('buyer')] };
  if (column('seller')) fields.sellers = { names: [column('seller')] };
  return fields;
}

const amountField = (column: string, way = 'dollars'): Fields =>
  isInThousands(column) ? { times: column, by: 1000 } : { [way]: column };

const codesOf = ({ name: code, values }: Profile, pattern: RegExp, means: boolean): Fields => {
  const meant = values.filter(([value]) => pattern.test(value));
  return { code, table: Object.fromEntries(meant.map(([value]) => [value, means])) };
};

/** The publisher's codes for open-market sales; every other code is not one. */
function validities({ values }: Profile): Record<string, boolean> {
  const isSale = (value: string) =>
    /^(Q|Y|YES|TRUE|V|VALID|QUALIFIED|A|0|0[12])$/i.test(value) ||
    (/\b(MARKET|VALID|QUALIFIED|ARMS)\b/i.test(value) && !/\b(NON|NOT|UN|INVALID|UNQUALIFIED)\b/i.test(value));
  return Object.fromEntries(values.slice(0, MOST_CODES).map(([value]) => [value, isSale(value)]));
}

export function assessmentFields({ guesses: { byRole }, publishedOn }: Guessed): Fields | undefined {
  const column = (role: string) => byRole.get(role)?.column.name;
  const [land, improvements, total] = ['assessed_land', 'assessed_improvements', 'assessed_total'].map(column);
  if (!total && !(land && improvements)) return undefined;
  const year = column('assessment_year');
  return {
    year: year ? { whole: year, min: 1990, max: 2100 } : { constant: Number(publishedOn.slice(0, 4)) },
    ...(land && { land: amountField(land, 'whole') }),
    ...(improvements && { improvements: amountField(improvements, 'whole') }),
    ...(total && { total: amountField(total, 'whole') }),
  };
}
