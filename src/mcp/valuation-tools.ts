// Tools that value: an estimate, how it came about, and how good the model is in a market.
import Type from 'typebox';
import { decimal, isoDay, latitude, longitude, oneOf, text, wholeNumber } from '../lib/schema.ts';
import { PROPERTY_TYPES } from '../properties/schema.ts';
import { propertyId } from './property-tools.ts';
import { cursorArgument, walkable, type Arguments, type Tool } from './tool.ts';

const CLOSED = { additionalProperties: false };

const Answer = Type.Object({}, { additionalProperties: true });

/** What a request may say about the property itself; it wins over the record. */
const Attributes = {
  sqft: Type.Optional(wholeNumber({ minimum: 1, description: 'Living area, if the record is wrong or missing.' })),
  lot_sqft: Type.Optional(wholeNumber({ minimum: 0 })),
  bedrooms: Type.Optional(wholeNumber({ minimum: 0 })),
  bathrooms: Type.Optional(decimal({ minimum: 0 })),
  year_built: Type.Optional(wholeNumber({ minimum: 1600 })),
  property_type: Type.Optional(oneOf(PROPERTY_TYPES)),
  stories: Type.Optional(decimal({ minimum: 0 })),
  units: Type.Optional(wholeNumber({ minimum: 1 })),
  garage_spaces: Type.Optional(wholeNumber({ minimum: 0 })),
  condition: Type.Optional(text(40)),
};

const Locator = {
  property_id: Type.Optional(propertyId),
  address: Type.Optional(text(300, { description: 'Free-form address; instead of property_id.' })),
  fips: Type.Optional(text(5, { description: 'With apn; instead of property_id.' })),
  apn: Type.Optional(text(80)),
  latitude: Type.Optional(latitude({ description: 'With longitude; instead of property_id.' })),
  longitude: Type.Optional(longitude()),
};

function pick(args: Arguments, names: string[]): Arguments {
  return Object.fromEntries(names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]));
}

const estimateValue: Tool = {
  name: 'estimate_value',
  title: 'Estimate value',
  description:
    'Value a property: estimate, calibrated interval, confidence, measured median error, the closest comparable sales. Give exactly one ' +
    'locator. `id` of the answer (val_…) goes to explain_value. Report the interval with the value, never the value alone.',
  cost: '1 AVM call; free if it fails',
  input: Type.Object(
    {
      ...Locator,
      ...Attributes,
      as_of: Type.Optional(isoDay({ description: 'Value on this past day, from what was known then.' })),
      interval_level: Type.Optional(
        Type.Number({
          minimum: 0.5,
          maximum: 0.95,
          default: 0.8,
          description: 'Share of sales the interval should hold.',
        }),
      ),
      comparables: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 10, default: 3, description: 'Comparable sales to show.' }),
      ),
    },
    CLOSED,
  ),
  output: walkable(Answer),
  request: ({ property_id, as_of, interval_level, comparables = 3, ...args }) => ({
    method: 'POST',
    path: '/avm/estimate',
    body: {
      property: {
        ...(property_id !== undefined && { id: property_id }),
        ...pick(args, [...Object.keys(Locator), ...Object.keys(Attributes)]),
      },
      options: {
        ...pick({ as_of, interval_level }, ['as_of', 'interval_level']),
        ...(comparables !== 0 && { include: ['comparables'], comparables: { count: comparables } }),
      },
    },
  }),
  cut: () => ({ lists: ['history', 'comparables'] }),
};

const explainValue: Tool = {
  name: 'explain_value',
  title: 'Explain a value',
  description:
    'How a value from estimate_value came about: every comparable with its adjustment grid and weight, the reconciliation with the ' +
    'estimate, inputs, model and data used. Use it before defending or doubting a value.',
  cost: 'free',
  input: Type.Object(
    { valuation_id: text(40, { description: '`id` (val_…) of an answer of estimate_value.' }), cursor: cursorArgument },
    CLOSED,
  ),
  output: walkable(Answer),
  request: (args) => ({ method: 'GET', path: `/avm/valuations/${encodeURIComponent(String(args.valuation_id))}` }),
  cut: () => ({ walks: 'comparables', lists: ['history'] }),
};

const getMarketAccuracy: Tool = {
  name: 'get_market_accuracy',
  title: 'Get market accuracy',
  description:
    'How well the model did on sales it had not seen: median error, share within 5/10/20 %, interval coverage, by market, property type ' +
    'and price band, beside simple baselines. Use it to judge how far to trust a value.',
  cost: 'free',
  input: Type.Object(
    {
      market: Type.Optional(text(60, { description: 'Market id, as in describe_coverage.' })),
      segment: Type.Optional(text(60, { description: 'Property type or price band.' })),
      cursor: cursorArgument,
    },
    CLOSED,
  ),
  output: walkable(Answer),
  request: ({ market, segment }) => ({ method: 'GET', path: '/avm/accuracy', query: { market, segment } }),
  cut: () => ({ walks: 'data' }),
};

export const VALUATION_TOOLS: readonly Tool[] = [estimateValue, explainValue, getMarketAccuracy];
