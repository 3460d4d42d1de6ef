// `platbook train`: trains, back-tests and publishes a model, then values every home with it. Several markets become
// jobs that running workers share.
import type { Config } from '../../base/config.ts';
import { listMarkets } from '../../supply/ingest/ingest.ts';
import { submitJobs, workUntilDone } from '../../base/jobs/jobs.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { FLAG, readArgs } from '../../base/lib/command-args.ts';
import { formatTraining, trainAndValue, type Training } from '../load-and-train.ts';
import { createJobs } from '../../worker.ts';
import { printProgress, withDeps } from '../with-deps.ts';

export async function runTrain(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, { all: FLAG, force: FLAG, quick: FLAG });
  await withDeps(config, async (deps) => {
    const loaded = [...new Set((await listMarkets(deps.data)).map((row) => row.id))];
    const markets = values.all ? loaded : positionals;
    if (markets.length === 0)
      throw new CommandError(`Name a market, or use --all. Loaded markets: ${loaded.join(', ') || 'none'}.`);
    const payload = { force: values.force, quick: values.quick };
    if (markets.length === 1) {
      console.log(formatTraining(await trainAndValue(deps, markets[0], payload, printProgress(markets[0]))));
      return;
    }
    let failures = 0;
    await workUntilDone(deps, {
      ids: await submitJobs(deps, markets, { name: 'train', payload }),
      jobs: createJobs(deps),
      reporterOf: ({ subject }) => printProgress(subject),
      onEnd: ({ subject, state, result, error }) => {
        if (state !== 'done') failures += 1;
        console.log(
          state === 'done' ? formatTraining(result as unknown as Training) : `${subject}  not trained: ${error}`,
        );
      },
    });
    // With `--all`, a market with too few sales is not a failure; a named one is.
    if (failures > 0 && !values.all) throw new CommandError(`${failures} of ${markets.length} were not trained.`);
  });
}
