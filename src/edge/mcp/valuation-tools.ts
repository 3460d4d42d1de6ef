// Valuation tools: an estimate, its explanation, and the model's accuracy in a market.
import Type from 'typebox';
import { isoDay, strict, text } from '../../base/lib/schema.ts';
import { AttributeInput, type AccuracyReport } from '../../insight/valuations/schema.ts';
import { Locator, locatorsOf } from './property-tools.ts';
import { cursorArgument, marketArgument, type Arguments, pick, textsOf, type Tool } from './tool.ts';
import members from './members.json' with { type: 'json' };

/** Attributes in a request, which override the record. */
const ATTRIBUTES = members.valuation as (keyof typeof AttributeInput)[];
const Attributes = Object.fromEntries(ATTRIBUTES.map((name) => [name, AttributeInput[name]]));

/** Listed arguments of a rent estimate; the route accepts more, but the tool list must fit into 20 kB. */
const RENT = ['bedrooms', 'purchase_price', 'insurance', 'loan_amount', 'loan_rate'];
const Rent = Object.fromEntries(['property_id', 'address'].map((name) => [name, Type.Optional(Type.String())]));
for (const name of RENT) Rent[name] = Type.Optional(Type.Number()) as never;

/** One row per segment, so that a long report can be trimmed between rows. */
const flatten = (reports: AccuracyReport[]): Arguments => ({
  data: reports.flatMap(({ market: id, model_version: version, window: tested, segments: rows }) =>
    rows.map((row) => ({ market: id, model_version: version, window: tested, ...row })),
  ),
  baselines: reports.flatMap(({ market: id, baselines: rows }) => rows.map((row) => ({ market: id, ...row }))),
});

export const VALUATION_TOOLS: readonly Tool[] = [
  {
    ...textsOf('estimate_value'),
    input: strict({
      ...Locator,
      ...Attributes,
      as_of: Type.Optional(isoDay({ description: 'As of this past day.' })),
      interval_level: Type.Optional(
        Type.Number({
          minimum: 0.5,
          maximum: 0.95,
          default: 0.8,
          description: 'Share of sales inside the interval.',
        }),
      ),
      comparables: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 10,
          default: 3,
          description: 'Comparable sales to return.',
        }),
      ),
      outlook: Type.Optional(Type.Boolean({ description: 'Instead: coming months, other conditions, land.' })),
    }),
    request: ({ as_of, interval_level, outlook, ...args }) => ({
      path: outlook ? '/avm/outlook' : '/avm/estimate',
      body: {
        property: { ...locatorsOf(args), ...pick(args, ATTRIBUTES) },
        options: {
          ...pick({ as_of, interval_level }, ['as_of', 'interval_level']),
          ...(!outlook && { include: ['comparables', 'explanation'] }),
        },
      },
    }),
    // The receipt keeps all of them for explain_value.
    narrow: (body, { comparables = 3 }) => ({
      ...body,
      ...(body.comparables !== undefined && {
        comparables: (body.comparables as { weight: number }[])
          .toSorted((a, b) => b.weight - a.weight)
          .slice(0, comparables as number),
      }),
    }),
    cut: { lists: ['comparables'] },
  },
  {
    ...textsOf('estimate_rent'),
    input: strict(Rent),
    request: (args) => ({ path: '/rents/estimate', query: { ...locatorsOf(args), ...pick(args, RENT) } }),
    cut: { lists: ['comparables'] },
  },
  {
    ...textsOf('explain_value'),
    input: strict({
      valuation_id: text(40, { description: '`id` (val_…) returned by estimate_value.' }),
      cursor: cursorArgument,
    }),
    request: (args) => ({ path: `/avm/valuations/${encodeURIComponent(String(args.valuation_id))}` }),
    narrow: ({ result, created_at, model_hash, data_snapshot }) => ({
      ...(result as object),
      created_at,
      model_hash,
      data_snapshot,
    }),
    cut: { paged: 'comparables', lists: ['history'] },
  },
  {
    ...textsOf('get_market_accuracy'),
    input: strict({
      market: marketArgument,
      segment: Type.Optional(text(60, { description: 'A kind of segment, or the name of one.' })),
      cursor: cursorArgument,
    }),
    place: 'market',
    request: ({ market, segment }) => ({ path: '/avm/accuracy', query: { market, segment } }),
    narrow: (body) => ({ object: 'list', ...flatten(body.data as AccuracyReport[]) }),
    cut: { paged: 'data', lists: ['baselines'] },
  },
];
