// Where a market's history begins: years of which only some sales are known are history of single homes, not of the market.
import type { Sale } from '../avm/attributes.ts';
import { median } from '../../base/math/quantiles.ts';

const YEAR = 365.25;
/** A year with a smaller share of the sales of the years after it is known in part only. */
const LEAST_SHARE = 0.2;
/** A few sales with a mistyped year do not end a market's history. */
const STRAY_SHARE = 0.01;

/** The day before the first that is known as well as the later ones; `sales` are ordered by day. */
export function denseSince(sales: Sale[]): number {
  if (sales.length === 0) return -Infinity;
  const last = sales[Math.floor((sales.length - 1) * (1 - STRAY_SHARE))].soldDay;
  const years = Math.floor((last - sales[0].soldDay) / YEAR) + 1;
  const counts = Array.from({ length: years }, () => 0);
  for (const { soldDay } of sales) counts[Math.max(0, Math.floor((last - soldDay) / YEAR))]++;
  for (let back = 1; back < years; back++)
    if (counts[back] < LEAST_SHARE * median(counts.slice(0, back))) return Math.floor(last - back * YEAR);
  return -Infinity;
}
