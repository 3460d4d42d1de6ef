// `platbook value`: values every home of a market with its current model.
import type { Config } from '../../base/config.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { formatValues } from '../load-and-train.ts';
import { valueAndRollUp } from '../refresh.ts';
import { withDeps } from '../with-deps.ts';

export async function runValue(config: Config, markets: string[]): Promise<void> {
  if (markets.length === 0) throw new CommandError('Name the markets to value.');
  await withDeps(config, async (deps) => {
    for (const market of markets) console.log(formatValues(await valueAndRollUp(deps, market)));
  });
}
