// Classifies recorded documents by the publisher's names for them, and reads the references between documents.
import { type TransactionRow } from '../properties/sql.ts';

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

/** The first that fits decides. */
const DEEDS: [Instrument, RegExp][] = [
  ['quitclaim_deed', /QUIT ?-?CLAIM|\bQCD?\b|RELEASE DEED/i],
  ['corrective_deed', /CORRECTI|CONFIRMAT|SCRIVENER/i],
  ['tax_deed', /TAX (COLLECTOR'?S? )?DEED/i],
  ['foreclosure_deed', /FORECLOS|SHERIFF|REFEREE|MARSHAL|IN LIEU|TRUSTEE'?S DEED UPON/i],
  [
    'fiduciary_deed',
    /PROBATE|EXECUT(OR|RIX)|ADMINISTRAT(OR|RIX)|FIDUCIARY|PERSONAL REP|GUARDIAN|CONSERVATOR|DISTRIBUTION/i,
  ],
  ['transfer_on_death_deed', /TRANSFER ON DEATH|BENEFICIARY DEED/i],
  ['trustee_deed', /TRUSTEE/i],
  ['special_warranty_deed', /(SPECIAL|LIMITED) WARRANTY|BARGAIN|COVENANT DEED|GRANT DEED/i],
  ['warranty_deed', /WARRANTY|\bWD\b/i],
];
const OTHERS: [Instrument, RegExp][] = [
  ['assignment', /ASSIGN/i],
  ['lien_release', /(RELEASE|DISCHARGE|SATISFACTION|REDEMPTION).*LIEN|LIEN.*(RELEASE|DISCHARGE)|^REDEMPTION/i],
  ['lien', /\bLIEN\b|ATTACHMENT|JUDGMENT/i],
  ['foreclosure_notice', /LIS PENDENS|NOTICE OF (DEFAULT|TRUSTEE|SALE|FORECLOSURE)/i],
  ['easement', /EASEMENT|RIGHT OF WAY/i],
  ['death_or_probate', /DEATH|PROBATE|ESTATE|HEIRSHIP/i],
];

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
export function namesOf({
  document_number,
  book,
  page,
}: Pick<TransactionRow, 'document_number' | 'book' | 'page'>): string[] {
  return [...(book && page ? [`${bare(book)}/${bare(page)}`] : []), ...(document_number ? [document_number] : [])];
}

const bare = (number: string) => number.replace(/^0+(?=.)/, '');

export function refersTo(from: TransactionRow, to: TransactionRow): boolean {
  const names = namesOf(to);
  return from.refers_to.some((reference) => names.includes(reference));
}

/** The day that places a document in the order of events. */
export function dateOf({
  sale_date,
  recording_date,
  known_on,
}: Pick<TransactionRow, 'sale_date' | 'recording_date' | 'known_on'>): string {
  return sale_date ?? recording_date ?? known_on;
}
