// `platbook backtest`: shows a model's error on held-out sales.
import type { Config } from '../../base/config.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { FLAG, readArgs } from '../../base/lib/command-args.ts';
import { formatCard } from '../../insight/training/table.ts';
import { backTestMarket } from '../../insight/training/training.ts';
import { getCard } from '../../insight/valuations/reports.ts';
import { listModeled } from '../../insight/valuations/valuations.ts';
import { reportTraining } from '../load-and-train.ts';
import { printProgress, withDeps } from '../with-deps.ts';

export async function runBacktest(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, { all: FLAG, run: FLAG });
  await withDeps(config, async (deps) => {
    const trained = await listModeled(deps);
    const markets = values.all ? trained : positionals;
    if (markets.length === 0)
      throw new CommandError(`Name a market, or use --all. Markets with a model: ${trained.join(', ') || 'none'}.`);
    for (const market of markets) {
      const card = values.run
        ? await backTestMarket(deps, market, { ...reportTraining(printProgress(market)), home: config.home })
        : await getCard(deps, market);
      console.log(formatCard(card));
    }
  });
}
