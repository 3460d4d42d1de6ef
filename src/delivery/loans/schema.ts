// The shapes of registered loans: the lender's input, the condition of home and debt, and changes.
import Type, { type Static } from 'typebox';
import { CHANGE_CODES } from '../../base/events/kinds.ts';
import {
  decimal,
  instant,
  isoDay,
  list,
  named,
  namedStrict,
  nullable,
  oneOf,
  page,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { LocatorParameters, matchParameter } from '../../records/address/schema.ts';

const optional = Type.Optional;
const whole = () => nullable(wholeNumber({ minimum: 0 }));
const ratio = (description?: string) => nullable(decimal({ ...(description && { description }) }));

const Terms = {
  amount: wholeNumber({ minimum: 1, maximum: 10_000_000_000, description: 'Principal at closing, in dollars.' }),
  closed_on: isoDay({ description: 'The day the loan was made.' }),
  rate: optional(
    decimal({ minimum: 0, maximum: 0.5, description: 'Per year: 0.0675. Default: the average of its month.' }),
  ),
  term_months: optional(wholeNumber({ minimum: 12, maximum: 600, default: 360 })),
  balance: optional(
    wholeNumber({ minimum: 0, description: 'What is owed, where you know it better than the schedule.' }),
  ),
  document_number: optional(text(80, { minLength: 1, description: 'Of the recorded mortgage, or `book/page`.' })),
  max_ltv: optional(
    decimal({
      minimum: 0.05,
      maximum: 5,
      description: 'Tell when loan-to-value rises above or falls back below this.',
    }),
  ),
};

export const NewLoan = Type.Object(
  {
    property: Type.Object(
      { ...LocatorParameters, county: optional(text(80)), state: optional(text(2)) },
      { additionalProperties: false, description: '`county` and `state` may stand in for the `fips` of an `apn`.' },
    ),
    match: matchParameter,
    ...Terms,
    reference: optional(text(100, { minLength: 1, description: 'Your own number; unique among your loans.' })),
  },
  { title: 'NewLoan', additionalProperties: false },
);
export type NewLoan = Static<typeof NewLoan>;
export type Terms = Pick<NewLoan, keyof typeof Terms>;

export const MAX_ITEMS = 500;
export const NewLoans = namedStrict('NewLoans', {
  // Loose on purpose: a bad row is rejected individually, with its position, and the others are registered.
  items: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_ITEMS, description: 'Each as in POST /loans.' }),
});

/** A row of a request or a file, before it is checked. */
export interface LoanItem {
  /** Line of the file. */
  line: number | null;
  loan: unknown;
  /** Why the row cannot be read. */
  error: { code: string; detail: string } | null;
}

const OtherDebt = named('LoanDebt', {
  transaction_id: text(40),
  instrument: text(40),
  recorded_on: nullable(isoDay()),
  amount: whole(),
});

export const Condition = Type.Object(
  {
    as_of: isoDay({ description: 'The market’s day.' }),
    balance: whole(),
    balance_basis: oneOf(['stated', 'scheduled', 'not_known'], {
      description:
        'scheduled: level payments at the stated or average rate. not_known: no rate is known for its month.',
    }),
    value: whole(),
    value_low: whole(),
    valued_on: nullable(isoDay()),
    ltv: ratio('Balance divided by value, rounded up.'),
    ltv_at_low: ratio('Against the low end of the value’s interval.'),
    mortgage: named('LoanMortgage', {
      status: oneOf(['open', 'released', 'not_on_record', 'not_covered'], {
        description: 'Of your mortgage: found by its document number, or by amount and date.',
      }),
      transaction_id: nullable(text(40)),
      recorded_on: nullable(isoDay()),
      position: nullable(
        wholeNumber({ minimum: 1, description: 'Among open mortgages by the day of recording; null: not known.' }),
      ),
    }),
    senior: nullable(list(OtherDebt, { description: 'Open mortgages recorded before yours; null: not known.' })),
    junior: nullable(list(OtherDebt)),
    liens: list(OtherDebt),
    open_tax_liens: whole(),
    foreclosure: Type.Boolean({ description: 'A notice of foreclosure or lis pendens is on record and not ended.' }),
    last_deed: nullable(named('LoanDeed', { transaction_id: text(40), recorded_on: nullable(isoDay()) })),
    open_violations: whole(),
    last_permit_on: nullable(isoDay()),
    flood_zone: nullable(text(20)),
    flood_sfha: nullable(Type.Boolean()),
  },
  { title: 'LoanCondition', description: 'null: the records do not reach.' },
);
export type Condition = Static<typeof Condition>;

export const LoanChange = named('LoanChange', { code: oneOf(CHANGE_CODES), detail: text(400) });
export type LoanChange = Static<typeof LoanChange>;

export const Loan = named('Loan', {
  object: oneOf(['loan']),
  id: text(40),
  mode: oneOf(['live', 'test']),
  property_id: text(40),
  reference: nullable(text(100)),
  terms: Type.Object(Terms, { title: 'LoanTerms' }),
  created_at: instant(),
  checked_at: nullable(instant()),
  condition: nullable(Condition),
});
export const LoanPage = page('LoanPage', Loan);

export const Statement = named('LoanStatement', {
  object: oneOf(['loan_statement']),
  loan_id: text(40),
  as_of: isoDay(),
  known_at: nullable(instant({ description: 'When this was first known; null: the loan was not registered yet.' })),
  condition: nullable(Condition),
});

export const ChangePage = page(
  'LoanChangePage',
  named('LoanChanges', { object: oneOf(['loan_change']), known_at: instant(), changes: list(LoanChange) }),
);

export const Registered = named('RegisteredLoans', {
  object: oneOf(['registered_loans']),
  registered: wholeNumber({ minimum: 0 }),
  refused: wholeNumber({ minimum: 0 }),
  ignored_columns: list(text(200), { description: 'Of a file: headings that are no part of a loan.' }),
  results: list(
    named('RegisteredLoan', {
      index: wholeNumber({ minimum: 0 }),
      line: nullable(wholeNumber({ minimum: 1, description: 'Of the file.' })),
      loan_id: nullable(text(40)),
      reference: nullable(text(100)),
      error: nullable(named('RefusedLoan', { code: text(60), detail: text(1_000) })),
    }),
  ),
});
