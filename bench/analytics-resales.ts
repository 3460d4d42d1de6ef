// The error of resale prices carried by an index from the sale before: ours beside what others use.
import { areaOf, fitKind, monthOfDay, openIndexBook } from '../src/insight/analytics/price-index.ts';
import type { Kind } from '../src/insight/analytics/cells.ts';
import type { Curve } from '../src/insight/analytics/index/hierarchy.ts';
import type { Resales } from '../src/insight/analytics/index/resales.ts';
import { complete } from '../src/base/lib/steps.ts';
import type { Sale } from '../src/insight/avm/attributes.ts';
import { median } from '../src/base/math/quantiles.ts';
import {
  hashOf,
  listPairs,
  medianPrices,
  metroIndex,
  repeatSales,
  type Carry,
  type Pair,
} from './analytics-baselines.ts';
import { printTable } from './measure.ts';

/** Metropolitan areas in FHFA's file. */
const METROS: Record<string, RegExp> = {
  seattle: /^Seattle/,
  milwaukee: /^Milwaukee/,
  'king-county': /^Seattle/,
  'new-york': /^New York/,
  philadelphia: /^Philadelphia/,
};
/** Of the homes sold more than once, one in so many is tested, in turn. */
const PARTS = 4;
/** Indexes are built as of so many days apart, and tested on the resales of the days after each. */
const APART_DAYS = 365;
const TESTED_DAYS = 182;
const MOST_TRIALS = 6;
/** Without as many resales there is no repeat-sales index to compare with. */
const LEAST_PAIRS = 200;
const EIGHTY = 1.2816;

export function printResales(title: string, rows: (string | number)[][]): void {
  printTable(
    `Error of a resale price carried from the sale before, in percent: ${title}`,
    ['market', 'resales', 'index', 'median error', 'mean error', 'mean signed', 'inside 80%'],
    rows,
  );
}

interface Method {
  carry: Carry;
  deviation?: (pair: Pair) => number;
}

interface Ours {
  carry: Carry;
  /** What a resale gains above the index, and the deviation of its price. */
  gain(pair: Pair): { gain: number; deviation: number };
}

interface Trial {
  known: Sale[];
  tested: Pair[];
}

/** A row for each index: tested homes take no part in it. */
export function measureResales(name: string, sales: Sale[], folder: string): (string | number)[][] {
  const parts = Array.from({ length: PARTS }, (_, part) => split(sales, part));
  return measureTrials(name, parts, metroIndex(folder, METROS[name]));
}

/** The same from the sales before a day alone: tested are the resales of the months after it. */
export function measureLaterResales(name: string, sales: Sale[], folder: string): (string | number)[][] {
  const last = sales.reduce((most, { soldDay }) => Math.max(most, soldDay), 0);
  const pairs = listPairs(sales);
  const trials: Trial[] = [];
  for (let day = last - TESTED_DAYS; trials.length < MOST_TRIALS; day -= APART_DAYS) {
    const known = sales.filter(({ soldDay }) => soldDay < day);
    if (listPairs(known).length < LEAST_PAIRS) break;
    const tested = pairs.filter(([, { soldDay }]) => soldDay >= day && soldDay < day + TESTED_DAYS);
    trials.push({ known, tested });
  }
  return measureTrials(name, trials, metroIndex(folder, METROS[name]));
}

function measureTrials(name: string, trials: Trial[], fhfa: Carry): (string | number)[][] {
  const errors = new Map<string, number[]>();
  const inside: boolean[] = [];
  for (const { known, tested } of trials) {
    if (tested.length === 0) continue;
    const methods = listMethods(name, known, fhfa);
    for (const pair of tested) {
      const growth = Math.log(pair[1].priceUsd / pair[0].priceUsd);
      const carried = [...methods].map(([method, { carry }]) => [method, carry(pair)] as const);
      // The same pairs for all.
      if (carried.some(([, value]) => value === undefined)) continue;
      for (const [method, value] of carried) {
        const error = growth - value!;
        if (!errors.has(method)) errors.set(method, []);
        errors.get(method)!.push(error);
        const deviation = methods.get(method)!.deviation?.(pair);
        if (deviation !== undefined) inside.push(Math.abs(error) < EIGHTY * deviation);
      }
    }
  }
  return [...errors].map(([method, all]) => {
    const absolute = all.map(Math.abs);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const covered = method === FINEST ? percent(inside.filter(Boolean).length / inside.length) : '';
    return [name, all.length, method, percent(median(absolute)), percent(mean(absolute)), percent(mean(all)), covered];
  });
}

