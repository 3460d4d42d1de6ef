// The shapes of a lender's file: what is asked for, the rules it is checked against, and the dossier itself.
import Type, { type Static } from 'typebox';
import { PriceForecast, PriceIndex } from '../../insight/analytics/index-schema.ts';
import { SalesSeries } from '../../insight/analytics/schema.ts';
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
  STRICT,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { Property } from '../../records/properties/schema.ts';
import { RiskReport } from '../../records/risk/schema.ts';
import { TitleReport } from '../../records/title/schema.ts';
import { LoanTerms, RentEstimate, StatedExpenses } from '../../insight/rents/schema.ts';
import { EstimateRequest, Valuation } from '../../insight/valuations/schema.ts';
import { describeConditions, RULE_NAMES } from './conditions.ts';

const optional = Type.Optional;
const MOST_DOLLARS = 1_000_000_000;
const dollars = (options: object = {}) => wholeNumber({ minimum: 0, maximum: MOST_DOLLARS, ...options });
const ratio = () => nullable(decimal({ minimum: 0 }));

export const Rule = namedStrict('ReportRule', {
  when: oneOf(RULE_NAMES, { description: `What is tested. ${describeConditions()}`, examples: ['ltv_above'] }),
  limit: optional(
    Type.Unsafe<number | string | string[]>({
      anyOf: [
        { type: 'number', minimum: -MOST_DOLLARS, maximum: MOST_DOLLARS },
        { type: 'string', maxLength: 60 },
        { type: 'array', maxItems: 40, items: { type: 'string', maxLength: 60 } },
      ],
      description: 'What it is compared with; see `when`.',
      examples: [0.8],
    }),
  ),
  outcome: oneOf(['refer', 'decline'], { description: 'What becomes of a file that the rule applies to.' }),
  note: optional(text(200, { minLength: 1, description: 'Your own words, printed beside the rule.' })),
});
export type Rule = Static<typeof Rule>;

const MOST_RULES = 40;
const Rules = Type.Array(Rule, { maxItems: MOST_RULES });

export const RuleSet = named('ReportRules', {
  object: oneOf(['report_rules']),
  rules: Rules,
  standard: list(Rule, {
    description: 'The ready set of a careful lender, each with its reason, to be used or copied.',
  }),
  updated_at: nullable(instant({ description: 'null: never set.' })),
});
export const NewRuleSet = namedStrict('NewReportRules', { rules: Rules });

export const PURPOSES = ['purchase', 'refinance', 'home_equity', 'other'] as const;

const { include: _include, dry_run: _dryRun, ...options } = (EstimateRequest.properties.options as any).properties;

export const ReportRequest = namedStrict('ReportRequest', {
  property: EstimateRequest.properties.property,
  loan: optional(
    namedStrict('ReportLoan', {
      amount: dollars({ minimum: 1, description: 'The loan applied for, in dollars.' }),
      purpose: optional(
        oneOf(PURPOSES, {
          description:
            'A purchase or a refinance pays off the mortgages on record: they are left out of the combined loan-to-value ' +
            'as far as the price or the loan covers their estimated payoff. Otherwise they stay and are counted.',
        }),
      ),
      purchase_price: optional(dollars({ minimum: 1, description: 'Where lower than the value, it is lent against.' })),
      existing_balance: optional(
        dollars({
          description: 'What is owed on mortgages that stay, if you know it. Replaces the estimate from title.',
        }),
      ),
      other_liens: optional(
        dollars({
          description: 'Other debt on the property that stays, such as a credit line. Recorded liens count at least.',
        }),
      ),
    }),
  ),
  rental: optional(
    namedStrict('ReportRental', {
      expenses: optional(StatedExpenses),
      loan_terms: optional(Type.Omit(LoanTerms, ['amount'], STRICT)),
    }),
  ),
  reference: optional(text(80, { minLength: 1, description: 'Your own number for the file, printed on every page.' })),
  rules: optional(
    Type.Array(Rule, { maxItems: MOST_RULES, description: 'For this report, instead of the account’s.' }),
  ),
  demographics: optional(
    Type.Boolean({
      description:
        'Adds the census layer: income, tenure and the like of the tract. Left out of credit files by default.',
    }),
  ),
  rule_set: optional(
    oneOf(['standard'], {
      description: 'The ready set, with `rules` in addition, instead of the account’s. `GET /reports/rules` lists it.',
    }),
  ),
  options: optional(Type.Object(options as Omit<EstimateOptions, 'include' | 'dry_run'>, STRICT)),
});
type EstimateOptions = NonNullable<(typeof EstimateRequest)['properties']['options']>['properties'];
export type ReportRequest = Static<typeof ReportRequest>;

const OUTCOMES = ['pass', 'refer', 'decline', 'not_evaluated'] as const;

const RuleOutcome = named('RuleOutcome', {
  when: oneOf(RULE_NAMES),
  limit: optional(Type.Unsafe<number | string | string[]>({})),
  note: optional(text(200)),
  outcome: oneOf(['pass', 'refer', 'decline', 'not_applicable'], {
    description: 'A figure that is not known is referred. not_applicable: no loan was given.',
  }),
  figure: Type.Unsafe<number | string | string[] | null>({
    description: 'What was found, in the unit of the limit; null if it is not known.',
  }),
  reason: text(600),
});
export type RuleOutcome = Static<typeof RuleOutcome>;

