// `platbook train`: trains, back-tests and publishes a model, then values every home with it.
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { listMarkets } from '../ingest/ingest.ts';
import { CommandError } from '../lib/command-error.ts';
import { measureMarket } from '../quality/quality.ts';
import { trainMarket } from '../training/training.ts';
import { valueMarket } from '../valuations/bulk.ts';
import { describeValues } from './value.ts';
import { tellTraining, withDeps } from './with-deps.ts';

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
    for (const market of markets) {
      try {
        const training = await trainMarket(deps, market, {
          isForced: values.force,
          ...tellTraining(market),
          home: config.home,
        });
        console.log(`${market}  ${training.version}  ${training.decision}`);
        if (!training.isPublished) continue;
        console.log(describeValues(await valueMarket(deps, market)));
        await measureMarket(deps, market);
      } catch (error) {
        // A market with too few sales does not stop the others from being trained.
        if (!values.all) throw error;
        console.log(`${market}  not trained: ${(error as Error).message}`);
      }
    }
  });
}
