// `npm run bench -- valuation [market …|speed]`: back-tests on public sales beside the baselines, and the speed of one valuation.
import { availableParallelism } from 'node:os';
import { openFitThreads } from '../src/training/fits.ts';
import { quick, standard } from '../src/training/parameters.ts';
import { seededRandom } from '../src/training/random.ts';
import { trainModel } from '../src/training/stages.ts';
import { formatCard } from '../src/training/table.ts';
import { makeModels } from '../src/training/training.ts';
import { appraise, readHome } from '../src/valuations/appraise.ts';
import { noAttributes, type Sale } from '../src/valuations/attributes.ts';
import { comparableColumns, compareToNeighbors, NEIGHBORS } from '../src/valuations/comparable-features.ts';
import { openBook } from '../src/valuations/evidence.ts';
import { buildLine, chooseComparables } from '../src/valuations/grid.ts';
import { calibrate, spreadOf } from '../src/valuations/interval.ts';
import { additiveParts, predictAll } from '../src/valuations/model.ts';
import { findNeighbors } from '../src/valuations/neighbors.ts';
import { findDataFolder, readers } from './markets.ts';

const day = (iso: string): number => Math.floor(Date.parse(`${iso}T00:00:00Z`) / 86_400_000);

/** Which sales of a market take part, and the last day the tested model may know. */
const TESTS: Record<string, { keep?: (sale: Sale) => boolean; cut?: string }> = {
  'king-county': {},
  seattle: { cut: '2014-12-31' },
  milwaukee: {
    keep: (sale) => sale.soldDay >= day('2015-01-01') && sale.soldDay < day('2024-01-01'),
    cut: '2022-12-31',
  },
  nyc: { cut: '2021-12-31' },
  philadelphia: {},
};

export async function run(args: string[]): Promise<void> {
  const wanted = args.filter((word) => !word.startsWith('--'));
  const parameters = args.includes('--quick') ? quick : standard;
  const folder = findDataFolder();
  for (const [market, { keep, cut }] of Object.entries(TESTS)) {
    if (folder === undefined || (wanted.length > 0 && !wanted.includes(market))) continue;
    const sales = readers[market](folder).filter(keep ?? (() => true));
    const started = performance.now();
    const threads = openFitThreads(Math.min(2, availableParallelism()));
    const report = (stage: string): void =>
      console.log(`  ${((performance.now() - started) / 1000).toFixed(0)} s  ${stage}`);
    const { card } = await makeModels(market, sales, parameters, threads.run, {
      report,
      cutDay: cut === undefined ? undefined : day(cut),
    });
    await threads.close();
    console.log(`\n${formatCard(card)}`);
  }
  if (wanted.length === 0 || wanted.includes('speed')) await measureSpeed();
}

/** An invented metropolis: half a million sales over three years. */
function inventSales(count: number): Sale[] {
  const random = seededRandom(1);
  return Array.from({ length: count }, (_, i): Sale => {
    const soldDay = 19_000 + Math.floor((1100 * i) / count);
    const sqft = Math.round(800 + random() * 2500);
    const latitude = 43 + random();
    const longitude = -88 + random();
    return {
      id: `s${i}`,
      propertyId: `p${Math.floor(random() * 2 * count)}`,
      soldDay,
      knownDay: soldDay + 14,
      priceUsd: Math.round(
        Math.exp(12 + 0.7 * Math.log(sqft / 1500) + 0.4 * Math.sin(9 * latitude) + 0.15 * (random() - 0.5)),
      ),
      attributes: {
        ...noAttributes,
        propertyType: 'single_family',
        latitude,
        longitude,
        sqft,
        bedrooms: 1 + Math.round(sqft / 700),
        bathrooms: 2,
        yearBuilt: 1920 + Math.floor(random() * 100),
        zip: String(53_000 + (Math.floor(latitude * 40) % 90)),
      },
    };
  });
}

async function measureSpeed(): Promise<void> {
  const sales = inventSales(500_000);
  const threads = openFitThreads(2);
  const parameters = { ...standard, maxSales: 20_000, folds: 2 };
  const model = await trainModel({ market: 'speed', version: 'speed' }, sales, 21_000, parameters, threads.run);
  await threads.close();
  const opening = performance.now();
  const book = openBook(model, sales);
  console.log(
    `book of ${sales.length} sales opened in ${((performance.now() - opening) / 1000).toFixed(1)} s, ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
  );
  const today = 20_150;
  const calibration = calibrate(model.scores, today, model.calibration);
  const homes = Array.from({ length: 2000 }, (_, i) => sales[(i * 7919) % sales.length]);
  const steps: Record<string, number[]> = {};
  const time = <Result>(name: string, work: () => Result): Result => {
    const started = performance.now();
    const result = work();
    (steps[name] ??= []).push(performance.now() - started);
    return result;
  };
  const window = { from: today - 1100, knownBefore: today };
  for (const home of homes) {
    const reading = time('read the home (neighbours, features)', () => readHome(model, book, home, today));
    const { sigma } = time('model (five sets of trees)', () => appraise(model, reading));
    time('  of it one set of trees', () => predictAll(model.base.slice(0, 1), reading.row));
    time('  of it neighbours', () =>
      findNeighbors(book.evidence, reading.subject.x, reading.subject.y, -1, window, NEIGHBORS),
    );
    time('  of it comparable features', () =>
      compareToNeighbors(
        book.evidence,
        reading.subject,
        reading.neighbors,
        window,
        new Float32Array(comparableColumns.length),
        0,
      ),
    );
    time('interval', () => spreadOf(calibration, sigma, 0.8));
    time('comparables and grid', () => {
      const own = additiveParts(model.additive, reading.row);
      const chosen = chooseComparables(model, book, reading, { count: 10, maxKm: 15, maxAgeDays: 1100, exclude: [] });
      return chosen.map((sale) => buildLine(model, reading, own, sale));
    });
  }
  for (const [name, values] of Object.entries(steps)) {
    const sorted = values.toSorted((a, b) => a - b);
    console.log(
      `${name.padEnd(40)} p50 ${sorted[sorted.length >> 1].toFixed(3)} ms, p99 ${sorted[Math.floor(sorted.length * 0.99)].toFixed(3)} ms`,
    );
  }
}
