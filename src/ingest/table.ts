// A file of any format as a table: the names of its columns and a stream of rows in batches.
import { readCsv } from './csv.ts';
import { readGeoJson } from './geojson.ts';
import { readBytes, type Table } from './rows.ts';
import { projectionNamed } from './projection.ts';
import { readShapefile } from './shapefile.ts';
import type { FileFormat } from './source.ts';
import { readTopoJson } from './topojson.ts';
import { readXlsx } from './xlsx.ts';

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
