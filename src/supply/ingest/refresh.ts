// Keeps loaded data fresh: checks each publisher at its cadence, loads new data and records the changes.
import { listFreshness } from './freshness.ts';
import { ingest, type IngestDeps, type IngestOptions } from './ingest.ts';
import { isRemote } from './fetch/fetch.ts';
import type { LoadReport } from './report.ts';
import type { Dataset, Source } from './source.ts';
import { findDataset } from './states.ts';
import * as sql from './write/refresh-sql.ts';

type Refresh = sql.RefreshRow;

interface RefreshOptions extends Pick<IngestOptions, 'from' | 'accept' | 'download' | 'afterLoad' | 'onReport'> {
  /** Only datasets that are due. */
  due?: boolean;
  /** Only these sources or datasets. */
  names?: string[];
  onRefresh?: (refresh: Refresh) => void;
}

/** Returns the checks; undefined if another process is refreshing now. */
export async function refresh(
  deps: IngestDeps,
  all: Source[],
  options: RefreshOptions,
): Promise<Refresh[] | undefined> {
  const client = await deps.data.connect();
  try {
    return await sql.holdRefresh(client, async () => {
      const done: Refresh[] = [];
      for (const [source, datasets] of await chooseDatasets(deps, all, options))
        done.push(...(await refreshSource(deps, { ...source, datasets }, all, options)));
      return done;
    });
  } finally {
    client.release(true);
  }
}

async function chooseDatasets(
  deps: IngestDeps,
  all: Source[],
  { due, names, from }: RefreshOptions,
): Promise<Map<Source, Dataset[]>> {
  const chosen = new Map<Source, Dataset[]>();
  const isNamed = (id: string) => !names || names.some((name) => id === name || id.startsWith(`${name}/`));
  for (const { sourceId, isDue } of await listFreshness(deps, due ? 'late' : undefined)) {
    if (!isNamed(sourceId) || (due && !isDue)) continue;
    const found = findDataset(all, sourceId);
    if (!found || !canFetch(found.dataset, from)) continue;
    chosen.set(found.source, [...(chosen.get(found.source) ?? []), found.dataset]);
  }
  // A place's datasets in the order of its recipe, because later ones join to earlier ones; layers before places.
  const ordered = [...chosen].sort(([a], [b]) => all.indexOf(a) - all.indexOf(b));
  return new Map(ordered.map(([source, datasets]) => [source, inOrderOf(source, datasets)]));
}

function inOrderOf(source: Source, datasets: Dataset[]): Dataset[] {
  const place = ({ id }: Dataset) =>
    source.datasets.findIndex((item) => id === item.id || (item.ofState && id === `${item.id}-${id.slice(-2)}`));
  return datasets.toSorted((a, b) => place(a) - place(b));
}

/** Files without a URL must be supplied by hand. */
function canFetch({ files }: Dataset, from: string): boolean {
  if (from !== 'publisher') return true;
  return (
    files.some(({ url, listing }) => url || listing) && files.every((file) => file.url || file.listing || file.optional)
  );
}

async function refreshSource(
  deps: IngestDeps,
  source: Source,
  all: Source[],
  options: RefreshOptions,
): Promise<Refresh[]> {
  const done: Refresh[] = [];
  let startedAt = deps.clock();
  const note = async (row: Omit<Refresh, 'startedAt' | 'finishedAt'>) => {
    const finishedAt = deps.clock();
    const looked = { ...row, startedAt, finishedAt };
    startedAt = finishedAt;
    await sql.insertRefresh(deps.data, looked);
    done.push(looked);
    options.onRefresh?.(looked);
  };
  const failed = { outcome: 'failed', loadId: null, rowsRead: 0, changes: {} } as const;
  await ingest(deps, [source], all, {
    ...options,
    prefersRecipeFolder: !isRemote(options.from),
    datasets: source.datasets.map(({ id }) => id),
    onReport: async (report) => {
      await options.onReport?.(report);
      await note(describe(report));
    },
    onFailure: ({ id, error }) => note({ ...failed, sourceId: id, error: firstLine(error) }),
  }).catch((error: unknown) => {
    // Dataset failures are recorded one by one; anything else is rethrown.
    if (!done.some(({ outcome }) => outcome === 'failed')) throw error;
  });
  return done;
}

const firstLine = (error: Error) => error.message.split('\n')[0].slice(0, 300);

function describe(report: LoadReport): Omit<Refresh, 'startedAt' | 'finishedAt'> {
  const isNew = report.outcome === 'completed';
  const changes = Object.entries(report.targets).map(([target, { inserted, updated, retired }]) => {
    const counts = Object.entries({ inserted, updated, retired }).filter(([, count]) => count > 0);
    return [target, Object.fromEntries(counts)] as const;
  });
  return {
    sourceId: report.sourceId,
    outcome: isNew ? 'updated' : 'unchanged',
    loadId: report.loadId,
    rowsRead: report.rowsRead,
    changes: isNew ? Object.fromEntries(changes.filter(([, counts]) => Object.keys(counts).length > 0)) : {},
    error: null,
  };
}

export function formatRefresh({ sourceId, outcome, rowsRead, changes, error }: Refresh): string {
  if (outcome === 'failed') return `${sourceId}: failed: ${error}`;
  if (outcome === 'unchanged') return `${sourceId}: nothing new`;
  const parts = Object.entries(changes).map(([target, counts]) => {
    const words = Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`);
    return `${target.replaceAll('_', ' ')} ${words.join(', ')}`;
  });
  return `${sourceId}: ${rowsRead.toLocaleString('en')} rows, ${parts.join('; ') || 'no changes'}`;
}
