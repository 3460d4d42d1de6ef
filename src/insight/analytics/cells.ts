// Sales grouped by area, type or segment, and period, with their counts, medians and quartiles. Pure.
import { dayNumber } from '../../base/lib/clock.ts';
import { median, quantile } from '../../base/math/quantiles.ts';
import * as covered from './coverage.ts';
import { isHome, isSegment, RESIDENTIAL, segmentsOf, type HomeTraits, type Segment } from './segments.ts';

export const KINDS = ['market', 'county', 'city', 'zip', 'tract', 'neighborhood'] as const;
export type Kind = (typeof KINDS)[number];
/** Smaller areas have too few sales per segment. */
export const SEGMENTED_KINDS: readonly Kind[] = ['market', 'county', 'city', 'zip'];
export const STEPS = ['month', 'quarter', 'year'] as const;
export type Step = (typeof STEPS)[number];

/** Figures from fewer sales would be noise, and could reveal single prices. */
export const LEAST_SALES = 5;
/** A smaller living area is a data error. */
const LEAST_SQFT = 100;

export const MONTHS: Record<Step, number> = { month: 1, quarter: 3, year: 12 };

export interface SaleFact extends HomeTraits, covered.Coordinates {
  home: string;
  soldOn: string;
  /** Only the year is known: the sale counts only toward years. */
  isYearOnly: boolean;
  price: number;
  /** By the assessor, for the year of the sale or one of the two before. */
  assessed: number | null;
  source: string;
  areas: Record<Kind, string | null>;
}

type Quartiles = [p25: number, median: number, p75: number];

/** Figures of the sales of one period. `starts` is its first day. */
export interface Cell {
  starts: string;
  n: number;
  prices: Quartiles | null;
  nSqft: number;
  perSqft: Quartiles | null;
  nAssessed: number;
  /** Price over assessment: the median, and the mean absolute deviation from it as a share of it. */
  overAssessed: [median: number, dispersion: number] | null;
  /** Sales with a full year of records before them, and how many of those were resales within that year. */
  nTraced: number;
  resold: number | null;
  /** The share of nearby sales in no such area, if it is too large; the figures are then withheld. */
  unplaced?: number;
  sources: string[];
  /** By years back: the shares of usual sales lost and gained since. Set only if growth over these years would compare
      different places. */
  changed?: Partial<Record<GrowthYears, { lost: number; gained: number; common?: Common }>>;
  /** Coverage that began or ended in the period, as shares of the area's usual sales. */
  coverage?: { began?: number; ended?: number };
}

/** Sales in the coverage common to two periods, if enough to compare. */
export interface Common {
  n: number;
  baseN: number;
  /** Median of the later period ÷ median of the earlier one. */
  price: number;
  perSqft: number | null;
}

/** Growth is ranked only between medians of at least this many sales: with fewer, half of the areas move by 5% by
    chance. Growth of part of an area needs as many. */
export const LEAST_GROWTH_SALES = 20;

export const GROWTH_YEARS = [1, 3, 5] as const;
export type GrowthYears = (typeof GROWTH_YEARS)[number];

