// Reads an ESRI shapefile (.shp and .dbf, side by side or in one .zip) record by record.
import { CommandError } from '../../../base/lib/command-error.ts';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { createByteReader, type ByteReader } from '../../../base/lib/byte-reader.ts';
import type { MultiPolygon, Ring } from '../../../base/lib/geo.ts';
import type { FileFormat } from '../source.ts';
import { linesOf, type Geometry } from './geometry.ts';
import { projectionNamed, type Project } from '../../../base/lib/projection.ts';
import { inBatches, readBytes, startsWith, type Row, type Table } from './rows.ts';
import { listZip, readZipMember } from '../../../base/lib/zip-file.ts';
import { lastOf } from '../../../base/lib/must.ts';
import { DELETED, readCell, readFields } from './dbf.ts';

/** Coordinates are converted by the projection of the recipe, or by the .prj file that comes with the shapes. */
export async function readShapefile(path: string, format: Pick<FileFormat, 'projection'>): Promise<Table> {
  const [shp, dbf, prj] = await openParts(path);
  const projection = format.projection ?? prj?.trim();
  const project = projection ? projectionNamed(projection) : undefined;
  const shapes = readShapes(createByteReader(shp), project);
  const table = createByteReader(dbf);
  const fields = await readFields(table);
  async function* rows(): AsyncGenerator<Row> {
    let line = 0;
    for await (const geometry of shapes) {
      const record = await table.take(fields.recordLength);
      if (!record) return;
      line++;
      if (record[0] === DELETED) continue;
      yield { line, cells: fields.list.map(({ at, length }) => readCell(record, at, length)), geometry };
    }
  }
  return { header: fields.list.map(({ name }) => name), rows: inBatches(rows()), projection, hasShapes: true };
}

async function openParts(path: string): Promise<[AsyncIterable<Buffer>, AsyncIterable<Buffer>, string | undefined]> {
  if (await startsWith(path, 'PK')) {
    const members = await listZip(path);
    const find = (ending: string) => {
      const member = members.find(({ name }) => name.toLowerCase().endsWith(ending));
      if (!member) throw new CommandError(`${path} contains no ${ending} file.`);
      return readZipMember(path, member);
    };
    const prj = members.find(({ name }) => name.toLowerCase().endsWith('.prj'));
    return [find('.shp'), find('.dbf'), prj && (await text(readZipMember(path, prj)))];
  }
  const dbf = path.replace(/\.shp(\.gz)?$/i, '.dbf$1');
  if (!existsSync(dbf)) throw new CommandError(`${dbf} is missing; a shapefile needs both its .shp and its .dbf.`);
  const prj = path.replace(/\.shp(\.gz)?$/i, '.prj$1');
  return [readBytes(path), readBytes(dbf), existsSync(prj) ? await text(readBytes(prj)) : undefined];
}

async function* readShapes(reader: ByteReader, project?: Project): AsyncGenerator<Geometry | undefined> {
  await reader.take(100);
  for (;;) {
    const header = await reader.take(8);
    if (!header) return;
    const content = await reader.take(header.readInt32BE(4) * 2);
    if (!content) return;
    yield readShape(content, project);
  }
}

const POINTS = [1, 11, 21];
const LINES = [3, 13, 23];
const POLYGONS = [5, 15, 25];

function readShape(content: Buffer, project: Project = (x, y) => [x, y]): Geometry | undefined {
  const type = content.readInt32LE(0);
  if (POINTS.includes(type)) {
    const [longitude, latitude] = project(content.readDoubleLE(4), content.readDoubleLE(12));
    return { type: 'point', point: { latitude, longitude } };
  }
  if (!LINES.includes(type) && !POLYGONS.includes(type)) return undefined;
  const [partCount, pointCount] = [content.readInt32LE(36), content.readInt32LE(40)];
  const starts = Array.from({ length: partCount }, (_, i) => content.readInt32LE(44 + i * 4));
  const pointsAt = 44 + partCount * 4;
  const parts = starts.map((start, i): Ring => {
    const end = starts[i + 1] ?? pointCount;
    return Array.from({ length: end - start }, (_, j) => {
      const at = pointsAt + (start + j) * 16;
      return project(content.readDoubleLE(at), content.readDoubleLE(at + 8));
    });
  });
  return LINES.includes(type) ? linesOf(parts) : { type: 'polygons', polygons: groupRings(parts) };
}

/** Outer rings run clockwise and holes counterclockwise; a hole follows the ring that contains it. */
function groupRings(rings: Ring[]): MultiPolygon {
  const polygons: MultiPolygon = [];
  for (const ring of rings) {
    let twiceArea = 0;
    for (let i = 0; i < ring.length - 1; i++) twiceArea += ring[i][0] * ring[i + 1][1] - ring[i + 1][0] * ring[i][1];
    if (twiceArea <= 0 || polygons.length === 0) polygons.push([ring]);
    else lastOf(polygons).push(ring);
  }
  return polygons;
}
