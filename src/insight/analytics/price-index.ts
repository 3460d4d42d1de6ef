// Computes the price indexes of a market's areas and types of homes from its sales. Pure.
import type { Sale } from '../avm/attributes.ts';
import { DAY_MS, isoDate } from '../../base/lib/clock.ts';
import { fipsOfPropertyId, formatFips } from '../../base/lib/ids.ts';
import * as cells from './cells.ts';
import * as covered from './coverage.ts';
import { RESIDENTIAL } from './segments.ts';
import { numberOf } from '../../base/math/numbering.ts';
import type { Forecast } from './index/forecast.ts';
import { adjustPrices } from './index/hedonic.ts';
import { fitHierarchy, readCurves, type AdjustedSales, type Curve, type Level } from './index/hierarchy.ts';
import { summarizeResales, type Resales } from './index/resales.ts';
import type { Steps } from '../../base/lib/steps.ts';
import { entryOf, lastOf } from '../../base/lib/must.ts';

/** One index: log levels by period relative to the base period, with their standard deviations. */
export interface AreaIndex {
  kind: cells.Kind;
  area: string;
  propertyType: string;
  step: cells.Step;
  /** First days of the first period and of the base period. */
  first: string;
  base: string;
  level: number[];
  deviation: number[];
  /** Sales of the area by period, and how many of them are repeat sales. */
  n: number[];
  resold: number[];
  growth: Growth[];
  /** Gains of the market's homes relative to its indexes between two sales. */
  resales: Resales[];
  /** From the last month; stored only with monthly indexes, and not if the area's records end before the market's. */
  forecast?: Forecast;
  /** Coverage changes of the area. The index uses the last span with most of it covered, and has no levels if there is
      none. */
  changes: covered.CoverageChange[];
  /** The base month of the market. */
  marketBase: string;
}

/** Log growth up to the last month, for every step, with its standard deviation. */
interface Growth {
  years: number;
  rate: number;
  deviation: number;
  /** First days of the two months. */
  from: string;
  to: string;
}

/** The default base month, before the price jumps of the following years. */
const USUAL_BASE = cells.monthOf('2020-01-01');
/** Sales needed for any index of a market. */
const LEAST_MARKET_SALES = 100;
/** With fewer sales, an area's index would only repeat its parent's. */
export const LEAST_AREA_SALES = 20;
/** The index begins with the first year since which every year has at least this many sales. */
const LEAST_YEARLY_SALES = 24;
/** An index from less than this share of the usual sales would describe another area. */
const LEAST_COVERED = 0.5;
/** A shorter span gives no meaningful annual growth. */
const LEAST_QUARTERS = 8;
/** The kinds of area between each kind and the market, from the top. */
const PARENTS: Record<cells.Kind, cells.Kind[]> = {
  market: [],
  county: [],
  city: ['county'],
  zip: [],
  tract: ['zip'],
  neighborhood: ['zip'],
};

/** Quality-adjusted sales of a market, ready for indexes of any kind of area. */
interface IndexBook {
  /** The first month, counted from the year 0, and the number of months. */
  first: number;
  months: number;
  sales: readonly Sale[];
  columns: AdjustedSales;
}

/** Undefined with too few sales. */
export function* openIndexBook(all: readonly Sale[]): Steps<IndexBook | undefined> {
  const [first, last] = spanOf(all);
  const sales = all.filter(({ soldDay }) => monthOfDay(soldDay) >= first);
  if (sales.length < LEAST_MARKET_SALES) return undefined;
  const month = Int32Array.from(sales, ({ soldDay }) => monthOfDay(soldDay) - first);
  const homes = new Map<string, number>();
  const home = Int32Array.from(sales, ({ propertyId }) => numberOf(homes, propertyId));
  const quarter = month.map((each) => Math.floor(each / 3));
  const adjusted = yield* adjustPrices(sales, quarter);
  return { first, months: last - first + 1, sales, columns: { month, home, adjusted, pairs: pairSales(home, month) } };
}

interface KindIndex {
  /** Gains of homes relative to the index between two sales. */
  resales: Resales[];
  /** The areas of the kind (by type if wanted) with enough sales. */
  areas: { area: string; propertyType: string; members: number[]; curve: Curve }[];
}

/** The indexes of all areas of a kind, of all homes together or type by type. */
export function* fitKind(
  book: IndexBook,
  market: string,
  kind: cells.Kind,
  byType: boolean,
  usualSeason?: number[],
): Steps<KindIndex> {
  const { sales, columns, first, months } = book;
  const named = [...PARENTS[kind], kind].map((each) => {
    const areas = sales.map((sale) => {
      const area = areaOf(sale, each, market);
      return area !== null && byType ? `${area}\n${sale.attributes.propertyType}` : area;
    });
    return covered.EVERYWHERE.includes(each) ? placedOnly(areas, book) : areas;
  });
  const members = Map.groupBy(sales.keys(), (i) => lastOf(named)[i]);
  // Types are nested in the market, and areas of a type in the type. The market has no deviation from itself.
  const types = byType && kind !== 'market' ? [sales.map(({ attributes }) => attributes.propertyType)] : [];
  const { levels, names } = nest(kind === 'market' && !byType ? [] : [...types, ...named]);
  const fitted = yield* fitHierarchy(columns, levels, months);
  const depth = levels.length - 1;
  const curveOf = readCurves(fitted, first, usualSeason);
  return {
    resales: summarizeResales(columns, fitted.errors),
    areas: [...members].flatMap(([name, own]) => {
      if (name === null || own.length < LEAST_AREA_SALES) return [];
      const [area, propertyType = RESIDENTIAL] = name.split('\n');
      const curve = curveOf(depth < 0 ? undefined : { depth, number: entryOf(names[depth], name) });
      return [{ area, propertyType, members: own, curve }];
    }),
  };
}

