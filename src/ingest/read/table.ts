// Opens a file of any format as a table: its column names and a stream of rows in batches.
import { readCsv } from './csv.ts';
import { readGeoJson } from './geojson.ts';
import { readJsonRows } from './json-rows.ts';
import { readBytes, startsWith, type Table } from './rows.ts';
import { projectionNamed } from './projection.ts';
import { readShapefile } from './shapefile.ts';
import type { FileFormat } from '../source.ts';
import { readTopoJson } from './topojson.ts';
import { readXlsx } from './xlsx.ts';

/** `onBytes` receives the number of bytes read from disk, for progress. */
export async function openTable(path: string, format: FileFormat, onBytes?: (bytes: number) => void): Promise<Table> {
  // Publishers switch between CSV and a workbook with the same columns, so the first bytes decide.
  const isWorkbook = format.type === 'xlsx' || (format.type === 'csv' && (await startsWith(path, 'PK')));
  if (isWorkbook) return readXlsx(path, format);
  const project = format.projection ? projectionNamed(format.projection) : undefined;
  if (format.type === 'shapefile') return readShapefile(path, project);
  const bytes = readBytes(path, onBytes);
  if (format.type === 'geojson') return readGeoJson(bytes, project);
  if (format.type === 'topojson') return readTopoJson(bytes);
  if (format.type === 'json') return readJsonRows(bytes);
  return readCsv(bytes, format);
}
