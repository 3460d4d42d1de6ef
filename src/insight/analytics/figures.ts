// What follows from the cells of a series: growth, dispersion, turnover, and shares. Pure.
import { LEAST_SALES, type Cell } from './cells.ts';

const toShare = (value: number): number => Math.round(value * 10_000) / 10_000;

/** `cellAt` finds the other cells of the series, for growth. */
export function figuresOf(cell: Cell, cellAt: (starts: string) => Cell | undefined, homes: number | null) {
  const [, price = null] = cell.prices ?? [];
  const [low, perSqft = null, high] = cell.perSqft ?? [];
  const growthOf = (years: number, medianOf: (of: Cell) => number | undefined): number | null => {
    const then = cellAt(`${String(Number(cell.starts.slice(0, 4)) - years).padStart(4, '0')}${cell.starts.slice(4)}`);
    const [now, before] = [medianOf(cell), then && medianOf(then)];
    return now === undefined || before === undefined || before === 0 ? null : toShare(now / before - 1);
  };
  const priceOf = (of: Cell) => of.prices?.[1];
  const perSqftOf = (of: Cell) => of.perSqft?.[1];
  const [ratio = null, ratioDispersion = null] = cell.overAssessed ?? [];
  return {
    median_price: price,
    median_price_per_sqft: perSqft,
    price_growth_1y: growthOf(1, priceOf),
    price_growth_3y: growthOf(3, priceOf),
    price_growth_5y: growthOf(5, priceOf),
    price_per_sqft_growth_1y: growthOf(1, perSqftOf),
    price_per_sqft_growth_3y: growthOf(3, perSqftOf),
    price_per_sqft_growth_5y: growthOf(5, perSqftOf),
    dispersion:
      low === undefined || high === undefined || low + high === 0 ? null : toShare((high - low) / (high + low)),
    turnover: homes && cell.n >= LEAST_SALES ? toShare(cell.n / homes) : null,
    price_to_assessment: ratio,
    price_to_assessment_dispersion: ratioDispersion,
    resale_share: cell.resold === null ? null : toShare(cell.resold / cell.nTraced),
  };
}
