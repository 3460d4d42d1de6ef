// Parses a submitted body: JSON, NDJSON or a spreadsheet. Runs on a thread, because a file of 16 MB takes seconds.
import type { Static } from 'typebox';
import { refuseShape } from '../../base/http/errors.ts';
import { readerOfBodies, refuseNul } from '../../base/http/validation.ts';
import { fail } from '../../base/lib/errors.ts';
import { readWords } from '../../records/properties/parameters.ts';
import { readRows, type PlacedItem } from './columns.ts';
import { checkItems, readJson, readNdjson, type ReadItem } from './input.ts';
import { BatchItem, NDJSON_TYPES, NewBatch, PARTS, type Part } from './schema.ts';
import { refuseMoreParts } from './size.ts';
import { readTable } from './table.ts';

interface Terms {
  /** The content type. */
  type: string;
  /** From the query; a JSON body has its own. */
  include: string | undefined;
  /** How many items the plan allows. */
  limit: number;
}

export interface Submission {
  items: ReadItem[];
  metadataNames: string[];
  include: Part[];
}

const [OPEN_BRACE, OPEN_BRACKET] = [0x7b, 0x5b];

const ajv = readerOfBodies();
const isBatch = ajv.compile<Static<typeof NewBatch>>(NewBatch);
const isItem = ajv.compile<BatchItem>(BatchItem);

export async function readSubmission(bytes: Buffer, { type, include, limit }: Terms): Promise<Submission> {
  if (type === 'application/json') {
    const body = readJsonBody(bytes);
    if (include !== undefined) fail('unknown_parameter', 'With a JSON body, send `include` in the body.');
    return { ...checkItems(readJson(body.items), limit), include: body.include ?? ['property'] };
  }
  const isNdjson = NDJSON_TYPES.includes(type);
  if (isNdjson) refuseMoreParts(countParts(bytes), 'objects and lists');
  const items: PlacedItem[] = isNdjson
    ? readNdjson(bytes.toString(), describeMistake)
    : readRows(await readTable(bytes));
  return {
    ...checkItems(items, limit),
    include: include === undefined ? ['property'] : readWords('include', include, PARTS),
  };
}

function readJsonBody(bytes: Buffer): Static<typeof NewBatch> {
  let body: unknown;
  refuseMoreParts(countParts(bytes), 'objects and lists');
  try {
    body = JSON.parse(bytes.toString());
  } catch {
    return fail('invalid_json', 'The body must be valid JSON (UTF-8, no NaN or Infinity, not empty).');
  }
  refuseNul(body);
  if (isBatch(body)) return body;
  throw refuseShape((isBatch.errors ?? []) as Parameters<typeof refuseShape>[0], 'body', body, NewBatch);
}

/** Counts braces and brackets before allocating memory for their contents. */
function countParts(bytes: Buffer): number {
  let parts = 0;
  for (const byte of bytes) if (byte === OPEN_BRACE || byte === OPEN_BRACKET) parts++;
  return parts;
}

function describeMistake(item: unknown): string | undefined {
  if (isItem(item)) return undefined;
  const [problem] = isItem.errors ?? [];
  return `${problem?.instancePath.slice(1) ?? ''} ${problem?.message ?? 'is not valid'}`.trim();
}
