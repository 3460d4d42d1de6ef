// The error of resale prices carried by an index from the sale before: ours beside what others use.
import { areaOf, fitKind, monthOfDay, openIndexBook } from '../src/analytics/price-index.ts';
import type { Kind } from '../src/analytics/cells.ts';
import type { Curve } from '../src/analytics/index/hierarchy.ts';
import { resalesHeld, type Resales } from '../src/analytics/index/resales.ts';
import type { Sale } from '../src/avm/attributes.ts';
import { median } from '../src/math/quantiles.ts';
import { listPairs, medianPrices, metroIndex, repeatSales, type Carry, type Pair } from './analytics-baselines.ts';
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
const EIGHTY = 1.2816;

export function printResales(rows: (string | number)[][]): void {
  printTable(
    'Error of a resale price carried from the sale before, in percent; tested homes take no part in any index',
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

/** A row for each index. */
export function measureResales(name: string, sales: Sale[], folder: string): (string | number)[][] {
  const fhfa = metroIndex(folder, METROS[name]);
  const errors = new Map<string, number[]>();
  const inside: boolean[] = [];
  for (let part = 0; part < PARTS; part++) {
    const { known, tested } = split(sales, part);
    if (tested.length === 0) continue;
    const methods = listMethods(name, known, fhfa);
    for (const pair of tested) {
      const growth = Math.log(pair[1].priceUsd / pair[0].priceUsd);
      const carried = [...methods].map(([method, { carry }]) => [method, carry(pair)] as const);
      // The same pairs for all.
      if (carried.some(([, value]) => value === undefined)) continue;
      for (const [method, value] of carried) {
        const error = growth - value!;
        errors.set(method, [...(errors.get(method) ?? []), error]);
        const deviation = methods.get(method)!.deviation?.(pair);
        if (deviation !== undefined) inside.push(Math.abs(error) < EIGHTY * deviation);
      }
    }
  }
  return [...errors].map(([method, all]) => {
    const absolute = all.map(Math.abs);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const isBanded = method === FINEST;
    return [
      name,
      all.length,
      method,
      percent(median(absolute)),
      percent(mean(absolute)),
      percent(mean(all)),
      isBanded ? percent(inside.filter(Boolean).length / inside.length) : '',
    ];
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
  const book = openIndexBook(known);
  const fits = new Map<Kind, { resales: Resales[]; curves: Map<string, Curve> }>();
  const fitOf = (kind: Kind) => {
    let fit = fits.get(kind);
    if (!fit) {
      const { resales, areas } = fitKind(book!, market, kind, false);
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
    const isInside = (pair: Pair) => book && pair.every((sale) => monthIn(sale) >= 0 && monthIn(sale) < book.months);
    return {
      carry: (pair) => {
        const level = isInside(pair) ? find(pair)?.curve.level : undefined;
        return level && level[monthIn(pair[1])] - level[monthIn(pair[0])];
      },
      gain: (pair) => {
        const { curve, resales } = find(pair)!;
        const [from, to] = pair.map(monthIn);
        const { gain, deviation } = resalesHeld(resales, to - from);
        return { gain, deviation: Math.sqrt(curve.varianceBetween(from, to) + deviation ** 2) };
      },
    };
  };
}

/** Tested homes apart from all others, with their sales in pairs. */
function split(sales: Sale[], part: number): { known: Sale[]; tested: Pair[] } {
  const homes = Map.groupBy(sales, ({ propertyId }) => propertyId);
  const isTested = ({ propertyId }: Sale) => homes.get(propertyId)!.length > 1 && hashOf(propertyId) % PARTS === part;
  return { known: sales.filter((sale) => !isTested(sale)), tested: listPairs(sales.filter(isTested)) };
}

function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619) >>> 0;
  return hash >>> 8;
}

const percent = (share: number): string => (100 * share).toFixed(2);
