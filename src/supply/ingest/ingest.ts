// Loads public records: the work behind the ingest, quarantine and markets commands.
// One room because a recipe defines how a file is fetched, read, mapped and written, and all four change with it.
import { inTransaction, isDatabaseAway, type Client, type Pool } from '../../base/db/postgres.ts';
import type { Clock } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { bringsHomes } from './examine.ts';
import { loadDataset } from './load.ts';
import type { Addresses, Before, LoadOptions } from './load-context.ts';
import { noProgress, showProgress, type Progress } from './progress.ts';
import type { DownloadOptions } from './fetch/download.ts';
import type { LoadReport } from './report.ts';
import type { Dataset, Source } from './source.ts';
import { findDataset } from './states.ts';
import * as quarantine from './write/quarantine-sql.ts';
import * as sql from './write/sql.ts';

export { listExaminedLoads, listMarketRows as listMarkets } from './write/coverage-sql.ts';
export { listQuarantine } from './write/quarantine-sql.ts';
export { findNewest as findNewestLoad } from './write/sql.ts';

export interface IngestDeps {
  data: Pool;
  clock: Clock;
  /** Where downloads are cached. */
  cacheFolder: string;
  /** How street addresses are parsed, indexed and found. */
  addresses?: Addresses;
  /** Receives progress and warnings; silent if undefined. */
  write?: (text: string) => void;
  /** Follows each dataset; by default in lines to `write`. */
  makeProgress?: (label: string, totalBytes: number) => Progress;
}

export interface IngestOptions extends Pick<LoadOptions, 'accept' | 'isTrial' | 'findBefore'> {
  /** A folder, a URL, or `publisher` to use the URLs each source declares. */
  from: string;
  /** Look for the files of a recipe next to it rather than in `from`. */
  prefersRecipeFolder?: boolean;
  /** Only these datasets, by full id or by the part after the slash. */
  datasets?: string[];
  /** How patient downloads are. */
  download?: Pick<DownloadOptions, 'attempts' | 'waitMs' | 'stallMs'>;
  /** Called after each dataset, so that a later failure does not lose the reports of earlier ones. */
  onReport?: (report: LoadReport) => void | Promise<void>;
  /** Called for a failed dataset; the others are still loaded. */
  onFailure?: (failure: LoadFailure) => void | Promise<void>;
  /** Called once per changed market, after its data is committed. */
  afterLoad?: (market: string, changed: string[] | 'all') => Promise<void>;
}

export interface LoadFailure {
  /** The id of the dataset, or of the market whose follow-up work failed. */
  id: string;
  error: Error;
}

/** Above this many changed ids, follow-up work receives "all" and rereads the whole market. */
const MANY_CHANGES = 50_000;

/** Loads the datasets of the given sources in order, each in its own transaction. A failed one does not prevent the
    others; the failures are thrown at the end. */
export async function ingest(
  deps: IngestDeps,
  sources: Source[],
  all: Source[],
  options: IngestOptions,
): Promise<LoadReport[]> {
  const reports: LoadReport[] = [];
  const failures: LoadFailure[] = [];
  const authorityOf = await readAuthorities(deps.data, all);
  const chosen = sources.map((source) => ({ source, datasets: chooseDatasets(source, options.datasets) }));
  for (const { source, datasets } of chosen) {
    const client = await sql.openLoadClient(deps.data);
    const run: Run = { deps, client, source, datasets, options, authorityOf };
    try {
      await sql.holdPlace(client, placeOf(source), waitNotice(deps));
      await loadDatasets(run, reports, failures);
      await collect(failures, placeOf(source), options, () => followUp(run));
    } finally {
      await sql.closeLoadClient(client);
    }
  }
  if (failures.length > 0) throw summarize(failures, reports.length);
  return reports;
}

interface Run {
  deps: IngestDeps;
  client: Client;
  source: Source;
  datasets: Dataset[];
  options: IngestOptions;
  authorityOf: (sourceId: string) => number;
}

