// Reads a dataset's files into the stage: opens them, checks their columns, maps each row, and sets bad rows aside.
import { basename } from 'node:path';
import { CommandError } from '../../../base/lib/command-error.ts';
import { encodeRow } from '../../../base/db/copy.ts';
import { deferRejection } from '../../../base/lib/defer-rejection.ts';
import { keptColumns, missingColumns, shapeCheckerOf } from '../map/columns.ts';
import type { FetchedFile } from '../fetch/fetch.ts';
import type { MapContext } from '../map/finish.ts';
import { compileMade, compileMap, type StagedRecord } from '../map/map.ts';
import type { LoadContext } from '../load-context.ts';
import * as quarantine from './quarantine-sql.ts';
import { countsOf, emptyCounts, makeExample } from '../report.ts';
import { openFileOf } from '../examine.ts';
import { makeFinder, type Finder } from '../map/find.ts';
import * as finding from './find-sql.ts';
import { openStamper } from './restamp.ts';
import type { Row, Table } from '../read/rows.ts';
import type { Dataset, FileFormat } from '../source.ts';
import { listCountyBoxes } from './shapes-sql.ts';
import * as stage from './stage-sql.ts';
import { publishedOnOf } from '../fetch/names.ts';
import { openTable } from '../read/table.ts';
import { stagedColumns } from '../map/targets.ts';
import { entryOf } from '../../../base/lib/must.ts';

/** How much is buffered before it is sent: characters per table, and bad rows. */
const BATCH_CHARACTERS = 1024 * 1024;
const BATCH_BAD_ROWS = 5000;
const BATCH_MADE = 500;
const DEFAULTS = { minRows: 1, maxQuarantinedShare: 0.5 };

interface OpenFile {
  file: FetchedFile;
  table: Table;
  /** Bytes read from disk since the last call. */
  takeBytes(): number;
}

/** Rejects a source whose columns changed before anything is touched, and names the columns to fix in its map. */
export async function openTables(dataset: Dataset, files: FetchedFile[]): Promise<OpenFile[]> {
  const problems: string[] = [];
  const tables: OpenFile[] = [];
  for (const file of files) {
    let bytes = 0;
    const opened = await openTableOf(dataset, file, (more) => (bytes += more));
    const table = withColumns(opened, columnsOfName(file));
    const missing = missingColumns(table.header, dataset);
    if (missing.length > 0) {
      problems.push(
        `${file.name} has no column ${missing.join(', ')}; it has ${table.header.join(', ').slice(0, 500)}`,
      );
    }
    const takeBytes = () => {
      const taken = bytes;
      bytes = 0;
      return taken;
    };
    tables.push({ file, table, takeBytes });
  }
  if (problems.length > 0) throw new CommandError(`${dataset.id}: the columns have changed. ${problems.join('. ')}`);
  return tables;
}

/** The year and county in a file's name become the columns `file_year` and `file_county`. */
function columnsOfName({ name, year }: FetchedFile): Record<string, string> {
  // As in tl_2024_55079_roads.zip.
  const county = /(?:^|[_-])(\d{5})(?=[_-])/.exec(basename(name))?.[1];
  return { ...(year !== undefined && { file_year: String(year) }), ...(county && { file_county: county }) };
}

function withColumns(table: Table, more: Record<string, string>): Table {
  const values = Object.values(more);
  if (values.length === 0) return table;
  const { header } = table;
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const batch of table.rows) {
      // A row of the wrong length keeps it, and is quarantined.
      for (const { cells } of batch) if (cells.length === header.length) cells.push(...values);
      yield batch;
    }
  }
  return { ...table, header: [...header, ...Object.keys(more)], rows: rows() };
}

function openTableOf(dataset: Dataset, file: FetchedFile, onBytes?: (bytes: number) => void): Promise<Table> {
  const format: FileFormat = { ...dataset.format, ...file.spec.format };
  return openTable(file.path, format, onBytes);
}

export const hasFinder = (dataset: Dataset) => dataset.records.some(({ key }) => (key ?? dataset.key)?.find);

