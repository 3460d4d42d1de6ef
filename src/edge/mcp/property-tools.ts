// Tools that read records: resolve, count, search, one property, its transactions, risk and title, and coverage.
import Type, { type TSchema } from 'typebox';
import { LocatorParameters, PropertyLookup } from '../../records/address/schema.ts';
import { oneOf, strict, text } from '../../base/lib/schema.ts';
import { FilterParameters } from '../../records/properties/filter.ts';
import { Coverage } from '../../records/markets/schema.ts';
import { Property, PropertyCount, PropertyPage, TransactionPage } from '../../records/properties/schema.ts';
import { RiskReport } from '../../records/risk/schema.ts';
import { EVENT_LAYERS, LAYER_LIST, LAYER_NAMES } from '../../supply/layers/layers.ts';
import {
  cursorArgument,
  cuttable,
  looseAnswer,
  marketArgument,
  placeArgument,
  walkable,
  type Arguments,
  type Tool,
} from './tool.ts';

/** Models send lists as often as `a,b`; both are accepted. */
const severalOf = (shape: TSchema, words?: readonly string[]) =>
  Type.Optional(
    Type.Unsafe<string | string[]>({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string', ...(words && { enum: [...words] }) } }],
      description: (shape as { description?: string }).description,
      ...((shape as { examples?: string[] }).examples?.length && {
        examples: (shape as { examples?: string[] }).examples,
      }),
    }),
  );

const LISTED = ['state', 'market', 'fips', 'city', 'zip', 'census_tract', 'property_type'] as const;
/** `min_sqft` says what it is: eighteen descriptions of ends are not worth a model's memory. */
const ends = Object.entries(FilterParameters).filter(([name]) => /^(min|max)_/.test(name));
const briefEnds = Object.fromEntries(
  ends.map(([name, shape]) => [name, Type.Optional(Type.Unsafe<unknown>({ ...shape, description: undefined }))]),
);
const FilterArguments = {
  place: placeArgument(' Instead of city, zip, fips, state.'),
  ...FilterParameters,
  ...briefEnds,
  ...(Object.fromEntries(LISTED.map((name) => [name, severalOf(FilterParameters[name])])) as Record<
    (typeof LISTED)[number],
    ReturnType<typeof severalOf>
  >),
};

const SUMMARY =
  'identifiers,address,property_type,sqft,bedrooms,bathrooms,latitude,longitude,last_sale,valuation,risk_summary';
const RECORD = `${SUMMARY},geo_precision,parcel,structure,status,updated_at`;
const INCLUDED = ['owner', 'assessments', 'taxes', 'transactions', 'provenance', 'geometry', 'lineage'] as const;

export const propertyId = text(120, {
  description: '`prop_…` from resolve_property or search_properties, or `fips:apn`.',
});
const joined = (value: unknown) => (Array.isArray(value) ? value.join(',') : value);
const pathOf = (args: Arguments, rest = '') => `/properties/${encodeURIComponent(String(args.property_id))}${rest}`;

const filterOf = (args: Arguments): Arguments =>
  Object.fromEntries(Object.keys(FilterParameters).map((name) => [name, joined(args[name])]));

const { id: _id, ...locators } = LocatorParameters;
export const Locator = { property_id: Type.Optional(propertyId), ...locators };

/** The locators among the arguments, as a valuation and a report take them. */
export function locatorsOf({ property_id, ...args }: Arguments): Arguments {
  const names = Object.keys(locators).filter((name) => args[name] !== undefined);
  return {
    ...(property_id !== undefined && { id: property_id }),
    ...Object.fromEntries(names.map((name) => [name, args[name]])),
  };
}

const SORTS = [
  'value',
  '-value',
  'sqft',
  '-sqft',
  'year_built',
  '-year_built',
  'last_sale_date',
  '-last_sale_date',
  'last_sale_price',
  '-last_sale_price',
  'updated_at',
  '-updated_at',
  'distance',
] as const;

/** Records that are not risks in themselves are left out first. */
const ITEM_LISTS = EVENT_LAYERS.toReversed()
  .toSorted((a, b) => Number(a.exposure !== undefined) - Number(b.exposure !== undefined))
  .map(({ name }) => `layers.${name}.items`);

const COVERED = ['properties', 'owners', 'assessments', 'taxes', 'transactions', 'mortgages', ...LAYER_NAMES] as const;

