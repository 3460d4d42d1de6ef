// A file of any format as a table: the names of its columns and a stream of rows in batches.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { readCsv } from './csv.ts';
import { readGeoJson } from './geojson.ts';
import type { Geometry } from './geometry.ts';
import { projectionNamed } from './projection.ts';
import { readShapefile } from './shapefile.ts';
import type { FileFormat } from './source.ts';
import { readTopoJson } from './topojson.ts';
import { readXlsx } from './xlsx.ts';

export interface Row {
  line: number;
  cells: string[];
  geometry?: Geometry;
}

export interface Table {
  header: string[];
  rows: AsyncIterable<Row[]>;
}

const CHUNK_BYTES = 256 * 1024;

/** `onBytes` hears of the bytes read from disk, for progress. */
export function openTable(path: string, format: FileFormat, onBytes?: (bytes: number) => void): Promise<Table> {
  if (format.type === 'xlsx') return readXlsx(path, format);
  const project = format.projection ? projectionNamed(format.projection) : undefined;
  if (format.type === 'shapefile') return readShapefile(path, project);
  const bytes = readBytes(path, onBytes);
  if (format.type === 'geojson') return readGeoJson(bytes, project);
  if (format.type === 'topojson') return readTopoJson(bytes);
  return readCsv(bytes, format);
}

/** The bytes of a file, unpacked when its first two say gzip, whatever its name. */
export async function* readBytes(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const isGzip = await startsWithGzip(path);
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

async function startsWithGzip(path: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, { end: 1 })) {
    return (chunk as Buffer)[0] === 0x1f && (chunk as Buffer)[1] === 0x8b;
  }
  return false;
}

/** Cells of an object in the order of the header; what is no text is written as JSON would. */
export function cellsOf(properties: Record<string, unknown>, header: string[]): string[] {
  return header.map((name) => {
    const value = properties[name];
    if (value === null || value === undefined) return '';
    return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}
