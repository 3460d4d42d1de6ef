// `platbook quarantine`: lists the rows that could not be loaded, or retries them.
import type { Config } from '../../base/config.ts';
import { listQuarantine, replayQuarantine } from '../../supply/ingest/ingest.ts';
import { formatReport } from '../../supply/ingest/report.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { withRecipes } from './ingest.ts';
import { ingestDeps, withDeps } from '../with-deps.ts';

export async function runQuarantine(config: Config, [verb = 'list', source]: string[]): Promise<void> {
  if (verb !== 'list' && verb !== 'replay') throw new CommandError('Usage: quarantine [list|replay] [source]');
  await withDeps(config, async (deps) => {
    if (verb === 'replay') {
      if (!source) throw new CommandError('Name the source whose rows to load again.');
      const { all, names } = withRecipes([source]);
      for (const report of await replayQuarantine(ingestDeps(deps), all, names[0])) console.log(formatReport(report));
      return;
    }
    const groups = await listQuarantine(deps.data, source);
    if (groups.length === 0) console.log('The quarantine is empty.');
    for (const group of groups) {
      console.log(
        `${group.source_id}  ${group.rows} rows  ${group.reason}  (first: ${group.example_file}:${group.example_line})`,
      );
    }
  });
}
