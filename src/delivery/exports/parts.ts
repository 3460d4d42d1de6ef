// Writes rows to local files: parts of bounded size as NDJSON, CSV or Parquet, each with its count and SHA-256.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { csvCell } from '../../records/properties/formats.ts';
import { COLUMNS, type Column, type Dataset, type ExportRow } from './columns.ts';
import { writeParquet } from './parquet.ts';

export type FileFormat = 'parquet' | 'ndjson' | 'csv';

export interface Part {
  name: string;
  path: string;
  rows: number;
  bytes: number;
  sha256: string;
}

const PART_ROWS = 250_000;

/** Yields each part when it is complete; the caller removes it before the next one is started. */
export async function* writeParts(
  pages: AsyncIterable<ExportRow[]>,
  {
    folder,
    dataset,
    format,
    columns = COLUMNS[dataset],
    partRows = PART_ROWS,
  }: { folder: string; dataset: Dataset; columns?: readonly Column[]; format: FileFormat; partRows?: number },
): AsyncGenerator<Part> {
  const encode = format === 'csv' ? csvEncoder(columns) : ndjsonEncoder(columns);
  let open: { path: string; file: WriteStream; rows: number } | undefined;
  let count = 0;
  const begin = () => {
    const path = join(folder, `part-${String(count).padStart(5, '0')}.${format === 'csv' ? 'csv' : 'ndjson'}`);
    const file = createWriteStream(path);
    if (format === 'csv') file.write(`${columns.map(([name]) => name).join(',')}\r\n`);
    return { path, file, rows: 0 };
  };
  for await (const page of pages) {
    if (page.length === 0) continue;
    open ??= begin();
    open.rows += page.length;
    if (!open.file.write(page.map(encode).join(''))) await once(open.file, 'drain');
    if (open.rows < partRows) continue;
    yield await complete(open, columns, format, count++);
    open = undefined;
  }
  // An export without rows still produces a file with its columns.
  if (open || count === 0) yield await complete(open ?? begin(), columns, format, count);
}

async function complete(
  { path, file, rows }: { path: string; file: WriteStream; rows: number },
  columns: readonly Column[],
  format: FileFormat,
  number: number,
): Promise<Part> {
  file.end();
  await finished(file);
  const name = `part-${String(number).padStart(5, '0')}.${format}`;
  const target = format === 'parquet' ? path.replace(/\.ndjson$/, '.parquet') : path;
  if (format === 'parquet') {
    await writeParquet(columns, path, target);
    await rm(path);
  }
  return { name, path: target, rows, bytes: (await stat(target)).size, sha256: await digestOf(target) };
}

type Encode = (row: ExportRow) => string;

/** Every column in every line, so a reader can infer the schema from the first line. */
function ndjsonEncoder(all: readonly Column[]): Encode {
  const columns = all.map(([name], i) => ({ name, head: `${i === 0 ? '{' : ','}"${name}":` }));
  return (row) => {
    let line = '';
    for (const { name, head } of columns) line += head + jsonOf(row[name]);
    return `${line}}\n`;
  };
}

function jsonOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

const csvEncoder =
  (columns: readonly Column[]): Encode =>
  (row) =>
    `${columns.map(([name]) => csvCell(row[name])).join(',')}\r\n`;

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
