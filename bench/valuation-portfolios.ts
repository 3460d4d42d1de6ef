// Whether the interval of a portfolio's total holds what it promises: random portfolios of tested sales, valued as of
// their days, next to adding up the ends and to taking every home's error for its own.
import { isValued } from '../src/insight/training/generations.ts';
import type { TestedSale } from '../src/insight/training/back-test.ts';
import { simulateTotal, type ValuedHome } from '../src/delivery/watchlists/joint-interval.ts';
import {
  estimateSharedErrors,
  placeOf,
  USUAL,
  type PastError,
  type SharedErrors,
} from '../src/delivery/watchlists/shared-errors.ts';
import { printTable } from './measure.ts';

const SIZES = [1, 5, 20, 100, 400];
const PORTFOLIOS = 20;
const LEVEL = 0.8;
const MONTH_DAYS = 30;
/** Tested sales that must be known before a month is tested. */
const LEAST_KNOWN = 200;

type Case = { home: ValuedHome; priceUsd: number };
type Tally = {
  covered: number;
  width: number;
  endsCovered: number;
  endsWidth: number;
  aloneCovered: number;
  count: number;
};

/** Portfolios of one month each, with shared errors estimated from the months before. */
export function measurePortfolios(market: string, tested: readonly TestedSale[]): (string | number)[][] {
  const sold = tested.filter(isValued).filter(({ isOdd }) => !isOdd);
  const months = Map.groupBy(sold, ({ sale }) => Math.floor(sale.soldDay / MONTH_DAYS));
  const random = createRandom(7);
  const tallies = new Map(SIZES.map((size) => [size, noTally()]));
  let shared = USUAL;
  for (const [month, group] of [...months].toSorted(([a], [b]) => a - b)) {
    const known = sold.filter(({ sale }) => sale.knownDay < month * MONTH_DAYS);
    if (known.length < LEAST_KNOWN) continue;
    shared = estimateSharedErrors(known.map(errorOf));
    const cases = group.map((one) => caseOf(market, one));
    for (const size of SIZES.filter((wanted) => wanted <= cases.length)) {
      for (let k = 0; k < PORTFOLIOS; k++) addTo(tallies.get(size)!, pick(cases, size, random), shared);
    }
  }
  return [...tallies]
    .filter(([, { count }]) => count > 0)
    .map(([size, each]) => [
      market,
      size,
      each.count,
      percent(each.covered / each.count),
      percent(each.width / each.count),
      percent(each.endsCovered / each.count),
      percent(each.endsWidth / each.count),
      percent(each.aloneCovered / each.count),
      `${percent(shared.market)} / ${percent(shared.neighborhood)}`,
    ]);
}

export function printPortfolios(rows: (string | number)[][]): void {
  printTable(
    `Random portfolios of one month's sales: share inside the ${LEVEL * 100}% interval, and its width as a share of the total`,
    [
      'market',
      'homes',
      'portfolios',
      'inside',
      'width',
      'ends added',
      'width',
      'nothing shared',
      'market / neighborhood',
    ],
    rows,
  );
}

const noTally = (): Tally => ({ covered: 0, width: 0, endsCovered: 0, endsWidth: 0, aloneCovered: 0, count: 0 });

function addTo(tally: Tally, cases: Case[], shared: SharedErrors): void {
  const homes = cases.map(({ home }) => home);
  const price = sum(cases.map(({ priceUsd }) => priceUsd));
  const value = sum(homes.map((home) => home.value));
  const everywhere = (errors: SharedErrors) => new Map(homes.map(({ market }) => [market, errors]));
  const joint = simulateTotal(homes, everywhere(shared), { level: LEVEL, draws: 1_000 });
  const alone = simulateTotal(homes, everywhere({ ...shared, market: 0, neighborhood: 0 }), {
    level: LEVEL,
    draws: 1_000,
  });
  const [low, high] = [sum(homes.map((home) => home.low)), sum(homes.map((home) => home.high))];
  tally.count++;
  tally.covered += price >= joint.low && price <= joint.high ? 1 : 0;
  tally.aloneCovered += price >= alone.low && price <= alone.high ? 1 : 0;
  tally.endsCovered += price >= low && price <= high ? 1 : 0;
  tally.width += (joint.high - joint.low) / value;
  tally.endsWidth += (high - low) / value;
}

function errorOf({ sale, value, sigma }: TestedSale): PastError {
  return { day: sale.soldDay, place: placeOf(sale.attributes), error: Math.log(sale.priceUsd / value), sigma };
}

function caseOf(market: string, { sale, value, low, high }: TestedSale): Case {
  const home = {
    market,
    place: placeOf(sale.attributes),
    value,
    low: value * Math.exp(low),
    high: value * Math.exp(high),
    carried: 0,
  };
  return { home, priceUsd: sale.priceUsd };
}

function pick(cases: Case[], size: number, random: () => number): Case[] {
  const order = cases.map((each) => ({ each, at: random() })).toSorted((a, b) => a.at - b.at);
  return order.slice(0, size).map(({ each }) => each);
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
const percent = (share: number): string => (100 * share).toFixed(1);