/** Reads only the lookup keys needed for a nationwide file's rows. */
async function openFinder({
  client,
  dataset,
  counties,
  options: { addresses },
}: LoadContext): Promise<Finder | undefined> {
  if (!hasFinder(dataset)) return undefined;
  const scope = { counties, sourceId: dataset.id };
  const ways = dataset.records.map(({ key }) => (key ?? dataset.key)?.find);
  const uses = (way: 'parcel' | 'line' | 'inside') => ways.some((find) => find?.[way]);
  return makeFinder({
    counties: await finding.listCountyNames(client, counties),
    parcels: uses('parcel') ? await finding.listParcels(client, scope) : [],
    addresses: uses('line') && addresses ? await finding.listAddresses(client, scope) : [],
    points: uses('inside') ? await finding.listPoints(client, counties) : [],
    readAddress: addresses?.keyOf,
  });
}

interface MappedFile {
  header: string[];
  file: string;
  map: ReturnType<typeof compileMap>;
  checkShape: ReturnType<typeof shapeCheckerOf>;
}

export async function stageRows(load: LoadContext, tables: OpenFile[]): Promise<void> {
  const { client, source, dataset, targets, report, options, progress } = load;
  for (const target of targets) {
    await stage.createStage(client, target);
    report.targets[target] = emptyCounts();
  }
  await quarantine.createQuarantineStage(client);
  const stamper = targets.includes('properties') ? await openStamper(client, load.counties) : undefined;
  const finder = await openFinder(load);
  const countyBoxes = targets.includes('parcel_shapes') ? await listCountyBoxes(client, load.counties) : undefined;
  const buffers = new Map(targets.map((target) => [target, { columns: stagedColumns(dataset, target), text: '' }]));
  const bad: quarantine.QuarantinedRow[] = [];
  const keep = keeperOf(dataset);

  const send = async () => {
    for (const [target, buffer] of buffers) {
      const { text } = buffer;
      buffer.text = '';
      if (text !== '') await stage.copyToStage(client, target, buffer.columns, text);
    }
    if (bad.length > 0) await quarantine.copyQuarantined(client, bad.splice(0));
  };
  const isFull = () =>
    bad.length >= BATCH_BAD_ROWS || [...buffers.values()].some(({ text }) => text.length >= BATCH_CHARACTERS);
  // PostgreSQL receives one batch while the next is being mapped.
  let sending = Promise.resolve();
  const flush = async () => {
    await sending;
    sending = deferRejection(send());
  };
  const put = ({ target, values }: StagedRecord) => {
    const counts = countsOf(report, target);
    const buffer = entryOf(buffers, target);
    if (counts.staged++ === 0) report.examples[target] = makeExample(buffer.columns, values);
    buffer.text += encodeRow(values);
  };
  const take = (row: Row, { header, file, map, checkShape }: MappedFile): string | undefined => {
    report.rowsRead++;
    const problem = checkShape(row);
    const mapped = problem ? { skipped: false, records: [], problems: [{ reason: problem }] } : map(row);
    if (mapped.skipped) report.rowsSkipped++;
    else if (mapped.records.length > 0) report.rowsUsed++;
    else if (mapped.problems.length > 0) report.rowsRefused++;
    else report.rowsUnused++;
    for (const record of mapped.records) put(record);
    if (!mapped.skipped) load.examiner?.see({ line: row.line, cells: row.cells, records: mapped.records });
    if (mapped.problems.length > 0) report.rowsQuarantined++;
    for (const { reason } of mapped.problems) {
      report.quarantinedByReason[reason] = (report.quarantinedByReason[reason] ?? 0) + 1;
      bad.push({ file, line: row.line, reason, row: keep(row, header) });
    }
    return problem;
  };

  let fileRank = 0;
  const context = (file: string, publishedOn: string): MapContext => ({
    source,
    dataset,
    stamper,
    countyBoxes,
    file,
    publishedOn,
    fileRank,
    finder,
  });
  for (const { file, table, takeBytes } of tables) {
    fileRank++;
    const { header, rows } = table;
    const map = compileMap(header, context(file.name, file.spec.publishedOn ?? dataset.publishedOn));
    const mapped = { header, file: file.name, map, checkShape: shapeCheckerOf(header) };
    if (load.examiner) openFileOf(load.examiner, dataset, header);
    let problem: string | undefined;
    for await (const batch of rows) {
      for (const row of batch) problem = take(row, mapped);
      progress.advance(batch.length, takeBytes());
      if (isFull()) await flush();
    }
    if (problem === 'too_few_cells') report.cutOff.push(file.name);
  }
  const complete = compileMade(context('made', dataset.publishedOn));
  for (const record of dataset.made?.() ?? []) {
    put(complete(record, ++report.rowsRead));
    if (report.rowsRead % BATCH_MADE === 0 && isFull()) await flush();
  }
  for (const { header, file, rows } of options.replay ?? []) {
    const map = compileMap(header, context(file, publishedOnOf(dataset, file)));
    const mapped = { header, file, map, checkShape: shapeCheckerOf(header) };
    for (const row of rows) take(row, mapped);
  }
  await flush();
  await sending;
  for (const target of targets) await stage.analyzeStage(client, target);
}

