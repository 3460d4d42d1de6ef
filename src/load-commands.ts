// The operator's commands on data and models: ingest, quarantine, markets, train, backtest, value, replay.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SOURCES } from '../sources/sources.ts';
import { indexCounty } from './address/address.ts';
import type { Config } from './config.ts';
import type { Deps } from './deps.ts';
import {
  findSources,
  formatReport,
  ingest,
  listMarkets,
  listQuarantine,
  replayQuarantine,
  type IngestDeps,
} from './ingest/ingest.ts';
import { CommandError } from './lib/command-error.ts';
import { open } from './open.ts';
import { formatCard } from './training/table.ts';
import { backTestMarket, trainMarket } from './training/training.ts';
import { getCard, hasModel, listModelled, replayReceipt, valueMarket } from './valuations/valuations.ts';

// A load of a whole city runs single statements for minutes; requests keep the short limit.
const LOAD_TIMEOUT_MS = 600_000;

async function withDeps(config: Config, work: (deps: Deps) => Promise<void>): Promise<void> {
  const { deps, close } = await open({ ...config, statementTimeoutMs: LOAD_TIMEOUT_MS });
  try {
    await work(deps);
  } finally {
    await close();
  }
}

function ingestDeps(deps: Deps): IngestDeps {
  return {
    data: deps.data,
    clock: deps.clock,
    cacheFolder: join(deps.config.home, 'downloads'),
    write: (text) => void process.stderr.write(text),
  };
}

/** `ingest <source …|--all> [--from <folder|address|publisher>] [--force]` */
export async function runIngest(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { all: { type: 'boolean' }, from: { type: 'string' }, force: { type: 'boolean' } },
  });
  if (!values.all && positionals.length === 0) {
    throw new CommandError(`Name a source, or --all. There are: ${SOURCES.map(({ id }) => id).join(', ')}.`);
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

/** What is derived from a market's records is made anew: its address index, and its values where it has a model. */
export async function followLoad(deps: Deps, market: string): Promise<void> {
  const source = SOURCES.find((item) => item.market?.id === market);
  for (const { fips } of source?.counties ?? []) await indexCounty(deps, fips, source?.addressWords);
  if (await hasModel(deps, market)) await valueMarket(deps, market);
}

/** `quarantine [list [source] | replay <source>]` */
export async function runQuarantine(config: Config, [verb = 'list', source]: string[]): Promise<void> {
  await withDeps(config, async (deps) => {
    if (verb === 'replay') {
      if (!source) throw new CommandError('Name the source whose rows to try again.');
      for (const report of await replayQuarantine(ingestDeps(deps), SOURCES, source)) console.log(formatReport(report));
      return;
    }
    const groups = await listQuarantine(deps, source);
    if (groups.length === 0) console.log('Nothing is in quarantine.');
    for (const group of groups) {
      console.log(
        `${group.source_id}  ${group.rows} rows  ${group.reason}  (first: ${group.example_file}:${group.example_line})`,
      );
    }
  });
}

/** `markets` */
export async function runMarkets(config: Config): Promise<void> {
  await withDeps(config, async (deps) => {
    const rows = await listMarkets(deps);
    for (const [market, layers] of Map.groupBy(rows, (row) => row.id)) {
      console.log(`\n${market}  ${layers[0].name}  ${layers[0].properties.toLocaleString('en')} properties`);
      for (const row of layers) {
        const period =
          row.covers_from || row.covers_to ? `${row.covers_from ?? '…'} to ${row.covers_to ?? '…'}` : 'undated';
        console.log(
          `  ${row.layer.padEnd(18)} ${row.records.toLocaleString('en').padStart(10)}  ${period}  ${row.publisher}  [${row.licence}]`,
        );
      }
    }
  });
}

/** `train <market …|--all> [--force]` */
export async function runTrain(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { all: { type: 'boolean' }, force: { type: 'boolean' } },
  });
  await withDeps(config, async (deps) => {
    const loaded = [...new Set((await listMarkets(deps)).map((row) => row.id))];
    const markets = values.all ? loaded : positionals;
    if (markets.length === 0)
      throw new CommandError(`Name a market, or --all. Loaded are: ${loaded.join(', ') || 'none'}.`);
    for (const market of markets) {
      try {
        const training = await trainMarket(deps, market, {
          isForced: values.force,
          report: (line) => console.error(`${market}  ${line}`),
        });
        console.log(`${market}  ${training.version}  ${training.decision}`);
        if (training.isPublished) console.log(describeValues(await valueMarket(deps, market)));
      } catch (error) {
        // One market with too few sales does not keep the others from being trained.
        if (!values.all) throw error;
        console.log(`${market}  not trained: ${(error as Error).message}`);
      }
    }
  });
}

/** `backtest <market …|--all> [--run]` */
export async function runBacktest(config: Config, args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { all: { type: 'boolean' }, run: { type: 'boolean' } },
  });
  await withDeps(config, async (deps) => {
    const trained = await listModelled(deps);
    const markets = values.all ? trained : positionals;
    if (markets.length === 0)
      throw new CommandError(`Name a market, or --all. Models are of: ${trained.join(', ') || 'none'}.`);
    for (const market of markets) {
      const report = (line: string): void => console.error(`${market}  ${line}`);
      console.log(
        formatCard(values.run ? await backTestMarket(deps, market, { report }) : await getCard(deps, market)),
      );
    }
  });
}

/** `value <market …>` */
export async function runValue(config: Config, markets: string[]): Promise<void> {
  if (markets.length === 0) throw new CommandError('Name the markets whose homes to value.');
  await withDeps(config, async (deps) => {
    for (const market of markets) console.log(describeValues(await valueMarket(deps, market)));
  });
}

function describeValues(result: Awaited<ReturnType<typeof valueMarket>>): string {
  return `${result.market}  ${result.valued.toLocaleString('en')} homes valued by ${result.model} in ${result.seconds} s, ${result.skipped} without enough sales around`;
}

/** `replay val_…` */
export async function runReplay(config: Config, [id]: string[]): Promise<void> {
  if (!id) throw new CommandError('Name the receipt: val_…');
  await withDeps(config, async (deps) => {
    const { isSame, stored, replayed } = await replayReceipt(deps, id);
    console.log(isSame ? `${id} replays to the same answer: ${stored.estimated_value}` : `${id} DIFFERS`);
    if (!isSame) {
      console.log(JSON.stringify({ stored, replayed }, null, 2));
      process.exitCode = 1;
    }
  });
}
