// `platbook train`: trains, back-tests and publishes a model, then values every home with it. Several markets are jobs, which
// workers that are running take part in.
import { parseArgs } from 'node:util';
import type { Config } from '../../base/config.ts';
import { listMarkets } from '../../supply/ingest/ingest.ts';
import { submitJobs, workUntilDone } from '../../base/jobs/jobs.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { performApart } from '../perform-apart.ts';
import { performJob } from '../perform-job.ts';
import { tellTraining, withDeps } from '../with-deps.ts';

export async function runTrain(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { all: { type: 'boolean' }, force: { type: 'boolean' } },
  });
  await withDeps(config, async (deps) => {
    const loaded = [...new Set((await listMarkets(deps)).map((row) => row.id))];
    const markets = values.all ? loaded : positionals;
    if (markets.length === 0)
      throw new CommandError(`Name a market, or use --all. Loaded markets: ${loaded.join(', ') || 'none'}.`);
    const options = { force: values.force };
    if (markets.length === 1) {
      const job = { kind: 'train' as const, subject: markets[0], options };
      console.log(await performJob(deps, job, tellTraining(markets[0])));
      return;
    }
    let failures = 0;
    await workUntilDone(deps, {
      ids: await submitJobs(deps, 'train', markets, options),
      perform: (job) => performApart({ config: deps.config, job }, { tell: tellTraining(job.subject) }),
      onEnd: ({ subject, state, result }) => {
        if (state === 'failed') failures += 1;
        console.log(state === 'done' ? result : `${subject}  not trained: ${result}`);
      },
    });
    // A market with too few sales is no failure of `--all`, but it is one of a market that was named.
    if (failures > 0 && !values.all) throw new CommandError(`${failures} of ${markets.length} were not trained.`);
  });
}
