// Tools that start work: a batch of up to a thousand addresses, and a lender's file.
import Type from 'typebox';
import { mapValues } from '../../base/lib/pick.ts';
import { PARTS } from '../../delivery/batches/schema.ts';
import { isoDay, oneOf, strict, text } from '../../base/lib/schema.ts';
import { isPropertyId } from '../../base/lib/ids.ts';
import { PURPOSES } from '../../delivery/reports/schema.ts';
import { cursorArgument, type Arguments, pick, textsOf, type Tool } from './tool.ts';
import members from './members.json' with { type: 'json' };
import { Locator, locatorsOf } from './property-tools.ts';

const MOST_ADDRESSES = 1_000;
const batchId = text(40, { description: '`id` of start_batch.' });
const batchPath = ({ batch_id }: Arguments, rest = '') => `/batches/${encodeURIComponent(String(batch_id))}${rest}`;
const wait = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 30, default: 20, description: 'Seconds to wait for the end.' }),
);

/** One line per address: a thousand records would fill a model's context. */
function briefResult(result: Record<string, any>): Arguments {
  const { index, status, input, property_id, match, valuation, valuation_error, risk, error } = result;
  const layers = (risk?.layers ?? {}) as Record<string, { status: string; sfha?: boolean; open_count?: number | null }>;
  return {
    index,
    status,
    property_id,
    address: match?.address ?? input,
    ...(valuation && {
      value: valuation.estimated_value,
      low: valuation.confidence_interval.low,
      high: valuation.confidence_interval.high,
      confidence: valuation.confidence,
      valuation_id: valuation.id,
    }),
    ...(valuation_error && { no_value: valuation_error.code }),
    ...(risk && {
      risk: mapValues(
        layers,
        ({ status: layer, sfha, open_count }) =>
          sfha ?? open_count ?? (open_count === null && layer === 'found' ? 'status_unknown' : layer),
      ),
    }),
    ...(error && { error: error.code, detail: error.detail, ...pick(error, ['candidates', 'suggestions']) }),
  };
}

/** The decisive figures for a credit officer; the rest is in the file itself. */
function briefReport(body: Record<string, any>): Arguments {
  const { property, valuation, title, risk, market, sources: _sources, ...report } = body;
  const { id, address, property_type, sqft, year_built } = property;
  const sales = valuation.comparables as (Arguments & { weight: number })[];
  const comparables = sales.toSorted((a, b) => b.weight - a.weight).slice(0, 3);
  return {
    ...report,
    property: { id, address, property_type, sqft, year_built },
    valuation: {
      ...pick(valuation, ['estimated_value', 'confidence_interval', 'confidence', 'median_error_rate', 'warnings']),
      comparables: comparables.map((comparable) => pick(comparable, members.comparable)),
    },
    title: pick(title, ['coverage', 'flags', 'open', 'summary', 'mortgages', 'ownership']),
    risk: risk.layers,
    market: { change_1y: market.change_1y, note: market.note, area: market.local?.area ?? market.market?.area ?? null },
  };
}

function loanOf(args: Arguments): Arguments {
  const loan = pick(args, ['amount', 'purpose', 'purchase_price', 'existing_balance', 'other_liens']);
  return Object.keys(loan).length > 0 ? { loan } : {};
}

export const WORK_TOOLS: readonly Tool[] = [
  {
    ...textsOf('start_batch'),
    isWriting: true,
    input: strict({
      addresses: Type.Array(text(500, { minLength: 1 }), {
        minItems: 1,
        maxItems: MOST_ADDRESSES,
        description: 'Addresses, or ids `prop_…`.',
      }),
      include: Type.Optional(Type.Array(oneOf(PARTS), { description: 'Default: property and valuation.' })),
      wait,
    }),
    request: ({ addresses, include = ['property', 'valuation'], wait: seconds = 20 }) => ({
      path: '/batches',
      query: { wait: seconds },
      body: {
        items: (addresses as string[]).map((address) =>
          isPropertyId(address) ? { property_id: address } : { address },
        ),
        include,
      },
    }),
    narrow: ({ results: _results, ...batch }) => batch,
  },
  {
    ...textsOf('get_batch'),
    input: strict({ batch_id: batchId, wait }),
    request: (args) => ({ path: batchPath(args), query: { wait: args.wait ?? 20 } }),
    narrow: ({ results: _results, ...batch }) => batch,
  },
  {
    ...textsOf('get_batch_results'),
    input: strict({
      batch_id: batchId,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
      cursor: cursorArgument,
    }),
    request: (args) => ({
      path: batchPath(args, '/results'),
      query: { limit: args.limit ?? 100, cursor: args.cursor },
    }),
    narrow: (body) => ({ ...body, data: (body.data as Arguments[]).map(briefResult) }),
    cut: { paged: 'data' },
    isPaged: true,
  },
  {
    ...textsOf('create_report'),
    isWriting: true,
    input: strict({
      ...Locator,
      loan_amount: Type.Optional(Type.Integer({ minimum: 1, description: 'In dollars.' })),
      purpose: Type.Optional(oneOf(PURPOSES)),
      purchase_price: Type.Optional(Type.Integer({ minimum: 1 })),
      existing_balance: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Owed on mortgages that stay, where title has none.',
        }),
      ),
      other_liens: Type.Optional(Type.Integer({ minimum: 0, description: 'Owed on other liens that stay.' })),
      reference: Type.Optional(text(80, { description: 'Your own number for the file.' })),
      as_of: Type.Optional(isoDay({ description: 'Value as of this past date.' })),
    }),
    request: ({ loan_amount, reference, as_of, ...args }) => ({
      path: '/reports',
      body: {
        property: locatorsOf(args),
        // Also without an amount, so a caller who states only a purpose gets an error about the missing amount.
        ...loanOf({ amount: loan_amount, ...args }),
        ...pick({ reference }, ['reference']),
        ...(as_of !== undefined && { options: { as_of } }),
      },
    }),
    narrow: briefReport,
    cut: {
      lists: ['title.mortgages', 'gaps', 'risk.permits.items', 'risk.code_violations.items', 'risk.tax_liens.items'],
    },
  },
];
