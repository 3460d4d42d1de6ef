// Back-tests a market's outlooks: homes that sold in the test period, valued as of the day before it and projected with
// the index forecast of that time, are compared with their prices.
import { rounded } from '../../base/lib/figures.ts';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Deps } from '../../base/deps.ts';
import { dayNumber, isoDate, DAY_MS } from '../../base/lib/clock.ts';
import { median } from '../../base/math/quantiles.ts';
import { forecastOf } from '../analytics/index-answers.ts';
import { areaOf, indexMarket } from '../analytics/price-index.ts';
import { valueOn } from '../valuations/history.ts';
import { modelFor, readSales } from '../valuations/open-models.ts';
import { AREAS, project, type Index } from './project.ts';
import type { OutlookAccuracy } from './schema.ts';

/** Figures from fewer later sales would be noise. */
const LEAST_SALES = 100;
/** With more later sales, they are sampled at regular intervals. */
const MOST_SALES = 2_000;
const AT_A_TIME = 8;
const LEVEL = 0.8;
const DAYS_AHEAD = 365;
const DAYS_OF_MONTH = DAYS_AHEAD / 12;

/** Null if the period has too few sales, or if no earlier model is stored. */
export async function testOutlooks(
  deps: Pick<Deps, 'data' | 'models'>,
  market: string,
  testedFrom: string,
): Promise<OutlookAccuracy | null> {
  const day = dayNumber(testedFrom) - 1;
  const model = modelFor(await deps.models.list(), market, day + 1);
  const sales = await readSales(deps, market);
  const later = sales.filter(({ soldDay }) => soldDay > day && soldDay <= day + DAYS_AHEAD);
  if (!model || later.length < LEAST_SALES) return null;
  const indexes = new Map<string, Index>();
  const known = sales.filter(({ knownDay }) => knownDay <= day);
  for (const index of indexMarket(known, market, { kinds: AREAS, byTypes: [false] })) {
    await yieldToOthers();
    if (index?.forecast) indexes.set(`${index.kind} ${index.area}`, forecastOf(index));
  }
  const open = await deps.models.open(model);
  const asOf = isoDate(new Date(day * DAY_MS));
  const step = Math.ceil(later.length / MOST_SALES);
  const outcomes: { still: number; moved: number; isInside: boolean }[] = [];
  for (const [k, sale] of later.filter((_, i) => i % step === 0).entries()) {
    if (k % AT_A_TIME === 0) await yieldToOthers();
    const now = valueOn(open, sale, { day, level: LEVEL });
    const index = AREAS.flatMap((kind) => indexes.get(`${kind} ${areaOf(sale, kind, market)}`) ?? [])[0];
    const months = Math.max(1, Math.round((sale.soldDay - day) / DAYS_OF_MONTH));
    const then = now && project(now, index, { asOf, level: LEVEL }).data.find((each) => each.months === months);
    if (!then) continue;
    const errorOf = ({ value }: { value: number }) => Math.abs(value / sale.priceUsd - 1);
    const isInside = sale.priceUsd >= then.low && sale.priceUsd <= then.high;
    outcomes.push({ still: errorOf(now), moved: errorOf(then), isInside });
  }
  if (outcomes.length < LEAST_SALES) return null;
  return {
    as_of: asOf,
    sales: outcomes.length,
    median_error_rate: rounded(median(outcomes.map(({ moved }) => moved))),
    median_error_rate_unmoved: rounded(median(outcomes.map(({ still }) => still))),
    interval_coverage: rounded(outcomes.filter(({ isInside }) => isInside).length / outcomes.length),
  };
}
