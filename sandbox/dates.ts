// The sandbox's calendar: fifteen years up to a fixed last day, counted in whole days since 1970.
import { DAY_MS, dayNumber, isoDate } from '../src/base/lib/clock.ts';

/** Today, permanently: nothing in the sandbox is later. */
export const TODAY = '2026-06-30';
export const LAST_DAY = dayNumber(TODAY);
export const FIRST_SALE_DAY = dayNumber('2011-07-01');
const isoDates: string[] = [];

/** Cached: the same fifteen years of days are formatted half a million times. */
export function isoOf(day: number): string {
  return (isoDates[day] ??= isoDate(new Date(day * DAY_MS)));
}

export function firstDayOf(year: number): number {
  return Date.UTC(year, 0, 1) / DAY_MS;
}

export function yearOfDay(day: number): number {
  return 1970 + day / 365.2425;
}
