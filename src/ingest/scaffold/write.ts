// Writes a recipe with comments from what was guessed about a file.
import { Document, isMap, isScalar, isSeq, visit } from 'yaml';
import { guessType, type Guesses } from './guess.ts';
import type { FileProfile, Profile } from './profile.ts';

export interface Place {
  id: string;
  name: string;
  state: string;
  fips: number;
  county: string;
}

export interface ScaffoldFile {
  /** As the recipe should name it. */
  path: string;
  url?: string;
  format: Record<string, unknown>;
  publishedOn: string;
  profile: FileProfile;
  guesses: Guesses;
}

type Fields = Record<string, unknown>;
const SQFT_PER_ACRE = 43_560;
const MOST_CODES = 80;

export function writeRecipe(place: Place, file: ScaffoldFile): string {
  const { guesses, profile } = file;
  const column = (role: string) => guesses.byRole.get(role)?.column.name;
  const aliases: Record<string, string[]> = {};
  const properties = propertyFields(guesses, profile, place, aliases);
  const records: Record<string, unknown>[] = [{ into: 'properties', fields: properties }];
  const sale = saleFields(guesses, aliases);
  if (sale) {
    const when = column('sale_date') && { only_if: { present: column('sale_date') } };
    records.push({ into: 'transactions', ...when, attributes: true, required: ['price'], fields: sale });
  }
  const assessment = assessmentFields(guesses, file.publishedOn);
  if (assessment) records.push({ into: 'assessments', fields: assessment });
  const owners = [column('owner'), column('owner2')].filter((name) => name !== undefined);
  if (owners.length > 0) {
    records.push({ into: 'owners', only_if: { present: owners[0] }, fields: { names: { names: owners } } });
  }
  const layers = ['properties', sale && 'transactions', assessment && 'assessments', owners.length > 0 && 'owners'];
  const parcel = column('parcel');
  const document = new Document({
    id: place.id,
    market: { name: place.name, state: place.state, description: place.name },
    counties: [{ fips: place.fips, name: place.county, state: place.state }],
    datasets: {
      records: {
        name: 'Properties',
        publisher: place.county,
        landing_page: file.url ?? 'https://example.com',
        license: 'Public record; check the terms of the publisher before resale.',
        cadence: 'unknown',
        published_on: file.publishedOn,
        format: file.format,
        files: [file.url ? { path: file.path, url: file.url } : file.path],
        ...(Object.keys(aliases).length > 0 && { columns: aliases }),
        ...(guesses.personal.length > 0 && { personal: guesses.personal }),
        key: {
          parcel: { text: parcel ?? column('address_line1') ?? 'FILL IN' },
          ...(column('address_unit') && unitKey(guesses)),
        },
        records,
        layers: layers.filter(Boolean),
      },
    },
  });
  comment(document, file, place);
  return document.toString({ lineWidth: 110, flowCollectionPadding: true });
}

/** Units belong to the key only where one parcel number stands for several of them. */
function unitKey(guesses: Guesses): Fields {
  const parcel = guesses.byRole.get('parcel');
  return parcel && parcel.column.distinct < 0.5
    ? { unit: { upper: guesses.byRole.get('address_unit')!.column.name } }
    : {};
}

const PLAIN: [role: string, way: string, options?: Fields][] = [
  ['address_line1', 'upper'],
  ['address_unit', 'upper'],
  ['city', 'upper'],
  ['zip', 'zip'],
  ['latitude', 'latitude'],
  ['longitude', 'longitude'],
  ['sqft', 'positive', { max: 1_000_000 }],
  ['bedrooms', 'whole', { min: 0, max: 200 }],
  ['bathrooms', 'decimal', { min: 0, max: 200 }],
  ['baths_full', 'whole', { min: 0, max: 200 }],
  ['baths_half', 'whole', { min: 0, max: 200 }],
  ['lot_sqft', 'positive'],
  ['year_built', 'year'],
  ['effective_year_built', 'year'],
  ['stories', 'decimal', { min: 0.5, max: 150 }],
  ['units', 'positive', { max: 5000 }],
  ['rooms', 'positive', { max: 500 }],
  ['garage_spaces', 'whole', { min: 0, max: 100 }],
  ['land_use_code', 'text'],
  ['land_use', 'text'],
  ['zoning', 'text'],
  ['neighborhood', 'upper'],
  ['subdivision', 'upper'],
  ['style', 'text'],
  ['quality', 'text'],
  ['condition', 'text'],
  ['exterior', 'text'],
  ['heating', 'text'],
  ['legal_description', 'text'],
];

