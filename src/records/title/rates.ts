// The average mortgage rate of a month: as loaded, else from rates.txt. Loans from before 1990 have completed their
// thirty years.
import { readFileSync } from 'node:fs';
import { entryOf } from '../../base/lib/must.ts';

/** `1990-01` → 9.89. */
export type RateSeries = ReadonlyMap<string, number>;

/** The months that come with the program; later ones are loaded from `us-mortgage-rates`. */
const SHIPPED: RateSeries = new Map(
  readFileSync(new URL('./rates.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .flatMap((line) => {
      const [year, ...months] = line.trim().split(/\s+/);
      return months.map((percent, i): [string, number] => [
        `${year}-${String(i + 1).padStart(2, '0')}`,
        Number(percent),
      ]);
    }),
);

export const RATE_SOURCE = 'Freddie Mac Primary Mortgage Market Survey, 30-year fixed rate, monthly average';

interface Rate {
  /** Share per year: 0.0672. */
  rate: number;
  /** The month it is the average of; the latest one known where the loan is newer. */
  month: string;
  /** By how many months that is older than the loan. */
  monthsOld: number;
}

const monthNumber = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7));

const merged = new WeakMap<RateSeries, RateSeries>();
const NONE_LOADED: RateSeries = new Map();

/** Loaded months override shipped ones; merged once, since a market looks up the rate of every loan. */
function seriesOf(loaded: RateSeries): RateSeries {
  let series = merged.get(loaded);
  if (!series) merged.set(loaded, (series = new Map([...SHIPPED, ...loaded])));
  return series;
}

/** The latest known month up to the date; undefined before the series begins. */
export function rateOn(date: string, loaded: RateSeries = NONE_LOADED): Rate | undefined {
  const wanted = date.slice(0, 7);
  const percents = seriesOf(loaded);
  const month = percents.has(wanted)
    ? wanted
    : [...percents.keys()].reduce((best, each) => (each <= wanted && each > best ? each : best), '');
  if (month === '') return undefined;
  return {
    rate: Math.round(entryOf(percents, month) * 100) / 10_000,
    month,
    monthsOld: monthNumber(wanted) - monthNumber(month),
  };
}
