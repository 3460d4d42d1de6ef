// `npm run bench -- outlooks [market:day …] [--quick]`: forecasts of homes against what came. A market is loaded, everything after
// a day is taken away, it is trained and rolled up as served, and the homes that sold within a year after it are asked for.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSources } from '../sources/sources.ts';
import type { Config } from '../src/base/config.ts';
import { dayNumber, isoDate } from '../src/base/lib/clock.ts';
import { quantile } from '../src/base/math/quantiles.ts';
import { rollUpMarket } from '../src/insight/analytics/analytics.ts';
import { readOutlook } from '../src/insight/outlooks/outlooks.ts';
import type { Outlook } from '../src/insight/outlooks/schema.ts';
import { quick } from '../src/insight/training/parameters.ts';
import { trainMarket } from '../src/insight/training/training.ts';
import { readSales } from '../src/insight/valuations/open-models.ts';
import { open } from '../src/operate/open.ts';
import { findSources, ingest } from '../src/supply/ingest/ingest.ts';
import { hasRecords, MARKETS } from './markets.ts';
import { printTable } from './measure.ts';

const STANDARD = ['seattle:2013-12-31', 'seattle:2014-12-31'];
const TESTED = 3_000;
/** Columns of months after the day. */
const SPANS = [
  [1, 3],
  [4, 6],
  [7, 9],
  [10, 12],
];

interface Outcome {
  months: number;
  sold: number;
  expected: number;
  low: number;
  high: number;
  now: Pick<Outlook, 'value' | 'low' | 'high'>;
}

export async function run(args: string[], config: Config): Promise<void> {
  const wanted = args.filter((word) => !word.startsWith('--'));
  const rows: (string | number)[][] = [];
  for (const name of hasRecords(config) ? (wanted.length > 0 ? wanted : STANDARD) : []) {
    const [market, day] = name.split(':');
    const outcomes = await forecastHomes(config, market, day, args.includes('--quick'));
    rows.push(...SPANS.map(([from, to]) => describe(`${market}, ${day}`, outcomes, from, to)));
    rows.push(describe(`${market}, ${day}`, outcomes, 1, 12));
  }
  const head = ['from', 'months', 'sales', 'value of the day', 'forecast', 'inside, of the day', 'inside, forecast'];
  printTable('Prices later, median error and share inside 80%', head, rows);
}

async function forecastHomes(config: Config, name: string, day: string, isQuick: boolean): Promise<Outcome[]> {
  const { load, market } = MARKETS[name];
  const home = join(tmpdir(), `platbook-bench-outlooks-${name}-${day}`);
  const opened = await open({ ...config, home, logLevel: 'silent', statementTimeoutMs: 600_000 });
  const deps = {
    ...opened.deps,
    clock: () => new Date(`${isoDate(new Date((dayNumber(day) + 1) * 86_400_000))}T12:00:00Z`),
  };
  try {
    const { sources, datasets } = findSources(readSources(), [load]);
    const options = { from: config.recordsFolder, datasets };
    await ingest({ data: deps.data, clock: deps.clock, cacheFolder: home }, sources, readSources(), options);
    const later = (await readSales(deps, market)).filter(
      ({ soldDay }) => soldDay > dayNumber(day) && soldDay <= dayNumber(day) + 365,
    );
    await deps.data.query('delete from transactions where sale_date > $1 or known_on > $1', [day]);
    deps.catalog.forget();
    await trainMarket(deps, market, { isForced: true, ...(isQuick && { parameters: quick }) });
    await rollUpMarket(deps, market);
    const step = Math.max(1, Math.floor(later.length / TESTED));
    const outcomes: Outcome[] = [];
    for (const { propertyId, soldDay, priceUsd } of later.filter((_, i) => i % step === 0)) {
      const asker = { mode: 'live' as const, accountId: 'acct_bench' };
      const found = await readOutlook(deps, asker, { property: { id: propertyId } }).catch(
        (error: { code?: string }) => {
          if (error.code === undefined) throw error;
        },
      );
      const months = Math.max(1, Math.round((soldDay - dayNumber(day)) / 30.44));
      const then = found?.forecast.data.find((each) => each.months === months);
      if (found && then)
        outcomes.push({ months, sold: priceUsd, expected: then.value, low: then.low, high: then.high, now: found });
    }
    console.log(`${name} as of ${day}: ${outcomes.length} of ${later.length} later sales`);
    return outcomes;
  } finally {
    await opened.close();
  }
}

function describe(what: string, all: Outcome[], from: number, to: number): (string | number)[] {
  const own = all.filter(({ months }) => months >= from && months <= to);
  const error = (of: (outcome: Outcome) => number) =>
    percent(quantile(Float64Array.from(own, (each) => Math.abs(of(each) / each.sold - 1)).sort(), 0.5));
  const inside = (of: (outcome: Outcome) => { low: number; high: number }) =>
    percent(own.filter((each) => each.sold >= of(each).low && each.sold <= of(each).high).length / own.length);
  return [
    what,
    `${from}–${to}`,
    own.length,
    error(({ now }) => now.value),
    error(({ expected }) => expected),
    inside(({ now }) => now),
    inside((each) => each),
  ];
}

const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
