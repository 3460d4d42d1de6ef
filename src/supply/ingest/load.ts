// Loads one dataset: reads and stages every file, checks the result, then changes the data in one transaction.
import { createHash } from 'node:crypto';
import { analyzeCounties } from '../../base/db/distribution.ts';
import { endRebuild } from '../../base/db/rebuild.ts';
import type { Client } from '../../base/db/postgres.ts';
import { applyStage, MANY_ROWS, mayRebuildTables } from './write/apply.ts';
import { examineAddresses, examineChanges, examineRows, openExaminer } from './examine.ts';
import { fetchFiles, type FetchedFile } from './fetch/fetch.ts';
import { joinRelated } from './related.ts';
import { datedBy } from './fetch/names.ts';
import type { LoadContext, LoadOptions } from './load-context.ts';
import * as quarantine from './write/quarantine-sql.ts';
import { countsOf, emptyReport, type LoadReport } from './report.ts';
import type { Dataset, Source, Target } from './source.ts';
import { listMarketCounties } from './write/coverage-sql.ts';
import * as sql from './write/sql.ts';
import { checkRows, hasFinder, openTables, quarantineUnjoined, stageRows } from './write/staging.ts';

/** Accepted like a finding, to load the same files again. */
const UNCHANGED = 'unchanged';

export async function loadDataset(
  client: Client,
  source: Source,
  described: Dataset,
  options: LoadOptions,
): Promise<LoadReport> {
  const started = performance.now();
  const arrival = options.makeProgress(described.id, 0);
  const place = { ...options.place, onBytes: arrival.received };
  const fetched = options.replay ? [] : await fetchFiles(described, described.files, place);
  const files = described.related
    ? await arrival.during('joining related tables', 0, () => joinRelated(described, fetched, place))
    : fetched;
  const dataset = datedBy(described, files);
  return sql.holdLoads(client, { isAlone: source.market === undefined, onWait: options.onWait }, () =>
    loadFiles({ client, source, dataset, options, files, started }),
  );
}

type Fetched = Pick<LoadContext, 'client' | 'source' | 'dataset' | 'options' | 'files'> & { started: number };

async function loadFiles({ client, source, dataset, options, files, started }: Fetched): Promise<LoadReport> {
  const report = emptyReport(dataset.id, source.market?.id ?? null);
  const definition = describeDataset(dataset, source);
  const last = await sql.findLastLoad(client, dataset.id);
  report.files = files.length;
  const isAccepted = options.accept?.ids.includes(UNCHANGED);
  if (last && !isAccepted && !options.replay && isSameInput(last, files, definition)) {
    return { ...report, outcome: 'unchanged', loadId: last.id };
  }
  const tables = await openTables(dataset, files);

  const at = options.clock();
  await sql.insertSource(client, dataset, definition.json);
  await sql.insertMarket(client, source);
  report.loadId = await sql.insertLoad(client, dataset.id, source.market?.id ?? null, at);
  const load: LoadContext = {
    client,
    source,
    dataset,
    options,
    files,
    targets: [...new Set(dataset.records.map((record) => record.into))],
    counties: source.market ? source.counties.map((county) => county.fips) : await countiesToFill(client, dataset),
    market: source.market,
    loadId: report.loadId,
    at,
    isFirst: last === undefined,
    makesEvents: last !== undefined,
    isReplay: options.replay !== undefined,
    isRecipeChanged: last !== undefined && last.counts.definition !== definition.hash,
    isRekeyed: last?.counts.key !== undefined && last.counts.key !== definition.key,
    examiner: options.replay ? undefined : openExaminer(source, dataset, options.addresses),
    before: last?.counts ?? (await options.findBefore?.(dataset.id)),
    lastStaged: stagedBy(last),
    progress: options.makeProgress(
      dataset.id,
      files.reduce((sum, { bytes }) => sum + bytes, 0),
    ),
    analyzed: new Set(),
    report,
  };
  try {
    await stageRows(load, tables);
    checkRows(load);
    const figures = examineRows(load);
    await sql.inTransactionOf(client, async () => {
      await sql.holdTables(client, mayRebuildTables(load));
      const rebuilt = await applyStage(load);
      await load.progress.during('examining changes', report.rowsRead, () => examineChanges(load));
      await load.progress.during('asking for addresses', report.rowsRead, () => examineAddresses(load));
      await quarantineUnjoined(load);
      await quarantine.writeQuarantine(load);
      if (load.isReplay) await quarantine.markReplayed(load);
      report.seconds = (performance.now() - started) / 1000;
      const described = files.map(({ name, bytes, sha256 }) => ({ path: name, bytes, sha256 }));
      const kept = load.isReplay && last ? last.files : described;
      const staged = load.isReplay ? load.lastStaged : stagedIn(report);
      await sql.completeLoad(load, kept, {
        ...report,
        figures,
        staged,
        definition: definition.hash,
        key: definition.key,
      });
      await endRebuild(client, rebuilt);
    });
    // Fresh statistics only after a big change: analyzing a large table takes seconds.
    const grown: string[] = load.targets.filter((target) => isGrown(report, target) && !load.analyzed.has(target));
    // The next load joins its rows with this one's claims.
    if (grown.includes('properties')) grown.push('property_claims');
    if (grown.length > 0)
      await analyzeCounties(client, grown, { counties: load.counties, columnsOf: sql.analyzedColumns });
    load.progress.done();
    return report;
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0].slice(0, 300);
    await sql.failLoad(load, reason, { findings: report.findings }).catch(() => {});
    throw error;
  }
}

