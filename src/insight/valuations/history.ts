// A home's value over time: published values, and in between today's model applied to the sales known by then.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { appraise, LEAST_SALES, readHome, type Home } from '../avm/appraise.ts';
import { spreadOf } from '../avm/interval.ts';
import { dayNumber, isoDate } from '../../base/lib/clock.ts';
import type { OpenModel } from './open-models.ts';
import type { Valuation } from './schema.ts';
import type { ValueRow } from './sql.ts';

type Point = NonNullable<Valuation['history']>[number];

/** Monthly for three years, then quarterly up to twelve: about what a chart can show. */
const MONTHLY = 36;
const MONTHS = 144;
/** A market's first year has too few sales to look back on. */
const FIRST_DAYS = 365;
/** Valuations per event-loop turn, which bounds other requests' wait. */
const AT_A_TIME = 8;

export type HistoryInput = {
  open: OpenModel;
  home: Home;
  published: ValueRow[];
  asOf: string;
  level: number;
};

/** Newest first. */
export async function makeHistory({ open, home, published, asOf, level }: HistoryInput): Promise<Point[]> {
  const kept = published
    .filter(({ valued_on: day }) => day <= asOf)
    .map(({ valued_on: date, value, value_low: low, value_high: high, model: model_version }): Point => {
      return { date, value, low, high, model_version, basis: 'published' };
    });
  const isCovered = new Set(kept.map(({ date }) => date.slice(0, 7)));
  const points: Point[] = [];
  const days = listMonths(asOf).filter((date) => !isCovered.has(date.slice(0, 7)));
  for (const [k, date] of days.entries()) {
    if (k % AT_A_TIME === AT_A_TIME - 1) await yieldToOthers();
    const point = recompute(open, home, date, { asOf, level });
    if (point) points.push(point);
  }
  return [...kept, ...points].toSorted((a, b) => (a.date < b.date ? 1 : -1));
}

/** First days of months before the day, newest first. */
function listMonths(asOf: string): string[] {
  const [year, month] = asOf.split('-').map(Number);
  return Array.from({ length: MONTHS }, (_, back) => back)
    .filter((back) => back < MONTHLY || back % 3 === 0)
    .map((back) => isoDate(new Date(Date.UTC(year, month - 1 - back, 1))))
    .filter((date) => date < asOf);
}

function recompute(
  open: OpenModel,
  home: HistoryInput['home'],
  date: string,
  { asOf, level }: Pick<HistoryInput, 'asOf' | 'level'>,
): Point | undefined {
  const day = dayNumber(date);
  if (day < open.model.index.firstDay + FIRST_DAYS) return undefined;
  // Uses today's calibration: for most of these days, few or no errors were known then.
  const found = valueOn(open, home, { day, level, calibratedOn: dayNumber(asOf) });
  return found && { date, ...found, model_version: open.model.version, basis: 'recomputed' };
}

/** The model's value of a home on a day, with its interval. Undefined if too few sales are near. */
export function valueOn(
  { model, book, calibrationOn }: OpenModel,
  home: Home,
  { day, level, calibratedOn = day }: { day: number; level: number; calibratedOn?: number },
): Pick<Point, 'value' | 'low' | 'high'> | undefined {
  const reading = readHome(model, book, home, day);
  if (reading.neighbors.sale.length < LEAST_SALES) return undefined;
  const appraisal = appraise(model, reading);
  const difficulty = { ...appraisal, type: home.attributes.propertyType };
  const { low, high } = spreadOf(calibrationOn(calibratedOn), difficulty, level);
  const value = Math.round(Math.exp(appraisal.logValue));
  return { value, low: Math.round(value * Math.exp(low)), high: Math.round(value * Math.exp(high)) };
}
