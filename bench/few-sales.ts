// `npm run bench -- few-sales [market …] [--sales=200,1000] [--draws=2]`: models of a county that knows only so many sales, with
// and without the Gaussian process, on the sales of the four months after the last one they know.
import type { Sale } from '../src/insight/avm/attributes.ts';
import { appraiseAll, readHome } from '../src/insight/avm/appraise.ts';
import { openBook } from '../src/insight/avm/evidence.ts';
import { listSales } from '../src/insight/avm/sales.ts';
import type { Config } from '../src/base/config.ts';
import { seededRandom } from '../src/base/math/random.ts';
import { openFitThreads } from '../src/insight/training/fit/fits.ts';
import { measureAccuracy } from '../src/insight/training/metrics.ts';
import { standard, type Parameters } from '../src/insight/training/parameters.ts';
import { trainModel } from '../src/insight/training/stages.ts';
import { hasRecords, marketNames, withMarket } from './markets.ts';
import { printTable } from './measure.ts';

const TEST_DAYS = 120;
const TESTED = 2_500;
const YEARS_KNOWN = 3;
const LEAST_PRICE = 20_000;

export async function run(args: string[], config: Config): Promise<void> {
  const option = (name: string, usual: string) =>
    args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
  const sizes = option('sales', '200,1000').split(',').map(Number);
  const named = marketNames.filter((name) => args.includes(name));
  const threads = openFitThreads(2);
  const rows: string[][] = [];
  for (const name of hasRecords(config) ? (named.length > 0 ? named : ['king-county', 'seattle']) : []) {
    await withMarket(config, name, async ({ market, sales }) => {
      const priced = sales.filter(({ priceUsd }) => priceUsd >= LEAST_PRICE);
      const cut = priced[priced.length - 1].soldDay - TEST_DAYS;
      const tested = priced.filter(({ soldDay }) => soldDay > cut).slice(0, TESTED);
      for (const count of sizes) {
        for (let draw = 1; draw <= Number(option('draws', '2')); draw++) {
          const known = drawSales(priced, cut, count, draw);
          const measure = async (parameters: Parameters) => {
            const model = await trainModel({ market, parameters, run: threads.run }, known, cut);
            const book = openBook(model, listSales(known));
            const readings = tested.map((sale) => readHome(model, book, sale, sale.soldDay));
            const values = appraiseAll(model, readings).map(({ logValue }) => Math.exp(logValue));
            const accuracy = measureAccuracy(
              values,
              tested.map(({ priceUsd }) => priceUsd),
            );
            return { error: 100 * accuracy.medianError, share: model.gaussian ? model.networkShare : 0 };
          };
          const without = await measure({ ...standard, kernel: null });
          const having = await measure(standard);
          rows.push([
            name,
            String(count),
            String(draw),
            without.error.toFixed(2),
            having.error.toFixed(2),
            (having.error - without.error).toFixed(2),
            String(having.share),
          ]);
          console.log(rows[rows.length - 1].join(' | '));
        }
      }
    });
  }
  await threads.close();
  printTable(
    'Median error (%) of models with few sales, out of time',
    ['market', 'sales', 'draw', 'trees', 'with the process', 'change', 'its share'],
    rows,
  );
}

/** So many of the sales known by the day, at random. */
function drawSales(sales: Sale[], cut: number, count: number, seed: number): Sale[] {
  const random = seededRandom(seed);
  return sales
    .filter(({ soldDay, knownDay }) => knownDay <= cut && soldDay > cut - YEARS_KNOWN * 365)
    .map((sale) => ({ sale, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ sale }) => sale)
    .toSorted((a, b) => a.soldDay - b.soldDay || (a.id < b.id ? -1 : 1));
}
