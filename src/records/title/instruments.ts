// Classifies recorded documents by the publisher's names for them, and reads the references between documents.
import { type TransactionRow } from '../properties/sql.ts';
import written from './instruments.json' with { type: 'json' };

export const INSTRUMENTS = [
  'warranty_deed',
  'special_warranty_deed',
  'quitclaim_deed',
  'trustee_deed',
  'fiduciary_deed',
  'foreclosure_deed',
  'tax_deed',
  'corrective_deed',
  'transfer_on_death_deed',
  'deed',
  'mortgage',
  'assignment',
  'release',
  'partial_release',
  'lien',
  'lien_release',
  'foreclosure_notice',
  'easement',
  'death_or_probate',
  'other',
] as const;
export type Instrument = (typeof INSTRUMENTS)[number];

/** The first pattern that matches the publisher's document name decides. */
const [DEEDS, OTHERS] = [written.deeds, written.others].map((patterns) =>
  Object.entries(patterns).map(([kind, words]) => [kind, new RegExp(words, 'i')] as [Instrument, RegExp]),
);

export function instrumentOf({ type, document_type }: Pick<TransactionRow, 'type' | 'document_type'>): Instrument {
  const name = document_type ?? '';
  const among = (kinds: [Instrument, RegExp][]) => kinds.find(([, pattern]) => pattern.test(name))?.[0];
  if (type === 'deed') return among(DEEDS) ?? 'deed';
  if (type === 'mortgage') return 'mortgage';
  if (type === 'foreclosure') return 'foreclosure_notice';
  if (type === 'release') {
    if (/PARTIAL/i.test(name)) return 'partial_release';
    return among(OTHERS) === 'lien_release' ? 'lien_release' : 'release';
  }
  return among(OTHERS) ?? 'other';
}

/** `4236/64` and `20001466`: every name under which another document may refer to this one. */
export const namesOf = ({
  document_number,
  book,
  page,
}: Pick<TransactionRow, 'document_number' | 'book' | 'page'>): string[] => [
  ...(book && page ? [`${bare(book)}/${bare(page)}`] : []),
  ...(document_number ? [document_number] : []),
];

const bare = (number: string) => number.replace(/^0+(?=.)/, '');

export function refersTo(from: TransactionRow, to: TransactionRow): boolean {
  const names = namesOf(to);
  return from.refers_to.some((reference) => names.includes(reference));
}

/** The day that places a document in the order of events. */
export const dateOf = ({
  sale_date,
  recording_date,
  known_on,
}: Pick<TransactionRow, 'sale_date' | 'recording_date' | 'known_on'>): string =>
  sale_date ?? recording_date ?? known_on;

export const recordedOn = (document: Pick<TransactionRow, 'sale_date' | 'recording_date' | 'known_on'>): string =>
  document.recording_date ?? dateOf(document);
