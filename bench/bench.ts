// `npm run bench [-- name …]`: every measurement, each next to its baseline from the same run.
import { readConfig, type Config } from '../src/base/config.ts';
import { CommandError } from '../src/base/lib/command-error.ts';

const BENCHES: Record<string, () => Promise<{ run(args: string[], config: Config): Promise<void> }>> = {
  search: () => import('./search.ts'),
  layers: () => import('./layers.ts'),
  address: () => import('./address.ts'),
  valuation: () => import('./valuation.ts'),
  'few-sales': () => import('./few-sales.ts'),
  outlooks: () => import('./outlooks.ts'),
  open: () => import('./open-markets.ts'),
  analytics: () => import('./analytics.ts'),
  areas: () => import('./areas.ts'),
  polygons: () => import('./polygons.ts'),
  ingest: () => import('./ingest.ts'),
  documents: () => import('./documents.ts'),
  acris: () => import('./acris.ts'),
  country: () => import('./country.ts'),
  metering: () => import('./metering.ts'),
  batch: () => import('./batch.ts'),
  neighbors: () => import('./neighbors.ts'),
  exports: () => import('./exports.ts'),
  processes: () => import('./processes.ts'),
  train: () => import('./train.ts'),
  map: () => import('./map.ts'),
  names: () => import('./names.ts'),
  'wrong-files': () => import('./wrong-files.ts'),
  citus: () => import('./citus.ts'),
};

async function runBench(config: Config, args: string[]): Promise<void> {
  const names = Object.keys(BENCHES);
  const chosen = args[0] && !args[0].startsWith('--') ? [args[0]] : names;
  for (const name of chosen) {
    const load = BENCHES[name];
    if (!load) throw new CommandError(`Unknown benchmark \`${name}\`. Benchmarks: ${names.join(', ')}.`);
    await (await load()).run(args.slice(1), config);
  }
}

try {
  await runBench(readConfig(), process.argv.slice(2));
} catch (error) {
  console.error(error instanceof CommandError ? error.message : error);
  process.exitCode = 1;
}
