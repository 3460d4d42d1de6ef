// The shapes of a valuation: the request, the response, and the published facts about models.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';
import {
  LOCATE_ERRORS,
  LOCATE_METHODS,
  LocatorParameters,
  MATCH_QUALITIES,
  matchParameter,
} from '../../records/address/schema.ts';
import { PROPERTY_TYPES } from '../../records/properties/schema.ts';
import { readWords } from '../../records/properties/parameters.ts';
import { SEGMENT_KINDS } from '../avm/card.ts';
import { POSSIBLE } from '../avm/fill.ts';
import { Comparable, ComparablesBasis, Explanation } from './grid/schema.ts';

const optional = Type.Optional;

const possible = (name: keyof typeof POSSIBLE) => ({ minimum: POSSIBLE[name][0], maximum: POSSIBLE[name][1] });

/** Values outside these ranges are typos; values that are merely unusual are accepted with a warning. */
export const AttributeInput = {
  sqft: optional(shape.decimal({ ...possible('sqft'), description: 'Living area in square feet.' })),
  lot_sqft: optional(shape.decimal(possible('lotSqft'))),
  bedrooms: optional(shape.decimal(possible('bedrooms'))),
  bathrooms: optional(shape.decimal(possible('bathrooms'))),
  baths_full: optional(shape.decimal(possible('bathsFull'))),
  baths_half: optional(shape.decimal(possible('bathsHalf'))),
  year_built: optional(shape.wholeNumber(possible('yearBuilt'))),
  effective_year_built: optional(shape.wholeNumber(possible('effectiveYearBuilt'))),
  property_type: optional(shape.oneOf(PROPERTY_TYPES)),
  stories: optional(shape.decimal(possible('stories'))),
  units: optional(shape.wholeNumber(possible('units'))),
  rooms: optional(shape.wholeNumber(possible('rooms'))),
  garage_spaces: optional(shape.decimal(possible('garageSpaces'))),
  condition: optional(shape.text(40, { minLength: 1, examples: ['average'] })),
  quality: optional(shape.text(40, { minLength: 1 })),
  style: optional(shape.text(80, { minLength: 1 })),
  exterior: optional(shape.text(80, { minLength: 1 })),
  zip: optional(shape.text(5, { pattern: '^[0-9]{5}$' })),
  city: optional(shape.text(80, { minLength: 1 })),
  neighborhood: optional(shape.text(80, { minLength: 1 })),
  census_tract: optional(shape.text(11, { minLength: 1 })),
  extras: optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), Type.Number({ minimum: -1e9, maximum: 1e9 }), {
      maxProperties: 20,
      description: 'Attributes that only some markets record, by name: `waterfront`, `view`, `sqft_basement` …',
    }),
  ),
};

export const EstimateRequest = shape.namedStrict('EstimateRequest', {
  property: Type.Object(
    {
      ...LocatorParameters,
      ...AttributeInput,
    },
    { ...shape.STRICT, description: 'Exactly one locator, plus any attributes you know better than the record does.' },
  ),
  options: optional(
    shape.strict({
      as_of: optional(shape.isoDay({ description: 'Value the property using only what was known on this day.' })),
      interval_level: optional(shape.decimal({ minimum: 0.5, maximum: 0.95, default: 0.8 })),
      match: matchParameter,
      include: optional(Type.Array(shape.oneOf(['comparables', 'explanation', 'history']), { maxItems: 3 })),
      comparables: optional(
        shape.strict({
          count: optional(
            shape.wholeNumber({ minimum: 1, maximum: 25, default: 10, description: 'At most this many.' }),
          ),
          max_distance_miles: optional(shape.decimal({ minimum: 0.05, maximum: 9 })),
          max_age_days: optional(shape.wholeNumber({ minimum: 30, maximum: 1100 })),
          exclude: optional(Type.Array(shape.text(120), { maxItems: 50 })),
        }),
      ),
      model_version: optional(shape.text(80, { minLength: 1 })),
      dry_run: optional(
        Type.Boolean({ description: 'Only resolve the property and report what the call would cost.' }),
      ),
    }),
  ),
});
export type EstimateRequest = Static<typeof EstimateRequest>;

const { extras: _extras, ...attributes } = AttributeInput;
const INCLUDES = ['comparables', 'explanation', 'history'] as const;

