// Gains of resold homes above the index, by holding period. Pure.
import { median, quantile } from '../../../base/math/quantiles.ts';
import type { AdjustedSales } from './hierarchy.ts';

export interface Resales {
  /** Lower bound of months held; the next entry is the upper bound. */
  from: number;
  n: number;
  /** Median log gain above the index, and the spread that covers 80% of resales, as a standard deviation. */
  gain: number;
  deviation: number;
}

/** Lower bounds of the holding periods, in months. Homes resold soon have often been renovated. */
const HELD = [0, 6, 12, 18, 24, 36, 60, 96];
/** Shrinks small samples toward the pooled figures with this many pseudo-observations. */
const SHRINK = 20;
const Z_80 = 1.2816;

/** `errors` are adjusted prices minus the index of their area. */
export function summarizeResales({ month, pairs }: Pick<AdjustedSales, 'month' | 'pairs'>, errors: Float64Array) {
  const held = pairs.map(([earlier, later]) => month[later] - month[earlier]);
  const gains = pairs.map(([earlier, later]) => errors[later] - errors[earlier]);
  if (gains.length === 0) return [];
  const all = summarize(gains);
  return HELD.map((from, k): Resales => {
    const own = gains.filter((_, i) => held[i] >= from && held[i] < (HELD[k + 1] ?? Infinity));
    const weight = own.length / (own.length + SHRINK);
    const { gain, deviation } = own.length === 0 ? all : summarize(own);
    return {
      from,
      n: own.length,
      gain: round(weight * gain + (1 - weight) * all.gain),
      deviation: round(weight * deviation + (1 - weight) * all.deviation),
    };
  });
}

function summarize(gains: number[]): { gain: number; deviation: number } {
  const gain = median(gains);
  const distances = Float64Array.from(gains, (value) => Math.abs(value - gain)).sort();
  return { gain, deviation: quantile(distances, 0.8) / Z_80 };
}

const round = (value: number): number => Math.round(1e5 * value) / 1e5;
