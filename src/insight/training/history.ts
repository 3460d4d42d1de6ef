// Finds where a market's history begins: years with only some sales recorded describe single homes, not the market.
import type { Sale } from '../avm/attributes.ts';
import { median } from '../../base/math/quantiles.ts';

const YEAR = 365.25;
/** A year with a smaller share of the median sales of later years is only partly recorded. */
const MIN_SHARE = 0.2;
/** Share of the latest sales ignored, because a few mistyped years must not end a market's history. */
const STRAY_SHARE = 0.01;

/** The day before the first one recorded as densely as the later ones; `sales` must be ordered by day. */
export function denseSince(sales: Sale[]): number {
  if (sales.length === 0) return -Infinity;
  const last = sales[Math.floor((sales.length - 1) * (1 - STRAY_SHARE))].soldDay;
  const years = Math.floor((last - sales[0].soldDay) / YEAR) + 1;
  const counts = Array.from({ length: years }, () => 0);
  for (const { soldDay } of sales) counts[Math.max(0, Math.floor((last - soldDay) / YEAR))]++;
  for (let back = 1; back < years; back++)
    if (counts[back] < MIN_SHARE * median(counts.slice(0, back))) return Math.floor(last - back * YEAR);
  return -Infinity;
}