const writeProgress = ({ write }: IngestDeps) =>
  write ? (label: string, bytes: number) => showProgress(label, bytes, write) : () => noProgress;
const placeOf = (source: Source) => source.market?.id ?? source.id;
const waitNotice = (deps: IngestDeps) => () => deps.write?.('Waiting for another load to finish\n');

async function loadDatasets(run: Run, reports: LoadReport[], failures: LoadFailure[]): Promise<void> {
  const { deps, client, source, datasets, options } = run;
  for (const [position, dataset] of datasets.entries()) {
    const isLoaded = await collect(failures, dataset.id, options, async () => {
      const report = await loadDataset(client, source, dataset, {
        place: {
          ...options.download,
          from: folderOf(source, options),
          cache: deps.cacheFolder,
          thisYear: deps.clock().getUTCFullYear(),
          onNote: (text) => deps.write?.(`${text}\n`),
        },
        ...options,
        clock: deps.clock,
        makeProgress: deps.makeProgress ?? writeProgress(deps),
        onWait: waitNotice(deps),
        addresses: deps.addresses,
        authorityOf: run.authorityOf,
        willCover: datasets.slice(position).flatMap(({ layers }) => layers.map(({ layer }) => layer)),
      });
      reports.push(report);
      await options.onReport?.(report);
    });
    // Without a place's parcels, its other records would only fill the quarantine.
    if (isLoaded || !bringsHomes(dataset) || (await sql.findLastLoad(client, dataset.id))) continue;
    for (const { id } of datasets.slice(position + 1)) {
      const error = new CommandError(`${id}: not loaded, because ${dataset.id} has never been.`);
      await collect(failures, id, options, () => Promise.reject(error));
    }
    return;
  }
}

/** Returns whether the work was done. An unreachable database ends the run, since everything else would fail too. */
async function collect(failures: LoadFailure[], id: string, { onFailure }: IngestOptions, work: () => Promise<void>) {
  try {
    await work();
    return true;
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const failure = { id, error: error as Error };
    failures.push(failure);
    await onFailure?.(failure);
    return false;
  }
}

/** One line that names the dataset. */
export function describeFailure({ id, error }: LoadFailure): string {
  const line = error.message.split('\n')[0];
  return line.startsWith(id) ? line : `${id}: ${line}`;
}

function summarize(failures: LoadFailure[], loaded: number): Error {
  if (failures.length === 1) return failures[0].error;
  const lines = failures.map((failure) => `  ${describeFailure(failure)}`);
  return new CommandError(`${loaded} loaded, ${failures.length} not:\n${lines.join('\n')}`);
}

async function followUp({ client, source, datasets, options }: Run): Promise<void> {
  if (!options.afterLoad) return;
  const ids = datasets.map(({ id }) => id);
  const loads = await sql.listUnfollowed(client, ids);
  if (loads.length === 0) return;
  // A nationwide file changes properties of any market.
  const changed = Map.groupBy(await sql.listChanged(client, loads), ({ market }) => source.market?.id ?? market);
  for (const [market, rows] of changed)
    await options.afterLoad(market, rows.length > MANY_CHANGES ? 'all' : rows.map((row) => row.property_id));
  await sql.markFollowed(client, loads);
}

const folderOf = (source: Source, { from, prefersRecipeFolder }: IngestOptions): string =>
  prefersRecipeFolder ? (source.folder ?? from) : from;

function chooseDatasets(source: Source, wanted?: string[]): Dataset[] {
  if (!wanted) return source.datasets.filter((dataset) => !dataset.onRequest);
  const chosen = source.datasets.filter(({ id }) => wanted.includes(id) || wanted.includes(id.split('/')[1]));
  if (chosen.length === 0) {
    throw new CommandError(
      `${source.id} has no dataset ${wanted.join(', ')}. It has ${source.datasets.map(({ id }) => id).join(', ')}.`,
    );
  }
  const byState = chosen.find(({ ofState }) => ofState);
  if (byState) throw new CommandError(`${byState.id} comes by state: add --state WI, several as WI,IL, or all.`);
  return chosen;
}

