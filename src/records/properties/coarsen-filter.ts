// Widens a filter to whole bands, for live counts and tiles, which are free of charge. Pure.
import { bandOf } from '../../base/lib/bands.ts';
import type { Filter, RangeName } from './filter.ts';

const amount = (value: number | string, end: 'min' | 'max'): number => {
  const [from, to] = bandOf(Number(value));
  return end === 'min' ? Math.floor(from) : Math.ceil(to) - 1;
};
/** Negative if more is owed than the home is worth. */
const dollars = (value: number | string, end: 'min' | 'max'): number =>
  Number(value) >= 0 ? amount(value, end) : -amount(-Number(value), end === 'min' ? 'max' : 'min');
const decade = (value: number | string, end: 'min' | 'max'): number =>
  Math.floor(Number(value) / 10) * 10 + (end === 'min' ? 0 : 9);
const year = (value: number | string, end: 'min' | 'max'): string =>
  `${String(value).slice(0, 4)}-${end === 'min' ? '01-01' : '12-31'}`;

/** Live tiles round to the nearest twentieth. The upper end stays 1e-9 below the edge, which belongs to the next step. */
const twentieth = (value: number | string, end: 'min' | 'max'): number => {
  const middle = Math.round(Number(value) / 0.05) * 0.05;
  return end === 'min' ? middle - 0.025 : middle + 0.025 - 1e-9;
};
const WIDEN: Partial<Record<RangeName, (value: number | string, end: 'min' | 'max') => number | string>> = {
  value: amount,
  assessed_value: amount,
  last_sale_price: amount,
  sqft: amount,
  lot_sqft: amount,
  year_built: decade,
  last_sale_date: year,
  uncertainty: twentieth,
  owned_since: year,
  ltv: twentieth,
  equity: dollars,
};

/** The filter with each range widened to whole bands, and the names of the ends that moved. */
export function coarsenFilter(filter: Filter): { filter: Filter; widened: string[] } {
  const widened: string[] = [];
  const ranges = filter.ranges.map((range) => {
    const move = (end: 'min' | 'max') => {
      const given = range[end];
      if (given === undefined) return undefined;
      const moved = WIDEN[range.name]?.(given, end) ?? given;
      if (moved !== given) widened.push(`${end}_${range.name}`);
      return moved;
    };
    return { ...range, min: move('min'), max: move('max') };
  });
  return { filter: { ...filter, ranges, isRough: true }, widened };
}
