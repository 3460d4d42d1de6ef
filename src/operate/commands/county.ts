// `platbook county`: finds what can be loaded for a county by its name, or loads it.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readSources } from '../../../sources/sources.ts';
import type { Config } from '../../base/config.ts';
import type { Deps } from '../../base/deps.ts';
import { isoDate, systemClock } from '../../base/lib/clock.ts';
import { CommandError } from '../../base/lib/command-error.ts';
import { must } from '../../base/lib/must.ts';
import { readCatalog, type County, type Entry } from '../../supply/catalog/catalog.ts';
import { findCounties } from '../../supply/catalog/find.ts';
import { ingest, type IngestOptions } from '../../supply/ingest/ingest.ts';
import { describeEntries, statusOf } from '../counties/known.ts';
import { factsOf, prepareCounty, type AddedCounty } from '../counties/add.ts';
import { formatTraining, trainAndValue } from '../load-and-train.ts';
import { ingestDeps, printLoads, printProgress, withDeps } from '../with-deps.ts';
import { acceptedOn, printPreview } from './ingest.ts';

const USAGE = `platbook county find "dane wi"
platbook county add "Dane County, WI" [--layer <URL>] [--dry-run] [--quick] [--untrained] [--accept <finding>]`;

/** `options` set download retries and timeouts. */
export async function runCounty(
  config: Config,
  [verb, ...args]: string[],
  options: Parameters<typeof prepareCounty>[0]['options'] = {},
): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      layer: { type: 'string' },
      'dry-run': { type: 'boolean' },
      quick: { type: 'boolean' },
      untrained: { type: 'boolean' },
      accept: { type: 'string', multiple: true },
    },
  });
  const text = positionals.join(' ');
  if ((verb !== 'find' && verb !== 'add') || text === '') throw new CommandError(USAGE);
  const catalog = readCatalog(config.home);
  const { county, candidates } = findCounties(catalog, text);
  if (!county) throw new CommandError(refuseName(text, candidates));
  const entries = catalog.entriesOf(county.fips);
  if (verb === 'find')
    return withDeps(config, async (deps) => console.log(await describeCounty(deps, county, entries)));
  const own: Entry[] = values.layer
    ? [{ ...LAYER, area: String(county.fips), url: values.layer }, ...entries.filter(({ kind }) => kind !== 'parcels')]
    : entries;
  const added = await prepareCounty({ config, county, entries: own, today: isoDate(systemClock()), say, options });
  say(`The recipe: ${added.recipePath}`);
  await preview(config, added);
  if (values['dry-run']) return;
  await withDeps(config, async (deps) => {
    await load(deps, added, acceptedOn(values.accept));
    if (!values.untrained) await train(deps, added, { quick: values.quick });
    console.log(describeMissing(added, entries));
  });
}

const LAYER: Omit<Entry, 'area' | 'url'> = {
  kind: 'parcels',
  name: '',
  format: 'arcgis',
  parcelField: '',
  license: '',
  brings: ['shapes'],
};

const say = (text: string): void => void process.stderr.write(`${text}\n`);

function refuseName(text: string, candidates: County[]): string {
  if (candidates.length === 0) return `No county is called ${text}. Name it with its state: "Dane County, WI".`;
  const names = candidates.map(({ name, state, fips }) => `  ${name}, ${state}  (${String(fips).padStart(5, '0')})`);
  return `Which county is ${text}?\n${names.join('\n')}`;
}

async function describeCounty(deps: Deps, county: County, entries: Entry[]): Promise<string> {
  const status = await statusOf(deps, county.fips);
  const head = `${county.name}, ${county.state}  ${String(county.fips).padStart(5, '0')}  ${status.words}`;
  const lines = describeEntries(deps.config.home, entries);
  const next = status.isLoaded ? [] : [`To load it: platbook county add "${county.name}, ${county.state}"`];
  return [head, ...(lines.length > 0 ? lines : ['Nothing is listed for it.']), ...next].join('\n');
}

async function preview(config: Config, { source, folder }: AddedCounty): Promise<void> {
  const map = join(folder, `${source.id}-map.svg`);
  if ((await printPreview(config, source, { from: folder, map, shown: 1 })) === 0)
    throw new CommandError('No row became a property. Look at the recipe, then: platbook ingest <recipe>');
}

async function load(deps: Deps, { source, folder }: AddedCounty, accept: IngestOptions['accept']): Promise<void> {
  const all = [...readSources(), source];
  await ingest(ingestDeps(deps), [source], all, {
    from: folder,
    accept,
    ...printLoads(deps, all),
  });
}

/** A county with too few sales is still loaded. */
async function train(deps: Deps, { source, scaffold }: AddedCounty, options: { quick?: boolean }): Promise<void> {
  if (!factsOf(scaffold).includes('sales')) return;
  const { id } = must(source.market, 'market');
  try {
    console.log(formatTraining(await trainAndValue(deps, id, options, printProgress(id))));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.log(`Not trained: ${error.message}`);
  }
}

function describeMissing({ scaffold, recipePath }: AddedCounty, entries: Entry[]): string {
  const { missing } = scaffold;
  if (missing.length === 0) return 'Nothing that a valuation needs is missing.';
  const has = factsOf(scaffold);
  const others = entries.filter(({ brings, kind }) => kind !== 'parcels' && brings.some((fact) => !has.includes(fact)));
  const help = others.map(
    ({ name, kind, url, brings, note }) => `  ${name || kind}: ${brings.join(', ')}. ${url}${note ? ` ${note}` : ''}`,
  );
  return [
    `Not in these files: ${missing.join(', ')}.`,
    ...(help.length > 0 ? ['What would add to it:', ...help] : []),
    `Another file of the county is added with: platbook source new <files> (${recipePath} shows how it was read).`,
  ].join('\n');
}
