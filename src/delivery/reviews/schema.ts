// The shapes of an appraisal review: what the appraiser stated, what the records say of it, and what to ask.
import Type, { type Static } from 'typebox';
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
  strict,
  STRICT,
  text,
  wholeNumber,
} from '../../base/lib/schema.ts';
import { LocatorParameters, matchParameter } from '../../records/address/schema.ts';
import { Valuation } from '../../insight/valuations/schema.ts';

const optional = Type.Optional;
const { comparables_basis: ComparablesBasis, comparables: Comparables } = Valuation.properties;
const dollars = (options: object = {}) => wholeNumber({ minimum: 1, maximum: 10_000_000_000, ...options });
const amount = () => wholeNumber({ minimum: -1_000_000_000, maximum: 1_000_000_000 });

/** The facts of a home that an appraiser states and a record has. */
const Stated = {
  sqft: optional(decimal({ minimum: 1, maximum: 1_000_000, description: 'Living area in square feet.' })),
  lot_sqft: optional(decimal({ minimum: 1, maximum: 1_000_000_000 })),
  bedrooms: optional(decimal({ minimum: 0, maximum: 100 })),
  bathrooms: optional(decimal({ minimum: 0, maximum: 100 })),
  year_built: optional(wholeNumber({ minimum: 1600, maximum: 2200 })),
};

const StatedComparable = Type.Object(
  {
    ...LocatorParameters,
    ...Stated,
    sale_price: dollars(),
    sale_date: isoDay(),
    adjusted_price: optional(dollars()),
    adjustments: optional(
      Type.Array(
        strict({
          feature: text(60, {
            minLength: 1,
            description:
              'A name of our grid, such as `living_area` or `market_change`, is compared; others are listed.',
          }),
          amount: amount(),
        }),
        { maxItems: 40 },
      ),
    ),
  },
  {
    ...STRICT,
    title: 'StatedComparable',
    description: 'Exactly one locator, and the sale as the appraiser states it.',
  },
);

export const ReviewRequest = namedStrict('ReviewRequest', {
  property: Type.Object({ ...LocatorParameters, ...Stated }, STRICT),
  appraisal: namedStrict('Appraisal', {
    value: dollars(),
    effective_date: isoDay({ description: 'The day of the value; only what was known then is compared.' }),
    comparables: Type.Array(StatedComparable, { maxItems: 20 }),
  }),
  match: matchParameter,
  reference: optional(text(100, { minLength: 1, description: 'Your own number for the file.' })),
});
export type ReviewRequest = Static<typeof ReviewRequest>;

const Difference = named('RecordDifference', {
  field: text(40),
  stated: decimal(),
  recorded: decimal(),
});

const SALE_STATUSES = [
  'confirmed',
  'price_differs',
  'date_differs',
  'price_not_recorded',
  'no_such_sale',
  'not_covered',
] as const;

const Range = Type.Object(
  { low: decimal(), high: decimal(), per: text(40), n: wholeNumber({ minimum: 0 }) },
  {
    title: 'AdjustmentRange',
    description: 'Dollars for each unit of the difference, among the comparables of our own grid.',
  },
);

