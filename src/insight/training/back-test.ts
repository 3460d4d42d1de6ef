// Values every sale of a test period from what was known before its day, and pairs each value with the price.
import { appraise, readHome, logLevelOf, type Reading } from '../avm/appraise.ts';
import type { Attributes, Sale } from '../avm/attributes.ts';
import { openBook, type Book } from '../avm/evidence.ts';
import * as interval from '../avm/interval.ts';
import type { Model } from '../avm/model.ts';
import { listSales } from '../avm/sales.ts';

export type TestedSale = {
  sale: Sale;
  value: number;
  sigma: number;
  /** Ends of the 80% interval as log offsets from the value. */
  low: number;
  high: number;
  fsd: number;
  within10: number;
  /** The median error reported with the value. */
  statedError: number;
  label: interval.Confidence;
  /** Log error in units of sigma. */
  score: number;
  /** Whether the price was inside the interval, by level. */
  covered: Record<string, boolean>;
  /** Too far from its value to be a market price: tested like the others, but excluded from their comparables. */
  isOdd: boolean;
  comparables: number;
  /** Missing attributes, and whether a prior sale of the home was known. */
  missing: string[];
  isSold: boolean;
  isUnusual: boolean;
  /** Value from the comparables alone: price levels of similar neighbors, adjusted to the home. */
  comparablesValue: number;
};

export const LEVELS = [0.5, 0.8, 0.9, 0.95];

/** Tests sales after `fromDay` up to `toDay` in order; each score joins the calibration once it is known. */
export function backTest(model: Model, sales: Sale[], fromDay: number, toDay: number) {
  const book = openBook(model, listSales(sales));
  const rolling = interval.openScores(model.scores);
  const tested: TestedSale[] = [];
  let calibration: interval.Calibration | undefined;
  let day = -1;
  for (const sale of sales) {
    if (sale.soldDay <= fromDay || sale.soldDay > toDay) continue;
    if (interval.calibrationDay(sale.soldDay) !== day || calibration === undefined) {
      day = interval.calibrationDay(sale.soldDay);
      calibration = interval.calibrate(rolling.all(), day, model.calibration);
    }
    const result = testSale({ model, book, calibration }, sale);
    tested.push(result);
    rolling.add(sale, { ...result, logValue: Math.log(result.value) });
  }
  return { tested, book };
}

export function testSale(
  { model, book, calibration }: { model: Model; book: Book; calibration: interval.Calibration },
  sale: Sale,
  attributes: Attributes = sale.attributes,
): TestedSale {
  const reading = readHome(model, book, { attributes, propertyId: sale.propertyId }, sale.soldDay);
  const nearby = reading.neighbors.sale.length;
  const appraisal = appraise(model, reading);
  const { logValue, sigma, isSold, isUnusual } = appraisal;
  const error = Math.log(sale.priceUsd) - logValue;
  const covered: Record<string, boolean> = {};
  const difficulty = { ...appraisal, type: sale.attributes.propertyType };
  for (const level of LEVELS) {
    const spread = interval.spreadOf(calibration, difficulty, level);
    covered[level] = error >= spread.low && error <= spread.high;
  }
  const { low, high, fsd, within10, medianError } = interval.spreadOf(calibration, difficulty, 0.8);
  return {
    sale,
    value: Math.exp(logValue),
    sigma,
    low,
    high,
    fsd,
    within10,
    statedError: medianError,
    label: interval.confidenceOf(fsd, { nearby, beyond: reading.beyond }),
    score: error / sigma,
    covered,
    isOdd: book.odd.has(sale.id),
    comparables: nearby,
    missing: reading.missing,
    isSold,
    isUnusual,
    comparablesValue: comparablesValue(model, reading, logValue),
  };
}

function comparablesValue(model: Model, reading: Reading, fallback: number): number {
  const alike = reading.row[reading.row.length - 13];
  const near = reading.row[reading.row.length - 14];
  const log = alike === alike ? alike : near;
  return Math.exp(log === log ? log + logLevelOf(model, reading) : fallback);
}
