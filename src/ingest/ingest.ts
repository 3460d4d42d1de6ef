// Loads public records: the work behind the ingest, quarantine and markets commands.
import type { Pool } from '../db/postgres.ts';
import type { Clock } from '../lib/clock.ts';
import { CommandError } from '../lib/command-error.ts';
import { loadDataset } from './load.ts';
import { noProgress, showProgress } from './progress.ts';
import type { LoadReport } from './report.ts';
import type { Dataset, Source } from './source.ts';
import * as coverage from './write/coverage-sql.ts';
import * as quarantine from './write/quarantine-sql.ts';
import * as sql from './write/sql.ts';

export interface IngestDeps {
  data: Pool;
  clock: Clock;
  /** Where downloads are cached. */
  cacheFolder: string;
  /** Receives progress and warnings; silent if undefined. */
  write?: (text: string) => void;
}

interface IngestOptions {
  /** A folder, a URL, or `publisher` to use the URLs each source declares. */
  from: string;
  /** Look for the files of a recipe next to it rather than in `from`. */
  prefersRecipeFolder?: boolean;
  /** Only these datasets, by full id or by the part after the slash. */
  datasets?: string[];
  force?: boolean;
  /** Called after each dataset, so that a later failure does not lose the reports of earlier ones. */
  onReport?: (report: LoadReport) => void;
  /** Called once per changed market, after its data is committed. */
  afterLoad?: (market: string, changed: string[] | 'all') => Promise<void>;
}

/** Above this many changed ids, follow-up work receives "all" and rereads the whole market. */
const MANY_CHANGES = 50_000;

/** Loads the datasets of the given sources in order, each in its own transaction. */
export async function ingest(
  deps: IngestDeps,
  sources: Source[],
  all: Source[],
  options: IngestOptions,
): Promise<LoadReport[]> {
  const reports: LoadReport[] = [];
  const authorityOf = await readAuthorities(deps.data, all);
  const client = await sql.openLoadClient(deps.data, () => deps.write?.('Waiting for another load to finish\n'));
  try {
    for (const source of sources) {
      const datasets = chooseDatasets(source, options.datasets);
      for (const [position, dataset] of datasets.entries()) {
        const report = await loadDataset(client, source, dataset, {
          place: { from: folderOf(source, options), cache: deps.cacheFolder },
          force: options.force,
          clock: deps.clock,
          makeProgress: deps.write ? (label, bytes) => showProgress(label, bytes, deps.write!) : () => noProgress,
          authorityOf,
          willCover: datasets.slice(position).flatMap(({ layers }) => layers.map(({ layer }) => layer)),
        });
        reports.push(report);
        options.onReport?.(report);
      }
      if (source.market && options.afterLoad) {
        const loads = await sql.listUnfollowed(
          client,
          datasets.map(({ id }) => id),
        );
        const changed = loads.length > 0 ? await sql.listChangedIds(client, loads) : [];
        if (changed.length > 0)
          await options.afterLoad(source.market.id, changed.length > MANY_CHANGES ? 'all' : changed);
        await sql.markFollowed(client, loads);
      }
    }
  } finally {
    sql.closeLoadClient(client);
  }
  return reports;
}

function folderOf(source: Source, { from, prefersRecipeFolder }: IngestOptions): string {
  return prefersRecipeFolder ? (source.folder ?? from) : from;
}

function chooseDatasets(source: Source, wanted?: string[]): Dataset[] {
  if (!wanted) return source.datasets.filter((dataset) => !dataset.onRequest);
  const chosen = source.datasets.filter(({ id }) => wanted.includes(id) || wanted.includes(id.split('/')[1]));
  if (chosen.length === 0) {
    throw new CommandError(
      `${source.id} has no dataset ${wanted.join(', ')}. It has ${source.datasets.map(({ id }) => id).join(', ')}.`,
    );
  }
  return chosen;
}

/** `milwaukee-wi` names a source; `milwaukee-wi/sales` names one of its datasets. */
export function findSources(all: Source[], names: string[]): { sources: Source[]; datasets: string[] } {
  const sources: Source[] = [];
  const datasets: string[] = [];
  for (const name of names) {
    const source = all.find(({ id }) => id === name.split('/')[0]);
    if (!source)
      throw new CommandError(`Unknown source ${name}. Known sources: ${all.map(({ id }) => id).join(', ')}.`);
    if (!sources.includes(source)) sources.push(source);
    if (name.includes('/')) datasets.push(name);
    else datasets.push(...source.datasets.filter(({ onRequest }) => !onRequest).map(({ id }) => id));
  }
  return { sources, datasets };
}

/** Datasets of recipes that are not at hand now are known by what was stored when they were loaded. */
async function readAuthorities(data: Pool, all: Source[]): Promise<(sourceId: string) => number> {
  const stored = await sql.listAuthorities(data);
  const current = authorityIn(all);
  return (sourceId) => current(sourceId) ?? stored.get(sourceId) ?? 1;
}

function authorityIn(all: Source[]): (sourceId: string) => number | undefined {
  const known = new Map(
    all.flatMap((source) => source.datasets).map((dataset) => [dataset.id, dataset.authority ?? 1]),
  );
  return (sourceId) => known.get(sourceId);
}

/** Counts bad rows by source and reason. Cell values are left out because they may be people's names. */
export function listQuarantine(
  deps: Pick<IngestDeps, 'data'>,
  sourceId?: string,
): Promise<quarantine.QuarantineGroup[]> {
  return quarantine.listQuarantine(deps.data, sourceId);
}

/** Retries quarantined rows, for example after a field map was fixed or a missing parcel was loaded. */
export async function replayQuarantine(deps: IngestDeps, all: Source[], name: string): Promise<LoadReport[]> {
  const { sources, datasets } = findSources(all, [name]);
  const authorityOf = await readAuthorities(deps.data, all);
  const client = await sql.openLoadClient(deps.data, () => deps.write?.('Waiting for another load to finish\n'));
  const reports: LoadReport[] = [];
  try {
    for (const source of sources) {
      for (const dataset of name.includes('/') ? chooseDatasets(source, datasets) : source.datasets) {
        const kept = await quarantine.listQuarantinedRows(client, dataset.id);
        if (kept.length === 0) continue;
        reports.push(
          await loadDataset(client, source, dataset, {
            place: { from: '', cache: deps.cacheFolder },
            clock: deps.clock,
            makeProgress: () => noProgress,
            authorityOf,
            replay: asTables(kept),
          }),
        );
      }
    }
  } finally {
    sql.closeLoadClient(client);
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

/** Lists what is loaded in each market: how fresh it is, who published it, and under which terms. */
export function listMarkets(deps: Pick<IngestDeps, 'data'>): Promise<coverage.MarketRow[]> {
  return coverage.listMarketRows(deps.data);
}
