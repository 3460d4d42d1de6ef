// Reads and checks the items of a batch, JSON, NDJSON or a spreadsheet; every mistake is a 400 with its location. Pure.
import { fail } from '../../base/lib/errors.ts';
import { nearestWord } from '../../base/lib/suggest.ts';
import { padZip, type PlacedItem } from './columns.ts';
import { BatchItem, MAX_METADATA } from './schema.ts';
import { refuseMoreRows } from './size.ts';

/** How a property is found, as it is stored with the item. */
export type Locator =
  | { address: string }
  | { property_id: string }
  | { apn: string; fips: string }
  | { apn: string; county: string; state: string }
  | { latitude: number; longitude: number };

export interface ReadItem {
  custom_id: string;
  input: Locator;
  metadata?: Record<string, string>;
}

const MEMBERS = Object.keys(BatchItem.properties);
const MAX_ADDRESS = 500;

export const readJson = (items: BatchItem[]): PlacedItem[] =>
  items.map((item, index) => ({ item, where: `Item ${index}` }));

export function readNdjson(body: string, check: (item: unknown) => string | undefined): PlacedItem[] {
  const items: PlacedItem[] = [];
  // Line by line, because an empty line is one byte in the body but a hundred bytes in an array.
  for (let [at, line] = [0, 1]; at < body.length; line++) {
    const end = body.indexOf('\n', at);
    const text = body.slice(at, end < 0 ? body.length : end).trim();
    at = end < 0 ? body.length : end + 1;
    if (text === '') continue;
    refuseMoreRows(items.length + 1);
    const [where, index] = [`Line ${line}`, items.length];
    const item = parseLine(text, where);
    if (item === null || typeof item !== 'object' || Array.isArray(item))
      invalid(where, 'must be a JSON object', index);
    const unknown = Object.keys(item).find((name) => !MEMBERS.includes(name));
    const near = unknown && nearestWord(unknown, MEMBERS);
    if (unknown !== undefined)
      invalid(where, `\`${unknown}\` is not a known member${near ? `; did you mean \`${near}\`?` : ''}`, index);
    const problem = check(item);
    if (problem !== undefined) invalid(where, problem, index);
    items.push({ item: item, where });
  }
  return items;
}

/** The checked items, and the names of all their metadata in the order they appear. */
export function checkItems(placed: PlacedItem[], limit: number): { items: ReadItem[]; metadataNames: string[] } {
  if (placed.length === 0) fail('invalid_request', 'A batch needs at least one item.');
  if (placed.length > limit)
    fail('batch_too_large', `Your plan allows ${limit} addresses per batch. This one has ${placed.length}.`, { limit });
  const seen = new Set<string>();
  const names = new Set<string>();
  const items = placed.map(({ item, where }, index): ReadItem => {
    const { custom_id = String(index), metadata } = item;
    if (custom_id.length > 100) invalid(where, 'custom_id has more than 100 characters', index);
    if (seen.has(custom_id)) invalid(where, `custom_id \`${custom_id}\` is used twice`, index);
    seen.add(custom_id);
    checkMetadata(metadata, where, index);
    for (const name of Object.keys(metadata ?? {})) names.add(name);
    return { custom_id, input: locatorOf(item, where, index), ...(metadata && { metadata }) };
  });
  if (names.size > MAX_METADATA.names)
    fail(
      'invalid_request',
      `The items have ${names.size} different metadata names; at most ${MAX_METADATA.names} are kept.`,
    );
  return { items, metadataNames: [...names] };
}

function checkMetadata(metadata: BatchItem['metadata'], where: string, index: number): void {
  for (const [name, value] of Object.entries(metadata ?? {})) {
    if (name === '' || name.length > MAX_METADATA.nameLength)
      invalid(where, `a metadata name has more than ${MAX_METADATA.nameLength} characters, or none`, index);
    if (value.length > MAX_METADATA.valueLength)
      invalid(where, `metadata \`${name}\` has more than ${MAX_METADATA.valueLength} characters`, index);
  }
}

/** The single locator of an item. */
export function locatorOf(item: BatchItem, where: string, index: number): Locator {
  const line = item.address?.trim() || item.street?.trim();
  const found: Locator[] = [];
  if (item.address !== undefined && item.street !== undefined)
    invalid(where, 'has both an address and a street; send one of them', index);
  if (line) found.push({ address: lineOf(item, line, where, index) });
  if (item.property_id) found.push({ property_id: item.property_id });
  if (item.apn !== undefined) found.push(parcelOf(item, where, index));
  if (item.latitude !== undefined || item.longitude !== undefined) found.push(pointOf(item, where, index));
  const [locator, another] = found;
  if (!locator || another)
    invalid(
      where,
      `needs ${another ? 'only one' : 'one'} of: an address, a street with city and state or zip, a property_id, ` +
        'an apn with fips, or a latitude and longitude',
      index,
    );
  return locator;
}

/** The parts on one line, as a person would write them. */
function lineOf({ unit, city, state, zip }: BatchItem, line: string, where: string, index: number): string {
  const padded = zip === undefined || zip.trim() === '' ? undefined : (padZip(zip) ?? zip.trim());
  const door = [line, unit?.trim()].filter(Boolean).join(' ');
  const place = [city?.trim(), [state?.trim(), padded].filter(Boolean).join(' ')];
  const text = [door, ...place].filter(Boolean).join(', ');
  if (text.length > MAX_ADDRESS) invalid(where, `the address has more than ${MAX_ADDRESS} characters`, index);
  return text;
}

function parcelOf({ apn, fips, county, state }: BatchItem, where: string, index: number): Locator {
  if (fips !== undefined && /^\d{5}$/.test(fips)) return { apn: apn!, fips };
  if (fips !== undefined) invalid(where, `\`${fips}\` is not a five-digit county FIPS code`, index);
  if (county === undefined || state === undefined)
    invalid(where, 'a parcel number needs the county: fips, or county and state', index);
  return { apn: apn!, county, state };
}

function pointOf({ latitude, longitude }: BatchItem, where: string, index: number): Locator {
  if (latitude === undefined || longitude === undefined)
    return invalid(where, 'latitude and longitude must be sent together', index);
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  // Also false for NaN.
  if (!isOnEarth) invalid(where, 'latitude and longitude must be degrees, up to ±90 and ±180', index);
  return { latitude, longitude };
}

function parseLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return fail('invalid_json', `${where} is not valid JSON.`);
  }
}

function invalid(where: string, detail: string, index: number): never {
  return fail('invalid_request', `${where}: ${detail}.`, {
    errors: [{ pointer: `/body/items/${index}`, code: 'invalid', detail: `${where}: ${detail}` }],
  });
}
