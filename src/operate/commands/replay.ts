// `platbook replay`: reproduces valuations from their receipts and compares the two.
import type { Config } from '../../base/config.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { replayReceipts } from '../../insight/valuations/receipts.ts';
import { withDeps } from '../with-deps.ts';

export async function runReplay(config: Config, ids: string[]): Promise<void> {
  if (ids.length === 0) throw new CommandError('Name the receipts to replay: val_…');
  await withDeps(config, async (deps) => {
    for await (const { id, isSame, stored, replayed } of replayReceipts(deps, ids)) {
      console.log(isSame ? `${id} replays to the same value: ${stored.estimated_value}` : `${id} DIFFERS`);
      if (!isSame) {
        console.log(JSON.stringify({ stored, replayed }, null, 2));
        process.exitCode = 1;
      }
    }
  });
}
