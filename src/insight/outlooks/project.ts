// Projects a value and its interval with the forecast of an index. Pure.
import { firstDay, monthOf } from '../analytics/cells.ts';
import { BAND_DEVIATIONS, type PriceForecast } from '../analytics/index-schema.ts';
import { normalQuantile } from '../avm/interval.ts';
import type { Outlook } from './schema.ts';

export interface Range {
  value: number;
  low: number;
  high: number;
}

/** The smallest area with an index is used: all have the market's growth, but their own bands. */
export const AREAS = ['neighborhood', 'zip', 'market'] as const;

/** The parts of a forecast used here. */
export type Index = Pick<PriceForecast, 'from' | 'data'> & Partial<Pick<PriceForecast, 'area' | 'reason'>>;

/** Growth of log price since the last month of the index, and its standard deviation. */
interface Ahead {
  growth: number;
  deviation: number;
}

/** Month by month from the valuation date, as far as the index forecast goes. The errors of home and index combine as
    independent. */
export function project(
  now: Range,
  index: Index | undefined,
  { asOf, level }: { asOf: string; level: number },
): Outlook['forecast'] {
  const area = index?.area ?? null;
  const from = index?.from ?? null;
  if (!index || from === null || index.data.length === 0)
    return { reason: index?.reason ?? 'too_few_sales', area, from, data: [] };
  const ahead = [{ growth: 0, deviation: 0 }, ...index.data.map(aheadOf)];
  const gone = Math.max(0, monthOf(asOf) - monthOf(`${from}-01`));
  const data = ahead.slice(gone + 1).map((then, k) => {
    const months = k + 1;
    return { months, on: daysLater(asOf, months), ...carry(now, ahead[gone], then, level) };
  });
  return { reason: data.length === 0 ? 'index_ended' : null, area, from, data };
}

const aheadOf = ({ growth, growth_low: low, growth_high: high }: PriceForecast['data'][number]): Ahead => ({
  growth: Math.log1p(growth),
  deviation: (Math.log1p(high) - Math.log1p(low)) / (2 * BAND_DEVIATIONS),
});

function carry({ value, low, high }: Range, start: Ahead, { growth, deviation }: Ahead, level: number) {
  const expected = value * Math.exp(growth - start.growth);
  const indexError = normalQuantile((1 + level) / 2) * deviation;
  const wider = (end: number) => Math.hypot(Math.log(end / value), indexError);
  return {
    value: Math.round(expected),
    low: Math.round(expected * Math.exp(-wider(low))),
    high: Math.round(expected * Math.exp(wider(high))),
    growth: Math.round(1e4 * Math.expm1(growth - start.growth)) / 1e4,
  };
}

/** The same day that many months later, or the last day of a shorter month. */
function daysLater(day: string, months: number): string {
  const first = firstDay(monthOf(day) + months);
  const last = new Date(Date.UTC(Number(first.slice(0, 4)), Number(first.slice(5, 7)), 0)).getUTCDate();
  return `${first.slice(0, 8)}${String(Math.min(last, Number(day.slice(8)))).padStart(2, '0')}`;
}

/** Undefined if an assessment has no split. */
export function shareOf(land: number | null, improvements: number | null): number | undefined {
  if (land === null || improvements === null || land <= 0 || improvements < 0) return undefined;
  return Math.round((1e4 * land) / (land + improvements)) / 1e4;
}
