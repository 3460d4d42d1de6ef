// Shapes of an outlook: what a caller may send, and the forecast, conditions, works and land that come back.
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
import { matchParameter } from '../../records/address/schema.ts';
import { AreaName } from '../analytics/schema.ts';
import { AttributeInput, EstimateRequest, Valuation } from '../valuations/schema.ts';

const optional = Type.Optional;
const amount = (description?: string) => wholeNumber({ minimum: 0, ...(description && { description }) });
const range = { value: amount(), low: amount(), high: amount() };
const reason = <const Words extends string[]>(words: Words, description: string) =>
  nullable(oneOf(words, { description }));

export const OutlookRequest = namedStrict('OutlookRequest', {
  property: EstimateRequest.properties.property,
  after: optional(
    strict({
      ...AttributeInput,
      cost: optional(decimal({ minimum: 0, maximum: 1e9, description: 'What the works cost, in dollars.' })),
    }),
  ),
  options: optional(
    strict({
      interval_level: optional(decimal({ minimum: 0.5, maximum: 0.95, default: 0.8 })),
      match: matchParameter,
    }),
  ),
});
export type OutlookRequest = Static<typeof OutlookRequest>;

const { warnings } = Valuation.properties;

export const Outlook = named('Outlook', {
  object: oneOf(['outlook']),
  property_id: nullable(text(120)),
  valuation_id: text(40, { description: 'The receipt of the value: see `GET /avm/valuations/{id}`.' }),
  market: text(60),
  as_of: isoDay(),
  model_version: text(80),
  level: decimal({ description: 'How often a price should lie between `low` and `high`, here and below.' }),
  ...range,
  confidence: Valuation.properties.confidence,
  forecast: Type.Object(
    {
      reason: reason(
        ['too_few_sales', 'not_homes', 'coverage_changed', 'index_ended'],
        'Why there is no forecast: the area has no index, or its last month is a year ago.',
      ),
      area: nullable(AreaName),
      from: nullable(text(7, { description: 'The last month of the index of the area.' })),
      data: list(
        Type.Object({
          months: wholeNumber({ minimum: 1 }),
          on: isoDay(),
          ...range,
          growth: decimal({ description: 'Since `as_of`, as the index of the area is forecast; 0.02 is 2%.' }),
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
      on_record: nullable(text(40)),
      data: list(
        Type.Object({
          condition: text(40),
          nearby_sales: amount('Sales around the home in that condition, of those that the model looks at.'),
          ...range,
          difference: wholeNumber({ description: 'From the value of the home as it is.' }),
        }),
        { description: 'From the worst on, each in which homes nearby were sold.' },
      ),
    },
    { description: 'What the model makes of the same home in another condition.' },
  ),
  after: nullable(
    Type.Object({
      ...range,
      gain: wholeNumber(),
      cost: nullable(decimal()),
      gain_after_cost: nullable(wholeNumber()),
      warnings,
    }),
  ),
  land: Type.Object(
    {
      reason: reason(
        ['no_split_on_record', 'too_few_peers'],
        'Why the value is not divided: no assessment divides, or too few nearby do to tell how far off that may be.',
      ),
      method: nullable(oneOf(['assessor_share'])),
      year: nullable(wholeNumber({ description: 'Of the assessment.' })),
      source: nullable(text(100)),
      share: nullable(decimal({ description: 'Land in the assessment of the home.' })),
      land: nullable(Type.Object(range)),
      improvements: nullable(Type.Object(range)),
      peers: amount('Homes of the type in the tract, or the ZIP code, whose assessments of the year divide.'),
      peer_share: nullable(
        Type.Object({ low: decimal(), median: decimal(), high: decimal() }, { description: 'Four of five of them.' }),
      ),
    },
    { description: 'Land and building, as the assessor divides them. It is no appraisal of the land.' },
  ),
});
export type Outlook = Static<typeof Outlook>;
