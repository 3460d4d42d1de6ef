// `npm run bench -- valuation [market …|drift|portfolios|speed] [--quick] [--save]`: back-tests on public sales next to
// the baselines, portfolios of tested sales, and the speed of a valuation.
import { availableParallelism } from 'node:os';
import type { Config } from '../src/config.ts';
import { openFitThreads } from '../src/training/fit/fits.ts';
import { isValued } from '../src/training/generations.ts';
import { quick, standard } from '../src/training/parameters.ts';
import { formatCard } from '../src/training/table.ts';
import { makeModels } from '../src/training/training.ts';
import type { Sale } from '../src/avm/attributes.ts';
import { findDataFolder, readers } from './markets.ts';
import { measureScikit } from './scikit.ts';
import { measureIndexDrift, measureWithheld } from './valuation-drift.ts';
import { saveFigures } from './valuation-figures.ts';
import { measurePortfolios, printPortfolios } from './valuation-portfolios.ts';
import { measureSpeed } from './valuation-speed.ts';

const day = (iso: string): number => Math.floor(Date.parse(`${iso}T00:00:00Z`) / 86_400_000);

/** Which sales of a market take part, and the last day that the tested model may know of. */
const TESTS: Record<string, { keep?: (sale: Sale) => boolean; cut?: string }> = {
  'king-county': { cut: '2015-01-23' },
  seattle: { cut: '2014-12-31' },
  milwaukee: {
    keep: (sale) => sale.soldDay >= day('2015-01-01') && sale.soldDay < day('2024-01-01'),
    cut: '2022-12-31',
  },
  nyc: { cut: '2021-12-31' },
  philadelphia: { cut: '2022-09-30' },
};

export async function run(args: string[], config: Config): Promise<void> {
  const wanted = args.filter((word) => !word.startsWith('--'));
  const parameters = args.includes('--quick') ? quick : standard;
  const folder = findDataFolder();
  const hasPortfolios = wanted.length === 0 || wanted.includes('portfolios');
  const markets = wanted.filter((word) => word in TESTS);
  const isWanted = (market: string) => markets.includes(market) || (markets.length === 0 && hasPortfolios);
  const portfolios: (string | number)[][] = [];
  for (const [market, { keep, cut }] of Object.entries(TESTS)) {
    if (folder === undefined || !isWanted(market)) continue;
    const sales = readers[market](folder).filter(keep ?? (() => true));
    const started = performance.now();
    const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
    const threads = openFitThreads(Math.min(2, availableParallelism()));
    const { card, earlier, tested } = await makeModels(
      { market, parameters, run: threads.run, report: (stage) => console.log(`  ${seconds()} s  ${stage}`) },
      sales,
      { cutDay: cut === undefined ? undefined : day(cut) },
    );
    await threads.close();
    if (hasPortfolios) portfolios.push(...measurePortfolios(market, tested));
    const { maxRSS, userCPUTime } = process.resourceUsage();
    console.log(`  ${seconds()} s, ${(userCPUTime / 1e6).toFixed(0)} s CPU, ${Math.round(maxRSS / 1024)} MB peak`);
    const trained = new Set(earlier[0].unseen.saleIds);
    const scikit = measureScikit(
      earlier[0].features,
      sales.filter(({ id }) => trained.has(id)),
      tested.filter(isValued).map(({ sale }) => sale),
    );
    if (scikit) card.baselines.push({ name: 'scikit-learn HistGradientBoosting, frozen', ...scikit });
    console.log(`\n${formatCard(card)}`);
    if (args.includes('--save')) saveFigures(card);
  }
  if (portfolios.length > 0) printPortfolios(portfolios);
  if (folder !== undefined && (wanted.length === 0 || wanted.includes('drift'))) {
    measureIndexDrift(folder);
    await measureWithheld(folder);
  }
  if (wanted.length === 0 || wanted.includes('speed')) await measureSpeed(config);
}
