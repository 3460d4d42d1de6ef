// How far prices can be projected beyond a market's last sales: on FHFA's metropolitan indexes, and on withheld sales.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Config } from '../src/base/config.ts';
import { testSale } from '../src/insight/training/back-test.ts';
import { openFitThreads } from '../src/insight/training/fit/fits.ts';
import { measureAccuracy } from '../src/insight/training/metrics.ts';
import { quick, standard } from '../src/insight/training/parameters.ts';
import { trainModel } from '../src/insight/training/stages.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import { deviationOver, trendOver } from '../src/insight/avm/price-growth.ts';
import { openBook } from '../src/insight/avm/evidence.ts';
import { calibrate } from '../src/insight/avm/interval.ts';
import { quantile } from '../src/base/math/quantiles.ts';
import { listSales } from '../src/insight/avm/sales.ts';
import { withMarket } from './markets.ts';
import { printTable } from './measure.ts';

const FROM_YEAR = 1985;
const QUARTERS_AHEAD = [1, 2, 4, 8, 12];
/** Eighty percent of a normal distribution lies within this many standard deviations. */
const EIGHTY = 1.2816;

type Known = { lastYear: number; lastTwoYears: number; quarters: number };

const METHODS: Record<string, (known: Known) => number> = {
  'no growth': () => 0,
  'half the growth of the last two years': ({ lastTwoYears, quarters }) => (0.5 * lastTwoYears * quarters) / 8,
  'all of last year’s growth': ({ lastYear, quarters }) => (lastYear * quarters) / 4,
  'as served': ({ lastYear, quarters }) => trendOver(lastYear, (quarters * 365.25) / 4),
};

export function measureIndexDrift(folder: string): void {
  const metros = readIndex(folder);
  const rows: (string | number)[][] = [];
  for (const quarters of QUARTERS_AHEAD) {
    const cases = listCases(metros, quarters);
    for (const [name, predict] of Object.entries(METHODS)) {
      const misses = Float64Array.from(cases, ({ known, growth }) => Math.abs(growth - predict(known))).sort();
      const limit = EIGHTY * deviationOver((quarters * 365.25) / 4);
      const inside = misses.filter((miss) => miss < limit).length / misses.length;
      rows.push([
        quarters,
        cases.length,
        name,
        percent(quantile(misses, 0.5)),
        percent(quantile(misses, 0.8)),
        name === 'as served' ? percent(inside) : '',
      ]);
    }
  }
  printTable(
    `Metropolitan areas since ${FROM_YEAR}: expected and actual growth, in percent`,
    ['quarters', 'cases', 'method', 'median miss', '80% miss', 'inside 1.28 deviations'],
    rows,
  );
}

type Metro = Map<number, number>;

/** Log index by quarter since year 0, for each area. */
function readIndex(folder: string): Metro[] {
  const metros = new Map<string, Metro>();
  const text = gunzipSync(readFileSync(join(folder, 'us/fhfa_hpi_metro.csv.gz'))).toString('latin1');
  for (const [, code, year, quarter, index] of text.matchAll(
    /^(?:"[^"]*"|[^,]*),(\d+),(\d{4}),([1-4]),([^,\r\n]*)/gm,
  )) {
    if (!(Number(index) > 0)) continue;
    const metro = metros.get(code);
    const at = Number(year) * 4 + Number(quarter) - 1;
    if (metro) metro.set(at, Math.log(Number(index)));
    else metros.set(code, new Map([[at, Math.log(Number(index))]]));
  }
  return [...metros.values()];
}

function listCases(metros: Metro[], quarters: number): { known: Known; growth: number }[] {
  return metros.flatMap((metro) =>
    [...metro]
      .filter(([at]) => at >= FROM_YEAR * 4 && [at - 4, at - 8, at + quarters].every((each) => metro.has(each)))
      .map(([at, log]) => ({
        known: { lastYear: log - metro.get(at - 4)!, lastTwoYears: log - metro.get(at - 8)!, quarters },
        growth: metro.get(at + quarters)! - log,
      })),
  );
}

/** Days after which no sale is known, in markets whose next year is on record. */
const ENDS: [string, string][] = [
  ['seattle', '2012-12-31'],
  ['seattle', '2013-12-31'],
  ['seattle', '2014-12-31'],
  ['milwaukee', '2020-12-31'],
  ['milwaukee', '2021-12-31'],
  ['milwaukee', '2022-12-31'],
];
/** Earlier than this, a market does not count as stale. */
const FIRST_DAY = 75;

/** Values every sale of the year after the end, as of its day. Uses few trees, because only time is being measured. */
export async function measureWithheld(config: Config): Promise<void> {
  const threads = openFitThreads(2);
  const rows: (string | number)[][] = [];
  for (const [market, end] of ENDS) {
    const endDay = Math.floor(Date.parse(`${end}T00:00:00Z`) / 86_400_000);
    const sales = (await withMarket(config, market, async (loaded) => loaded.sales)).filter(
      ({ soldDay }) => soldDay > endDay - 9 * 365,
    );
    const parameters = { ...quick, maxSales: standard.maxSales };
    const model = await trainModel({ market, parameters, run: threads.run }, sales, endDay);
    const book = openBook(model, listSales(sales.filter(({ knownDay }) => knownDay <= endDay)));
    const calibration = calibrate(model.scores, endDay + 1, model.calibration);
    const isOutOfTime = ({ soldDay }: Sale): boolean => soldDay > endDay + FIRST_DAY && soldDay <= endDay + 365;
    const tested = sales.filter(isOutOfTime).map((sale) => testSale({ model, book, calibration }, sale));
    const { medianError, medianRatio } = measureAccuracy(
      tested.map(({ value }) => value),
      tested.map(({ sale }) => sale.priceUsd),
    );
    const inside = tested.filter(({ covered }) => covered[0.8]).length / tested.length;
    rows.push([market, end, tested.length, percent(medianError), medianRatio.toFixed(3), percent(inside)]);
  }
  await threads.close();
  printTable(
    `Sales from day ${FIRST_DAY} to 365 after the last known sale (quick model)`,
    ['market', 'known to', 'n', 'median error', 'ratio', 'inside 80%'],
    rows,
  );
}

const percent = (share: number): string => (100 * share).toFixed(2);
