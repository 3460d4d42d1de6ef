// Maps spreadsheet columns by name and turns rows into items. Other columns are kept and returned with the result.
// Pure.
import { isPropertyId } from '../../base/lib/ids.ts';
import NAMES from './headings.json' with { type: 'json' };
import { PROVIDERS, type Provider } from './providers.ts';
import type { BatchItem } from './schema.ts';
import { MAX_CELLS, refuse } from './size.ts';
import type { TableRow } from './table.ts';

/** Headers match in any case, with or without spaces, underscores, dashes and dots. */
type Field = keyof typeof NAMES;

const FIELD_OF = new Map<string, Field>(
  Object.entries(NAMES).flatMap(([field, names]) => names.map((name) => [name, field as Field])),
);
/** Ambiguous names, ignored if a clearer one is present: projected x and y next to latitude and longitude. */
const VAGUE = new Set(['x', 'y', 'reference', 'situs', 'pin', 'long']);
const COLUMN_NAMES = Object.keys(NAMES);

type Meanings = ReadonlyMap<string, Field | undefined>;

/** A provider's names, as full paths (`address.line1`) and by their last part (`line1`). Only locators are mapped. */
function meaningsOf({ record }: Provider): Meanings {
  const named = record.map(({ theirs, locates }) => [theirs, locates as Field | undefined] as const);
  const ends = named.map(([theirs, field]) => [theirs.slice(theirs.lastIndexOf('.') + 1), field] as const);
  return new Map([...ends, ...named].map(([name, field]) => [plain(name), field]));
}

const SHOWN_NAMES = 20;

export interface PlacedItem {
  item: BatchItem;
  /** Its position, for error messages. */
  where: string;
}

type Row = Partial<Record<Field, string>>;

interface Column {
  name: string;
  field: Field | 'id' | undefined;
}

