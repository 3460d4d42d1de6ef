// Reads a table of a file geodatabase through the operator's own GDAL: `ogr2ogr` writes its features to a pipe, in
// degrees and with labels instead of codes.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { CommandError } from '../../../base/lib/command-error.ts';
import { listZip } from '../../../base/lib/zip-file.ts';
import type { FileFormat } from '../source.ts';
import { readGeoJson } from './geojson.ts';
import type { Row, Table } from './rows.ts';

const run = promisify(execFile);

/** The suffix of a label column, which follows its code column. */
const RESOLVED = '_resolved';

/** `path` is the folder, or an archive with the folder in it. */
export async function readGeodatabase(path: string, format: FileFormat): Promise<Table> {
  const place = await placeOf(path);
  const layer = chooseLayer(await listLayers(place, path), path, format.layer);
  const projection = format.projection ? ['-s_srs', format.projection] : [];
  const options = ['-resolveDomains', '-lco', 'COORDINATE_PRECISION=7', ...projection];
  const { header, rows } = await readGeoJson(pipe(['-f', 'GeoJSONSeq', ...options, '/vsistdout/', place, layer]));
  const labels = header.map((name) => header.indexOf(`${name}${RESOLVED}`));
  const kept = header.flatMap((name, i) => (name === '$id' || isLabel(name, header) ? [] : [i]));
  const relabel = (row: Row): Row => ({
    ...row,
    cells: kept.map((i) => (labels[i] >= 0 && row.cells[labels[i]] ? row.cells[labels[i]] : row.cells[i])),
  });
  async function* labeled(): AsyncGenerator<Row[]> {
    for await (const batch of rows) yield batch.map(relabel);
  }
  return { header: kept.map((i) => header[i]), rows: labeled() };
}

const isLabel = (name: string, header: string[]): boolean =>
  name.endsWith(RESOLVED) && header.includes(name.slice(0, -RESOLVED.length));

async function placeOf(path: string): Promise<string> {
  const absolute = resolve(path);
  if (statSync(absolute).isDirectory()) return absolute;
  const table = (await listZip(absolute)).find(({ name }) => /\.gdbtable$/i.test(name));
  const folder = table?.name.split('/').slice(0, -1).join('/');
  return `/vsizip/{${absolute}}${folder ? `/${folder}` : ''}`;
}

interface LayerName {
  name: string;
  isPolygon: boolean;
}

async function listLayers(place: string, path: string): Promise<LayerName[]> {
  const { stdout } = await run('ogrinfo', ['-ro', '-so', '-q', place]).catch((error: unknown) => {
    throw refusalOf(error, path);
  });
  return stdout.split('\n').flatMap((line) => {
    const [, name, shape = ''] = /^(?:Layer: |\d+: )(.+?)(?: \(([^()]*)\))?$/.exec(line.trim()) ?? [];
    return name ? [{ name, isPolygon: /polygon/i.test(shape) }] : [];
  });
}

function refusalOf(error: unknown, path: string): CommandError {
  const { code, stderr } = error as { code?: string; stderr?: string };
  if (code !== 'ENOENT') return new CommandError(`${basename(path)} cannot be read: ${firstLine(stderr ?? '')}.`);
  return new CommandError(
    `${basename(path)} is a file geodatabase, which takes GDAL to read: install it (apt install gdal-bin, or ` +
      'brew install gdal), or convert the file elsewhere: ogr2ogr parcels.gpkg parcels.gdb',
  );
}

const firstLine = (text: string): string => text.trim().split('\n')[0].replace(/\.$/, '') || 'GDAL does not say why';

/** The named one; else the only one, the only one with polygons, or the only one of those named parcels. */
function chooseLayer(layers: LayerName[], path: string, wanted: string | undefined): string {
  const areas = layers.filter(({ isPolygon }) => isPolygon);
  const tries = wanted
    ? [layers.filter(({ name }) => name === wanted)]
    : [layers, areas, areas.filter(({ name }) => /parcel/i.test(name))];
  const [found] = tries.find((list) => list.length === 1) ?? [];
  if (found) return found.name;
  const names = layers.map(({ name }) => name).join(', ') || 'no table';
  throw new CommandError(`${basename(path)} has ${names}; name one of them as the layer.`);
}

/** Killed with the reader, which may stop after a few rows. */
async function* pipe(args: string[]): AsyncGenerator<Buffer> {
  const child = spawn('ogr2ogr', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const said = text(child.stderr);
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const [code] = await closed;
    if (code !== 0) throw new CommandError(`GDAL ended before the last row: ${firstLine(await said)}.`);
  } finally {
    child.kill();
  }
}