/** The same request as query parameters, without the JSON-only members. */
export const EstimateQuery = shape.strict({
  ...LocatorParameters,
  ...attributes,
  as_of: optional(shape.isoDay({ description: 'Value the property using only what was known on this day.' })),
  interval_level: optional(shape.decimal({ minimum: 0.5, maximum: 0.95 })),
  match: matchParameter,
  include: shape.several('Parts of the answer to return as well.', { words: INCLUDES }),
  model_version: optional(shape.text(80, { minLength: 1 })),
  dry_run: optional(Type.Boolean({ description: 'Only resolve the property and report what the call would cost.' })),
});

export function readEstimateQuery(query: Static<typeof EstimateQuery>): EstimateRequest {
  const { as_of, interval_level, match, include, model_version, dry_run, ...property } = query;
  const parts = include === undefined ? undefined : readWords('include', include, INCLUDES);
  const options = { as_of, interval_level, match, include: parts, model_version, dry_run };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { property, options: given };
}

export const Resolution = shape.named('Resolution', {
  method: shape.oneOf([...LOCATE_METHODS, 'attributes']),
  matched_address: optional(shape.nullable(shape.text(400))),
  match_quality: shape.oneOf([...MATCH_QUALITIES, 'none']),
  match_score: shape.nullable(shape.decimal()),
  fields_from_database: shape.list(shape.text(60)),
  fields_from_request: shape.list(shape.text(60)),
});
export type Resolution = Static<typeof Resolution>;

export const Valuation = shape.named('Valuation', {
  object: shape.oneOf(['valuation']),
  id: shape.text(40),
  property_id: shape.nullable(shape.text(120)),
  estimated_value: shape.wholeNumber({ minimum: 0 }),
  confidence: shape.oneOf(['high', 'medium', 'low']),
  confidence_interval: Type.Object({
    low: shape.wholeNumber({ minimum: 0 }),
    high: shape.wholeNumber({ minimum: 0 }),
    level: shape.decimal({ minimum: 0.5, maximum: 0.95 }),
  }),
  confidence_score: shape.decimal({
    minimum: 0,
    maximum: 1,
    description: 'Probability that the estimate is within ±10% of the price.',
  }),
  fsd: shape.decimal({ minimum: 0, description: 'Forecast standard deviation as a share of the estimate.' }),
  median_error_rate: shape.decimal({
    minimum: 0,
    description:
      'Half of the valuations like this one erred by less, as a share of the price: of homes as hard to value, with what is unknown about this one unknown, that long after the last known sales.',
  }),
  error_basis: Type.Object(
    {
      market: shape.text(60),
      segment: shape.text(120),
      window: Type.Object({ from: shape.isoDay(), to: shape.isoDay() }),
      sample_size: shape.wholeNumber({ minimum: 0, description: 'Tested sales of the segment.' }),
      segment_error_rate: shape.decimal({
        minimum: 0,
        description: 'Median error of all tested sales of the segment.',
      }),
      has_earlier_sale: Type.Boolean({ description: 'Whether an earlier sale of the home is known.' }),
      missing: shape.list(shape.text(60), { description: 'Attributes that are unknown and were filled in.' }),
      measured_without: optional(
        shape.list(shape.text(60), {
          description:
            'What was hidden from tested sales to measure how much that costs: `missing`, or the fewest measured attributes that include it.',
        }),
      ),
      missing_sample_size: optional(
        shape.wholeNumber({ minimum: 0, description: 'Tested sales that were valued without them.' }),
      ),
    },
    { description: 'What the error rate rests on.' },
  ),
  model_version: shape.text(80),
  as_of: shape.isoDay(),
  resolution: Resolution,
  comparables: optional(shape.list(Comparable)),
  comparables_basis: optional(ComparablesBasis),
  explanation: optional(Explanation),
  history: optional(
    shape.list(
      Type.Object({
        date: shape.isoDay(),
        value: shape.wholeNumber(),
        low: shape.wholeNumber(),
        high: shape.wholeNumber(),
        model_version: shape.text(80),
        basis: shape.oneOf(['published', 'recomputed'], {
          description:
            '`published`: the stored value of that day. `recomputed`: what the model makes of the sales known by that day; it was trained later.',
        }),
      }),
      { description: 'Newest first: monthly for three years, then quarterly.' },
    ),
  ),
  warnings: shape.list(Type.Object({ code: shape.text(60), detail: shape.text(400), field: optional(shape.text(60)) })),
});
export type Valuation = Static<typeof Valuation>;
export type Warning = Valuation['warnings'][number];

