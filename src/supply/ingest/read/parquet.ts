// Reads a Parquet file through DuckDB, with the shapes of GeoParquet if it has any.
import type { FileFormat } from '../source.ts';
import { projectionNamed } from '../../../base/lib/projection.ts';
import { cellsOf, type Row, type Table } from './rows.ts';
import { readWkb } from './wkb.ts';

export async function readParquet(path: string, format: FileFormat): Promise<Table> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  // A file must not cause any fetch or write.
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  const quoted = `'${path.replaceAll("'", "''")}'`;
  const described = await connection.runAndReadAll(`describe select * from read_parquet(${quoted})`);
  const columns = described
    .getRowObjects()
    .map((row) => ({ name: String(row.column_name), type: String(row.column_type) }));
  const shape = columns.find(
    ({ name, type }) => /^(geometry|geom|wkb_geometry|shape)$/i.test(name) && /BLOB|GEOMETRY/.test(type),
  );
  const header = columns.filter((column) => column !== shape).map(({ name }) => name);
  const project = format.projection ? projectionNamed(format.projection) : undefined;
  const select = columns.map(({ name, type }) => {
    const quotedName = `"${name.replaceAll('"', '""')}"`;
    if (shape?.name === name)
      return type === 'GEOMETRY'
        ? `hex(st_aswkb(${quotedName})) as ${quotedName}`
        : `hex(${quotedName}) as ${quotedName}`;
    return /STRUCT|LIST|MAP|\[\]/.test(type)
      ? `to_json(${quotedName})::varchar as ${quotedName}`
      : `${quotedName}::varchar as ${quotedName}`;
  });
  const result = await connection.stream(`select ${select.join(', ')} from read_parquet(${quoted})`);
  async function* rows(): AsyncGenerator<Row[]> {
    let line = 0;
    try {
      for (;;) {
        const chunk = await result.fetchChunk();
        if (!chunk || chunk.rowCount === 0) return;
        const batch: Row[] = [];
        for (const values of chunk.getRows()) {
          const record = Object.fromEntries(columns.map(({ name }, i) => [name, values[i]]));
          const hex = shape ? (record[shape.name] as string | null) : null;
          const geometry = hex ? readWkb(Buffer.from(hex, 'hex'), project) : undefined;
          batch.push({ line: ++line, cells: cellsOf(record, header), geometry });
        }
        yield batch;
      }
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }
  return { header, rows: rows(), hasShapes: shape !== undefined };
}
