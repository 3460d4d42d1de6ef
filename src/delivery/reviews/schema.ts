// The shapes of an appraisal review: the appraiser's statements, the matching records, and the questions.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';
import { fileBody } from '../batches/schema.ts';
import { LocatorParameters, matchParameter } from '../../records/address/schema.ts';
import { Valuation } from '../../insight/valuations/schema.ts';
import questions from './questions.json' with { type: 'json' };

const optional = Type.Optional;
const { comparables_basis: ComparablesBasis, comparables: Comparables } = Valuation.properties;
const dollars = (options: object = {}) => shape.wholeNumber({ minimum: 1, maximum: 10_000_000_000, ...options });
const amount = () => shape.wholeNumber({ minimum: -1_000_000_000, maximum: 1_000_000_000 });

/** Facts of a home that both appraisals and records have. */
const Stated = {
  sqft: optional(shape.decimal({ minimum: 1, maximum: 1_000_000, description: 'Living area in square feet.' })),
  lot_sqft: optional(shape.decimal({ minimum: 1, maximum: 1_000_000_000 })),
  bedrooms: optional(shape.decimal({ minimum: 0, maximum: 100 })),
  bathrooms: optional(shape.decimal({ minimum: 0, maximum: 100 })),
  year_built: optional(shape.wholeNumber({ minimum: 1600, maximum: 2200 })),
};

