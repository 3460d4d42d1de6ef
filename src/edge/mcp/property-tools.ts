// Tools that read records: resolve, count, search, one property, its transactions, risk and title, and coverage.
import Type from 'typebox';
import { mapValues } from '../../base/lib/pick.ts';
import { LocatorParameters } from '../../records/address/schema.ts';
import { ITEMS, oneOf, strict, text } from '../../base/lib/schema.ts';
import { FilterParameters } from '../../records/properties/filter.ts';
import { SORTS } from '../../records/properties/sorts.ts';
import { EVENT_LAYERS, LAYER_LIST, LAYER_NAMES } from '../../supply/layers/layers.ts';
import members from './members.json' with { type: 'json' };
import { UNLISTED } from './shapes.ts';
import { cursorArgument, marketArgument, placeArgument, type Arguments, pick, textsOf, type Tool } from './tool.ts';

/** Models send lists as often as `a,b`. Both are accepted; the shorter schema is shown. */
export const listOf = (shape: object, description?: string) => {
  const items = (shape as { [ITEMS]: object })[ITEMS];
  return Type.Optional(
    Type.Unsafe<string | string[]>({
      anyOf: [{ type: 'array', items }, { type: 'string' }],
      ...(description && { description }),
    }),
  );
};

const LISTED = ['state', 'market', 'fips', 'city', 'zip', 'census_tract', 'property_type'] as const;
/** Rare arguments, accepted but unlisted: the tool list must fit into 20 kB. */
const RARE = new Set(members.rare);
/** Self-explanatory names: forty descriptions are not worth the context. */
const undescribed = (shapes: Record<string, object>) =>
  mapValues(shapes, (shape, name) =>
    Type.Optional(Type.Unsafe<unknown>({ ...shape, description: undefined, [UNLISTED]: RARE.has(name) })),
  );
const { bbox, layer: _layer, ...known } = FilterParameters;
const FilterArguments = {
  place: placeArgument(' Instead of city, zip, fips, state.'),
  ...undescribed(known),
  bbox,
  layer: listOf({ [ITEMS]: text(500) }, 'Conditions on loaded layers: `name.field:a,b` or `name.field:60..`.'),
  ...(Object.fromEntries(
    LISTED.map((name) => [name, listOf(FilterParameters[name], name === 'fips' ? 'County codes.' : undefined)]),
  ) as Record<(typeof LISTED)[number], ReturnType<typeof listOf>>),
};

const SUMMARY =
  'identifiers,address,property_type,sqft,bedrooms,bathrooms,latitude,longitude,last_sale,valuation,risk_summary,structure';
const RECORD = `${SUMMARY},tenure,equity,geo_precision,parcel,status,updated_at`;
/** Half the bytes of the record, so that forty homes fit into an answer instead of eighteen. */
function briefHome(home: Record<string, any>): Arguments {
  const { object: _object, identifiers, address: place, structure, last_sale, valuation, ...rest } = home;
  return {
    ...rest,
    apn: identifiers.apn,
    fips: identifiers.fips,
    address: place.formatted,
    year_built: structure.year_built,
    units: structure.units,
    last_sale: last_sale && { date: last_sale.date, price: last_sale.price },
    valuation: valuation && { estimated_value: valuation.estimated_value, low: valuation.low, high: valuation.high },
  };
}
const INCLUDED = ['owner', 'assessments', 'taxes', 'transactions', 'provenance', 'geometry', 'lineage'] as const;

const propertyId = text(120, { description: '`prop_…`, or `fips:apn`.' });
/** A tool's property: an id, or an address that is looked up first. */
const OneProperty = {
  property_id: Type.Optional(propertyId),
  address: Type.Optional(text(500, { description: 'Instead of property_id: 1 more standard call.' })),
};
const joined = (value: unknown) => (Array.isArray(value) ? value.join(',') : value);
const conditionsOf = (value: unknown) => (Array.isArray(value) ? value.join(';') : value);
const pathOf = (args: Arguments, rest = '') => `/properties/${encodeURIComponent(String(args.property_id))}${rest}`;

const filterOf = (args: Arguments): Arguments =>
  mapValues(FilterParameters, (_, name) => (name === 'layer' ? conditionsOf(args.layer) : joined(args[name])));

const { id: _id, address, ...others } = LocatorParameters;
const locators = { address, ...undescribed(others) };
export const Locator = { property_id: Type.Optional(propertyId), ...locators };

/** The locators among the arguments, in the form of a valuation or report request. */
export const locatorsOf = ({ property_id, ...args }: Arguments): Arguments => ({
  ...(property_id !== undefined && { id: property_id }),
  ...pick(args, Object.keys(locators)),
});

/** Records that are not risks themselves are dropped first. */
const ITEM_LISTS = EVENT_LAYERS.toReversed()
  .toSorted((a, b) => Number(a.exposure !== undefined) - Number(b.exposure !== undefined))
  .map(({ name }) => `layers.${name}.items`);

