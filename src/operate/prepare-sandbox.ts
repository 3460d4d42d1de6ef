// Builds the sandbox market: records, then the address index, the model, a value for every home, and the statistics.
import { indexCounty } from '../records/address/address.ts';
import { rollUpMarket } from '../insight/analytics/analytics.ts';
import { holdLock } from '../base/db/lock.ts';
import type { Deps } from '../base/deps.ts';
import type { Progress } from '../base/progress.ts';
import { buildSandbox, isValued, markValued } from '../supply/sandbox/sandbox.ts';
import { COUNTIES, MARKET } from '../supply/sandbox/geography.ts';
import { measureMarket } from '../insight/quality/quality.ts';
import { trainMarket } from '../insight/training/training.ts';
import { hasModel } from '../insight/valuations/valuations.ts';
import { valueMarket } from '../insight/valuations/bulk.ts';

/** Percent done after each step, by the time the steps take. */
const STEPS = { records: 45, addresses: 60, model: 92, values: 100 };

export async function prepareSandbox(deps: Deps, onProgress?: Progress, properties?: number): Promise<void> {
  await holdLock(deps.data, 'sandbox', () => prepareAlone(deps, onProgress, properties));
}

async function prepareAlone(deps: Deps, onProgress: Progress = () => {}, properties?: number): Promise<void> {
  await buildSandbox(deps.data, {
    properties,
    onProgress: (done, total, what) => onProgress((done / total) * STEPS.records, 100, what),
  });
  deps.catalog.forget();
  for (const { fips } of COUNTIES) await indexCounty(deps, fips);
  const isTrained = await hasModel(deps, MARKET);
  if (!isTrained) {
    onProgress(STEPS.addresses, 100, 'training the model');
    await trainMarket(deps, MARKET, { isForced: true });
  }
  // The last mark: a start that was interrupted anywhere before it goes on where it stopped.
  if (!isTrained || !(await isValued(deps.data))) {
    onProgress(STEPS.model, 100, 'valuing every home');
    await valueMarket(deps, MARKET);
    await markValued(deps.data);
    onProgress(STEPS.values, 100, 'sandbox ready');
  }
  await rollUpMarket(deps, MARKET);
  await measureMarket(deps, MARKET);
}
