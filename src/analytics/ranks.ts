// The figures of every area of a kind side by side, as they are kept, and the order of areas by one of them. Pure.
import { LEAST_SALES, type Cell, type Series } from './cells.ts';
import { figuresOf, type Figures } from './figures.ts';
import { RESIDENTIAL } from './segments.ts';
import type { Layer, Stock } from './stock.ts';

/** Figures of the sales of a period, with the count each rests on. */
const SALES_COLUMNS = {
  sales: 'n',
  median_price: 'n',
  median_price_per_sqft: 'nSqft',
  price_growth_1y: 'n',
  price_growth_3y: 'n',
  price_growth_5y: 'n',
  price_per_sqft_growth_1y: 'nSqft',
  price_per_sqft_growth_3y: 'nSqft',
  price_per_sqft_growth_5y: 'nSqft',
  dispersion: 'nSqft',
  turnover: 'n',
  price_to_assessment: 'nAssessed',
  price_to_assessment_dispersion: 'nAssessed',
  resale_share: 'nTraced',
} as const satisfies Record<string, keyof Cell>;

export const SALES_FIGURES = Object.keys(SALES_COLUMNS) as (keyof typeof SALES_COLUMNS)[];
/** Figures of the homes as they stand. */
export const STOCK_FIGURES = [
  'homes',
  'median_value',
  'median_year_built',
  'median_sqft',
  'owner_occupied_share',
  'permit_share',
  'open_violation_share',
  'open_lien_share',
] as const;
export const FIGURES = [...SALES_FIGURES, ...STOCK_FIGURES];
export type Figure = (typeof FIGURES)[number];
export const isStockFigure = (figure: Figure): boolean => STOCK_FIGURES.some((each) => each === figure);

/** Values in the order of the figures, each with its count, and of the stock also where the area is. Arrays, because a
    row holds thousands of areas. */
export type KeptRank = [
  area: string,
  values: (number | null)[],
  counts: number[],
  place?: { fips: number; center: Stock['center'] },
];

/** Months have too few sales in most areas. */
export const RANKED_STEPS = ['quarter', 'year'] as const;
export type RankedStep = (typeof RANKED_STEPS)[number];

export interface RankRow {
  kind: string;
  property_type: string;
  step: RankedStep | 'stock';
  starts: string;
  areas: KeptRank[];
}

/** The day that stands for "as things are now" in the key of a row. */
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
        if (!row) rows.set(key, (row = { kind, property_type: group, step, starts: cell.starts, areas: [] }));
        const figures: Figures & { sales: number } = {
          sales: cell.n,
          ...figuresOf(cell, (starts) => known.get(starts), homes),
        };
        row.areas.push([
          area,
          SALES_FIGURES.map((figure) => figures[figure]),
          SALES_FIGURES.map((figure) => cell[SALES_COLUMNS[figure]]),
        ]);
      }
    },
    rows: () => [...rows.values()],
  };
}

export function rankStock(stock: Stock[]): RankRow[] {
  const shareOf = (layer: Layer | null): [number | null, number] => [layer?.share ?? null, layer?.n ?? 0];
  return [...Map.groupBy(stock, ({ kind }) => kind)].map(([kind, areas]) => ({
    kind,
    property_type: RESIDENTIAL,
    step: 'stock',
    starts: NOW,
    areas: areas.map((each): KeptRank => {
      const homes = each.homes[RESIDENTIAL] ?? 0;
      const columns: [value: number | null, n: number][] = [
        [homes, homes],
        [each.values.median, each.values.n],
        [each.yearBuilt.median, each.yearBuilt.n],
        [each.sqft.median, each.sqft.n],
        [each.owners.share, each.owners.n],
        shareOf(each.permits),
        shareOf(each.violations),
        shareOf(each.liens),
      ];
      const place = { fips: each.fips, center: each.center };
      return [each.area, columns.map(([value]) => value), columns.map(([, n]) => n), place];
    }),
  }));
}

export interface Ranked {
  area: string;
  market: string;
  n: number;
  value: number;
}

export interface Withheld {
  area: string;
  market: string;
  n: number;
  reason: 'few' | 'not_known';
}

/** In order of a figure, then of the area; areas without it apart. */
export function rankBy(
  figure: Figure,
  isDescending: boolean,
  areas: { market: string; kept: KeptRank }[],
): { ranked: Ranked[]; withheld: Withheld[] } {
  const column = (isStockFigure(figure) ? STOCK_FIGURES : SALES_FIGURES).findIndex((each) => each === figure);
  const ranked: Ranked[] = [];
  const withheld: Withheld[] = [];
  for (const { market, kept } of areas) {
    const [area, values, counts] = kept;
    const [value, n] = [values[column], counts[column]];
    if (value !== null) ranked.push({ area, market, n, value });
    else withheld.push({ area, market, n, reason: n < LEAST_SALES ? 'few' : 'not_known' });
  }
  const sign = isDescending ? -1 : 1;
  const byName = (a: { area: string; market: string }, b: { area: string; market: string }) =>
    a.area < b.area ? -1 : a.area > b.area ? 1 : a.market < b.market ? -1 : 1;
  ranked.sort((a, b) => sign * (a.value - b.value) || byName(a, b));
  withheld.sort((a, b) => b.n - a.n || byName(a, b));
  return { ranked, withheld };
}