const COVERED = ['properties', 'owners', 'assessments', 'taxes', 'transactions', 'mortgages', ...LAYER_NAMES] as const;

export const PROPERTY_TOOLS: readonly Tool[] = [
  {
    ...textsOf('resolve_property'),
    input: strict(locators),
    request: (args) => ({ path: '/properties/lookup', query: args }),
    narrow: ({ provenance: _provenance, ...record }) => record,
    cut: { expendable: ['structure', 'parcel'] },
  },
  {
    ...textsOf('search_properties'),
    input: strict({
      ...FilterArguments,
      sort: Type.Optional(oneOf(SORTS, { description: '`-`: descending.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 5 })),
      detail: Type.Optional(oneOf(['summary', 'full'], { default: 'summary' })),
      count_only: Type.Optional(Type.Boolean()),
      include_total: Type.Optional(Type.Boolean()),
      cursor: cursorArgument,
    }),
    place: 'filter',
    request: ({ sort, limit = 5, detail, count_only, include_total, cursor, ...args }) => {
      const filter = filterOf(args);
      if (count_only) return { path: '/properties/count', query: filter };
      const fields = detail === 'full' ? RECORD : SUMMARY;
      return { path: '/properties/search', query: { ...filter, sort, limit, include_total, cursor, fields } };
    },
    narrow: (body, { detail, count_only }) =>
      detail === 'full' || count_only ? body : { ...body, data: (body.data as Arguments[]).map(briefHome) },
    cut: ({ count_only }) => (count_only ? {} : { paged: 'data' }),
    isPaged: true,
  },
  {
    ...textsOf('get_property'),
    isOfProperty: true,
    input: strict({
      ...OneProperty,
      include: listOf({ [ITEMS]: oneOf(INCLUDED) }),
    }),
    request: (args) => {
      const include = joined(args.include) as string | undefined;
      return { path: pathOf(args), query: { include, fields: include ? `${RECORD},${include}` : RECORD } };
    },
    cut: { lists: ['taxes', 'assessments', 'transactions'], expendable: ['geometry', 'provenance'] },
  },
  {
    ...textsOf('get_transactions'),
    isOfProperty: true,
    input: strict({
      ...OneProperty,
      type: Type.Optional(oneOf(['deed', 'mortgage', 'release', 'foreclosure', 'other'])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
      cursor: cursorArgument,
    }),
    request: ({ type, limit = 10, cursor, ...args }) => ({
      path: pathOf(args, '/transactions'),
      query: { type, limit, cursor },
    }),
    cut: { paged: 'data' },
    isPaged: true,
  },
  {
    name: 'get_risk',
    isOfProperty: true,
    layers: { argument: 'layers', builtIn: LAYER_NAMES },
    title: 'Get risk layers',
    description:
      `The risk layers of a property: ${LAYER_LIST.map(({ title }) => title.toLowerCase()).join(', ')}, and what is loaded. Each has a \`status\`: ` +
      'found, none_found, not_covered (nothing is known; never report it as "none") or temporarily_unavailable.',
    cost: '1 standard call',
    input: strict({
      ...OneProperty,
      layers: listOf({ [ITEMS]: text(60) }, 'Default: all. Others than these six are in the answer.'),
      cursor: Type.Optional(
        text(2_100, { description: 'With one layer: `pagination.next_cursor` from the previous answer.' }),
      ),
    }),
    request: (args) => ({ path: pathOf(args, '/risk'), query: { layers: joined(args.layers) } }),
    cut: (args) => {
      const layers = joined(args.layers) as string | undefined;
      const only = ITEM_LISTS.find((path) => path === `layers.${layers}.items`);
      return only ? { paged: only } : { lists: ITEM_LISTS };
    },
  },
  {
    ...textsOf('get_title'),
    isOfProperty: true,
    input: strict(OneProperty),
    request: (args) => ({ path: pathOf(args, '/title') }),
    cut: {
      lists: ['violations.open', 'permits.open', 'tax_liens.items', 'unmatched', 'other_liens', 'mortgages', 'chain'],
    },
  },
  {
    ...textsOf('describe_coverage'),
    layers: { argument: 'layer', builtIn: COVERED },
    input: strict({
      market: marketArgument,
      layer: Type.Optional(text(60, { description: 'Only this: `owners`, `flood` or another.' })),
      fields: Type.Optional(Type.Boolean({ description: 'The share of homes that state each field, instead.' })),
      cursor: cursorArgument,
    }),
    place: 'market',
    request: ({ market, fields }) => ({ path: fields ? '/coverage/fields' : '/coverage', query: { market } }),
    narrow: (body, { layer }) => ({
      ...body,
      data: (body.data as { layer: string }[]).filter((item) => layer === undefined || item.layer === layer),
    }),
    cut: { paged: 'data' },
  },
];
