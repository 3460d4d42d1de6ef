// Tools about places: figures of the market, what changed, and evidence of the model's quality.
import Type from 'typebox';
import { SERIES_TYPES } from '../../insight/analytics/schema.ts';
import { KINDS, STEPS } from '../../insight/analytics/cells.ts';
import { FIGURES as RANKED_FIGURES } from '../../insight/analytics/ranks.ts';
import { isoDay, ITEMS, oneOf, strict, text } from '../../base/lib/schema.ts';
import { listOf } from './property-tools.ts';
import { cursorArgument, MARKET_WORDS, placeArgument, type Arguments, textsOf, type Tool } from './tool.ts';

/** Members that are the same in every period and therefore listed once. */
const LISTED_ONCE = ['sources', 'starts_on', 'ends_on', 'first_published'];

/** The source route and filters of each kind of figures. */
const FIGURES: Record<string, [path: string, parameters: string[]]> = {
  sales: ['/analytics/series', ['interval', 'property_type', 'since', 'until']],
  price_index: ['/analytics/index', ['interval', 'property_type', 'since', 'until']],
  forecast: ['/analytics/forecast', ['property_type']],
  homes: ['/analytics/summary', []],
};

/** One kind of figures, or several as a list or comma-separated. */
const wantedOf = ({ figures = 'sales' }: Arguments): string[] =>
  (Array.isArray(figures) ? figures : [figures]).join(',').split(',');

/** get_market_accuracy returns all segments; here those by confidence are enough. */
function briefQuality(body: Arguments): Arguments {
  const { confidence, ...rest } = body as { confidence: { segments: { kind: string }[] } };
  const kept = confidence.segments.filter(({ kind }) => kind === 'all' || kind === 'confidence');
  return { ...rest, confidence: { ...confidence, segments: kept } };
}

export const MARKET_TOOLS: readonly Tool[] = [
  {
    ...textsOf('get_market_figures'),
    input: strict({
      place: text(200, {
        description: '`Seattle, WA`, `98101`, `King County`, a market or neighborhood.',
      }),
      figures: listOf({ [ITEMS]: oneOf(Object.keys(FIGURES)) }, 'Several at once cost a call each. Default: sales.'),
      interval: Type.Optional(oneOf(STEPS, { default: 'quarter' })),
      property_type: Type.Optional(oneOf(SERIES_TYPES, { default: 'residential' })),
      since: Type.Optional(isoDay()),
      until: Type.Optional(isoDay()),
      market: Type.Optional(text(60, { description: 'Only for a place in several markets.' })),
      cursor: cursorArgument,
    }),
    place: 'area',
    parts: (args) => {
      const wanted = wantedOf(args);
      return wanted.length > 1
        ? Object.fromEntries(wanted.map((figures) => [figures, { ...args, figures }]))
        : undefined;
    },
    request: ({ figures, kind, area, market, interval = 'quarter', ...rest }) => {
      const [path, parameters] = FIGURES[wantedOf({ figures })[0]];
      const narrowed = Object.entries({ interval, ...rest }).filter(([name]) => parameters.includes(name));
      return { path, query: { kind, area, market, ...Object.fromEntries(narrowed) } };
    },
    narrow: (body, args) => {
      if (!Array.isArray(body.data)) return body;
      const points = (body.data as Arguments[]).map((point) =>
        Object.fromEntries(Object.entries(point).filter(([name]) => !LISTED_ONCE.includes(name))),
      );
      return { ...body, data: wantedOf(args)[0] === 'forecast' ? points : points.toReversed() };
    },
    cut: (args) => (wantedOf(args)[0] === 'homes' ? { expendable: ['sources', 'bbox'] } : { paged: 'data' }),
  },
  {
    ...textsOf('rank_areas'),
    input: strict({
      kind: oneOf(
        KINDS.filter((kind) => kind !== 'market'),
        {},
      ),
      figure: oneOf(RANKED_FIGURES),
      place: placeArgument(' A county, state or market to rank within.'),
      property_type: Type.Optional(oneOf(SERIES_TYPES, { default: 'residential' })),
      period: Type.Optional(text(7, { description: '`2025` or `2025-Q4`. Default: the last closed year.' })),
      order: Type.Optional(oneOf(['descending', 'ascending'], { default: 'descending' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
      cursor: cursorArgument,
    }),
    place: 'within',
    request: ({ limit = 10, period, ...args }) => ({
      path: '/analytics/rankings',
      query: { ...args, limit, period, ...(/Q/.test(String(period)) && { interval: 'quarter' }) },
    }),
    cut: { paged: 'data', expendable: ['sources'] },
    isPaged: true,
  },
  {
    ...textsOf('list_changes'),
    input: strict({
      place: placeArgument(),
      type: Type.Optional(text(1_000, { description: 'For example `property.sale_recorded`; several with commas.' })),
      from: Type.Optional(
        oneOf(['earliest', 'now'], { default: 'earliest', description: 'Where to begin without a cursor.' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
      cursor: cursorArgument,
    }),
    place: 'filter',
    request: ({ limit = 20, ...args }) => ({ path: '/changes', query: { ...args, limit } }),
    cut: { paged: 'data' },
    isPaged: true,
  },
  {
    ...textsOf('get_quality'),
    input: strict({ market: text(200, { description: MARKET_WORDS }) }),
    place: 'market',
    request: ({ market }) => ({ path: '/avm/quality', query: { market } }),
    narrow: briefQuality,
    cut: {
      lists: ['confidence.quarters'],
      expendable: ['conflicts.controls', 'nondiscrimination.vertical_equity'],
    },
  },
];
