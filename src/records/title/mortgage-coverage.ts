// Whether no mortgage on record means that there is none: the records must reach back to when the owner took title, and
// up to lately. Pure.
import { dayNumber } from '../../base/lib/clock.ts';
import type { TransactionRow } from '../properties/sql.ts';
import { dateOf } from './instruments.ts';
import type { TitleReport } from './schema.ts';

type MortgageCoverage = NonNullable<TitleReport['coverage']['mortgages']>;

/** The longest usual term: older loans have run out. */
const TERM_DAYS = 30 * 365;
/** Much can be borrowed in a year. */
const RECENT_DAYS = 400;

/** `since` is the day on which the owner took title, `known` how many mortgages are on record, and `strays` are documents
    that say there is another. */
export function coverMortgages(
  layers: readonly { covers_from: string | null; covers_to: string | null }[],
  { since, asOf, known, strays }: { since: string | null; asOf: string; known: number; strays: TransactionRow[] },
): MortgageCoverage {
  if (layers.length === 0 && known === 0) {
    const note = 'No source of mortgages is loaded here: none on record does not mean that there are none.';
    return { status: 'not_covered', from: null, to: null, note };
  }
  const starts = layers.map(({ covers_from }) => covers_from);
  const from = starts.includes(null) ? null : (starts.toSorted()[0] ?? null);
  const to =
    layers
      .flatMap(({ covers_to }) => covers_to ?? [])
      .toSorted()
      .at(-1) ?? null;
  const age = (day: string) => dayNumber(asOf) - dayNumber(day);
  const reachesBack = from !== null && (age(from) >= TERM_DAYS || (since !== null && since >= from));
  const isRecent = to !== null && age(to) <= RECENT_DAYS;
  const [stray] = strays;
  if (reachesBack && isRecent && stray) {
    const day = stray.recording_date ?? dateOf(stray);
    const note = `An assignment recorded on ${day} is of a mortgage older than the records, and no release of it is on record: it may be open.`;
    return { status: 'partial', from, to, note };
  }
  if (reachesBack && isRecent)
    return { status: 'covered', from, to, note: `Mortgages are on record from ${from} to ${to}.` };
  const begin = reachesBack
    ? []
    : [from === null ? 'from a day not stated' : `from ${from}, after the owner took title`];
  const end = isRecent ? [] : [to === null ? 'up to a day not stated' : `up to ${to} only`];
  const note = `Mortgages are on record ${[...begin, ...end].join(', and ')}: others may be open.`;
  return { status: 'partial', from, to, note };
}
