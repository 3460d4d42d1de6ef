// Loan to value and combined loan to value, against the value and the low end of its interval. Any unknown debt makes
// the combined figure unknown. Pure.
import { asMoney } from '../../base/lib/figures.ts';
import type { TitleReport } from '../../records/title/schema.ts';
import type { Valuation } from '../../insight/valuations/schema.ts';
import type { LoanFigures, ReportRequest } from './schema.ts';
import notes from './loan-notes.json' with { type: 'json' };

type Loan = NonNullable<ReportRequest['loan']>;
type Existing = LoanFigures['existing_mortgages'];
type Title = Pick<TitleReport, 'open' | 'coverage' | 'flags' | 'other_liens' | 'tax_liens'>;

export function loanFigures(
  loan: Loan,
  { estimated_value, confidence_interval }: Pick<Valuation, 'estimated_value' | 'confidence_interval'>,
  title: Title,
): LoanFigures {
  const price = loan.purchase_price ?? Infinity;
  const against = { value: Math.min(estimated_value, price), low: Math.min(confidence_interval.low, price) };
  // A purchase pays off debts from the price; a refinance only from the new loan.
  const means = loan.purpose === 'purchase' ? (loan.purchase_price ?? estimated_value) : loan.amount;
  const existing = existingMortgages(loan, title, means);
  const liens = otherLiens(loan, title);
  const debt = existing.balance === null || liens === null ? null : loan.amount + existing.balance + liens;
  return {
    amount: loan.amount,
    purpose: loan.purpose ?? null,
    purchase_price: loan.purchase_price ?? null,
    lent_against: against,
    ltv: ratioOf(loan.amount, against.value),
    ltv_at_low: ratioOf(loan.amount, against.low),
    existing_mortgages: existing,
    other_liens: liens,
    total_debt: debt,
    cltv: debt === null ? null : ratioOf(debt, against.value),
    cltv_at_low: debt === null ? null : ratioOf(debt, against.low),
    note: [NOTES[existing.basis], ...owedIn(existing), ...(liens === null ? [NOTES.liens_not_known] : [])].join(' '),
  };
}

/** Rounded up: a loan just above a limit must not pass. */
const ratioOf = (debt: number, value: number): number => Math.ceil((debt * 10_000) / Math.max(1, value)) / 10_000;

/** A purchase or refinance pays off mortgages on record as far as its funds reach; any other loan is additional. */
function existingMortgages(loan: Loan, title: Title, means: number): Existing {
  const count = title.open.mortgages;
  const paysOff = loan.purpose === 'purchase' || loan.purpose === 'refinance';
  const none = { payoff: null, shortfall: null };
  const owed = owedOnRecord(title);
  if (loan.existing_balance !== undefined) {
    const shortfall = Math.max(0, (owed ?? 0) - loan.existing_balance - (paysOff ? means : 0));
    const stated = { treatment: 'stay', count, balance: loan.existing_balance } as const;
    if (shortfall === 0) return { ...stated, basis: 'stated_in_request', ...none };
    return { ...stated, basis: 'stated_below_record', payoff: owed, shortfall };
  }
  const treatment = paysOff ? 'paid_off' : 'stay';
  if (owed === null) return { treatment, count, balance: null, basis: 'not_known', ...none };
  if (paysOff) {
    const shortfall = Math.max(0, owed - means);
    return {
      treatment,
      count,
      balance: shortfall,
      basis: shortfall > 0 ? 'payoff_short' : 'paid_off',
      payoff: owed,
      shortfall,
    };
  }
  return { treatment, count, balance: owed, basis: count === 0 ? 'none_open' : 'estimated_from_title', ...none };
}

function owedIn({ payoff, shortfall }: Existing): string[] {
  const missing = shortfall ? `, ${asMoney(shortfall)} of it not covered` : '';
  return payoff === null ? [] : [`Estimated to be owed on record: ${asMoney(payoff)}${missing}.`];
}

/** Null if mortgages are not fully covered, one has no estimate, or a foreclosure implies more debt than scheduled. */
function owedOnRecord({ open, coverage, flags }: Title): number | null {
  if (coverage.mortgages.status !== 'covered' || flags.some(({ code }) => code === 'foreclosure_pending')) return null;
  return open.mortgages === 0 ? 0 : open.estimated_balance;
}

/** The larger of the stated and the recorded liens. Layers that no source covers are gaps of the file, not debts. */
function otherLiens(loan: Loan, { other_liens, tax_liens }: Title): number | null {
  const open = [
    ...other_liens.filter(({ status }) => status !== 'released'),
    ...tax_liens.items.filter(({ status }) => status === 'open' || status === 'unknown'),
  ];
  const recorded = open.reduce<number | null>(
    (sum, { amount }) => (sum === null || amount === null ? null : sum + amount),
    0,
  );
  return recorded === null ? (loan.other_liens ?? null) : Math.max(recorded, loan.other_liens ?? 0);
}

const NOTES: Record<Existing['basis'] | 'liens_not_known', string> = notes;
