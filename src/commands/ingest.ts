// `platbook ingest`: loads public records and brings what is derived from them up to date.
import { parseArgs } from 'node:util';
import { SOURCES } from '../../sources/sources.ts';
import { indexCounty } from '../address/address.ts';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import { findSources, ingest } from '../ingest/ingest.ts';
import { formatReport } from '../ingest/report.ts';
import { CommandError } from '../lib/command-error.ts';
import { valueMarket } from '../valuations/bulk.ts';
import { hasModel } from '../valuations/valuations.ts';
import { ingestDeps, withDeps } from './with-deps.ts';

export async function runIngest(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { all: { type: 'boolean' }, from: { type: 'string' }, force: { type: 'boolean' } },
  });
  if (!values.all && positionals.length === 0) {
    throw new CommandError(`Name a source, or use --all. Sources: ${SOURCES.map(({ id }) => id).join(', ')}.`);
  }
  const { sources, datasets } = values.all
    ? { sources: SOURCES, datasets: undefined }
    : findSources(SOURCES, positionals);
  await withDeps(config, async (deps) => {
    await ingest(ingestDeps(deps), sources, SOURCES, {
      from: values.from ?? config.recordsFolder,
      datasets,
      force: values.force,
      onReport: (report) => console.log(formatReport(report)),
      afterLoad: (market) => followLoad(deps, market),
    });
  });
}

/** Rebuilds what is derived from the records of a market: its address index, and its values where it has a model. */
export async function followLoad(deps: Deps, market: string): Promise<void> {
  const source = SOURCES.find((item) => item.market?.id === market);
  for (const { fips } of source?.counties ?? []) await indexCounty(deps, fips, source?.addressWords);
  if (await hasModel(deps, market)) await valueMarket(deps, market);
}