export const PROPERTY_TOOLS: readonly Tool[] = [
  {
    name: 'resolve_property',
    title: 'Resolve a property',
    description:
      'Find the one property at a street address, parcel number or point, and get its record and the `id` for the other tools. ' +
      'Start here. An address in doubt is rejected with candidates rather than matched wrongly.',
    cost: '1 standard call; free if nothing is matched',
    input: strict(locators),
    output: cuttable(PropertyLookup),
    request: (args) => ({ path: '/properties/lookup', query: args }),
    narrow: ({ provenance: _provenance, ...record }) => record,
    cut: { expendable: ['structure', 'parcel'] },
  },
  {
    name: 'count_properties',
    title: 'Count properties',
    description:
      'How many properties match a filter. Use it before search_properties to see whether a filter is too broad or too narrow. ' +
      'Live counts are rounded down, with 0 for fewer than 10, and ranges are widened to whole bands.',
    cost: 'free',
    input: strict(FilterArguments),
    place: 'filter',
    output: cuttable(PropertyCount),
    request: (args) => ({ path: '/properties/count', query: filterOf(args) }),
  },
  {
    name: 'search_properties',
    title: 'Search properties',
    description:
      'Properties that match every filter: place, circle or box, type, ranges (min_/max_), risk flags. Returns summaries; ' +
      '`detail: "full"` returns whole records. An empty list is an answer: nothing matches.',
    cost: '1 standard call per page',
    input: strict({
      ...FilterArguments,
      sort: Type.Optional(oneOf(SORTS, { description: 'Sort order; `-` for descending. Default: by id.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 5, description: 'Properties per page.' })),
      detail: Type.Optional(oneOf(['summary', 'full'], { default: 'summary' })),
      include_total: Type.Optional(Type.Boolean({ description: 'Also return the total number of matches.' })),
      cursor: cursorArgument,
    }),
    place: 'filter',
    output: cuttable(PropertyPage),
    request: ({ sort, limit = 5, detail, include_total, cursor, ...filter }) => ({
      path: '/properties/search',
      query: { ...filterOf(filter), sort, limit, include_total, cursor, fields: detail === 'full' ? RECORD : SUMMARY },
    }),
    cut: { paged: 'data' },
    isPaged: true,
  },
  {
    name: 'get_property',
    title: 'Get a property',
    description:
      'The record of one property: identifiers, address, structure, parcel, last sale, stored value, risk summary. ' +
      '`include` adds owner (requires a key with owners:read), assessments, taxes, transactions, provenance, ' +
      'geometry (the outline as GeoJSON), lineage (parcels it was made from or became).',
    cost: '1 standard call',
    input: strict({
      property_id: propertyId,
      include: severalOf(Type.String({ description: `Any of ${INCLUDED.join(', ')}.` }), INCLUDED),
    }),
    output: cuttable(Property),
    request: (args) => {
      const include = joined(args.include) as string | undefined;
      return { path: pathOf(args), query: { include, fields: include ? `${RECORD},${include}` : RECORD } };
    },
    cut: { lists: ['taxes', 'assessments', 'transactions'], expendable: ['geometry', 'provenance'] },
  },
  {
    name: 'get_transactions',
    title: 'Get transactions',
    description:
      'Deeds, mortgages, releases and foreclosures of a property, newest first. Use it for the sale history behind a value.',
    cost: '1 standard call per page',
    input: strict({
      property_id: propertyId,
      type: Type.Optional(oneOf(['deed', 'mortgage', 'release', 'foreclosure', 'other'])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
      cursor: cursorArgument,
    }),
    output: cuttable(TransactionPage),
    request: ({ type, limit = 10, cursor, ...args }) => ({
      path: pathOf(args, '/transactions'),
      query: { type, limit, cursor },
    }),
    cut: { paged: 'data' },
    isPaged: true,
  },
  {
    name: 'get_risk',
    title: 'Get risk layers',
    description:
      `The risk layers of a property: ${LAYER_LIST.map(({ title }) => title.toLowerCase()).join(', ')}. Each has a \`status\`: ` +
      'found, none_found, not_covered (nothing is known; never report it as "none") or temporarily_unavailable.',
    cost: '1 standard call',
    input: strict({
      property_id: propertyId,
      layers: severalOf(Type.String({ description: `Any of ${LAYER_NAMES.join(', ')}. Default: all.` }), LAYER_NAMES),
      cursor: Type.Optional(
        text(2_100, { description: 'With one layer: `pagination.next_cursor` from the previous answer.' }),
      ),
    }),
    output: walkable(RiskReport),
    request: (args) => ({ path: pathOf(args, '/risk'), query: { layers: joined(args.layers) } }),
    cut: (args) => {
      const layers = joined(args.layers) as string | undefined;
      const only = ITEM_LISTS.find((path) => path === `layers.${layers}.items`);
      return only ? { paged: only } : { lists: ITEM_LISTS };
    },
  },
  {
    name: 'get_title',
    title: 'Get the title',
    description:
      'Chain of title of a property: deeds with how each connects to the one before, mortgages with assignments, releases and an ' +
      'estimated balance, liens, open permits and violations, and a flag with its reason for whatever is odd. `coverage` says how far ' +
      'back the records go: report it, and never call a title clear where it or its `mortgages` is not covered. Not a title commitment.',
    cost: '1 standard call',
    input: strict({ property_id: propertyId }),
    output: looseAnswer('The title report.'),
    request: (args) => ({ path: pathOf(args, '/title') }),
    cut: {
      lists: ['violations.open', 'permits.open', 'tax_liens.items', 'unmatched', 'other_liens', 'mortgages', 'chain'],
    },
  },
  {
    name: 'describe_coverage',
    title: 'Describe coverage',
    description:
      'What is loaded, by market, county and layer: number of records, period, source and its license. ' +
      'Use it to tell "none" from "not known here".',
    cost: 'free',
    input: strict({
      market: marketArgument,
      layer: Type.Optional(oneOf(COVERED, { description: 'Only this layer.' })),
      cursor: cursorArgument,
    }),
    place: 'market',
    output: walkable(Coverage),
    request: ({ market }) => ({ path: '/coverage', query: { market } }),
    narrow: (body, { layer }) => ({
      ...body,
      data: (body.data as { layer: string }[]).filter((item) => layer === undefined || item.layer === layer),
    }),
    cut: { paged: 'data' },
  },
];
