// Refreshes sources in the background, and updates everything derived from records after a load.
import { join } from 'node:path';
import { readSources } from '../../sources/sources.ts';
import { addresses, indexCounty } from '../records/address/filing.ts';
import { deriveTenure } from '../records/owners/derive.ts';
import { fileNames } from '../records/owners/filing.ts';
import { rollUpMarket } from '../insight/analytics/analytics.ts';
import { calibrateRents } from '../insight/rents/rents.ts';
import { openLongPool } from '../base/db/postgres.ts';
import type { Deps } from '../base/deps.ts';
import { listFreshness } from '../supply/ingest/freshness.ts';
import type { IngestDeps } from '../supply/ingest/ingest.ts';
import { noProgress, type Progress as LoadProgress } from '../supply/ingest/progress.ts';
import { formatRefresh, refresh } from '../supply/ingest/refresh.ts';
import type { Source } from '../supply/ingest/source.ts';
import { valueMarket } from '../insight/valuations/bulk.ts';
import { hasModel } from '../insight/valuations/valuations.ts';

/** Loading a city takes single statements of minutes; requests keep the short timeout. */
export const LOAD_TIMEOUT_MS = 600_000;

export const loadingDeps = (deps: Deps, write?: (text: string) => void): IngestDeps => ({
  data: deps.data,
  clock: deps.clock,
  cacheFolder: join(deps.config.home, 'downloads'),
  addresses,
  write,
});

/** Updates the data derived from a market's records: address and name indexes, model values, sales statistics. */
export async function followLoad(
  deps: Deps,
  all: Source[],
  market: string,
  { during }: Pick<LoadProgress, 'during'> = noProgress,
): Promise<void> {
  const source = all.find((item) => item.market?.id === market);
  deps.catalog.forget();
  const homes = (await deps.catalog.read()).counts
    .filter((row) => row.market === market)
    .reduce((sum, { property_count }) => sum + property_count, 0);
  await during('filing addresses', homes, async () => {
    for (const { fips } of source?.counties ?? []) await indexCounty(deps, fips, source?.addressWords);
  });
  await during('filing names', homes, async () => {
    for (const { fips } of source?.counties ?? []) await fileNames(deps, fips, market);
  });
  if (await hasModel(deps, market)) await during('valuing homes', homes, () => valueAndRollUp(deps, market));
  else {
    await during('adding up sales by area', homes, () => rollUpMarket(deps, market));
    await during('deriving tenure', homes, () => deriveTenure(deps, market));
    await calibrateRents(deps, market);
  }
}

/** Values every home of a market and updates its area statistics, which include the values and exclude sales that the
    model does not consider market prices. */
export async function valueAndRollUp(deps: Deps, market: string) {
  const values = await valueMarket(deps, market);
  await rollUpMarket(deps, market);
  await deriveTenure(deps, market);
  await calibrateRents(deps, market);
  return values;
}

/** Checks the publishers that are due, and warns about stale sources. Runs every hour. */
export async function refreshDue(deps: Deps, all: Source[] = readSources()): Promise<void> {
  const from = deps.config.refreshFrom;
  if (from === undefined) return;
  const data = openLongPool(deps.data, LOAD_TIMEOUT_MS);
  const loading: Deps = { ...deps, data };
  try {
    await refresh(loadingDeps(loading), all, {
      from,
      due: true,
      afterLoad: (market) => followLoad(loading, all, market),
      onRefresh: (looked) => {
        const log = looked.outcome === 'failed' ? deps.log.error : deps.log.info;
        log.call(deps.log, { source: looked.sourceId, outcome: looked.outcome }, formatRefresh(looked));
      },
    });
    deps.catalog.forget();
    for (const { sourceId, isStale, checkedAt, error } of await listFreshness(deps, 'late')) {
      if (isStale) deps.log.warn({ source: sourceId, checkedAt, error }, 'source is stale');
    }
  } finally {
    await data.end();
  }
}
