// The process that does one step of a county: started by the worker, which sends it the settings and the step, and ended
// with it.
import { readSources } from '../../sources/sources.ts';
import type { Config } from '../base/config.ts';
import { performStep } from './counties/perform.ts';
import { open } from './open.ts';
import { followLoad, LOAD_TIMEOUT_MS, loadingDeps, valueAndRollUp } from './refresh.ts';

interface StepOrder {
  config: Config;
  stepId: string;
}

async function run({ config, stepId }: StepOrder): Promise<void> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    const loading = (own: typeof deps) => loadingDeps(own);
    await performStep(deps, { sources: readSources, loading, followLoad, valueAndRollUp }, stepId);
    // Whoever is told that the step is done sees what it did.
    await deps.replica?.settle();
  } finally {
    await close();
  }
}

// Without its worker, nobody could cancel it or would learn that it was killed.
process.once('disconnect', () => process.exit(1));
process.once('message', (order: StepOrder) => {
  run(order).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
