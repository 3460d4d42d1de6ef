// `platbook models`: lists models, why each was released or not, and which markets are due; pins or unpins a model.
import type { Config } from '../../base/config.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { readArgs, TEXT } from '../../base/lib/command-args.ts';
import { isoDate } from '../../base/lib/clock.ts';
import { listDueMarkets } from '../../insight/training/retraining.ts';
import { listModelCards, pinModel, unpinModel } from '../../insight/valuations/model-sql.ts';
import { withDeps } from '../with-deps.ts';

export async function runModels(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, { pin: TEXT, unpin: TEXT });
  await withDeps(config, async (deps) => {
    if (values.pin !== undefined && !(await pinModel(deps.control, values.pin)))
      throw new CommandError(`There is no model \`${values.pin}\`.`);
    if (values.unpin !== undefined && (await unpinModel(deps.control, values.unpin)) === 0)
      throw new CommandError(`No model of \`${values.unpin}\` is pinned.`);
    const due = new Map((await listDueMarkets(deps)).map(({ market, why }) => [market, why]));
    const rows = await listModelCards(deps.control, positionals[0]);
    for (const [market, models] of Map.groupBy(rows, (row) => row.market)) {
      console.log(`\n${market}${due.has(market) ? `  due: ${due.get(market)}` : ''}`);
      for (const { version, state, pinned, created_at, card } of models)
        console.log(
          `  ${version.padEnd(40)} ${(pinned ? 'pinned' : state).padEnd(8)} ${isoDate(created_at)}  ${card.decision}`,
        );
    }
  });
}
