// Parquet from NDJSON, by DuckDB: streamed from file to file under a memory limit.
import { DuckDBInstance } from '@duckdb/node-api';
import { COLUMNS, type ColumnType, type Dataset } from './columns.ts';

const TYPES: Record<ColumnType, string> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  json: 'VARCHAR',
};
const SETTINGS = { threads: '1', memory_limit: '512MB', preserve_insertion_order: 'true' };

export async function writeParquet(dataset: Dataset, source: string, target: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', SETTINGS);
  const connection = await instance.connect();
  try {
    const columns = COLUMNS[dataset].map(([name, type]) => `${quoted(name)}: '${TYPES[type]}'`).join(', ');
    await connection.run(
      `copy (select * from read_json(${quoted(source)}, format = 'newline_delimited', columns = {${columns}}))
       to ${quoted(target)} (format parquet, compression zstd, row_group_size 50000)`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