/** `milwaukee-wi` names a source; `milwaukee-wi/sales` one of its datasets; `us-nfhl/states-wi` one of a state. */
export function findSources(all: Source[], names: string[]): { sources: Source[]; datasets: string[] } {
  const sources: Source[] = [];
  const datasets: string[] = [];
  for (const name of names) {
    const byState = findDataset(all, name);
    const source = byState?.dataset.state
      ? { ...byState.source, datasets: [byState.dataset] }
      : all.find(({ id }) => id === name.split('/')[0]);
    if (!source)
      throw new CommandError(`Unknown source ${name}. Known sources: ${all.map(({ id }) => id).join(', ')}.`);
    if (!sources.includes(source)) sources.push(source);
    if (name.includes('/')) datasets.push(name);
    else datasets.push(...source.datasets.filter(({ onRequest }) => !onRequest).map(({ id }) => id));
  }
  return { sources, datasets };
}

/** For datasets whose recipes are not available, uses what was stored at load time. */
async function readAuthorities(data: Pool, all: Source[]): Promise<(sourceId: string) => number> {
  const known = await sql.listAuthorities(data);
  for (const { id, authority = 1 } of all.flatMap((source) => source.datasets)) known.set(id, authority);
  return (sourceId) => known.get(sourceId) ?? 1;
}

/** Retries quarantined rows, for example after a field map was fixed or a missing parcel was loaded. */
export async function replayQuarantine(deps: IngestDeps, all: Source[], name: string): Promise<LoadReport[]> {
  const { sources, datasets } = findSources(all, [name]);
  const authorityOf = await readAuthorities(deps.data, all);
  const client = await sql.openLoadClient(deps.data);
  const reports: LoadReport[] = [];
  try {
    for (const source of sources) {
      await sql.holdPlace(client, placeOf(source), waitNotice(deps));
      for (const dataset of name.includes('/') ? chooseDatasets(source, datasets) : source.datasets) {
        const kept = await quarantine.listQuarantinedRows(client, dataset.id);
        if (kept.length === 0) continue;
        reports.push(
          await loadDataset(client, source, dataset, {
            place: { from: '', cache: deps.cacheFolder },
            clock: deps.clock,
            makeProgress: () => noProgress,
            onWait: waitNotice(deps),
            authorityOf,
            replay: asTables(kept),
          }),
        );
      }
    }
  } finally {
    await sql.closeLoadClient(client);
  }
  return reports;
}

function asTables(kept: Awaited<ReturnType<typeof quarantine.listQuarantinedRows>>) {
  const header = [...new Set(kept.flatMap((row) => Object.keys(row.row_data)))];
  const files = Map.groupBy(kept, (row) => row.file);
  return [...files].map(([file, rows]) => ({
    header,
    file,
    rows: rows.map((row) => ({ line: Number(row.line), cells: header.map((name) => row.row_data[name] ?? '') })),
  }));
}

/** The figures and findings of a dataset's last complete load; undefined if it was never loaded. */
export const findNewestExamination = async ({ data }: Pick<IngestDeps, 'data'>, sourceId: string) =>
  (await sql.hasLoads(data)) ? ((await sql.findLastLoad(data, sourceId))?.counts as Before | undefined) : undefined;

/** Records that the caller has done a load's follow-up work, such as values. */
export async function markFollowed({ data }: Pick<IngestDeps, 'data'>, sourceId: string): Promise<void> {
  await sql.markFollowed(data, await sql.listUnfollowed(data, [sourceId]));
}

/** Removes everything loaded into a market, so it can be reloaded. */
export const removeMarket = ({ data }: Pick<IngestDeps, 'data'>, market: string, counties: number[]): Promise<void> =>
  inTransaction(data, (client) => sql.removeMarket(client, market, counties));