/** The areas of sales, excluding quarters with too many unplaced nearby sales. */
function placedOnly(areas: (string | null)[], { sales, columns, first }: IndexBook): (string | null)[] {
  if (!areas.includes(null)) return areas;
  const quarters = columns.month.map((month) => cells.quarterOf(first + month));
  const unplaced = covered.followUnplaced(
    sales.map((sale, i) => `${stratumOfSale(sale)} ${quarters[i]}`),
    (i) => areas[i] !== null,
  );
  const groups = Map.groupBy(areas.keys(), (i) => `${areas[i]} ${quarters[i]}`);
  const left = new Set([...groups.values()].filter((own) => unplaced(own) > covered.MOST_UNPLACED).flat());
  return areas.map((area, i) => (left.has(i) ? null : area));
}

interface IndexOptions {
  /** The current base month, which is kept as long as it is on record. */
  keptBase?: string;
  kinds?: readonly cells.Kind[];
  byTypes?: boolean[];
}

/** Every index of a market, or of some kinds; yields in between, so requests are served. */
export function* indexMarket(
  all: readonly Sale[],
  market: string,
  { keptBase, kinds = cells.KINDS, byTypes = [false, true] }: IndexOptions = {},
): Generator<AreaIndex | undefined, void> {
  const book = yield* openIndexBook(all);
  if (!book) return;
  const { first, months, columns } = book;
  const wanted = keptBase === undefined ? USUAL_BASE : cells.monthOf(keptBase);
  const base = wanted >= first && wanted < first + months ? wanted - first : 0;
  const isResale = new Set(columns.pairs.map(([, later]) => later));
  for (const kind of kinds) {
    for (const byType of byTypes) {
      const { areas, resales } = yield* fitKind(book, market, kind, byType);
      for (const { area, propertyType, members, curve } of areas) {
        const counts = countByMonth(members, columns.month, isResale, months);
        const { span, changes } = coveredSpan(members, book);
        const shared = { kind, area, propertyType, resales, changes, marketBase: cells.firstDay(first + base) };
        for (const step of cells.STEPS) {
          yield { ...shared, step, ...summarize({ ...within(span, { curve, counts, first, base }), step }) };
        }
      }
    }
  }
}

type Span = [from: number, to: number];

const stratumOfSale = ({ attributes: home }: Sale) => covered.stratumOf(home, home.propertyType, home.city ?? home.zip);

/** The last span of months in which most of an area is on record. */
function coveredSpan(
  members: number[],
  { sales, columns, first, months }: IndexBook,
): { span: Span; changes: covered.CoverageChange[] } {
  const quarterAt = (month: number) => cells.quarterOf(first + month);
  const ends: Span = [quarterAt(0), quarterAt(months - 1)];
  const { shareIn, changes } = covered.followCoverage(
    members.length,
    (k) => [quarterAt(columns.month[members[k]]), stratumOfSale(sales[members[k]])],
    ends,
  );
  let to = ends[1];
  while (to >= ends[0] && shareIn(to) < LEAST_COVERED) to--;
  let from = to;
  while (from > ends[0] && shareIn(from - 1) >= LEAST_COVERED) from--;
  // Short, but the full record: sales are sparse rather than cut off.
  const isWhole = from === ends[0] && to === ends[1];
  if (!isWhole && to - from + 1 < LEAST_QUARTERS) return { span: [0, -1], changes };
  const monthOfQuarter = (quarter: number) => quarter * cells.MONTHS.quarter - first;
  return {
    span: [Math.max(0, monthOfQuarter(from)), Math.min(months - 1, monthOfQuarter(to + 1) - 1)],
    changes,
  };
}

interface Summarized {
  curve: Curve;
  counts: Counts;
  first: number;
  base: number;
}

/** Restricts an index to a span. If the market's base month is outside, the first month is the base. */
function within([from, to]: Span, { curve, counts, first, base }: Summarized): Summarized & { isLast: boolean } {
  const isLast = to === curve.level.length - 1;
  const cut = (values: Float64Array) => values.slice(from, to + 1);
  return {
    curve: {
      ...curve,
      level: cut(curve.level),
      varianceBetween: (a, b) => curve.varianceBetween(a + from, b + from),
    },
    counts: { n: cut(counts.n), resold: cut(counts.resold) },
    first: first + from,
    base: base >= from && base <= to ? base - from : 0,
    isLast,
  };
}

