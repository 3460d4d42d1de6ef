// Reads one table of a GeoPackage, which is an SQLite database.
import { DatabaseSync } from 'node:sqlite';
import { CommandError } from '../../../base/lib/command-error.ts';
import type { FileFormat } from '../source.ts';
import { projectionNamed } from '../../../base/lib/projection.ts';
import { cellsOf, inBatches, type Row, type Table } from './rows.ts';
import { readWkb } from './wkb.ts';

interface Layer {
  table_name: string;
  column_name: string | null;
  organization: string | null;
  organization_coordsys_id: number | null;
  definition: string | null;
}

export async function readGeoPackage(path: string, format: FileFormat): Promise<Table> {
  const database = new DatabaseSync(path, { readOnly: true });
  const layer = findLayer(database, path, format.layer);
  const name = `"${layer.table_name.replaceAll('"', '""')}"`;
  const columns = (database.prepare(`pragma table_info(${name})`).all() as { name: string }[]).map((row) => row.name);
  const header = columns.filter((column) => column !== layer.column_name);
  const stated = format.projection ?? projectionOf(layer);
  const project = stated ? projectionNamed(stated) : undefined;
  function* rows(): Generator<Row> {
    let line = 0;
    try {
      for (const record of database.prepare(`select * from ${name}`).iterate()) {
        const shape = layer.column_name ? record[layer.column_name] : null;
        const geometry = shape instanceof Uint8Array ? readWkb(withoutHeader(Buffer.from(shape)), project) : undefined;
        yield { line: ++line, cells: cellsOf(record, header), geometry };
      }
    } finally {
      database.close();
    }
  }
  return { header, rows: inBatches(rows()), projection: stated };
}

function findLayer(database: DatabaseSync, path: string, wanted?: string): Layer {
  let layers: Layer[];
  try {
    layers = database
      .prepare(
        `select c.table_name, c.data_type, g.column_name, s.organization, s.organization_coordsys_id, s.definition
         from gpkg_contents c
         left join gpkg_geometry_columns g on g.table_name = c.table_name
         left join gpkg_spatial_ref_sys s on s.srs_id = g.srs_id
         where c.data_type in ('features', 'attributes') order by c.data_type desc, c.table_name`,
      )
      .all() as unknown as Layer[];
  } catch {
    throw new CommandError(`${path} is an SQLite database, but not a GeoPackage.`);
  }
  const found = wanted ? layers.find((layer) => layer.table_name === wanted) : layers[0];
  if (!found) {
    const names = layers.map((layer) => layer.table_name).join(', ') || 'none';
    throw new CommandError(`${path} has no table ${wanted ?? 'of features'}; it has ${names}.`);
  }
  return found;
}

function projectionOf({ organization, organization_coordsys_id: code, definition }: Layer): string | undefined {
  if (organization?.toUpperCase() === 'EPSG' && code) return `EPSG:${code}`;
  return definition && /CS\[/.test(definition) ? definition : undefined;
}

/** `GP`, version, flags, reference system and an envelope whose size the flags state; then well-known binary. */
function withoutHeader(blob: Buffer): Buffer {
  const envelope = [0, 32, 48, 48, 64][(blob[3] >> 1) & 7] ?? 0;
  return blob.subarray(8 + envelope);
}
