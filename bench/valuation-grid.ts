// The adjustment grids of a test period, read as a reviewing appraiser would, and a few of them as tables.
import type { Sale } from '../src/insight/avm/attributes.ts';
import { openBookInSlices } from '../src/insight/avm/evidence.ts';
import type { Model } from '../src/insight/avm/model.ts';
import { listSales } from '../src/insight/avm/sales.ts';
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
