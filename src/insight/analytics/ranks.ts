// Stores the figures of all areas of a kind in columns, and ranks areas by one of them. Pure.
import { LEAST_GROWTH_SALES, LEAST_SALES, type Series } from './cells.ts';
import { basesOf, figuresOf } from './figures.ts';
import { RESIDENTIAL } from './segments.ts';
import { LEAST_OWNERS, shareOfMillionths, type Layer, type Stock } from './stock.ts';
import salesFigures from './sales-figures.json' with { type: 'json' };

/** Figures of a period's sales, with the count behind each. */
const SALES_COLUMNS = salesFigures as Record<keyof typeof salesFigures, 'n' | 'nSqft' | 'nAssessed' | 'nTraced'>;

const SALES_FIGURES = Object.keys(SALES_COLUMNS) as (keyof typeof SALES_COLUMNS)[];
/** Figures of the current homes. */
const STOCK_FIGURES = [
  'homes',
  'median_value',
  'median_year_built',
  'median_sqft',
  'tax_rate',
  'owner_occupied_share',
  'permit_share',
  'open_violation_share',
  'open_lien_share',
] as const;
export const FIGURES = [...SALES_FIGURES, ...STOCK_FIGURES];
export type Figure = (typeof FIGURES)[number];
export const isSalesFigure = (figure: Figure): figure is keyof typeof SALES_COLUMNS => figure in SALES_COLUMNS;

/** A figure of many areas, each value with its count. A column, because a ranking of thousands of areas needs one
    figure of twenty-two. */
export interface Column {
  values: (number | null)[];
  counts: number[];
  /** For growth, the sales in the base period. */
  bases?: number[];
}

/** No months: most areas have too few sales in one. */
export const RANKED_STEPS = ['quarter', 'year'] as const;
export type RankedStep = (typeof RANKED_STEPS)[number];

export interface RankRow {
  kind: string;
  property_type: string;
  step: RankedStep | 'stock';
  starts: string;
  /** In the order of every column. */
  areas: string[];
  figures: Partial<Record<Figure, Column>>;
  /** Only in rows of the stock. */
  places: { fips: number[]; centers: Stock['center'][] } | null;
}

/** The sentinel date for the current state in a row's key. */
export const NOW = '1900-01-01';

/** Gathers the series of a market into one row per kind, type and period. */
export function createRankBook() {
  const rows = new Map<string, RankRow>();
  return {
    addSeries({ kind, area, group, step, cells }: Series, homes: number | null): void {
      if (step === 'month') return;
      const known = new Map(cells.map((cell) => [cell.starts, cell]));
      for (const cell of cells) {
        const key = [kind, group, step, cell.starts].join('\n');
        let row = rows.get(key);
        if (!row) rows.set(key, (row = emptyRow({ kind, property_type: group, step, starts: cell.starts })));
        row.areas.push(area);
        const figures = {
          sales: cell.unplaced ? null : cell.n,
          ...figuresOf(cell, (starts) => known.get(starts), homes),
        };
        const bases = basesOf(cell, (starts) => known.get(starts));
        for (const figure of SALES_FIGURES) {
          const n = cell[SALES_COLUMNS[figure]];
          const base = bases.find(({ years }) => figure.endsWith(`growth_${years}y`));
          const start = base && (SALES_COLUMNS[figure] === 'n' ? base.n : base.nSqft);
          // Medians of few sales are noisy: their growth would top every ranking.
          const isFew = start !== undefined && Math.min(n, start) < LEAST_GROWTH_SALES;
          append(row, figure, [isFew ? null : figures[figure], n, start]);
        }
      }
    },
    rows: () => [...rows.values()],
  };
}

const emptyRow = (key: Pick<RankRow, 'kind' | 'property_type' | 'step' | 'starts'>): RankRow => ({
  ...key,
  areas: [],
  figures: {},
  places: null,
});

function append(
  { figures }: RankRow,
  figure: Figure,
  [value, n, base]: [value: number | null, n: number, base?: number],
): void {
  const column = (figures[figure] ??= { values: [], counts: [] });
  column.values.push(value);
  column.counts.push(n);
  if (base !== undefined) (column.bases ??= []).push(base);
}

export const rankStock = (stock: Stock[]): RankRow[] =>
  [...Map.groupBy(stock, ({ kind }) => kind)].map(([kind, areas]) => {
    const row = emptyRow({ kind, property_type: RESIDENTIAL, step: 'stock', starts: NOW });
    for (const each of areas) {
      row.areas.push(each.area);
      const figures = stockFiguresOf(each);
      for (const figure of STOCK_FIGURES) append(row, figure, figures[figure]);
    }
    return { ...row, places: { fips: areas.map(({ fips }) => fips), centers: areas.map(({ center }) => center) } };
  });

function stockFiguresOf({ homes, values, yearBuilt, sqft, taxRate, owners, ...layers }: Stock) {
  const shareOf = (layer: Layer | null): [number | null, number] => [layer?.share ?? null, layer?.n ?? 0];
  const count = homes[RESIDENTIAL] ?? 0;
  return {
    homes: [count, count],
    median_value: [values.median, values.n],
    median_year_built: [yearBuilt.median, yearBuilt.n],
    median_sqft: [sqft.median, sqft.n],
    tax_rate: [shareOfMillionths(taxRate?.median ?? null), taxRate?.n ?? 0],
    owner_occupied_share: [owners.share, owners.n],
    permit_share: shareOf(layers.permits),
    open_violation_share: shareOf(layers.violations),
    open_lien_share: shareOf(layers.liens),
  } satisfies Record<(typeof STOCK_FIGURES)[number], [value: number | null, n: number]>;
}

/** Minimum number of sales or homes that a figure needs. */
export function leastOf(figure: Figure): number {
  if (isGrowth(figure)) return LEAST_GROWTH_SALES;
  return figure === 'owner_occupied_share' ? LEAST_OWNERS : LEAST_SALES;
}
const isGrowth = (figure: Figure): boolean => figure.includes('growth');

export interface AreaFigure {
  area: string;
  market: string;
  value: number | null;
  n: number;
  base?: number;
  /** No records cover the area, so a small `n` is not informative. */
  isUnknown?: boolean;
}

type Ranked = Pick<AreaFigure, 'area' | 'market' | 'n' | 'base'> & { value: number };

type Withheld = Omit<Ranked, 'value'> & { reason: 'few' | 'not_known' | 'coverage_changed' };

/** Sorts areas by a figure, with the name as tie-break; areas without the figure are returned separately. */
export function rankBy(areas: AreaFigure[], { isDescending, least }: { isDescending: boolean; least: number }) {
  const ranked: Ranked[] = [];
  const withheld: Withheld[] = [];
  for (const { area, market, value, n, base, isUnknown = false } of areas) {
    const isFew = Math.min(n, base ?? n) < least && !isUnknown;
    // With enough sales in both periods, growth is withheld only for changed coverage.
    const other = base === undefined ? 'not_known' : 'coverage_changed';
    if (value !== null) ranked.push({ area, market, n, base, value });
    else withheld.push({ area, market, n, base, reason: isFew ? 'few' : other });
  }
  const sign = isDescending ? -1 : 1;
  const byName = (a: { area: string; market: string }, b: { area: string; market: string }) =>
    a.area < b.area ? -1 : a.area > b.area ? 1 : a.market < b.market ? -1 : 1;
  ranked.sort((a, b) => sign * (a.value - b.value) || byName(a, b));
  withheld.sort((a, b) => b.n - a.n || byName(a, b));
  return { ranked, withheld };
}
