// Builds the sandbox market: its records, loaded like a county's, then the address index, the model, a value for every
// home, and the statistics.
import { LAST_LOAD, noteOf } from '../../sandbox/version.ts';
import { indexCounty } from '../records/address/filing.ts';
import { deriveTenure } from '../records/owners/derive.ts';
import { fileNames } from '../records/owners/filing.ts';
import { suppressOwner } from '../records/properties/properties.ts';
import { rollUpMarket } from '../insight/analytics/analytics.ts';
import { rollUpIndexes } from '../insight/analytics/index-rollup.ts';
import { holdLock } from '../base/db/lock.ts';
import type { Pool } from '../base/db/postgres.ts';
import type { Deps } from '../base/deps.ts';
import type { Progress } from '../base/progress.ts';
import { findNewestLoad, ingest, markFollowed, removeMarket } from '../supply/ingest/ingest.ts';
import { MAGIC_APN, sandboxId } from '../supply/sandbox/fixtures.ts';
import { COUNTIES, MARKET, WENDEMERE } from '../supply/sandbox/geography.ts';
import { measureMarket } from '../insight/quality/quality.ts';
import { trainMarket } from '../insight/training/training.ts';
import { hasModel } from '../insight/valuations/valuations.ts';
import { valueMarket } from '../insight/valuations/bulk.ts';

const MIN_PROPERTIES = 1_000;
/** Percent done after each step, weighted by duration. */
const STEPS = { invented: 12, records: 50, model: 92, values: 100 };

export async function prepareSandbox(deps: Deps, onProgress: Progress | undefined, properties: number): Promise<void> {
  await holdLock(deps.data, 'sandbox', () => prepareAlone(deps, onProgress, properties));
}

async function prepareAlone(deps: Deps, onProgress: Progress = () => {}, properties: number): Promise<void> {
  await loadSandbox(deps.data, properties, onProgress);
  deps.catalog.forget();
  const isTrained = await hasModel(deps, MARKET);
  const train = async () => {
    onProgress(STEPS.records, 100, 'training the model');
    await trainMarket(deps, MARKET, { isForced: true });
  };
  // Models are fitted on other threads, while this one does the work that needs sales but no values.
  await Promise.all([fileAndIndex(deps), isTrained || train()]);
  // The final mark: a start interrupted before it resumes where it stopped.
  if (!isTrained || !(await findNewestLoad(deps.data, LAST_LOAD.dataset))?.is_followed) {
    onProgress(STEPS.model, 100, 'valuing every home');
    await valueMarket(deps, MARKET);
    await deriveTenure(deps, MARKET);
    await suppressOwner(deps, sandboxId(WENDEMERE, MAGIC_APN.ownerHidden), 'request');
    await markFollowed(deps, LAST_LOAD.dataset);
    onProgress(STEPS.values, 100, 'sandbox ready');
  }
  await rollUpMarket(deps, MARKET);
  await measureMarket(deps, MARKET);
}

async function fileAndIndex(deps: Deps): Promise<void> {
  for (const { fips } of COUNTIES) {
    await indexCounty(deps, fips);
    await fileNames(deps, fips, MARKET);
  }
  // Only after filing: a small pool has too few connections for both at once.
  await rollUpIndexes(deps, MARKET);
}

/** Loads every edition of the sandbox unless this version is present; leftovers of an interrupted load are removed
    first. */
export async function loadSandbox(data: Pool, properties: number, onProgress: Progress = () => {}): Promise<void> {
  const size = Math.max(MIN_PROPERTIES, properties);
  const newest = await findNewestLoad(data, LAST_LOAD.dataset);
  if (newest?.published_on === LAST_LOAD.publishedOn && newest.note === noteOf(size)) return;
  await removeMarket(
    { data },
    MARKET,
    COUNTIES.map(({ fips }) => fips),
  );
  // Only a first start needs the generator.
  const { publishSandbox } = await import('../../sandbox/publish.ts');
  const editions = publishSandbox(size, (done) =>
    onProgress(STEPS.invented * (done / size), 100, 'inventing the market'),
  );
  const all = editions.flatMap(({ sources }) => sources);
  const total = all.flatMap(({ datasets }) => datasets).length;
  let done = 0;
  const onReport = () =>
    onProgress(STEPS.invented + (STEPS.records - STEPS.invented) * (++done / total), 100, 'loading its records');
  for (const { day, sources } of editions) {
    const clock = () => new Date(`${day}T05:00:00Z`);
    await ingest({ data, clock, cacheFolder: '' }, sources, all, { from: '', onReport });
  }
}
