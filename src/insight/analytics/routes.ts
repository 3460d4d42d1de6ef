// HTTP routes for market analysis.
import type { FastifyReply } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { Deps } from '../../base/deps.ts';
import { operationsOf, type App } from '../../base/http/types.ts';
import * as shape from '../../base/lib/schema.ts';
import { FilterBody } from '../../records/properties/filter.ts';
import { CONTENT_TYPES, csvOf } from '../../records/properties/formats.ts';
import { filterOf } from '../../records/properties/request.ts';
import { readSeries } from './analytics.ts';
import { AreaSummary, Ranking } from './area-schema.ts';
import { KINDS, SEGMENTED_KINDS } from './cells.ts';
import { readCustomSeries } from './custom.ts';
import { readForecast, readIndex } from './index-answers.ts';
import { IndexPoint, PriceForecast, PriceIndex } from './index-schema.ts';
import { MONTHS_AHEAD } from './index/forecast.ts';
import { readRanking } from './rankings.ts';
import { FIGURES, RANKED_STEPS } from './ranks.ts';
import { areaParameters, periodParameters, SalesSeries, SERIES_TYPES, SeriesPoint } from './schema.ts';
import { RESIDENTIAL, SEGMENTS } from './segments.ts';
import { readSummary } from './summary.ts';

const { property_type: _type, ...placeParameters } = areaParameters;

const formatParameter = Type.Optional(
  shape.oneOf(['json', 'csv'], { description: '`csv` has one line for each period.', default: 'json' }),
);
const inFormats = (schema: TSchema) => ({
  200: {
    description: 'Every period from the first to the last.',
    content: {
      'application/json': { schema },
      'text/csv': { schema: Type.String({ maxLength: 10_000_000 }) },
    },
  },
});

function inFormat(reply: FastifyReply, answer: SalesSeries | PriceIndex, format: 'json' | 'csv' = 'json') {
  if (format === 'json') return answer;
  void reply.type(CONTENT_TYPES.csv);
  return csvOf(answer.data, answer.object === 'price_index' ? IndexPoint : SeriesPoint);
}

export function analyticsRoutes(app: App, deps: Deps): void {
  const reads = operationsOf('analytics', { scope: 'properties:read', meter: 'standard', mayLag: true });

  app.get(
    '/analytics/series',
    reads('get_sales_series', 'Get sales, prices and what follows from them of an area over time', {
      errors: ['resource_not_found'],
      openToGuests: true,
      querystring: shape.strict({
        ...areaParameters,
        ...periodParameters,
        segment: Type.Optional(
          shape.oneOf(SEGMENTS, {
            description: `Only residential homes of this many bedrooms, this size, this era, or new or not when sold. By ${SEGMENTED_KINDS.join(', ')}.`,
          }),
        ),
        format: formatParameter,
      }),
      response: inFormats(SalesSeries),
    }),
    async ({ query, caller }, reply) => {
      const { interval = 'month', property_type = RESIDENTIAL, format, ...rest } = query;
      return inFormat(reply, await readSeries(deps, caller.key.mode, { ...rest, interval, property_type }), format);
    },
  );

  app.post(
    '/analytics/series',
    reads('get_sales_series_of_search', 'Get the same of a polygon, or of whatever a search finds', {
      errors: ['resource_not_found', 'geometry_invalid', 'geometry_too_large', 'area_too_large'],
      body: shape.namedStrict('SalesSeriesSearch', {
        ...FilterBody,
        property_type: areaParameters.property_type,
        ...periodParameters,
        format: formatParameter,
      }),
      response: inFormats(SalesSeries),
    }),
    async ({ body, caller }, reply) => {
      const { interval = 'month', property_type = RESIDENTIAL, since, until, format, ...filter } = body;
      const query = { interval, property_type, since, until, filter: filterOf(caller, filter) };
      return inFormat(reply, await readCustomSeries(deps, caller.key.mode, query), format);
    },
  );

  app.get(
    '/analytics/index',
    reads('get_price_index', 'Get the quality-adjusted price index of an area, with its band and growth', {
      errors: ['resource_not_found'],
      openToGuests: true,
      querystring: shape.strict({ ...areaParameters, ...periodParameters, format: formatParameter }),
      response: inFormats(PriceIndex),
    }),
    async ({ query, caller }, reply) => {
      const { interval = 'month', property_type = RESIDENTIAL, format, ...rest } = query;
      return inFormat(reply, await readIndex(deps, caller.key.mode, { ...rest, interval, property_type }), format);
    },
  );
  app.get(
    '/analytics/forecast',
    reads('get_price_forecast', 'Get the expected price index of an area for up to 12 months, with its band', {
      errors: ['resource_not_found'],
      openToGuests: true,
      querystring: shape.strict({
        ...areaParameters,
        months: Type.Optional(
          shape.wholeNumber({
            minimum: 1,
            maximum: MONTHS_AHEAD,
            default: MONTHS_AHEAD,
            description: 'How many months ahead.',
          }),
        ),
      }),
      response: { 200: PriceForecast },
    }),
    ({ query, caller }) => {
      const { property_type = RESIDENTIAL, months = MONTHS_AHEAD, ...rest } = query;
      return readForecast(deps, caller.key.mode, { ...rest, property_type, months });
    },
  );

  app.get(
    '/analytics/summary',
    reads('get_area_summary', 'Get the homes of an area: stock, values, permits, violations and liens', {
      openToGuests: true,
      errors: ['resource_not_found'],
      querystring: shape.strict(placeParameters),
      response: { 200: AreaSummary },
    }),
    ({ query, caller }) => readSummary(deps, caller.key.mode, query),
  );

  app.get(
    '/analytics/rankings',
    reads('rank_areas', 'Rank the areas of a market, county or state by a figure', {
      openToGuests: true,
      errors: ['resource_not_found'],
      querystring: shape.strict({
        kind: shape.oneOf(KINDS, { description: 'What is ranked.', examples: ['zip'] }),
        figure: shape.oneOf(FIGURES, { description: 'What it is ranked by.', examples: ['median_price'] }),
        market: Type.Optional(shape.text(60, { minLength: 1, description: 'Within this market.' })),
        county: Type.Optional(shape.text(5, { minLength: 5, description: 'Or within the county of this FIPS code.' })),
        state: Type.Optional(shape.text(2, { minLength: 2, description: 'Or within this state.' })),
        property_type: Type.Optional(
          shape.oneOf(SERIES_TYPES, { description: 'Of sales: the type of home.', default: RESIDENTIAL }),
        ),
        interval: Type.Optional(shape.oneOf(RANKED_STEPS, { description: 'Length of the period.', default: 'year' })),
        period: Type.Optional(
          shape.text(7, {
            minLength: 4,
            description: '`2025` or `2025-Q4`. The last closed one by default.',
            examples: ['2025'],
          }),
        ),
        order: Type.Optional(shape.oneOf(['descending', 'ascending'], { default: 'descending' })),
        limit: shape.limitParameter(),
        cursor: shape.cursorParameter,
      }),
      response: { 200: Ranking },
    }),
    ({ query, caller }) => {
      const { property_type = RESIDENTIAL, interval = 'year', order = 'descending', limit = 50, ...rest } = query;
      return readRanking(deps, caller.key.mode, { ...rest, property_type, interval, order, limit });
    },
  );
}
