// How documents that name no parcel were joined to this one, and which of them a name alone does not tie to it. Pure.
import { type TransactionRow } from '../properties/sql.ts';
import { dateOf, recordedOn } from './instruments.ts';
import { compareParties } from './names.ts';

/** `deed`: its borrower took a deed that day. `closing`: recorded next after a deed of the day. `borrower`: a party of it is
    the grantee. `owner`: its party owned this parcel and no other. `reference`: it names a document of the parcel. */
export const TIES = ['deed', 'closing', 'borrower', 'owner', 'reference'] as const;
type Tie = (typeof TIES)[number];

/** What ties a mortgage to the parcel; nothing where it names the parcel itself. */
export function tiesOf(document: TransactionRow, deeds: readonly TransactionRow[]): Tie[] {
  const tie = TIES.find((each) => each === document.joined_by);
  if (!tie) return [];
  const likeness = deeds
    .filter((deed) => recordedOn(deed) === recordedOn(document))
    .map(({ buyers }) => compareParties(buyers, document.buyers));
  const isGrantee = likeness.includes('same') || likeness.includes('similar');
  return tie === 'closing' && isGrantee ? [tie, 'borrower'] : [tie];
}

/** Documents by their party's name alone, where the party had no title on the day: it may be about other land of theirs. */
export function splitByTitle(documents: readonly TransactionRow[]): {
  own: TransactionRow[];
  others: TransactionRow[];
} {
  const deeds = documents.filter(({ type }) => type === 'deed');
  const isOthers = (document: TransactionRow) =>
    document.joined_by === 'owner' && document.type !== 'deed' && !mayHoldTitle(document, deeds);
  const { own = [], others = [] } = Object.groupBy(documents, (each) => (isOthers(each) ? 'others' : 'own'));
  return { own, others };
}

function mayHoldTitle(document: TransactionRow, deeds: readonly TransactionRow[]): boolean {
  const party = document.sellers.length > 0 ? document.sellers : document.buyers;
  const day = recordedOn(document);
  const isBefore = (deed: TransactionRow) => dateOf(deed) <= day || recordedOn(deed) <= day;
  const bought = deeds.filter((deed) => isParty(deed.buyers, party));
  const sold = deeds.filter((deed) => isParty(deed.sellers, party) && isBefore(deed));
  const since = bought.filter(isBefore).map(dateOf).toSorted().at(-1);
  // A release comes after the sale that paid the loan off.
  if (document.type !== 'release' && sold.some((deed) => since === undefined || dateOf(deed) > since)) return false;
  return bought.length === 0 || since !== undefined;
}

const isParty = (names: string[], party: string[]) => compareParties(names, party) === 'same';
