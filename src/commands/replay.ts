// `platbook replay`: reproduces a valuation from its receipt and compares the two.
import type { Config } from '../config.ts';
import { CommandError } from '../lib/command-error.ts';
import { replayReceipt } from '../valuations/receipts.ts';
import { withDeps } from './with-deps.ts';

export async function runReplay(config: Config, [id]: string[]): Promise<void> {
  if (!id) throw new CommandError('Name the receipt to replay: val_…');
  await withDeps(config, async (deps) => {
    const { isSame, stored, replayed } = await replayReceipt(deps, id);
    console.log(isSame ? `${id} replays to the same value: ${stored.estimated_value}` : `${id} DIFFERS`);
    if (!isSame) {
      console.log(JSON.stringify({ stored, replayed }, null, 2));
      process.exitCode = 1;
    }
  });
}
