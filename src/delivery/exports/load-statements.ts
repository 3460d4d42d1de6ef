// SQL that loads a delivered run into a warehouse: the table, then the rows; a delta replaces rows by key. Pure.
import { COLUMNS, KEYS, type Column, type ColumnType, type Dataset } from './columns.ts';
import types from './warehouse-types.json' with { type: 'json' };

type Dialect = keyof typeof types;

const TYPES: Record<Dialect, Record<ColumnType, string>> = types;

interface Delivered {
  dataset: Dataset;
  format: 'parquet' | 'ndjson' | 'csv';
  kind: 'full' | 'delta';
  /** Set if there are more than the standard columns. */
  columns?: readonly Column[];
  /** Where the files of the run are, ending with a slash. */
  location: string;
}

export function loadStatements(run: Delivered): Record<`load-${Dialect}.sql`, string> {
  const table = run.kind === 'full' ? run.dataset : `${run.dataset}_delta`;
  const rest = run.kind === 'delta' ? replaceByKey(run) : '';
  return {
    'load-snowflake.sql': snowflake(run, table) + rest,
    'load-bigquery.sql': bigquery(run, table) + rest,
    'load-duckdb.sql': duckdb(run, table) + rest,
  };
}

const columnsOf = ({ dataset, columns = COLUMNS[dataset] }: Delivered, dialect: Dialect): string =>
  columns.map(([name, type]) => `  ${name} ${TYPES[dialect][type]}`).join(',\n');

function snowflake(run: Delivered, table: string): string {
  // Columns are matched by name, except in a CSV, where that needs more privileges; its columns are in order.
  const [format, match] = {
    // Without `use_logical_type`, dates and times would be read as the stored numbers.
    parquet: ['type = parquet use_logical_type = true', '\n  match_by_column_name = case_insensitive'],
    ndjson: ['type = json', '\n  match_by_column_name = case_insensitive'],
    csv: [`type = csv skip_header = 1 field_optionally_enclosed_by = '"'`, ''],
  }[run.format];
  return `-- Snowflake. Add credentials or a storage integration for the bucket.
create or replace table ${table} (
${columnsOf(run, 'snowflake')}
);
copy into ${table} from '${run.location}'
  pattern = '.*part-[0-9]+[.]${run.format}'
  file_format = (${format})${match};
`;
}

function bigquery(run: Delivered, table: string): string {
  const format = { parquet: 'PARQUET', ndjson: 'JSON', csv: 'CSV' }[run.format];
  const skip = run.format === 'csv' ? ', skip_leading_rows = 1, allow_quoted_newlines = true' : '';
  return `-- BigQuery. Put your dataset's name before the table name. If the files are not in Cloud Storage, copy them there first.
load data overwrite ${table} (
${columnsOf(run, 'bigquery')}
) from files (format = '${format}', uris = ['${run.location.replace(/^s3:/, 'gs:')}part-*.${run.format}']${skip});
`;
}

function duckdb(run: Delivered, table: string): string {
  const files = `'${run.location}part-*.${run.format}'`;
  const types = (run.columns ?? COLUMNS[run.dataset])
    .map(([name, type]) => `${name}: '${TYPES.duckdb[type]}'`)
    .join(', ');
  const reader = {
    parquet: `read_parquet(${files})`,
    ndjson: `read_json(${files}, format = 'newline_delimited', columns = {${types}})`,
    csv: `read_csv(${files}, header = true, columns = {${types}})`,
  }[run.format];
  return `-- DuckDB.
create or replace table ${table} as select * from ${reader};
`;
}

/** The same in all three dialects: delete whatever the delta names, then insert what it upserts. */
function replaceByKey({ dataset }: Delivered): string {
  // A property's transactions are always exported together, so they are replaced by property.
  const key = dataset === 'transactions' ? 'property_id' : KEYS[dataset];
  return `delete from ${dataset} where ${key} in (select ${key} from ${dataset}_delta);
insert into ${dataset} select * from ${dataset}_delta where _op = 'upsert';
`;
}