/** The cells of a bad row to keep. In a row of the wrong length, a name may be under any header. */
function keeperOf(dataset: Dataset) {
  let known: { header: string[]; isKept: boolean[] } | undefined;
  return (row: Row, header: string[]): Record<string, string> => {
    if (known?.header !== header) known = { header, isKept: keptColumns(header, dataset) };
    const { isKept } = known;
    const result: Record<string, string> = {};
    if (dataset.personal && row.cells.length !== header.length) return result;
    header.forEach((name, i) => {
      if (isKept[i] && row.cells[i]) result[name] = row.cells[i];
    });
    return result;
  };
}

export function checkRows({ dataset, report, isReplay }: LoadContext): void {
  if (isReplay) return;
  const { minRows, maxQuarantinedShare } = { ...DEFAULTS, ...dataset.checks };
  if (report.rowsRead < minRows)
    throw new CommandError(`${dataset.id}: ${report.rowsRead} rows, expected at least ${minRows}.`);
  const share = report.rowsQuarantined / Math.max(1, report.rowsRead);
  if (share > maxQuarantinedShare) {
    const reasons = Object.entries(report.quarantinedByReason).map(([reason, count]) => `${reason}: ${count}`);
    throw new CommandError(
      `${dataset.id}: ${Math.round(share * 100)}% of the rows are bad (${reasons.join('; ').slice(0, 300)}).`,
    );
  }
}

/** Rows whose property is unknown are quarantined too: once a load brings the parcel, a replay joins them. */
export async function quarantineUnjoined(load: LoadContext): Promise<void> {
  const { client, dataset, files, report, options } = load;
  const unjoined = await stage.listUnjoined(client);
  if (unjoined.length === 0) return;
  const wanted = new Set(unjoined.map(({ file, line }) => `${line} ${file}`));
  const reason = 'parcel_unknown';
  const batch: quarantine.QuarantinedRow[] = [];
  const cellsToKeep = keeperOf(dataset);
  const keep = async (row: Row, header: string[], file: string) => {
    if (!wanted.has(`${row.line} ${file}`)) return;
    report.rowsQuarantined++;
    report.quarantinedByReason[reason] = (report.quarantinedByReason[reason] ?? 0) + 1;
    batch.push({ file, line: row.line, reason, row: cellsToKeep(row, header) });
    if (batch.length >= BATCH_BAD_ROWS) await quarantine.copyQuarantined(client, batch.splice(0));
  };
  for (const file of files) {
    if (!unjoined.some((row) => row.file === file.name)) continue;
    const { header, rows } = await openTableOf(dataset, file);
    for await (const rowsOfBatch of rows) for (const row of rowsOfBatch) await keep(row, header, file.name);
  }
  for (const { header, file, rows } of options.replay ?? []) for (const row of rows) await keep(row, header, file);
  if (batch.length > 0) await quarantine.copyQuarantined(client, batch);
}
