// Forecasts of price indexes against what came: FHFA's metropolitan areas, and the markets' own indexes.
import { METRO_TRENDS, SEASONS } from '../src/insight/analytics/index/forecast.ts';
import { complete } from '../src/base/lib/steps.ts';
import { expectGrowth, followTrend, type TrendModel } from '../src/insight/analytics/index/trend.ts';
import type { Kind } from '../src/insight/analytics/cells.ts';
import { fitKind, monthOfDay, openIndexBook } from '../src/insight/analytics/price-index.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import { quantile } from '../src/base/math/quantiles.ts';
import { readMetros } from './analytics-baselines.ts';
import { printTable } from './measure.ts';

const EIGHTY = 1.2816;
const QUARTERS_AHEAD = [1, 2, 4];
const MONTHS_AHEAD = [3, 6, 12];
/** Years of an area's index before it is forecast. */
const LEAD_YEARS = 5;
/** The first year that the parameters of the trend have not seen. */
const TESTED_FROM = 2005;
/** Noise of a quarter of FHFA's index; whichever of these has predicted an area best so far. */
const NOISES = [0.004, 0.008, 0.016];

const KINDS = ['market', 'zip', 'neighborhood'] satisfies Kind[];
/** An index is forecast after three years, once a year. */
const LEAST_MONTHS = 36;
const MONTHS_APART = 12;
/** Quarters of FHFA's index that the trend is told from. */
const WINDOW = 40;

interface Outcome {
  actual: number;
  lastYear: number;
  expected: number;
  deviation: number;
}

/** The trend as it is served is by month; FHFA's index is by quarter. */
function byQuarter({ usual, memory, levelStep, trendStep, firstTrend }: TrendModel): TrendModel {
  return {
    usual: 3 * usual,
    memory: memory ** 3,
    levelStep: 3 * levelStep,
    trendStep: 27 * trendStep,
    firstTrend: 9 * firstTrend,
  };
}

export function measureMetroForecasts(folder: string): void {
  const model = byQuarter(METRO_TRENDS);
  const outcomes = new Map<string, Outcome[]>();
  for (const index of readMetros(folder).values()) {
    const first = Math.min(...index.keys());
    const level = Float64Array.from(
      { length: Math.max(...index.keys()) - first + 1 },
      (_, i) => index.get(first + i) ?? NaN,
    );
    for (let now = 4 * LEAD_YEARS; now + 1 < level.length; now++) {
      const year = Math.floor((first + now) / 4);
      if (year < TESTED_FROM || Number.isNaN(level[now]) || Number.isNaN(level[now - 4])) continue;
      const { state, noise } = followBest(level.subarray(Math.max(0, now + 1 - WINDOW), now + 1), model);
      const expected = expectGrowth(state, model, 4);
      for (const quarters of QUARTERS_AHEAD) {
        const later = level[now + quarters] ?? NaN;
        if (Number.isNaN(later)) continue;
        const { growth, variance } = expected[quarters - 1];
        const outcome = {
          actual: later - level[now],
          lastYear: ((level[now] - level[now - 4]) * quarters) / 4,
          expected: state.level + growth - level[now],
          deviation: Math.sqrt(variance + noise),
        };
        for (const span of ['all', year < 2013 ? '2005–2012' : year < 2020 ? '2013–2019' : '2020–2022']) {
          const key = `${span}\n${3 * quarters}`;
          if (!outcomes.has(key)) outcomes.set(key, []);
          outcomes.get(key)!.push(outcome);
        }
      }
    }
  }
  print(`FHFA’s metropolitan areas from ${TESTED_FROM}: growth expected and actual, in percent`, 'years', outcomes);
}

function followBest(level: Float64Array, model: TrendModel) {
  const tried = NOISES.map((deviation) => {
    const variance = level.map((value) => (Number.isNaN(value) ? Infinity : deviation ** 2));
    return { state: followTrend({ mean: level, variance }, model), noise: deviation ** 2 };
  });
  return tried.reduce((best, each) => (each.state.logLikelihood > best.state.logLikelihood ? each : best));
}

/** Each index built from the sales before a day and forecast from there, against the index from all sales. */
export function forecastMarket(name: string, sales: Sale[], outcomes: Map<string, Outcome[]>): void {
  const whole = complete(openIndexBook(sales));
  if (!whole || whole.months < 12 * 4) return;
  const actual = new Map(
    KINDS.map((kind) => [
      kind,
      new Map(complete(fitKind(whole, name, kind, false)).areas.map(({ area, curve }) => [area, curve.level])),
    ]),
  );
  // A market's own later years are in the season that is usual; it is tested with that of the other.
  const otherSeason = name === 'seattle' ? SEASONS.milwaukee : SEASONS.seattle;
  for (let months = LEAST_MONTHS; months + MONTHS_AHEAD[0] <= whole.months; months += MONTHS_APART) {
    const book = complete(openIndexBook(sales.filter(({ soldDay }) => monthOfDay(soldDay) < whole.first + months)));
    if (!book || book.first !== whole.first || book.months < months) continue;
    const now = months - 1;
    for (const kind of KINDS) {
      for (const { area, curve } of complete(fitKind(book, name, kind, false, otherSeason)).areas) {
        const later = actual.get(kind)!.get(area);
        for (const ahead of MONTHS_AHEAD) {
          if (!later || now + ahead >= whole.months) continue;
          const key = `${name}, ${kind}\n${ahead}`;
          if (!outcomes.has(key)) outcomes.set(key, []);
          outcomes.get(key)!.push({
            actual: later[now + ahead] - later[now],
            lastYear: ((curve.level[now] - curve.level[now - 12]) * ahead) / 12,
            expected: curve.forecast.growth[ahead - 1],
            deviation: curve.forecast.deviation[ahead - 1],
          });
        }
      }
    }
  }
}

export function printMarketForecasts(outcomes: Map<string, Outcome[]>): void {
  print('Indexes from the sales before a day: growth expected, and actual by all sales, in percent', 'areas', outcomes);
}

function print(title: string, what: string, outcomes: Map<string, Outcome[]>): void {
  const rows = [...outcomes].map(([key, all]) => {
    const misses = (predict: (outcome: Outcome) => number) => {
      const sorted = Float64Array.from(all, (outcome) => Math.abs(outcome.actual - predict(outcome))).sort();
      const mean = sorted.reduce((sum, miss) => sum + miss, 0) / sorted.length;
      return `${percent(quantile(sorted, 0.5))} / ${percent(mean)}`;
    };
    const inside = all.filter(({ actual, expected, deviation }) => Math.abs(actual - expected) < EIGHTY * deviation);
    return [
      ...key.split('\n'),
      all.length,
      misses(() => 0),
      misses(({ lastYear }) => lastYear),
      misses(({ expected }) => expected),
      percent(inside.length / all.length),
    ];
  });
  printTable(
    `${title} (median / mean miss)`,
    [what, 'months', 'cases', 'no change', 'last year again', 'forecast', 'inside 80%'],
    rows,
  );
}

const percent = (share: number): string => (100 * share).toFixed(2);
