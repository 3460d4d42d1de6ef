// Opens a file of any format as a table: its column names and a stream of rows in batches.
import { basename } from 'node:path';
import { CommandError } from '../../../base/lib/command-error.ts';
import { readCsv } from './csv.ts';
import { readDbf } from './dbf.ts';
import { readFixedWidth } from './fixed-width.ts';
import { readGeodatabase } from './gdal.ts';
import { readGeoJson } from './geojson.ts';
import { readGeoPackage } from './geopackage.ts';
import { readJsonRows } from './json-rows.ts';
import { findZippedFeatures, findZippedTable, refuseOtherKind } from './kind.ts';
import { readParquet } from './parquet.ts';
import { withPoints } from './points.ts';
import { readBytes, type Row, type Table } from './rows.ts';
import { projectionNamed } from '../../../base/lib/projection.ts';
import { readShapefile } from './shapefile.ts';
import type { FileFormat } from '../source.ts';
import { readTopoJson } from './topojson.ts';
import { readWorkbook } from './xlsx.ts';
import { readZipMember } from '../../../base/lib/zip-file.ts';

/** `onBytes` receives the number of bytes read from disk, for progress. */
export async function openTable(path: string, format: FileFormat, onBytes?: (bytes: number) => void): Promise<Table> {
  try {
    const table = withPoints(await open(path, format, onBytes), format);
    return { ...table, header: distinct(table.header), rows: readNamed(table, path) };
  } catch (error) {
    throw unreadable(error, path);
  }
}

/** A duplicate name gets a number, `ADDRESS (2)`: the first is usually the property's, the second its owner's. */
function distinct(header: string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((name) => {
    const times = (seen.get(name.toLowerCase()) ?? 0) + 1;
    seen.set(name.toLowerCase(), times);
    return times === 1 || name === '' ? name : `${name} (${times})`;
  });
}

/** Concatenated files and paginated reports repeat their header row. */
async function* readNamed({ header, rows }: Table, path: string): AsyncGenerator<Row[]> {
  const repeatsHeader = ({ cells }: Row) => cells[0] === header[0] && header.every((name, i) => cells[i] === name);
  try {
    for await (const batch of rows)
      yield batch.some(repeatsHeader) ? batch.filter((row) => !repeatsHeader(row)) : batch;
  } catch (error) {
    throw unreadable(error, path);
  }
}

/** A parser's error, with the file's name. */
function unreadable(error: unknown, path: string): Error {
  if (error instanceof CommandError) return error;
  return new CommandError(`${basename(path)} cannot be read: ${(error as Error).message.split('\n')[0]}.`);
}

async function open(path: string, format: FileFormat, onBytes?: (bytes: number) => void): Promise<Table> {
  const kind = await refuseOtherKind(path, basename(path), format.type);
  if (format.type === 'geodatabase') return readGeodatabase(path, format);
  // Publishers switch between CSV and a workbook with the same columns, so the first bytes decide.
  const isTable = format.type === 'csv' || format.type === 'tsv';
  const zipped = isTable && kind === 'zip' ? await findZippedTable(path) : undefined;
  if (zipped) return readCsv(readZipMember(path, zipped, onBytes), format);
  if (format.type === 'xlsx' || (isTable && kind !== 'text')) return readWorkbook(path, format);
  if (format.type === 'geopackage') return readGeoPackage(path, format);
  if (format.type === 'parquet') return readParquet(path, format);
  if (format.type === 'shapefile') return readShapefile(path, format);
  const project = format.projection ? projectionNamed(format.projection) : undefined;
  const features = format.type === 'geojson' && kind === 'zip' ? await findZippedFeatures(path) : undefined;
  const bytes = features ? readZipMember(path, features, onBytes) : readBytes(path, onBytes);
  if (format.type === 'geojson') return readGeoJson(bytes, project);
  if (format.type === 'dbf') return readDbf(bytes);
  if (format.type === 'fixed-width') return readFixedWidth(bytes, format);
  if (format.type === 'topojson') return readTopoJson(bytes);
  return format.type === 'json' ? readJsonRows(bytes) : readCsv(bytes, format);
}
