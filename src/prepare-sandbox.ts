// The sandbox market from nothing to searchable: records, then whatever is derived from them.
import { indexCountyIfStale } from './address/address.ts';
import type { Deps } from './deps.ts';
import type { Progress } from './progress.ts';
import { forgetCatalog } from './properties/catalog.ts';
import { QUILLMOOR, WENDEMERE } from './sandbox/geography.ts';
import { buildSandbox } from './sandbox/sandbox.ts';

export async function prepareSandbox(
  deps: Pick<Deps, 'data'>,
  onProgress?: Progress,
  properties?: number,
): Promise<void> {
  await buildSandbox(deps.data, { onProgress, properties });
  for (const fips of [WENDEMERE, QUILLMOOR]) await indexCountyIfStale(deps, fips);
  forgetCatalog(deps.data);
}
