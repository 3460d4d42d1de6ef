// Compares our price index of an area with FHFA's, year by year. Pure, except for one query.
import type { Static } from 'typebox';
import Type from 'typebox';
import type { Queryable } from '../../base/db/postgres.ts';
import { decimal, named, text, wholeNumber } from '../../base/lib/schema.ts';
import { MONTHS, startOfPeriod, type Kind, type Step } from './cells.ts';
import { listFhfaYears } from './index-sql.ts';
import type { KeptIndex } from './revisions.ts';

/** The difference in annual growth that triggers a warning. */
const BOUND = 0.03;
const MOST_YEARS = 5;
const WHY =
  'FHFA’s index is of single-family homes whose mortgages Fannie Mae or Freddie Mac bought, sold or appraised for a ' +
  'refinance; ours is of all arm’s-length sales on record, adjusted for quality. Beyond the bound, look for gaps in the ' +
  'records of the area, or homes that conventional loans rarely finance.';

export const Benchmark = named('IndexBenchmark', {
  publisher: text(20, { examples: ['FHFA'] }),
  place: text(40, { description: 'Whose index it is compared with.', examples: ['county:55079'] }),
  from_year: wholeNumber(),
  to_year: wholeNumber(),
  growth: decimal({ description: 'Of FHFA’s annual index, a year; 0.05 is 5%.' }),
  own_growth: decimal({ description: 'Of our index over the same years.' }),
  difference: decimal({ description: 'Ours minus theirs, a year.' }),
  bound: decimal({ description: 'A larger difference, up or down, is a warning.' }),
  is_beyond: Type.Boolean(),
  explanation: text(600),
});
export type Benchmark = Static<typeof Benchmark>;

/** Mean log level of each whole year. */
function yearsOf({ level, first }: Pick<KeptIndex, 'level' | 'first'>, step: Step): Map<number, number> {
  const groups = Map.groupBy(level.keys(), (k) => Number(startOfPeriod(first, k, step).slice(0, 4)));
  const whole = [...groups].filter(([, periods]) => periods.length === 12 / MONTHS[step]);
  return new Map(whole.map(([year, at]) => [year, at.reduce((sum, k) => sum + level[k], 0) / at.length]));
}

/** Null if FHFA has no index of the area, or fewer than two years in common with ours. */
export async function compareWithFhfa(
  db: Queryable,
  { kind, area, county }: { kind: Kind; area: string; county: string | undefined },
  kept: KeptIndex | null,
  step: Step,
): Promise<Benchmark | null> {
  const place = kind === 'market' ? county && `county:${county}` : `${kind}:${area}`;
  if (kept === null || place === undefined) return null;
  const theirs = new Map(
    (await listFhfaYears(db, place)).map(({ year, index_value }) => [year, Math.log(index_value)]),
  );
  const ours = yearsOf(kept, step);
  const common = [...ours.keys()].filter((year) => theirs.has(year)).sort((a, b) => a - b);
  const to = common.at(-1);
  const from = common.find((year) => to !== undefined && year < to && year >= to - MOST_YEARS);
  if (to === undefined || from === undefined) return null;
  const growthOf = (years: Map<number, number>) => Math.expm1((years.get(to)! - years.get(from)!) / (to - from));
  const [growth, own] = [growthOf(theirs), growthOf(ours)].map((rate) => Math.round(rate * 10_000) / 10_000);
  const difference = Math.round((own - growth) * 10_000) / 10_000;
  return {
    publisher: 'FHFA',
    place,
    from_year: from,
    to_year: to,
    growth,
    own_growth: own,
    difference,
    bound: BOUND,
    is_beyond: Math.abs(difference) > BOUND,
    explanation: WHY,
  };
}
