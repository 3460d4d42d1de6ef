// Attributes outside the range of 99% of a market's sales: few sales show how far off valuations of such homes are.
import type { Attributes } from './attributes.ts';
import { yearOf } from './fill.ts';
import type { Model } from './model.ts';

/** How far outside its range an attribute lies, in widths of the range. */
type Unusual = { name: keyof Attributes; value: number; range: readonly [number, number]; beyond: number };

/** New homes are built every year, so the range of years ends with the calendar and not with the training sales. */
export function listUnusual(ranges: Model['ranges'], a: Attributes, day: number): Unusual[] {
  const found: Unusual[] = [];
  for (const name of Object.keys(ranges) as (keyof Attributes)[]) {
    const value = a[name];
    if (typeof value !== 'number' || (name === 'effectiveYearBuilt' && value === a.yearBuilt)) continue;
    const isYear = name === 'yearBuilt' || name === 'effectiveYearBuilt';
    const [low, high] = [ranges[name][0], isYear ? Math.max(ranges[name][1], yearOf(day) + 1) : ranges[name][1]];
    if (value >= low && value <= high) continue;
    const beyond = Math.max(low - value, value - high) / (high - low || 1);
    found.push({ name, value, range: [low, high], beyond });
  }
  return found;
}

/** 0 for a home with nothing unusual; capped at 1, because nothing was ever measured farther out. */
export const beyondUsual = (ranges: Model['ranges'], a: Attributes, day: number): number =>
  Math.min(1, Math.max(0, ...listUnusual(ranges, a, day).map(({ beyond }) => beyond)));

/**
 * Neither trees nor their spread extrapolate, so sigma grows with the distance. Without this factor, intervals of homes
 * more than 0.3 widths outside covered 64 and 68% (Seattle 2013 and 2014). `calibrate` measures how far the errors of
 * the group as a whole deviate from sigma.
 */
export const unusualFactor = (beyond: number): number => 1 + beyond;
