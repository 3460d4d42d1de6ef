// One dataset from its files into the database: read and stage everything, check, then change the data in one transaction.
import { createHash } from 'node:crypto';
import type { CopyValue } from '../db/copy.ts';
import { inTransactionOf } from './transaction.ts';
import type { Client } from '../db/postgres.ts';
import type { Clock } from '../lib/clock.ts';
import { applyClaims } from './claims.ts';
import type { LoadStamp } from './claims-sql.ts';
import * as claims from './claims-sql.ts';
import * as facts from './facts-sql.ts';
import { fetchFiles, type FetchedFile, type FetchPlace } from './fetch.ts';
import { compileMap, missingColumns, type MapContext } from './map.ts';
import type { Progress } from './progress.ts';
import { emptyCounts, emptyReport, makeExample, type LoadReport } from './report.ts';
import { openStamper, restamp } from './restamp.ts';
import type { Dataset, FileFormat, Source, Target } from './source.ts';
import * as sql from './sql.ts';
import * as stage from './stage-sql.ts';
import { openTable, type Row, type Table } from './table.ts';
import { columnsOf, STAGE_COLUMNS, TARGETS } from './targets.ts';

export interface LoadOptions {
  place: FetchPlace;
  /** Compare again even when the files are those of the last load, and accept a file that lost many parcels. */
  force?: boolean;
  clock: Clock;
  makeProgress(label: string, totalBytes: number): Progress;
  /** Rows from the quarantine, instead of the files. */
  replay?: { header: string[]; file: string; rows: Row[] }[];
  authorityOf(sourceId: string): number;
  /** Layers that datasets behind this one in the same run will bring. */
  willCover?: string[];
}

const FLUSH_ROWS = 10_000;
const MANY_ROWS = 5000;
const DEFAULTS = { minRows: 1, maxQuarantinedShare: 0.5, maxVanishedShare: 0.1 };

/** Rows of this many counties are stamped from one index of polygons. */
export async function loadDataset(
  client: Client,
  source: Source,
  dataset: Dataset,
  options: LoadOptions,
): Promise<LoadReport> {
  const started = performance.now();
  const report = emptyReport(dataset.id, source.market?.id ?? null);
  const files = options.replay ? [] : await fetchFiles(dataset, dataset.files, options.place);
  const definition = describeDataset(dataset);
  const last = await sql.findLastLoad(client, dataset.id);
  report.files = files.length;
  if (last && !options.force && !options.replay && isSameInput(last, files, definition)) {
    return { ...report, outcome: 'unchanged', loadId: last.id };
  }
  const tables = await openTables(dataset, files);

  const at = options.clock();
  await sql.insertSource(client, dataset, definition.json);
  await sql.insertMarket(client, source);
  const loadId = await sql.insertLoad(client, dataset.id, source.market?.id ?? null, at);
  const stamp: LoadStamp = { sourceId: dataset.id, loadId, at };
  report.loadId = loadId;
  const targets = [...new Set(dataset.records.map((record) => record.into))];
  try {
    const lookup = dataset.lookup && (await readLookup(dataset, options));
    const stager = await stageRows(client, source, dataset, tables, targets, lookup, report, options);
    checkRows(dataset, report, options);
    await inTransactionOf(client, async () => {
      await apply(client, source, dataset, targets, stamp, report, options, last === undefined);
      await quarantineUnjoined(client, dataset, files, report, options);
      await sql.writeQuarantine(client, stamp, options.replay !== undefined);
      if (options.replay) await sql.markReplayed(client, dataset.id, at);
      report.seconds = (performance.now() - started) / 1000;
      const described = files.map(({ name, bytes, sha256 }) => ({ path: name, bytes, sha256 }));
      const kept = options.replay && last ? last.files : described;
      await sql.completeLoad(
        client,
        stamp,
        dataset.publishedOn,
        kept,
        { ...report, definition: definition.hash },
        options.clock(),
      );
    });
    // Fresh statistics after a big change only: looking at a large table costs seconds.
    const grown = targets.filter((target) => isGrown(report, target));
    if (grown.length > 0) await sql.analyzeTables(client, grown);
    stager.done();
    return report;
  } catch (error) {
    await sql
      .failLoad(client, loadId, (error as Error).message.split('\n')[0].slice(0, 300), options.clock())
      .catch(() => {});
    throw error;
  } finally {
    await stage.dropStage(client, targets).catch(() => {});
  }
}

function isGrown(report: LoadReport, target: Target): boolean {
  const { inserted, updated } = report.targets[target]!;
  return inserted + updated > MANY_ROWS;
}

