// Bulk writes: COPY from an async stream of rows, with backpressure, in PostgreSQL's text format. Bulk reads of bytes, in
// its binary format.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Client } from './postgres.ts';

export type CopyValue = string | number | boolean | null | undefined | Date | string[] | object;

const CHUNK_BYTES = 64 * 1024;

/** Copies rows into a table and returns how many were sent. */
export async function copyRows(
  client: Client,
  table: string,
  columns: readonly string[],
  rows: Iterable<CopyValue[]> | AsyncIterable<CopyValue[]>,
): Promise<number> {
  let count = 0;
  async function* chunks() {
    let chunk = '';
    for await (const row of rows) {
      count++;
      chunk += encodeRow(row);
      if (chunk.length >= CHUNK_BYTES) {
        yield chunk;
        chunk = '';
      }
    }
    if (chunk) yield chunk;
  }
  await copyText(client, table, columns, chunks());
  return count;
}

/** Copies rows by name; the members of the first row are the columns. */
export const copyObjects = (client: Client, table: string, rows: readonly object[]): Promise<number> => {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => columns.map((name) => (row as Record<string, CopyValue>)[name]));
  return values.length === 0 ? Promise.resolve(0) : copyRows(client, table, columns, values);
};

/** Copies rows that `encodeRow` has already turned into text. */
export async function copyText(
  client: Client,
  table: string,
  columns: readonly string[],
  chunks: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(chunks, { objectMode: true, highWaterMark: 4 }), stream);
}

export const encodeRow = (row: CopyValue[]): string => `${row.map(encodeValue).join('\t')}\n`;

function encodeValue(value: CopyValue): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string') return escape(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return escape(encodeArray(value as string[]));
  return escape(JSON.stringify(value));
}

const encodeArray = (items: string[]): string =>
  `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

const SPECIAL = /[\\\n\r\t\0]/;

function escape(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text
    .replace(/\0/g, '')
    .replace(/\\/g, '\\\\')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t');
}

/** The signature and two empty fields. Each value is preceded by the column count and its length. */
const BINARY_HEAD = 19;
const VALUE_HEAD = 6;

/** The single non-null bytes column of a query. As text it would take twice as long on either side. */
export async function* copyBytes(client: Client, query: string): AsyncGenerator<Buffer> {
  const stream = client.query(copyTo(`copy (${query}) to stdout (format binary)`));
  let [waiting, size, skip, want]: [Buffer[], number, number, number | undefined] = [[], 0, BINARY_HEAD, undefined];
  for await (const arrived of stream as AsyncIterable<Buffer>) {
    waiting.push(arrived);
    size += arrived.length;
    for (;;) {
      if (size < skip + (want ?? VALUE_HEAD)) break;
      const bytes = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
      if (want === undefined) {
        want = bytes.readInt32BE(skip + 2);
        skip += VALUE_HEAD;
        waiting = [bytes];
        continue;
      }
      yield bytes.subarray(skip, skip + want);
      waiting = [bytes.subarray(skip + want)];
      size -= skip + want;
      [skip, want] = [0, undefined];
    }
  }
}
