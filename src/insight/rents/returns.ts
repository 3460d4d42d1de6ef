// Returns on a rent: gross yield, net operating income, cap rate and debt service coverage. Pure.
import type { LoanTerms, RentEstimate, StatedExpenses } from './schema.ts';

type Returns = RentEstimate['returns'];
type Coverage = NonNullable<RentEstimate['loan']>;

interface Earning {
  /** Per month; null if there is no estimate. */
  rent: number | null;
  low: number | null;
  on: Pick<Returns, 'on' | 'on_basis'>;
  stated: StatedExpenses;
  /** The last bill on record. */
  bill: { year: number; amount: number } | undefined;
}

const cents = (dollars: number): number => Math.round(dollars * 100) / 100;
const ratio = (part: number, whole: number): number => Math.round((part / whole) * 10_000) / 10_000;
/** Rounded down, so a rent just below a limit does not pass. Ignores floating-point error of the division. */
const coverOf = (income: number, payment: number): number => Math.floor((income / payment) * 10_000 + 1e-7) / 10_000;

export function returnsOf({ rent, on, stated, bill }: Earning): Returns {
  const taxes = stated.taxes ?? bill?.amount ?? null;
  const insurance = stated.insurance ?? null;
  const { hoa = 0, maintenance = 0, other_expenses = 0 } = stated;
  const year = (rent ?? 0) * 12;
  const vacancy = cents(year * (stated.vacancy ?? 0));
  const management = cents((year - vacancy) * (stated.management ?? 0));
  const reason =
    rent === null ? 'no_rent' : taxes === null ? 'taxes_unknown' : insurance === null ? 'insurance_not_stated' : null;
  const spent = vacancy + management + hoa + maintenance + other_expenses + (taxes ?? 0) + (insurance ?? 0);
  const income = reason === null ? cents(year - spent) : null;
  return {
    ...on,
    gross_yield: rent === null || on.on === null ? null : ratio(year, on.on),
    expenses: {
      taxes,
      taxes_from: stated.taxes !== undefined ? 'request' : bill ? 'record' : null,
      taxes_year: stated.taxes === undefined && bill ? bill.year : null,
      insurance,
      hoa,
      maintenance,
      other_expenses,
      vacancy,
      management,
      not_stated: OPTIONAL.filter((name) => stated[name] === undefined),
    },
    net_operating_income: income,
    cap_rate: income === null || on.on === null ? null : ratio(income, on.on),
    reason,
  };
}

const OPTIONAL = ['hoa', 'maintenance', 'other_expenses', 'vacancy', 'management'] as const;

/** The level monthly payment of a loan, or interest only. */
export function paymentOf({ amount, rate, term_years = 30, interest_only }: LoanTerms): number {
  const monthly = rate / 12;
  if (interest_only) return cents(amount * monthly);
  const months = term_years * 12;
  // As the rate nears zero, 1 − (1 + r)^−n loses precision; this form keeps it.
  return cents(monthly === 0 ? amount / months : (amount * monthly) / -Math.expm1(-months * Math.log1p(monthly)));
}

export function coverageOf(terms: LoanTerms, earning: Earning, returns: Returns): Coverage {
  const payment = paymentOf(terms);
  const { expenses, net_operating_income: income, reason } = returns;
  const costs = reason === null ? payment + (expenses.taxes! + expenses.insurance! + expenses.hoa) / 12 : null;
  const cover = (rent: number | null) => (rent === null || !costs ? null : coverOf(rent, costs));
  return {
    amount: terms.amount,
    rate: terms.rate,
    term_years: terms.term_years ?? 30,
    interest_only: terms.interest_only ?? false,
    payment,
    payment_with_costs: costs === null ? null : cents(costs),
    dscr: cover(earning.rent),
    dscr_at_low: cover(earning.low),
    noi_dscr: income === null || payment === 0 ? null : coverOf(income, payment * 12),
    reason,
  };
}