const ReviewedComparable = named('ReviewedComparable', {
  number: wholeNumber({ minimum: 1, description: 'Its place in the request.' }),
  stated_address: nullable(text(400)),
  stated_price: wholeNumber(),
  stated_date: isoDay(),
  property_id: nullable(text(40)),
  matched_address: nullable(text(400)),
  not_found_reason: nullable(text(500, { description: 'Why no property was found, in words.' })),
  sale: named('ReviewedSale', {
    status: oneOf(SALE_STATUSES, {
      description:
        'confirmed: a deed within 45 days at the price, to half a percent. price_not_recorded: a deed of that time without a ' +
        'price. no_such_sale is said only where the records cover the day.',
    }),
    transaction_id: nullable(text(40)),
    recorded_price: nullable(wholeNumber()),
    recorded_date: nullable(isoDay()),
    market_price: nullable(Type.Boolean({ description: 'false: the rules for market prices set this sale aside.' })),
    market_price_reason: nullable(text(60)),
    earlier_sale: nullable(
      Type.Object(
        { date: isoDay(), price: wholeNumber(), change: decimal() },
        { title: 'EarlierSale', description: 'A sale of the same home in the twelve months before.' },
      ),
    ),
  }),
  differences: list(Difference, { description: 'What the record says otherwise.' }),
  distance_miles: nullable(decimal()),
  days_before: wholeNumber({ description: 'Days from the sale to the effective date; negative: it was sold later.' }),
  net_adjustment_rate: nullable(decimal()),
  gross_adjustment_rate: nullable(decimal()),
  adds_up: nullable(Type.Boolean({ description: 'Whether price and adjustments make the stated adjusted price.' })),
  adjustments: list(
    named('ReviewedAdjustment', {
      feature: text(60),
      amount: amount(),
      ours: nullable(wholeNumber({ description: 'Our adjustment for the same sale, where it is in our grid.' })),
      stated_rate: nullable(decimal({ description: 'Dollars for each unit of the difference.' })),
      market_range: nullable(Range),
      is_outside: nullable(
        Type.Boolean({ description: 'Below half of the range or above twice of it; null: not comparable.' }),
      ),
    }),
  ),
  index_change: nullable(
    decimal({ description: 'Change of the price index of the area from the sale to the effective date.' }),
  ),
  in_our_grid: Type.Boolean(),
});
export type ReviewedComparable = Static<typeof ReviewedComparable>;

export const QUESTION_CODES = [
  'comparable_not_found',
  'sale_not_on_record',
  'sale_price_differs',
  'sale_date_differs',
  'not_a_market_price',
  'resold_within_a_year',
  'sold_after_effective_date',
  'comparable_is_subject',
  'comparable_facts_differ',
  'subject_facts_differ',
  'adjustments_do_not_add_up',
  'adjustment_outside_range',
  'market_change_differs',
  'large_adjustments',
  'closer_sales_passed_over',
  'one_sided_adjustments',
  'value_outside_comparables',
  'value_outside_interval',
] as const;

const Question = named('ReviewQuestion', {
  code: oneOf(QUESTION_CODES),
  comparable: nullable(
    wholeNumber({ minimum: 1, description: 'Its place in the request; null: of the whole appraisal.' }),
  ),
  question: text(600),
  evidence: text(600),
});
export type Question = Static<typeof Question>;

const OurValue = named('ReviewValue', {
  valuation_id: text(40),
  model_version: text(80),
  estimated_value: wholeNumber(),
  low: wholeNumber(),
  high: wholeNumber(),
  level: decimal(),
  confidence: oneOf(['high', 'medium', 'low']),
  ratio: decimal({ description: 'The appraised value divided by ours.' }),
  position: oneOf(['below', 'inside', 'above'], { description: 'Where the appraised value lies to our interval.' }),
  standard_deviations: decimal({ description: 'How far from ours, in forecast standard deviations.' }),
});

export const Review = named('Review', {
  object: oneOf(['review']),
  id: text(40),
  mode: oneOf(['live', 'test']),
  created_at: instant(),
  reference: nullable(text(100)),
  property_id: text(40),
  address: nullable(text(400)),
  appraised_value: wholeNumber(),
  effective_date: isoDay(),
  subject_differences: list(Difference),
  value: OurValue,
  comparables: list(ReviewedComparable),
  passed_over: Type.Array(Comparables.items, {
    maxItems: 5,
    description:
      'Sales of our grid that the appraisal does not use and that are more similar than its least similar one.',
  }),
  comparables_basis: ComparablesBasis,
  market: nullable(
    named('ReviewMarket', {
      area: text(120),
      from: text(10),
      to: text(10),
      change: decimal({ description: 'Of the price index over the twelve months to the effective date.' }),
    }),
  ),
  questions: list(Question),
  notice: text(400),
});
export type Review = Static<typeof Review>;

export const ReviewPage = page(
  'ReviewPage',
  named('ReviewSummary', {
    object: oneOf(['review_summary']),
    id: text(40),
    property_id: text(40),
    reference: nullable(text(100)),
    created_at: instant(),
  }),
);
