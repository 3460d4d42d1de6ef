// Converts NDJSON to Parquet with DuckDB, streaming from file to file under a memory limit.
import type { Column } from './columns.ts';
import warehouses from './warehouse-types.json' with { type: 'json' };

const SETTINGS = { threads: '1', memory_limit: '192MB', preserve_insertion_order: 'true' };
// The reader keeps a few buffers of twice the longest line, the writer one row group. With DuckDB's defaults (16 MB,
// 122,880 rows) they took most of an export's memory.
const LONGEST_LINE = 1024 * 1024;
const ROW_GROUP = 20_480;

export async function writeParquet(all: readonly Column[], source: string, target: string): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', SETTINGS);
  const connection = await instance.connect();
  try {
    const columns = all.map(([name, type]) => `${quoted(name)}: '${warehouses.duckdb[type]}'`).join(', ');
    await connection.run(
      `copy (select * from read_json(${quoted(source)}, format = 'newline_delimited', maximum_object_size = ${LONGEST_LINE}, columns = {${columns}}))
       to ${quoted(target)} (format parquet, compression zstd, row_group_size ${ROW_GROUP})`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
