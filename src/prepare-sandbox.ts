// The sandbox market from nothing to searchable: records, then whatever is derived from them.
import type { Deps } from './deps.ts';
import type { Progress } from './progress.ts';
import { forgetCatalog } from './properties/catalog.ts';
import { buildSandbox } from './sandbox/sandbox.ts';

export async function prepareSandbox(
  deps: Pick<Deps, 'data'>,
  onProgress?: Progress,
  properties?: number,
): Promise<void> {
  await buildSandbox(deps.data, { onProgress, properties });
  forgetCatalog(deps.data);
}