const plain = (name: string) => name.toLowerCase().replace(/[\s_\-./#]+/g, '');

/** If a name is unique to one provider, that provider's meanings apply to the others too: ATTOM's `line2` is not a
    unit. */
function meaningsIn(names: string[]): Meanings {
  const isOnlyIn = (meanings: Meanings) => (name: string) =>
    meanings.get(plain(name)) !== undefined && !FIELD_OF.has(plain(name));
  const theirs = Object.values(PROVIDERS)
    .map(meaningsOf)
    .find((meanings) => names.some(isOnlyIn(meanings)));
  return theirs ? new Map([...FIELD_OF, ...theirs]) : FIELD_OF;
}

/**
 * The first row names the columns if any of its cells is a name we know. Otherwise, if it has a digit, there is no
 * header, and each row is one address or property id, however many cells it is in.
 */
export function readRows(rows: TableRow[]): PlacedItem[] {
  const [first, ...others] = rows;
  if (!first) return [];
  const meanings = meaningsIn(first.cells);
  if (first.cells.some((cell) => meanings.get(plain(cell)) || plain(cell) === 'id'))
    return readNamed(first, others, meanings);
  if (first.cells.some((cell) => /\d/.test(cell))) return rows.map(readUnnamed);
  const names = first.cells.slice(0, SHOWN_NAMES).map((cell) => `\`${cell.trim().slice(0, 100)}\``);
  return refuse(
    `None of the columns ${names.join(', ')}${first.cells.length > SHOWN_NAMES ? ' …' : ''} has a name we know. ` +
      `Name them after what they hold: ${COLUMN_NAMES.join(', ')}.`,
    first.line,
  );
}

function readUnnamed({ line, cells }: TableRow): PlacedItem {
  const parts = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const [only] = parts;
  const zip = parts.length > 2 ? padZip(parts[parts.length - 1]) : undefined;
  const text = (zip ? [...parts.slice(0, -1), zip] : parts).join(', ');
  const isId = parts.length === 1 && isReference(only);
  return { item: isId ? { property_id: only } : { address: text }, where: `Line ${line}` };
}

function readNamed(header: TableRow, rows: TableRow[], meanings: Meanings): PlacedItem[] {
  const columns = readHeader(header, meanings);
  // A short row under a long header takes few bytes in the file but as many cells here as the header.
  if (columns.length * rows.length > MAX_CELLS)
    refuse(`${columns.length} columns and ${rows.length} rows are more than 5 million cells. Send fewer of either.`);
  const idColumn = columns.findIndex(({ field }) => field === 'id');
  if (idColumn >= 0) columns[idColumn].field = fieldOfIds(columns, rows, idColumn);
  return rows.map(({ line, cells }) => {
    const surplus = cells.slice(columns.length).filter((cell) => cell.trim() !== '');
    if (surplus.length > 0)
      refuse(
        `The row has ${cells.length} cells and the header ${columns.length}. Put quotes around a cell with a separator in it.`,
        line,
      );
    return { item: itemOf(columns, cells), where: `Line ${line}` };
  });
}

function readHeader({ line, cells }: TableRow, meanings: Meanings): Column[] {
  const names = cells.map((cell) => cell.trim());
  while (names.at(-1) === '') names.pop();
  const fieldOf = (name: string) => (plain(name) === 'id' ? 'id' : meanings.get(plain(name)));
  const columns = names.map((name): Column => ({ name, field: fieldOf(name) }));
  const seen = new Set<string>();
  const byField = new Map<Column['field'], Column>();
  for (const column of columns) {
    const { name, field } = column;
    if (name !== '' && seen.has(plain(name))) refuse(`Two columns are named \`${name}\`.`, line);
    seen.add(plain(name));
    if (field === undefined) continue;
    const rival = byField.get(field);
    const vague = rival && [column, rival].find((each) => VAGUE.has(plain(each.name)));
    if (rival && !vague) refuse(`\`${rival.name}\` and \`${name}\` both mean ${field}. Leave one out.`, line);
    if (vague) vague.field = undefined;
    if (vague !== column) byField.set(field, column);
  }
  return columns;
}

/** A column named `id` holds our ids if all values look like them, and the customer's own otherwise. */
function fieldOfIds(columns: Column[], rows: TableRow[], at: number): Field | undefined {
  const has = (field: Field) => columns.some((column) => column.field === field);
  const ids = rows.map(({ cells }) => cells[at]?.trim() ?? '').filter((id) => id !== '');
  const wanted = ids.length > 0 && ids.every(isReference) ? 'property_id' : 'custom_id';
  return has(wanted) ? undefined : wanted;
}

const isReference = (text: string) => isPropertyId(text) || /^\d{5}:\S/.test(text);

/** The row's most precise locator finds the property; the rest is metadata. */
function itemOf(columns: Column[], cells: string[]): BatchItem {
  const row: Row = {};
  for (const [at, { field }] of columns.entries()) {
    const value = cells[at]?.trim() ?? '';
    if (field && field !== 'id' && value !== '') row[field] = value;
  }
  const { item, used } = locatorOf(row);
  const metadata = Object.fromEntries(
    columns.flatMap(({ name, field }, at): [string, string][] =>
      name === '' || (field && (used as string[]).includes(field)) ? [] : [[name, cells[at]?.trim() ?? '']],
    ),
  );
  return {
    ...(row.custom_id !== undefined && { custom_id: row.custom_id }),
    ...item,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

function locatorOf(row: Row): { item: BatchItem; used: Field[] } {
  const { property_id, apn, fips, county, state, address, street, unit, city, zip, latitude, longitude } = row;
  const own: Field[] = ['custom_id'];
  if (property_id) return { item: { property_id }, used: [...own, 'property_id'] };
  if (apn && fips) return { item: { apn, fips: fips.padStart(5, '0') }, used: [...own, 'apn', 'fips'] };
  if (apn && county && state) return { item: { apn, county, state }, used: [...own, 'apn', 'county', 'state'] };
  const parts = { unit, city, state, zip };
  if (address && street) return { item: { address }, used: [...own, 'address'] };
  if (address || street) {
    const given = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
    const line = address ? { address } : { street };
    return { item: { ...line, ...given }, used: [...own, 'address', 'street', 'unit', 'city', 'state', 'zip'] };
  }
  if (latitude && longitude) {
    const item = { latitude: Number(latitude), longitude: Number(longitude) };
    return { item, used: [...own, 'latitude', 'longitude'] };
  }
  return { item: { ...(apn && { apn }) }, used: own };
}

/** Spreadsheets treat ZIP codes as numbers: 02139 becomes 2139, and 00501 becomes 501. */
export function padZip(zip: string): string | undefined {
  const [, five, four] = /^(\d{3,5})(?:-(\d{4}))?$/.exec(zip.trim()) ?? [];
  if (five === undefined) return undefined;
  return five.padStart(5, '0') + (four ? `-${four}` : '');
}