const LoanFigures = Type.Object(
  {
    amount: dollars(),
    purpose: nullable(oneOf(PURPOSES)),
    purchase_price: nullable(dollars()),
    lent_against: Type.Object(
      { value: dollars(), low: dollars() },
      { description: 'The value and the low end of its interval, or the purchase price where that is lower.' },
    ),
    ltv: decimal({ minimum: 0, description: 'Loan over value: 0.8 is 80%.' }),
    ltv_at_low: decimal({ minimum: 0, description: 'Loan over the low end of the interval.' }),
    existing_mortgages: Type.Object({
      treatment: oneOf(['stay', 'paid_off']),
      count: nullable(wholeNumber({ minimum: 0 })),
      balance: nullable(dollars({ maximum: Number.MAX_SAFE_INTEGER })),
      basis: oneOf(['estimated_from_title', 'stated_in_request', 'none_open', 'paid_off', 'payoff_short', 'not_known']),
      payoff: nullable(
        dollars({
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Of a purchase or refinance: the estimated balance of the mortgages on record that it pays off.',
        }),
      ),
      shortfall: nullable(
        dollars({
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            'By how much the loan, or the price of a purchase, falls short of the payoff. Part of `balance`.',
        }),
      ),
    }),
    other_liens: nullable(
      dollars({
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The larger of what was stated and what is recorded; null if a recorded lien has no amount.',
      }),
    ),
    total_debt: nullable(dollars({ maximum: Number.MAX_SAFE_INTEGER })),
    cltv: ratio(),
    cltv_at_low: ratio(),
    note: text(600),
  },
  {
    title: 'LoanFigures',
    description: 'Ratios are rounded up to four decimals, and rules are tested on them as shown.',
  },
);
export type LoanFigures = Static<typeof LoanFigures>;

const PriceChange = Type.Object({
  basis: oneOf(['price_index', 'median_price']),
  from: text(10),
  to: text(10),
  change: decimal({ description: '0.04 is up 4%.' }),
  low: nullable(decimal({ description: 'Lower end of the band of the index.' })),
  high: nullable(decimal()),
  n_from: wholeNumber({ minimum: 0 }),
  n_to: wholeNumber({ minimum: 0 }),
});
export const MarketFigures = Type.Object(
  {
    local: nullable(SalesSeries),
    market: nullable(SalesSeries),
    index: nullable(PriceIndex),
    forecast: nullable(PriceForecast),
    change_1y: nullable(PriceChange),
    note: text(300),
  },
  {
    title: 'MarketFigures',
    description:
      'Five years up to the day of the value: quarterly sales, `local` in the smallest area with enough of them (ZIP, city, county) and ' +
      '`market` in all of it, and the monthly price index of the smallest area that has one, with its forecast for ' +
      'twelve months (null where the value is as of a day that the index has passed).',
  },
);
export type MarketFigures = Static<typeof MarketFigures>;

const GAP_KINDS = ['missing', 'filled_in', 'stale', 'withheld', 'unavailable', 'uncertain'] as const;
const PARTS = ['property', 'value', 'title', 'risk', 'market', 'loan', 'rent'] as const;
const Gap = Type.Object(
  { part: oneOf(PARTS), kind: oneOf(GAP_KINDS), code: text(60), detail: text(500) },
  { title: 'DataGap', description: 'Something that is not known, was filled in or is not current.' },
);
export type Gap = Static<typeof Gap>;

const ReportSource = named('ReportSource', {
  id: text(80),
  name: text(300),
  publisher: text(300),
  used_for: list(text(60)),
  url: nullable(text(500)),
  licence: text(300),
  attribution: text(500),
  published_on: nullable(isoDay()),
  loaded_at: nullable(instant()),
  covers_to: nullable(isoDay()),
});
export type ReportSource = Static<typeof ReportSource>;

export const Report = named('Report', {
  object: oneOf(['report']),
  id: text(40, { examples: ['rep_7h2k9m4q8r5t1v3w6x0z'] }),
  mode: oneOf(['live', 'test']),
  created_at: instant(),
  as_of: isoDay({
    description: 'The day of the value. Title, risk and market are as loaded when the report was made.',
  }),
  reference: nullable(text(80)),
  property: Property,
  decision: named('ReportDecision', {
    outcome: oneOf(OUTCOMES, { description: 'The strictest of the rules; not_evaluated if there are none.' }),
    rules: list(RuleOutcome),
    rules_from: oneOf(['account', 'request', 'standard']),
  }),
  loan: nullable(LoanFigures),
  valuation: Valuation,
  receipt: Type.Object(
    {
      id: text(40),
      sha256: text(64, { description: 'Of the receipt, as it is anchored in the audit log.' }),
      model_version: text(80),
      model_hash: text(64),
      data_snapshot: text(80),
      market_day: isoDay({ description: 'The day up to which sales were known to the value.' }),
    },
    { title: 'ReportReceipt', description: 'Reproduces the value: see `GET /avm/valuations/{id}`.' },
  ),
  title: TitleReport,
  risk: RiskReport,
  rent: optional(RentEstimate),
  market: MarketFigures,
  gaps: list(Gap),
  sources: list(ReportSource),
  notice: text(400),
  sha256: text(64, {
    description:
      'Of the other members as JSON with sorted names and no spaces, with owner names in place. It is also in the audit log.',
  }),
});
export type Report = Static<typeof Report>;

export const ReportSummary = named('ReportSummary', {
  object: oneOf(['report_summary']),
  id: text(40),
  property_id: text(40),
  address: nullable(text(400)),
  reference: nullable(text(80)),
  outcome: oneOf(OUTCOMES),
  estimated_value: dollars({ maximum: Number.MAX_SAFE_INTEGER }),
  valuation_id: text(40),
  created_at: instant(),
});
export const ReportPage = page('ReportPage', ReportSummary);
