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
    // The out-of-time scores of earlier generations are better than the model's own out-of-fold scores.
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
  // Baselines are measured on market prices, like the model's headline.
  const isUsual = (_: unknown, i: number): boolean => !valued[i].isOdd;
  const prices = valued.filter(isUsual).map(({ sale }) => sale.priceUsd);
  const measured = (name: string, values: number[]) => ({ name, ...measureAccuracy(values.filter(isUsual), prices) });
  const comparablesOnly = valued.map((each) => each.comparablesValue);
  const baselines = [
    measured('median price per sqft by area', simple.perSqft),
    measured('comparables only', comparablesOnly),
    measured('linear hedonic', simple.linear),
  ];
  const same = frozen.filter((each) => isValued(each) && !each.isOdd);
  if (frozen.length > 0) baselines.push({ name: 'this model, never retrained', ...accuracyOf(same) });
  return { models, tested: served, baselines, scores: scoresOf(models[0], served), patterns };
}

/**
 * Repeats the test with the factors for missing attributes, which are measured on the tested sales. They apply to every
 * valuation served, so the published accuracy must include them.
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

/** Minimum number of days that a generation is tested on. */
const MIN_DAYS = 30;

/**
 * The first cut, then one every `retrainDays` while at least half a period remains to be tested. With a serving model,
 * the second cut is the day it was trained, so that both are tested on the same sales with equal training data.
 */
export function chooseCuts(cutDay: number, lastDay: number, retrainDays: number, servingDay?: number): number[] {
  if (servingDay !== undefined && servingDay >= cutDay + MIN_DAYS && servingDay <= lastDay - MIN_DAYS)
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