function propertyFields(
  guesses: Guesses,
  profile: FileProfile,
  place: Place,
  aliases: Record<string, string[]>,
): Fields {
  const { byRole } = guesses;
  const fields: Fields = {};
  const column = (role: string) => byRole.get(role)?.column.name;
  for (const [role, way, options] of PLAIN) {
    const name = column(role);
    if (name !== undefined) fields[role] = { [way]: name, ...options };
  }
  const street = ['house_number', 'street_direction', 'street_name', 'street_type']
    .map(column)
    .filter((name) => name !== undefined);
  if (!fields.address_line1 && street.length > 1) fields.address_line1 = { join: street, with: ' ' };
  const address = byRole.get('address_line1')?.column;
  if (address && !fields.city && holdsCity(address)) {
    const name = celName(address.name, aliases);
    fields.address_line1 = { expression: `upper(replace(part(${name}, ",", 0), r"\\s+", " "))` };
    fields.city = { expression: `upper(part(${name}, ",", 1))` };
  }
  if (!fields.city) fields.city = { constant: place.name.split(',')[0].toUpperCase() };
  if (!fields.lot_sqft && column('lot_acres')) fields.lot_sqft = { times: column('lot_acres'), by: SQFT_PER_ACRE };
  if (!fields.latitude && profile.shapes.polygons + profile.shapes.points > 0) {
    fields.latitude = { centroid: 'latitude' };
    fields.longitude = { centroid: 'longitude' };
  }
  const { baths_full: full, baths_half: half } = fields as Record<string, Record<string, string> | undefined>;
  if (!fields.bathrooms && full && half) {
    const [whole, part] = [celName(full.whole, aliases), celName(half.whole, aliases)];
    fields.bathrooms = { expression: `nonzero(number(${whole}, 0) + number(${part}, 0) / 2)` };
  }
  fields.property_type = typeField(guesses, place.state);
  if (column('sale_date')) fields.known_on = { date: column('sale_date') };
  return fields;
}

/** `1808 FOX CHASE DR, GOODLETTSVILLE`: the street, a comma, and a name without digits. */
function holdsCity({ values }: Profile): boolean {
  const some = values.slice(0, 100);
  return some.filter(([value]) => /^[^,]+, *[A-Za-z .]{3,}$/.test(value)).length > some.length / 2;
}

const isName = (name: string) => /^[A-Za-z_]\w*$/.test(name);

/** The name of a column inside an expression; one that CEL cannot read gets a name of its own. */
function celName(name: string, aliases: Record<string, string[]>): string {
  if (isName(name)) return name;
  const alias = `c_${name.toLowerCase().replace(/[^a-z\d]+/g, '_')}`.replace(/_$/, '');
  aliases[alias] = [name];
  return alias;
}

/** Classes that states prescribe to their assessors. */
const STATE_CLASSES: { states: string[]; patterns: Record<string, string> }[] = [
  {
    states: ['MA', 'NH', 'RI', 'ME', 'VT', 'CT'],
    patterns: {
      '^101': 'single_family',
      '^102': 'condo',
      '^103': 'manufactured',
      '^(104|105|109)': 'multi_family',
      '^11[1-5]': 'apartment',
      '^13': 'land',
      '^[34]': 'commercial',
    },
  },
  {
    states: ['NY'],
    patterns: {
      '^21': 'single_family',
      '^2[23]': 'multi_family',
      '^27': 'manufactured',
      '^[13]': 'land',
      '^411': 'apartment',
      '^4': 'commercial',
    },
  },
];

function typeField({ byRole }: Guesses, state: string): Fields {
  for (const role of ['land_use', 'land_use_code']) {
    const column = byRole.get(role)?.column;
    if (!column) continue;
    const known = column.values.slice(0, MOST_CODES).map(([value]) => [value, guessType(value)] as const);
    const table = Object.fromEntries(known.filter(([, type]) => type !== undefined));
    if (Object.keys(table).length > 0) return { code: column.name, table, otherwise: 'other' };
    const classes = STATE_CLASSES.find(({ states }) => states.includes(state));
    if (classes && column.values.every(([value]) => /^\d{3,4}/.test(value)))
      return { match: column.name, patterns: classes.patterns, otherwise: 'other' };
  }
  return { constant: 'single_family' };
}

