// The shapes of a lender's file: the request, the rules, and the dossier itself.
import Type, { type Static } from 'typebox';
import { PriceForecast, PriceIndex } from '../../insight/analytics/index-schema.ts';
import { SalesSeries } from '../../insight/analytics/schema.ts';
import * as shape from '../../base/lib/schema.ts';
import { Property } from '../../records/properties/schema.ts';
import { RiskReport } from '../../records/risk/schema.ts';
import { TitleReport } from '../../records/title/schema.ts';
import { LoanTerms, RentEstimate, StatedExpenses } from '../../insight/rents/schema.ts';
import { EstimateRequest, Valuation } from '../../insight/valuations/schema.ts';
import { describeConditions, RULE_NAMES } from './conditions.ts';

const optional = Type.Optional;
const MOST_DOLLARS = 1_000_000_000;
const dollars = (options: object = {}) => shape.wholeNumber({ minimum: 0, maximum: MOST_DOLLARS, ...options });
const ratio = () => shape.nullable(shape.decimal({ minimum: 0 }));

export const Rule = shape.namedStrict('ReportRule', {
  when: shape.oneOf(RULE_NAMES, { description: `What is tested. ${describeConditions()}`, examples: ['ltv_above'] }),
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
  outcome: shape.oneOf(['refer', 'decline'], { description: 'What becomes of a file that the rule applies to.' }),
  note: optional(shape.text(200, { minLength: 1, description: 'Your own words, printed beside the rule.' })),
});
export type Rule = Static<typeof Rule>;

const MOST_RULES = 40;
const Rules = Type.Array(Rule, { maxItems: MOST_RULES });

export const RuleSet = shape.named('ReportRules', {
  object: shape.oneOf(['report_rules']),
  rules: Rules,
  standard: shape.list(Rule, {
    description: 'The ready set of a careful lender, each with its reason, to be used or copied.',
  }),
  updated_at: shape.nullable(shape.instant({ description: 'null: never set.' })),
});
export const NewRuleSet = shape.namedStrict('NewReportRules', { rules: Rules });

export const PURPOSES = ['purchase', 'refinance', 'home_equity', 'other'] as const;

const { include: _include, dry_run: _dryRun, ...options } = (EstimateRequest.properties.options as any).properties;

