// The adjustment grids of a test period, read as a reviewing appraiser would, and a few of them as tables.
import type { Sale } from '../src/avm/attributes.ts';
import { openBookInSlices } from '../src/avm/evidence.ts';
import type { Model } from '../src/avm/model.ts';
import { listSales } from '../src/avm/sales.ts';
<<<<<<< HEAD
=======
import { openFitThreads } from '../src/training/fit/fits.ts';
import { quick, standard } from '../src/training/parameters.ts';
import { trainModel } from '../src/training/stages.ts';
>>>>>>> wt-grid
import {
  attributesBySale,
  formatGrid,
  measureGrids,
  showGrid,
  type GridFigures,
  type ShownGrid,
} from './grid-check.ts';

type GridTest = {
  /** Each is tested on the sales after its training and before the next one's; oldest first. */
  models: Model[];
  sales: Sale[];
  lastDay: number;
  /** How many grids to print, evenly spread over the period. */
  shown: number;
};

<<<<<<< HEAD
export async function measureMarketGrids(market: string, { models, sales, lastDay, shown }: GridTest): Promise<void> {
  const grids: ShownGrid[] = [];
  for (const [k, model] of models.entries()) {
    const book = await openBookInSlices(model, listSales(sales));
    const end = models[k + 1]?.trainedOn ?? lastDay;
    const tested = sales.filter(({ soldDay }) => soldDay > model.trainedOn && soldDay <= end);
    grids.push(...tested.flatMap((sale) => showGrid(model, book, sale) ?? []));
  }
  console.log(`\n${market}\n${formatFigures(measureGrids(grids, attributesBySale(sales)))}`);
  for (let k = 0; k < shown; k++) console.log(`\n${formatGrid(grids[Math.floor(((k + 0.5) * grids.length) / shown)])}`);
=======
export async function measureGridMarkets(args: string[]): Promise<void> {
  const folder = findDataFolder();
  if (folder === undefined) return;
  const wanted = args.filter((word) => word in GRID_TESTS);
  const homes = Number(args.find((word) => word.startsWith('--homes='))?.slice(8) ?? 0);
  for (const market of wanted.length > 0 ? wanted : Object.keys(GRID_TESTS)) {
    const { keep, cut } = GRID_TESTS[market];
    const sales = readers[market](folder).filter(keep);
    const grids = await showMarket(market, sales, cut, args.includes('--quick'));
    console.log(`\n${market}\n${formatFigures(measureGrids(grids, attributesBySale(sales)))}`);
    // Evenly spread over the period.
    for (let k = 0; k < homes; k++)
      console.log(`\n${formatGrid(grids[Math.floor(((k + 0.5) * grids.length) / homes)])}`);
  }
}

/** Every sale after the cut, by a model trained on what was known then. */
async function showMarket(market: string, sales: Sale[], cut: number, isQuick: boolean): Promise<ShownGrid[]> {
  const threads = openFitThreads(Math.min(2, availableParallelism()));
  const report = (stage: string): void => console.log(`  ${market}  ${stage}`);
  const training = { market, parameters: isQuick ? quick : standard, run: threads.run, report };
  const model = await trainModel(training, sales, cut);
  await threads.close();
  const book = await openBookInSlices(model, listSales(sales));
  return sales.filter(({ soldDay }) => soldDay > cut).flatMap((sale) => showGrid(model, book, sale) ?? []);
>>>>>>> wt-grid
}

function formatFigures(figures: GridFigures): string {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const precise = (share: number): string => `${(100 * share).toFixed(2)} %`;
  return [
    ['valuations, comparables, lines', `${figures.valuations}, ${figures.comparables}, ${figures.lines}`],
    ['lines that are not zero though both sides are equal', figures.unequal],
    ['lines of the wrong sign', figures.wrongSigns],
    ['lines that show a code', figures.codes],
    ['comparables that do not add up', figures.wrongSums],
    ['median gross adjustment', percent(figures.medianGross)],
    ['comparables over 25 % gross', percent(figures.grossOver25)],
    ['median net adjustment', percent(figures.medianNet)],
    ['comparables over 15 % net', percent(figures.netOver15)],
    ['lines over 10 %', percent(figures.linesOver10)],
    ['median error of the indicated value', precise(figures.indicatedError)],
    ['median error of the estimate', precise(figures.estimateError)],
    ['median reconciliation', percent(figures.reconciliation)],
    ['valuations with a widened rule', percent(figures.widened)],
    ['comparables per valuation', figures.perGrid.toFixed(1)],
  ]
    .map(([name, value]) => `| ${name} | ${value} |`)
    .join('\n');
}
