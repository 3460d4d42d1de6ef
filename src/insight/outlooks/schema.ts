// Shapes of an outlook: the request, and the returned forecast, conditions, renovation and land.
import Type, { type Static } from 'typebox';
import * as shape from '../../base/lib/schema.ts';
import { matchParameter } from '../../records/address/schema.ts';
import { AreaName } from '../analytics/schema.ts';
import { AttributeInput, EstimateRequest, Valuation } from '../valuations/schema.ts';

const optional = Type.Optional;
const amount = (description?: string) => shape.wholeNumber({ minimum: 0, ...(description && { description }) });
const range = { value: amount(), low: amount(), high: amount() };
const reason = <const Words extends string[]>(words: Words, description: string) =>
  shape.nullable(shape.oneOf(words, { description }));

export const OutlookRequest = shape.namedStrict('OutlookRequest', {
  property: EstimateRequest.properties.property,
  after: optional(
    shape.strict({
      ...AttributeInput,
      cost: optional(shape.decimal({ minimum: 0, maximum: 1e9, description: 'What the works cost, in dollars.' })),
    }),
  ),
  options: optional(
    shape.strict({
      interval_level: optional(shape.decimal({ minimum: 0.5, maximum: 0.95, default: 0.8 })),
      match: matchParameter,
    }),
  ),
});
export type OutlookRequest = Static<typeof OutlookRequest>;

const { warnings } = Valuation.properties;

export const Outlook = shape.named('Outlook', {
  object: shape.oneOf(['outlook']),
  property_id: shape.nullable(shape.text(120)),
  valuation_id: shape.text(40, { description: 'The receipt of the value: see `GET /avm/valuations/{id}`.' }),
  market: shape.text(60),
  as_of: shape.isoDay(),
  model_version: shape.text(80),
  level: shape.decimal({ description: 'How often a price should lie between `low` and `high`, here and below.' }),
  ...range,
  confidence: Valuation.properties.confidence,
  forecast: Type.Object(
    {
      reason: reason(
        ['too_few_sales', 'not_homes', 'coverage_changed', 'index_ended'],
        'Why there is no forecast: the area has no index, or its last month is a year ago.',
      ),
      area: shape.nullable(AreaName),
      from: shape.nullable(shape.text(7, { description: 'The last month of the index of the area.' })),
      data: shape.list(
        Type.Object({
          months: shape.wholeNumber({ minimum: 1 }),
          on: shape.isoDay(),
          ...range,
          growth: shape.decimal({ description: 'Since `as_of`, as the index of the area is forecast; 0.02 is 2%.' }),
        }),
      ),
    },
    { description: 'The home as it is, in each of the next months.' },
  ),
  conditions: Type.Object(
    {
      reason: reason(
        ['not_read', 'too_few_sales'],
        '`not_read`: the records of the market do not tell conditions, so the model does not know what they are worth.',
      ),
      on_record: shape.nullable(shape.text(40)),
      data: shape.list(
        Type.Object({
          condition: shape.text(40),
          nearby_sales: amount('Sales around the home in that condition, of those that the model looks at.'),
          ...range,
          difference: shape.wholeNumber({ description: 'From the value of the home as it is.' }),
        }),
        { description: 'From the worst on, each in which homes nearby were sold.' },
      ),
    },
    { description: 'What the model makes of the same home in another condition.' },
  ),
  after: shape.nullable(
    Type.Object({
      ...range,
      gain: shape.wholeNumber(),
      cost: shape.nullable(shape.decimal()),
      gain_after_cost: shape.nullable(shape.wholeNumber()),
      warnings,
    }),
  ),
  land: Type.Object(
    {
      reason: reason(
        ['no_split_on_record', 'too_few_peers'],
        'Why the value is not divided: no assessment divides, or too few nearby do to tell how far off that may be.',
      ),
      method: shape.nullable(shape.oneOf(['assessor_share'])),
      year: shape.nullable(shape.wholeNumber({ description: 'Of the assessment.' })),
      source: shape.nullable(shape.text(100)),
      share: shape.nullable(shape.decimal({ description: 'Land in the assessment of the home.' })),
      land: shape.nullable(Type.Object(range)),
      improvements: shape.nullable(Type.Object(range)),
      peers: amount('Homes of the type in the tract, or the ZIP code, whose assessments of the year divide.'),
      peer_share: shape.nullable(
        Type.Object(
          { low: shape.decimal(), median: shape.decimal(), high: shape.decimal() },
          { description: 'Four of five of them.' },
        ),
      ),
    },
    { description: 'Land and building, as the assessor divides them. It is no appraisal of the land.' },
  ),
});
export type Outlook = Static<typeof Outlook>;

/** The oldest outlooks that could have been served, compared with the later prices. */
export const OutlookAccuracy = shape.named('OutlookAccuracy', {
  as_of: shape.isoDay({ description: 'The day of the values; only what was known by then is used.' }),
  sales: amount('Sales within a year after it, at most 2,000 of them.'),
  median_error_rate: shape.decimal({ description: 'Of the forecast for the month of the sale.' }),
  median_error_rate_unmoved: shape.decimal({ description: 'Of the value of the day, left as it was.' }),
  interval_coverage: shape.decimal({ description: 'Share of prices inside the 80% interval of their month.' }),
});
export type OutlookAccuracy = Static<typeof OutlookAccuracy>;
