// Loan to value and combined loan to value, against the value and the low end of its interval. Pure.
import type { TitleReport } from '../../records/title/schema.ts';
import type { Valuation } from '../../insight/valuations/schema.ts';
import type { LoanFigures, ReportRequest } from './schema.ts';

type Loan = NonNullable<ReportRequest['loan']>;
type Existing = LoanFigures['existing_mortgages'];

export function loanFigures(
  loan: Loan,
  { estimated_value, confidence_interval }: Pick<Valuation, 'estimated_value' | 'confidence_interval'>,
  title: Pick<TitleReport, 'open' | 'coverage'>,
): LoanFigures {
  const price = loan.purchase_price ?? Infinity;
  const against = { value: Math.min(estimated_value, price), low: Math.min(confidence_interval.low, price) };
  const existing = existingMortgages(loan, title);
  const otherLiens = loan.other_liens ?? 0;
  const debt = existing.balance === null ? null : loan.amount + existing.balance + otherLiens;
  return {
    amount: loan.amount,
    purpose: loan.purpose ?? null,
    purchase_price: loan.purchase_price ?? null,
    lent_against: against,
    ltv: ratioOf(loan.amount, against.value),
    ltv_at_low: ratioOf(loan.amount, against.low),
    existing_mortgages: existing,
    other_liens: otherLiens,
    total_debt: debt,
    cltv: debt === null ? null : ratioOf(debt, against.value),
    cltv_at_low: debt === null ? null : ratioOf(debt, against.low),
    note: NOTES[existing.basis],
  };
}

/** Up, never down: a loan just above a limit must not pass as one at it. */
const ratioOf = (debt: number, value: number): number => Math.ceil((debt * 10_000) / Math.max(1, value)) / 10_000;

/** A purchase or a refinance pays off what is on record; any other loan comes on top of it. */
function existingMortgages(loan: Loan, { open, coverage }: Pick<TitleReport, 'open' | 'coverage'>): Existing {
  const count = open.mortgages;
  if (loan.purpose === 'purchase' || loan.purpose === 'refinance') {
    const stated = loan.existing_balance;
    return stated === undefined
      ? { treatment: 'paid_off', count, balance: 0, basis: 'paid_off' }
      : { treatment: 'stay', count, balance: stated, basis: 'stated_in_request' };
  }
  if (loan.existing_balance !== undefined)
    return { treatment: 'stay', count, balance: loan.existing_balance, basis: 'stated_in_request' };
  if (coverage.mortgages.status !== 'covered') return { treatment: 'stay', count, balance: null, basis: 'not_known' };
  if (count === 0) return { treatment: 'stay', count, balance: 0, basis: 'none_open' };
  const balance = open.estimated_balance;
  return { treatment: 'stay', count, balance, basis: balance === null ? 'not_known' : 'estimated_from_title' };
}

const NOTES: Record<Existing['basis'], string> = {
  estimated_from_title:
    'The balance of open mortgages is estimated: level payments over thirty years at the average rate of the month of recording. It is not a payoff figure.',
  stated_in_request: 'The balance of mortgages that stay was stated in the request.',
  none_open: 'No mortgage is open on record.',
  paid_off: 'Mortgages on record are paid off by this loan and left out of the combined figure.',
  not_known:
    'What is owed on existing mortgages is not known, so there is no combined figure. State `existing_balance` to get one.',
};
