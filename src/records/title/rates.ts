// The usual mortgage rate of a month, from rates.txt. Loans from before 1990 have run their thirty years.
import { readFileSync } from 'node:fs';
import { entryOf, lastOf } from '../../base/lib/must.ts';

/** `1990-01` → 9.89. */
const PERCENTS = new Map(
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
export const FIRST_MONTH = [...PERCENTS.keys()][0];
export const LAST_MONTH = lastOf([...PERCENTS.keys()]);

interface Rate {
  /** Share per year: 0.0672. */
  rate: number;
  /** The month it is the average of; the latest one known where the loan is newer. */
  month: string;
}

/** Undefined before the series begins. */
export function rateOn(date: string): Rate | undefined {
  const wanted = date.slice(0, 7);
  if (wanted < FIRST_MONTH) return undefined;
  const month = wanted > LAST_MONTH ? LAST_MONTH : wanted;
  return { rate: Math.round(entryOf(PERCENTS, month) * 100) / 10_000, month };
}
