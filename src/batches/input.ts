// Reads and checks the items of a batch from JSON, NDJSON or CSV; every mistake is a 400 that names the line. Pure.
import { fail } from '../lib/errors.ts';
import { readCsv } from './csv.ts';
import type { BatchItem } from './schema.ts';

export interface ReadItem {
  custom_id: string;
  input: { address?: string; property_id?: string };
}

const COLUMNS = ['custom_id', 'address', 'property_id', 'unit', 'city', 'state', 'zip'];

export function readNdjson(body: string): BatchItem[] {
  return body
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), index }))
    .filter(({ line }) => line !== '')
    .map(({ line, index }) => {
      const value = parseLine(line, index);
      if (value === null || typeof value !== 'object' || Array.isArray(value))
        invalid(index, 'must be a JSON object', `/body/${index}`);
      const item = value as Record<string, unknown>;
      for (const [name, member] of Object.entries(item)) {
        if (!['custom_id', 'address', 'property_id'].includes(name))
          invalid(index, `\`${name}\` is not a known member`, `/body/${index}/${name}`);
        if (typeof member !== 'string' || member === '' || member.length > 500)
          invalid(index, `\`${name}\` must be a string of 1 to 500 characters`, `/body/${index}/${name}`);
      }
      return item as BatchItem;
    });
}

/** `address` may be one column or be split into address, unit, city, state and zip. */
export function readCsvItems(body: string): BatchItem[] {
  const [header = [], ...rows] = readCsv(body);
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes('address') && !names.includes('property_id'))
    fail('invalid_request', `The first line of a CSV must name its columns. Allowed: ${COLUMNS.join(', ')}.`);
  const unknown = names.find((name) => !COLUMNS.includes(name));
  if (unknown !== undefined)
    fail('unknown_parameter', `The column \`${unknown}\` is not one of ${COLUMNS.join(', ')}.`);
  return rows.map((cells) => {
    const of = (name: string) => cells[names.indexOf(name)]?.trim() ?? '';
    const street = [of('address'), of('unit')].filter(Boolean).join(' ');
    const place = [of('city'), [of('state'), of('zip')].filter(Boolean).join(' ')].filter(Boolean);
    const address = [street, ...place].filter(Boolean).join(', ');
    return {
      ...(of('custom_id') && { custom_id: of('custom_id') }),
      ...(of('property_id') ? { property_id: of('property_id') } : { address }),
    };
  });
}

export function checkItems(items: BatchItem[], limit: number): ReadItem[] {
  if (items.length === 0) fail('invalid_request', 'A batch needs at least one item.');
  if (items.length > limit)
    fail('batch_too_large', `Your plan allows ${limit} addresses per batch. This one has ${items.length}.`, { limit });
  const seen = new Set<string>();
  return items.map((item, index) => {
    const { custom_id = String(index), address, property_id } = item;
    if (seen.has(custom_id))
      invalid(index, `custom_id \`${custom_id}\` is used twice`, `/body/items/${index}/custom_id`);
    seen.add(custom_id);
    if ((address === undefined || address.trim() === '') === (property_id === undefined))
      invalid(index, 'needs either an address or a property_id', `/body/items/${index}`);
    if (custom_id.length > 100) invalid(index, 'custom_id has more than 100 characters', `/body/items/${index}`);
    return { custom_id, input: property_id === undefined ? { address } : { property_id } };
  });
}

function parseLine(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return fail('invalid_json', `Line ${index + 1} is not valid JSON.`);
  }
}

function invalid(index: number, detail: string, pointer: string): never {
  return fail('invalid_request', `Item ${index}: ${detail}.`, { errors: [{ pointer, code: 'invalid', detail }] });
}