export const ReportRequest = shape.namedStrict('ReportRequest', {
  property: EstimateRequest.properties.property,
  loan: optional(
    shape.namedStrict('ReportLoan', {
      amount: dollars({ minimum: 1, description: 'The loan applied for, in dollars.' }),
      purpose: optional(
        shape.oneOf(PURPOSES, {
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
    shape.namedStrict('ReportRental', {
      expenses: optional(StatedExpenses),
      loan_terms: optional(Type.Omit(LoanTerms, ['amount'], shape.STRICT)),
    }),
  ),
  reference: optional(
    shape.text(80, { minLength: 1, description: 'Your own number for the file, printed on every page.' }),
  ),
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
    shape.oneOf(['standard'], {
      description: 'The ready set, with `rules` in addition, instead of the account’s. `GET /reports/rules` lists it.',
    }),
  ),
  options: optional(Type.Object(options as Omit<EstimateOptions, 'include' | 'dry_run'>, shape.STRICT)),
});
type EstimateOptions = NonNullable<(typeof EstimateRequest)['properties']['options']>['properties'];
export type ReportRequest = Static<typeof ReportRequest>;

const OUTCOMES = ['pass', 'refer', 'decline', 'not_evaluated'] as const;

const RuleOutcome = shape.named('RuleOutcome', {
  when: shape.oneOf(RULE_NAMES),
  limit: optional(Type.Unsafe<number | string | string[]>({})),
  note: optional(shape.text(200)),
  outcome: shape.oneOf(['pass', 'refer', 'decline', 'not_applicable'], {
    description: 'A figure that is not known is referred. not_applicable: no loan was given.',
  }),
  figure: Type.Unsafe<number | string | string[] | null>({
    description: 'What was found, in the unit of the limit; null if it is not known.',
  }),
  reason: shape.text(600),
});
export type RuleOutcome = Static<typeof RuleOutcome>;

const LoanFigures = Type.Object(
  {
    amount: dollars(),
    purpose: shape.nullable(shape.oneOf(PURPOSES)),
    purchase_price: shape.nullable(dollars()),
    lent_against: Type.Object(
      { value: dollars(), low: dollars() },
      { description: 'The value and the low end of its interval, or the purchase price where that is lower.' },
    ),
    ltv: shape.decimal({ minimum: 0, description: 'Loan over value: 0.8 is 80%.' }),
    ltv_at_low: shape.decimal({ minimum: 0, description: 'Loan over the low end of the interval.' }),
    existing_mortgages: Type.Object({
      treatment: shape.oneOf(['stay', 'paid_off']),
      count: shape.nullable(shape.wholeNumber({ minimum: 0 })),
      balance: shape.nullable(dollars({ maximum: Number.MAX_SAFE_INTEGER })),
      basis: shape.oneOf([
        'estimated_from_title',
        'stated_in_request',
        'stated_below_record',
        'none_open',
        'paid_off',
        'payoff_short',
        'not_known',
      ]),
      payoff: shape.nullable(
        dollars({
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            'The estimated balance of the mortgages on record, if they are paid off or more than was stated.',
        }),
      ),
      shortfall: shape.nullable(
        dollars({
          maximum: Number.MAX_SAFE_INTEGER,
          description:
            'By how much the loan, or the price of a purchase, falls short of the payoff: part of `balance`. Or a stated balance of what is owed.',
        }),
      ),
    }),
    other_liens: shape.nullable(
      dollars({
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The larger of what was stated and what is recorded; null if a recorded lien has no amount.',
      }),
    ),
    total_debt: shape.nullable(dollars({ maximum: Number.MAX_SAFE_INTEGER })),
    cltv: ratio(),
    cltv_at_low: ratio(),
    note: shape.text(600),
  },
  {
    title: 'LoanFigures',
    description: 'Ratios are rounded up to four decimals, and rules are tested on them as shown.',
  },
);
export type LoanFigures = Static<typeof LoanFigures>;

const PriceChange = Type.Object({
  basis: shape.oneOf(['price_index', 'median_price']),
  from: shape.text(10),
  to: shape.text(10),
  change: shape.decimal({ description: '0.04 is up 4%.' }),
  low: shape.nullable(shape.decimal({ description: 'Lower end of the band of the index.' })),
  high: shape.nullable(shape.decimal()),
  n_from: shape.wholeNumber({ minimum: 0 }),
  n_to: shape.wholeNumber({ minimum: 0 }),
});
export const MarketFigures = Type.Object(
  {
    local: shape.nullable(SalesSeries),
    market: shape.nullable(SalesSeries),
    index: shape.nullable(PriceIndex),
    forecast: shape.nullable(PriceForecast),
    change_1y: shape.nullable(PriceChange),
    note: shape.text(300),
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
  { part: shape.oneOf(PARTS), kind: shape.oneOf(GAP_KINDS), code: shape.text(60), detail: shape.text(500) },
  { title: 'DataGap', description: 'Something that is not known, was filled in or is not current.' },
);
export type Gap = Static<typeof Gap>;

const ReportSource = shape.named('ReportSource', {
  id: shape.text(80),
  name: shape.text(300),
  publisher: shape.text(300),
  used_for: shape.list(shape.text(60)),
  url: shape.nullable(shape.text(500)),
  licence: shape.text(300),
  attribution: shape.text(500),
  published_on: shape.nullable(shape.isoDay()),
  loaded_at: shape.nullable(shape.instant()),
  covers_to: shape.nullable(shape.isoDay()),
});
export type ReportSource = Static<typeof ReportSource>;

export const Report = shape.named('Report', {
  object: shape.oneOf(['report']),
  id: shape.text(40, { examples: ['rep_7h2k9m4q8r5t1v3w6x0z'] }),
  mode: shape.oneOf(['live', 'test']),
  created_at: shape.instant(),
  as_of: shape.isoDay({
    description: 'The day of the value. Title, risk and market are as loaded when the report was made.',
  }),
  reference: shape.nullable(shape.text(80)),
  property: Property,
  decision: shape.named('ReportDecision', {
    outcome: shape.oneOf(OUTCOMES, { description: 'The strictest of the rules; not_evaluated if there are none.' }),
    rules: shape.list(RuleOutcome),
    rules_from: shape.oneOf(['account', 'request', 'standard']),
  }),
  loan: shape.nullable(LoanFigures),
  valuation: Valuation,
  receipt: Type.Object(
    {
      id: shape.text(40),
      sha256: shape.text(64, { description: 'Of the receipt, as it is anchored in the audit log.' }),
      model_version: shape.text(80),
      model_hash: shape.text(64),
      data_snapshot: shape.text(80),
      market_day: shape.isoDay({ description: 'The day up to which sales were known to the value.' }),
    },
    { title: 'ReportReceipt', description: 'Reproduces the value: see `GET /avm/valuations/{id}`.' },
  ),
  title: TitleReport,
  risk: RiskReport,
  rent: optional(RentEstimate),
  market: MarketFigures,
  gaps: shape.list(Gap),
  sources: shape.list(ReportSource),
  notice: shape.text(400),
  sha256: shape.text(64, {
    description:
      'Of the other members as JSON with sorted names and no spaces, with owner names in place. It is also in the audit log.',
  }),
});
export type Report = Static<typeof Report>;

export const ReportSummary = shape.named('ReportSummary', {
  object: shape.oneOf(['report_summary']),
  id: shape.text(40),
  property_id: shape.text(40),
  address: shape.nullable(shape.text(400)),
  reference: shape.nullable(shape.text(80)),
  outcome: shape.oneOf(OUTCOMES),
  estimated_value: dollars({ maximum: Number.MAX_SAFE_INTEGER }),
  valuation_id: shape.text(40),
  created_at: shape.instant(),
});
export const ReportPage = shape.page('ReportPage', ReportSummary);
