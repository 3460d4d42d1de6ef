// Shapes of a rent estimate: the request, the rent with its basis, and its returns.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';
import { fail } from '../../base/lib/errors.ts';
import { LocatorParameters, matchParameter } from '../../records/address/schema.ts';

const optional = Type.Optional;
const MOST_DOLLARS = 1_000_000_000;
const dollars = (description: string, minimum = 0) => shape.decimal({ minimum, maximum: MOST_DOLLARS, description });
const share = (description: string) => shape.decimal({ minimum: 0, maximum: 1, description });
const figure = (description: string) => shape.nullable(shape.decimal({ description }));

const Home = {
  bedrooms: optional(shape.wholeNumber({ minimum: 0, maximum: 20, description: 'Instead of the number on record.' })),
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
  rate: shape.decimal({ minimum: 0, maximum: 0.3, description: 'Interest a year: 0.07 is 7%.' }),
  term_years: optional(shape.wholeNumber({ minimum: 1, maximum: 50, default: 30 })),
  interest_only: optional(Type.Boolean({ description: 'Payments are of interest alone.' })),
};
export const LoanTerms = shape.namedStrict('RentLoanTerms', Loan);
export type LoanTerms = Static<typeof LoanTerms>;
export const StatedExpenses = shape.namedStrict('RentExpensesStated', Expenses);
export type StatedExpenses = Static<typeof StatedExpenses>;

export const RentRequest = shape.namedStrict('RentRequest', {
  property: shape.strict({ ...LocatorParameters, ...Home, match: matchParameter }),
  expenses: optional(StatedExpenses),
  loan: optional(LoanTerms),
});
export type RentRequest = Static<typeof RentRequest>;

/** The same request as query parameters. */
export const RentQuery = shape.strict({
  ...LocatorParameters,
  ...Home,
  match: matchParameter,
  ...Expenses,
  loan_amount: optional(Loan.amount),
  loan_rate: optional(Loan.rate),
  loan_term_years: Loan.term_years,
  loan_interest_only: Loan.interest_only,
});

const Area = shape.named('RentArea', {
  layer: shape.text(60, { description: 'The layer that it is a figure of: see `GET /layers`.' }),
  kind: shape.oneOf(['zip', 'tract']),
  id: shape.text(20),
  bedrooms: shape.nullable(shape.wholeNumber({ minimum: 0, description: 'The size it is for; null: all sizes.' })),
  rent: shape.decimal({
    description: 'As published, with utilities. 15% is added for each bedroom beyond four of HUD’s.',
  }),
  source: shape.nullable(shape.text(100)),
  published_on: shape.nullable(shape.isoDay()),
});
export type RentArea = Static<typeof Area>;

export const RentAccuracy = shape.named('RentAccuracy', {
  leases: shape.wholeNumber({ minimum: 0, description: 'Leases of the market on which level and slope are fitted.' }),
  from: shape.isoDay(),
  to: shape.isoDay(),
  tested_from: shape.isoDay({ description: 'Leases from this day on were estimated from those before alone.' }),
  tested: shape.wholeNumber({ minimum: 0 }),
  median_error_rate: shape.decimal(),
  within_10_percent: share('Of the tested leases.'),
  within_20_percent: share('Of the tested leases.'),
  median_ratio: shape.decimal({ description: 'Estimate over rent; 1 is neither high nor low.' }),
  interval_coverage: share('Tested rents inside of the interval that the leases before them gave.'),
  areas_alone_error_rate: shape.decimal({
    description: 'Median error of the same leases without any lease: areas alone.',
  }),
});
export type RentAccuracy = Static<typeof RentAccuracy>;

const Lease = shape.named('ComparableLease', {
  property_id: shape.text(40),
  rent: shape.decimal({ description: 'A month, as on the rent roll.' }),
  leased_on: shape.isoDay(),
  bedrooms: shape.nullable(shape.decimal()),
  sqft: shape.nullable(shape.decimal()),
  distance_miles: shape.decimal({ minimum: 0 }),
});
export type ComparableLease = Static<typeof Lease>;