export const DryRun = shape.named('ValuationDryRun', {
  object: shape.oneOf(['valuation_dry_run']),
  property_id: shape.nullable(shape.text(120)),
  resolution: Resolution,
  market: shape.text(60),
  model_version: shape.text(80),
  meter: shape.oneOf(['avm']),
  units: shape.wholeNumber({ minimum: 0 }),
});
export type DryRun = Static<typeof DryRun>;

export const Receipt = shape.named('ValuationReceipt', {
  object: shape.oneOf(['valuation_receipt']),
  id: shape.text(40),
  created_at: shape.instant(),
  request: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }),
  model_version: shape.text(80),
  model_hash: shape.text(64),
  data_snapshot: shape.text(80),
  inputs: Type.Unsafe<unknown>({
    type: 'object',
    additionalProperties: true,
    description: 'Everything the model read.',
  }),
  result: Valuation,
});

const share = () => shape.decimal({ minimum: 0 });
const AccuracyMembers = {
  sample_size: shape.wholeNumber({ minimum: 0 }),
  median_error_rate: share(),
  within_5_percent: share(),
  within_10_percent: share(),
  within_20_percent: share(),
  median_ratio: share(),
  cod: share(),
  prd: shape.decimal(),
  prb: shape.decimal(),
};

export const AccuracyReport = shape.named('AccuracyReport', {
  object: shape.oneOf(['accuracy']),
  market: shape.text(60),
  market_name: shape.text(200),
  model_version: shape.text(80),
  window: Type.Object({ from: shape.isoDay(), to: shape.isoDay() }),
  segments: shape.list(
    Type.Object({
      kind: shape.oneOf(SEGMENT_KINDS, {
        description:
          '`market_price` divides the sales into those at a market price, which are the headline, and those `set aside`, whose price is too far from what other sales make of the home. Both count in every other segment; baselines and vertical equity are of market prices. A `neighborhood` or `zip` is listed from 100 tested sales on.',
      }),
      segment: shape.text(120),
      ...AccuracyMembers,
      hit_rate: share(),
      share_above_low: shape.decimal({ minimum: 0, description: 'Share that earned `medium` or `high` confidence.' }),
      interval_coverage: Type.Record(Type.String(), share()),
    }),
  ),
  baselines: shape.list(Type.Object({ name: shape.text(60), ...AccuracyMembers })),
  vertical_equity: optional(
    Type.Object(
      {
        vei: shape.decimal({
          description:
            'Vertical equity indicator: median ratio of the most expensive group minus that of the cheapest, in percent of the median ratio. Below 0, expensive homes are valued too low.',
        }),
        low: shape.decimal({ description: 'From the ends of the two groups’ intervals, like `high`.' }),
        high: shape.decimal(),
        groups: shape.list(
          Type.Object({
            sample_size: shape.wholeNumber({ minimum: 1 }),
            value_from: shape.wholeNumber({ description: 'In dollars: half price, half value.' }),
            value_to: shape.wholeNumber(),
            median_ratio: share(),
            low: shape.decimal({ minimum: 0, description: 'The 90% confidence interval of the median.' }),
            high: share(),
          }),
        ),
      },
      { description: 'Missing where fewer than 20 sales were tested.' },
    ),
  ),
});
export type AccuracyReport = Static<typeof AccuracyReport>;

export const ModelShape = shape.named('Model', {
  object: shape.oneOf(['model']),
  version: shape.text(80),
  market: shape.text(60),
  status: shape.oneOf(['current', 'earlier']),
  trained_on: shape.isoDay(),
  hash: shape.text(64),
  sales: shape.wholeNumber({ minimum: 0 }),
  columns: shape.list(shape.text(60)),
  median_error_rate: share(),
  created_at: shape.instant(),
});
export type ModelShape = Static<typeof ModelShape>;

/** The reasons why a requested property cannot be valued. */
export const ESTIMATE_ERRORS = [
  ...LOCATE_ERRORS,
  'insufficient_data',
  'unsupported_property_type',
  'as_of_out_of_range',
] as const;
