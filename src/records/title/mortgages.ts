// Mortgages with the assignments and releases that belong to them: by reference first, as an examiner does, then by
// lender, borrower, amount and day. Pure.
import { DAY_MS } from '../../base/lib/clock.ts';
import { type TransactionRow } from '../properties/sql.ts';
import type { Flag } from './chain.ts';
import { dateOf, instrumentOf, recordedOn, refersTo, type Instrument } from './instruments.ts';
import { compareParties } from './names.ts';

export const MORTGAGE_FLAGS = [
  'release_without_mortgage',
  'assignment_without_mortgage',
  'released_by_another',
  'open_after_sale',
  'borrower_not_owner',
] as const;
type MortgageFlag = (typeof MORTGAGE_FLAGS)[number];

export const MATCHES = ['reference', 'lender', 'borrower', 'amount', 'date'] as const;
type MatchedBy = (typeof MATCHES)[number];

export interface Matched {
  document: TransactionRow;
  instrument: Instrument;
  matchedBy: MatchedBy[];
}

export interface Encumbrance {
  mortgage: TransactionRow;
  status: 'open' | 'partly_released' | 'released';
  assignments: Matched[];
  releases: Matched[];
  /** The last assignee, or else the lender. */
  holder: string | null;
  flags: Flag<MortgageFlag>[];
}

export const MORTGAGES = { made: 'mortgage', passed: ['assignment'], ended: ['release', 'partial_release'] } as const;
export const LIENS = { made: 'lien', passed: [], ended: ['lien_release'] } as const;

/** For liens as well as mortgages: `kind` lists the documents that create, assign and release one. */
export function matchEncumbrances(
  documents: readonly TransactionRow[],
  kind: { made: Instrument; passed: readonly Instrument[]; ended: readonly Instrument[] },
) {
  const deeds = oldestFirst(documents.filter(({ type }) => type === 'deed'));
  // A discharge may be of a lien; the instrument it names decides.
  const kindOf = (one: TransactionRow): Instrument =>
    instrumentOf(one) === 'release' && documents.some((other) => instrumentOf(other) === 'lien' && isTied(one, other))
      ? 'lien_release'
      : instrumentOf(one);
  const among = (kinds: readonly Instrument[]) => oldestFirst(documents.filter((one) => kinds.includes(kindOf(one))));
  const encumbrances = among([kind.made]).map(open);
  /** Releases and assignments of a mortgage that is not on record. */
  const unmatched: Matched[] = [];
  for (const document of among([...kind.passed, ...kind.ended])) {
    const instrument = kindOf(document);
    const found = findMortgage(document, encumbrances, documents);
    const matched: Matched = { document, instrument, matchedBy: found?.matchedBy ?? [] };
    if (!found) unmatched.push(matched);
    else if (kind.passed.includes(instrument)) pass(found.encumbrance, matched);
    else end(found.encumbrance, matched);
  }
  for (const each of encumbrances) flagAgainstDeeds(each, deeds);
  const flags = [...encumbrances.flatMap((each) => each.flags), ...unmatched.map(flagUnmatched)];
  return { encumbrances: encumbrances.toReversed(), unmatched, flags };
}

/** Assignments of a mortgage older than the records that nothing on record has released since. */
export const listStrays = (unmatched: readonly Matched[]): TransactionRow[] =>
  unmatched
    .filter(({ instrument, document }) => instrument === 'assignment' && !unmatched.some(endsLoanOf(document)))
    .map(({ document }) => document);

const endsLoanOf =
  (assignment: TransactionRow) =>
  ({ instrument, document }: Matched): boolean =>
    instrument === 'release' &&
    recordedOn(document) >= recordedOn(assignment) &&
    (isTied(document, assignment) || document.refers_to.some((name) => assignment.refers_to.includes(name)));

const oldestFirst = (documents: TransactionRow[]) =>
  documents.toSorted((a, b) => (recordedOn(a) < recordedOn(b) ? -1 : recordedOn(a) > recordedOn(b) ? 1 : 0));

const open = (mortgage: TransactionRow): Encumbrance => ({
  mortgage,
  status: 'open',
  assignments: [],
  releases: [],
  holder: mortgage.lender,
  flags: [],
});

function pass(encumbrance: Encumbrance, matched: Matched): void {
  encumbrance.assignments.push(matched);
  encumbrance.holder = matched.document.lender ?? encumbrance.holder;
}

function end(encumbrance: Encumbrance, matched: Matched): void {
  const { document, instrument } = matched;
  encumbrance.releases.push(matched);
  if (instrument !== 'partial_release') encumbrance.status = 'released';
  else if (encumbrance.status === 'open') encumbrance.status = 'partly_released';
  if (document.lender && compareParties([document.lender], holdersOf(encumbrance)) === 'different') {
    encumbrance.flags.push({
      code: 'released_by_another',
      reason: 'Released by a party that neither made the loan nor took it by an assignment on record.',
      transaction_id: document.id,
    });
  }
}

const holdersOf = ({ mortgage, assignments }: Encumbrance): string[] =>
  [mortgage.lender, ...assignments.map(({ document }) => document.lender)].filter((name) => name !== null);