function saleFields({ byRole }: Guesses, aliases: Record<string, string[]>): Fields | undefined {
  const column = (role: string) => byRole.get(role)?.column.name;
  const [date, price, year, month] = ['sale_date', 'sale_price', 'sale_year', 'sale_month'].map(column);
  if (!price || (!date && !year)) return undefined;
  const fields: Fields = {};
  if (date) {
    fields.sale_date = { date };
    if (byRole.get('sale_date')!.column.values.some(([value]) => /^\d{4}(-\d{2})?$/.test(value)))
      fields.date_precision = { precision: date };
  } else if (month) {
    const [inYear, inMonth] = [celName(year!, aliases), celName(month, aliases)];
    fields.sale_date = { expression: `${inYear} + "-" + pad(${inMonth}, 2) + "-01"` };
    fields.date_precision = { constant: 'month' };
  } else {
    fields.sale_date = { date: year };
    fields.date_precision = { precision: year };
  }
  fields.price = { dollars: price };
  for (const role of ['document_number', 'document_type', 'book', 'page'])
    if (column(role)) fields[role] = { text: column(role) };
  const validity = byRole.get('sale_validity')?.column;
  if (validity) fields.stated_valid = { code: validity.name, table: validities(validity) };
  if (column('buyer')) fields.buyers = { names: [column('buyer')] };
  if (column('seller')) fields.sellers = { names: [column('seller')] };
  return fields;
}

/** What the publisher calls an open-market sale; the rest is not one. */
function validities({ values }: Profile): Record<string, boolean> {
  const isSale = (value: string) =>
    /^(Q|Y|YES|TRUE|V|VALID|QUALIFIED|0)$/i.test(value) ||
    (/\b(MARKET|VALID|QUALIFIED|ARMS)\b/i.test(value) && !/\b(NON|NOT|UN|INVALID|UNQUALIFIED)\b/i.test(value));
  return Object.fromEntries(values.slice(0, MOST_CODES).map(([value]) => [value, isSale(value)]));
}

function assessmentFields({ byRole }: Guesses, publishedOn: string): Fields | undefined {
  const column = (role: string) => byRole.get(role)?.column.name;
  const [land, improvements, total] = ['assessed_land', 'assessed_improvements', 'assessed_total'].map(column);
  if (!total && !(land && improvements)) return undefined;
  const year = column('assessment_year');
  return {
    year: year ? { whole: year, min: 1990, max: 2100 } : { constant: Number(publishedOn.slice(0, 4)) },
    ...(land && { land: { whole: land } }),
    ...(improvements && { improvements: { whole: improvements } }),
    ...(total && { total: { whole: total } }),
  };
}

/** Examples next to each guess, but none from columns about people. */
function comment(document: Document, { guesses, profile }: ScaffoldFile, place: Place): void {
  document.commentBefore = ` Written by \`platbook source new\` from ${profile.rows}${profile.hasMore ? ' of the' : ''} rows. Lines marked CHECK are guesses.
 Then: platbook ingest <this file> --dry-run`;
  const columns = new Map([...guesses.byRole.values()].map((guess) => [guess.column.name, guess]));
  visit(document, {
    Pair(_, pair) {
      if (!isMap(pair.value)) {
        if (isSeq(pair.value) && pair.value.items.every(isScalar)) pair.value.flow = true;
        return;
      }
      const values = pair.value.items.map((item) => item.value);
      const isSmall =
        values.length <= 4 && values.every((value) => isScalar(value) || (isSeq(value) && value.items.every(isScalar)));
      pair.value.flow = isSmall;
      const guess = values
        .map((value) => (isScalar(value) ? columns.get(String(value.value)) : undefined))
        .find(Boolean);
      if (guess && !guess.isSure) {
        const words = ` CHECK${exampleOf(guess.column, guesses.personal)}`;
        if (isSmall) pair.value.comment = words;
        else pair.value.commentBefore = words;
      }
    },
  });
  const note = (path: (string | number)[], text: string) => {
    const node = document.getIn(path, true) as { comment?: string | null } | undefined;
    if (node) node.comment = ` ${text}`;
  };
  if (place.fips < 1001) note(['counties', 0, 'fips'], 'FILL IN: the five digits of the county');
  note(['datasets', 'records', 'published_on'], 'CHECK: the day the publisher released the file');
  note(['datasets', 'records', 'license'], 'CHECK');
  if (!guesses.byRole.has('parcel')) {
    note(['datasets', 'records', 'key', 'parcel'], 'CHECK: no column looks like a parcel number');
  }
  const type = ['datasets', 'records', 'records', 0, 'fields', 'property_type'];
  if (document.hasIn([...type, 'constant'])) note(type, 'CHECK: no column says what kind of property it is');
}

function exampleOf(column: Profile, personal: string[]): string {
  if (personal.includes(column.name)) return '';
  const [first] = column.values[0] ?? [];
  return first === undefined ? '' : `: for example ${first.replace(/\s+/g, ' ').slice(0, 40)}`;
}