export interface Series {
  kind: Kind;
  area: string;
  /** A type, all residential homes, or a segment of them. */
  group: string;
  step: Step;
  n: number;
  cells: Cell[];
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Months since the year 0. */
export const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
export const firstDay = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;

/** The first day of the k-th period after the one that starts on this day. */
export const startOfPeriod = (first: string, k: number, step: Step): string =>
  firstDay(monthOf(first) + k * MONTHS[step]);
export const nextStart = (starts: string, step: Step): string => startOfPeriod(starts, 1, step);

/** The last day of the period that starts on this day. */
export function endOf(starts: string, step: Step): string {
  const month = monthOf(starts) + MONTHS[step] - 1;
  const [year, inYear] = [Math.floor(month / 12), month % 12];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return `${firstDay(month).slice(0, 8)}${inYear === 1 && isLeap ? 29 : DAYS_IN_MONTH[inYear]}`;
}

/** The first day of the period that holds a day. */
export const startOf = (date: string, step: Step): string =>
  firstDay(Math.floor(monthOf(date) / MONTHS[step]) * MONTHS[step]);

export type SaleBook = ReturnType<typeof createSaleBook>;

/** Keeps a few numbers per sale: a market has hundreds of thousands. `knownFrom` is the market's first sale, if the
    book has only part of it. */
export function createSaleBook(knownFrom?: string) {
  const months: number[] = [];
  const prices: number[] = [];
  const perSqft: number[] = [];
  const overAssessed: number[] = [];
  const yearOnly: boolean[] = [];
  const types: string[] = [];
  const segments: Segment[][] = [];
  const days: number[] = [];
  const homes: string[] = [];
  const sources: string[] = [];
  const strata: string[] = [];
  const areasOf = new Map<Kind, Map<string, number[]>>(KINDS.map((kind) => [kind, new Map()]));
  let first: string | null = knownFrom ?? null;
  let last: string | null = null;

  function add(sale: SaleFact): void {
    const index = months.length;
    months.push(monthOf(sale.soldOn));
    prices.push(sale.price);
    perSqft.push(sale.sqft !== null && sale.sqft >= LEAST_SQFT ? sale.price / sale.sqft : NaN);
    overAssessed.push(sale.assessed !== null && sale.assessed > 0 ? sale.price / sale.assessed : NaN);
    yearOnly.push(sale.isYearOnly);
    types.push(sale.propertyType);
    segments.push(segmentsOf(sale, Number(sale.soldOn.slice(0, 4))));
    days.push(dayNumber(sale.soldOn));
    homes.push(sale.home);
    sources.push(sale.source);
    strata.push(covered.stratumOf(sale, sale.propertyType, sale.areas.city ?? sale.areas.zip));
    for (const [kind, areas] of areasOf) {
      const area = sale.areas[kind];
      if (area !== null) addTo(areas, area, index);
    }
    if (sale.isYearOnly) return;
    if (first === null || sale.soldOn < first) first = sale.soldOn;
    if (last === null || sale.soldOn > last) last = sale.soldOn;
  }

  /** The members are in time order, so each period is one contiguous range. */
  function cellsOf(members: number[], step: Step, coverage: covered.Coverage, { traces, unplaced }: Context): Cell[] {
    const cells: Cell[] = [];
    const periodOf = (i: number) => Math.floor(months[i] / MONTHS[step]);
    const byPeriod = new Map<number, { own: number[]; outside: number }>();
    for (let from = 0, to = 0; from < members.length; from = to) {
      const period = periodOf(members[from]);
      while (to < members.length && periodOf(members[to]) === period) to++;
      const own = members.slice(from, to);
      const outside = unplaced(own);
      byPeriod.set(period, { own, outside });
      const compared = comparedIn(coverage, period * MONTHS[step], step);
      for (const years of GROWTH_YEARS) {
        const change = compared.changed?.[years];
        const base = byPeriod.get(period - (years * MONTHS.year) / MONTHS[step]);
        const isInBoth = (i: number) => coverage.isInBoth(strata[i], compared.quarters, 4 * years);
        const lost = base?.outside ?? 0;
        if (Math.max(lost, outside) > covered.MOST_UNPLACED)
          compared.changed = { ...compared.changed, [years]: { lost, gained: outside } };
        else if (change && base && covered.hasMuchInCommon(change))
          change.common = compareCommon(base.own.filter(isInBoth), own.filter(isInBoth));
      }
      const known = own.map((i) => perSqft[i]).filter((value) => !Number.isNaN(value));
      const paid = own.map((i) => prices[i]);
      const rated = own.map((i) => overAssessed[i]).filter((value) => !Number.isNaN(value));
      const traced = own.filter((i) => traces[i] !== undefined);
      cells.push({
        starts: firstDay(period * MONTHS[step]),
        n: own.length,
        prices: quartilesOf(paid, Math.round),
        nSqft: known.length,
        perSqft: quartilesOf(known, (value) => Math.round(value * 100) / 100),
        nAssessed: rated.length,
        overAssessed: levelOf(rated),
        nTraced: traced.length,
        resold: traced.length < LEAST_SALES ? null : traced.filter((i) => traces[i]).length,
        sources: [...new Set(own.map((i) => sources[i]))].sort(),
        ...(outside > covered.MOST_UNPLACED && { unplaced: outside, ...NO_FIGURES }),
        ...(compared.changed && { changed: compared.changed }),
        ...(compared.coverage && { coverage: compared.coverage }),
      });
    }
    return cells;
  }

  function compareCommon(then: number[], now: number[]): Common | undefined {
    if (Math.min(then.length, now.length) < LEAST_GROWTH_SALES) return undefined;
    const growth = (of: number[]) => {
      const [before, after] = [then, now].map((own) => own.map((i) => of[i]).filter((value) => !Number.isNaN(value)));
      return Math.min(before.length, after.length) < LEAST_GROWTH_SALES ? null : median(after) / median(before);
    };
    return { n: now.length, baseN: then.length, price: growth(prices)!, perSqft: growth(perSqft) };
  }

  function unplacedIn(kind: Kind): Context['unplaced'] {
    const within = new Set([...areasOf.get(kind)!.values()].flat());
    if (!covered.EVERYWHERE.includes(kind) || within.size === months.length) return () => 0;
    const keys = strata.map((stratum, i) => `${stratum} ${quarterOf(months[i])}`);
    return covered.followUnplaced(keys, (i) => within.has(i));
  }

  /** The coverage of an area, or of one type there. */
  function coverageOf(members: number[]): covered.Coverage {
    const dated = members.filter((i) => !yearOnly[i]);
    const ends = [first, last].map((day) => (day === null ? 0 : quarterOf(monthOf(day)))) as [number, number];
    return covered.followCoverage(dated.length, (k) => [quarterOf(months[dated[k]]), strata[dated[k]]], ends);
  }

  /** Whether each sale is a resale within a year; undefined if the year before is not on record. */
  function traceResales(): Trace[] {
    const traces: Trace[] = Array.from({ length: days.length });
    const dated = days.map((_, i) => i).filter((i) => !yearOnly[i]);
    const traceable = first === null ? Infinity : dayNumber(first) + DAYS_OF_YEAR;
    dated.sort((a, b) => days[a] - days[b]);
    const lastSold = new Map<string, { day: number; before: number }>();
    for (const i of dated) {
      const last = lastSold.get(homes[i]) ?? { day: -Infinity, before: -Infinity };
      // Several deeds on one day are one sale.
      const before = last.day === days[i] ? last.before : last.day;
      if (days[i] >= traceable) traces[i] = days[i] - before <= DAYS_OF_YEAR;
      lastSold.set(homes[i], { day: days[i], before });
    }
    return traces;
  }

  function* seriesOfArea({ kind, area }: { kind: Kind; area: string }, all: number[], around: Context) {
    const ordered = all.toSorted((a, b) => months[a] - months[b]);
    const homesHere = ordered.filter((i) => isHome(types[i]));
    const groups = new Map<string, number[]>([[RESIDENTIAL, homesHere]]);
    const whole = coverageOf(homesHere);
    const isSegmented = SEGMENTED_KINDS.includes(kind);
    for (const i of ordered) {
      for (const group of isSegmented ? [types[i], ...segments[i]] : [types[i]]) addTo(groups, group, i);
    }
    for (const [group, members] of groups) {
      // Segments use the coverage of all homes: new homes are built in different places over time.
      const coverage = group === RESIDENTIAL || isSegment(group) ? whole : coverageOf(members);
      for (const step of STEPS) {
        const dated = step === 'year' ? members : members.filter((i) => !yearOnly[i]);
        if (dated.length === 0) continue;
        yield { kind, area, group, step, n: dated.length, cells: cellsOf(dated, step, coverage, around) };
      }
    }
  }

  return {
    add,
    /** Days of the first and the last sale with more than a year as date. */
    firstSoldOn: () => first,
    lastSoldOn: () => last,
    /** Homes sold in the last three years on record. */
    countLatelySold() {
      const from = last === null ? Infinity : dayNumber(last) - 3 * DAYS_OF_YEAR;
      return new Set(homes.filter((_, i) => days[i] > from && isHome(types[i]))).size;
    },
    /** Cells of all sales, wherever they are. */
    cells(step: Step) {
      const all = months.map((_, i) => i).filter((i) => step === 'year' || !yearOnly[i]);
      all.sort((a, b) => months[a] - months[b]);
      return cellsOf(all, step, coverageOf(all), { traces: traceResales(), unplaced: () => 0 });
    },
    *series(): Generator<Series> {
      const traces = traceResales();
      for (const [kind, areas] of areasOf) {
        const around = { traces, unplaced: unplacedIn(kind) };
        for (const [area, members] of areas) yield* seriesOfArea({ kind, area }, members, around);
      }
    },
  };
}

export const quarterOf = (month: number): number => Math.floor(month / MONTHS.quarter);

/** The coverage differences to one, three and five years before. */
function comparedIn(
  coverage: covered.Coverage,
  month: number,
  step: Step,
): Pick<Cell, 'changed' | 'coverage'> & { quarters: number[] } {
  const from = quarterOf(month);
  const quarters = Array.from({ length: Math.max(1, MONTHS[step] / MONTHS.quarter) }, (_, k) => from + k);
  const changed = GROWTH_YEARS.map((years) => [years, coverage.inCommon(quarters, 4 * years)] as const);
  const shares = Object.fromEntries(changed.filter(([, common]) => covered.isChanged(common)));
  // A change is reported in the first month of its quarter.
  const here = coverage.changes.filter(
    ({ quarter }) => quarters.includes(quarter) && (step !== 'month' || month % MONTHS.quarter === 0),
  );
  return {
    quarters,
    ...(Object.keys(shares).length > 0 && { changed: shares }),
    ...(here.length > 0 && { coverage: Object.fromEntries(here.map(({ kind, share }) => [kind, share])) }),
  };
}

export function mostCommon(numbers: number[]): number {
  const groups = [...Map.groupBy(numbers, (number) => number)];
  return groups.reduce((best, group) => (group[1].length > best[1].length ? group : best))[0];
}

export function addTo<Key>(groups: Map<Key, number[]>, key: Key, member: number): void {
  const members = groups.get(key);
  if (members) members.push(member);
  else groups.set(key, [member]);
}

type Trace = boolean | undefined;

/** Context from all sales of the book for a subset. */
interface Context {
  traces: Trace[];
  unplaced: ReturnType<typeof covered.followUnplaced>;
}

const DAYS_OF_YEAR = 365;
export const NO_FIGURES = { prices: null, perSqft: null, overAssessed: null, resold: null };

function quartilesOf(values: number[], round: (value: number) => number): Quartiles | null {
  if (values.length < LEAST_SALES) return null;
  const sorted = Float64Array.from(values).sort();
  return [quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)].map(round) as Quartiles;
}

const toThousandths = (value: number): number => Math.round(value * 1_000) / 1_000;

/** The median and the coefficient of dispersion around it. */
function levelOf(ratios: number[]): Cell['overAssessed'] {
  if (ratios.length < LEAST_SALES) return null;
  const middle = median(ratios);
  const distance = ratios.reduce((sum, ratio) => sum + Math.abs(ratio - middle), 0) / ratios.length;
  return [toThousandths(middle), toThousandths(distance / middle)];
}
