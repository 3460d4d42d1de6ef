// The row type of all readers, and reading bytes from disk.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import type { Geometry } from './geometry.ts';

export interface Row {
  line: number;
  cells: string[];
  geometry?: Geometry;
}

export interface Table {
  header: string[];
  rows: AsyncIterable<Row[]>;
  /** The projection stated by the file; rows are in degrees either way. */
  projection?: string;
  /** Whether rows have shapes, if known before the first row. */
  hasShapes?: boolean;
}

/** Batches the rows of row-by-row readers. */
export async function* inBatches(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const BATCH = 500;

/** Small, because no data is sent to PostgreSQL while a chunk is being mapped. */
const CHUNK_BYTES = 64 * 1024;

/** The bytes of a file, decompressed if its first two bytes indicate gzip, whatever its name. */
export async function* readBytes(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const isGzip = await startsWith(path, '\u001f\u008b');
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  let counted = 0;
  const stream = isGzip ? file.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : file;
  file.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of stream) {
      onBytes?.(file.bytesRead - counted);
      counted = file.bytesRead;
      yield chunk as Buffer;
    }
  } finally {
    file.destroy();
  }
}

/** Compares the first two bytes as Latin-1. */
export async function startsWith(path: string, bytes: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, { end: 1 })) return (chunk as Buffer).toString('latin1') === bytes;
  return false;
}

/** The cells of an object in header order; anything that is not text is written as JSON. */
export const cellsOf = (properties: Record<string, unknown>, header: string[]): string[] =>
  header.map((name) => {
    const value = properties[name];
    if (value === null || value === undefined) return '';
    return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