export const monthOfDay = (day: number): number => cells.monthOf(isoDate(new Date(day * DAY_MS)));

/** The first and last month, starting with the first year after which no year lacks sales. */
function spanOf(sales: readonly Sale[]): [first: number, last: number] {
  const months = sales.map(({ soldDay }) => monthOfDay(soldDay));
  const last = months.reduce((most, each) => Math.max(most, each), 0);
  const yearly = Map.groupBy(months, (month) => Math.floor((last - month) / 12));
  let years = 0;
  while ((yearly.get(years)?.length ?? 0) >= LEAST_YEARLY_SALES) years++;
  const first = last - 12 * years + 1;
  return [months.reduce((least, each) => (each >= first ? Math.min(least, each) : least), last), last];
}

export function areaOf({ attributes, propertyId }: Sale, kind: cells.Kind, market: string): string | null {
  const named = (name: string | null) => name?.trim().toUpperCase() || null;
  if (kind === 'market') return market;
  if (kind === 'county') return formatFips(fipsOfPropertyId(propertyId));
  if (kind === 'zip') return attributes.zip;
  if (kind === 'tract') return attributes.censusTract;
  return named(kind === 'city' ? attributes.city : attributes.neighborhood);
}

/** Numbers the areas of each level. An area that spans several parents belongs to the one with most of its sales. */
function nest(named: (string | null)[][]): { levels: Level[]; names: Map<string, number>[] } {
  const names = named.map(() => new Map<string, number>());
  const areas = named.map((column, depth) =>
    Int32Array.from(column, (name) => (name === null ? -1 : numberOf(names[depth], name))),
  );
  const parents = names.map(({ size }) => new Int32Array(size).fill(-1));
  for (let depth = areas.length - 1; depth > 0; depth--) {
    const [own, above] = [areas[depth], areas[depth - 1]];
    for (const [number, members] of Map.groupBy(own.keys(), (i) => own[i])) {
      const known = members.map((i) => above[i]).filter((each) => each >= 0);
      if (number >= 0 && known.length > 0) parents[depth][number] = cells.mostCommon(known);
    }
    areas[depth - 1] = above.map((number, i) => (own[i] < 0 ? number : parents[depth][own[i]]));
  }
  return { levels: areas.map((area, depth) => ({ area, parent: parents[depth] })), names };
}

function pairSales(home: Int32Array, month: Int32Array): AdjustedSales['pairs'] {
  const last = new Map<number, number>();
  const pairs: AdjustedSales['pairs'] = [];
  for (const i of Uint32Array.from(home.keys()).sort((a, b) => month[a] - month[b])) {
    const before = last.get(home[i]);
    if (before !== undefined) pairs.push([before, i]);
    last.set(home[i], i);
  }
  return pairs;
}

interface Counts {
  n: Float64Array;
  resold: Float64Array;
}

function countByMonth(own: number[], month: Int32Array, isResale: Set<number>, months: number): Counts {
  const counts = { n: new Float64Array(months), resold: new Float64Array(months) };
  for (const i of own) {
    counts.n[month[i]]++;
    if (isResale.has(i)) counts.resold[month[i]]++;
  }
  return counts;
}

/** The level of a quarter or year is the mean of its months; its variance, conservatively, that of its middle month. */
function summarize(of: Summarized & { isLast: boolean; step: cells.Step }) {
  const { curve, counts, first, base, step, isLast } = of;
  const length = cells.MONTHS[step];
  const periods = [...Map.groupBy(curve.level.keys(), (t) => Math.floor((first + t) / length)).values()];
  const middles = periods.map((own) => own[own.length >> 1]);
  const means = periods.map((own) => own.reduce((sum, t) => sum + curve.level[t], 0) / own.length);
  const at = periods.findIndex((own) => own.includes(base));
  const deviationBetween = (a: number, b: number) => Math.sqrt(curve.varianceBetween(middles[a], middles[b]));
  const total = (values: Float64Array) => periods.map((own) => own.reduce((sum, t) => sum + values[t], 0));
  return {
    first: cells.firstDay(Math.floor(first / length) * length),
    base: cells.firstDay(Math.floor((first + base) / length) * length),
    level: means.map((mean) => round(mean - means[at])),
    deviation: means.map((_, period) => round(deviationBetween(at, period))),
    n: total(counts.n),
    resold: total(counts.resold),
    growth: growthOf(curve, first),
    ...(step === 'month' && isLast && { forecast: roundAll(curve.forecast) }),
  };
}

function growthOf({ level, varianceBetween }: Curve, first: number): Growth[] {
  const to = level.length - 1;
  return cells.GROWTH_YEARS.filter((years) => to >= 12 * years).map((years) => {
    const from = to - 12 * years;
    return {
      years,
      rate: round(level[to] - level[from]),
      deviation: round(Math.sqrt(varianceBetween(from, to))),
      from: cells.firstDay(first + from),
      to: cells.firstDay(first + to),
    };
  });
}

const roundAll = ({ growth, deviation }: Forecast): Forecast => ({
  growth: growth.map(round),
  deviation: deviation.map(round),
});

const round = (value: number): number => Math.round(1e5 * value) / 1e5;