function isSameInput(
  last: { files: sql.LoadedFile[]; counts: Record<string, unknown> },
  files: FetchedFile[],
  definition: { hash: string },
): boolean {
  return (
    last.counts.definition === definition.hash &&
    last.files.length === files.length &&
    files.every((file, i) => last.files[i].sha256 === file.sha256)
  );
}

/** What the source file says, for the record: fields by what they read and how, functions by their text. */
function describeDataset(dataset: Dataset) {
  const text = JSON.stringify(dataset, (_, value) =>
    value && typeof value === 'object' && typeof value.read === 'function'
      ? {
          kind: value.kind,
          columns: value.columns,
          read: value.kind === 'derived' || value.kind === 'code' ? String(value.read) : undefined,
          ...(value.optional && { optional: true }),
        }
      : value,
  );
  return { json: JSON.parse(text) as object, hash: createHash('sha256').update(text).digest('hex') };
}

interface OpenFile {
  file: FetchedFile;
  table: Table;
  /** Read from disk since it was last asked. */
  takeBytes(): number;
}

/** A source whose columns changed is refused before anything is touched, with the names that help to mend its map. */
async function openTables(dataset: Dataset, files: FetchedFile[]): Promise<OpenFile[]> {
  const problems: string[] = [];
  const tables: OpenFile[] = [];
  for (const file of files) {
    let bytes = 0;
    const table = await openTableOf(dataset, file, (more) => (bytes += more));
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
  if (problems.length > 0) throw new Error(`${dataset.id}: the columns have changed. ${problems.join('. ')}`);
  return tables;
}

function openTableOf(dataset: Dataset, file: FetchedFile, onBytes?: (bytes: number) => void): Promise<Table> {
  const format: FileFormat = { ...dataset.format, ...file.spec.format };
  return openTable(file.path, format, onBytes);
}

async function readLookup(dataset: Dataset, options: LoadOptions): Promise<Map<string, string>> {
  const { file, key, value } = dataset.lookup!;
  const [found] = await fetchFiles(dataset, [file], options.place);
  const table = await openTableOf(dataset, found);
  const [keyAt, valueAt] = [table.header.indexOf(key), table.header.indexOf(value)];
  if (keyAt < 0 || valueAt < 0) throw new Error(`${dataset.id}: ${found.name} has no column ${key} or ${value}.`);
  const lookup = new Map<string, string>();
  for await (const rows of table.rows) for (const { cells } of rows) lookup.set(cells[keyAt].trim(), cells[valueAt]);
  return lookup;
}

async function stageRows(
  client: Client,
  source: Source,
  dataset: Dataset,
  tables: OpenFile[],
  targets: Target[],
  lookup: Map<string, string> | undefined,
  report: LoadReport,
  options: LoadOptions,
): Promise<Progress> {
  for (const target of targets) {
    await stage.createStage(client, target);
    report.targets[target] = emptyCounts();
  }
  await sql.createQuarantineStage(client);
  const counties = source.counties.map((county) => county.fips);
  const stamper = targets.includes('properties') ? await openStamper(client, counties) : undefined;
  const progress = options.makeProgress(
    dataset.id,
    tables.reduce((sum, { file }) => sum + file.bytes, 0),
  );
  const buffers = new Map<Target, CopyValue[][]>(targets.map((target) => [target, []]));
  let bad: sql.QuarantinedRow[] = [];

  const flush = async (least: number) => {
    for (const [target, rows] of buffers) {
      if (rows.length === 0 || rows.length < least) continue;
      await stage.copyToStage(client, target, rows);
      buffers.set(target, []);
    }
    if (bad.length > 0 && bad.length >= least / 10) {
      await sql.copyQuarantined(client, bad);
      bad = [];
    }
  };
  const take = (row: Row, header: string[], map: ReturnType<typeof compileMap>, file: string) => {
    report.rowsRead++;
    const problem = checkShape(row, header);
    const mapped = problem ? { skipped: false, records: [], problems: [{ reason: problem }] } : map(row);
    if (mapped.skipped) report.rowsSkipped++;
    for (const { target, values } of mapped.records) {
      const counts = report.targets[target]!;
      if (counts.staged++ === 0)
        report.examples[target] = makeExample([...STAGE_COLUMNS, ...columnsOf(target)], values);
      buffers.get(target)!.push(values);
    }
    if (mapped.problems.length > 0) report.rowsQuarantined++;
    for (const { reason } of mapped.problems) {
      report.quarantinedByReason[reason] = (report.quarantinedByReason[reason] ?? 0) + 1;
      bad.push({ file, line: row.line, reason, row: rowOf(row, header) });
    }
  };

  let fileRank = 0;
  const context = (file: string, publishedOn: string): MapContext => ({
    source,
    dataset,
    stamper,
    file,
    publishedOn,
    fileRank,
    lookup,
  });
  for (const { file, table, takeBytes } of tables) {
    fileRank++;
    const { header, rows } = table;
    const map = compileMap(header, context(file.name, file.spec.publishedOn ?? dataset.publishedOn));
    for await (const batch of rows) {
      for (const row of batch) take(row, header, map, file.name);
      progress.advance(batch.length, takeBytes());
      await flush(FLUSH_ROWS);
    }
  }
  for (const { header, file, rows } of options.replay ?? []) {
    const spec = dataset.files.find((candidate) => candidate.publishedOn && file.endsWith(candidate.path));
    const map = compileMap(header, context(file, spec?.publishedOn ?? dataset.publishedOn));
    for (const row of rows) take(row, header, map, file);
  }
  await flush(1);
  for (const target of targets) await stage.analyzeStage(client, target);
  progress.say('staged; comparing with what is there');
  return progress;
}

function checkShape(row: Row, header: string[]): string | undefined {
  const { cells } = row;
  if (cells.length === header.length) return undefined;
  if (cells.length < header.length) return 'too_few_cells';
  return cells.slice(header.length).some((cell) => cell.trim() !== '') ? 'too_many_cells' : undefined;
}

function rowOf(row: Row, header: string[]): Record<string, string> {
  const result: Record<string, string> = {};
  row.cells.slice(0, Math.max(header.length, row.cells.length)).forEach((cell, i) => {
    if (cell !== '' && cell !== undefined && header[i] !== undefined) result[header[i]] = cell;
  });
  return result;
}

function checkRows(dataset: Dataset, report: LoadReport, options: LoadOptions): void {
  if (options.replay) return;
  const { minRows, maxQuarantinedShare } = { ...DEFAULTS, ...dataset.checks };
  if (report.rowsRead < minRows)
    throw new Error(`${dataset.id}: ${report.rowsRead} rows, expected at least ${minRows}.`);
  const share = report.rowsQuarantined / Math.max(1, report.rowsRead);
  if (share > maxQuarantinedShare) {
    const reasons = Object.entries(report.quarantinedByReason).map(([reason, count]) => `${reason}: ${count}`);
    throw new Error(
      `${dataset.id}: ${Math.round(share * 100)} % of the rows are bad (${reasons.join('; ').slice(0, 300)}).`,
    );
  }
}

/** Everything that changes data, in one transaction. */
async function apply(
  client: Client,
  source: Source,
  dataset: Dataset,
  targets: Target[],
  stamp: LoadStamp,
  report: LoadReport,
  options: LoadOptions,
  isBackfill: boolean,
): Promise<void> {
  const counties = source.counties.map((county) => county.fips);
  const market = source.market?.id;
  const isReplay = options.replay !== undefined;
  await claims.createTouched(client);
  await stage.createUnjoined(client);
  for (const target of targets) {
    const counts = report.targets[target]!;
    if (target === 'properties' || target === 'owners' || TARGETS[target].ofProperty)
      await stage.resolveJoins(client, target);
    if (target === 'transactions') await stage.matchSalesOfOtherSources(client, dataset.id);
    counts.duplicates = await stage.removeDuplicates(client, target, stage.keyOf(target));
  }
  await facts.honourSuppressions(client, new Set(targets));

  if (targets.includes('properties')) {
    const record = dataset.records.find(({ into }) => into === 'properties')!;
    const counts = report.targets.properties!;
    counts.unjoined = await stage.moveUnjoined(client, 'properties');
    const maxVanishedShare = dataset.checks?.maxVanishedShare ?? DEFAULTS.maxVanishedShare;
    const retire =
      record.complete && !isReplay ? { counties, maxShare: options.force ? 1 : maxVanishedShare } : undefined;
    const result = await applyClaims(
      client,
      stamp,
      dataset.authority ?? 1,
      options.authorityOf,
      counties,
      retire,
      options.willCover ?? [],
    );
    Object.assign(counts, { inserted: result.inserted, updated: result.updated, retired: result.retired });
    counts.unchanged = counts.staged - counts.duplicates - counts.unjoined - counts.inserted - counts.updated;
    report.superseded = result.superseded;
    if (counts.inserted > MANY_ROWS) await sql.analyzeTables(client, ['properties']);
  }

  for (const target of targets) {
    if (target === 'properties') continue;
    const counts = report.targets[target]!;
    const record = dataset.records.find(({ into }) => into === target)!;
    const ofProperty = target === 'owners' || TARGETS[target].ofProperty;
    if (ofProperty) counts.unjoined = await stage.moveUnjoined(client, target);
    if (target === 'transactions' && record.bulkParcels) await stage.markBulkSales(client, record.bulkParcels);
    const done =
      target === 'owners'
        ? await facts.applyOwners(client, stamp, isBackfill)
        : await facts.applyFacts(client, target, stamp, isBackfill);
    if (target === 'transactions') await facts.fillSalesOfOtherSources(client, stamp);
    if (record.complete && !isReplay && target !== 'owners')
      counts.retired = await facts.retireVanishedFacts(client, target, stamp, counties);
    counts.inserted = done.inserted;
    counts.updated = done.updated;
    if (done.inserted > MANY_ROWS) await sql.analyzeTables(client, [target]);
    counts.unchanged = counts.staged - counts.duplicates - counts.unjoined - done.inserted - done.updated;
  }
  report.joinRate = joinRateOf(report, targets);
  await finishLayers(client, dataset, targets, stamp, report, market, counties);
}

function joinRateOf(report: LoadReport, targets: Target[]): number | null {
  let [staged, unjoined] = [0, 0];
  for (const target of targets) {
    if (
      target === 'properties'
        ? report.targets.properties!.unjoined === 0
        : target !== 'owners' && !TARGETS[target].ofProperty
    )
      continue;
    staged += report.targets[target]!.staged;
    unjoined += report.targets[target]!.unjoined;
  }
  return staged === 0 ? null : (staged - unjoined) / staged;
}

const AREA_TARGETS: Target[] = ['areas', 'opportunity_zones'];

async function finishLayers(
  client: Client,
  dataset: Dataset,
  targets: Target[],
  stamp: LoadStamp,
  report: LoadReport,
  market: string | undefined,
  counties: number[],
): Promise<void> {
  const places = market ? counties.map((fips) => ({ fips, market })) : await sql.listMarketCounties(client);
  const covered = market ? await sql.listLayersCovered(client, counties, market, dataset.id) : new Set<string>();
  const isNewLayer = dataset.layers.some(({ layer }) => !covered.has(layer));
  if (market && isNewLayer) await facts.touchAll(client, counties, market);
  await facts.refreshSummaries(client, targets, stamp.at);

  const hasNewAreas = AREA_TARGETS.some((target) => {
    const counts = report.targets[target];
    return counts !== undefined && counts.inserted + counts.updated + counts.retired > 0;
  });
  const isFlood = dataset.layers.some(({ layer }) => layer === 'flood');
  const placeCounties = [...new Set(places.map((place) => place.fips))];
  if (hasNewAreas) report.stamped = await restamp(client, stamp, placeCounties, null, isFlood && isNewLayer);
  else if (targets.includes('properties')) report.stamped = await restamp(client, stamp, counties, stamp.loadId, true);

  if (!market) {
    for (const id of new Set(places.map((place) => place.market))) await sql.coverByNation(client, id);
    return;
  }
  for (const place of places) {
    for (const { layer, from, to } of dataset.layers) {
      const recordCount = await sql.countRecords(client, layer, place.fips, dataset.id);
      await sql.upsertCoverage(client, stamp, {
        ...place,
        layer,
        from: from ?? null,
        to: to ?? null,
        publishedOn: dataset.publishedOn,
        recordCount,
      });
    }
  }
  if (targets.includes('properties')) {
    await sql.refreshCounts(client, market);
    await sql.coverByNation(client, market);
  }
}

/** Rows whose property is not known go to quarantine too: a later load of parcels may bring it, and a replay joins them. */
async function quarantineUnjoined(
  client: Client,
  dataset: Dataset,
  files: FetchedFile[],
  report: LoadReport,
  options: LoadOptions,
): Promise<void> {
  const unjoined = await stage.listUnjoined(client);
  if (unjoined.length === 0) return;
  const wanted = new Map<string, Map<number, string>>();
  for (const { target, file, line } of unjoined) {
    if (!wanted.has(file)) wanted.set(file, new Map());
    wanted.get(file)!.set(Number(line), `${target}: parcel_unknown`);
  }
  let batch: sql.QuarantinedRow[] = [];
  const keep = async (row: Row, header: string[], file: string) => {
    const reason = wanted.get(file)?.get(row.line);
    if (!reason) return;
    report.rowsQuarantined++;
    report.quarantinedByReason[reason] = (report.quarantinedByReason[reason] ?? 0) + 1;
    batch.push({ file, line: row.line, reason, row: rowOf(row, header) });
    if (batch.length >= FLUSH_ROWS) await sql.copyQuarantined(client, batch.splice(0));
  };
  for (const file of files) {
    if (!wanted.has(file.name)) continue;
    const { header, rows } = await openTableOf(dataset, file);
    for await (const rowsOfBatch of rows) for (const row of rowsOfBatch) await keep(row, header, file.name);
  }
  for (const { header, file, rows } of options.replay ?? []) for (const row of rows) await keep(row, header, file);
  if (batch.length > 0) await sql.copyQuarantined(client, batch);
}