/** A nationwide file that fills properties applies to every market, or every market in its state. */
async function countiesToFill(client: Client, dataset: Dataset): Promise<number[]> {
  if (!hasFinder(dataset)) return [];
  const places = await listMarketCounties(client, undefined);
  const counties = new Set(places.map(({ fips }) => fips));
  return [...counties].filter((fips) => !dataset.state || Math.floor(fips / 1000) === Number(dataset.state.fips));
}

type Staged = LoadContext['lastStaged'];

const stagedIn = ({ targets }: Pick<LoadReport, 'targets'>): Staged =>
  Object.fromEntries(Object.entries(targets).map(([target, counts]) => [target, counts.staged]));

/** A replay keeps the counts of the load before it. */
function stagedBy(last: { counts: Record<string, unknown> } | undefined): Staged {
  if (!last) return {};
  const { staged, targets } = last.counts as { staged?: Staged; targets?: LoadReport['targets'] };
  return staged ?? stagedIn({ targets: targets ?? {} });
}

function isGrown(report: LoadReport, target: Target): boolean {
  const { inserted, updated } = countsOf(report, target);
  return inserted + updated > MANY_ROWS;
}

const isSameInput = (
  last: { files: sql.LoadedFile[]; counts: Record<string, unknown> },
  files: FetchedFile[],
  definition: { hash: string },
): boolean =>
  last.counts.definition === definition.hash &&
  last.files.length === files.length &&
  files.every((file, i) => last.files[i].sha256 === file.sha256);

/** A description of the recipe for change detection: fields by their columns and functions, functions by their source
    text. */
function describeDataset(dataset: Dataset, { layers = [] }: Source) {
  const defines = layers.filter(({ name }) => dataset.layers.some(({ layer }) => layer === name));
  const text = JSON.stringify({ ...dataset, ...(defines.length > 0 && { defines }) }, (_, value) =>
    value && typeof value === 'object' && typeof value.read === 'function'
      ? {
          kind: value.kind,
          columns: value.columns,
          read: value.kind === 'derived' ? String(value.read) : undefined,
          ...(value.optional && { optional: true }),
        }
      : value,
  );
  const json = JSON.parse(text) as Pick<Dataset, 'key' | 'records'>;
  const keys = [json.key, ...json.records.filter(({ into }) => into === 'properties').map(({ key }) => key)];
  return { json, hash: createHash('sha256').update(text).digest('hex'), key: JSON.stringify(keys) };
}
