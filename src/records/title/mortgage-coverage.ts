// Whether no mortgage on record means none exists: records must span from the owner's title to recently. Pure.
import { dayNumber } from '../../base/lib/clock.ts';
import type { TransactionRow } from '../properties/sql.ts';
import { recordedOn } from './instruments.ts';
import type { TitleReport } from './schema.ts';

interface Layer {
  covers_from: string | null;
  covers_to: string | null;
  documents?: { recorded: number; tied: number } | null;
}

/** If a larger share of recorded mortgages is untied, any parcel may have another one. */
const MOST_UNTIED = 0.02;

type MortgageCoverage = NonNullable<TitleReport['coverage']['mortgages']>;

/** The longest usual term: older loans have run out. */
const TERM_DAYS = 30 * 365;
/** Much can be borrowed in a year. */
const RECENT_DAYS = 400;

/** `since` is the day on which the owner took title, `known` the number of mortgages on record, and `strays` are
    documents that imply another. */
export function coverMortgages(
  layers: readonly Layer[],
  { since, asOf, known, strays }: { since: string | null; asOf: string; known: number; strays: TransactionRow[] },
): MortgageCoverage {
  if (layers.length === 0 && known === 0) {
    const note = 'No source of mortgages is loaded here: none on record does not mean that there are none.';
    return { status: 'not_covered', from: null, to: null, documents: null, note };
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
  const documents = layers.find((layer) => layer.documents)?.documents ?? null;
  const untied = documents === null ? 0 : documents.recorded - documents.tied;
  const [stray] = strays;
  if (reachesBack && isRecent && stray) {
    const note = `An assignment recorded on ${recordedOn(stray)} is of a mortgage older than the records, and no release of it is on record: it may be open.`;
    return { status: 'partial', from, to, documents, note };
  }
  const isTied = documents === null || untied <= MOST_UNTIED * documents.recorded;
  const unknown = isTied ? '' : ` Of ${documents.recorded} recorded here, ${untied} are tied to no parcel.`;
  if (reachesBack && isRecent) {
    const status = isTied ? 'covered' : 'partial';
    return { status, from, to, documents, note: `Mortgages are on record from ${from} to ${to}.${unknown}` };
  }
  const begin = reachesBack
    ? []
    : [from === null ? 'from a day not stated' : `from ${from}, after the owner took title`];
  const end = isRecent ? [] : [to === null ? 'up to a day not stated' : `up to ${to} only`];
  const note = `Mortgages are on record ${[...begin, ...end].join(', and ')}: others may be open.${unknown}`;
  return { status: 'partial', from, to, documents, note };
}
