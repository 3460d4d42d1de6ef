// `platbook ingest`: loads public records and updates everything derived from them.
import { writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { readSources } from '../../../sources/sources.ts';
import type { Config } from '../../base/config.ts';
import { findSources, ingest, type IngestOptions } from '../../supply/ingest/ingest.ts';
import { isRecipePath, readRecipe } from '../../supply/ingest/recipes.ts';
import { isStop } from '../../supply/examination/finding.ts';
import { formatReport, type LoadReport } from '../../supply/ingest/report.ts';
import type { Source } from '../../supply/ingest/source.ts';
import { chooseStates, readStates } from '../../supply/ingest/states.ts';
import { submitJobs, workUntilDone } from '../../base/jobs/jobs.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { FLAG, readArgs, TEXT, TEXTS } from '../../base/lib/command-args.ts';
import { systemClock } from '../../base/lib/clock.ts';
import { previewSource, type Preview } from '../preview/preview.ts';
import { hasModel } from '../../insight/valuations/valuations.ts';
import { createJobs } from '../../worker.ts';
import { ingestDeps, printLoads, printProgress, withDeps } from '../with-deps.ts';

export async function runIngest(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    all: FLAG,
    from: TEXT,
    accept: TEXTS,
    'dry-run': FLAG,
    map: TEXT,
    state: TEXT,
  });
  if (!values.all && positionals.length === 0) {
    throw new CommandError(
      `Name a source or the file of a recipe, or use --all. Sources: ${readSources()
        .map(({ id }) => id)
        .join(', ')}.`,
    );
  }
  const { all, names } = withRecipes(positionals);
  const chosen = values.all ? { sources: readSources(), datasets: undefined } : findSources(all, names);
  const { sources, datasets } = values.state ? chooseStates(chosen, readStates(values.state)) : chosen;
  const from = values.from ?? config.recordsFolder;
  const accept = acceptedOn(values.accept);
  if (values['dry-run']) {
    for (const source of sources)
      await printPreview(config, source, {
        from: values.from ?? source.folder ?? from,
        datasets,
        map: values.map ?? `${source.id}-map.svg`,
      });
    return;
  }
  const isShared =
    sources.length > 1 && !datasets && sources.every(({ id }) => readSources().some((own) => own.id === id));
  if (isShared) return ingestTogether(config, sources, { from, accept });
  await withDeps(config, async (deps) => {
    await ingest(ingestDeps(deps), sources, all, {
      from,
      prefersRecipeFolder: values.from === undefined,
      datasets,
      accept,
      ...printLoads(deps, all),
    });
    for (const { market } of sources)
      if (market && !(await hasModel(deps, market.id)))
        console.log(`To value the homes of ${market.name}: platbook train ${market.id}`);
  });
}

/** Several built-in sources become jobs shared by running workers; with a folder, only by workers on this machine. */
async function ingestTogether(
  config: Config,
  sources: Source[],
  { from, accept }: Pick<IngestOptions, 'from' | 'accept'>,
): Promise<void> {
  const isFolder = from !== 'publisher' && !/^https?:/.test(from);
  await withDeps(config, async (deps) => {
    const subjects = sources.map(({ id }) => id);
    const ids = await submitJobs(deps, subjects, {
      name: 'ingest',
      payload: { from: isFolder ? resolve(from) : from, accept },
      ...(isFolder && { host: hostname() }),
    });
    let failures = 0;
    await workUntilDone(deps, {
      ids,
      jobs: createJobs(deps),
      reporterOf: ({ subject }) => printProgress(subject),
      onEnd: ({ subject, state, result, error }) => {
        if (state === 'done') return console.log((result!.reports as LoadReport[]).map(formatReport).join('\n'));
        failures += 1;
        console.error(`Not loaded: ${subject}: ${error}`);
      },
    });
    if (failures > 0) throw new CommandError(`${failures} of ${sources.length} sources were not loaded.`);
  });
}

/** Findings accepted at the terminal. */
export const acceptedOn = (ids: string[] | undefined): IngestOptions['accept'] =>
  ids && { ids, by: userInfo().username };

/** Recipe files among the names become sources, in addition to the built-in ones. */
export function withRecipes(names: string[]): { all: Source[]; names: string[] } {
  const own: Source[] = [];
  const ids = names.map((name) => {
    if (!isRecipePath(name)) return name;
    const recipe = readRecipe(name);
    if (readSources().some(({ id }) => id === recipe.id))
      throw new CommandError(`${basename(name)} has the id of a source of the program, ${recipe.id}; give it another.`);
    own.push(recipe);
    return recipe.id;
  });
  return { all: [...readSources(), ...own], names: ids };
}

/** Loads into a scratch database, writes the map to a file and prints the rest. Returns the number of properties. */
export async function printPreview(
  config: Config,
  source: Source,
  { from, datasets, map, shown }: Pick<IngestOptions, 'from' | 'datasets'> & { map: string; shown?: number },
): Promise<number> {
  const preview = await previewSource(config, source, {
    from,
    datasets,
    clock: systemClock,
    cacheFolder: join(config.home, 'downloads'),
    write: (text) => void process.stderr.write(text),
  });
  writeFileSync(map, preview.map);
  console.log(describePreview({ ...preview, samples: preview.samples.slice(0, shown) }, map));
  return preview.properties;
}

function describePreview({ reports, samples, properties, filled }: Preview, map: string): string {
  const shares = Object.entries(filled).map(
    ([name, count]) => `${name} ${properties === 0 ? 0 : Math.round((count / properties) * 100)}%`,
  );
  const stops = reports.flatMap(({ findings }) => findings ?? []).filter(isStop);
  return [
    ...reports.map(formatReport),
    ...(stops.length > 0
      ? [`A load would stop here. To load all the same: ${stops.map(({ id }) => `--accept ${id}`).join(' ')}`]
      : []),
    `Nothing was kept. It would be ${properties.toLocaleString('en')} properties, of which stated: ${shares.join(', ')}.`,
    `Where they lie: ${map}`,
    ...samples.map((sample) => `As the API would show it:\n${JSON.stringify(sample, dropNulls, 2)}`),
  ].join('\n');
}

const dropNulls = (_: string, value: unknown) => (value === null ? undefined : value);
