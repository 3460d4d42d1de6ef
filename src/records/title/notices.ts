// Other recordings about a property: notices of foreclosure, easements, deaths and others that neither convey it nor
// secure a loan. Pure.
import { type TransactionRow } from '../properties/sql.ts';
import type { Flag } from './chain.ts';
import { dateOf, instrumentOf, recordedOn, type Instrument } from './instruments.ts';
import type { Encumbrance } from './mortgages.ts';

export const NOTICE_FLAGS = ['foreclosure_pending'] as const;
type NoticeFlag = (typeof NOTICE_FLAGS)[number];

const NOTICES: readonly Instrument[] = ['foreclosure_notice', 'easement', 'death_or_probate', 'other'];
/** These do not end a foreclosure: an owner can sign them while it goes on. */
const OF_NO_END: readonly Instrument[] = ['quitclaim_deed', 'corrective_deed'];

export interface Notice {
  document: TransactionRow;
  instrument: Instrument;
}

/** Newest first. */
export const listNotices = (documents: readonly TransactionRow[]): Notice[] =>
  documents
    .map((document) => ({ document, instrument: instrumentOf(document) }))
    .filter(({ document, instrument }) => document.type !== 'deed' && NOTICES.includes(instrument))
    .toSorted((a, b) => (recordedOn(a.document) < recordedOn(b.document) ? 1 : -1));

export const isEndOfForeclosure = (document: TransactionRow, noticedOn: string): boolean =>
  document.type === 'deed' && dateOf(document) > noticedOn && !OF_NO_END.includes(instrumentOf(document));

/** A foreclosure ends with a deed, or with the release of every loan that existed. */
export const flagForeclosures = (
  documents: readonly TransactionRow[],
  loans: readonly Encumbrance[],
): Flag<NoticeFlag>[] =>
  listNotices(documents)
    .filter(({ instrument }) => instrument === 'foreclosure_notice')
    .filter(({ document }) => {
      const day = recordedOn(document);
      const isConveyed = documents.some((other) => isEndOfForeclosure(other, day));
      const before = loans.filter(({ mortgage }) => recordedOn(mortgage) <= day);
      const isPaid = before.length > 0 && before.every(({ status }) => status === 'released');
      return !isConveyed && !isPaid;
    })
    .map(({ document }) => ({
      code: 'foreclosure_pending',
      reason: `A notice of foreclosure was recorded on ${recordedOn(document)}, and no deed or release on record ends it.`,
      transaction_id: document.id,
    }));