/** The mortgage of a release or assignment. */
function findMortgage(
  document: TransactionRow,
  encumbrances: Encumbrance[],
  documents: readonly TransactionRow[],
): { encumbrance: Encumbrance; matchedBy: MatchedBy[] } | undefined {
  const earlier = encumbrances.filter(({ mortgage }) => recordedOn(mortgage) <= recordedOn(document));
  const names = namedMortgages(document, documents);
  const named = earlier.find(
    ({ mortgage, assignments }) =>
      names.includes(mortgage) || assignments.some((each) => isTied(each.document, document)),
  );
  if (named)
    return { encumbrance: named, matchedBy: ['reference', ...evidenceOf(document, named, documents).matchedBy] };
  // It names another instrument, so it is not about one of these.
  if (document.refers_to.length > 0) return undefined;
  const candidates = earlier
    .filter(({ status }) => status !== 'released')
    .map((encumbrance) => ({ encumbrance, ...evidenceOf(document, encumbrance, documents) }))
    .filter(({ weight }) => weight >= LEAST_WEIGHT);
  return candidates.toSorted((a, b) => b.weight - a.weight || newer(a.encumbrance, b.encumbrance))[0];
}

/** Those it references or is referenced by; otherwise the one linked through an intermediate document. */
function namedMortgages(document: TransactionRow, documents: readonly TransactionRow[]): TransactionRow[] {
  const tied = documents.filter((other) => other.type !== 'deed' && isTied(document, other));
  const direct = tied.filter(isMade);
  if (direct.length > 0) return direct;
  const indirect = documents.filter((other) => isMade(other) && tied.some((between) => isTied(between, other)));
  return indirect.length === 1 ? indirect : [];
}

const isTied = (a: TransactionRow, b: TransactionRow) => a !== b && (refersTo(a, b) || refersTo(b, a));
const isMade = (document: TransactionRow) => ['mortgage', 'lien'].includes(instrumentOf(document));

const newer = (a: Encumbrance, b: Encumbrance) => (recordedOn(a.mortgage) < recordedOn(b.mortgage) ? 1 : -1);

/** The lender alone is enough, or the borrower with the amount; an amount or lender that differs rules a match out. */
const WEIGHTS = { lender: 3, amount: 3, borrower: 1, date: 1 };
const LEAST_WEIGHT = 3;
const RULED_OUT = -10;
/** A loan is paid off at a sale or by the next loan, and the release follows within weeks. */
const PAYOFF_DAYS = 90;

function evidenceOf(
  document: TransactionRow,
  encumbrance: Encumbrance,
  documents: readonly TransactionRow[],
): { matchedBy: MatchedBy[]; weight: number } {
  const { mortgage } = encumbrance;
  const matchedBy: MatchedBy[] = [];
  let weight = 0;
  const add = (kind: Exclude<MatchedBy, 'reference'>) => {
    matchedBy.push(kind);
    weight += WEIGHTS[kind];
  };
  // An assignor is listed with the borrowers, who are the grantors of an assignment's index entry.
  const from = instrumentOf(document) === 'assignment' ? document.sellers : document.lender ? [document.lender] : [];
  const lender = compareParties(from, holdersOf(encumbrance));
  if (lender === 'same' || lender === 'similar') add('lender');
  if (lender === 'different') weight += RULED_OUT;
  if (compareParties([...document.buyers, ...document.sellers], mortgage.buyers) === 'same') add('borrower');
  if (mortgage.loan_amount !== null && document.loan_amount !== null) {
    if (mortgage.loan_amount === document.loan_amount) add('amount');
    else weight += RULED_OUT;
  }
  if (documents.some((other) => other !== document && isPayoff(other, mortgage, document))) add('date');
  return { matchedBy, weight };
}

function isPayoff(other: TransactionRow, mortgage: TransactionRow, release: TransactionRow): boolean {
  if (other.id === mortgage.id || (other.type !== 'deed' && other.type !== 'mortgage')) return false;
  const days = (Date.parse(recordedOn(release)) - Date.parse(recordedOn(other))) / DAY_MS;
  return recordedOn(other) >= recordedOn(mortgage) && Math.abs(days) <= PAYOFF_DAYS;
}

function flagAgainstDeeds({ mortgage, status, flags }: Encumbrance, deeds: TransactionRow[]): void {
  const add = (code: MortgageFlag, reason: string) => void flags.push({ code, reason, transaction_id: mortgage.id });
  const made = recordedOn(mortgage);
  const isBorrower = (deed: TransactionRow) => compareParties(deed.buyers, mortgage.buyers) === 'same';
  const sold = deeds.find((deed) => deed.arms_length === true && dateOf(deed) > made && !isBorrower(deed));
  if (status !== 'released' && sold)
    add('open_after_sale', `No release is on record, though the property was sold on ${dateOf(sold)}.`);
  const before = deeds.filter((deed) => dateOf(deed) <= made || recordedOn(deed) <= made);
  const later = deeds.find((deed) => !before.includes(deed) && isBorrower(deed));
  const owner = before.at(-1);
  if (later && !before.some(isBorrower))
    add('borrower_not_owner', `The borrower took title later, on ${dateOf(later)}.`);
  else if (owner && compareParties(mortgage.buyers, owner.buyers) === 'different')
    add('borrower_not_owner', 'The borrower is not the grantee of the last deed before it.');
}

function flagUnmatched({ document, instrument }: Matched): Flag<MortgageFlag> {
  const isAssignment = instrument === 'assignment';
  const named = document.refers_to.length > 0 ? ` It names ${document.refers_to.join(', ')}.` : '';
  return {
    code: isAssignment ? 'assignment_without_mortgage' : 'release_without_mortgage',
    reason: `The ${instrument === 'lien_release' ? 'lien' : 'mortgage'} it ${isAssignment ? 'passes on' : 'releases'} is not on record here.${named}`,
    transaction_id: document.id,
  };
}