const Basis = shape.named('RentBasis', {
  kind: shape.oneOf(['areas', 'areas_and_leases']),
  statement: shape.text(700, { description: 'In words, what the rent rests on and what it does not.' }),
  areas: shape.list(Area),
  value: shape.nullable(shape.decimal({ description: 'What the home is worth: stated, or the stored value.' })),
  area_value: shape.nullable(
    shape.decimal({ description: 'Median value of homes with as many bedrooms around it; null where fewer than ten.' }),
  ),
  area_kind: shape.nullable(shape.oneOf(['tract', 'zip'])),
  relative_value: figure('The home’s value over that of its area, from 0.4 to 2.5.'),
  elasticity: shape.decimal({ description: 'A home worth 10% more rents for about this share of 10% more.' }),
  elasticity_from: shape.oneOf(['assumption', 'leases']),
  interval_from: shape.oneOf(['assumption', 'leases'], {
    description: 'leases: errors on leases that the fit had not seen.',
  }),
  accuracy: shape.nullable(RentAccuracy),
});

const Returns = shape.named('RentReturns', {
  on: shape.nullable(shape.decimal({ description: 'The price if it was stated, otherwise the value.' })),
  on_basis: shape.nullable(shape.oneOf(['purchase_price', 'stated_value', 'estimated_value'])),
  gross_yield: figure('Twelve rents over `on`.'),
  expenses: shape.named('RentExpenses', {
    taxes: shape.nullable(shape.decimal()),
    taxes_from: shape.nullable(shape.oneOf(['request', 'record'])),
    taxes_year: shape.nullable(shape.wholeNumber({ minimum: 0 })),
    insurance: shape.nullable(shape.decimal({ description: 'As stated; null where it was not.' })),
    hoa: shape.decimal(),
    maintenance: shape.decimal(),
    other_expenses: shape.decimal(),
    vacancy: shape.decimal({ description: 'In dollars a year.' }),
    management: shape.decimal({ description: 'In dollars a year.' }),
    not_stated: shape.list(shape.text(40), { description: 'Counted as zero because the request does not state them.' }),
  }),
  net_operating_income: figure('A year; null while `reason` is not.'),
  cap_rate: figure('Net operating income over `on`.'),
  reason: shape.nullable(shape.oneOf(['no_rent', 'taxes_unknown', 'insurance_not_stated'])),
});

const Coverage = shape.named('RentLoan', {
  amount: shape.decimal(),
  rate: shape.decimal(),
  term_years: shape.wholeNumber({ minimum: 1 }),
  interest_only: Type.Boolean(),
  payment: shape.decimal({ description: 'Principal and interest a month, to the cent.' }),
  payment_with_costs: figure('With taxes, insurance and dues (PITIA) a month.'),
  dscr: figure('Rent over `payment_with_costs`, as lenders of rental homes count it. Rounded down to four decimals.'),
  dscr_at_low: figure('The same at the low end of the rent’s interval.'),
  noi_dscr: figure('Net operating income over the payments of the loan. Rounded down.'),
  reason: Returns.properties.reason,
});

export const RentEstimate = shape.named('RentEstimate', {
  object: shape.oneOf(['rent_estimate']),
  property_id: shape.text(40),
  market: shape.text(60),
  as_of: shape.isoDay(),
  rent: shape.nullable(
    shape.wholeNumber({ minimum: 0, description: 'A month, in dollars; of all units. Null: see `reason`.' }),
  ),
  interval: shape.nullable(
    Type.Object({ level: shape.decimal(), low: shape.wholeNumber(), high: shape.wholeNumber() }),
  ),
  reason: shape.nullable(shape.oneOf(['not_covered', 'bedrooms_unknown', 'unsupported_property_type'])),
  units: shape.wholeNumber({ minimum: 1 }),
  bedrooms: shape.nullable(shape.decimal({ description: 'Of one unit, as estimated for.' })),
  basis: Basis,
  comparables: shape.list(Lease, {
    description: 'The nearest leases of the operator’s rent rolls; without one, none.',
  }),
  returns: Returns,
  loan: shape.nullable(Coverage),
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
