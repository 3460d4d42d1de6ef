// The back-test as an operator would run it: train, value half a year of sales, retrain, and so on.
import { DAY_MS, isoDate } from '../../base/lib/clock.ts';
import type { Sale } from '../avm/attributes.ts';
import { calibrate, openScores } from '../avm/interval.ts';
import type { MissingPattern, Model, Scores } from '../avm/model.ts';
import { backTest, type TestedSale } from './back-test.ts';
import { linearHedonic, perSqftByArea } from './baselines.ts';
import { asPercent, measureAccuracy } from './metrics.ts';
import { measureMissing } from './missing.ts';
import { trainModel, type TrainingContext } from './stages.ts';

/** With fewer comparables, a sale counts as not valued. */
export const isValued = ({ comparables }: TestedSale): boolean => comparables >= 3;

/** The models, oldest first, with the scores of every valuation in the test period added to the first model's own. */
export async function testGenerations(training: TrainingContext, sales: Sale[], cuts: number[], lastDay: number) {
  const { parameters, report = () => {} } = training;
  const models: Model[] = [];
  const tested: TestedSale[] = [];
  const simple = { perSqft: [] as number[], linear: [] as number[] };
  let frozen: TestedSale[] = [];
  let patterns: MissingPattern[] = [];
  for (const [k, cut] of cuts.entries()) {
    report(`back-test model, sales known by ${isoDate(new Date(cut * DAY_MS))}`);
    const model = await trainModel(training, sales, cut);
    // Scores of the earlier generations are out of time, and so better than the model's own out-of-fold scores.
    if (k > 0) model.scores = scoresOf(models[0], tested);
    const { tested: own, book } = backTest(model, sales, cut, cuts[k + 1] ?? lastDay);
    const valued = own.filter(isValued);
    if (k === 0 && cuts.length > 1) frozen = [...own, ...backTest(model, sales, cuts[1], lastDay).tested];
    tested.push(...own);
    models.push(model);
    report(`8 back-test: ${own.length} sales, median error ${asPercent(accuracyOf(valued).medianError)}`);

    const trained = new Set(model.outOfFold.saleIds);
    const perSqft = perSqftByArea(sales.filter((sale) => trained.has(sale.id)));
    const linear = linearHedonic(model, book, trained);
    const places = new Map(Array.from({ length: book.sales.length }, (_, i) => [book.sales.at(i).id, i]));
    simple.perSqft.push(...valued.map(({ sale }) => perSqft(sale)));
    simple.linear.push(...valued.map(({ sale }) => linear(sale, places.get(sale.id)!)));
    if (k < cuts.length - 1) continue;
    const calibration = calibrate(scoresOf(models[0], tested), Infinity, model.calibration);
    const { homes } = training;
    patterns = measureMissing(model, book, valued, { calibration, sample: parameters.missingSample, homes });
    report(`9 attributes hidden: ${patterns.map(({ names, factors }) => `${names} ×${factors}`).join('; ')}`);
  }
  const served = testAsServed({ models, sales, ends: [...cuts.slice(1), lastDay] }, tested, patterns);
  const valued = served.filter(isValued);
  // Of market prices, as the model's own headline.
  const isUsual = (_: unknown, i: number): boolean => !valued[i].isOdd;
  const prices = valued.filter(isUsual).map(({ sale }) => sale.priceUsd);
  const measured = (name: string, values: number[]) => ({ name, ...measureAccuracy(values.filter(isUsual), prices) });
  const alone = valued.map((each) => each.comparablesValue);
  const baselines = [
    measured('median price per sqft by area', simple.perSqft),
    measured('comparables only', alone),
    measured('linear hedonic', simple.linear),
  ];
  const same = frozen.filter((each) => isValued(each) && !each.isOdd);
  if (frozen.length > 0) baselines.push({ name: 'this model, never retrained', ...accuracyOf(same) });
  return { models, tested: served, baselines, scores: scoresOf(models[0], served), patterns };
}

/**
 * Tests once more with the factors of missing attributes: these are measured on the tested sales and applied to every
 * valuation that is served, and what is published has to be true of what is served.
 */
function testAsServed(
  { models, sales, ends }: { models: Model[]; sales: Sale[]; ends: number[] },
  tested: TestedSale[],
  patterns: MissingPattern[],
): TestedSale[] {
  if (tested.every(({ missing }) => missing.length === 0)) return tested;
  const again: TestedSale[] = [];
  for (const [k, model] of models.entries()) {
    const scores = k === 0 ? model.scores : scoresOf(models[0], again);
    again.push(...backTest({ ...model, patterns, scores }, sales, model.trainedOn, ends[k]).tested);
  }
  return again;
}

/** A generation tests at least so many days. */
const LEAST_DAYS = 30;

/**
 * The first cut, then one after every `retrainDays` as long as at least half a period remains to be tested; or the day
 * on which the serving model was trained, so that the new one is tested on the same sales with as much to learn from.
 */
export function chooseCuts(cutDay: number, lastDay: number, retrainDays: number, servingDay?: number): number[] {
  if (servingDay !== undefined && servingDay >= cutDay + LEAST_DAYS && servingDay <= lastDay - LEAST_DAYS)
    return [cutDay, servingDay];
  const cuts = [cutDay];
  while (lastDay - cuts[cuts.length - 1] > 1.5 * retrainDays) cuts.push(cuts[cuts.length - 1] + retrainDays);
  return cuts;
}

function scoresOf(first: Model, tested: TestedSale[]): Scores {
  const scores = openScores(first.scores);
  for (const each of tested) scores.add(each.sale, { ...each, logValue: Math.log(each.value) });
  return scores.all();
}

export function accuracyOf(valued: TestedSale[]) {
  const values = valued.map(({ value }) => value);
  const prices = valued.map(({ sale }) => sale.priceUsd);
  return measureAccuracy(values, prices);
}
