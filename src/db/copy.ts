// Bulk writes: COPY from an async stream of rows, with backpressure, in PostgreSQL's text format.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
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

export function encodeRow(row: CopyValue[]): string {
  return `${row.map(encodeValue).join('\t')}\n`;
}

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

function encodeArray(items: string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

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
