// Figures derived from the cells of a series: growth, dispersion, turnover, and shares. Pure.
import { GROWTH_YEARS, type Cell, type GrowthYears } from './cells.ts';

const toShare = (value: number): number => Math.round(value * 10_000) / 10_000;

/** The base-period sales of growth, by years back. */
export const basesOf = (cell: Cell, cellAt: (starts: string) => Cell | undefined) =>
  GROWTH_YEARS.map((years) => {
    const base = cellAt(startBefore(cell, years));
    return { years, n: base?.n ?? 0, nSqft: base?.nSqft ?? 0, changed: cell.changed?.[years] ?? null };
  });

const startBefore = ({ starts }: Cell, years: number): string =>
  `${String(Number(starts.slice(0, 4)) - years).padStart(4, '0')}${starts.slice(4)}`;

/** `cellAt` finds the other cells of the series, for growth. */
export function figuresOf(cell: Cell, cellAt: (starts: string) => Cell | undefined, homes: number | null) {
  const [, price = null] = cell.prices ?? [];
  const [low, perSqft = null, high] = cell.perSqft ?? [];
  const growthOf = (years: GrowthYears, name: 'price' | 'perSqft'): number | null => {
    const medianOf = (of: Cell) => (name === 'price' ? of.prices : of.perSqft)?.[1];
    const base = cellAt(startBefore(cell, years));
    const [now, then] = [medianOf(cell), base && medianOf(base)];
    const changed = cell.changed?.[years];
    if (now === undefined || then === undefined || then === 0) return null;
    if (changed) return changed.common?.[name] == null ? null : toShare(changed.common[name] - 1);
    return toShare(now / then - 1);
  };
  const [ratio = null, ratioDispersion = null] = cell.overAssessed ?? [];
  return {
    median_price: price,
    median_price_per_sqft: perSqft,
    price_growth_1y: growthOf(1, 'price'),
    price_growth_3y: growthOf(3, 'price'),
    price_growth_5y: growthOf(5, 'price'),
    price_per_sqft_growth_1y: growthOf(1, 'perSqft'),
    price_per_sqft_growth_3y: growthOf(3, 'perSqft'),
    price_per_sqft_growth_5y: growthOf(5, 'perSqft'),
    dispersion:
      low === undefined || high === undefined || low + high === 0 ? null : toShare((high - low) / (high + low)),
    turnover: homes && cell.prices !== null ? toShare(cell.n / homes) : null,
    price_to_assessment: ratio,
    price_to_assessment_dispersion: ratioDispersion,
    resale_share: cell.resold === null ? null : toShare(cell.resold / cell.nTraced),
  };
}
