// Shapes of a rent estimate: what a caller may send, the rent with its basis, and what it earns.
import Type, { type Static } from 'typebox';
import {
  decimal,
  isoDay,
  list,
  named,
  namedStrict,
  nullable,
  oneOf,
  strict,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { fail } from '../../base/lib/errors.ts';
import { LocatorParameters, matchParameter } from '../../records/address/schema.ts';

const optional = Type.Optional;
const MOST_DOLLARS = 1_000_000_000;
const dollars = (description: string, minimum = 0) => decimal({ minimum, maximum: MOST_DOLLARS, description });
const share = (description: string) => decimal({ minimum: 0, maximum: 1, description });
const figure = (description: string) => nullable(decimal({ description }));

const Home = {
  bedrooms: optional(wholeNumber({ minimum: 0, maximum: 20, description: 'Instead of the number on record.' })),
  value: optional(dollars('What the home is worth, instead of the stored value.', 1)),
  purchase_price: optional(dollars('Yields are then on the price instead of the value.', 1)),
};
const Expenses = {
  taxes: optional(dollars('Property tax a year, instead of the last bill on record.')),
  insurance: optional(dollars('Premium a year. Without it there is neither a cap rate nor a DSCR.')),
  hoa: optional(dollars('Dues of an owners’ association a year.')),
  maintenance: optional(dollars('A year.')),
  other_expenses: optional(dollars('A year.')),
  vacancy: optional(share('Part of the year without a tenant: 0.05 is 5%.')),
  management: optional(share('Fee, as a share of the rent that is collected.')),
};
const Loan = {
  amount: dollars('The loan, in dollars.', 1),
  rate: decimal({ minimum: 0, maximum: 0.3, description: 'Interest a year: 0.07 is 7%.' }),
  term_years: optional(wholeNumber({ minimum: 1, maximum: 50, default: 30 })),
  interest_only: optional(Type.Boolean({ description: 'Payments are of interest alone.' })),
};
export const LoanTerms = namedStrict('RentLoanTerms', Loan);
export type LoanTerms = Static<typeof LoanTerms>;
export const StatedExpenses = namedStrict('RentExpensesStated', Expenses);
export type StatedExpenses = Static<typeof StatedExpenses>;

export const RentRequest = namedStrict('RentRequest', {
  property: strict({ ...LocatorParameters, ...Home, match: matchParameter }),
  expenses: optional(StatedExpenses),
  loan: optional(LoanTerms),
});
export type RentRequest = Static<typeof RentRequest>;

/** The same request on one line. */
export const RentQuery = strict({
  ...LocatorParameters,
  ...Home,
  match: matchParameter,
  ...Expenses,
  loan_amount: optional(Loan.amount),
  loan_rate: optional(Loan.rate),
  loan_term_years: Loan.term_years,
  loan_interest_only: Loan.interest_only,
});

const Area = named('RentArea', {
  layer: text(60, { description: 'The layer that it is a figure of: see `GET /layers`.' }),
  kind: oneOf(['zip', 'tract']),
  id: text(20),
  bedrooms: nullable(wholeNumber({ minimum: 0, description: 'The size it is for; null: all sizes.' })),
  rent: decimal({ description: 'As published, with utilities. 15% is added for each bedroom beyond four of HUD’s.' }),
  source: nullable(text(100)),
  published_on: nullable(isoDay()),
});
export type RentArea = Static<typeof Area>;

export const RentAccuracy = named('RentAccuracy', {
  leases: wholeNumber({ minimum: 0, description: 'Leases of the market on which level and slope are fitted.' }),
  from: isoDay(),
  to: isoDay(),
  tested_from: isoDay({ description: 'Leases from this day on were estimated from those before alone.' }),
  tested: wholeNumber({ minimum: 0 }),
  median_error_rate: decimal(),
  within_10_percent: share('Of the tested leases.'),
  within_20_percent: share('Of the tested leases.'),
  median_ratio: decimal({ description: 'Estimate over rent; 1 is neither high nor low.' }),
  interval_coverage: share('Tested rents inside of the interval that the leases before them gave.'),
  areas_alone_error_rate: decimal({ description: 'Median error of the same leases without any lease: areas alone.' }),
});
export type RentAccuracy = Static<typeof RentAccuracy>;

const Lease = named('ComparableLease', {
  property_id: text(40),
  rent: decimal({ description: 'A month, as on the rent roll.' }),
  leased_on: isoDay(),
  bedrooms: nullable(decimal()),
  sqft: nullable(decimal()),
  distance_miles: decimal({ minimum: 0 }),
});
export type ComparableLease = Static<typeof Lease>;

const Basis = named('RentBasis', {
  kind: oneOf(['areas', 'areas_and_leases']),
  statement: text(700, { description: 'In words, what the rent rests on and what it does not.' }),
  areas: list(Area),
  value: nullable(decimal({ description: 'What the home is worth: stated, or the stored value.' })),
  area_value: nullable(
    decimal({ description: 'Median value of homes with as many bedrooms around it; null where fewer than ten.' }),
  ),
  area_kind: nullable(oneOf(['tract', 'zip'])),
  relative_value: figure('The home’s value over that of its area, from 0.4 to 2.5.'),
  elasticity: decimal({ description: 'A home worth 10% more rents for about this share of 10% more.' }),
  elasticity_from: oneOf(['assumption', 'leases']),
  interval_from: oneOf(['assumption', 'leases'], {
    description: 'leases: errors on leases that the fit had not seen.',
  }),
  accuracy: nullable(RentAccuracy),
});

const Returns = named('RentReturns', {
  on: nullable(decimal({ description: 'The price if it was stated, otherwise the value.' })),
  on_basis: nullable(oneOf(['purchase_price', 'stated_value', 'estimated_value'])),
  gross_yield: figure('Twelve rents over `on`.'),
  expenses: named('RentExpenses', {
    taxes: nullable(decimal()),
    taxes_from: nullable(oneOf(['request', 'record'])),
    taxes_year: nullable(wholeNumber({ minimum: 0 })),
    insurance: nullable(decimal({ description: 'As stated; null where it was not.' })),
    hoa: decimal(),
    maintenance: decimal(),
    other_expenses: decimal(),
    vacancy: decimal({ description: 'In dollars a year.' }),
    management: decimal({ description: 'In dollars a year.' }),
    not_stated: list(text(40), { description: 'Counted as zero because the request does not state them.' }),
  }),
  net_operating_income: figure('A year; null while `reason` is not.'),
  cap_rate: figure('Net operating income over `on`.'),
  reason: nullable(oneOf(['no_rent', 'taxes_unknown', 'insurance_not_stated'])),
});

const Coverage = named('RentLoan', {
  amount: decimal(),
  rate: decimal(),
  term_years: wholeNumber({ minimum: 1 }),
  interest_only: Type.Boolean(),
  payment: decimal({ description: 'Principal and interest a month, to the cent.' }),
  payment_with_costs: figure('With taxes, insurance and dues (PITIA) a month.'),
  dscr: figure('Rent over `payment_with_costs`, as lenders of rental homes count it. Rounded down to four decimals.'),
  dscr_at_low: figure('The same at the low end of the rent’s interval.'),
  noi_dscr: figure('Net operating income over the payments of the loan. Rounded down.'),
  reason: Returns.properties.reason,
});

export const RentEstimate = named('RentEstimate', {
  object: oneOf(['rent_estimate']),
  property_id: text(40),
  market: text(60),
  as_of: isoDay(),
  rent: nullable(wholeNumber({ minimum: 0, description: 'A month, in dollars; of all units. Null: see `reason`.' })),
  interval: nullable(Type.Object({ level: decimal(), low: wholeNumber(), high: wholeNumber() })),
  reason: nullable(oneOf(['not_covered', 'bedrooms_unknown', 'unsupported_property_type'])),
  units: wholeNumber({ minimum: 1 }),
  bedrooms: nullable(decimal({ description: 'Of one unit, as estimated for.' })),
  basis: Basis,
  comparables: list(Lease, { description: 'The nearest leases of the operator’s rent rolls; without one, none.' }),
  returns: Returns,
  loan: nullable(Coverage),
});
export type RentEstimate = Static<typeof RentEstimate>;

export function readRentQuery(query: Static<typeof RentQuery>): RentRequest {
  const taken = <Names extends object>(names: Names) =>
    Object.fromEntries(Object.entries(query).filter(([name]) => name in names));
  const {
    loan_amount: amount,
    loan_rate: rate,
    loan_term_years: term_years,
    loan_interest_only: interest_only,
  } = query;
  return {
    property: taken(RentRequest.properties.property.properties),
    expenses: taken(Expenses),
    ...((amount ?? rate) !== undefined && { loan: { ...both(amount, rate), term_years, interest_only } }),
  };
}

function both(amount: number | undefined, rate: number | undefined) {
  if (amount !== undefined && rate !== undefined) return { amount, rate };
  const detail = '`loan_amount` and `loan_rate` must be sent together.';
  const pointer = amount === undefined ? '/loan_amount' : '/loan_rate';
  return fail('invalid_request', detail, { errors: [{ pointer, code: 'required', detail }] });
}