const StatedComparable = Type.Object(
  {
    ...LocatorParameters,
    ...Stated,
    sale_price: dollars(),
    sale_date: shape.isoDay(),
    adjusted_price: optional(dollars()),
    adjustments: optional(
      Type.Array(
        shape.strict({
          feature: shape.text(60, {
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
    ...shape.STRICT,
    title: 'StatedComparable',
    description: 'Exactly one locator, and the sale as the appraiser states it.',
  },
);

export const ReviewRequest = shape.namedStrict('ReviewRequest', {
  property: Type.Object({ ...LocatorParameters, ...Stated }, shape.STRICT),
  appraisal: shape.namedStrict('Appraisal', {
    value: dollars(),
    effective_date: shape.isoDay({ description: 'The day of the value; only what was known then is compared.' }),
    comparables: Type.Array(StatedComparable, { maxItems: 20 }),
  }),
  match: matchParameter,
  reference: optional(shape.text(100, { minLength: 1, description: 'Your own number for the file.' })),
});
export type ReviewRequest = Static<typeof ReviewRequest>;

/** Content types of an appraisal's own XML. */
export const UAD_TYPES = ['application/xml', 'text/xml'];
export const UAD_BODY = fileBody(UAD_TYPES, 'The appraisal as XML of UAD 3.6 (MISMO 3.6).');

const Difference = shape.named('RecordDifference', {
  field: shape.text(40),
  stated: shape.decimal(),
  recorded: shape.decimal(),
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
  { low: shape.decimal(), high: shape.decimal(), per: shape.text(40), n: shape.wholeNumber({ minimum: 0 }) },
  {
    title: 'AdjustmentRange',
    description: 'Dollars for each unit of the difference, among the comparables of our own grid.',
  },
);

const ReviewedComparable = shape.named('ReviewedComparable', {
  number: shape.wholeNumber({ minimum: 1, description: 'Its place in the request.' }),
  stated_address: shape.nullable(shape.text(400)),
  stated_price: shape.wholeNumber(),
  stated_date: shape.isoDay(),
  property_id: shape.nullable(shape.text(40)),
  matched_address: shape.nullable(shape.text(400)),
  not_found_reason: shape.nullable(shape.text(500, { description: 'Why no property was found, in words.' })),
  sale: shape.named('ReviewedSale', {
    status: shape.oneOf(SALE_STATUSES, {
      description:
        'confirmed: a deed within 45 days at the price, to half a percent. price_not_recorded: a deed of that time without a ' +
        'price. no_such_sale is said only where the records cover the day.',
    }),
    transaction_id: shape.nullable(shape.text(40)),
    recorded_price: shape.nullable(shape.wholeNumber()),
    recorded_date: shape.nullable(shape.isoDay()),
    market_price: shape.nullable(
      Type.Boolean({ description: 'false: the rules for market prices set this sale aside.' }),
    ),
    market_price_reason: shape.nullable(shape.text(60)),
    earlier_sale: shape.nullable(
      Type.Object(
        { date: shape.isoDay(), price: shape.wholeNumber(), change: shape.decimal() },
        { title: 'EarlierSale', description: 'A sale of the same home in the twelve months before.' },
      ),
    ),
  }),
  differences: shape.list(Difference, { description: 'What the record says otherwise.' }),
  distance_miles: shape.nullable(shape.decimal()),
  days_before: shape.wholeNumber({
    description: 'Days from the sale to the effective date; negative: it was sold later.',
  }),
  net_adjustment_rate: shape.nullable(shape.decimal()),
  gross_adjustment_rate: shape.nullable(shape.decimal()),
  adds_up: shape.nullable(
    Type.Boolean({ description: 'Whether price and adjustments make the stated adjusted price.' }),
  ),
  adjustments: shape.list(
    shape.named('ReviewedAdjustment', {
      feature: shape.text(60),
      amount: amount(),
      ours: shape.nullable(
        shape.wholeNumber({ description: 'Our adjustment for the same sale, where it is in our grid.' }),
      ),
      stated_rate: shape.nullable(shape.decimal({ description: 'Dollars for each unit of the difference.' })),
      market_range: shape.nullable(Range),
      is_outside: shape.nullable(
        Type.Boolean({ description: 'Below half of the range or above twice of it; null: not comparable.' }),
      ),
    }),
  ),
  index_change: shape.nullable(
    shape.decimal({ description: 'Change of the price index of the area from the sale to the effective date.' }),
  ),
  in_our_grid: Type.Boolean(),
});
export type ReviewedComparable = Static<typeof ReviewedComparable>;

const QUESTION_CODES = Object.keys(questions) as (keyof typeof questions)[];

const Question = shape.named('ReviewQuestion', {
  code: shape.oneOf(QUESTION_CODES),
  comparable: shape.nullable(
    shape.wholeNumber({ minimum: 1, description: 'Its place in the request; null: of the whole appraisal.' }),
  ),
  question: shape.text(600),
  evidence: shape.text(600),
});
export type Question = Static<typeof Question>;

const OurValue = shape.named('ReviewValue', {
  valuation_id: shape.text(40),
  model_version: shape.text(80),
  estimated_value: shape.wholeNumber(),
  low: shape.wholeNumber(),
  high: shape.wholeNumber(),
  level: shape.decimal(),
  confidence: shape.oneOf(['high', 'medium', 'low']),
  ratio: shape.decimal({ description: 'The appraised value divided by ours.' }),
  position: shape.oneOf(['below', 'inside', 'above'], {
    description: 'Where the appraised value lies to our interval.',
  }),
  standard_deviations: shape.decimal({ description: 'How far from ours, in forecast standard deviations.' }),
});

export const Review = shape.named('Review', {
  object: shape.oneOf(['review']),
  id: shape.text(40),
  mode: shape.oneOf(['live', 'test']),
  created_at: shape.instant(),
  reference: shape.nullable(shape.text(100)),
  property_id: shape.text(40),
  address: shape.nullable(shape.text(400)),
  appraised_value: shape.wholeNumber(),
  effective_date: shape.isoDay(),
  subject_differences: shape.list(Difference),
  value: OurValue,
  comparables: shape.list(ReviewedComparable),
  passed_over: Type.Array(Comparables.items, {
    maxItems: 5,
    description:
      'Sales of our grid that the appraisal does not use and that are more similar than its least similar one.',
  }),
  comparables_basis: ComparablesBasis,
  market: shape.nullable(
    shape.named('ReviewMarket', {
      area: shape.text(120),
      from: shape.text(10),
      to: shape.text(10),
      change: shape.decimal({ description: 'Of the price index over the twelve months to the effective date.' }),
    }),
  ),
  questions: shape.list(Question),
  notice: shape.text(400),
});
export type Review = Static<typeof Review>;

export const ReviewPage = shape.page(
  'ReviewPage',
  shape.named('ReviewSummary', {
    object: shape.oneOf(['review_summary']),
    id: shape.text(40),
    property_id: shape.text(40),
    reference: shape.nullable(shape.text(100)),
    created_at: shape.instant(),
  }),
);