const FINEST = 'the same, and the gain of resales';

function listMethods(market: string, known: Sale[], fhfa: Carry): Map<string, Method> {
  const ours = carryOurs(market, known);
  const finest = ours(['tract', 'neighborhood', 'zip', 'market']);
  return new Map<string, Method>([
    ['no index', { carry: () => 0 }],
    ['median price, market', { carry: medianPrices(known, () => '') }],
    [
      'median price, ZIP or neighborhood',
      { carry: medianPrices(known, ({ attributes: a }) => a.zip ?? a.neighborhood ?? '') },
    ],
    ['repeat sales', { carry: repeatSales(known, false) }],
    ['repeat sales, weighted', { carry: repeatSales(known, true) }],
    ['FHFA, metro', { carry: fhfa }],
    ['ours, market', { carry: ours(['market']).carry }],
    ['ours, ZIP', { carry: ours(['zip', 'market']).carry }],
    ['ours, smallest area', { carry: finest.carry }],
    [
      FINEST,
      {
        carry: (pair) => {
          const growth = finest.carry(pair);
          return growth === undefined ? undefined : growth + finest.gain(pair).gain;
        },
        deviation: (pair) => finest.gain(pair).deviation,
      },
    ],
  ]);
}

function carryOurs(market: string, known: Sale[]): (kinds: Kind[]) => Ours {
  const book = complete(openIndexBook(known));
  const fits = new Map<Kind, { resales: Resales[]; curves: Map<string, Curve> }>();
  const fitOf = (kind: Kind) => {
    let fit = fits.get(kind);
    if (!fit) {
      const { resales, areas } = complete(fitKind(book!, market, kind, false));
      fits.set(kind, (fit = { resales, curves: new Map(areas.map(({ area, curve }) => [area, curve])) }));
    }
    return fit;
  };
  const monthIn = ({ soldDay }: Sale) => monthOfDay(soldDay) - book!.first;
  return (kinds) => {
    const find = ([first]: Pair) => {
      for (const kind of kinds) {
        const curve = fitOf(kind).curves.get(areaOf(first, kind, market) ?? '');
        if (curve) return { curve, resales: fitOf(kind).resales };
      }
      return undefined;
    };
    const levelAt = ({ level, forecast }: Curve, month: number) =>
      level[month] ?? level[level.length - 1] + forecast.growth[month - level.length];
    return {
      carry: (pair) => {
        const curve = book && monthIn(pair[0]) >= 0 ? find(pair)?.curve : undefined;
        return curve && levelAt(curve, monthIn(pair[1])) - levelAt(curve, monthIn(pair[0]));
      },
      gain: (pair) => {
        const { curve, resales } = find(pair)!;
        const [from, to] = pair.map(monthIn);
        const { gain, deviation } = resales.findLast((held) => held.from <= to - from) ?? resales[0];
        const last = book!.months - 1;
        const ahead = to > last ? curve.forecast.deviation[to - last - 1] ** 2 : 0;
        const variance = curve.varianceBetween(Math.min(from, last), Math.min(to, last)) + ahead;
        return { gain, deviation: Math.sqrt(variance + deviation ** 2) };
      },
    };
  };
}

/** Tested homes apart from all others, with their sales in pairs. */
function split(sales: Sale[], part: number): Trial {
  const homes = Map.groupBy(sales, ({ propertyId }) => propertyId);
  const isTested = ({ propertyId }: Sale) => homes.get(propertyId)!.length > 1 && hashOf(propertyId) % PARTS === part;
  return { known: sales.filter((sale) => !isTested(sale)), tested: listPairs(sales.filter(isTested)) };
}

const percent = (share: number): string => (100 * share).toFixed(2);
