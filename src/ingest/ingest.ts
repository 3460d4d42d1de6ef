// Loading public records: what the commands ingest, quarantine and markets do.
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
  /** Where downloads are kept. */
  cacheFolder: string;
  /** Progress and warnings; undefined keeps quiet. */
  write?: (text: string) => void;
}

export interface IngestOptions {
  /** A folder, an address, or `publisher` for the addresses that the sources state. */
  from: string;
  /** Only these datasets, by id or by the part behind the slash. */
  datasets?: string[];
  force?: boolean;
  /** Called at the end of each dataset: a later one that fails must not take the reports of the others with it. */
  onReport?: (report: LoadReport) => void;
  /** Called once per market that changed, when its data is committed. */
  afterLoad?: (market: string, changed: string[] | 'all') => Promise<void>;
}

/** More ids than this are passed on as "all": the follow-up work then reads the market as a whole. */
const MANY_CHANGES = 50_000;

/** Loads the datasets of some sources in their order; each is a transaction of its own. */
export async function ingest(
  deps: IngestDeps,
  sources: Source[],
  all: Source[],
  options: IngestOptions,
): Promise<LoadReport[]> {
  const reports: LoadReport[] = [];
  const client = await sql.openLoadClient(deps.data, () => deps.write?.('waiting for another load to end\n'));
  try {
    for (const source of sources) {
      const datasets = chooseDatasets(source, options.datasets);
      for (const [position, dataset] of datasets.entries()) {
        const report = await loadDataset(client, source, dataset, {
          place: { from: options.from, cache: deps.cacheFolder },
          force: options.force,
          clock: deps.clock,
          makeProgress: deps.write ? (label, bytes) => showProgress(label, bytes, deps.write!) : () => noProgress,
          authorityOf: authorityIn(all),
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

function chooseDatasets(source: Source, wanted?: string[]): Dataset[] {
  if (!wanted) return source.datasets.filter((dataset) => !dataset.onRequest);
  const chosen = source.datasets.filter(({ id }) => wanted.includes(id) || wanted.includes(id.split('/')[1]));
  if (chosen.length === 0) {
    throw new CommandError(
      `${source.id} has no dataset ${wanted.join(', ')}, but ${source.datasets.map(({ id }) => id).join(', ')}.`,
    );
  }
  return chosen;
}

/** `milwaukee-wi` names a source, `milwaukee-wi/sales` one of its datasets. */
export function findSources(all: Source[], names: string[]): { sources: Source[]; datasets: string[] } {
  const sources: Source[] = [];
  const datasets: string[] = [];
  for (const name of names) {
    const source = all.find(({ id }) => id === name.split('/')[0]);
    if (!source) throw new CommandError(`There is no source ${name}. There are ${all.map(({ id }) => id).join(', ')}.`);
    if (!sources.includes(source)) sources.push(source);
    if (name.includes('/')) datasets.push(name);
    else datasets.push(...source.datasets.filter(({ onRequest }) => !onRequest).map(({ id }) => id));
  }
  return { sources, datasets };
}

function authorityIn(all: Source[]): (sourceId: string) => number {
  const known = new Map(
    all.flatMap((source) => source.datasets).map((dataset) => [dataset.id, dataset.authority ?? 1]),
  );
  return (sourceId) => known.get(sourceId) ?? 1;
}

/** Bad rows by source and reason. Values are left out: a cell may be a person's name. */
export function listQuarantine(
  deps: Pick<IngestDeps, 'data'>,
  sourceId?: string,
): Promise<quarantine.QuarantineGroup[]> {
  return quarantine.listQuarantine(deps.data, sourceId);
}

/** Tries quarantined rows again, after a map was mended or a missing parcel has come. */
export async function replayQuarantine(deps: IngestDeps, all: Source[], name: string): Promise<LoadReport[]> {
  const { sources, datasets } = findSources(all, [name]);
  const client = await sql.openLoadClient(deps.data, () => deps.write?.('waiting for another load to end\n'));
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
            authorityOf: authorityIn(all),
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

/** What is loaded where, how fresh, from whom and under which terms. */
export function listMarkets(deps: Pick<IngestDeps, 'data'>): Promise<coverage.MarketRow[]> {
  return coverage.listMarketRows(deps.data);
}
