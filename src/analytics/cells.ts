// Sales grouped by area, type and period, with their counts, medians and quartiles. Pure.
import { quantile } from '../math/quantiles.ts';

export const KINDS = ['market', 'county', 'city', 'zip', 'tract', 'neighborhood'] as const;
export type Kind = (typeof KINDS)[number];
export const STEPS = ['month', 'quarter', 'year'] as const;
export type Step = (typeof STEPS)[number];

/** The types that people live in, taken together. */
export const RESIDENTIAL = 'residential';
const HOMES = new Set(['single_family', 'condo', 'townhouse', 'multi_family', 'manufactured']);

/** Figures of fewer sales would be noise, and close to the price of a single home. */
export const LEAST_SALES = 5;
/** A smaller living area is an error of the record. */
const LEAST_SQFT = 100;

export const MONTHS: Record<Step, number> = { month: 1, quarter: 3, year: 12 };

export interface SaleFact {
  soldOn: string;
  /** Only the year is known: the sale counts in years alone. */
  isYearOnly: boolean;
  price: number;
  sqft: number | null;
  propertyType: string;
  source: string;
  areas: Record<Kind, string | null>;
}

type Quartiles = [p25: number, median: number, p75: number];

/** What is computed of the sales of one period. `starts` is the first day of the period. */
export interface Cell {
  starts: string;
  n: number;
  prices: Quartiles | null;
  nSqft: number;
  perSqft: Quartiles | null;
  sources: string[];
}

export interface Series {
  kind: Kind;
  area: string;
  propertyType: string;
  step: Step;
  n: number;
  cells: Cell[];
}

/** Months since the year 0. */
export const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
export const firstDay = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;

/** The first day of the period after the one that starts on this day. */
export function nextStart(starts: string, step: Step): string {
  return firstDay(monthOf(starts) + MONTHS[step]);
}

/** The first day of the period that holds a day. */
export function startOf(date: string, step: Step): string {
  return firstDay(Math.floor(monthOf(date) / MONTHS[step]) * MONTHS[step]);
}

export interface SaleBook {
  add(sale: SaleFact): void;
  /** Day of the latest sale that is dated by more than its year. */
  lastSoldOn(): string | null;
  series(): Generator<Series>;
}

/** Keeps a few numbers of each sale: a market has hundreds of thousands. */
export function createSaleBook(): SaleBook {
  const months: number[] = [];
  const prices: number[] = [];
  const perSqft: number[] = [];
  const yearOnly: boolean[] = [];
  const types: string[] = [];
  const sources: string[] = [];
  const areasOf = new Map<Kind, Map<string, number[]>>(KINDS.map((kind) => [kind, new Map()]));
  let last: string | null = null;

  function add(sale: SaleFact): void {
    const index = months.length;
    months.push(monthOf(sale.soldOn));
    prices.push(sale.price);
    perSqft.push(sale.sqft !== null && sale.sqft >= LEAST_SQFT ? sale.price / sale.sqft : NaN);
    yearOnly.push(sale.isYearOnly);
    types.push(sale.propertyType);
    sources.push(sale.source);
    for (const [kind, areas] of areasOf) {
      const area = sale.areas[kind];
      if (area === null) continue;
      const members = areas.get(area);
      if (members) members.push(index);
      else areas.set(area, [index]);
    }
    if (!sale.isYearOnly && (last === null || sale.soldOn > last)) last = sale.soldOn;
  }

  /** The members are in order of time, so each period is one stretch of them. */
  function cellsOf(members: number[], step: Step): Cell[] {
    const cells: Cell[] = [];
    const periodOf = (i: number) => Math.floor(months[i] / MONTHS[step]);
    for (let from = 0, to = 0; from < members.length; from = to) {
      const period = periodOf(members[from]);
      while (to < members.length && periodOf(members[to]) === period) to++;
      const own = members.slice(from, to);
      const known = own.map((i) => perSqft[i]).filter((value) => !Number.isNaN(value));
      const paid = own.map((i) => prices[i]);
      cells.push({
        starts: firstDay(period * MONTHS[step]),
        n: own.length,
        prices: quartilesOf(paid, Math.round),
        nSqft: known.length,
        perSqft: quartilesOf(known, (value) => Math.round(value * 100) / 100),
        sources: [...new Set(own.map((i) => sources[i]))].sort(),
      });
    }
    return cells;
  }

  function* seriesOfArea(kind: Kind, area: string, all: number[]): Generator<Series> {
    const ordered = all.toSorted((a, b) => months[a] - months[b]);
    const homes = ordered.filter((i) => HOMES.has(types[i]));
    for (const [propertyType, members] of [[RESIDENTIAL, homes] as const, ...Map.groupBy(ordered, (i) => types[i])]) {
      for (const step of STEPS) {
        const dated = step === 'year' ? members : members.filter((i) => !yearOnly[i]);
        if (dated.length === 0) continue;
        yield { kind, area, propertyType, step, n: dated.length, cells: cellsOf(dated, step) };
      }
    }
  }

  return {
    add,
    lastSoldOn: () => last,
    *series() {
      for (const [kind, areas] of areasOf) {
        for (const [area, members] of areas) yield* seriesOfArea(kind, area, members);
      }
    },
  };
}

function quartilesOf(values: number[], round: (value: number) => number): Quartiles | null {
  if (values.length < LEAST_SALES) return null;
  const sorted = Float64Array.from(values).sort();
  return [quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)].map(round) as Quartiles;
}
