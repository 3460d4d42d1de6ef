// Presents the cells of a series as points: every period from the first to the last, with its figures. Pure.
import { endOf, NO_FIGURES, nextStart, startOf, type Step } from './cells.ts';
import { basesOf, figuresOf } from './figures.ts';
import { isClosed, type KeptCell } from './revisions.ts';
import type { SeriesPoint } from './schema.ts';

interface PointsOptions {
  step: Step;
  since?: string;
  until?: string;
  lastSoldOn: string | null;
  /** Null if turnover is unknown. */
  homes: number | null;
}

export function pointsOf(cells: KeptCell[], options: PointsOptions): SeriesPoint[] {
  const known = new Map(cells.map((cell) => [cell.starts, cell]));
  return fillPeriods(cells, options).map((cell) => {
    const [priceLow, , priceHigh] = cell.prices ?? [null, null, null];
    const [perSqftLow, , perSqftHigh] = cell.perSqft ?? [null, null, null];
    return {
      period: labelOf(cell.starts, options.step),
      starts_on: cell.starts,
      ends_on: endOf(cell.starts, options.step),
      n: cell.n,
      withheld: cell.prices === null,
      unplaced_share: cell.unplaced ?? null,
      price_p25: priceLow,
      price_p75: priceHigh,
      n_with_sqft: cell.nSqft,
      price_per_sqft_p25: perSqftLow,
      price_per_sqft_p75: perSqftHigh,
      n_with_assessment: cell.nAssessed ?? 0,
      n_traced: cell.nTraced,
      ...figuresOf(cell, (starts) => known.get(starts), options.homes),
      growth_bases: basesOf(cell, (starts) => known.get(starts)).map(({ years, n, nSqft, changed }) => ({
        years,
        n,
        n_with_sqft: nSqft,
        coverage_changed: changed && {
          lost: changed.lost,
          gained: changed.gained,
          common: changed.common ? { n: changed.common.n, base_n: changed.common.baseN } : null,
        },
      })),
      is_open: !isClosed(cell.starts, options.step, options.lastSoldOn),
      late_sales: cell.nFirst === null ? 0 : Math.max(0, cell.n - cell.nFirst),
      revised_on: cell.revisedOn,
      sources: cell.sources,
    };
  });
}

const nothing = (starts: string): KeptCell => ({
  starts,
  n: 0,
  nSqft: 0,
  nAssessed: 0,
  nTraced: 0,
  ...NO_FIGURES,
  sources: [],
  nFirst: null,
  revisedOn: null,
});

/** Every period from the first with sales to the last, within the requested span, including empty ones at its ends. */
function fillPeriods(cells: KeptCell[], { step, since, until }: PointsOptions): KeptCell[] {
  const from = since === undefined ? '' : startOf(since, step);
  const filled: KeptCell[] = [];
  for (const cell of cells) {
    for (let gap = filled.at(-1); gap && nextStart(gap.starts, step) < cell.starts; gap = filled.at(-1)) {
      filled.push(nothing(nextStart(gap.starts, step)));
    }
    filled.push(cell);
  }
  return filled.filter(({ starts }) => starts >= from && (until === undefined || starts <= until));
}

export function labelOf(starts: string, step: Step): string {
  if (step === 'year') return starts.slice(0, 4);
  return step === 'month' ? starts.slice(0, 7) : `${starts.slice(0, 4)}-Q${Math.ceil(Number(starts.slice(5, 7)) / 3)}`;
}

/** The first day of a period by its label; undefined if invalid. */
export function startOfLabel(label: string, step: Step): string | undefined {
  if (step === 'year') return /^[12]\d{3}$/.test(label) ? `${label}-01-01` : undefined;
  const [, year, quarter] = /^([12]\d{3})-Q([1-4])$/i.exec(label) ?? [];
  return year && `${year}-${String(Number(quarter) * 3 - 2).padStart(2, '0')}-01`;
}
