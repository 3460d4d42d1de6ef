// `platbook refresh`: checks the publishers of loaded sources and loads what is new.
import { readSources } from '../../../sources/sources.ts';
import type { Config } from '../../base/config.ts';
import { formatRefresh, refresh } from '../../supply/ingest/refresh.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { FLAG, readArgs, TEXT, TEXTS } from '../../base/lib/command-args.ts';
import { acceptedOn } from './ingest.ts';
import { ingestDeps, printLoads, withDeps } from '../with-deps.ts';

export async function runRefresh(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, { due: FLAG, from: TEXT, accept: TEXTS });
  await withDeps(config, async (deps) => {
    const done = await refresh(ingestDeps(deps), readSources(), {
      from: values.from ?? config.refreshFrom ?? 'publisher',
      due: values.due,
      names: positionals.length > 0 ? positionals : undefined,
      accept: acceptedOn(values.accept),
      afterLoad: printLoads(deps, readSources()).afterLoad,
      onRefresh: (looked) => console.log(formatRefresh(looked)),
    });
    if (!done) throw new CommandError('Another process is refreshing now.');
    if (done.length === 0) console.log('Nothing is due.');
    const failed = done.filter(({ outcome }) => outcome === 'failed');
    if (failed.length > 0) throw new CommandError(`${failed.length} of ${done.length} could not be refreshed.`);
  });
}
